/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of products, compiled once per instruction set (simd_matmul.c, simd_conv1d.c). Called by matmul.c and
 * conv1d.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_LINALG_H
#define GF_KERNELS_CPU_SIMD_LINALG_H

#include <stddef.h>
#include <stdint.h>

#define GF_MATMUL_ROWS 64u   /* rows of a tile of the product */
#define GF_MATMUL_COLS 128u  /* columns of a tile of the product */
#define GF_MATMUL_DEPTH 128u /* columns of a and rows of b packed at a time */

/* The form of elements in a matrix product: f32, f64, or 64-bit integers. */
enum gf_cpu_matmul_kind { GF_MATMUL_F32, GF_MATMUL_F64, GF_MATMUL_INT };

/* A tile: adds a[k][i] * b[k][j] to acc[i][j], k ascending. Rows of a are GF_MATMUL_ROWS elements apart, rows of b and
 * acc GF_MATMUL_COLS. All memory must be 64-byte aligned. `rows` and `cols` may be rounded up to multiples of 8 and 32.
 * Integers must fit in 32 bits; their sums are modulo 2^64. */
struct gf_cpu_matmul {
    void *acc;
    const void *a, *b;
    size_t rows, cols, depth;
};

/* The form of elements for a 1-D kernel: f32, f64, or 64-bit integers that fit in 32 bits with or without sign. */
enum gf_cpu_conv1d_kind { GF_CONV1D_F32, GF_CONV1D_F64, GF_CONV1D_SIGNED, GF_CONV1D_UNSIGNED };

/* n results: adds x[i + k * step] * taps[k] to acc[i], for k from 0 to depth - 1 in order; integers modulo 2^64. All
 * pointers must be aligned to an element. */
struct gf_cpu_conv1d_tile {
    void *acc;
    const void *x, *taps;
    size_t n, step, depth;
};

struct gf_simd_linalg {
    /* Multiplies one block of the depth of a tile. */
    void (*matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);
    /* Applies some taps of a 1-D kernel. */
    void (*conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);
void GF_ISA_NAME(gf_simd_conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d);
#endif

#endif
