/* SPDX-License-Identifier: MIT */
/*
 * The power of numerics.md 11: the one function that both backends run on samples. Sums, products, one quotient, fma
 * and bits of f64 alone, so that every device gives the same result.
 */
#ifndef GF_KERNELS_GAMMA_H
#define GF_KERNELS_GAMMA_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GF_ANY_DEVICE __device__ __forceinline__
#else
#define GF_ANY_DEVICE inline
#endif

static GF_ANY_DEVICE uint64_t gf_f64_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static GF_ANY_DEVICE double gf_f64_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* The logarithm to base 2 of a positive normal number m * 2^e, m from 0x1.6a09ep-1 to twice that. */
static GF_ANY_DEVICE double gf_log2(double x)
{
    const uint64_t lowest = UINT64_C(0x3FE6A09E00000000), bias = 1023;
    const uint64_t above = gf_f64_bits(x) - lowest;
    const double m = gf_f64_of((above & UINT64_C(0x000FFFFFFFFFFFFF)) + lowest);
    /* e + bias stands in the low bits of 2^52. */
    const uint64_t biased = (above + (bias << 52)) >> 52;
    const double e = gf_f64_of(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 0x1.89f3b1694cffep-3;
    p = fma(p, z, 0x1.c68f568d31760p-3);
    p = fma(p, z, 0x1.0c9a84994022dp-2);
    p = fma(p, z, 0x1.484b13d7c02a9p-2);
    p = fma(p, z, 0x1.a61762a7aded9p-2);
    p = fma(p, z, 0x1.2776c50ef9bfep-1);
    p = fma(p, z, 0x1.ec709dc3a03fdp-1);
    p = fma(p, z, 0x1.71547652b82fep+1);
    return fma(s, p, e);
}

/* 2^y for y from -1000 to 1000. */
static GF_ANY_DEVICE double gf_exp2(double y)
{
    /* The whole part stands in the low bits of 1.5 * 2^52. */
    const double shifted = y + 0x1.8p52, r = y - (shifted - 0x1.8p52);
    double p = 0x1.e8cac7351bb25p-32;
    p = fma(p, r, 0x1.e4cf5158b8ecap-28);
    p = fma(p, r, 0x1.b5253d395e7c4p-24);
    p = fma(p, r, 0x1.62c0223a5c824p-20);
    p = fma(p, r, 0x1.ffcbfc588b0c7p-17);
    p = fma(p, r, 0x1.430912f86c787p-13);
    p = fma(p, r, 0x1.5d87fe78a6731p-10);
    p = fma(p, r, 0x1.3b2ab6fba4e77p-7);
    p = fma(p, r, 0x1.c6b08d704a0c0p-5);
    p = fma(p, r, 0x1.ebfbdff82c58fp-3);
    p = fma(p, r, 0x1.62e42fefa39efp-1);
    p = fma(p, r, 1.0);
    return gf_f64_of(gf_f64_bits(p) + (gf_f64_bits(shifted) << 52));
}

/* v to the power of gamma; v <= 0 gives +0, infinity and NaN stay. */
static GF_ANY_DEVICE float gf_gamma(float v, float gamma)
{
    const float inside = v > 0.0f && v < HUGE_VALF ? v : 1.0f;
    double y = (double)gamma * gf_log2((double)inside);
    y = y < -1000.0 ? -1000.0 : y;
    y = y > 1000.0 ? 1000.0 : y;
    const float power = (float)gf_exp2(y);
    return v <= 0.0f ? 0.0f : v < HUGE_VALF ? power : v;
}

#endif
