/* SPDX-License-Identifier: MIT */
/* client/image: what is written is read back, for every format, dtype and number of channels. */
#include "client/image/image.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static const struct {
    uint64_t width;
    uint64_t height;
} sizes[] = {{1, 1}, {2, 3}, {7, 5}, {33, 17}, {300, 41}};

/* Formats that keep dtype, channels and bits. */
static const struct {
    const char *name;
    uint32_t dtype;
    uint32_t channels_lo;
    uint32_t channels_hi;
    uint32_t step;
} exact[] = {
    {"a.png", GF_U8, 1, 4, 1},  {"a.png", GF_U16, 1, 4, 1}, {"a.tga", GF_U8, 1, 4, 1},  {"a.bmp", GF_U8, 3, 4, 1},
    {"a.pgm", GF_U8, 1, 1, 1},  {"a.pgm", GF_U16, 1, 1, 1}, {"a.ppm", GF_U8, 3, 3, 1},  {"a.ppm", GF_U16, 3, 3, 1},
    {"a.pnm", GF_U8, 1, 3, 2},  {"a.pnm", GF_U16, 1, 3, 2}, {"a.pam", GF_U8, 1, 4, 1},  {"a.pam", GF_U16, 1, 4, 1},
    {"a.pfm", GF_F32, 1, 3, 2}, {"a.npy", GF_U8, 1, 4, 1},  {"a.npy", GF_U16, 1, 4, 1}, {"a.npy", GF_F32, 1, 4, 1},
};

static void exact_formats_give_the_same_bits(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(exact); i++)
        for (uint32_t c = exact[i].channels_lo; c <= exact[i].channels_hi; c += exact[i].step)
            for (size_t s = 0; s < GF_ARRAY_LEN(sizes); s++) {
                gf_cleanup(gf_image_deinit) struct gf_image a =
                    fixture_noise(exact[i].dtype, sizes[s].width, sizes[s].height, c, 100 * i + s);
                fixture_write(dir, exact[i].name, &a);
                gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, exact[i].name);
                fixture_assert_equal(&a, &b);
            }
}

static void raw_gives_the_same_bits(void **state)
{
    UNUSED(state);
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.raw");
    for (size_t i = 0; i < GF_ARRAY_LEN(dtypes); i++)
        for (uint32_t c = 1; c <= 4; c++) {
            gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(dtypes[i], 31, 9, c, i);
            gf_cleanup(gf_image_deinit) struct gf_image b = GF_IMAGE_NULL;
            fixture_write(dir, "a.raw", &a);
            assert_int_equal(gf_image_read(path, &a.view, NULL, &b, NULL), GF_IO_OK);
            fixture_assert_equal(&a, &b);
        }
}

/* An array of random bits without floats that are not finite. */
static struct gf_image array_noise(uint32_t dtype, uint64_t width, uint64_t height)
{
    struct gf_prng prng = {.state = dtype};
    struct gf_view view = gf_view_tight(dtype, width, height, 1);
    struct gf_image image = {.view = view, .data = malloc(gf_view_bytes(&view)), .free_data = free};
    assert_non_null(image.data);
    for (uint64_t i = 0; i < width * height; i++) {
        uint64_t bits = gf_prng_next(&prng);
        if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
            bits &= dtype == GF_F32 ? ~(UINT64_C(1) << 23) : ~(UINT64_C(1) << 52);
        memcpy((char *)image.data + i * gf_dtype_size(dtype), &bits, gf_dtype_size(dtype));
    }
    return image;
}

static void arrays_of_every_type_survive_npy_and_text(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.txt");
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (uint64_t height = 1; height <= 3; height += 2) {
            size_t size = 0;
            gf_cleanup(gf_image_deinit) struct gf_image a = array_noise(dtype, 40, height), c = GF_IMAGE_NULL;
            fixture_write(dir, "a.npy", &a);
            gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.npy");
            fixture_assert_equal(&a, &b);
            fixture_write(dir, "a.txt", &a);
            gf_cleanup(gf_freep) uint8_t *text = fixture_load(path, &size);
            assert_int_equal(gf_array_decode_text("a.txt", text, size, dtype, &c, NULL), GF_IO_OK);
            fixture_assert_equal(&a, &c);
            gf_image_deinit(&c);
        }
}

static void bmp_stores_grey_as_colour(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t c = 1; c <= 2; c++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 21, 10, c, c);
        fixture_write(dir, "a.bmp", &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.bmp");
        assert_int_equal(b.view.channels, c + 2);
        const uint8_t *from = a.data;
        const uint8_t *to = b.data;
        for (uint64_t i = 0; i < 210; i++, from += c, to += c + 2) {
            assert_int_equal(to[0], from[0]);
            assert_int_equal(to[1], from[0]);
            assert_int_equal(to[2], from[0]);
            if (c == 2)
                assert_int_equal(to[3], from[1]);
        }
    }
}

