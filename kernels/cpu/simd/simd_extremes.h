/* SPDX-License-Identifier: MIT */
/* IEEE 754 minimum and maximum of vectors, for the simd_*.c files. NaN wins; -0 is below +0. */
#ifndef GF_KERNELS_CPU_SIMD_EXTREMES_H
#define GF_KERNELS_CPU_SIMD_EXTREMES_H

#include "simd_isa.h"

/* The processor's minimum returns its second operand if both are zeros or one is NaN. ORing the results of both operand
 * orders therefore keeps the sign of -0, and keeps NaN. */
static inline gf_vf gf_vf_minimum(gf_vf a, gf_vf b)
{
#if GF_LANES == 16
    return _mm512_or_ps(_mm512_min_ps(a, b), _mm512_min_ps(b, a));
#elif GF_LANES == 8
    return _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a));
#else
    gf_vf r = gf_vf_select(a < b, a, b);
    r = gf_vf_select(a == b, (gf_vf)((gf_vi)a | (gf_vi)b), r);
    return gf_vf_select(a == a, r, a);
#endif
}

static inline gf_vf gf_vf_maximum(gf_vf a, gf_vf b)
{
#if GF_LANES == 16
    gf_vf r = _mm512_and_ps(_mm512_max_ps(a, b), _mm512_max_ps(b, a));
    return _mm512_mask_add_ps(r, _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), a, b);
#elif GF_LANES == 8
    gf_vf r = _mm256_and_ps(_mm256_max_ps(a, b), _mm256_max_ps(b, a));
    return _mm256_blendv_ps(r, _mm256_add_ps(a, b), _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
#else
    gf_vf r = gf_vf_select(a > b, a, b);
    r = gf_vf_select(a == b, (gf_vf)((gf_vi)a & (gf_vi)b), r);
    return gf_vf_select(a == a, r, a);
#endif
}

#endif
