/* SPDX-License-Identifier: MIT */
/* client/image/image_pnm, image_pfm, image_raw: headers as people and programs write them, and what is refused. */
#include "client/image/image.h"

#include <stdio.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

/* Checks that a file, given as text without its terminator, is read as the picture. */
static void check(const char *text, size_t size, uint32_t dtype, uint64_t width, uint64_t height, uint32_t channels,
                  const double *samples)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.pnm", text, size);
    assert_int_equal(image.view.dtype, dtype);
    assert_int_equal(image.view.width, width);
    assert_int_equal(image.view.height, height);
    assert_int_equal(image.view.channels, channels);
    for (uint64_t i = 0; i < width * height * channels; i++)
        assert_true(fixture_sample(&image, i) == samples[i]);
}

#define CHECK(text, dtype, width, height, channels, ...)                                                               \
    check(text, sizeof(text) - 1, dtype, width, height, channels, (const double[]){__VA_ARGS__})

static void refuse(const char *text, size_t size, enum gf_io_status status, const char *words)
{
    struct gf_io_error err;
    fixture_refuses("a.pnm", text, size, status, &err);
    fixture_assert_says(&err, words);
}

#define REFUSE(text, words) refuse(text, sizeof(text) - 1, GF_IO_DATA, words)
#define REFUSE_SIZE(text, words) refuse(text, sizeof(text) - 1, GF_IO_TOO_LARGE, words)

static void digits_are_read(void **state)
{
    UNUSED(state);
    CHECK("P1\n3 2\n101\n0 1 0", GF_U8, 3, 2, 1, 0, 255, 0, 255, 0, 255);
    CHECK("P2 2 2 255 1 2 3 255", GF_U8, 2, 2, 1, 1, 2, 3, 255);
    CHECK("P2\n2 1\n65535\n256 65535\n", GF_U16, 2, 1, 1, 256, 65535);
    CHECK("P3\n1 2\n255\n1 2 3\n4 5 6\n", GF_U8, 1, 2, 3, 1, 2, 3, 4, 5, 6);
}

static void comments_are_skipped(void **state)
{
    UNUSED(state);
    CHECK("P2\n# made by hand\n2 # width\n# 9 9\n1\n255\n# samples\n7 # seven\n8", GF_U8, 2, 1, 1, 7, 8);
    CHECK("P5#a\n#b\r\n2 1#c\n255\n#1", GF_U8, 2, 1, 1, '#', '1');
    CHECK("P5 2 1 255#c\n#1", GF_U8, 2, 1, 1, '#', '1');
    CHECK("P7\n# c\nWIDTH 1\n#c\nHEIGHT 1\nDEPTH 2\nTUPLTYPE GRAYSCALE_ALPHA\nMAXVAL 255\nENDHDR\n\x01\x02", GF_U8, 1,
          1, 2, 1, 2);
}

static void bytes_are_read(void **state)
{
    UNUSED(state);
    CHECK("P4\n10 2\n\x80\x7f\xff\xc0", GF_U8, 10, 2, 1, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0);
    CHECK("P5\n2 1\n255\n\n\xff", GF_U8, 2, 1, 1, 10, 255);
    CHECK("P6\n1 1\n255\n\x01\x02\x03", GF_U8, 1, 1, 3, 1, 2, 3);
    CHECK("P5\n2 1\n65535\n\x01\x02\xff\xfe", GF_U16, 2, 1, 1, 0x0102, 0xfffe);
    CHECK("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nENDHDR\n\0\1\1\0\0\2\2\0", GF_U16, 1, 1, 4, 1, 256, 2, 512);
}

/* A PNM file may hold several pictures. White space, zeros, and comments behind digits are not pictures. */
static void more_than_one_picture_is_refused(void **state)
{
    UNUSED(state);
    CHECK("P6\n1 1\n255\n\x01\x02\x03\n\0\0", GF_U8, 1, 1, 3, 1, 2, 3);
    CHECK("P2 1 1 9 9 # the end\n# really\n", GF_U8, 1, 1, 1, 255);
    REFUSE("P6\n1 1\n255\n\x01\x02\x03 and more", "more data follows the first picture, which ends at byte 14 of 23;");
    REFUSE("P5\n1 1\n255\n1P5\n1 1\n255\n2", "more data follows the first picture, which ends at byte 12 of 24;");
    REFUSE("P4\n1 1\n\x80P4\n1 1\n\x80", "more data follows");
    REFUSE("P1 1 1 1 P1 1 1 1", "more data follows");
    REFUSE("P2 1 1 9 9 9", "more data follows");
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n1P7\n", "more data follows");
}

static void other_maxima_are_scaled_to_the_full_range(void **state)
{
    UNUSED(state);
    CHECK("P2 4 1 3 0 1 2 3", GF_U8, 4, 1, 1, 0, 85, 170, 255);
    CHECK("P5 3 1 100\n\x00\x32\x64", GF_U8, 3, 1, 1, 0, 128, 255);
    CHECK("P2 3 1 1023 0 512 1023", GF_U16, 3, 1, 1, 0, 32800, 65535);
    CHECK("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\1\0", GF_U8, 2, 1, 1, 255, 0);
}

