/* SPDX-License-Identifier: MIT */
/* Copies of views, by any number of threads. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/memory/copy.h"
#include "protocol/base/dtype.h"

#define PAD 0xEE

static struct gf_view padded(uint32_t width, uint32_t height, uint32_t padding)
{
    struct gf_view v = gf_view_tight(GF_U8, width, height, 1);
    v.pitch += padding;
    return v;
}

/* Checks that every byte of `to` equals the byte of `from`, and that the padding between its rows is unchanged. */
static void check_copied(const uint8_t *to, const struct gf_view *to_view, const uint8_t *from,
                         const struct gf_view *from_view)
{
    for (uint64_t y = 0; y < to_view->height; y++) {
        assert_memory_equal(to + y * to_view->pitch, from + y * from_view->pitch, to_view->width);
        for (uint64_t x = to_view->width; x < to_view->pitch; x++)
            assert_int_equal(to[y * to_view->pitch + x], PAD);
    }
}

static void check_copy(uint32_t n, uint32_t width, uint32_t height, uint32_t to_padding, uint32_t from_padding)
{
    struct gf_view to_view = padded(width, height, to_padding), from_view = padded(width, height, from_padding);
    uint64_t to_size = to_view.pitch * height, from_size = from_view.pitch * height;
    uint8_t *to = malloc(to_size), *from = malloc(from_size);
    assert_non_null(to);
    assert_non_null(from);
    memset(to, PAD, to_size);
    for (uint64_t i = 0; i < from_size; i++)
        from[i] = (uint8_t)(i * 2654435761u >> 24);
    if (n == 0)
        gf_copy_rows(to, &to_view, from, &from_view);
    else
        gf_copy_rows_on(n, to, &to_view, from, &from_view);
    check_copied(to, &to_view, from, &from_view);
    free(to);
    free(from);
}

static void every_number_of_threads_copies_all(void **state)
{
    UNUSED(state);
    static const uint32_t shapes[][2] = {{1, 1}, {2, 1}, {3, 1}, {1, 7}, {5, 3}, {64, 64}, {1021, 33}, {100003, 1}};
    for (uint32_t n = 1; n <= GF_COPY_THREADS; n++)
        for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            for (uint32_t padding = 0; padding < 4; padding++)
                check_copy(n, shapes[i][0], shapes[i][1], padding & 1 ? 13 : 0, padding & 2 ? 7 : 0);
}

static void the_cores_at_hand_copy_all(void **state)
{
    UNUSED(state);
    check_copy(0, 7, 3, 0, 5);
    check_copy(0, 4097, 2049, 0, 0);
    check_copy(0, 4097, 2049, 3, 0);
    check_copy(0, 4097, 2049, 0, 3);
}

static void one_core_is_enough(void **state)
{
    UNUSED(state);
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    check_copy(0, 4097, 2049, 0, 3);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads_copies_all),
        cmocka_unit_test(the_cores_at_hand_copy_all),
        cmocka_unit_test(one_core_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
