/* SPDX-License-Identifier: MIT */
/*
 * quantile (docs/numerics.md, "quantile"), alike on every backend: samples as keys, which are unsigned numbers in their
 * order; the ranks that a quantile lies between; the value made of both. Read by C and CUDA.
 */
#ifndef GF_KERNELS_QUANTILE_H
#define GF_KERNELS_QUANTILE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/shared/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_QUANTILE_RANKS (2u * GF_MAX_VALUES) /* the most ranks of all quantiles of a sequence */

/* The position of a quantile: between the elements of two ranks, at `weight` above the lower one. */
struct gf_quantile_place {
    uint64_t lower, upper;
    double weight;
};

/* The position in n > 0 elements. */
GF_EVERYWHERE struct gf_quantile_place gf_quantile_place(uint32_t method, double q, uint64_t n)
{
    const double at = (double)(n - 1) * q, below = floor(at);
    struct gf_quantile_place place = {(uint64_t)below, 0, 0.0};
    if (method == GF_QUANTILE_LINEAR)
        place.weight = at - below;
    else if (method == GF_QUANTILE_MIDPOINT)
        place.weight = at > below ? 0.5 : 0.0;
    else if (method == GF_QUANTILE_HIGHER)
        place.lower = (uint64_t)ceil(at);
    else if (method == GF_QUANTILE_NEAREST)
        place.lower = (uint64_t)rint(at);
    place.upper = place.lower + (place.weight > 0.0 ? 1 : 0);
    return place;
}

/* Lists the ranks that n_q quantiles of n > 0 elements lie between, ascending and distinct. Returns their number. */
GF_EVERYWHERE uint32_t gf_quantile_ranks(uint32_t method, const double *q, uint32_t n_q, uint64_t n, uint64_t *ret)
{
    uint32_t n_ranks = 0;
    for (uint32_t i = 0; i < 2 * n_q; i++) {
        const struct gf_quantile_place place = gf_quantile_place(method, q[i / 2], n);
        const uint64_t rank = i % 2 == 0 ? place.lower : place.upper;
        uint32_t k = n_ranks;
        while (k > 0 && ret[k - 1] > rank)
            k--;
        if (k > 0 && ret[k - 1] == rank)
            continue;
        for (uint32_t to = n_ranks; to > k; to--)
            ret[to] = ret[to - 1];
        ret[k] = rank;
        n_ranks++;
    }
    return n_ranks;
}

/* The key of a sample of `bits` bits, in the lowest bits. NaN, whatever its sign, is above all, and -0 is below +0,
 * which no result reveals. */
GF_EVERYWHERE uint64_t gf_quantile_key(uint32_t dtype, uint64_t sample, uint32_t bits)
{
    const uint64_t all = UINT64_MAX >> (64 - bits), sign = all / 2 + 1;
    if (!gf_is_float(dtype))
        return gf_is_signed(dtype) ? sample ^ sign : sample;
    const uint64_t infinity = bits == 32 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
    if ((sample & ~sign) > infinity)
        return all;
    return (sample & sign) != 0 ? ~sample & all : sample | sign;
}

/* The f64 nearest to the sample of a key. */
GF_EVERYWHERE double gf_quantile_value(uint32_t dtype, uint64_t key, uint32_t bits)
{
    const uint64_t all = UINT64_MAX >> (64 - bits), sign = all / 2 + 1;
    if (gf_is_float(dtype)) {
        const uint64_t sample = (key & sign) != 0 ? key ^ sign : ~key & all;
        const uint32_t half = (uint32_t)sample;
        float single;
        double v;
        memcpy(&single, &half, sizeof single);
        memcpy(&v, &sample, sizeof v);
        return bits == 32 ? (double)single : v;
    }
    if (!gf_is_signed(dtype))
        return (double)key;
    return (key & sign) != 0 ? (double)(key ^ sign) : -(double)(sign - key);
}

/* The quantile at `weight` between two keys of samples that are not NaN, lower <= upper. */
GF_EVERYWHERE double gf_quantile_between(uint32_t dtype, uint32_t bits, uint64_t lower, uint64_t upper, double weight)
{
    const double a = gf_quantile_value(dtype, lower, bits), b = gf_quantile_value(dtype, upper, bits);
    if (weight == 0.0 || a == b)
        return a + 0.0;
    const double d = gf_is_float(dtype) ? b - a : (double)(upper - lower), rest = 1.0 - weight;
    double v;
    if (!(d <= DBL_MAX))
        v = a * rest + b * weight;
    else
        v = weight < 0.5 ? a + d * weight : b - d * rest;
    return v == v ? v + 0.0 : (double)NAN;
}

#ifdef __cplusplus
}
#endif
#endif
