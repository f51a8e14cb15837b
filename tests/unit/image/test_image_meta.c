/* SPDX-License-Identifier: MIT */
/* client/image/image_meta: the metadata that PNG and JPEG keep, the metadata that they drop, and damaged EXIF data. */
#include "client/image/image_meta.h"

#include <string.h>

#include "client/image/image.h"
#include "client/image/image_codec.h"
#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/png_bytes.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static uint8_t profile[70000]; /* more than one marker of JPEG holds */

static struct gf_image picture(uint32_t channels)
{
    struct gf_image image = fixture_noise(GF_U8, 16, 9, channels, 1);
    for (size_t i = 0; i < sizeof(profile); i++)
        profile[i] = (uint8_t)(i * 7 + i / 256);
    /* Its length is the first word of an ICC profile. */
    memcpy(profile, (const uint8_t[]){0, 1, 0x11, 0x70}, 4);
    image.meta = (struct gf_image_meta){.orientation = 6, .per_metre_x = 11811, .per_metre_y = 2835};
    return image;
}

static void assert_profile(const struct gf_image_meta *meta, bool is_grey)
{
    assert_int_equal(meta->profile_size, sizeof(profile));
    assert_memory_equal(meta->profile, profile, sizeof(profile));
    assert_int_equal(meta->profile_is_grey, is_grey);
}

static struct gf_image again(const char *dir, const char *name, const struct gf_image *image)
{
    fixture_write(dir, name, image);
    return fixture_read(dir, name);
}

static void png_keeps_all(void **state)
{
    UNUSED(state);
    static const uint32_t primaries[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t channels = 1; channels <= 4; channels++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = picture(channels);
        a.meta.gamma = 45455;
        memcpy(a.meta.primaries, primaries, sizeof(primaries));
        gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), channels <= 2);
        gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, "a.png", &a);
        fixture_assert_equal(&a, &b);
        assert_int_equal(b.meta.orientation, 6);
        assert_int_equal(b.meta.per_metre_x, 11811);
        assert_int_equal(b.meta.per_metre_y, 2835);
        assert_int_equal(b.meta.gamma, 45455);
        assert_memory_equal(b.meta.primaries, primaries, sizeof(primaries));
        assert_profile(&b.meta, channels <= 2);
    }
}

static void png_keeps_srgb(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image a = picture(3);
    a.meta.srgb_intent = 1;
    gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, "a.png", &a);
    assert_int_equal(b.meta.srgb_intent, 1);
    assert_null(b.meta.profile);
}

static void nothing_is_made_up(void **state)
{
    UNUSED(state);
    static const struct gf_image_meta want[] = {{.is_lossy = false}, {.is_lossy = true}};
    static const char *const names[] = {"a.png", "a.jpg"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 16, 9, 3, 1);
        gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, names[i], &a);
        assert_memory_equal(&b.meta, &want[i], sizeof(want[i]));
    }
}

#ifdef GF_TEST_JPEG
static void jpeg_keeps_what_it_can_say(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t channels = 1; channels <= 3; channels += 2) {
        gf_cleanup(gf_image_deinit) struct gf_image a = picture(channels);
        gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), channels == 1);
        gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, "a.jpg", &a);
        /* and over a PNG back */
        gf_cleanup(gf_image_deinit) struct gf_image c = again(dir, "a.png", &b);
        gf_cleanup(gf_image_deinit) struct gf_image d = again(dir, "b.jpg", &c);
        assert_int_equal(d.meta.orientation, 6);
        assert_int_equal(d.meta.per_metre_x, 11811); /* 300 and 72 dots per inch */
        assert_int_equal(d.meta.per_metre_y, 2835);
        assert_profile(&d.meta, channels == 1);
    }
}
#endif

static void a_profile_for_other_channels_is_dropped(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"a.png", "a.jpg"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            gf_cleanup(gf_image_deinit) struct gf_image a = picture(channels);
            gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), channels == 3);
            gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, names[i], &a);
            assert_null(b.meta.profile);
        }
}

/* The table of image_format.c against the codecs: what is said to be left out is what a file that was written lacks. */
static void what_is_lost_is_said(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"a.png",
#ifdef GF_TEST_JPEG
                                        "a.jpg",
#endif
                                        "a.bmp", "a.pam"};
    static char xmp[GF_JPEG_MAX_BLOCK + 2] = "<x:xmpmeta>";
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    memset(xmp + strlen(xmp), ' ', sizeof(xmp) - 1 - strlen(xmp));
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++)
        for (size_t over = 0; over < 2; over++) {
            struct gf_io_error err = {.text = ""};
            enum gf_image_format format;
            gf_cleanup(gf_image_deinit) struct gf_image a = picture(3);
            gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), over == 1);
            gf_image_meta_set_xmp(&a.meta, xmp, GF_JPEG_MAX_BLOCK + over);
            gf_cleanup(gf_image_deinit) struct gf_image b = again(dir, names[i], &a);
            assert_int_equal(gf_image_format_from_path(names[i], &format, &err), GF_IO_OK);
            enum gf_io_status said =
                gf_image_loss(names[i], format, &a.view, &(struct gf_image_save){.meta = &a.meta}, &err);
            if (i >= GF_ARRAY_LEN(names) - 2) { /* formats of samples alone */
                assert_int_equal(said, GF_IO_DATA);
                assert_non_null(strstr(err.text, names[i]));
                assert_string_equal(strchr(err.text, ':') + strlen(": not kept as bmp"), ": colour profile");
                continue;
            }
            assert_int_equal(said == GF_IO_OK, b.meta.profile && b.meta.xmp);
            assert_int_equal(strstr(err.text, "colour profile") == NULL, b.meta.profile != NULL);
            assert_int_equal(strstr(err.text, "XMP") == NULL, b.meta.xmp != NULL);
        }
}

