/* SPDX-License-Identifier: MIT */
/* Chains of 1-D kernels, up to 8 vectors of results at a time, so that sums stay in registers while all taps go by.
 * Compiled once per instruction set. */
#include "row_wide.h"

#define MANY 8

typedef double gf_vd_any __attribute__((vector_size(GF_LANES * 4), aligned(8), may_alias));
typedef uint64_t gf_vu_any __attribute__((vector_size(GF_LANES * 4), aligned(8), may_alias));

static inline uint64_t whole_fma(uint64_t a, uint64_t b, uint64_t c)
{
    return c + a * b;
}

/* One function per kind: T is an element, V a vector of LANES of them, ANY one at any address. */
#define DEFINE(name, T, V, ANY, LANES, set, multiply_add, one)                                                         \
    GF_ALWAYS void name##_block(const struct gf_cpu_chain *chain, size_t at, int vectors)                              \
    {                                                                                                                  \
        T *acc = (T *)chain->acc + at;                                                                                 \
        const T *x = (const T *)chain->x + at, *taps = chain->taps;                                                    \
        V sum[MANY];                                                                                                   \
        for (int v = 0; v < vectors; v++)                                                                              \
            sum[v] = *(const ANY *)(acc + v * (LANES));                                                                \
        for (size_t k = 0; k < chain->depth; k++, x += chain->step) {                                                  \
            V factor = set(taps[k]);                                                                                   \
            for (int v = 0; v < vectors; v++)                                                                          \
                sum[v] = multiply_add(*(const ANY *)(x + v * (LANES)), factor, sum[v]);                                \
        }                                                                                                              \
        for (int v = 0; v < vectors; v++)                                                                              \
            *(ANY *)(acc + v * (LANES)) = sum[v];                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    static void name(const struct gf_cpu_chain *chain)                                                                 \
    {                                                                                                                  \
        T *acc = chain->acc;                                                                                           \
        const T *x = chain->x, *taps = chain->taps;                                                                    \
        size_t i = 0;                                                                                                  \
        for (; i + MANY * (LANES) <= chain->n; i += MANY * (LANES))                                                    \
            name##_block(chain, i, MANY);                                                                              \
        for (; i + 2 * (LANES) <= chain->n; i += 2 * (LANES))                                                          \
            name##_block(chain, i, 2);                                                                                 \
        for (; i + (LANES) <= chain->n; i += (LANES))                                                                  \
            name##_block(chain, i, 1);                                                                                 \
        for (; i < chain->n; i++)                                                                                      \
            for (size_t k = 0; k < chain->depth; k++)                                                                  \
                acc[i] = one(x[i + k * chain->step], taps[k], acc[i]);                                                 \
    }

DEFINE(chain_f32, float, gf_vf, gf_vf_any, GF_LANES, gf_vf_set, gf_vf_fma, fmaf)
DEFINE(chain_f64, double, gf_vd, gf_vd_any, GF_HALF, gf_vd_set, gf_vd_fma, fma)
DEFINE(chain_signed, uint64_t, gf_vu, gf_vu_any, GF_HALF, gf_vu_set, gf_vu_fma, whole_fma)
DEFINE(chain_unsigned, uint64_t, gf_vu, gf_vu_any, GF_HALF, gf_vu_set, gf_vu_fma_unsigned, whole_fma)

void GF_ISA_NAME(gf_cpu_row_chain)(uint32_t kind, const struct gf_cpu_chain *chain)
{
    if (kind == GF_CHAIN_F32)
        chain_f32(chain);
    else if (kind == GF_CHAIN_F64)
        chain_f64(chain);
    else if (kind == GF_CHAIN_SIGNED)
        chain_signed(chain);
    else
        chain_unsigned(chain);
}