static void damage_is_told(void **state)
{
    UNUSED(state);
    REFUSE("P5\n2 2\n255\n123", "ends too early");
    REFUSE("P5\n2 2\n65535\n1234567", "ends too early");
    REFUSE("P4\n9 2\n123", "ends too early");
    REFUSE("P2 2 2 255 1 2 3", "3 of 4 samples");
    REFUSE("P2 2 1 7 1 8", "larger than the maximum");
    REFUSE("P5 1 1 7\n\x08", "larger than the maximum");
    REFUSE("P1 2 1 1 2", "larger than the maximum");
    REFUSE("P5\n2 2\n", "not complete");
    REFUSE("P5\n2 x\n255\n1234", "not complete");
    REFUSE("P5\n-2 2\n255\n1234", "not complete");
    REFUSE("P5\n2 2\n255", "not complete");
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n\1", "not complete");
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nCOLOUR 3\nENDHDR\n\1", "not complete");
    REFUSE("P5 1 1 0\n1", "maximum is 0");
    REFUSE("P5 1 1 65536\n12", "maximum is 65536");
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n12345", "5 channels");
}

static void headers_that_claim_too_much_are_refused(void **state)
{
    UNUSED(state);
    REFUSE_SIZE("P5 65536 1 255\n1", "65535");
    REFUSE("P5 0 1 255\n1", "0x1 is empty");
    REFUSE_SIZE("P6 65535 65535 255\n1", "2147483648");
    REFUSE("P5 40000 40000 65535\n1", "claims");
    REFUSE("P2 40000 40000 255\n1", "claims");
    REFUSE("P4 40000 40000\n1", "claims");
    REFUSE("PF 20000 20000 -1\n1", "claims");
    REFUSE("P5 99999999999999999999 1 255\n1", "not complete");
}

static void pfm_is_read_in_both_orders_from_the_bottom(void **state)
{
    UNUSED(state);
    CHECK("Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40", GF_F32, 1, 2, 1, 2.0, 1.0);
    CHECK("Pf 1 2 1.0\n\x3f\x80\0\0\x40\0\0\0", GF_F32, 1, 2, 1, 2.0, 1.0);
    CHECK("PF\n1 1\n-2.5e-1\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", GF_F32, 1, 1, 3, 1.0, 2.0, 3.0);
    REFUSE("Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0", "7 bytes of samples; it must have 8");
    REFUSE("Pf\n1 2\n0.0\n\0\0\x80\x3f\0\0\0\x40", "scale");
    REFUSE("Pf\n1 2\nnan\n\0\0\x80\x3f\0\0\0\x40", "scale");
    REFUSE("Pf\n1 b\n-1\n\0\0\x80\x3f\0\0\0\x40", "1 b -1");
    REFUSE("Pf\n1 1111111111111111111111111111111111111111111111\n-1\n1", "header");
}

static void raw_is_described(void **state)
{
    UNUSED(state);
    static const char *const bad[] = {"",
                                      "4",
                                      "4x4",
                                      "4x4:u128",
                                      "4x4:",
                                      "x4:u8",
                                      "4x4x:u8",
                                      "4x4x3x2:u8",
                                      "4x4x5:u8",
                                      "4x0:u8",
                                      "1099511627777x1:u8",
                                      "4x4 :u8",
                                      "4x4x3:u8 ",
                                      "-4x4:u8",
                                      "4x4:u12",
                                      "4x4x0:u8",
                                      "99999999999999x1:u8"};
    struct gf_view view = {0};
    struct gf_io_error err;
    assert_int_equal(gf_image_raw_parse("1920x1080x3:u8", &view, &err), GF_IO_OK);
    assert_int_equal(view.width, 1920);
    assert_int_equal(view.height, 1080);
    assert_int_equal(view.channels, 3);
    assert_int_equal(view.dtype, GF_U8);
    assert_int_equal(view.pitch, 5760);
    assert_int_equal(gf_image_raw_parse("7x5:f32", &view, &err), GF_IO_OK);
    assert_int_equal(view.channels, 1);
    assert_int_equal(view.dtype, GF_F32);
    for (size_t i = 0; i < GF_ARRAY_LEN(bad); i++) {
        assert_int_equal(gf_image_raw_parse(bad[i], &view, &err), GF_IO_USAGE);
        fixture_assert_says(&err, bad[i]);
    }
    assert_int_equal(view.width, 7);
}

static void raw_files_have_exactly_that_size(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.raw");
    struct gf_view view = gf_view_tight(GF_U16, 3, 2, 1);
    for (size_t size = 0; size <= 14; size++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        struct gf_io_error err;
        fixture_store(path, "0123456789abcd", size);
        enum gf_io_status status = gf_image_read(path, &view, NULL, &image, &err);
        assert_int_equal(status, size == 12 ? GF_IO_OK : size > 12 ? GF_IO_TOO_LARGE : GF_IO_DATA);
        if (status != GF_IO_OK) {
            char words[32];
            snprintf(words, sizeof(words), ": %zu bytes; ", size);
            fixture_assert_says(&err, words);
            fixture_assert_says(&err, "needs exactly 12");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_read),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(bytes_are_read),
        cmocka_unit_test(more_than_one_picture_is_refused),
        cmocka_unit_test(other_maxima_are_scaled_to_the_full_range),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(headers_that_claim_too_much_are_refused),
        cmocka_unit_test(pfm_is_read_in_both_orders_from_the_bottom),
        cmocka_unit_test(raw_is_described),
        cmocka_unit_test(raw_files_have_exactly_that_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
