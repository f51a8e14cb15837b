/* SPDX-License-Identifier: MIT */
/* Lists of GPUs in CUDA_VISIBLE_DEVICES. */
#include "protocol/base/visible.h"

#include "tests/unit/unit.h"

static void lists_are_counted_as_the_driver_does(void **state)
{
    UNUSED(state);
    static const struct {
        const char *list;
        uint32_t n;
    } cases[] = {{"", 0},
                 {"0", 1},
                 {"1", 1},
                 {"3,1", 2},
                 {" 0 , 2 ", 2},
                 {"0,1,", 2},
                 {"-1", 0},
                 {"0,-1,1", 1},
                 {"1,x,2", 1},
                 {"NoDevFiles", 0},
                 {"0,,1", 1},
                 {",0", 0},
                 {"0,0", 0},
                 {"0,1,0", 0},
                 {"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", 1},
                 {"GPU-8932f937,GPU-1", 2},
                 {"GPU-8932f937,GPU-8932f937", 0},
                 {"MIG-GPU-8932f937/1/2", 1},
                 {"GPU-8932f937,1", 2},
                 {"0x1", 0},
                 {"1 2", 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (gf_visible_count(cases[i].list) != cases[i].n)
            fail_msg("\"%s\" names %u GPUs, not %u", cases[i].list, gf_visible_count(cases[i].list), cases[i].n);
}

static void words_are_found_by_number(void **state)
{
    UNUSED(state);
    char word[16];
    assert_true(gf_visible_word(" 7 ,GPU-12ab, 3", 0, word, sizeof(word)));
    assert_string_equal(word, "7");
    assert_true(gf_visible_word(" 7 ,GPU-12ab, 3", 1, word, sizeof(word)));
    assert_string_equal(word, "GPU-12ab");
    assert_true(gf_visible_word(" 7 ,GPU-12ab, 3", 2, word, sizeof(word)));
    assert_string_equal(word, "3");
    assert_false(gf_visible_word(" 7 ,GPU-12ab, 3", 3, word, sizeof(word)));
    assert_false(gf_visible_word("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", 0, word, sizeof(word)));
    assert_false(gf_visible_word("GPU-", 0, word, 4));
    assert_true(gf_visible_word("GPU-", 0, word, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_counted_as_the_driver_does),
        cmocka_unit_test(words_are_found_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
