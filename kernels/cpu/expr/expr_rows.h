/* SPDX-License-Identifier: MIT */
/*
 * Runs the program of an expression on the CPU, one instruction after the other, each on a block of values: a register
 * is a row of memory. Called by expr.c and by kernels/cpu/operator.
 */
#ifndef GF_KERNELS_CPU_EXPR_ROWS_H
#define GF_KERNELS_CPU_EXPR_ROWS_H

#include "kernels/shared/expr/program.h"
#include "simd_expr.h"

/* A thread's state for a program. Rows may be at any address and must be at least GF_EXPR_ROW_STEP values apart. */
struct gf_cpu_expr_rows {
    const struct gf_simd_expr *simd;
    const struct gf_expr_program *program;
    unsigned char *rows; /* the rows of registers, then the rows of constants */
    size_t row_bytes;    /* bytes from one row to the next */
    const void *at[256]; /* address of the values of each register or constant */
};

/* Returns the values of a load or place instruction: `row`, which belongs to the instruction, or any other address. */
typedef const void *gf_cpu_expr_read(void *context, const struct gf_expr_insn *insn, uint32_t machine,
                                     unsigned char *row);

static inline unsigned char *gf_cpu_expr_row(const struct gf_cpu_expr_rows *r, size_t i)
{
    return r->rows + i * r->row_bytes;
}

/* The number of rows that the program needs. */
static inline size_t gf_cpu_expr_n_rows(const struct gf_expr_program *program)
{
    return program->n_registers + program->n_constants;
}

/* The bytes of a value of a machine type. */
static inline size_t gf_cpu_expr_size(uint32_t machine)
{
    return machine == GF_EXPR_M_I32 || machine == GF_EXPR_M_F32 ? sizeof(int32_t) : sizeof(int64_t);
}

/* The machine type that equals a dtype as it is stored; 0 if there is none. */
uint32_t gf_cpu_expr_machine_of(uint32_t dtype);
/* Repeats the first `size` bytes of a row until they are there n times. */
void gf_cpu_expr_repeat(unsigned char *row, size_t size, size_t n);
/* Fills the rows of constants with n values each. Call it once; the program may then run on up to n values. */
void gf_cpu_expr_fill(struct gf_cpu_expr_rows *r, size_t n);
/* Runs the program on n values, rounded up to GF_EXPR_ROW_STEP. at[] must point to the values of the arguments. */
void gf_cpu_expr_run(struct gf_cpu_expr_rows *r, gf_cpu_expr_read *read, void *context, size_t n);

#endif