/* A chunk with the right checksum around data that does not inflate. */
static void a_damaged_profile_of_a_png_is_dropped(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.png");
    gf_cleanup(gf_image_deinit) struct gf_image a = picture(3);
    size_t size = 0;
    gf_image_meta_set_profile(&a.meta, profile, sizeof(profile), false);
    fixture_write(dir, "a.png", &a);
    gf_cleanup(gf_freep) uint8_t *file = fixture_load(path, &size);
    uint8_t *chunk = memmem(file, size, "iCCP", 4);
    assert_non_null(chunk);
    uint32_t length = png_get32(chunk - 4);
    chunk[12] ^= 0xff;
    png_put32(chunk + 4 + length, png_crc(chunk, 4 + length));
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_decode("a.png", file, size);
    fixture_assert_equal(&a, &b);
    assert_null(b.meta.profile);
    assert_string_equal(b.warning, "a.png: the colour profile is damaged or too large and is not kept");
}

static void what_follows_a_png_is_not_looked_at(void **state)
{
    UNUSED(state);
    static const uint8_t more[] = {0xff, 0xff, 0xff, 0x7f, 'n', 'o', 'n', 'e', 0, 0, 0, 0, 0, 0, 0, 0};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.png");
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 16, 9, 3, 1);
    size_t size = 0;
    fixture_write(dir, "a.png", &a);
    gf_cleanup(gf_freep) uint8_t *file = fixture_load(path, &size);
    gf_cleanup(gf_freep) uint8_t *longer = malloc(size + sizeof(more));
    assert_non_null(longer);
    memcpy(longer, file, size);
    memcpy(longer + size, more, sizeof(more));
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_decode("a.png", longer, size + sizeof(more));
    fixture_assert_equal(&a, &b);
    assert_int_equal(b.meta.orientation, 0);
}

/* EXIF data as a camera writes them, little-endian: orientation 8, 180 by 90 dots per centimetre, a date. */
static const uint8_t camera[] = {
    'I',  'I',  '*', 0, 8,    0,    0, 0, 5,   0,                                    /* five entries */
    0x12, 0x01, 3,   0, 1,    0,    0, 0, 8,   0,   0,   0,                          /* orientation */
    0x1a, 0x01, 5,   0, 1,    0,    0, 0, 74,  0,   0,   0,                          /* resolution across, at 74 */
    0x1b, 0x01, 5,   0, 1,    0,    0, 0, 82,  0,   0,   0,                          /* and down, at 82 */
    0x28, 0x01, 3,   0, 1,    0,    0, 0, 3,   0,   0,   0,                          /* its unit */
    0x32, 0x01, 2,   0, 4,    0,    0, 0, 'n', 'o', 'w', 0,                          /* a date */
    0,    0,    0,   0, 0x68, 0x01, 0, 0, 2,   0,   0,   0, 90, 0, 0, 0, 1, 0, 0, 0, /* no thumbnail; 360/2, 90/1 */
};

static void exif_of_cameras_is_read(void **state)
{
    UNUSED(state);
    struct gf_image_meta meta = {0};
    gf_exif_read(camera, sizeof(camera), &meta);
    assert_int_equal(meta.orientation, 8);
    assert_int_equal(meta.per_metre_x, 18000);
    assert_int_equal(meta.per_metre_y, 9000);
    gf_image_meta_deinit(&meta);
}

static void damaged_exif_says_nothing_wrong(void **state)
{
    UNUSED(state);
    for (size_t cut = 0; cut <= sizeof(camera); cut++)
        for (size_t i = 0; i < cut; i++)
            for (int bit = 0; bit < 8; bit += 7) {
                struct gf_image_meta meta = {0};
                gf_cleanup(gf_freep) uint8_t *tiff = malloc(cut); /* of this size: a sanitizer sees what is beyond */
                assert_non_null(tiff);
                memcpy(tiff, camera, cut);
                tiff[i] ^= (uint8_t)(1 << bit);
                gf_exif_read(tiff, cut, &meta);
                assert_true(meta.orientation <= 8);
                gf_image_meta_deinit(&meta);
            }
}

static void exif_written_is_read(void **state)
{
    UNUSED(state);
    for (uint32_t orientation = 1; orientation <= 8; orientation++) {
        static const struct gf_image_meta nothing;
        static const struct gf_view view = {.width = 1, .height = 1};
        struct gf_image_meta meta = {0};
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *tiff = gf_exif_write(&nothing, orientation, &view, GF_EXIF_MAX, &size);
        assert_int_equal(size, 26);
        gf_exif_read(tiff, size, &meta);
        assert_null(meta.exif); /* nothing but the orientation */
        assert_int_equal(meta.orientation, orientation);
        assert_int_equal(meta.per_metre_x, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_keeps_all),
        cmocka_unit_test(png_keeps_srgb),
        cmocka_unit_test(nothing_is_made_up),
#ifdef GF_TEST_JPEG
        cmocka_unit_test(jpeg_keeps_what_it_can_say),
#endif
        cmocka_unit_test(a_profile_for_other_channels_is_dropped),
        cmocka_unit_test(what_is_lost_is_said),
        cmocka_unit_test(a_damaged_profile_of_a_png_is_dropped),
        cmocka_unit_test(what_follows_a_png_is_not_looked_at),
        cmocka_unit_test(exif_of_cameras_is_read),
        cmocka_unit_test(damaged_exif_says_nothing_wrong),
        cmocka_unit_test(exif_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
