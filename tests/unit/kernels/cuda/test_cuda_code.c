/* SPDX-License-Identifier: MIT */
/* kernels/cuda/cuda_code: on which chips machine code runs, and for which this build has it. */
#include "kernels/cuda/cuda_code.h"

#include <stdlib.h>

#include "protocol/base/base.h"
#include "tests/unit/unit.h"

static void code_runs_on_its_chip_and_on_later_minor_revisions(void **state)
{
    UNUSED(state);
    assert_true(gf_cuda_code_runs(80, 8, 0));
    assert_true(gf_cuda_code_runs(80, 8, 9));
    assert_false(gf_cuda_code_runs(86, 8, 0));
    assert_false(gf_cuda_code_runs(80, 9, 0));
    assert_true(gf_cuda_code_runs(100, 10, 3));
    assert_false(gf_cuda_code_runs(100, 11, 0));
    assert_true(gf_cuda_code_runs(120, 12, 1));
    assert_false(gf_cuda_code_runs(0, 9, 0)); /* a build with PTX alone lists only this */
}

static void the_build_has_code_unless_the_driver_is_told_to_assemble(void **state)
{
    UNUSED(state);
    const int built[] = {0, GF_CUDA_CODE};
    for (size_t i = 1; i < GF_ARRAY_LEN(built); i++) {
        const int major = built[i] / 10, minor = built[i] % 10;
        unsetenv("CUDA_FORCE_PTX_JIT");
        assert_true(gf_cuda_has_code(major, minor));
        assert_false(gf_cuda_has_code(5, 0)); /* too old for any compiler of this backend */
        setenv("CUDA_FORCE_PTX_JIT", "0", 1);
        assert_true(gf_cuda_has_code(major, minor));
        setenv("CUDA_FORCE_PTX_JIT", "1", 1);
        assert_false(gf_cuda_has_code(major, minor));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_runs_on_its_chip_and_on_later_minor_revisions),
        cmocka_unit_test(the_build_has_code_unless_the_driver_is_told_to_assemble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
