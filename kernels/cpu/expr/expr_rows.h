/* SPDX-License-Identifier: MIT */
/*
 * A program of an expression run on the CPU, instruction after instruction, each for a block of values: a register is a
 * row of memory. Called by expr.c and by kernels/cpu/operator.
 */
#ifndef GF_KERNELS_CPU_EXPR_ROWS_H
#define GF_KERNELS_CPU_EXPR_ROWS_H

#include "kernels/shared/expr/program.h"
#include "simd_expr.h"

/* What a thread runs a program in. Rows may be at any address, GF_EXPR_ROW_STEP values or more apart. */
struct gf_cpu_expr_rows {
    const struct gf_simd_expr *simd;
    const struct gf_expr_program *program;
    unsigned char *rows; /* of registers, then of constants */
    size_t row_bytes;    /* from one row to the next */
    const void *at[256]; /* where the values of a register or constant stand */
};

/* Where the values that a load or a place gives stand: `row`, which is the instruction's own, or elsewhere. */
typedef const void *gf_cpu_expr_read(void *context, const struct gf_expr_insn *insn, uint32_t machine,
                                     unsigned char *row);

static inline unsigned char *gf_cpu_expr_row(const struct gf_cpu_expr_rows *r, size_t i)
{
    return r->rows + i * r->row_bytes;
}

/* Rows that the program takes. */
static inline size_t gf_cpu_expr_n_rows(const struct gf_expr_program *program)
{
    return program->n_registers + program->n_constants;
}

/* Bytes of a value of a machine type. */
static inline size_t gf_cpu_expr_size(uint32_t machine)
{
    return machine == GF_EXPR_M_I32 || machine == GF_EXPR_M_F32 ? sizeof(int32_t) : sizeof(int64_t);
}

/* The type that samples of a dtype are as they are stored; 0: none. */
uint32_t gf_cpu_expr_machine_of(uint32_t dtype);
/* n times the `size` bytes at the row's start. */
void gf_cpu_expr_repeat(unsigned char *row, size_t size, size_t n);
/* Fills the rows of constants with n values each. Once, before programs run on up to as many. */
void gf_cpu_expr_fill(struct gf_cpu_expr_rows *r, size_t n);
/* Runs the program on n values, rounded up to GF_EXPR_ROW_STEP. Values of arguments stand where at[] says. */
void gf_cpu_expr_run(struct gf_cpu_expr_rows *r, gf_cpu_expr_read *read, void *context, size_t n);

#endif
