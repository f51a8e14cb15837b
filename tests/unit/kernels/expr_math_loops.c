/* SPDX-License-Identifier: MIT */
/* Loops for one instruction set, GF_ISA; the compiler vectorizes them if the set has vectors. */
#include "expr_math_loops.h"

#include "kernels/shared/expr/math.h"

#define LOOPS_NAME(isa) LOOPS_NAME_(isa)
#define LOOPS_NAME_(isa) expr_loops_##isa

#define LOOP_OF_ONE(function, type)                                                                                    \
    static void loop_##function(const type *restrict a, const type *restrict b, type *restrict ret, size_t n)          \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        for (size_t i = 0; i < n; i++)                                                                                 \
            ret[i] = gf_expr_##function(a[i]);                                                                         \
    }
#define LOOP_OF_TWO(function, type)                                                                                    \
    static void loop_##function(const type *restrict a, const type *restrict b, type *restrict ret, size_t n)          \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            ret[i] = gf_expr_##function(a[i], b[i]);                                                                   \
    }

LOOP_OF_ONE(exp_f32, float)
LOOP_OF_ONE(log_f32, float)
LOOP_OF_ONE(sin_small_f32, float)
LOOP_OF_ONE(cos_small_f32, float)
LOOP_OF_TWO(atan2_f32, float)
LOOP_OF_TWO(pow_f32, float)
LOOP_OF_ONE(exp_f64, double)
LOOP_OF_ONE(log_f64, double)
LOOP_OF_ONE(sin_small_f64, double)
LOOP_OF_ONE(cos_small_f64, double)
LOOP_OF_TWO(atan2_f64, double)
LOOP_OF_TWO(pow_f64, double)

const struct expr_loops LOOPS_NAME(GF_ISA)[EXPR_N] = {
    [EXPR_EXP] = {loop_exp_f32, loop_exp_f64},
    [EXPR_LOG] = {loop_log_f32, loop_log_f64},
    [EXPR_SIN] = {loop_sin_small_f32, loop_sin_small_f64},
    [EXPR_COS] = {loop_cos_small_f32, loop_cos_small_f64},
    [EXPR_ATAN2] = {loop_atan2_f32, loop_atan2_f64},
    [EXPR_POW] = {loop_pow_f32, loop_pow_f64},
};
