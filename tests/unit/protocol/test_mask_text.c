/* SPDX-License-Identifier: MIT */
/* protocol/mask_text: gf_mask_parse on valid and invalid texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

static void every_spelling_gives_the_same_mask(void **state)
{
    UNUSED(state);
    static const char *const spellings[] = {
        "1 2 3; 4 5 -6",
        "1,2,3;4,5,-6",
        "1, 2, 3\n4, 5, -6\n",
        "  1\t2 ,3 ;\n\n 4 5 -6 ;\n;",
        "# a mask\r\n1 2 3 # first\r\n\r\n4 5 -6",
        "1e0 0x2 3.;+4 .5e1 -6#end",
    };
    const float expected[] = {1, 2, 3, 4, 5, -6};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        float coefs[6] = {0};
        uint32_t width = 0, height = 0;
        struct gf_error err = {0};
        assert_int_equal(gf_mask_parse(spellings[i], coefs, 6, &width, &height, &err), GF_OK);
        assert_int_equal(width, 3);
        assert_int_equal(height, 2);
        assert_memory_equal(coefs, expected, sizeof expected);
    }
}

static void coefficients_are_rounded_once(void **state)
{
    UNUSED(state);
    float c[4];
    uint32_t width, height;
    assert_int_equal(gf_mask_parse("0.1 -0 1e-46 1.00000005960464477539062500000001", c, 4, &width, &height, NULL),
                     GF_OK);
    assert_true(c[0] == 0.1f);
    assert_true(c[1] == 0.0f && signbit(c[1]));
    assert_true(c[2] == 0.0f);
    assert_true(c[3] == 0x1.000002p+0f);
}

static void bad_masks_say_where(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "no values"},
        {" ; \n # nothing", "no values"},
        {"1 2; 3", "row 2 has 1 values, row 1 has 2"},
        {"1 2\n3 4 5", "row 2 has 3 values, row 1 has 2"},
        {"1 2; 3 abc", "row 2, value 2: 'abc' is not a finite number"},
        {"1 2x3", "value 2: '2x3'"},
        {"1,,2", "value 2: ''"},
        {",1", "row 1, value 1: ''"},
        {"1,", "value 2: ''"},
        {"1,;2", "value 2: ''"},
        {"1,\n2", "value 2: ''"},
        {"1, #c\n2", "value 2: ''"},
        {"nan", "'nan' is not a finite number"},
        {"1 -inf", "'-inf'"},
        {"1e39", "'1e39'"},
        {"1/9", "'1/9'"},
        {"1 2 3 4 5 6 7", "more than 6 values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float coefs[6];
        uint32_t width = 77, height = 78;
        struct gf_error err = {0};
        assert_int_equal(gf_mask_parse(cases[i].text, coefs, 6, &width, &height, &err), GF_E_BAD_PARAM);
        assert_int_equal(err.status, GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s': '%s' does not say '%s'", cases[i].text, err.text, cases[i].says);
        assert_int_equal(width, 77);
        assert_int_equal(height, 78);
    }
}

/* Text of rows x columns ones. */
static char *ones(size_t rows, size_t columns)
{
    char *text = malloc(rows * (2 * columns + 1) + 1), *p = text;
    assert_non_null(text);
    for (size_t y = 0; y < rows; y++) {
        for (size_t x = 0; x < columns; x++) {
            *p++ = '1';
            *p++ = ' ';
        }
        *p++ = ';';
    }
    *p = '\0';
    return text;
}

static void sides_go_up_to_the_limit(void **state)
{
    UNUSED(state);
    static const struct {
        size_t rows, columns;
        enum gf_status status;
        const char *says;
    } cases[] = {
        {GF_MAX_MASK_SIDE, GF_MAX_MASK_SIDE, GF_OK, ""},
        {GF_MAX_MASK_SIDE + 1, 1, GF_E_BAD_PARAM, "more than 255 rows"},
        {1, GF_MAX_MASK_SIDE + 1, GF_E_BAD_PARAM, "row 1 has more than 255 values"},
    };
    size_t capacity = GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE;
    float *coefs = calloc(capacity, sizeof *coefs);
    assert_non_null(coefs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = ones(cases[i].rows, cases[i].columns);
        uint32_t width = 0, height = 0;
        struct gf_error err = {0};
        assert_int_equal(gf_mask_parse(text, coefs, capacity, &width, &height, &err), cases[i].status);
        assert_non_null(strstr(err.text, cases[i].says));
        if (cases[i].status == GF_OK) {
            assert_int_equal(width, cases[i].columns);
            assert_int_equal(height, cases[i].rows);
        }
        free(text);
    }
    free(coefs);
}

static void a_long_word_is_cut_in_the_sentence(void **state)
{
    UNUSED(state);
    char text[4096];
    memset(text, 'z', sizeof text);
    text[sizeof text - 1] = '\0';
    float coef;
    uint32_t width, height;
    struct gf_error err = {0};
    assert_int_equal(gf_mask_parse(text, &coef, 1, &width, &height, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "zzz' is not a finite number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_gives_the_same_mask),
        cmocka_unit_test(coefficients_are_rounded_once),
        cmocka_unit_test(bad_masks_say_where),
        cmocka_unit_test(sides_go_up_to_the_limit),
        cmocka_unit_test(a_long_word_is_cut_in_the_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
