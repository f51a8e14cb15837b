/* SPDX-License-Identifier: MIT */
/* client/io/number: every data type as text, and back. */
#include "client/io/number.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

#define MAX_TEXTS 12
#define SURPLUS 0xA5 /* behind an element, where nothing is written */

/* For each type: texts that are printed as they were read, including the extremes of the type, and texts that the type
 * does not hold. */
static const struct {
    const char *held[MAX_TEXTS], *refused[MAX_TEXTS];
} cases[] = {
    [GF_U8] = {{"0", "1", "255"}, {"256", "-1", "nan", "inf", ".5", "abc", "", "-", "+"}},
    [GF_I8] = {{"0", "127", "-1", "-128"}, {"128", "-129", "nan"}},
    [GF_U16] = {{"0", "256", "65535"}, {"65536", "-1"}},
    [GF_I16] = {{"0", "32767", "-32768"}, {"32768", "-32769"}},
    [GF_U32] = {{"0", "65536", "4294967295"}, {"4294967296", "-1"}},
    [GF_I32] = {{"0", "2147483647", "-2147483648"}, {"2147483648", "-2147483649"}},
    [GF_U64] = {{"0", "9223372036854775808", "18446744073709551615"}, {"18446744073709551616", "-1"}},
    [GF_I64] = {{"0", "9223372036854775807", "-9223372036854775808"}, {"9223372036854775808", "-9223372036854775809"}},
    [GF_F16] = {{"0", "-0", "1", "-1.5", "0.1", "2047", "65504", "-65504", "6.104e-05", "6e-08", "NaN", "-Infinity"},
                {"65520", "-1e5", "1e400", "abc", "", "-"}},
    [GF_F32] = {{"0", "-0", "1", "-1.5", "0.1", "16777217e0", "3.4028235e+38", "1.1754944e-38", "1e-45", "NaN",
                 "Infinity", "-Infinity"},
                {"3.4028236e+38", "-1e39", "abc", "", "+"}},
    [GF_F64] = {{"0", "-0", "1", "-1.5", "0.1", "9007199254740993e0", "1.7976931348623157e+308",
                 "2.2250738585072014e-308", "5e-324", "NaN", "Infinity", "-Infinity"},
                {"1.7976931348623159e+308", "-1e309", "abc", "", "."}},
};

/* The printed form of a text that has more digits than its type. */
static const char *printed(const char *text)
{
    return strcmp(text, "16777217e0") == 0           ? "16777216"
           : strcmp(text, "9007199254740993e0") == 0 ? "9007199254740992"
                                                     : text;
}

static void every_type_is_read_and_printed(void **state)
{
    UNUSED(state);
    for (uint32_t dtype = GF_U8; gf_dtype_known(dtype); dtype++) {
        size_t size = gf_dtype_size(dtype), n = 0;
        assert_true(dtype < GF_ARRAY_LEN(cases));
        for (; n < MAX_TEXTS && cases[dtype].held[n]; n++) {
            uint8_t elements[3 * sizeof(uint64_t)];
            char text[GF_NUMBER_TEXT];
            memset(elements, SURPLUS, sizeof elements);
            const char *end = gf_number_read(dtype, cases[dtype].held[n], elements + size);
            assert_non_null(end);
            assert_int_equal(*end, '\0');
            assert_int_equal(elements[size - 1], SURPLUS);
            assert_int_equal(elements[2 * size], SURPLUS);
            assert_string_equal(gf_number_text(dtype, elements, 1, text), printed(cases[dtype].held[n]));
        }
        assert_true(n > 2);
    }
}

static void what_a_type_does_not_hold_is_refused(void **state)
{
    UNUSED(state);
    for (uint32_t dtype = GF_U8; gf_dtype_known(dtype); dtype++)
        for (size_t i = 0; i < MAX_TEXTS && cases[dtype].refused[i]; i++) {
            uint64_t element = UINT64_C(0x0123456789ABCDEF);
            assert_null(gf_number_read(dtype, cases[dtype].refused[i], &element));
            assert_true(element == UINT64_C(0x0123456789ABCDEF));
        }
}

static void reading_stops_where_the_number_ends(void **state)
{
    UNUSED(state);
    for (uint32_t dtype = GF_U8; gf_dtype_known(dtype); dtype++) {
        uint64_t element;
        assert_string_equal(gf_number_read(dtype, "12, 13", &element), ", 13");
        assert_string_equal(gf_number_read(dtype, "+7#", &element), "#");
        assert_true(gf_number_value(dtype, &element, 0) == 7.0);
        bool whole = gf_dtype_kind(dtype) != GF_KIND_FLOAT;
        assert_string_equal(gf_number_read(dtype, "2.5", &element), whole ? ".5" : "");
        assert_string_equal(gf_number_read(dtype, "1e1", &element), whole ? "e1" : "");
    }
}

/* Widening keeps the sign, and an element is found by the size of its type. */
static void values_are_those_of_the_elements(void **state)
{
    UNUSED(state);
    const int8_t i8[] = {1, -128};
    const uint16_t u16[] = {1, 65535}, f16[] = {0x3C00, 0xC000};
    const int32_t i32[] = {1, INT32_MIN};
    const uint64_t u64[] = {1, UINT64_C(1) << 63};
    const float f32[] = {1.0f, -0.5f};
    assert_true(gf_number_value(GF_I8, i8, 1) == -128.0);
    assert_true(gf_number_value(GF_U16, u16, 1) == 65535.0);
    assert_true(gf_number_value(GF_F16, f16, 1) == -2.0);
    assert_true(gf_number_value(GF_I32, i32, 1) == -2147483648.0);
    assert_true(gf_number_value(GF_U64, u64, 1) == 0x1p63);
    assert_true(gf_number_value(GF_F32, f32, 1) == -0.5);
    assert_true(isnan(gf_number_value(GF_F16, &(uint16_t){0x7E01}, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_and_printed),
        cmocka_unit_test(what_a_type_does_not_hold_is_refused),
        cmocka_unit_test(reading_stops_where_the_number_ends),
        cmocka_unit_test(values_are_those_of_the_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
