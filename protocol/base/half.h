/* SPDX-License-Identifier: MIT */
/*
 * Converts f16, IEEE 754 half precision, from and to f32 by its bits, for compilers without such a type. Used by the
 * CPU kernels and wherever samples are text.
 */
#ifndef GF_PROTOCOL_HALF_H
#define GF_PROTOCOL_HALF_H

#include <stdint.h>
#include <string.h>

/* Exact. The multiplication restores the exponent, which the shift leaves 112 too small, for denormals too; infinities
 * and NaN get theirs set. */
static inline float gf_half_to_f32(uint16_t half)
{
    uint32_t magnitude = half & 0x7FFFu, bits = magnitude << 13;
    float v;
    memcpy(&v, &bits, sizeof v);
    v *= 0x1p112f;
    memcpy(&bits, &v, sizeof bits);
    bits |= (magnitude >= 0x7C00u ? 0x7F800000u : 0u) | (uint32_t)(half & 0x8000u) << 16;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Rounds to nearest, ties to even. Values from half a unit above 65504 become infinity; every NaN becomes 0x7E00. */
static inline uint16_t gf_half_from_f32(float v)
{
    uint32_t bits, small_bits;
    memcpy(&bits, &v, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
    /* Floats from 1/2 to 1 have the unit of denormal halves, so the sum is rounded to it. */
    float small;
    memcpy(&small, &magnitude, sizeof small);
    small += 0.5f;
    memcpy(&small_bits, &small, sizeof small_bits);
    uint32_t normal = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t half = magnitude < 0x38800000u ? small_bits - 0x3F000000u : normal;
    half = magnitude >= 0x47800000u ? 0x7C00u : half;
    return (uint16_t)(magnitude > 0x7F800000u ? 0x7E00u : half | sign);
}

/* Replaces every NaN by 0x7E00. */
static inline uint16_t gf_half_canonical(uint16_t half)
{
    return (half & 0x7FFFu) > 0x7C00u ? 0x7E00 : half;
}

#endif
