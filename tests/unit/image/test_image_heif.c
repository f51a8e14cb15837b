/* SPDX-License-Identifier: MIT */
/* client/image/image_heif: HEIC and AVIF are read as they were written, within the loss of their codecs. */
#include <libheif/heif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/image/heif_calls.h"
#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static const char *const names[] = {"a.avif", "a.heic"};

/* Smooth gradients, which a high quality reproduces within a few steps. */
static struct gf_image slopes(uint64_t width, uint64_t height, uint32_t channels)
{
    struct gf_image image = fixture_noise(GF_U8, width, height, channels, 1);
    uint8_t *samples = image.data;
    for (uint64_t i = 0; i < width * height; i++)
        for (uint32_t c = 0; c < channels; c++)
            samples[i * channels + c] = (uint8_t)(40 + 40 * c + (i % width + i / width) / 2);
    return image;
}

static void assert_near(const struct gf_image *a, const struct gf_image *b, int by)
{
    assert_int_equal(a->view.channels, b->view.channels);
    assert_int_equal(a->view.width, b->view.width);
    assert_int_equal(a->view.height, b->view.height);
    for (uint64_t i = 0; i < gf_view_samples(&a->view); i++)
        if (abs(((uint8_t *)a->data)[i] - ((uint8_t *)b->data)[i]) > by)
            fail_msg("sample %d is %d, not %d", (int)i, ((uint8_t *)b->data)[i], ((uint8_t *)a->data)[i]);
}

static void pictures_are_kept(void **state)
{
    UNUSED(state);
    static const uint64_t sides[][2] = {{64, 64}, {37, 21}, {16, 65}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++)
        for (size_t i = 0; i < GF_ARRAY_LEN(sides); i++)
            for (uint32_t channels = 3; channels <= 4; channels++) {
                gf_cleanup(gf_image_deinit) struct gf_image a = slopes(sides[i][0], sides[i][1], channels);
                fixture_write(dir, names[n], &a);
                gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, names[n]);
                assert_near(&a, &b, 6);
            }
}

static void grey_becomes_colour(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = slopes(32, 32, 1);
        fixture_write(dir, names[n], &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, names[n]);
        assert_int_equal(b.view.channels, 3);
        for (size_t i = 0; i < 32 * 32 * 3; i++)
            assert_in_range(((uint8_t *)b.data)[i] + 6, ((uint8_t *)a.data)[i / 3], ((uint8_t *)a.data)[i / 3] + 12);
    }
}

static void quality_is_the_size(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 64, 64, 3, 1);
    struct gf_io_error err;
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++) {
        gf_cleanup(gf_freep) char *path = fixture_path(dir, names[n]);
        size_t sizes[2];
        for (size_t i = 0; i < 2; i++) {
            const struct gf_image_save save = {.quality = i == 0 ? 20 : 95};
            assert_int_equal(gf_image_write(path, GF_FORMAT_NONE, &a.view, a.data, &save, &err), GF_IO_OK);
            free(fixture_load(path, &sizes[i]));
        }
        assert_true(sizes[0] < sizes[1]);
    }
}

static void check(struct heif_error e)
{
    if (e.code != heif_error_Ok)
        fail_msg("%s", e.message);
}

/* Makes a file with libheif: pictures of one colour with the given number of bits. */
static uint8_t *make(const char *path, int pictures, int bits, uint16_t value, size_t *ret_size)
{
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    check(heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder));
    for (int i = 0; i < pictures; i++) {
        struct heif_image *image = NULL;
        struct heif_image_handle *handle = NULL;
        int stride = 0, wide = bits > 8;
        check(heif_image_create(32, 16, heif_colorspace_RGB,
                                wide ? heif_chroma_interleaved_RRGGBB_LE : heif_chroma_interleaved_RGB, &image));
        check(heif_image_add_plane(image, heif_channel_interleaved, 32, 16, bits));
        uint8_t *plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 96; x++)
                if (wide)
                    memcpy(plane + y * stride + 2 * x, &value, 2);
                else
                    plane[y * stride + x] = (uint8_t)(value + 50 * i);
        check(heif_context_encode_image(context, image, encoder, NULL, &handle));
        heif_image_handle_release(handle);
        heif_image_release(image);
    }
    check(heif_context_write_to_file(context, path));
    heif_encoder_release(encoder);
    heif_context_free(context);
    return fixture_load(path, ret_size);
}

