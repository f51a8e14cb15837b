/* SPDX-License-Identifier: MIT */
/*
 * client/cli/jpeg_read, jpeg_restarts, jpeg_write: grey stays grey, CMYK becomes RGB, progressive files are read, cut
 * files and scan bombs are refused, sections and threads change no sample. Built with libjpeg-turbo.
 */
#include <stdio.h>

#include <jpeglib.h>
#include <string.h>

#include "client/image/jpeg/jpeg_turbo.h"
#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define SIDE 48u

/* What a test file is made of. */
struct recipe {
    J_COLOR_SPACE space;
    int channels;
    bool progressive;
    const jpeg_scan_info *scans; /* NULL: libjpeg's own */
    int n_scans;
};

/* A sample of a smooth picture, which coding changes little. */
static uint8_t smooth(uint32_t x, uint32_t y, uint32_t c)
{
    return (uint8_t)(60 + x + 2 * y + 20 * c);
}

static uint8_t *make(const struct recipe *recipe, size_t *ret_size)
{
    struct jpeg_error_mgr mgr;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&mgr)};
    uint8_t *file = NULL, row[SIDE * 4];
    unsigned long size = 0;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &size);
    jpeg.image_width = jpeg.image_height = SIDE;
    jpeg.input_components = recipe->channels;
    jpeg.in_color_space = recipe->space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    if (recipe->progressive)
        jpeg_simple_progression(&jpeg);
    if (recipe->scans) {
        jpeg.scan_info = recipe->scans;
        jpeg.num_scans = recipe->n_scans;
    }
    jpeg_start_compress(&jpeg, TRUE);
    for (uint32_t y = 0; y < SIDE; y++) {
        uint32_t channels = (uint32_t)recipe->channels;
        for (uint32_t i = 0; i < SIDE * channels; i++)
            row[i] = smooth(i / channels, y, i % channels);
        JSAMPROW rows[] = {row};
        assert_int_equal(jpeg_write_scanlines(&jpeg, rows, 1), 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *ret_size = size;
    return file;
}

static void assert_near(double a, double b)
{
    if (a - b > 6 || b - a > 6)
        fail_msg("%g is not near %g", a, b);
}

static void check(const struct recipe *recipe)
{
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = make(recipe, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.jpg", file, size);
    bool cmyk = recipe->space == JCS_CMYK;
    uint32_t channels = cmyk ? 3 : (uint32_t)recipe->channels;
    assert_int_equal(image.view.dtype, GF_U8);
    assert_int_equal(image.view.channels, channels);
    assert_int_equal(image.view.width, SIDE);
    assert_int_equal(image.view.height, SIDE);
    for (uint64_t i = 0; i < gf_view_samples(&image.view); i++) {
        uint32_t x = (uint32_t)(i / channels % SIDE), y = (uint32_t)(i / channels / SIDE), c = (uint32_t)(i % channels);
        /* libjpeg marks CMYK as Adobe's, which stores inverted ink. */
        double light = cmyk ? smooth(x, y, c) * (double)smooth(x, y, 3) / 255 : smooth(x, y, c);
        assert_near(fixture_sample(&image, i), light);
    }
    if (!cmyk)
        return;
    uint8_t *adobe = memmem(file, size,
                            "\xff\xee\0\x0e"
                            "Adobe",
                            9);
    assert_non_null(adobe);
    memcpy(adobe + 4, "other", 5);
    gf_cleanup(gf_image_deinit) struct gf_image other = fixture_decode("a.jpg", file, size);
    fixture_assert_equal(&image, &other);
}

static void every_kind_is_read(void **state)
{
    UNUSED(state);
    static const struct recipe kinds[] = {{JCS_GRAYSCALE, 1, false, NULL, 0}, {JCS_RGB, 3, false, NULL, 0},
                                          {JCS_CMYK, 4, false, NULL, 0},      {JCS_GRAYSCALE, 1, true, NULL, 0},
                                          {JCS_RGB, 3, true, NULL, 0},        {JCS_CMYK, 4, true, NULL, 0}};
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++)
        check(&kinds[i]);
}

static void a_profile_of_cmyk_is_dropped_with_a_warning(void **state)
{
    UNUSED(state);
    static const uint8_t marker[] = "\xff\xe2\0\x14ICC_PROFILE\0\1\1icc"; /* with its final 0 */
    static const struct recipe kinds[] = {{JCS_RGB, 3, false, NULL, 0}, {JCS_CMYK, 4, false, NULL, 0}};
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = make(&kinds[i], &size);
        gf_cleanup(gf_freep) uint8_t *with = malloc(size + sizeof(marker));
        assert_non_null(with);
        memcpy(with, file, 2);
        memcpy(with + 2, marker, sizeof(marker));
        memcpy(with + 2 + sizeof(marker), file + 2, size - 2);
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.jpg", with, size + sizeof(marker));
        assert_int_equal(image.meta.profile_size, i == 0 ? 4 : 0);
        if (i == 0)
            assert_null(image.warning);
        else
            assert_string_equal(image.warning, "a.jpg: CMYK becomes RGB by a plain conversion; the colour profile is "
                                               "neither applied nor kept");
    }
}

