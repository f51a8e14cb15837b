/* SPDX-License-Identifier: MIT */
/* protocol/dtype: sizes, words and sets. */
#include "protocol/base/dtype.h"

#include <math.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/base/half.h"
#include "tests/unit/unit.h"

static void every_word_leads_back_to_its_number(void **state)
{
    UNUSED(state);
    for (uint32_t d = GF_U8; d <= GF_F16; d++) {
        assert_true(gf_dtype_known(d));
        assert_int_equal(gf_dtype_from_word(gf_dtype_word(d)), d);
    }
    assert_int_equal(gf_dtype_from_word("u8"), GF_U8);
    assert_int_equal(gf_dtype_from_word("f32"), GF_F32);
}

static void sizes_and_kinds_are_those_of_c(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_dtype_size(GF_U8), 1);
    assert_int_equal(gf_dtype_size(GF_I16), 2);
    assert_int_equal(gf_dtype_size(GF_F32), 4);
    assert_int_equal(gf_dtype_size(GF_I64), 8);
    assert_int_equal(gf_dtype_kind(GF_U64), GF_KIND_UINT);
    assert_int_equal(gf_dtype_kind(GF_I8), GF_KIND_SINT);
    assert_int_equal(gf_dtype_kind(GF_F64), GF_KIND_FLOAT);
}

static void unknown_numbers_and_words_are_told(void **state)
{
    UNUSED(state);
    const uint32_t unknown[] = {0, GF_F16 + 1, 31, 32, UINT32_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_false(gf_dtype_known(unknown[i]));
        assert_int_equal(gf_dtype_size(unknown[i]), 0);
        assert_int_equal(gf_dtype_kind(unknown[i]), 0);
        assert_string_equal(gf_dtype_word(unknown[i]), "?");
    }
    assert_int_equal(gf_dtype_from_word(""), 0);
    assert_int_equal(gf_dtype_from_word("?"), 0);
    assert_int_equal(gf_dtype_from_word("U8"), 0);
    assert_int_equal(gf_dtype_from_word("u80"), 0);
}

static void set_text_lists_with_or_and_truncates(void **state)
{
    UNUSED(state);
    char text[GF_DTYPES_TEXT];
    assert_string_equal(gf_dtype_set_text(GF_DT_IMAGE, text, sizeof text), "u8, u16, i16 or f32");
    assert_string_equal(gf_dtype_set_text(GF_DT_U8 | GF_DT_F64, text, sizeof text), "u8 or f64");
    assert_string_equal(gf_dtype_set_text(GF_DT_I32, text, sizeof text), "i32");
    assert_string_equal(gf_dtype_set_text(0, text, sizeof text), "");
    assert_string_equal(gf_dtype_set_text(GF_DT_IMAGE, text, 7), "u8, u1");
    char all[2 * GF_DTYPES_TEXT];
    assert_true(strlen(gf_dtype_set_text(GF_DT_ALL, all, sizeof all)) < GF_DTYPES_TEXT);
}

static void white_becomes_white(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t from, to;
        float multiply, divide;
    } cases[] = {
        {GF_U8, GF_U16, 257.0f, 1.0f},    {GF_U16, GF_U8, 1.0f, 257.0f}, {GF_F32, GF_U8, 255.0f, 1.0f},
        {GF_F16, GF_U16, 65535.0f, 1.0f}, {GF_U8, GF_F16, 1.0f, 255.0f}, {GF_U16, GF_F32, 1.0f, 65535.0f},
        {GF_U8, GF_U8, 1.0f, 1.0f},       {GF_F16, GF_F32, 1.0f, 1.0f},  {GF_I16, GF_U8, 1.0f, 1.0f},
        {GF_U8, GF_I16, 1.0f, 1.0f},      {GF_F64, GF_U8, 1.0f, 1.0f},   {GF_U8, GF_I32, 1.0f, 1.0f},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        const struct gf_dtype_ratio ratio = gf_dtype_full_range(cases[i].from, cases[i].to);
        assert_true(ratio.multiply == cases[i].multiply && ratio.divide == cases[i].divide);
    }
}

static void halves_are_exact_and_rounded_to_even(void **state)
{
    UNUSED(state);
    static const struct {
        float from;
        uint16_t to;
    } cases[] = {
        {0.0f, 0x0000},         {-0.0f, 0x8000},      {1.0f, 0x3C00},       {-2.0f, 0xC000},     {65504.0f, 0x7BFF},
        {65519.0f, 0x7BFF},     {65520.0f, 0x7C00},   {-1e30f, 0xFC00},     {INFINITY, 0x7C00},  {0x1p-24f, 0x0001},
        {0x1p-25f, 0x0000},     {0x1.8p-25f, 0x0001}, {0x1.8p-24f, 0x0002}, {0x1p-14f, 0x0400},  {0x1.ff8p-15f, 0x03FF},
        {0x1.ffcp-15f, 0x0400}, {0x1.002p0f, 0x3C00}, {0x1.006p0f, 0x3C02}, {0x1p-149f, 0x0000}, {NAN, 0x7E00},
        {-NAN, 0x7E00},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++)
        assert_int_equal(gf_half_from_f32(cases[i].from), cases[i].to);
    assert_true(gf_half_to_f32(0x0001) == 0x1p-24f && gf_half_to_f32(0xFBFF) == -65504.0f);
    for (uint32_t half = 0; half <= UINT16_MAX; half++) {
        bool nan = (half & 0x7FFF) > 0x7C00;
        assert_int_equal(gf_half_canonical((uint16_t)half), nan ? 0x7E00 : half);
        assert_int_equal(gf_half_from_f32(gf_half_to_f32((uint16_t)half)), nan ? 0x7E00 : half);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_leads_back_to_its_number),
        cmocka_unit_test(halves_are_exact_and_rounded_to_even),
        cmocka_unit_test(sizes_and_kinds_are_those_of_c),
        cmocka_unit_test(unknown_numbers_and_words_are_told),
        cmocka_unit_test(white_becomes_white),
        cmocka_unit_test(set_text_lists_with_or_and_truncates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