static void ten_bits_become_sixteen(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = make(path, 1, 10, 1023, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.heic", bytes, size);
    assert_int_equal(image.view.dtype, GF_U16);
    for (size_t i = 0; i < 32 * 16 * 3; i++)
        assert_in_range(((uint16_t *)image.data)[i], 65535 - 3 * 64, 65535);
}

static void a_picture_is_chosen(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    struct gf_io_error err;
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = make(path, 3, 8, 100, &size);
    for (uint32_t page = 1; page <= 3; page++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        const struct gf_image_load how = {.page = page};
        assert_int_equal(gf_image_decode("a.heic", bytes, size, &how, &image, &err), GF_IO_OK);
        assert_in_range(((uint8_t *)image.data)[0], 47 + 50 * page, 53 + 50 * page);
    }
    gf_cleanup(gf_image_deinit) struct gf_image first = fixture_decode("a.heic", bytes, size);
    assert_in_range(((uint8_t *)first.data)[0], 97, 103);
    assert_string_equal(first.warning, "a.heic: has 3 pictures; the first one is read; choose one with --page N");
}

static int has_none(enum heif_compression_format format)
{
    (void)format;
    return 0;
}

/* Before anything is computed, and without a file. */
static void a_missing_encoder_is_named(void **state)
{
    UNUSED(state);
    static const char *const says[] = {
        "a.avif: avif needs an AV1 encoder, which the installed libheif lacks; install its aom plugin or write png",
        "a.heic: heic needs an HEVC encoder, which the installed libheif lacks; install its x265 plugin or write "
        "png"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    const struct gf_view view = gf_view_tight(GF_U8, 16, 16, 3);
    gf_cleanup(gf_image_deinit) struct gf_image image = slopes(16, 16, 3);
    struct gf_io_error err;
    char version[128];
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++) {
        gf_cleanup(gf_freep) char *path = fixture_path(dir, names[n]);
        enum gf_image_format format;
        assert_int_equal(gf_image_format_from_path(path, &format, &err), GF_IO_OK);
        assert_int_equal(gf_heif_load("a", &err), GF_IO_OK);
        __typeof__(gf_heif.heif_have_encoder_for_format) before = gf_heif.heif_have_encoder_for_format;
        gf_heif.heif_have_encoder_for_format = has_none;
        assert_int_equal(gf_image_can_hold(format, &view, false, names[n], &err), GF_IO_DATA);
        assert_string_equal(err.text, says[n]);
        assert_int_equal(gf_image_write(path, format, &view, image.data, NULL, &err), GF_IO_DATA);
        assert_non_null(strstr(gf_heif_use.version(version, sizeof(version)), ", reads HEIC, reads AVIF"));
        gf_heif.heif_have_encoder_for_format = before;
    }
    assert_int_equal(fixture_entries(dir), 0);
}

static struct heif_error is_unsupported(const struct heif_image_handle *in, struct heif_image **out,
                                        enum heif_colorspace colorspace, enum heif_chroma chroma,
                                        const struct heif_decoding_options *options)
{
    (void)in;
    (void)out;
    (void)colorspace;
    (void)chroma;
    (void)options;
    return (struct heif_error){heif_error_Unsupported_feature, heif_suberror_Unsupported_codec, "Unsupported codec"};
}

static void a_missing_decoder_is_named(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    size_t size;
    struct gf_io_error err;
    gf_cleanup(gf_freep) uint8_t *bytes = make(path, 1, 8, 100, &size);
    assert_int_equal(gf_heif_load("a", &err), GF_IO_OK);
    const struct gf_heif_calls before = gf_heif;
    gf_heif.heif_decode_image = is_unsupported;
    fixture_refuses("a.heic", bytes, size, GF_IO_DATA, &err);
    assert_string_equal(err.text, "a.heic: damaged heic or avif, or of an unsupported kind: Unsupported codec");
    gf_heif.heif_have_decoder_for_format = has_none;
    fixture_refuses("a.heic", bytes, size, GF_IO_UNSUPPORTED, &err);
    assert_string_equal(err.text, "a.heic: may need a decoder for HEVC, which the installed libheif lacks; install its "
                                  "libde265 plugin, or convert to PNG");
    gf_heif = before;
}

static struct gf_heif_calls real;

/* Behaves as libheif 1.23: a decoder that is requested by its name is the only one tried. */
static struct heif_error knows_no_name(const struct heif_image_handle *in, struct heif_image **out,
                                       enum heif_colorspace colorspace, enum heif_chroma chroma,
                                       const struct heif_decoding_options *options)
{
    if (options->decoder_id)
        return (struct heif_error){heif_error_Plugin_loading_error, heif_suberror_Unspecified,
                                   "No decoder with that ID found"};
    return real.heif_decode_image(in, out, colorspace, chroma, options);
}

static void any_decoder_of_the_library_will_do(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image a = slopes(37, 21, 3);
    struct gf_io_error err;
    assert_int_equal(gf_heif_load("a", &err), GF_IO_OK);
    real = gf_heif;
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++) {
        fixture_write(dir, names[n], &a);
        gf_heif.heif_decode_image = knows_no_name;
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, names[n]);
        gf_heif = real;
        assert_near(&a, &b, 6);
    }
}

