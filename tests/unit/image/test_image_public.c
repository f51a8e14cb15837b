/* SPDX-License-Identifier: MIT */
/* libgpufilterimage through its shared library, as other programs use it: samples, losses, limits, memory, threads. */
#include <gpufilter/image.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "protocol/base/base.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define WIDTH 64u
#define HEIGHT 48u

/* Samples of any type: few colours, so that gif holds them. */
static gpufilter_view paint(void *data, uint32_t dtype, uint32_t channels)
{
    gpufilter_view view = gpufilter_tight_view(data, WIDTH, HEIGHT, dtype, channels);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * channels; i++) {
        const size_t c = i % channels, x = i / channels % WIDTH, y = i / channels / WIDTH;
        const unsigned value =
            channels % 2 == 0 && c == channels - 1 ? (unsigned)(x + 100) : (unsigned)(x / 16 * 50 + y / 16 * 10 + c);
        if (dtype == GPUFILTER_U8)
            ((uint8_t *)data)[i] = (uint8_t)value;
        else if (dtype == GPUFILTER_U16)
            ((uint16_t *)data)[i] = (uint16_t)(257 * value + x);
        else
            ((float *)data)[i] = (float)value / 256.0f;
    }
    view.alpha = channels % 2 == 0 ? GPUFILTER_VIEW_STRAIGHT_ALPHA : GPUFILTER_VIEW_NO_ALPHA;
    return view;
}

static size_t bytes_of(const gpufilter_view *view)
{
    const size_t sample = view->dtype == GPUFILTER_U8 ? 1 : view->dtype == GPUFILTER_U16 ? 2 : 4;
    return (size_t)view->width * view->height * view->channels * sample;
}

/* The bytes of a file, which the caller frees. */
static uint8_t *encode(const gpufilter_view *view, const gpufilter_image_write_options *as, size_t *ret_size)
{
    void *bytes = NULL;
    gpufilter_error err = {.text = ""};
    if (gpufilter_image_write_memory(view, as, &bytes, ret_size, NULL, &err) != GPUFILTER_OK)
        fail_msg("%s", err.text);
    return bytes;
}

static gpufilter_image *decode(const void *bytes, size_t size, const gpufilter_image_read_options *how)
{
    gpufilter_image *image = NULL;
    gpufilter_error err = {.text = ""};
    if (gpufilter_image_read_memory(bytes, size, how, &image, &err) != GPUFILTER_OK)
        fail_msg("%s", err.text);
    return image;
}

static gpufilter_image_facts facts_of(const gpufilter_image *image)
{
    gpufilter_image_facts facts = GPUFILTER_IMAGE_FACTS_INIT;
    assert_int_equal(gpufilter_image_describe(image, &facts, NULL), GPUFILTER_OK);
    return facts;
}

static void refused(int status, int want, const gpufilter_error *err, const char *words)
{
    if (status != want || err->status != want || !strstr(err->text, words))
        fail_msg("%d \"%s\" instead of %d \"%s\"", status, err->text, want, words);
}

/* How each format is tried: samples that it keeps, up to a difference. */
static const struct {
    const char *word;
    uint32_t dtype, channels, flags;
    int near;
} trials[] = {
    {"png", GPUFILTER_U8, 4, 0, 0},
    {"png", GPUFILTER_U16, 2, 0, 0},
    {"jpeg", GPUFILTER_U8, 3, 0, 16},
    {"jpeg", GPUFILTER_U8, 1, 0, 8},
    {"tiff", GPUFILTER_U16, 3, 0, 0},
    {"tiff", GPUFILTER_F32, 1, 0, 0},
    {"webp", GPUFILTER_U8, 4, GPUFILTER_IMAGE_LOSSLESS, 0},
    {"avif", GPUFILTER_U8, 3, 0, 24},
    {"heic", GPUFILTER_U8, 3, 0, 24},
    {"gif", GPUFILTER_U8, 3, 0, 0},
    {"bmp", GPUFILTER_U8, 3, 0, 0},
    {"tga", GPUFILTER_U8, 4, 0, 0},
    {"pgm", GPUFILTER_U16, 1, 0, 0},
    {"ppm", GPUFILTER_U8, 3, 0, 0},
    {"pnm", GPUFILTER_U8, 1, 0, 0},
    {"pam", GPUFILTER_U8, 2, 0, 0},
    {"pfm", GPUFILTER_F32, 3, 0, 0},
    {"hdr", GPUFILTER_F32, 3, 0, 1},
    {"npy", GPUFILTER_F32, 3, 0, 0},
};

