/* SPDX-License-Identifier: MIT */
/* protocol/view: sizes at the edges of 64 bits, and every refusal with its status. */
#include "protocol/base/view.h"

#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"
#include "tests/unit/unit.h"

static void tight_views_have_no_padding(void **state)
{
    UNUSED(state);
    struct gf_view v = gf_view_tight(GF_U16, 1920, 1080, 3);
    assert_int_equal(v.dtype, GF_U16);
    assert_int_equal(v.channels, 3);
    assert_int_equal(v.pitch, 1920 * 3 * 2);
    assert_int_equal(gf_view_row_bytes(&v), 1920 * 3 * 2);
    assert_int_equal(gf_view_bytes(&v), 1920ull * 1080 * 3 * 2);
    assert_int_equal(gf_view_samples(&v), 1920ull * 1080 * 3);
}

static void the_last_row_has_no_padding(void **state)
{
    UNUSED(state);
    struct gf_view v = {.dtype = GF_U8, .channels = 1, .width = 5, .height = 3, .pitch = 8};
    assert_int_equal(gf_view_bytes(&v), 2 * 8 + 5);
    v.height = 1;
    assert_int_equal(gf_view_bytes(&v), 5);
}

static void sizes_saturate_or_are_zero_past_64_bits(void **state)
{
    UNUSED(state);
    struct gf_view v = {.dtype = GF_F64, .channels = 4, .width = UINT64_MAX / 32, .height = 1, .pitch = 0};
    assert_true(gf_view_row_bytes(&v) == UINT64_MAX / 32 * 32);
    v.width++;
    assert_true(gf_view_row_bytes(&v) == UINT64_MAX);
    assert_int_equal(gf_view_bytes(&v), 0);
    assert_true(gf_view_tight(GF_F64, v.width, 1, 4).pitch == UINT64_MAX);

    v = (struct gf_view){.dtype = GF_U8, .channels = 1, .width = UINT64_MAX, .height = 1, .pitch = 0};
    assert_true(gf_view_bytes(&v) == UINT64_MAX);
    assert_true(gf_view_samples(&v) == UINT64_MAX);
    v.height = 2;
    v.pitch = 1;
    assert_int_equal(gf_view_bytes(&v), 0);
    assert_true(gf_view_samples(&v) == UINT64_MAX);
    v = (struct gf_view){.dtype = GF_U8, .channels = 1, .width = 1, .height = (1ull << 33) + 1, .pitch = 1ull << 31};
    assert_int_equal(gf_view_bytes(&v), 0);
    v.height = 0;
    assert_int_equal(gf_view_bytes(&v), 0);
    assert_int_equal(gf_view_samples(&v), 0);
}

static void channels_cannot_overflow(void **state)
{
    UNUSED(state);
    struct gf_view v = {.dtype = GF_F64, .channels = UINT32_MAX, .width = UINT64_MAX, .height = UINT64_MAX, .pitch = 8};
    assert_true(gf_view_row_bytes(&v) == UINT64_MAX);
    assert_true(gf_view_samples(&v) == UINT64_MAX);
    assert_int_equal(gf_view_bytes(&v), 0);
}

struct check_case {
    struct gf_view view;
    enum gf_status status;
    const char *says; /* part of the sentence */
};

#define VIEW(dtype, channels, width, height, pitch)                                                                    \
    {                                                                                                                  \
        dtype, channels, width, height, pitch                                                                          \
    }

static void run_cases(const struct check_case *cases, size_t n,
                      enum gf_status (*check)(const struct gf_view *, const char *, struct gf_error *))
{
    for (size_t i = 0; i < n; i++) {
        struct gf_error err = {.status = GF_OK};
        assert_int_equal(check(&cases[i].view, "operand 3", &err), cases[i].status);
        assert_int_equal(check(&cases[i].view, "operand 3", NULL), cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        if (cases[i].status == GF_OK)
            continue;
        assert_ptr_equal(strstr(err.text, "operand 3: "), err.text);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].says);
    }
}