static void grey_is_written_as_grey(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, SIDE, SIDE, 1, 1);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        ((uint8_t *)a.data)[i] = smooth(i % SIDE, i / SIDE, 0);
    fixture_write(dir, "a.jpg", &a);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.jpg");
    assert_int_equal(b.view.channels, 1);
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        assert_near(fixture_sample(&a, i), fixture_sample(&b, i));
}

static void a_cut_anywhere_is_noticed(void **state)
{
    UNUSED(state);
    for (int progressive = 0; progressive <= 1; progressive++) {
        struct recipe recipe = {JCS_RGB, 3, progressive == 1, NULL, 0};
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = make(&recipe, &size);
        fixture_needs_all_but(2, "a.jpg", file, 3, size); /* a shorter file cannot be recognized as a JPEG */
    }
}

/* A scan for each channel, with the last scan cut off: libjpeg fills the channel with grey and reports nothing. */
static void a_channel_without_samples_is_refused(void **state)
{
    UNUSED(state);
    static const jpeg_scan_info scans[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    struct recipe recipe = {JCS_RGB, 3, false, scans, GF_ARRAY_LEN(scans)};
    struct gf_io_error err;
    check(&recipe);
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = make(&recipe, &size);
    uint8_t *scan = file;
    for (size_t i = 0; i < GF_ARRAY_LEN(scans); i++) {
        scan = memmem(scan + 2, size - (size_t)(scan + 2 - file), "\xff\xda", 2);
        assert_non_null(scan);
    }
    scan[1] = 0xd9;
    fixture_refuses("a.jpg", file, (size_t)(scan + 2 - file), GF_IO_DATA, &err);
    fixture_assert_says(&err, "a channel has no samples");
}

/* A scan for every bit of every coefficient of every channel: allowed, but excessive work on a large picture. */
static void a_bomb_of_scans_is_refused(void **state)
{
    UNUSED(state);
    static jpeg_scan_info scans[3 + 3 * 63 * 3];
    struct gf_io_error err;
    int n = 0;
    for (int c = 0; c < 3; c++)
        scans[n++] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {c}};
    for (int bit = 2; bit >= 0; bit--)
        for (int c = 0; c < 3; c++)
            for (int k = 1; k < 64; k++)
                scans[n++] = (jpeg_scan_info){.comps_in_scan = 1,
                                              .component_index = {c},
                                              .Ss = k,
                                              .Se = k,
                                              .Ah = bit == 2 ? 0 : bit + 1,
                                              .Al = bit};
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = make(&(struct recipe){JCS_RGB, 3, true, scans, n}, &size);
    fixture_refuses("a.jpg", file, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "more than 500 scans");
}

/* What else there is to a file. */
struct kind {
    int side; /* chroma subsampling: 1 as luma, 2 half the width and height; 0: libjpeg's default */
    bool progressive;
    unsigned int restart_rows, restart_units; /* from one restart marker to the next */
};

/* The file that libjpeg writes of a picture as one. */
static uint8_t *write_plainly(const struct gf_image *image, const struct kind *kind, size_t *ret_size)
{
    struct jpeg_error_mgr mgr;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&mgr)};
    uint8_t *file = NULL;
    unsigned long size = 0;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &size);
    jpeg.image_width = (JDIMENSION)image->view.width;
    jpeg.image_height = (JDIMENSION)image->view.height;
    jpeg.input_components = (int)image->view.channels;
    jpeg.in_color_space = image->view.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 90, TRUE);
    if (kind->side > 0)
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = kind->side;
    if (kind->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg.restart_in_rows = (int)kind->restart_rows;
    jpeg.restart_interval = kind->restart_units;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (uint8_t *)image->data + jpeg.next_scanline * image->view.pitch;
        assert_int_equal(jpeg_write_scanlines(&jpeg, &row, 1), 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *ret_size = size;
    return file;
}

static size_t count_restarts(const uint8_t *file, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < size; i++)
        n += file[i] == 0xff && file[i + 1] >= 0xd0 && file[i + 1] <= 0xd7;
    return n;
}

