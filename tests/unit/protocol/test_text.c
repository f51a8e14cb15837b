/* SPDX-License-Identifier: MIT */
/* protocol/text: appending, and numbers that survive the locale. */
#include "protocol/base/text.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/half.h"
#include "tests/unit/unit.h"

static void append_truncates_and_stays_terminated(void **state)
{
    UNUSED(state);
    char text[8] = "";
    gf_text_append(text, sizeof text, "%s", "abc");
    assert_string_equal(text, "abc");
    gf_text_append(text, sizeof text, "-%d", 12345);
    assert_string_equal(text, "abc-123");
    gf_text_append(text, sizeof text, "x");
    assert_string_equal(text, "abc-123");
    gf_text_append(text, 0, "x");
    assert_string_equal(text, "abc-123");
}

static void choices_are_joined_by_comma_and_or(void **state)
{
    UNUSED(state);
    const char *words[] = {"a", "b", "c"};
    const char *expected[] = {"a", "a or b", "a, b or c"};
    for (size_t n = 1; n <= 3; n++) {
        char text[16] = "";
        for (size_t i = 0; i < n; i++)
            gf_text_choice(text, sizeof text, i, n, words[i]);
        assert_string_equal(text, expected[n - 1]);
    }
}

static void numbers_are_short_and_read_back(void **state)
{
    UNUSED(state);
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.0f, "0"},
        {-0.0f, "-0"},
        {1.0f, "1"},
        {-1.5f, "-1.5"},
        {0.1f, "0.1"},
        {2047.0f, "2047"},
        {65535.0f, "65535"},
        {1.0f / 3.0f, "0.33333334"},
        {16777216.0f, "16777216"},
        {FLT_MAX, "3.4028235e+38"},
        {1e-45f, "1e-45"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[GF_NUMBER_TEXT];
        float back;
        assert_string_equal(gf_text_from_f32(cases[i].value, text, sizeof text), cases[i].text);
        const char *end = gf_text_to_f32(text, &back);
        assert_non_null(end);
        assert_int_equal(*end, '\0');
        assert_memory_equal(&back, &cases[i].value, sizeof back);
    }
}

static void halves_are_short_and_read_back(void **state)
{
    UNUSED(state);
    static const struct {
        uint16_t value;
        const char *text;
    } cases[] = {
        {0x0000, "0"},         {0x8000, "-0"},      {0x3C00, "1"},     {0xBE00, "-1.5"},   {0x2E66, "0.1"},
        {0x3555, "0.3333"},    {0x67FF, "2047"},    {0x6BD0, "4000"},  {0x7BFF, "65504"},  {0xFBFF, "-65504"},
        {0x0400, "6.104e-05"}, {0x03FF, "6.1e-05"}, {0x0001, "6e-08"}, {0x8001, "-6e-08"}, {0x7C00, "inf"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        char text[GF_NUMBER_TEXT];
        assert_string_equal(gf_text_from_f16(cases[i].value, text, sizeof text), cases[i].text);
    }
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        char text[GF_NUMBER_TEXT];
        uint16_t back = 1;
        const char *end = gf_text_to_f16(gf_text_from_f16((uint16_t)bits, text, sizeof text), &back);
        assert_non_null(end);
        assert_int_equal(*end, '\0');
        assert_int_equal(back, gf_half_canonical((uint16_t)bits));
    }
}

/* Numbers that an intermediate f32 or f64 would round to a tie, and the tie to the wrong neighbour. */
static void halves_are_rounded_once(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text;
        uint16_t value;
    } cases[] = {
        {"1.00048828125", 0x3C00}, /* a tie, to the even one */
        {"1.00048828125000000000000000000001", 0x3C01},
        {"1.00048828124999999999999999999999", 0x3C00},
        {"1.00146484375", 0x3C02},
        {"1.00146484374999999999999999999999", 0x3C01},
        {"-1.00048828125000000000000000000001", 0xBC01},
        {"2.98023223876953125e-08", 0x0000}, /* half the least */
        {"2.98023223876953125000000000001e-08", 0x0001},
        {"-1e-400", 0x8000},
        {"65519.9999999999999999999", 0x7BFF},
        {"65520", 0x7C00},
        {"-1e400", 0xFC00},
        {"0x1.004p0", 0x3C01},
        {"-nan", 0x7E00},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        uint16_t value = 0x1234;
        assert_non_null(gf_text_to_f16(cases[i].text, &value));
        assert_int_equal(value, cases[i].value);
    }
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void all_bit_patterns_fit_the_room_and_read_back(void **state)
{
    UNUSED(state);
    for (uint64_t step = 0; step < UINT32_MAX; step += 2000003) {
        uint32_t bits = (uint32_t)step;
        float value, back;
        char text[GF_NUMBER_TEXT];
        memcpy(&value, &bits, sizeof value);
        gf_text_from_f32(value, text, sizeof text);
        assert_non_null(gf_text_to_f32(text, &back));
        if (isnan(value))
            assert_true(isnan(back));
        else
            assert_memory_equal(&back, &value, sizeof back);
    }
}