static void check_states_value_and_limit(void **state)
{
    UNUSED(state);
    static const struct check_case cases[] = {
        {VIEW(GF_U8, 1, 1, 1, 1), GF_OK, ""},
        {VIEW(GF_U16, 3, 10, 7, 64), GF_OK, ""},
        {VIEW(GF_F64, 1, 1ull << 37, 1, 1ull << 40), GF_OK, ""},
        {VIEW(GF_U8, 1, 1ull << 40, 1, 1ull << 40), GF_OK, ""},
        {VIEW(GF_U8, 1, 1, 1ull << 40, 1), GF_OK, ""},
        {VIEW(GF_U8, 1, 1, 256, 1ull << 40), GF_OK, ""},
        {VIEW(0, 1, 1, 1, 1), GF_E_BAD_DTYPE, "dtype 0"},
        {VIEW(12, 1, 1, 1, 1), GF_E_BAD_DTYPE, "dtype 12"},
        {VIEW(GF_U8, 0, 1, 1, 1), GF_E_BAD_VIEW, "channels=0 outside 1..4"},
        {VIEW(GF_U8, 5, 1, 1, 5), GF_E_BAD_VIEW, "channels=5 outside 1..4"},
        {VIEW(GF_U8, UINT32_MAX, 1, 1, 5), GF_E_BAD_VIEW, "channels=4294967295"},
        {VIEW(GF_U8, 1, 0, 7, 1), GF_E_BAD_VIEW, "0x7"},
        {VIEW(GF_U8, 1, 7, 0, 7), GF_E_BAD_VIEW, "7x0"},
        {VIEW(GF_U8, 1, (1ull << 40) + 1, 1, (1ull << 40) + 1), GF_E_TOO_LARGE, "1099511627776 elements"},
        {VIEW(GF_U8, 4, UINT64_MAX, UINT64_MAX, UINT64_MAX), GF_E_TOO_LARGE, "18446744073709551615x"},
        {VIEW(GF_U8, 1, 1ull << 32, 1ull << 32, 1ull << 32), GF_E_TOO_LARGE, "elements"},
        {VIEW(GF_F64, 1, (1ull << 37) + 1, 1, (1ull << 40) + 8), GF_E_TOO_LARGE, "rows of 1099511627784 bytes"},
        {VIEW(GF_U8, 1, 1, 1, (1ull << 40) + 1), GF_E_TOO_LARGE, "allowed: up to 1099511627776"},
        {VIEW(GF_U8, 1, 1, 1, UINT64_MAX), GF_E_TOO_LARGE, "rows of 18446744073709551615"},
        {VIEW(GF_U8, 3, 4, 2, 11), GF_E_BAD_VIEW, "pitch=11 is less than a row of 12"},
        {VIEW(GF_U8, 1, 1, 1, 0), GF_E_BAD_VIEW, "pitch=0"},
        {VIEW(GF_F32, 1, 4, 2, 18), GF_E_BAD_VIEW, "pitch=18 is not a multiple of the 4 bytes of f32"},
        {VIEW(GF_U8, 1, 1, 258, 1ull << 40), GF_E_TOO_LARGE, "281474976710656 bytes"},
        {VIEW(GF_U8, 1, 1, 1ull << 40, 1ull << 40), GF_E_TOO_LARGE, "span more than"},
    };
    run_cases(cases, sizeof cases / sizeof *cases, gf_view_check);
}

static void check_image_adds_its_own_limits(void **state)
{
    UNUSED(state);
    static const struct check_case cases[] = {
        {VIEW(GF_U8, 4, 1920, 1080, 7680), GF_OK, ""},
        {VIEW(GF_F32, 1, 65535, 32768, 65535 * 4), GF_OK, ""},
        {VIEW(GF_U16, 1, 65535, 1, 65535 * 2), GF_OK, ""},
        {VIEW(GF_U8, 4, 32768, 16384, 131072), GF_OK, ""},
        {VIEW(GF_F64, 1, 4, 4, 32), GF_E_BAD_DTYPE, "f64; allowed: u8, u16, i16, f32 or f16"},
        {VIEW(GF_I8, 1, 4, 4, 4), GF_E_BAD_DTYPE, "i8"},
        {VIEW(GF_U8, 1, 65536, 1, 65536), GF_E_TOO_LARGE, "65536x1; allowed: sides up to 65535"},
        {VIEW(GF_U8, 1, 1, 65536, 1), GF_E_TOO_LARGE, "1x65536"},
        {VIEW(GF_U8, 4, 32769, 16384, 131076), GF_E_TOO_LARGE, "allowed: up to 2147483648"},
        {VIEW(GF_U8, 1, 65535, 65535, 65535), GF_E_TOO_LARGE, "4294836225 samples"},
        {VIEW(0, 1, 1, 1, 1), GF_E_BAD_DTYPE, "dtype 0"},
        {VIEW(GF_U8, 3, 4, 2, 11), GF_E_BAD_VIEW, "pitch=11"},
    };
    run_cases(cases, sizeof cases / sizeof *cases, gf_view_check_image);
}

static void same_shape_ignores_pitch_alone(void **state)
{
    UNUSED(state);
    const struct gf_view a = gf_view_tight(GF_U8, 4, 5, 3);
    struct gf_view b = a;
    b.pitch = 64;
    assert_true(gf_view_same_shape(&a, &b));
    b = gf_view_tight(GF_U8, 5, 5, 3);
    assert_false(gf_view_same_shape(&a, &b));
    b = gf_view_tight(GF_U8, 4, 4, 3);
    assert_false(gf_view_same_shape(&a, &b));
    b = gf_view_tight(GF_U8, 4, 5, 4);
    assert_false(gf_view_same_shape(&a, &b));
    b = gf_view_tight(GF_I8, 4, 5, 3);
    assert_false(gf_view_same_shape(&a, &b));
}

static void text_names_shape_and_dtype(void **state)
{
    UNUSED(state);
    char text[40];
    struct gf_view v = gf_view_tight(GF_U8, 1920, 1080, 3);
    assert_string_equal(gf_view_text(&v, text, sizeof text), "1920x1080x3 u8");
    v.dtype = 99;
    assert_string_equal(gf_view_text(&v, text, sizeof text), "1920x1080x3 ?");
    assert_string_equal(gf_view_text(&v, text, 5), "1920");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tight_views_have_no_padding),
        cmocka_unit_test(the_last_row_has_no_padding),
        cmocka_unit_test(sizes_saturate_or_are_zero_past_64_bits),
        cmocka_unit_test(channels_cannot_overflow),
        cmocka_unit_test(check_states_value_and_limit),
        cmocka_unit_test(check_image_adds_its_own_limits),
        cmocka_unit_test(same_shape_ignores_pitch_alone),
        cmocka_unit_test(text_names_shape_and_dtype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