/* Pictures of one section, of several, with a last section of one row, and of more sections than restart markers. */
static void sections_change_no_sample(void **state)
{
    UNUSED(state);
    static const struct {
        uint64_t width, height;
        uint32_t channels;
        size_t restarts;
        uint32_t subsampling;
        int side;
    } cases[] = {{640, 480, 3, 0, 420, 2},   {1000, 2081, 3, 2, 420, 2},  {1029, 1001, 1, 0, 420, 0},
                 {3001, 1100, 1, 3, 420, 0}, {65500, 200, 3, 12, 420, 2}, {640, 480, 3, 0, 444, 1},
                 {1000, 2097, 3, 2, 444, 1}, {65500, 200, 3, 12, 0, 1}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image =
            fixture_noise(GF_U8, cases[i].width, cases[i].height, cases[i].channels, i);
        gf_cleanup(gf_freep) uint8_t *first = NULL;
        size_t plain_size = 0, size = 0, first_size = 0;
        gf_cleanup(gf_freep) uint8_t *plain = write_plainly(&image, &(struct kind){.side = cases[i].side}, &plain_size);
        gf_cleanup(gf_image_deinit) struct gf_image want = fixture_decode("a.jpg", plain, plain_size);
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            const struct gf_image_save save = {.threads = threads, .subsampling = cases[i].subsampling};
            gf_cleanup(gf_freep) char *path = fixture_path(dir, "b.jpg");
            assert_int_equal(gf_image_write(path, GF_FORMAT_JPEG, &image.view, image.data, &save, NULL), GF_IO_OK);
            gf_cleanup(gf_freep) uint8_t *file = fixture_load(path, &size);
            gf_cleanup(gf_image_deinit) struct gf_image got = fixture_decode("b.jpg", file, size);
            fixture_assert_equal(&got, &want);
            assert_int_equal(count_restarts(file, size), cases[i].restarts);
            if (first) {
                assert_int_equal(size, first_size);
                assert_memory_equal(file, first, size);
                continue;
            }
            first = gf_steal_ptr(&file);
            first_size = size;
        }
    }
}

static uint32_t shrink_by(void *user, uint64_t width, uint64_t height)
{
    UNUSED(width);
    UNUSED(height);
    return *(const uint32_t *)user;
}

static struct gf_image read_by(uint32_t threads, uint32_t shrink, const uint8_t *file, size_t size)
{
    struct gf_image image = GF_IMAGE_NULL;
    const struct gf_image_load how = {.threads = threads, .shrink = shrink_by, .shrink_user = &shrink};
    assert_int_equal(gf_image_decode("a.jpg", file, size, &how, &image, NULL), GF_IO_OK);
    return image;
}

static void several_threads_read_what_one_reads(void **state)
{
    UNUSED(state);
    /* Restart markers after each row of blocks, after several rows, after so many that there are two sections, within
     * rows. */
    static const struct kind kinds[] = {{0},
                                        {.side = 1},
                                        {.progressive = true},
                                        {.restart_rows = 1},
                                        {.side = 1, .restart_rows = 5},
                                        {.side = 2, .restart_rows = 3},
                                        {.restart_rows = 70},
                                        {.restart_units = 7}};
    for (uint32_t i = 0; i < 2 * GF_ARRAY_LEN(kinds); i++) {
        uint32_t channels = i % 2 == 0 ? 3 : 1;
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 1003 + i, 1051 + 7 * i, channels, i);
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = write_plainly(&image, &kinds[i / 2], &size);
        for (uint32_t shrink = 1; shrink <= 8; shrink *= 2) {
            gf_cleanup(gf_image_deinit) struct gf_image one = read_by(1, shrink, file, size);
            assert_int_equal(one.view.width, (image.view.width + shrink - 1) / shrink);
            for (uint32_t threads = 2; threads <= 9; threads += threads == 2 ? 1 : 6) {
                gf_cleanup(gf_image_deinit) struct gf_image several = read_by(threads, shrink, file, size);
                fixture_assert_equal(&one, &several);
            }
        }
    }
}

/* What the library knows before the samples. */
static struct gf_jpeg_restarts find_restarts(const uint8_t *file, size_t size, bool good)
{
    struct jpeg_error_mgr mgr;
    struct jpeg_decompress_struct jpeg = {.err = jpeg_std_error(&mgr)};
    struct gf_jpeg_restarts restarts;
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, file, size);
    assert_int_equal(jpeg_read_header(&jpeg, TRUE), JPEG_HEADER_OK);
    assert_int_equal(gf_jpeg_restarts_init(&restarts, &jpeg, file, size), good);
    jpeg_destroy_decompress(&jpeg);
    return restarts;
}