static void reading_stops_where_the_number_ends(void **state)
{
    UNUSED(state);
    float f = 7;
    double d = 7;
    assert_string_equal(gf_text_to_f32("1.5;2", &f), ";2");
    assert_float_equal(f, 1.5, 0);
    assert_string_equal(gf_text_to_f64("0,5", &d), ",5");
    assert_float_equal(d, 0, 0);
    uint16_t h = 7;
    assert_string_equal(gf_text_to_f16("1.5 2", &h), " 2");
    assert_null(gf_text_to_f16("abc", &h));
    assert_int_equal(h, 0x3E00);
    assert_null(gf_text_to_f32("abc", &f));
    assert_null(gf_text_to_f64("", &d));
    assert_float_equal(f, 1.5, 0);
    /* rounded once: just above the tie between two neighbours in f32, on the tie in f64 */
    assert_non_null(gf_text_to_f32("1.00000005960464477539062500000001", &f));
    assert_true(f == 1.0f + FLT_EPSILON);
}

/* Any locale of the machine with a decimal comma; NULL when none is installed. */
static const char *comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0)
            return names[i];
    return NULL;
}

static void a_decimal_comma_changes_nothing(void **state)
{
    UNUSED(state);
    if (comma_locale() == NULL) {
        puts("skipped: no locale with a decimal comma");
        skip();
    }
    char text[GF_NUMBER_TEXT], native[GF_NUMBER_TEXT];
    float value = 0;
    snprintf(native, sizeof native, "%g", 1.5);
    assert_string_equal(native, "1,5");
    assert_string_equal(gf_text_from_f32(1.5f, text, sizeof text), "1.5");
    assert_non_null(gf_text_to_f32("1.5", &value));
    assert_true(value == 1.5f);
    snprintf(native, sizeof native, "%g", 1.5);
    assert_string_equal(native, "1,5");
    setlocale(LC_ALL, "C");
}

/* Text from a file, a name or a peer, and the cleaned text for a terminal. */
static void no_terminal_obeys_what_is_clean(void **state)
{
    UNUSED(state);
    static const struct {
        const char *said, *shown;
    } cases[] = {
        {"plain", "plain"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"},
        {"\x1b[31m", "?[31m"},
        {"\x9b"
         "31m",
         "?31m"}, /* CSI as one byte */
        {"\xc2\x9b"
         "31m",
         "?31m"}, /* the same in UTF-8 */
        {"\xc2\xa0", "\xc2\xa0"},
        {"a\nb\r\t\x7f", "a?b???"},
        {"\xe2\x80\xae"
         "gnp.exe",
         "?gnp.exe"}, /* from right to left */
        {"\xe2\x80\xa8\xe2\x81\xa9\xe2\x80\xaf", "??\xe2\x80\xaf"},
        {"\xc3", "?"},
        {"\xc0\xaf\xed\xa0\x80", "?????"}, /* overlong, surrogate */
        {"", ""},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].said);
        assert_string_equal(gf_text_clean(text), cases[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(append_truncates_and_stays_terminated),
        cmocka_unit_test(choices_are_joined_by_comma_and_or),
        cmocka_unit_test(numbers_are_short_and_read_back),
        cmocka_unit_test(halves_are_short_and_read_back),
        cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(all_bit_patterns_fit_the_room_and_read_back),
        cmocka_unit_test(reading_stops_where_the_number_ends),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(no_terminal_obeys_what_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