/* The box of a track follows the picture; its size is written with 64 bits. */
static void an_animation_gives_its_picture_and_says_so(void **state)
{
    UNUSED(state);
    static const uint8_t track[] = {0, 0, 0, 1, 'm', 'o', 'o', 'v', 0, 0, 0, 0, 0, 0, 0, 24, 1, 2, 3, 4, 5, 6, 7, 8};
    const struct gf_image_load how = {.is_stream = true};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    size_t size;
    struct gf_io_error err;
    gf_cleanup(gf_freep) uint8_t *bytes = make(path, 1, 8, 100, &size);
    gf_cleanup(gf_freep) uint8_t *both = malloc(size + sizeof(track));
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    assert_non_null(both);
    memcpy(both, bytes, size);
    memcpy(both + size, track, sizeof(track));
    assert_int_equal(gf_image_decode("a.heic", both, size + sizeof(track), &how, &image, &err), GF_IO_OK);
    assert_string_equal(image.warning, "a.heic: is an animation; only its still picture is read");
    assert_int_equal(image.file_bytes, size + sizeof(track));
}

static int five_thousand(struct heif_context *context)
{
    (void)context;
    return 5000;
}

static int is_multiplied(const struct heif_image_handle *handle)
{
    (void)handle;
    return 1;
}