/* If chroma is as high as the picture, no row of blocks depends on another. */
static void pieces_are_files_of_their_own(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t channels;
        struct kind kind;
        uint32_t n;
    } cases[] = {{3, {.side = 1, .restart_rows = 1}, 13}, {1, {.restart_rows = 2}, 7}, {3, {.restart_units = 70}, 7}};
    for (size_t k = 0; k < GF_ARRAY_LEN(cases); k++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 280, 101, cases[k].channels, k);
        struct kind kind = cases[k].kind;
        size_t size = 0;
        kind.side = 1;
        gf_cleanup(gf_freep) uint8_t *file = write_plainly(&image, &kind, &size);
        gf_cleanup(gf_image_deinit) struct gf_image whole = fixture_decode("a.jpg", file, size);
        struct gf_jpeg_restarts restarts = find_restarts(file, size, true);
        assert_int_equal(restarts.n, cases[k].n);
        for (uint32_t i = 0; i < restarts.n; i++)
            for (uint32_t end = i + 1; end <= restarts.n; end++) {
                size_t bytes = 0;
                gf_cleanup(gf_freep) uint8_t *piece = gf_jpeg_restarts_cut(&restarts, i, end, &bytes);
                gf_cleanup(gf_image_deinit) struct gf_image got = fixture_decode("b.jpg", piece, bytes);
                uint64_t lines = (uint64_t)restarts.step * restarts.lines, last = end * lines < 101 ? end * lines : 101;
                assert_int_equal(got.view.height, last - i * lines);
                assert_memory_equal(got.data, (uint8_t *)whole.data + i * lines * whole.view.pitch,
                                    got.view.height * got.view.pitch);
            }
        gf_jpeg_restarts_deinit(&restarts);
    }
}

static void files_without_fitting_restarts_have_no_pieces(void **state)
{
    UNUSED(state);
    static const struct kind kinds[] = {{0}, {.restart_units = 7}, {.progressive = true, .restart_rows = 1}};
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 280, 101, 3, 1);
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = write_plainly(&image, &kinds[i], &size);
        find_restarts(file, size, false);
    }
}

static void several_threads_notice_damage(void **state)
{
    UNUSED(state);
    static const struct kind kinds[] = {{0}, {.restart_rows = 1}};
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 1024, 1100, 3, 1), got = GF_IMAGE_NULL;
    const struct gf_image_load how = {.threads = 3};
    struct gf_io_error err;
    for (size_t k = 0; k < GF_ARRAY_LEN(kinds); k++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = write_plainly(&image, &kinds[k], &size);
        for (size_t tenths = 1; tenths < 10; tenths++) {
            assert_int_equal(gf_image_decode("a.jpg", file, size * tenths / 10, &how, &got, &err), GF_IO_DATA);
            fixture_assert_says(&err, "ends too early");
        }
    }
}

/* A marker with a wrong number, a missing marker, and an extra marker after the last. */
static void several_threads_notice_wrong_restarts(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 1024, 1100, 3, 1), got = GF_IMAGE_NULL;
    const struct gf_image_load how = {.threads = 2};
    struct gf_io_error err;
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = write_plainly(&image, &(struct kind){.restart_rows = 5}, &size);
    gf_cleanup(gf_freep) uint8_t *bad = malloc(size + 2);
    assert_non_null(bad);
    struct gf_jpeg_restarts restarts = find_restarts(file, size, true);
    assert_int_equal(restarts.n, 14);
    for (uint32_t i = 1; i < restarts.n; i++) {
        size_t at = restarts.places[i];
        memcpy(bad, file, size);
        bad[at - 1] ^= 1;
        assert_int_equal(gf_image_decode("a.jpg", bad, size, &how, &got, &err), GF_IO_DATA);
        memmove(bad + at - 2, file + at, size - at);
        assert_int_equal(gf_image_decode("a.jpg", bad, size - 2, &how, &got, &err), GF_IO_DATA);
    }
    size_t end = size - 2; /* of the samples */
    memcpy(bad, file, end);
    bad[end] = 0xff;
    bad[end + 1] = 0xd0 + (restarts.n - 1) % 8;
    memcpy(bad + end + 2, file + end, 2);
    struct gf_image_load alone = {.threads = 1};
    enum gf_io_status one = gf_image_decode("a.jpg", bad, size + 2, &alone, &got, &err);
    gf_image_deinit(&got);
    assert_int_equal(gf_image_decode("a.jpg", bad, size + 2, &how, &got, &err), one);
    gf_image_deinit(&got);
    gf_jpeg_restarts_deinit(&restarts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(a_profile_of_cmyk_is_dropped_with_a_warning),
        cmocka_unit_test(grey_is_written_as_grey),
        cmocka_unit_test(a_cut_anywhere_is_noticed),
        cmocka_unit_test(a_channel_without_samples_is_refused),
        cmocka_unit_test(a_bomb_of_scans_is_refused),
        cmocka_unit_test(sections_change_no_sample),
        cmocka_unit_test(several_threads_read_what_one_reads),
        cmocka_unit_test(several_threads_notice_damage),
        cmocka_unit_test(pieces_are_files_of_their_own),
        cmocka_unit_test(files_without_fitting_restarts_have_no_pieces),
        cmocka_unit_test(several_threads_notice_wrong_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
