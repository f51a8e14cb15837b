/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of products, compiled once per instruction set (simd_matmul.c, simd_conv1d.c). Called by matmul.c and
 * conv1d.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_LINALG_H
#define GF_KERNELS_CPU_SIMD_LINALG_H

#include <stddef.h>
#include <stdint.h>

#define GF_MATMUL_ROWS 64u   /* of a tile of the product */
#define GF_MATMUL_COLS 128u  /* of a tile of the product */
#define GF_MATMUL_DEPTH 128u /* columns of a and rows of b that are packed at once */

/* How elements are held while matrices are multiplied: f32, f64, or as integers of 64 bits. */
enum gf_cpu_matmul_kind { GF_MATMUL_F32, GF_MATMUL_F64, GF_MATMUL_INT };

/* A tile: acc[i][j] goes on with a[k][i] * b[k][j], k ascending. Rows of a are GF_MATMUL_ROWS elements apart, those of
 * b and acc GF_MATMUL_COLS; all is aligned to 64 bytes. `rows` and `cols` may be rounded up to 8 and to 32. Integers
 * are within 32 bits, their sums modulo 2^64. */
struct gf_cpu_matmul {
    void *acc;
    const void *a, *b;
    size_t rows, cols, depth;
};

/* How elements are held while a 1-D kernel is applied: f32, f64, or as integers of 64 bits that are within 32 bits with
 * or without sign. */
enum gf_cpu_conv1d_kind { GF_CONV1D_F32, GF_CONV1D_F64, GF_CONV1D_SIGNED, GF_CONV1D_UNSIGNED };

/* n results: acc[i] goes on with x[i + k * step] * taps[k], k ascending below depth; integers modulo 2^64. All at the
 * alignment of an element. */
struct gf_cpu_conv1d_tile {
    void *acc;
    const void *x, *taps;
    size_t n, step, depth;
};

struct gf_simd_linalg {
    /* One part of the depth of a tile of a product of matrices. */
    void (*matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);
    /* Some taps of a 1-D kernel. */
    void (*conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);
void GF_ISA_NAME(gf_simd_conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d);
#endif

#endif
