/* SPDX-License-Identifier: MIT */
/*
 * The chains of 1-D kernels: up to 8 vectors of results at a time, so that sums stay in registers while all taps are
 * applied. Compiled once per instruction set.
 */
#include "simd_linalg.h"

#include "kernels/cpu/simd/simd_wide.h"

#define MANY 8

static inline uint64_t int_fma(uint64_t a, uint64_t b, uint64_t c)
{
    return c + a * b;
}

/* Defines the function of one kind: T is an element, V a vector of LANES elements, ANY the same vector at any
 * address. */
#define DEFINE(name, T, V, ANY, LANES, set, multiply_add, one)                                                         \
    GF_ALWAYS void name##_block(const struct gf_cpu_conv1d_tile *conv1d, size_t at, int vectors)                       \
    {                                                                                                                  \
        T *acc = (T *)conv1d->acc + at;                                                                                \
        const T *x = (const T *)conv1d->x + at, *taps = conv1d->taps;                                                  \
        V sum[MANY];                                                                                                   \
        for (int v = 0; v < vectors; v++)                                                                              \
            sum[v] = *(const ANY *)(acc + v * (LANES));                                                                \
        for (size_t k = 0; k < conv1d->depth; k++, x += conv1d->step) {                                                \
            V factor = set(taps[k]);                                                                                   \
            for (int v = 0; v < vectors; v++)                                                                          \
                sum[v] = multiply_add(*(const ANY *)(x + v * (LANES)), factor, sum[v]);                                \
        }                                                                                                              \
        for (int v = 0; v < vectors; v++)                                                                              \
            *(ANY *)(acc + v * (LANES)) = sum[v];                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    static void name(const struct gf_cpu_conv1d_tile *conv1d)                                                          \
    {                                                                                                                  \
        T *acc = conv1d->acc;                                                                                          \
        const T *x = conv1d->x, *taps = conv1d->taps;                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + MANY * (LANES) <= conv1d->n; i += MANY * (LANES))                                                   \
            name##_block(conv1d, i, MANY);                                                                             \
        for (; i + 2 * (LANES) <= conv1d->n; i += 2 * (LANES))                                                         \
            name##_block(conv1d, i, 2);                                                                                \
        for (; i + (LANES) <= conv1d->n; i += (LANES))                                                                 \
            name##_block(conv1d, i, 1);                                                                                \
        for (; i < conv1d->n; i++)                                                                                     \
            for (size_t k = 0; k < conv1d->depth; k++)                                                                 \
                acc[i] = one(x[i + k * conv1d->step], taps[k], acc[i]);                                                \
    }

DEFINE(conv1d_f32, float, gf_vf, gf_vf_any, GF_LANES, gf_vf_set, gf_vf_fma, fmaf)
DEFINE(conv1d_f64, double, gf_vd, gf_vd_any, GF_HALF, gf_vd_set, gf_vd_fma, fma)
DEFINE(conv1d_signed, uint64_t, gf_vu, gf_vu_any, GF_HALF, gf_vu_set, gf_vu_fma, int_fma)
DEFINE(conv1d_unsigned, uint64_t, gf_vu, gf_vu_any, GF_HALF, gf_vu_set, gf_vu_fma_unsigned, int_fma)

void GF_ISA_NAME(gf_simd_conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d)
{
    if (kind == GF_CONV1D_F32)
        conv1d_f32(conv1d);
    else if (kind == GF_CONV1D_F64)
        conv1d_f64(conv1d);
    else if (kind == GF_CONV1D_SIGNED)
        conv1d_signed(conv1d);
    else
        conv1d_unsigned(conv1d);
}
