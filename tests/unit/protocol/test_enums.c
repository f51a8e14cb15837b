/* SPDX-License-Identifier: MIT */
/* protocol/enums: words, aliases and choices. */
#include "protocol/ops/enums.h"

#include <string.h>

#include "tests/unit/unit.h"

static void words_lead_back_to_their_numbers(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < gf_n_words; i++) {
        uint32_t number = UINT32_MAX;
        assert_int_equal(gf_enum_from_word(gf_words[i].e, gf_words[i].word, &number), 0);
        assert_int_equal(number, gf_words[i].number);
        assert_non_null(gf_enum_word(gf_words[i].e, number));
        if (!gf_words[i].is_alias)
            assert_string_equal(gf_enum_word(gf_words[i].e, number), gf_words[i].word);
    }
}

static void words_are_unique_and_stand_together(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < gf_n_words; i++) {
        const struct gf_word *a = &gf_words[i];
        assert_in_range(a->e, GF_ENUM_NONE + 1, GF_N_ENUMS - 1);
        assert_in_range(strlen(a->word), 1, sizeof a->word - 1);
        for (size_t j = 0; j < i; j++) {
            const struct gf_word *b = &gf_words[j];
            if (a->e != b->e)
                continue;
            assert_string_not_equal(a->word, b->word);
            assert_false(!a->is_alias && b->is_alias); /* aliases come after the words */
            assert_false(!a->is_alias && a->number == b->number);
        }
        assert_true(i == 0 || a->e >= gf_words[i - 1].e);
    }
}

static void aliases_name_their_tool(void **state)
{
    UNUSED(state);
    /* about the word for "each channel" no tools disagree */
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_words[i].e != GF_ENUM_AXIS)
            assert_int_equal(strchr(gf_words[i].word, ':') != NULL, gf_words[i].is_alias);
}

static void tools_mean_what_they_do(void **state)
{
    UNUSED(state);
    uint32_t number = UINT32_MAX;
    assert_int_equal(gf_enum_from_word(GF_ENUM_BORDER, "scipy:mirror", &number), 0);
    assert_int_equal(number, GF_BORDER_REFLECT101);
    assert_int_equal(gf_enum_from_word(GF_ENUM_BORDER, "vips:mirror", &number), 0);
    assert_int_equal(number, GF_BORDER_REFLECT);
    assert_int_equal(gf_enum_from_word(GF_ENUM_BORDER, "numpy:reflect", &number), 0);
    assert_int_equal(number, GF_BORDER_REFLECT101);
}

static void unknown_words_leave_the_number_alone(void **state)
{
    UNUSED(state);
    uint32_t number = 77;
    assert_int_equal(gf_enum_from_word(GF_ENUM_BORDER, "mirror", &number), -1);
    assert_int_equal(gf_enum_from_word(GF_ENUM_BORDER, "", &number), -1);
    assert_int_equal(gf_enum_from_word(GF_ENUM_ALPHA, "replicate", &number), -1);
    assert_int_equal(gf_enum_from_word(UINT32_MAX, "replicate", &number), -1);
    assert_int_equal(number, 77);
    assert_null(gf_enum_word(GF_ENUM_BORDER, 5));
    assert_null(gf_enum_word(GF_N_ENUMS, 0));
}

static void names_help_and_choices(void **state)
{
    UNUSED(state);
    char text[128];
    assert_string_equal(gf_enum_name(GF_ENUM_BORDER), "border");
    assert_string_equal(gf_enum_help(GF_ENUM_BORDER), "pixels outside the image");
    assert_string_equal(gf_enum_name(GF_N_ENUMS), "");
    assert_string_equal(gf_enum_help(UINT32_MAX), "");
    assert_string_equal(gf_enum_choices(GF_ENUM_BORDER, 0, text, sizeof text),
                        "replicate, wrap, reflect, reflect101 or constant");
    assert_string_equal(gf_enum_choices(GF_ENUM_SIZE, 0, text, sizeof text), "same or valid");
    assert_string_equal(gf_enum_choices(GF_ENUM_SIZE, 0, text, 6), "same ");
    assert_string_equal(gf_enum_choices(GF_ENUM_ALPHA, GF_WORDS_UNWEIGHTED, text, sizeof text),
                        "auto, straight or ignore");
    assert_string_equal(gf_enum_choices(GF_ENUM_DTYPE, GF_WORDS_SAMPLE, text, sizeof text),
                        "same, u8, u16, i16, f32 or f16");
    assert_string_equal(gf_enum_choices(GF_N_ENUMS, 0, text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lead_back_to_their_numbers),
        cmocka_unit_test(words_are_unique_and_stand_together),
        cmocka_unit_test(aliases_name_their_tool),
        cmocka_unit_test(tools_mean_what_they_do),
        cmocka_unit_test(unknown_words_leave_the_number_alone),
        cmocka_unit_test(names_help_and_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