/* BT.2020 with PQ. */
static struct heif_error is_wide(const struct heif_image_handle *handle, struct heif_color_profile_nclx **out)
{
    static struct heif_color_profile_nclx colours = {.color_primaries = heif_color_primaries_ITU_R_BT_2020_2_and_2100_0,
                                                     .transfer_characteristics =
                                                         heif_transfer_characteristic_ITU_R_BT_2100_0_PQ};
    (void)handle;
    *out = &colours;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

static void keep(struct heif_color_profile_nclx *colours)
{
    (void)colours;
}

/* Colours without a profile, premultiplied colours, and more pictures than the output can hold. */
static void what_is_not_kept_is_named(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    struct gf_io_error err;
    size_t size;
    gf_cleanup(gf_image_deinit) struct gf_image a = slopes(16, 16, 4);
    fixture_write(dir, "a.heic", &a);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    const struct gf_heif_calls before = gf_heif;
    gf_heif.heif_image_handle_is_premultiplied_alpha = is_multiplied;
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_decode("a.heic", bytes, size);
    assert_string_equal(b.warning, "a.heic: its colours, premultiplied by alpha, are divided by it");
    gf_cleanup(gf_image_deinit) struct gf_image head = GF_IMAGE_NULL;
    const struct gf_image_load only_head = {.only_head = true};
    assert_int_equal(gf_image_decode("a.heic", bytes, size, &only_head, &head, &err), GF_IO_OK);
    assert_null(head.data);
    assert_null(head.warning);
    assert_true(head.coding.is_premultiplied);
    gf_heif.heif_context_get_number_of_top_level_images = five_thousand;
    fixture_refuses("a.heic", bytes, size, GF_IO_DATA, &err);
    assert_string_equal(err.text, "a.heic: has 5000 pictures; it must have 1 to 4096");
    gf_heif = before;
    gf_heif.heif_image_handle_get_nclx_color_profile = is_wide;
    gf_heif.heif_nclx_color_profile_free = keep;
    gf_cleanup(gf_image_deinit) struct gf_image c = fixture_decode("a.heic", bytes, size);
    assert_memory_equal(c.meta.cicp, ((const uint8_t[]){9, 16, 0, 1}), 4);
    assert_int_equal(gf_image_loss("b.jpg", GF_FORMAT_JPEG, &c.view, &(struct gf_image_save){.meta = &c.meta}, &err),
                     GF_IO_DATA);
    assert_string_equal(err.text,
                        "b.jpg: not kept as jpeg: colour space (primaries 9, transfer 16 of H.273, not sRGB)");
    gf_heif = before;
}

/* The picture of alpha becomes another one by its name, or the file is one of those with a tone map. */
static void pictures_beside_the_picture_are_named(void **state)
{
    UNUSED(state);
    static const struct {
        const char *urn, *brand, *lost; /* replace those of alpha, and "miaf" */
    } files[] = {{"urn:com:apple:photo:2020:aux:hdrgainmap", "", "gain map"},
                 {"urn:com:apple:photo:2018:aux:depth", "", "auxiliary pictures (depth, masks)"},
                 {"urn:com:apple:photo:2018:aux:depth", "tmap", "gain map, auxiliary pictures (depth, masks)"},
                 {"", "tmap", "gain map"},
                 {"", "", NULL}};
    static const char alpha[] = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.avif");
    gf_cleanup(gf_image_deinit) struct gf_image a = slopes(16, 16, 4);
    fixture_write(dir, "a.avif", &a);
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        struct gf_io_error err = {.text = ""};
        char want[128] = "";
        size_t size;
        gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
        uint8_t *urn = memmem(bytes, size, alpha, sizeof(alpha)), *brand = memmem(bytes, size, "miaf", 4);
        assert_non_null(urn);
        assert_non_null(brand);
        if (files[i].urn[0] != '\0')
            (void)strncpy((char *)urn, files[i].urn, sizeof(alpha));
        memcpy(brand, files[i].brand, strlen(files[i].brand));
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_decode("a.avif", bytes, size);
        assert_int_equal(b.view.channels, files[i].urn[0] != '\0' ? 3 : 4);
        const struct gf_image_save save = {.meta = &b.meta};
        assert_int_equal(gf_image_loss("b.png", GF_FORMAT_PNG, &b.view, &save, &err),
                         files[i].lost ? GF_IO_DATA : GF_IO_OK);
        if (files[i].lost)
            snprintf(want, sizeof(want), "b.png: not kept as png: %s", files[i].lost);
        assert_string_equal(err.text, want);
    }
}

/* AVIF holds the numbers of H.273 unless it gets a profile. */
static void numbers_of_colours_are_kept_in_avif(void **state)
{
    UNUSED(state);
    static const uint8_t cicp[4] = {9, 16, 0, 1}, profile[200] = {0, 0, 0, 200};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < 4; i++) {
        const char *name = names[i % 2];
        gf_cleanup(gf_image_deinit) struct gf_image a = slopes(16, 16, 3);
        const struct gf_image_save save = {.meta = &a.meta};
        struct gf_io_error err;
        memcpy(a.meta.cicp, cicp, sizeof(cicp));
        if (i >= 2)
            gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), false);
        fixture_write(dir, name, &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, name);
        bool kept = memcmp(b.meta.cicp, cicp, sizeof(cicp)) == 0;
        assert_int_equal(kept, i == 0);
        assert_int_equal(
            gf_image_loss(name, i % 2 == 0 ? GF_FORMAT_AVIF : GF_FORMAT_HEIC, &a.view, &save, &err) == GF_IO_OK, kept);
    }
}

