/* SPDX-License-Identifier: MIT */
/* protocol/error: sentences that do not fit lose the middle of their long words, or end at a word. */
#include "protocol/base/error.h"

#include <string.h>

#include "tests/unit/unit.h"

static void a_sentence_that_fits_stays(void **state)
{
    UNUSED(state);
    struct gf_error err;
    char exact[GF_ERROR_TEXT];
    memset(exact, 'a', sizeof exact - 1);
    exact[sizeof exact - 1] = '\0';
    exact[100] = ' ';
    assert_int_equal(gf_error_set(&err, GF_E_BAD_PARAM, "%s", exact), GF_E_BAD_PARAM);
    assert_string_equal(err.text, exact);
}

static void a_long_sentence_ends_at_a_word(void **state)
{
    UNUSED(state);
    struct gf_error err, again;
    char words[400] = "";
    while (strlen(words) + 11 < sizeof words)
        strcat(words, "gaussian, ");
    gf_error_set(&err, GF_E_UNKNOWN_OP, "there are %s", words);
    const char *end = "gaussian, ...";
    assert_true(strlen(err.text) > GF_ERROR_TEXT - 16);
    assert_string_equal(err.text + strlen(err.text) - strlen(end), end);
    gf_error_set(&again, GF_E_UNKNOWN_OP, "column 7: %s", err.text); /* said again with more before it */
    assert_string_equal(again.text + strlen(again.text) - strlen(end), end);
}

/* A path that is longer than the whole text loses its middle, between two characters, and the reason stays. */
static void a_long_word_loses_its_middle(void **state)
{
    UNUSED(state);
    static const char end[] = ".sock: Connection refused; start one with gpufilterd";
    for (size_t shift = 0; shift < 4; shift++) {
        struct gf_error err;
        char path[500] = "";
        memset(path, 'a', shift);
        while (strlen(path) + 4 < sizeof path)
            strcat(path, "\xe2\x82\xac"); /* the euro sign */
        gf_error_set(&err, GF_E_NO_DAEMON, "cannot connect to %s%s", path, end);
        size_t n = strlen(err.text), before = strlen("cannot connect to ") + shift;
        assert_true(n > GF_ERROR_TEXT - 8);
        assert_string_equal(err.text + n - strlen(end), end);
        const char *dots = strstr(err.text, "...");
        assert_non_null(dots);
        assert_int_equal(((size_t)(dots - err.text) - before) % 3, 0);
        assert_int_equal((n - strlen(end) - (size_t)(dots + 3 - err.text)) % 3, 0);
    }
}

static void two_long_words_are_shortened_alike(void **state)
{
    UNUSED(state);
    struct gf_error err;
    char one[300], other[400];
    memset(one, '1', sizeof one - 1);
    memset(other, '2', sizeof other - 1);
    one[sizeof one - 1] = other[sizeof other - 1] = '\0';
    gf_error_set(&err, GF_E_BAD_PARAM, "%s and %s are one file, /a/name/of/23/bytes.png", one, other);
    assert_true(strlen(err.text) > GF_ERROR_TEXT - 8);
    assert_non_null(strstr(err.text, "1...1"));
    assert_non_null(strstr(err.text, "2...2"));
    assert_non_null(strstr(err.text, "2 are one file, /a/name/of/23/bytes.png"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_that_fits_stays),
        cmocka_unit_test(a_long_sentence_ends_at_a_word),
        cmocka_unit_test(a_long_word_loses_its_middle),
        cmocka_unit_test(two_long_words_are_shortened_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
