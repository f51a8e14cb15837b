/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of expressions, compiled once per instruction set: instructions on rows of values (simd_expr.c), and
 * rows from and to memory (simd_expr_memory.c, simd_expr_moves.c). Called by point/expr.c and by
 * kernels/cpu/operator.
 *
 * A row holds values of a machine type side by side, at a multiple of 64 bytes, with room for their number rounded up
 * to GF_EXPR_ROW_STEP.
 */
#ifndef GF_KERNELS_CPU_SIMD_EXPR_H
#define GF_KERNELS_CPU_SIMD_EXPR_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/expr/program.h"

#define GF_EXPR_ROW_STEP 16u
#define GF_EXPR_ROW_MOST 256u /* values of a row at most */

/* n values, a multiple of GF_EXPR_ROW_STEP: a row that is none of the operands, which may be at any address; those that
 * the instruction has not are not read. */
typedef void gf_simd_expr_loop(void *row, const void *a, const void *b, const void *c, size_t n);

struct gf_simd_expr {
    gf_simd_expr_loop *const *loops; /* by enum gf_expr_insn_op, of those that compute */
    /* n elements of a dtype side by side, at any address, to a row of a type that GF_EXPR_I_LOAD_* loads them as. */
    void (*load)(uint32_t dtype, uint32_t machine, const void *src, void *row, size_t n);
    /* A row of first, first + step, first + 2 * step ... */
    void (*ramp)(uint32_t machine, int64_t first, int64_t step, void *row, size_t n);
    /* n values of a row, at most GF_EXPR_ROW_MOST, to elements of a dtype at any address, numerics.md 26. `stream`: f32
     * and f64 go past the caches. */
    void (*store)(uint32_t machine, uint32_t dtype, const void *row, void *dst, size_t n, bool stream);
    /* n elements of `size` bytes: those that are `step`, 2 to 4, elements apart to side by side, and back; each of
     * n / times `times`, 2 to 4, times. */
    void (*pick)(size_t size, size_t step, const void *src, void *dst, size_t n);
    void (*spread)(size_t size, size_t step, const void *src, void *dst, size_t n);
    void (*repeat)(size_t size, size_t times, const void *src, void *dst, size_t n);
    /* Rows of n elements of `size` bytes, of 2 to 4 channels, to pixels. */
    void (*interleave)(size_t size, size_t channels, const void *const *rows, void *dst, size_t n);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

/* The types of instructions.def: values, and values at any address. */
typedef int32_t I32;
typedef int64_t I64;
typedef uint64_t U64;
typedef float F32;
typedef double F64;
typedef gf_i32_any I32_any;
typedef gf_i64_any I64_any;
typedef gf_u64_any U64_any;
typedef gf_f32_any F32_any;
typedef gf_f64_any F64_any;

void GF_ISA_NAME(gf_simd_expr_load)(uint32_t dtype, uint32_t machine, const void *src, void *row, size_t n);
void GF_ISA_NAME(gf_simd_expr_ramp)(uint32_t machine, int64_t first, int64_t step, void *row, size_t n);
void GF_ISA_NAME(gf_simd_expr_store)(uint32_t machine, uint32_t dtype, const void *row, void *dst, size_t n,
                                     bool stream);
void GF_ISA_NAME(gf_simd_expr_pick)(size_t size, size_t step, const void *src, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_expr_spread)(size_t size, size_t step, const void *src, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_expr_interleave)(size_t size, size_t channels, const void *const *rows, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_expr_repeat)(size_t size, size_t step, const void *src, void *dst, size_t n);
#endif

#endif