/* The header claims sides beyond the limits, or beyond the coded picture. libheif itself refuses some of them, and
 * versions 1.15 and 1.23 refuse different ones. */
static void a_lying_header_is_refused(void **state)
{
    UNUSED(state);
    static const struct {
        uint8_t sides[8];
        const char *we, *library;
    } lies[] = {{{1, 0, 0, 32, 0, 0, 0, 16},
                 "a.heic: the image: image of 16777248x16; allowed: sides up to 65535",
                 "Image size 16777248x16 exceeds the maximum image size 65535x65535"},
                {{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff}, "allowed: up to 2147483648", NULL},
                {{0, 0, 0x60, 0, 0, 0, 0x60, 0}, "the header claims 24576x24576 pixels, more than", NULL},
                {{0, 0, 0, 128, 0, 0, 0, 128},
                 "damaged heic or avif: the picture contradicts its header",
                 "Decoded image does not have the size signaled in the file"}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.heic");
    gf_cleanup(gf_image_deinit) struct gf_image image = slopes(64, 64, 3); /* a whole block: its size is in one place */
    struct gf_io_error err;
    size_t size;
    fixture_write(dir, "a.heic", &image);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    uint8_t *sides = memmem(bytes, size, "ispe", 4);
    assert_non_null(sides);
    for (size_t i = 0; i < GF_ARRAY_LEN(lies); i++) {
        memcpy(sides + 8, lies[i].sides, 8);
        fixture_refuses("a.heic", bytes, size, strstr(lies[i].we, "allowed") ? GF_IO_TOO_LARGE : GF_IO_DATA, &err);
        if (!lies[i].library || !strstr(err.text, lies[i].library))
            fixture_assert_says(&err, lies[i].we);
    }
}

/* The refusal must be one sentence; a message that libheif prints itself would be on standard error. */
static void damage_is_refused(void **state)
{
    UNUSED(state);
    FILE *quiet = tmpfile();
    int before = dup(STDERR_FILENO);
    struct stat printed;
    assert_non_null(quiet);
    assert_true(before >= 0 && dup2(fileno(quiet), STDERR_FILENO) >= 0);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image image = slopes(16, 16, 3);
    struct gf_io_error err;
    for (size_t n = 0; n < GF_ARRAY_LEN(names); n++) {
        gf_cleanup(gf_freep) char *path = fixture_path(dir, names[n]);
        size_t size;
        fixture_write(dir, names[n], &image);
        gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
        for (size_t cut = 12; cut < size; cut += 3)
            fixture_refuses(names[n], bytes, cut, GF_IO_DATA, &err);
        fixture_refuses(names[n], bytes, size - 1, GF_IO_DATA, &err);
        fixture_assert_says(&err, ": damaged heic or avif: the file ends too early");
        for (size_t i = 12; i < size; i += 5) { /* read or refused in one sentence */
            struct gf_image other = GF_IMAGE_NULL;
            bytes[i] ^= 0x41;
            if (gf_image_decode(names[n], bytes, size, NULL, &other, &err) != GF_IO_OK)
                fixture_assert_says(&err, names[n]);
            gf_image_deinit(&other);
            bytes[i] ^= 0x41;
        }
    }
    assert_true(dup2(before, STDERR_FILENO) >= 0 && close(before) == 0);
    assert_int_equal(fstat(fileno(quiet), &printed), 0);
    assert_int_equal(printed.st_size, 0);
    assert_int_equal(fclose(quiet), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_kept),
        cmocka_unit_test(grey_becomes_colour),
        cmocka_unit_test(quality_is_the_size),
        cmocka_unit_test(ten_bits_become_sixteen),
        cmocka_unit_test(a_picture_is_chosen),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(a_missing_encoder_is_named),
        cmocka_unit_test(a_missing_decoder_is_named),
        cmocka_unit_test(any_decoder_of_the_library_will_do),
        cmocka_unit_test(a_lying_header_is_refused),
        cmocka_unit_test(what_is_not_kept_is_named),
        cmocka_unit_test(pictures_beside_the_picture_are_named),
        cmocka_unit_test(numbers_of_colours_are_kept_in_avif),
        cmocka_unit_test(an_animation_gives_its_picture_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