/* HDR holds samples with 8-bit mantissas and one exponent per pixel exactly. Widths below 8 are stored flat, larger
 * widths in runs. */
static void hdr_keeps_eight_bits_and_an_exponent(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint64_t width = 5; width <= 300; width += 59) {
        gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_F32, width, 6, 3, width);
        float *samples = a.data;
        for (uint64_t i = 0; i < gf_view_samples(&a.view); i++)
            samples[i] = ldexpf((float)(128 + (int)(samples[i] * 128)), (int)(i / 3 % 40) - 20);
        samples[0] = samples[1] = samples[2] = 0.0f;
        fixture_write(dir, "a.hdr", &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.hdr");
        fixture_assert_equal(&a, &b);
    }
}

static void hdr_stores_grey_as_colour(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    float samples[3] = {0.5f, 2.0f, 192.0f};
    struct gf_image a = {.view = gf_view_tight(GF_F32, 3, 1, 1), .data = samples};
    fixture_write(dir, "a.hdr", &a);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.hdr");
    assert_int_equal(b.view.channels, 3);
    for (uint64_t i = 0; i < 9; i++)
        assert_true(((const float *)b.data)[i] == samples[i / 3]);
}

static void jpeg_is_close_where_the_picture_is_smooth(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 61, 35, 3, 1);
    for (uint64_t i = 0; i < gf_view_samples(&a.view); i++)
        ((uint8_t *)a.data)[i] = (uint8_t)(40 + i / 3 % 61 + 3 * (i / 3 / 61) + 20 * (i % 3));
    fixture_write(dir, "a.jpg", &a);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.jpg");
    assert_int_equal(b.view.dtype, GF_U8);
    assert_int_equal(b.view.channels, 3);
    assert_int_equal(b.view.width, 61);
    assert_int_equal(b.view.height, 35);
    for (uint64_t i = 0; i < gf_view_samples(&b.view); i++)
        assert_true(fabs(fixture_sample(&b, i) - fixture_sample(&a, i)) <= 8);
}

static void padding_of_rows_is_not_written(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 5, 4, 3, 8);
    uint8_t padded[4 * 32];
    memset(padded, 0xee, sizeof(padded));
    for (uint64_t y = 0; y < 4; y++)
        memcpy(padded + 32 * y, (uint8_t *)a.data + 15 * y, 15);
    struct gf_image wide = {.view = a.view, .data = padded};
    wide.view.pitch = 32;
    fixture_write(dir, "a.png", &wide);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.png");
    fixture_assert_equal(&a, &b);
}

/* Runs with files in place of standard output and standard input. */
static void a_dash_is_stdout_and_stdin(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "stream");
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U16, 19, 11, 2, 3);
    gf_cleanup(gf_image_deinit) struct gf_image b = GF_IMAGE_NULL;
    gf_cleanup(gf_closep) int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fflush(stdout);
    gf_cleanup(gf_closep) int old_out = dup(STDOUT_FILENO);
    gf_cleanup(gf_closep) int old_in = dup(STDIN_FILENO);
    assert_true(file >= 0 && old_out >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    enum gf_io_status written = gf_image_write("-", GF_FORMAT_PNG, &a.view, a.data, NULL, NULL);
    dup2(old_out, STDOUT_FILENO);
    assert_int_equal(written, GF_IO_OK);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    assert_true(dup2(file, STDIN_FILENO) >= 0);
    enum gf_io_status read = gf_image_read("-", NULL, NULL, &b, NULL);
    if (old_in >= 0)
        dup2(old_in, STDIN_FILENO);
    else
        close(STDIN_FILENO);
    assert_int_equal(read, GF_IO_OK);
    fixture_assert_equal(&a, &b);
    assert_int_equal(fixture_entries(dir), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_formats_give_the_same_bits),
        cmocka_unit_test(raw_gives_the_same_bits),
        cmocka_unit_test(arrays_of_every_type_survive_npy_and_text),
        cmocka_unit_test(bmp_stores_grey_as_colour),
        cmocka_unit_test(hdr_keeps_eight_bits_and_an_exponent),
        cmocka_unit_test(hdr_stores_grey_as_colour),
        cmocka_unit_test(jpeg_is_close_where_the_picture_is_smooth),
        cmocka_unit_test(padding_of_rows_is_not_written),
        cmocka_unit_test(a_dash_is_stdout_and_stdin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
