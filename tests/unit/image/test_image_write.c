/* SPDX-License-Identifier: MIT */
/* client/image, image_format: the chosen format, and pictures that a format cannot hold, which leave no file. */
#include "client/image/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static void extensions_and_words_name_the_format(void **state)
{
    UNUSED(state);
    static const struct {
        const char *path;
        enum gf_image_format format;
    } paths[] = {{"a.png", GF_FORMAT_PNG}, {"/x.y/a.b.JPG", GF_FORMAT_JPEG}, {"a.jpeg", GF_FORMAT_JPEG},
                 {"a.bmp", GF_FORMAT_BMP}, {"a.TGA", GF_FORMAT_TGA},         {"a.pgm", GF_FORMAT_PGM},
                 {"a.ppm", GF_FORMAT_PPM}, {"a.pnm", GF_FORMAT_PNM},         {"a.pam", GF_FORMAT_PAM},
                 {"a.pfm", GF_FORMAT_PFM}, {"a.hdr", GF_FORMAT_HDR},         {"a.raw", GF_FORMAT_RAW}};
    enum gf_image_format format = GF_FORMAT_NONE;
    for (size_t i = 0; i < GF_ARRAY_LEN(paths); i++) {
        assert_int_equal(gf_image_format_from_path(paths[i].path, &format, NULL), GF_IO_OK);
        assert_int_equal(format, paths[i].format);
        assert_int_equal(gf_image_format_from_word(gf_image_format_word(format), &format, NULL), GF_IO_OK);
        assert_int_equal(format, paths[i].format);
    }
    assert_int_equal(gf_image_format_from_word("JPG", &format, NULL), GF_IO_OK);
    assert_int_equal(format, GF_FORMAT_JPEG);
}

static void unknown_formats_are_refused_with_the_known(void **state)
{
    UNUSED(state);
    static const char *const paths[] = {"-", "a", "a.", "a.jp2", "dir.png/a", ".x/png", "a.pbm", "a.p"};
    static const char *const words[] = {"", "jp2", "png jpeg", ".png", "pn"};
    enum gf_image_format format = GF_FORMAT_NONE;
    struct gf_io_error err;
    for (size_t i = 0; i < GF_ARRAY_LEN(paths); i++) {
        assert_int_equal(gf_image_format_from_path(paths[i], &format, &err), GF_IO_USAGE);
        fixture_assert_says(&err, gf_image_format_words());
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(words); i++) {
        assert_int_equal(gf_image_format_from_word(words[i], &format, &err), GF_IO_USAGE);
        fixture_assert_says(&err, gf_image_format_words());
    }
    assert_int_equal(format, GF_FORMAT_NONE);
}

static void lists_exactly_the_formats_of_words(void **state)
{
    UNUSED(state);
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_N_FORMATS; f++) {
        enum gf_image_format format = GF_FORMAT_NONE;
        bool known = gf_image_format_from_word(gf_image_format_word(f), &format, NULL) == GF_IO_OK;
        assert_int_equal(format, known ? f : GF_FORMAT_NONE);
        assert_int_equal(strstr(gf_image_format_words(), gf_image_format_word(f)) != NULL, known);
    }
}

/* Every pair of format and picture is written exactly if this table says so. */
static void formats_hold_what_they_can(void **state)
{
    UNUSED(state);
    static const struct {
        const char *name;
        const char *u8;
        const char *u16;
        const char *f32;
    } holds[] = {
        {"a.png", "1234", "1234", ""}, {"a.jpg", "13", "", ""},           {"a.bmp", "1234", "", ""},
        {"a.tga", "1234", "", ""},     {"a.pgm", "1", "1", ""},           {"a.ppm", "3", "3", ""},
        {"a.pnm", "13", "13", ""},     {"a.pam", "1234", "1234", ""},     {"a.pfm", "", "", "13"},
        {"a.hdr", "", "", "13"},       {"a.raw", "1234", "1234", "1234"},
    };
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(holds); i++)
        for (uint32_t n = 0; n < 3 * 4; n++) {
            uint32_t channels = n % 4 + 1;
            const char *set = n < 4 ? holds[i].u8 : n < 8 ? holds[i].u16 : holds[i].f32;
            bool held = false;
            struct gf_io_error err;
            for (; *set; set++)
                held = held || *set == (char)('0' + channels);
            gf_cleanup(gf_freep) char *path = fixture_path(dir, holds[i].name);
            gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(dtypes[n / 4], 9, 2, channels, n);
            enum gf_io_status status = gf_image_write(path, GF_FORMAT_NONE, &image.view, image.data, NULL, &err);
            assert_int_equal(status, held ? GF_IO_OK : GF_IO_DATA);
            if (!held)
                fixture_assert_says(&err, n < 8                            ? "; write png or pam"
                                          : channels == 1 || channels == 3 ? "; write npy, pfm or hdr"
                                                                           : "; write npy or raw");
            assert_int_equal(fixture_entries(dir), held ? 1 : 0);
            if (held)
                assert_int_equal(remove(path), 0);
        }
}

static void hdr_refuses_samples_it_cannot_hold(void **state)
{
    UNUSED(state);
    static const float bad[] = {-1.0f, INFINITY, NAN, 0x1p127f};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.hdr");
    for (size_t i = 0; i < GF_ARRAY_LEN(bad); i++) {
        float samples[2 * 3] = {0};
        struct gf_view view = gf_view_tight(GF_F32, 2, 1, 3);
        struct gf_io_error err;
        samples[4] = bad[i];
        assert_int_equal(gf_image_write(path, GF_FORMAT_NONE, &view, samples, NULL, &err), GF_IO_DATA);
        fixture_assert_says(&err, "pixel 1,0");
        fixture_assert_says(&err, "write pfm");
        assert_int_equal(fixture_entries(dir), 0);
    }
}

static void pictures_outside_the_limits_are_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.png");
    uint8_t sample = 0;
    struct gf_view wide = gf_view_tight(GF_U8, 65536, 1, 1);
    struct gf_view large = gf_view_tight(GF_U8, 32768, 32768, 1);
    struct gf_io_error err;
    assert_int_equal(gf_image_write(path, GF_FORMAT_NONE, &wide, &sample, NULL, &err), GF_IO_DATA);
    fixture_assert_says(&err, "65535");
    assert_int_equal(gf_image_can_hold(GF_FORMAT_PNG, &large, false, "a.png", &err), GF_IO_OK);
    assert_int_equal(gf_image_can_hold(GF_FORMAT_TGA, &large, false, "a.tga", &err), GF_IO_DATA);
    fixture_assert_says(&err, "536870912");
    fixture_assert_says(&err, "write png or pam");
    struct gf_view larger = gf_view_tight(GF_U8, 65535, 65535, 1);
    assert_int_equal(gf_image_can_hold(GF_FORMAT_PNG, &larger, false, "a.png", &err), GF_IO_DATA);
    fixture_assert_says(&err, "write npy or raw");
    assert_int_equal(fixture_entries(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_and_words_name_the_format),
        cmocka_unit_test(unknown_formats_are_refused_with_the_known),
        cmocka_unit_test(lists_exactly_the_formats_of_words),
        cmocka_unit_test(formats_hold_what_they_can),
        cmocka_unit_test(hdr_refuses_samples_it_cannot_hold),
        cmocka_unit_test(pictures_outside_the_limits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
