/* SPDX-License-Identifier: MIT */
/* The difference of two buffers, docs/numerics.md, "compare". Compiled once per instruction set; called by the
 * reductions. */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_isa.h"

/* Subtracts 64-bit integers by their keys: keys of u64 are shifted by the same number, which cancels. */
static void subtract_keys(double *restrict x, const int64_t *restrict a, const int64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t up = (uint64_t)a[i] - (uint64_t)b[i], down = (uint64_t)b[i] - (uint64_t)a[i];
        x[i] = a[i] < b[i] ? -(double)down : (double)up;
    }
}

static void subtract_values(double *restrict x, const double *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool same = (x[i] == y[i]) | ((x[i] != x[i]) & (y[i] != y[i]));
        x[i] = same ? 0.0 : x[i] - y[i];
    }
}

void GF_ISA_NAME(gf_simd_subtract)(uint32_t dtype, struct gf_cpu_elements *s, const int64_t *others)
{
    if (dtype == GF_U64 || dtype == GF_I64)
        subtract_keys(s->x, s->keys, others, s->n);
    else
        subtract_values(s->x, s->y, s->n);
    for (size_t i = 0; i < s->n; i++)
        s->keys[i] = gf_key_f64(s->x[i]);
}
