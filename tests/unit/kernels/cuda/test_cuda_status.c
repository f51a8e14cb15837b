/* SPDX-License-Identifier: MIT */
/* kernels/cuda/device/cuda_status.c: which CUDA errors end the process; kernels/cuda/cuda_start.c: which errors of the
 * start can pass. Needs no device. */
#include <string.h>

#include "kernels/cuda/cuda_start.h"
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
    assert_int_equal(gf_cuda_start_error(cudaErrorInsufficientDriver, "opening", NULL), GF_E_NO_DEVICE);
}

static void broken_contexts_end_the_process(void **state)
{
    (void)state;
    static const int fatal[] = {46,  214, 220, 226, 304, 700, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 721, 999, 810, 911, 123456};
    for (size_t i = 0; i < GF_ARRAY_LEN(fatal); i++)
        assert_int_equal(gf_cuda_status((cudaError_t)fatal[i], "working", NULL), GF_E_DEVICE_LOST);
}

static void a_device_that_was_there_is_lost(void **state)
{
    (void)state;
    static const int of_starts[] = {3, 34, 35, 36, 100, 101, 102, 209, 218, 221, 222, 223, 802, 803, 804};
    for (size_t i = 0; i < GF_ARRAY_LEN(of_starts); i++)
        assert_int_equal(gf_cuda_status((cudaError_t)of_starts[i], "working", NULL), GF_E_DEVICE_LOST);
}

static void starts_are_told_apart(void **state)
{
    (void)state;
    static const int pass[] = {3, 46, 100, 102, 802, 803, 805, 806, 807, 808, 809, 810};
    static const int stay[] = {34, 35, 36, 101, 209, 218, 221, 222, 223, 804};
    struct gf_error err;
    for (size_t i = 0; i < GF_ARRAY_LEN(pass); i++)
        assert_int_equal(gf_cuda_start_error((cudaError_t)pass[i], "cuda:0", NULL), GF_E_BUSY);
    for (size_t i = 0; i < GF_ARRAY_LEN(stay); i++)
        assert_int_equal(gf_cuda_start_error((cudaError_t)stay[i], "cuda:0", NULL), GF_E_NO_DEVICE);
    assert_int_equal(gf_cuda_start_error(cudaErrorUnknown, "cuda:0", NULL), GF_E_DEVICE_LOST);
    assert_int_equal(gf_cuda_start_error(cudaErrorMemoryAllocation, "cuda:0", NULL), GF_E_NO_DEVICE_MEMORY);
    (void)gf_cuda_start_error(cudaErrorSystemNotReady, "cuda:0", &err);
    assert_non_null(strstr(err.text, "cuda:0: "));
    assert_non_null(strstr(err.text, "; a machine with NVSwitch needs nvidia-fabricmanager (CUDA error 802)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_ok),
        cmocka_unit_test(memory_and_arguments_are_answers),
        cmocka_unit_test(broken_contexts_end_the_process),
        cmocka_unit_test(a_device_that_was_there_is_lost),
        cmocka_unit_test(starts_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
