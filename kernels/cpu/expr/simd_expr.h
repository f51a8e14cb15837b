/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of expressions, compiled once per instruction set: instructions on rows of values (simd_expr.c), and
 * the transfer of rows from and to memory (simd_expr_memory.c, simd_expr_moves.c). Called by point/expr.c and by
 * kernels/cpu/operator.
 *
 * A row holds contiguous values of a machine type, starts at a multiple of 64 bytes, and has room for their number
 * rounded up to GF_EXPR_ROW_STEP.
 */
#ifndef GF_KERNELS_CPU_SIMD_EXPR_H
#define GF_KERNELS_CPU_SIMD_EXPR_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/expr/program.h"

#define GF_EXPR_ROW_STEP 16u
#define GF_EXPR_ROW_MAX 256u /* values per row, at most */

/* Computes n values, a multiple of GF_EXPR_ROW_STEP. `row` must not be an operand. Operands may be at any address;
 * operands that the instruction does not have are not read. */
typedef void gf_simd_expr_loop(void *row, const void *a, const void *b, const void *c, size_t n);

struct gf_simd_expr {
    gf_simd_expr_loop *const *loops; /* indexed by enum gf_expr_insn_op; NULL for instructions that do not compute */
    /* Loads n contiguous elements of a dtype, at any address, into a row of a machine type for which GF_EXPR_I_LOAD_*
     * exists. */
    void (*load)(uint32_t dtype, uint32_t machine, const void *src, void *row, size_t n);
    /* Fills a row with first, first + step, first + 2 * step ... */
    void (*ramp)(uint32_t machine, int64_t first, int64_t step, void *row, size_t n);
    /* Stores n values of a row, at most GF_EXPR_ROW_MAX, as elements of a dtype at any address, docs/numerics.md,
     * "Expressions". `stream`: streaming stores for f32 and f64. */
    void (*store)(uint32_t machine, uint32_t dtype, const void *row, void *dst, size_t n, bool stream);
    /* Moves elements of `size` bytes. pick makes n elements that are `step` apart contiguous; spread is its inverse;
     * repeat writes n elements, each of n / times source elements `times` times. step and times are 2 to 4. */
    void (*pick)(size_t size, size_t step, const void *src, void *dst, size_t n);
    void (*spread)(size_t size, size_t step, const void *src, void *dst, size_t n);
    void (*repeat)(size_t size, size_t times, const void *src, void *dst, size_t n);
    /* Interleaves rows of n elements of `size` bytes, one row for each of 2 to 4 channels, into pixels. */
    void (*interleave)(size_t size, size_t channels, const void *const *rows, void *dst, size_t n);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

/* The types of instructions.def, and the same types at any address. */
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
