/* SPDX-License-Identifier: MIT */
/* kernels/cuda/cuda_wait: the end of a wait, and how seldom the driver is polled until then. This file simulates the
 * event. */
#include "kernels/cuda/device/cuda_wait.h"

#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

static uint64_t g_end_ns;       /* when what it stands behind is done */
static cudaError_t g_end_error; /* and what came of it */
static uint32_t g_asked;

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    (void)event;
    g_asked++;
    return gf_now_ns() < g_end_ns ? cudaErrorNotReady : g_end_error;
}

cudaError_t cudaGetLastError(void)
{
    return cudaErrorNotReady;
}

static void a_wait_ends_with_its_event(void **state)
{
    (void)state;
    g_asked = 0;
    g_end_ns = 0;
    g_end_error = cudaSuccess;
    assert_int_equal(gf_cuda_wait(NULL), cudaSuccess);
    assert_int_equal(g_asked, 1);
    g_end_ns = gf_now_ns() + 20 * GF_NS_PER_MS;
    assert_int_equal(gf_cuda_wait(NULL), cudaSuccess);
    assert_true(gf_now_ns() >= g_end_ns);
}

static void a_failed_device_ends_it(void **state)
{
    (void)state;
    g_end_ns = gf_now_ns() + GF_NS_PER_MS;
    g_end_error = cudaErrorLaunchFailure;
    assert_int_equal(gf_cuda_wait(NULL), cudaErrorLaunchFailure);
}

/* A pause is 1 us, or a 64th of the time before it: 64 polls in the first 64 us, then 64 ln(100000 / 64) = 471 polls up
 * to 100 ms, fewer on a busy machine. */
static void a_long_wait_asks_seldom(void **state)
{
    (void)state;
    g_asked = 0;
    g_end_ns = gf_now_ns() + 100 * GF_NS_PER_MS;
    g_end_error = cudaSuccess;
    assert_int_equal(gf_cuda_wait(NULL), cudaSuccess);
    assert_true(g_asked <= 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_ends_with_its_event),
        cmocka_unit_test(a_failed_device_ends_it),
        cmocka_unit_test(a_long_wait_asks_seldom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
