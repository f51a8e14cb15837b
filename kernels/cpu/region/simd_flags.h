/* SPDX-License-Identifier: MIT */
/*
 * Packs flags of pixels into bits, for the instruction set that a file is compiled for. Included by simd_region.c and
 * simd_canny.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_FLAGS_H
#define GF_KERNELS_CPU_SIMD_FLAGS_H

#include "kernels/cpu/simd/simd_isa.h"

#define GF_FLAGS 64 /* flags per word */

/* Packs GF_FLAGS flags, each 0 or 1, into bits. */
GF_ALWAYS uint64_t gf_flags_pack(const uint8_t *flags)
{
#if GF_LANES == 16
    __m512i f = _mm512_loadu_si512(flags);
    return _mm512_test_epi8_mask(f, f);
#else
    uint64_t word = 0, eight;
    for (unsigned i = 0; i < GF_FLAGS; i += 8) { /* the product moves flag k of eight to bit 56 + k */
        memcpy(&eight, flags + i, sizeof(eight));
        word |= (eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return word;
#endif
}

#endif