static int difference(const gpufilter_view *a, const gpufilter_view *b)
{
    int most = 0;
    for (size_t i = 0; i < (size_t)a->width * a->height * a->channels; i++) {
        const double d = a->dtype == GPUFILTER_U8    ? ((uint8_t *)a->data)[i] - ((uint8_t *)b->data)[i]
                         : a->dtype == GPUFILTER_U16 ? ((uint16_t *)a->data)[i] - ((uint16_t *)b->data)[i]
                                                     : 256 * ((double)((float *)a->data)[i] - ((float *)b->data)[i]);
        const int whole = (int)(d < 0 ? -d + 0.999 : d + 0.999);
        most = whole > most ? whole : most;
    }
    return most;
}

static bool is_here(const char *word)
{
    gpufilter_image_format format = GPUFILTER_IMAGE_FORMAT_INIT;
    for (uint32_t i = 0; gpufilter_image_get_format(i, &format, NULL) == GPUFILTER_OK; i++)
        if (strcmp(format.word, word) == 0)
            return (format.flags & GPUFILTER_IMAGE_WRITES) != 0;
    fail_msg("no format %s", word);
    return false;
}

static void every_format_gives_back_its_samples(void **state)
{
    UNUSED(state);
    static float data[WIDTH * HEIGHT * 4];
    for (size_t i = 0; i < GF_ARRAY_LEN(trials); i++) {
        gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
        const gpufilter_view view = paint(data, trials[i].dtype, trials[i].channels);
        size_t size = 0;
        as.format = trials[i].word;
        as.flags = trials[i].flags;
        if (!is_here(trials[i].word))
            continue;
        uint8_t *bytes = encode(&view, &as, &size);
        gpufilter_image *image = decode(bytes, size, NULL);
        const gpufilter_view *got = gpufilter_image_view(image);
        const bool is_array = strcmp(trials[i].word, "npy") == 0;
        assert_int_equal(got->width, WIDTH);
        assert_int_equal(got->height, HEIGHT);
        assert_int_equal(got->dtype, view.dtype);
        assert_int_equal(got->channels, view.channels);
        assert_int_equal(got->alpha, is_array ? GPUFILTER_VIEW_NO_ALPHA : view.alpha);
        const int off = difference(got, &view);
        if (off > trials[i].near)
            fail_msg("%s: %d instead of %d", trials[i].word, off, trials[i].near);
        assert_int_equal(facts_of(image).file_bytes, size);
        assert_int_equal(facts_of(image).pages, 1);
        gpufilter_image_free(image);
        free(bytes);
    }
}

