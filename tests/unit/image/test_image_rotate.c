/* SPDX-License-Identifier: MIT */
/*
 * client/image/image_prepare: all EXIF orientations by value, in every format that cannot store an orientation. PNG
 * stores it, so its samples stay. A picture that is to be kept as stored is not turned.
 */
#include "client/image/image_codec.h"

#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

/* What a viewer shows of the rows 1 2 3 and 4 5 6. */
static const struct {
    uint32_t width, height;
    uint8_t samples[6];
} shown[9] = {
    [1] = {3, 2, {1, 2, 3, 4, 5, 6}}, [2] = {3, 2, {3, 2, 1, 6, 5, 4}}, [3] = {3, 2, {6, 5, 4, 3, 2, 1}},
    [4] = {3, 2, {4, 5, 6, 1, 2, 3}}, [5] = {2, 3, {1, 4, 2, 5, 3, 6}}, [6] = {2, 3, {4, 1, 5, 2, 6, 3}},
    [7] = {2, 3, {6, 3, 5, 2, 4, 1}}, [8] = {2, 3, {3, 6, 2, 5, 1, 4}},
};

static const struct {
    const char *name;
    uint32_t dtype, channels;
} files[] = {
    {"a.bmp", GF_U8, 3},  {"a.tga", GF_U8, 1},  {"a.tga", GF_U8, 4},  {"a.pgm", GF_U8, 1},
    {"a.pgm", GF_U16, 1}, {"a.ppm", GF_U16, 3}, {"a.pam", GF_U8, 2},  {"a.pfm", GF_F32, 1},
    {"a.hdr", GF_F32, 3}, {"a.npy", GF_U8, 1},  {"a.npy", GF_F32, 3}, {"a.npy", GF_F64, 1},
};

/* The picture with the numbers as samples of this kind, plus ten for each further channel. */
static struct gf_image make(uint32_t dtype, uint32_t width, uint32_t height, uint32_t channels, const uint8_t *numbers)
{
    struct gf_view view = gf_view_tight(dtype, width, height, channels);
    struct gf_image image = {.view = view, .data = calloc(1, gf_view_bytes(&view)), .free_data = free};
    assert_non_null(image.data);
    for (uint64_t i = 0; i < gf_view_samples(&view); i++) {
        uint8_t number = (uint8_t)(numbers[i / channels] + 10 * (i % channels));
        if (dtype == GF_U8)
            ((uint8_t *)image.data)[i] = number;
        else if (dtype == GF_U16)
            ((uint16_t *)image.data)[i] = number;
        else if (dtype == GF_F32)
            ((float *)image.data)[i] = number;
        else
            ((double *)image.data)[i] = number;
    }
    return image;
}

static void formats_that_cannot_say_it_are_turned(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t o = 1; o <= 8; o++)
        for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
            uint32_t dtype = files[i].dtype, channels = files[i].channels;
            gf_cleanup(gf_image_deinit) struct gf_image a = make(dtype, 3, 2, channels, shown[1].samples);
            gf_cleanup(gf_image_deinit) struct gf_image b =
                make(dtype, shown[o].width, shown[o].height, channels, shown[o].samples);
            a.meta.orientation = o;
            fixture_write(dir, files[i].name, &a);
            gf_cleanup(gf_image_deinit) struct gf_image c = fixture_read(dir, files[i].name);
            fixture_assert_equal(&b, &c);
            assert_int_equal(c.meta.orientation, 0);
        }
}

static void raw_and_text_are_turned(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *raw = fixture_path(dir, "a.raw"), *text = fixture_path(dir, "a.txt");
    gf_cleanup(gf_image_deinit) struct gf_image a = make(GF_U8, 3, 2, 1, shown[1].samples);
    a.meta.orientation = 6;
    size_t size = 0;
    fixture_write(dir, "a.raw", &a);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(raw, &size);
    assert_int_equal(size, 6);
    assert_memory_equal(bytes, shown[6].samples, 6);
    fixture_write(dir, "a.txt", &a);
    gf_cleanup(gf_freep) uint8_t *words = fixture_load(text, &size);
    assert_int_equal(size, 12);
    assert_memory_equal(words, "4 1\n5 2\n6 3\n", 12);
}

