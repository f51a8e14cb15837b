/* SPDX-License-Identifier: MIT */
/* samples/patterns/emulate: correct kernels give their results in every order of execution, and wrong kernels do not.
 * The tests of the ladders depend on the emulator's ability to find wrong kernels. */
#include "samples/patterns/kernel.h"

#include <string.h>

#include "tests/unit/unit.h"

#define N_ORDERS 5u

enum { BLOCK = 96 };

/* Each thread gives its number to the next. */
static __global__ void shift(unsigned *out, bool barrier)
{
    __shared__ unsigned s[BLOCK];
    s[threadIdx.x] = threadIdx.x;
    if (barrier)
        __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 1) % BLOCK];
}

static unsigned count_shifted(unsigned order, bool barrier)
{
    struct call c = {.n = BLOCK}, *call = &c;
    unsigned out[BLOCK], right = 0;
    emulate_order(order);
    RUN(shift, 1, BLOCK, out, barrier);
    assert_string_equal(call->error, "");
    for (unsigned i = 0; i < BLOCK; i++)
        right += out[i] == (i + 1) % BLOCK;
    return right;
}

static void a_missing_barrier_is_seen_in_every_order(void **state)
{
    UNUSED(state);
    for (unsigned order = 0; order < N_ORDERS; order++) {
        assert_int_equal(count_shifted(order, true), BLOCK);
        assert_true(count_shifted(order, false) < BLOCK);
    }
}

static __global__ void read_unwritten(unsigned *out)
{
    __shared__ unsigned s[BLOCK];
    out[blockIdx.x * BLOCK + threadIdx.x] = s[threadIdx.x];
    s[threadIdx.x] = 0; /* not for the next block */
}

static void shared_memory_begins_as_rubbish_in_every_block(void **state)
{
    UNUSED(state);
    struct call c = {0}, *call = &c;
    unsigned out[3 * BLOCK] = {0};
    emulate_order(0);
    RUN(read_unwritten, 3, BLOCK, out);
    for (unsigned i = 0; i < 3 * BLOCK; i++)
        assert_int_equal(out[i], 0xA5A5A5A5u);
}

static __global__ void wait_by_halves(unsigned *out)
{
    if (threadIdx.x < BLOCK / 2)
        __syncthreads();
    else
        __syncwarp(~0u);
    out[threadIdx.x] = 1;
    if (threadIdx.x >= BLOCK / 2)
        __syncthreads();
    __syncthreads();
}

static __global__ void wait_for_lanes_that_left(unsigned *out)
{
    if (threadIdx.x == 5)
        return;
    __syncwarp(~0u);
    out[threadIdx.x] = 1;
}

static void threads_that_wait_for_ever_are_an_error(void **state)
{
    UNUSED(state);
    struct call c = {0}, d = {0}, *call = &c;
    unsigned out[BLOCK];
    RUN(wait_for_lanes_that_left, 1, BLOCK, out);
    assert_non_null(strstr(call->error, "wait_for_lanes_that_left: threads of a block wait"));
    /* One half of the block is at a barrier; half a warp of the other half waits for lanes that are at the barrier,
     * too. */
    call = &d;
    RUN(wait_by_halves, 1, BLOCK, out);
    assert_non_null(strstr(call->error, "wait_by_halves"));
    /* After an error nothing runs. */
    memset(out, 0, sizeof(out));
    RUN(shift, 1, BLOCK, out, true);
    assert_int_equal(out[0], 0);
}

static __global__ void leave_early(unsigned *out, unsigned n)
{
    if (threadIdx.x >= n)
        return;
    __syncthreads(); /* as on a GPU, who has ended is not waited for */
    out[threadIdx.x] = n;
}

static void who_has_ended_is_not_waited_for_at_a_barrier(void **state)
{
    UNUSED(state);
    struct call c = {0}, *call = &c;
    unsigned out[BLOCK] = {0};
    RUN(leave_early, 1, BLOCK, out, 10u);
    assert_string_equal(call->error, "");
    assert_int_equal(out[9], 10);
    assert_int_equal(out[10], 0);
}

static __global__ void exchange(float *down, float *up, float *across, int *any, unsigned *ballot, unsigned *half)
{
    unsigned i = threadIdx.x, lane = i % 32;
    float value = (float)i + 0.5f;
    down[i] = __shfl_down_sync(~0u, value, 3);
    up[i] = __shfl_up_sync(~0u, value, 1);
    across[i] = __shfl_xor_sync(~0u, value, 16);
    any[i] = __shfl_sync(~0u, (int)i - 40, 7);
    ballot[i] = __ballot_sync(~0u, i % 3 == 0);
    if (lane < 16)
        half[i] = __shfl_sync(0xFFFFu, i, 15);
    else
        half[i] = __shfl_sync(0xFFFF0000u, i, 0); /* a lane that takes no part */
}