static void formats_are_listed(void **state)
{
    UNUSED(state);
    gpufilter_image_format format = GPUFILTER_IMAGE_FORMAT_INIT;
    gpufilter_error err;
    char words[256] = "";
    uint32_t n = 0;
    for (; gpufilter_image_get_format(n, &format, &err) == GPUFILTER_OK; n++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s ", format.word);
    assert_string_equal(words, "png jpeg tiff webp avif heic gif bmp tga pgm ppm pnm pam pfm hdr npy txt raw ");
    assert_int_equal(err.status, GPUFILTER_E_UNSUPPORTED);
    assert_int_equal(gpufilter_image_get_format(0, &format, NULL), GPUFILTER_OK);
    assert_int_equal(format.flags, GPUFILTER_IMAGE_READS | GPUFILTER_IMAGE_WRITES | GPUFILTER_IMAGE_PAGES);
    assert_string_equal(format.extensions, "png");
    assert_string_equal(format.library, "");
}

/* A JPEG with a comment, and turned by EXIF: orientation 6, the first row is at the right. */
static uint8_t *make_jpeg(size_t *ret_size)
{
    static const uint8_t markers[] = "\xff\xe1\0\x22"
                                     "Exif\0\0MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
                                     "\xff\xfe\0\7hello";
    static uint8_t data[WIDTH * HEIGHT * 3];
    const gpufilter_view view = paint(data, GPUFILTER_U8, 3);
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    size_t size = 0;
    as.format = "jpeg";
    uint8_t *plain = encode(&view, &as, &size), *made = malloc(size + sizeof(markers) - 1);
    assert_non_null(made);
    memcpy(made, plain, 2);
    memcpy(made + 2, markers, sizeof(markers) - 1);
    memcpy(made + 2 + sizeof(markers) - 1, plain + 2, size - 2);
    free(plain);
    *ret_size = size + sizeof(markers) - 1;
    return made;
}

static void what_a_file_does_not_keep_is_listed_or_refused(void **state)
{
    UNUSED(state);
    size_t size = 0, copy_size = 0;
    uint8_t *bytes = make_jpeg(&size);
    gpufilter_image *image = decode(bytes, size, NULL);
    const gpufilter_view *view = gpufilter_image_view(image);
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_image_report report = GPUFILTER_IMAGE_REPORT_INIT;
    gpufilter_error err;
    void *copy = NULL;
    assert_int_equal(facts_of(image).comment_bytes, 7);
    assert_int_equal(facts_of(image).orientation, 6);
    assert_int_equal(facts_of(image).flags, GPUFILTER_IMAGE_IS_LOSSY);
    as.format = "png";
    as.source = image;
    assert_int_equal(gpufilter_image_write_memory(view, &as, &copy, &copy_size, &report, &err), GPUFILTER_OK);
    assert_string_equal(report.lost, "comment");
    assert_int_equal(report.bytes, copy_size);
    free(copy);
    as.flags = GPUFILTER_IMAGE_STRICT;
    copy = &as;
    memset(report.lost, 0, sizeof(report.lost));
    refused(gpufilter_image_write_memory(view, &as, &copy, &copy_size, &report, &err), GPUFILTER_E_LOSS, &err,
            "png: not kept as png: comment");
    assert_string_equal(report.lost, "comment");
    assert_ptr_equal(copy, &as);
    as.format = "jpeg";
    assert_int_equal(gpufilter_image_write_memory(view, &as, &copy, &copy_size, &report, &err), GPUFILTER_OK);
    assert_string_equal(report.lost, "");
    gpufilter_image *kept = decode(copy, copy_size, NULL);
    assert_int_equal(facts_of(kept).comment_bytes, 7);
    assert_int_equal(facts_of(kept).orientation, 6);
    gpufilter_image_free(kept);
    free(copy);
    as.format = "bmp"; /* holds no orientation: the picture is turned */
    as.keep = "exif";
    assert_int_equal(gpufilter_image_write_memory(view, &as, &copy, &copy_size, &report, &err), GPUFILTER_OK);
    assert_string_equal(report.lost, "");
    kept = decode(copy, copy_size, NULL);
    assert_int_equal(gpufilter_image_view(kept)->width, HEIGHT);
    assert_int_equal(gpufilter_image_view(kept)->height, WIDTH);
    gpufilter_image_free(kept);
    free(copy);
    gpufilter_image_free(image);
    free(bytes);
}

static void a_channel_that_is_not_alpha_is_a_loss(void **state)
{
    UNUSED(state);
    static uint8_t data[WIDTH * HEIGHT * 4];
    gpufilter_view view = paint(data, GPUFILTER_U8, 4);
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_image_report report = GPUFILTER_IMAGE_REPORT_INIT;
    gpufilter_error err;
    void *bytes = NULL;
    size_t size = 0;
    as.format = "jpeg";
    refused(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), GPUFILTER_E_UNSUPPORTED, &err,
            "jpeg: jpeg holds u8 with 1 or 3 channels (no alpha)");
    as.flags = GPUFILTER_IMAGE_FLATTEN | GPUFILTER_IMAGE_STRICT;
    free(encode(&view, &as, &size));
    view.alpha = GPUFILTER_VIEW_NO_ALPHA;
    as.format = "png";
    as.flags = 0;
    assert_int_equal(gpufilter_image_write_memory(&view, &as, &bytes, &size, &report, &err), GPUFILTER_OK);
    assert_string_equal(report.lost, "that the last channel is not alpha");
    free(bytes);
    as.flags = GPUFILTER_IMAGE_STRICT;
    refused(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), GPUFILTER_E_LOSS, &err, "not alpha");
}