static void png_says_it(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t o = 1; o <= 8; o++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = make(GF_U8, 3, 2, 1, shown[1].samples);
        a.meta.orientation = o;
        fixture_write(dir, "a.png", &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.png");
        fixture_assert_equal(&a, &b);
        assert_int_equal(b.meta.orientation, o);
    }
}

/* Where libjpeg-turbo is missing it cannot. */
static void jpeg_says_it_or_is_turned(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t o = 1; o <= 8; o++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 32, 16, 3, 1);
        a.meta.orientation = o;
        fixture_write(dir, "a.jpg", &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.jpg");
        assert_int_equal(b.meta.orientation, gf_jpeg_holds ? o : 0);
        assert_int_equal(b.view.width, gf_jpeg_holds || o < 5 ? 32 : 16);
    }
}

static void rows_with_padding_are_turned(void **state)
{
    UNUSED(state);
    static const uint8_t padded[] = {1, 2, 3, 99, 99, 4, 5, 6, 99, 99};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    struct gf_image a = {.view = gf_view_tight(GF_U8, 3, 2, 1), .data = (void *)(uintptr_t)padded};
    a.view.pitch = 5;
    a.meta.orientation = 7;
    fixture_write(dir, "a.pgm", &a);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.pgm");
    assert_memory_equal(b.data, shown[7].samples, 6);
}

/* Of more than one block each way. */
static void large_pictures_are_turned(void **state)
{
    UNUSED(state);
    static const uint32_t kinds[][2] = {{GF_U8, 1}, {GF_U8, 3}, {GF_U8, 4}, {GF_U16, 3}, {GF_F32, 2}};
    for (size_t k = 0; k < GF_ARRAY_LEN(kinds); k++)
        for (uint32_t o = 2; o <= 8; o++) {
            gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(kinds[k][0], 200, 131, kinds[k][1], o);
            gf_cleanup(gf_image_deinit) struct gf_image b = fixture_noise(kinds[k][0], 200, 131, kinds[k][1], 99);
            gf_image_rotate(&a, o, &b);
            assert_int_equal(b.view.width, o < 5 ? 200 : 131);
            assert_int_equal(b.view.height, o < 5 ? 131 : 200);
            for (uint32_t y = 0; y < b.view.height; y++)
                for (uint32_t x = 0; x < b.view.width; x++) {
                    /* Where a viewer takes the pixel from. */
                    const uint32_t from[9][2] = {
                        [2] = {199 - x, y}, [3] = {199 - x, 130 - y}, [4] = {x, 130 - y}, [5] = {y, x},
                        [6] = {y, 130 - x}, [7] = {199 - y, 130 - x}, [8] = {199 - y, x}};
                    for (uint32_t c = 0; c < kinds[k][1]; c++)
                        if (fixture_sample(&b, (y * b.view.width + x) * kinds[k][1] + c) !=
                            fixture_sample(&a, (from[o][1] * 200 + from[o][0]) * kinds[k][1] + c))
                            fail_msg("orientation %u, pixel %u,%u", o, x, y);
                }
        }
}

static void what_goes_by_rows_is_left(void **state)
{
    UNUSED(state);
    struct gf_image_meta meta = {.orientation = 6};
    struct gf_image_save save = {.meta = &meta};
    assert_true(gf_image_rotates(GF_FORMAT_NPY, &save));
    assert_false(gf_image_rotates(GF_FORMAT_PNG, &save));
    assert_false(gf_image_rotates(GF_FORMAT_NPY, NULL));
    save.as_stored = true;
    assert_false(gf_image_rotates(GF_FORMAT_NPY, &save));
    save.as_stored = false;
    meta.orientation = 1;
    assert_false(gf_image_rotates(GF_FORMAT_NPY, &save));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_that_cannot_say_it_are_turned),
        cmocka_unit_test(raw_and_text_are_turned),
        cmocka_unit_test(png_says_it),
        cmocka_unit_test(jpeg_says_it_or_is_turned),
        cmocka_unit_test(rows_with_padding_are_turned),
        cmocka_unit_test(large_pictures_are_turned),
        cmocka_unit_test(what_goes_by_rows_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
