/* SPDX-License-Identifier: MIT */
/* kernels/cuda/device/cuda_status.c: which CUDA errors end the process. Needs no device. */
#include <string.h>

#include "kernels/cuda/device/cuda_status.h"
#include "tests/unit/unit.h"

static void success_is_ok(void **state)
{
    (void)state;
    struct gf_error err = {.status = GF_E_INTERNAL};
    assert_int_equal(gf_cuda_status(cudaSuccess, "nothing", &err), GF_OK);
    assert_int_equal(err.status, GF_E_INTERNAL);
}

static void memory_and_arguments_are_answers(void **state)
{
    (void)state;
    struct gf_error err;
    assert_int_equal(gf_cuda_status(cudaErrorMemoryAllocation, "allocating", &err), GF_E_NO_DEVICE_MEMORY);
    assert_int_equal(err.status, GF_E_NO_DEVICE_MEMORY);
    assert_non_null(strstr(err.text, "allocating: "));
    assert_non_null(strstr(err.text, "(CUDA error 2)"));
    assert_int_equal(gf_cuda_status(cudaErrorInvalidValue, "copying", NULL), GF_E_INTERNAL);
    assert_int_equal(gf_cuda_status(cudaErrorInvalidConfiguration, "starting", NULL), GF_E_INTERNAL);
    assert_int_equal(gf_cuda_status(cudaErrorHostMemoryAlreadyRegistered, "pinning", NULL), GF_E_INTERNAL);
    assert_int_equal(gf_cuda_status(cudaErrorInsufficientDriver, "opening", NULL), GF_E_NO_DEVICE);
}

static void broken_contexts_end_the_process(void **state)
{
    (void)state;
    static const int fatal[] = {46,  214, 220, 226, 304, 700, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 721, 999, 810, 911, 123456};
    for (size_t i = 0; i < GF_ARRAY_LEN(fatal); i++)
        assert_int_equal(gf_cuda_status((cudaError_t)fatal[i], "working", NULL), GF_E_DEVICE_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_ok),
        cmocka_unit_test(memory_and_arguments_are_answers),
        cmocka_unit_test(broken_contexts_end_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