static void lanes_exchange_values(void **state)
{
    UNUSED(state);
    float down[BLOCK], up[BLOCK], across[BLOCK];
    int any[BLOCK];
    unsigned ballot[BLOCK], half[BLOCK];
    for (unsigned order = 0; order < N_ORDERS; order++) {
        struct call c = {0}, *call = &c;
        emulate_order(order);
        RUN(exchange, 1, BLOCK, down, up, across, any, ballot, half);
        assert_string_equal(call->error, "");
        for (unsigned i = 0; i < BLOCK; i++) {
            unsigned lane = i % 32, warp = i - lane;
            unsigned bits = 0;
            for (unsigned k = 0; k < 32; k++)
                bits |= (unsigned)((warp + k) % 3 == 0) << k;
            assert_true(down[i] == (float)(lane < 29 ? i + 3 : i) + 0.5f);
            assert_true(up[i] == (float)(lane > 0 ? i - 1 : i) + 0.5f);
            assert_true(across[i] == (float)(i ^ 16u) + 0.5f);
            assert_int_equal(any[i], (int)warp + 7 - 40);
            assert_int_equal(ballot[i], bits);
            assert_int_equal(half[i], lane < 16 ? warp + 15 : 0xA5A5A5A5u);
        }
    }
}

static __global__ void say_where(unsigned *out)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned in_block = blockDim.x * blockDim.y * blockDim.z;
    atomicAdd(&out[block * in_block + thread], 1000 * block + thread);
}

static void grids_and_blocks_have_three_dimensions(void **state)
{
    UNUSED(state);
    const dim3 grid = {3, 2, 2}, block = {5, 3, 2};
    for (unsigned order = 0; order < N_ORDERS; order++) {
        struct call c = {0}, *call = &c;
        unsigned out[12 * 30] = {0};
        emulate_order(order);
        RUN(say_where, grid, block, out);
        assert_string_equal(call->error, "");
        for (unsigned i = 0; i < 12 * 30; i++)
            assert_int_equal(out[i], 1000 * (i / 30) + i % 30);
    }
}

static __global__ void count_atomically(int *sum, unsigned *wrapped, float *most, unsigned *claimed, int *lowest)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(sum, i);
    atomicInc(wrapped, 6u);
    atomicMax(most, (float)i);
    atomicMin(lowest, 10 - i);
    atomicCAS(claimed, 0u, (unsigned)i + 1);
}

static void atomics_give_back_what_was_there(void **state)
{
    UNUSED(state);
    struct call c = {0}, *call = &c;
    int sum = 5, lowest = 100;
    unsigned wrapped = 0, claimed = 0, bits = 12;
    float most = -1;
    emulate_order(0);
    RUN(count_atomically, 4, BLOCK, &sum, &wrapped, &most, &claimed, &lowest);
    assert_int_equal(sum, 5 + 383 * 384 / 2);
    assert_int_equal(wrapped, 384 % 7);
    assert_true(most == 383);
    assert_int_equal(lowest, 10 - 383);
    assert_int_equal(claimed, 1);
    assert_int_equal(atomicExch(&bits, 3u), 12);
    assert_int_equal(atomicOr(&bits, 8u), 3);
    assert_int_equal(atomicAnd(&bits, 9u), 11);
    assert_int_equal(atomicSub(&bits, 1u), 9);
    assert_int_equal(bits, 8);
}

static void a_grid_that_cannot_be_is_an_error(void **state)
{
    UNUSED(state);
    struct call c = {0}, d = {0}, *call = &c;
    unsigned out[1];
    RUN(read_unwritten, 1, 1025, out);
    assert_non_null(strstr(call->error, "1 to 1024 threads"));
    call = &d;
    RUN(read_unwritten, 0, 32, out);
    assert_non_null(strstr(call->error, "at least one block"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_barrier_is_seen_in_every_order),
        cmocka_unit_test(shared_memory_begins_as_rubbish_in_every_block),
        cmocka_unit_test(threads_that_wait_for_ever_are_an_error),
        cmocka_unit_test(who_has_ended_is_not_waited_for_at_a_barrier),
        cmocka_unit_test(lanes_exchange_values),
        cmocka_unit_test(grids_and_blocks_have_three_dimensions),
        cmocka_unit_test(atomics_give_back_what_was_there),
        cmocka_unit_test(a_grid_that_cannot_be_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
