/* SPDX-License-Identifier: MIT */
/*
 * The bins of a histogram: their edges, and the bin of a sample, by docs/numerics.md, "Edges and bins". Host and device
 * compile the same text, so both give the same bin by construction. Used by the counting code of both backends.
 */
#ifndef GF_KERNELS_BINS_H
#define GF_KERNELS_BINS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GF_BOTH static __host__ __device__ __forceinline__
#else
#define GF_BOTH static inline
#endif

/* How a sample is given: a double that is exact, an integer of up to 32 bits as int64_t, or 64 bits with the nearest
 * double. */
enum gf_bins_kind { GF_BINS_FLOAT, GF_BINS_INT, GF_BINS_S64, GF_BINS_U64 };

/* A histogram has three more counters after the last bin. */
#define GF_BINS_EXTRA 3u

struct gf_bins {
    double lo, hi;            /* E[0] and E[bins], as stored */
    double base, step, twice; /* E[k] = twice * (k * step + base), at most hi */
    double inverse;           /* bins per unit */
    double slack; /* in bins: an estimate nearer than this to an edge is compared with it; 1: estimates are useless */
    uint32_t bins;
    int64_t first;      /* for unit bins */
    bool f32;           /* edges are rounded to f32 */
    bool closed;        /* hi belongs to the last bin */
    bool unit;          /* bin k holds the integer first + k */
    const double *list; /* given edges, which replace all of the above; otherwise NULL */
};

GF_BOTH double gf_bins_round(const struct gf_bins *b, double e)
{
    return b->f32 ? (double)(float)e : e;
}

/* E[k], k = 0..bins. */
GF_BOTH double gf_bins_edge(const struct gf_bins *b, uint32_t k)
{
    if (b->list)
        return b->list[k];
    double e = b->twice * ((double)k * b->step + b->base);
    return k >= b->bins || e >= b->hi ? b->hi : gf_bins_round(b, e);
}

/* Makes bins from lo to hi, lo <= hi and finite. `f32`: the samples are f32. */
GF_BOTH struct gf_bins gf_bins_make(double lo, double hi, uint32_t bins, bool f32, bool closed)
{
    struct gf_bins b;
    double range;
    lo = lo + 0.0;
    hi = hi + 0.0;
    range = hi - lo;
    b.bins = bins;
    b.f32 = f32;
    b.closed = closed;
    b.twice = range <= DBL_MAX ? 1.0 : 2.0;
    b.base = lo / b.twice;
    b.step = (range <= DBL_MAX ? range : hi / 2 - lo / 2) / (double)bins;
    b.hi = gf_bins_round(&b, hi);
    b.lo = gf_bins_round(&b, b.twice * (0.0 * b.step + b.base));
    if (b.lo > b.hi)
        b.lo = b.hi;
    b.inverse = 1.0 / b.step;
    /* The error that rounding can add to an estimate and an edge, in bins, with a margin. */
    b.slack = (fmax(fabs(lo), fabs(hi)) * (f32 ? 0x1p-22 : 0x1p-50) + (f32 ? 0x1p-140 : 0.0)) / b.step +
              (double)bins * 0x1p-48;
    if (!(b.slack < 0.25) || b.twice != 1.0 || b.step < 0x1p-900 || !(fabs(b.lo) <= DBL_MAX && fabs(b.hi) <= DBL_MAX))
        b.slack = 1.0;
    /* The range may have been rounded to a whole number, so hi is checked itself. */
    b.unit = b.step == 1.0 && floor(lo) == lo && fabs(lo) < 0x1p52 && hi == lo + (double)bins;
    b.first = b.unit ? (int64_t)lo : 0;
    b.list = 0;
    return b;
}

/* Makes bins between bins + 1 given edges in ascending order; lo and hi are the outer ones. The edges are not copied,
 * and are read only where bins are looked up. */
GF_BOTH struct gf_bins gf_bins_of_list(const double *list, double lo, double hi, uint32_t bins, bool closed)
{
    struct gf_bins b;
    memset(&b, 0, sizeof b);
    b.lo = lo;
    b.hi = hi;
    b.bins = bins;
    b.closed = closed;
    b.slack = 1.0;
    b.list = list;
    return b;
}

/* Whether e <= the sample, exactly. */
GF_BOTH bool gf_bins_reaches(enum gf_bins_kind kind, double v, uint64_t bits, double e)
{
    if (kind == GF_BINS_S64)
        return e <= -0x1p63 || (e <= 0x1.fffffffffffffp62 && (int64_t)ceil(e) <= (int64_t)bits);
    if (kind == GF_BINS_U64)
        return e <= 0.0 || (e <= 0x1.fffffffffffffp63 && (uint64_t)ceil(e) <= bits);
    return e <= v;
}

GF_BOTH bool gf_bins_equals(enum gf_bins_kind kind, double v, uint64_t bits, double e)
{
    if (kind == GF_BINS_S64)
        return e >= -0x1p63 && e <= 0x1.fffffffffffffp62 && floor(e) == e && (int64_t)e == (int64_t)bits;
    if (kind == GF_BINS_U64)
        return e >= 0.0 && e <= 0x1.fffffffffffffp63 && floor(e) == e && (uint64_t)e == bits;
    return e == v;
}

/* The bin of a sample in [E[0], E[bins]), by bisection. */
GF_BOTH uint32_t gf_bins_search(const struct gf_bins *b, enum gf_bins_kind kind, double v, uint64_t bits)
{
    uint32_t lo = 0, hi = b->bins;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (gf_bins_reaches(kind, v, bits, gf_bins_edge(b, mid)))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The counter of a sample: its bin, or bins + 0 for below, + 1 for above, + 2 for NaN. `v` is the sample, rounded to
 * nearest for 64-bit integers, of which `bits` has all bits. GF_BINS_FLOAT does not read `bits`. */
GF_BOTH uint32_t gf_bins_find(const struct gf_bins *b, enum gf_bins_kind kind, double v, uint64_t bits)
{
    if (kind == GF_BINS_INT && b->unit) {
        int64_t k = (int64_t)bits - b->first;
        if (k >= 0 && k < (int64_t)b->bins)
            return (uint32_t)k;
        return k < 0 ? b->bins : k == (int64_t)b->bins && b->closed ? b->bins - 1 : b->bins + 1;
    }
    if (kind == GF_BINS_FLOAT && v != v)
        return b->bins + 2;
    if (!gf_bins_reaches(kind, v, bits, b->lo))
        return b->bins;
    if (gf_bins_reaches(kind, v, bits, b->hi))
        return b->closed && gf_bins_equals(kind, v, bits, b->hi) ? b->bins - 1 : b->bins + 1;
    if (b->slack >= 1.0)
        return gf_bins_search(b, kind, v, bits);
    /* Adding 1.5 * 2^52 rounds the estimate to the nearest edge n, whose number is then in the low bits. */
    double estimate = (v - b->lo) * b->inverse, rounded = estimate + 0x1.8p52, off = estimate - (rounded - 0x1.8p52);
    uint64_t rounded_bits;
    memcpy(&rounded_bits, &rounded, sizeof rounded_bits);
    int32_t n = (int32_t)(uint32_t)rounded_bits;
    bool past = off > 0.0;
    if (fabs(off) <= b->slack) {
        if (n <= 0)
            return 0;
        if (n >= (int32_t)b->bins)
            return b->bins - 1;
        past = gf_bins_reaches(kind, v, bits, gf_bins_edge(b, (uint32_t)n));
    }
    return (uint32_t)(past ? n : n - 1);
}

#endif