static void limits_are_kept(void **state)
{
    UNUSED(state);
    size_t size = 0;
    uint8_t *bytes = make_jpeg(&size);
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    gpufilter_image *image = NULL;
    gpufilter_error err;
    how.name = "upload 7";
    how.max_pixels = WIDTH * HEIGHT - 1;
    refused(gpufilter_image_read_memory(bytes, size, &how, &image, &err), GPUFILTER_E_TOO_LARGE, &err,
            "upload 7: has 64x48 = 3072 pixels");
    how.max_pixels++;
    how.max_bytes = size - 1;
    refused(gpufilter_image_read_memory(bytes, size, &how, &image, &err), GPUFILTER_E_TOO_LARGE, &err,
            "an image file may have at most");
    how.max_bytes++;
    how.formats = "png, webp";
    refused(gpufilter_image_info_memory(bytes, size, &how, &image, &err), GPUFILTER_E_UNSUPPORTED, &err,
            "upload 7: is jpeg, which is not among the formats to accept");
    how.formats = "jpg";
    how.page = 2;
    refused(gpufilter_image_read_memory(bytes, size, &how, &image, &err), GPUFILTER_E_BAD_FILE, &err, "only one");
    how.page = 1;
    gpufilter_image_free(decode(bytes, size, &how));
    how.formats = "gpj";
    refused(gpufilter_image_read_memory(bytes, size, &how, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "gpj");
    assert_null(image);
    free(bytes);
}

static void options_are_checked(void **state)
{
    UNUSED(state);
    static uint8_t data[WIDTH * HEIGHT];
    const gpufilter_view view = paint(data, GPUFILTER_U8, 1);
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_image *image = NULL;
    gpufilter_view other = view;
    gpufilter_error err;
    void *bytes = NULL;
    size_t size = 0;
    how.struct_size = 0;
    refused(gpufilter_image_read_memory("", 0, &how, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "_INIT");
    how = (gpufilter_image_read_options)GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    how.fit_width = 9;
    refused(gpufilter_image_read_memory("", 0, &how, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "fit_width=9 and fit_height=0; allowed: both or none");
    refused(gpufilter_image_write_memory(&view, NULL, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "format");
    as.format = "png";
    as.quality = 101;
    refused(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "quality=101; allowed: 1..100, or 0 for the default");
    as.quality = 0;
    as.background[3] = 1;
    refused(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "background[3]=1; allowed: 0");
    as.background[3] = 0;
    other.depth = 2;
    refused(gpufilter_image_write_memory(&other, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_VIEW, &err,
            "the view has depth=2; allowed: 1, or 0 for 1");
    other.depth = 1;
    other.pitch = 1;
    refused(gpufilter_image_write_memory(&other, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_VIEW, &err,
            "pitch=1");
    other.data = GPUFILTER_RESIDENT;
    refused(gpufilter_image_write_memory(&other, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_VIEW, &err,
            "no samples");
    as.compression = "zip";
    refused(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "none, lzw, deflate");
    assert_null(bytes);
}

static void bad_files_are_refused(void **state)
{
    UNUSED(state);
    size_t size = 0;
    uint8_t *bytes = make_jpeg(&size);
    gpufilter_image *image = NULL;
    gpufilter_error err;
    refused(gpufilter_image_read_memory(NULL, 0, NULL, &image, &err), GPUFILTER_E_BAD_FILE, &err, "image: is empty");
    refused(gpufilter_image_read_memory(NULL, 13, NULL, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "bytes is NULL, but its size is 13");
    refused(gpufilter_image_read(NULL, NULL, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "path is NULL");
    refused(gpufilter_image_read_memory("what is this?", 13, NULL, &image, &err), GPUFILTER_E_BAD_FILE, &err,
            "neither a supported image file");
    refused(gpufilter_image_read_memory("8BPS....", 8, NULL, &image, &err), GPUFILTER_E_UNSUPPORTED, &err, "Photoshop");
    refused(gpufilter_image_read_memory(bytes, size / 2, NULL, &image, &err), GPUFILTER_E_BAD_FILE, &err, "image: ");
    refused(gpufilter_image_read("/nonexistent/a.png", NULL, &image, &err), GPUFILTER_E_NO_INPUT, &err,
            "/nonexistent/a.png: cannot be read: No such file or directory");
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    how.flags = GPUFILTER_IMAGE_SALVAGE;
    image = decode(bytes, size - 60, &how);
    assert_non_null(strstr(facts_of(image).warning, "image: "));
    gpufilter_image_free(image);
    free(bytes);
}

/* Memory of a caller, with the blocks that are out. */
struct arena {
    int out, taken;
    bool is_full;
    void *last;
};

static void *take(void *user, uint64_t size)
{
    struct arena *a = user;
    if (a->is_full)
        return NULL;
    a->out++;
    a->taken++;
    a->last = malloc(size);
    return a->last;
}

static void give_back(void *user, void *data)
{
    struct arena *a = user;
    a->out--;
    free(data);
}

static void samples_go_to_memory_of_the_caller(void **state)
{
    UNUSED(state);
    size_t size = 0;
    uint8_t *bytes = make_jpeg(&size);
    struct arena arena = {0};
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    how.alloc = take;
    how.free = give_back;
    how.user = &arena;
    gpufilter_image *plain = decode(bytes, size, NULL), *image = decode(bytes, size, &how);
    assert_int_equal(arena.out, 1);
    assert_ptr_equal(gpufilter_image_view(image)->data, arena.last);
    assert_memory_equal(gpufilter_image_view(image)->data, gpufilter_image_view(plain)->data,
                        bytes_of(gpufilter_image_view(plain)));
    gpufilter_image_free(image);
    assert_int_equal(arena.out, 0);
    how.flags = GPUFILTER_IMAGE_UPRIGHT;
    image = decode(bytes, size, &how);
    assert_int_equal(arena.taken, 3);
    assert_int_equal(arena.out, 1);
    const gpufilter_view *view = gpufilter_image_view(image);
    assert_ptr_equal(view->data, arena.last);
    assert_int_equal(view->width, HEIGHT);
    assert_int_equal(view->height, WIDTH);
    assert_int_equal(facts_of(image).orientation, 1);
    /* The first row of the file is the last column. */
    assert_memory_equal((uint8_t *)view->data + 3 * (HEIGHT - 1), gpufilter_image_view(plain)->data, 3);
    gpufilter_image_free(image);
    arena.is_full = true;
    image = decode(bytes, size, &how);
    assert_int_equal(arena.taken, 3);
    assert_int_equal(gpufilter_image_view(image)->width, HEIGHT);
    gpufilter_image_free(image);
    assert_int_equal(arena.out, 0);
    gpufilter_image_facts facts = GPUFILTER_IMAGE_FACTS_INIT;
    gpufilter_error err;
    how.free = NULL;
    refused(gpufilter_image_read_memory(bytes, size, &how, &image, &err), GPUFILTER_E_BAD_ARGUMENT, &err,
            "free is NULL; allowed: alloc and free, or none");
    refused(gpufilter_image_describe(NULL, &facts, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "image is NULL");
    refused(gpufilter_image_describe(plain, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "facts is NULL");
    refused(gpufilter_image_get_format(0, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "format is NULL");
    assert_null(gpufilter_image_view(NULL));
    gpufilter_image_free(plain);
    gpufilter_image_free(NULL);
    free(bytes);
}

static void a_jpeg_is_read_smaller_for_a_box(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t width, height, shrink;
    } boxes[] = {{16, 12, 2}, {17, 12, 2}, {17, 13, 1}, {4, 1000, 8}, {1000, 6, 4}, {0, 0, 1}};
    size_t size = 0;
    uint8_t *bytes = make_jpeg(&size); /* 48x64 as viewers show it */
    for (size_t i = 0; i < GF_ARRAY_LEN(boxes); i++) {
        gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
        how.fit_width = boxes[i].height == 1000 ? 1000 : boxes[i].height;
        how.fit_height = boxes[i].width;
        gpufilter_image *image = decode(bytes, size, &how);
        const gpufilter_image_facts facts = facts_of(image);
        assert_int_equal(facts.shrink, boxes[i].shrink);
        assert_int_equal(facts.full_width, WIDTH);
        assert_int_equal(facts.full_height, HEIGHT);
        assert_int_equal(gpufilter_image_view(image)->width, WIDTH / boxes[i].shrink);
        gpufilter_image_free(image);
    }
    free(bytes);
}

static void headers_tell_without_samples(void **state)
{
    UNUSED(state);
    static uint8_t data[WIDTH * HEIGHT];
    const gpufilter_view view = paint(data, GPUFILTER_U8, 1);
    static const char *const words[] = {"png", "pgm"}; /* of pgm the header is not read alone */
    for (size_t i = 0; i < GF_ARRAY_LEN(words); i++) {
        gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
        gpufilter_image *image = NULL;
        size_t size = 0;
        as.format = words[i];
        uint8_t *bytes = encode(&view, &as, &size);
        assert_int_equal(gpufilter_image_info_memory(bytes, size, NULL, &image, NULL), GPUFILTER_OK);
        const gpufilter_view *got = gpufilter_image_view(image);
        assert_null(got->data);
        assert_int_equal(got->width, WIDTH);
        assert_int_equal(got->height, HEIGHT);
        assert_int_equal(facts_of(image).bits, 8);
        assert_string_equal(facts_of(image).format, i == 0 ? "png" : "pnm");
        gpufilter_image_free(image);
        free(bytes);
    }
}

static void files_appear_whole_or_not_at_all(void **state)
{
    UNUSED(state);
    static uint8_t data[WIDTH * HEIGHT * 3];
    const gpufilter_view view = paint(data, GPUFILTER_U8, 3);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_image_report report = GPUFILTER_IMAGE_REPORT_INIT;
    gpufilter_image *image = NULL;
    gpufilter_error err;
    struct stat st;
    char path[256], other[256];
    snprintf(path, sizeof(path), "%s/a.png", dir);
    snprintf(other, sizeof(other), "%s/none/a.png", dir);
    assert_int_equal(gpufilter_image_write(path, &view, NULL, &report, &err), GPUFILTER_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(report.bytes, st.st_size);
    assert_int_equal(gpufilter_image_read(path, NULL, &image, &err), GPUFILTER_OK);
    assert_memory_equal(gpufilter_image_view(image)->data, data, sizeof(data));
    as.format = "pgm";
    refused(gpufilter_image_write(path, &view, &as, NULL, &err), GPUFILTER_E_UNSUPPORTED, &err, "a.png: pgm holds");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(report.bytes, st.st_size);
    refused(gpufilter_image_write(other, &view, NULL, NULL, &err), GPUFILTER_E_CANT_CREATE, &err, "none/a.png");
    snprintf(path, sizeof(path), "%s/a.jxl", dir);
    refused(gpufilter_image_write(path, &view, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "\".jxl\"");
    gpufilter_image_free(image);
}

/* What each thread does, on bytes that all share. */
struct shared {
    const uint8_t *bytes;
    size_t size;
    const gpufilter_image *image;
};

static void *work(void *user)
{
    const struct shared *s = user;
    static const char *const words[] = {"png", "jpeg", "tiff", "webp", "gif"};
    for (size_t i = 0; i < 4 * GF_ARRAY_LEN(words); i++) {
        gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
        gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
        gpufilter_image *mine = NULL, *again = NULL;
        void *bytes = NULL;
        size_t size = 0;
        as.format = words[i % GF_ARRAY_LEN(words)];
        as.source = s->image;
        how.flags = GPUFILTER_IMAGE_SRGB;
        bool good = gpufilter_image_read_memory(s->bytes, s->size, NULL, &mine, NULL) == GPUFILTER_OK;
        good = good && memcmp(gpufilter_image_view(mine)->data, gpufilter_image_view(s->image)->data,
                              bytes_of(gpufilter_image_view(mine))) == 0;
        if (good && is_here(as.format))
            good = gpufilter_image_write_memory(gpufilter_image_view(s->image), &as, &bytes, &size, NULL, NULL) ==
                       GPUFILTER_OK &&
                   gpufilter_image_read_memory(bytes, size, &how, &again, NULL) == GPUFILTER_OK;
        gpufilter_image_free(mine);
        gpufilter_image_free(again);
        free(bytes);
        if (!good)
            return user;
    }
    return NULL;
}

static void threads_work_at_a_time(void **state)
{
    UNUSED(state);
    size_t size = 0;
    uint8_t *bytes = make_jpeg(&size);
    gpufilter_image *image = decode(bytes, size, NULL);
    struct shared shared = {.bytes = bytes, .size = size, .image = image};
    pthread_t threads[4];
    for (size_t i = 0; i < GF_ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
    for (size_t i = 0; i < GF_ARRAY_LEN(threads); i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    gpufilter_image_free(image);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_back_its_samples),
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(what_a_file_does_not_keep_is_listed_or_refused),
        cmocka_unit_test(a_channel_that_is_not_alpha_is_a_loss),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(samples_go_to_memory_of_the_caller),
        cmocka_unit_test(a_jpeg_is_read_smaller_for_a_box),
        cmocka_unit_test(headers_tell_without_samples),
        cmocka_unit_test(files_appear_whole_or_not_at_all),
        cmocka_unit_test(threads_work_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
