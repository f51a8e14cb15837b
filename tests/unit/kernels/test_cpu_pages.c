/* SPDX-License-Identifier: MIT */
/* Blocks of the CPU backend: cleared on request, kept up to a bound, and the oldest freed first. */
#include "kernels/cpu/device/pages.h"

#include <string.h>

#include "tests/unit/unit.h"

#define MIB ((uint64_t)1 << 20)

static int setup(void **state)
{
    static struct gf_cpu_pages pages;
    gf_cpu_pages_init(&pages);
    *state = &pages;
    return 0;
}

static int teardown(void **state)
{
    gf_cpu_pages_deinit(*state);
    return 0;
}

static bool is_zero(const unsigned char *data, uint64_t size)
{
    return data[0] == 0 && memcmp(data, data + 1, size - 1) == 0;
}

/* Data of one user is never visible to the next user, whatever the size of the block. */
static void blocks_are_cleared(void **state)
{
    const uint64_t sizes[] = {1, 4096, MIB, 2 * MIB, 3 * MIB + 5, 40 * MIB};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (int turn = 0; turn < 3; turn++) {
            unsigned char *data = gf_cpu_pages_alloc(*state, sizes[i], true);
            assert_non_null(data);
            assert_true(is_zero(data, sizes[i]));
            memset(data, 0xA5, sizes[i]);
            gf_cpu_pages_free(*state, data, sizes[i]);
        }
    }
}

static void the_last_block_of_a_size_is_the_next(void **state)
{
    struct gf_cpu_pages *pages = *state;
    void *a = gf_cpu_pages_alloc(pages, 4 * MIB, false), *b = gf_cpu_pages_alloc(pages, 4 * MIB, false);
    assert_ptr_not_equal(a, b);
    gf_cpu_pages_free(pages, a, 4 * MIB);
    gf_cpu_pages_free(pages, b, 4 * MIB);
    assert_int_equal(pages->bytes, 8 * MIB);
    void *other = gf_cpu_pages_alloc(pages, 5 * MIB, false);
    assert_int_equal(pages->bytes, 8 * MIB); /* a block of another size is no use */
    assert_ptr_equal(gf_cpu_pages_alloc(pages, 4 * MIB, false), b);
    assert_ptr_equal(gf_cpu_pages_alloc(pages, 4 * MIB, true), a);
    assert_int_equal(pages->bytes, 0);
    gf_cpu_pages_free(pages, a, 4 * MIB);
    gf_cpu_pages_free(pages, b, 4 * MIB);
    gf_cpu_pages_free(pages, other, 5 * MIB);
    gf_cpu_pages_free(pages, NULL, 5 * MIB);
}

static void what_is_kept_is_bounded(void **state)
{
    struct gf_cpu_pages *pages = *state;
    void *blocks[20], *large = gf_cpu_pages_alloc(pages, 48 * MIB, false);
    assert_non_null(large);
    gf_cpu_pages_free(pages, large, 48 * MIB);
    assert_int_equal(pages->n, 0); /* too large to be kept */
    for (size_t i = 0; i < 20; i++)
        assert_non_null(blocks[i] = gf_cpu_pages_alloc(pages, 2 * MIB, false));
    for (size_t i = 0; i < 20; i++)
        gf_cpu_pages_free(pages, blocks[i], 2 * MIB);
    assert_int_equal(pages->n, GF_CPU_PAGES_KEPT);
    assert_ptr_equal(pages->kept[0].data, blocks[20 - GF_CPU_PAGES_KEPT]); /* the oldest were given up */
    large = gf_cpu_pages_alloc(pages, 32 * MIB, false);
    void *second = gf_cpu_pages_alloc(pages, 32 * MIB, false);
    gf_cpu_pages_free(pages, large, 32 * MIB);
    gf_cpu_pages_free(pages, second, 32 * MIB);
    assert_int_equal(pages->bytes, GF_CPU_PAGES_MAX_BYTES);
    assert_int_equal(pages->n, 2);
}

static void nothing_and_too_much_are_refused(void **state)
{
    assert_null(gf_cpu_pages_alloc(*state, 0, true));
    assert_null(gf_cpu_pages_alloc(*state, UINT64_MAX, false));
    assert_null(gf_cpu_pages_alloc(*state, UINT64_MAX / 2, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_are_cleared, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_block_of_a_size_is_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_kept_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_and_too_much_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
