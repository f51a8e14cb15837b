/* SPDX-License-Identifier: MIT */
/* Loops over the functions of kernels/shared/expr, compiled once per instruction set for test_expr_math.c. */
#ifndef GF_TESTS_EXPR_MATH_LOOPS_H
#define GF_TESTS_EXPR_MATH_LOOPS_H

#include <stddef.h>

/* The order of the loops; sin and cos are the functions for small arguments. */
enum { EXPR_EXP, EXPR_LOG, EXPR_SIN, EXPR_COS, EXPR_ATAN2, EXPR_POW, EXPR_N };

struct expr_loops {
    void (*f32)(const float *a, const float *b, float *ret, size_t n);
    void (*f64)(const double *a, const double *b, double *ret, size_t n);
};

extern const struct expr_loops expr_loops_generic[EXPR_N];
#ifdef GF_CPU_X86
extern const struct expr_loops expr_loops_avx2[EXPR_N];
extern const struct expr_loops expr_loops_avx512[EXPR_N];
#endif

#endif
