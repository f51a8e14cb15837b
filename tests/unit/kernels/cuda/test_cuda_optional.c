/* SPDX-License-Identifier: MIT */
/* kernels/cuda/device/cuda_optional: a call that fails leaves no error to the next launch, unless the device is lost.
 * This file simulates the runtime's last error. */
#include "kernels/cuda/device/cuda_optional.h"

#include "protocol/base/base.h"
#include "tests/unit/unit.h"

static cudaError_t g_last, g_lost; /* what the thread's next launch finds; what every call fails with */
static int g_events;

static cudaError_t call(cudaError_t error)
{
    if (g_lost)
        error = g_lost;
    if (error)
        g_last = error;
    return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (cudaEvent_t)(void *)&g_events;
    g_events++;
    return call(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return call(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t last = g_last;
    g_last = cudaSuccess;
    return last;
}

static void its_error_is_nobody_elses(void **state)
{
    (void)state;
    static const int errors[] = {1, 2, 304, 400, 800, 801, 999, 123456};
    for (int opened = 0; opened < 2; opened++) {
        for (size_t i = 0; i < GF_ARRAY_LEN(errors); i++) {
            assert_false(gf_cuda_optional(call((cudaError_t)errors[i])));
            assert_int_equal(g_last, cudaSuccess);
        }
        assert_true(gf_cuda_optional(call(cudaSuccess)));
        assert_int_equal(gf_cuda_optional_init(), cudaSuccess);
    }
    assert_int_equal(g_events, 1);
}

static void a_lost_device_is_found_by_the_next_launch(void **state)
{
    (void)state;
    g_lost = cudaErrorLaunchFailure;
    assert_false(gf_cuda_optional(call(cudaErrorOperatingSystem)));
    assert_int_equal(g_last, cudaErrorLaunchFailure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_error_is_nobody_elses),
        cmocka_unit_test(a_lost_device_is_found_by_the_next_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
