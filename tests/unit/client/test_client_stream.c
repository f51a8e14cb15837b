/* SPDX-License-Identifier: MIT */
/* Rows and padding as one run of bytes. */
#include "tests/unit/unit.h"

#include <string.h>

#include "client/lib/transport/stream.h"

/* Drains the whole stream, at most `step` bytes and `capacity` parts at a time. */
static size_t drain(struct gf_stream *s, uint8_t *to, size_t step, int capacity)
{
    size_t at = 0;
    for (;;) {
        struct iovec parts[8];
        int n = gf_stream_parts(s, parts, capacity);
        if (n == 0)
            return at;
        size_t taken = 0;
        for (int i = 0; i < n && taken < step; i++) {
            size_t take = parts[i].iov_len < step - taken ? parts[i].iov_len : step - taken;
            memcpy(to + at, parts[i].iov_base, take);
            at += take;
            taken += take;
        }
        gf_stream_advance(s, taken);
    }
}

static void rows_are_gathered_at_any_step(void **state)
{
    UNUSED(state);
    uint8_t a[3 * 8], b[5], out[256], expected[136] = {0};
    for (size_t i = 0; i < sizeof(a); i++)
        a[i] = (uint8_t)(i + 1);
    memset(b, 0xBB, sizeof(b));
    struct gf_view va = {.dtype = 1, .channels = 1, .width = 5, .height = 3, .pitch = 8};
    struct gf_view vb = {.dtype = 1, .channels = 1, .width = 5, .height = 1, .pitch = 5};
    for (size_t y = 0; y < 3; y++)
        memcpy(expected + y * 5, a + y * 8, 5);
    memcpy(expected + 64, b, 5);
    struct gf_stream s;
    gf_stream_init(&s);
    gf_stream_add(&s, 0, a, &va);
    gf_stream_add(&s, 64, b, &vb);
    gf_stream_end(&s, 128);
    assert_int_equal(s.total, 128);
    for (size_t step = 1; step < 130; step++)
        for (int capacity = 1; capacity <= 8; capacity++) {
            memset(out, 0xAA, sizeof(out));
            gf_stream_rewind(&s);
            assert_int_equal(drain(&s, out, step, capacity), 128);
            assert_memory_equal(out, expected, 128);
        }
}

static void tight_rows_are_one_part(void **state)
{
    UNUSED(state);
    uint8_t a[40];
    struct gf_view v = {.dtype = 1, .channels = 2, .width = 5, .height = 4, .pitch = 10};
    struct gf_stream s;
    struct iovec parts[4];
    gf_stream_init(&s);
    gf_stream_add(&s, 0, a, &v);
    gf_stream_end(&s, 40);
    assert_int_equal(gf_stream_parts(&s, parts, 4), 1);
    assert_int_equal(parts[0].iov_len, 40);
    assert_ptr_equal(parts[0].iov_base, a);
}

static void empty_stream_has_no_parts(void **state)
{
    UNUSED(state);
    struct gf_stream s;
    struct iovec parts[1];
    gf_stream_init(&s);
    gf_stream_end(&s, 0);
    assert_int_equal(gf_stream_parts(&s, parts, 1), 0);
    assert_int_equal(s.piece, s.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_gathered_at_any_step),
        cmocka_unit_test(tight_rows_are_one_part),
        cmocka_unit_test(empty_stream_has_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
