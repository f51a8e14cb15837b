/* SPDX-License-Identifier: MIT */
/* Great angles without their quarters of a turn, docs/numerics.md, "Functions". Called by the functions of both
 * floats.
 */
#include <math.h>
#include <stdbool.h>

#include "reference_functions.h"

#define HALF_PI_1 0x1.921fb54442d18p+0
#define HALF_PI_2 0x1.1a62633145c07p-54

__extension__ typedef unsigned __int128 u128;

/* 2 / pi, the first bit counting 1/2; by Machin's formula. */
static const uint64_t two_per_pi[] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
                                      0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
                                      0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
                                      0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
                                      0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D};

/* 64 bits of floor(2^shift * (2 / pi)), from the one that counts 2^first. */
static uint64_t bits_at(int shift, int first)
{
    uint64_t bits = 0;
    for (int j = 0; j < 64; j++) {
        int i = shift - (first + j) - 1; /* it counts 2^-(i + 1) of 2 / pi */
        if (i >= 0 && (two_per_pi[i / 64] >> (63 - i % 64) & 1) != 0)
            bits |= UINT64_C(1) << j;
    }
    return bits;
}

/* T of m * 2^e. */
static u128 turned(uint64_t m, int e)
{
    u128 low = (u128)m * bits_at(e + 190, 0), middle = (u128)m * bits_at(e + 190, 64) + (uint64_t)(low >> 64),
         high = (u128)m * bits_at(e + 190, 128) + (uint64_t)(middle >> 64);
    return high << 64 | (uint64_t)middle;
}

static int length(u128 v)
{
    int n = 0;
    for (; v != 0; v >>= 1)
        n++;
    return n;
}

/* The 53 leading bits of v * 2^-126, and what stays of v. */
static double leading(u128 v, int n_bits, u128 *ret_rest)
{
    int shift = n_bits > 53 ? n_bits - 53 : 0;
    *ret_rest = v - (v >> shift << shift);
    return ldexp((double)(uint64_t)(v >> shift), shift - 126);
}

struct gf_reference_angle gf_reference_far_angle(double u)
{
    int exponent;
    double fraction = frexp(u, &exponent); /* of 53 bits */
    u128 t = turned((uint64_t)ldexp(fraction, 53), exponent - 53), rest, none;
    uint32_t n = (uint32_t)(((t >> 125) + 1) >> 1);
    bool below = n == 4 || t < (u128)n << 126;
    u128 f_bits = below ? ((u128)n << 126) - t : t - ((u128)n << 126); /* 4 * 2^126 is 0 here, modulo 2^128 */
    int n_bits = length(f_bits);
    double f = leading(f_bits, n_bits, &rest), g = leading(rest, n_bits > 53 ? n_bits - 53 : 0, &none);
    double r = f * HALF_PI_1, d = fma(f, HALF_PI_2, fma(g, HALF_PI_1, fma(f, HALF_PI_1, -r)));
    return (struct gf_reference_angle){.r = below ? -r : r, .d = below ? -d : d, .quarters = n % 4};
}
