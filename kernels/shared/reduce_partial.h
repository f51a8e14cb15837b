/* SPDX-License-Identifier: MIT */
/*
 * The quantities of a part of a sequence (docs/numerics.md, "reduce"): how two neighbouring parts are joined, and how
 * parts are stored in memory, alike on every backend. Read by C and CUDA.
 */
#ifndef GF_KERNELS_REDUCE_PARTIAL_H
#define GF_KERNELS_REDUCE_PARTIAL_H

#include <math.h>
#include <string.h>

#include "reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_NO_INDEX UINT64_MAX

__extension__ typedef __int128 gf_i128;
__extension__ typedef unsigned __int128 gf_u128;

/* The quantities of a part of a sequence. Extremes are keys: numbers in the order of the elements (gf_key_*). */
struct gf_partial {
    int64_t min_key, max_key;
    uint64_t argmin, argmax; /* GF_NO_INDEX: no element */
    uint64_t nans, first_nan;
    uint64_t nonzero;
    gf_i128 sum;
    gf_u128 abs, squares;
    uint64_t product, magnitude; /* modulo 2^64; product of |x| other than 0, saturated */
    uint64_t product_flags;      /* GF_PRODUCT_* */
    double tree_sum, tree_product, tree_abs, tree_squares, dot;
    double n, mean, spread; /* n is 0 if there is no element */
};

#define GF_PRODUCT_ZERO 1u     /* an element is 0 */
#define GF_PRODUCT_NEGATIVE 2u /* an odd number of elements is negative */
#define GF_PRODUCT_BIG 4u      /* the magnitude does not fit in 64 bits */

/* A part without elements. */
GF_EVERYWHERE struct gf_partial gf_partial_empty(void)
{
    struct gf_partial p;
    memset(&p, 0, sizeof(p));
    p.argmin = p.argmax = p.first_nan = GF_NO_INDEX;
    p.product = p.magnitude = 1;
    p.tree_sum = p.tree_abs = p.tree_squares = p.dot = -0.0;
    p.tree_product = 1.0;
    return p;
}

/* Keys of floats: -0 is -1 and +0 is 0; the search for an index treats them as equal. */
GF_EVERYWHERE int64_t gf_key_f64(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof(b));
    return b ^ ((b >> 63) & INT64_MAX);
}

GF_EVERYWHERE int32_t gf_key_f32(float x)
{
    int32_t b;
    memcpy(&b, &x, sizeof(b));
    return b ^ ((b >> 31) & INT32_MAX);
}

GF_EVERYWHERE int64_t gf_key_u64(uint64_t x)
{
    return (int64_t)(x ^ (UINT64_C(1) << 63));
}

GF_EVERYWHERE int64_t gf_key_canonical(bool real, int64_t key)
{
    return real && key == -1 ? 0 : key;
}

GF_EVERYWHERE void gf_partial_join_extremes(bool real, struct gf_partial *a, const struct gf_partial *b)
{
    if (b->argmin == GF_NO_INDEX)
        return;
    if (a->argmin == GF_NO_INDEX) {
        a->min_key = b->min_key;
        a->argmin = b->argmin;
        a->max_key = b->max_key;
        a->argmax = b->argmax;
        return;
    }
    int64_t ka = gf_key_canonical(real, a->min_key), kb = gf_key_canonical(real, b->min_key);
    if (kb < ka || (kb == ka && b->argmin < a->argmin))
        a->argmin = b->argmin;
    if (b->min_key < a->min_key)
        a->min_key = b->min_key;
    ka = gf_key_canonical(real, a->max_key);
    kb = gf_key_canonical(real, b->max_key);
    if (kb > ka || (kb == ka && b->argmax < a->argmax))
        a->argmax = b->argmax;
    if (b->max_key > a->max_key)
        a->max_key = b->max_key;
}

GF_EVERYWHERE void gf_partial_join_product(struct gf_partial *a, const struct gf_partial *b)
{
    gf_u128 magnitude = (gf_u128)a->magnitude * b->magnitude;
    bool big = (uint64_t)(magnitude >> 64) != 0;
    a->product *= b->product;
    a->magnitude = big ? UINT64_MAX : (uint64_t)magnitude;
    a->product_flags = ((a->product_flags | b->product_flags) & (GF_PRODUCT_ZERO | GF_PRODUCT_BIG)) |
                       ((a->product_flags ^ b->product_flags) & GF_PRODUCT_NEGATIVE) | (big ? GF_PRODUCT_BIG : 0);
}

/* Multiplies by one element, given by its value modulo 2^64, its magnitude and its sign. */
GF_EVERYWHERE void gf_partial_times(struct gf_partial *a, uint64_t value, uint64_t magnitude, bool negative)
{
    struct gf_partial x = *a;
    x.product = value;
    x.magnitude = magnitude == 0 ? 1 : magnitude;
    x.product_flags = (magnitude == 0 ? GF_PRODUCT_ZERO : 0) | (negative ? GF_PRODUCT_NEGATIVE : 0);
    gf_partial_join_product(a, &x);
}

GF_EVERYWHERE void gf_partial_join_spread(struct gf_partial *a, const struct gf_partial *b)
{
    if (b->n == 0.0)
        return;
    if (a->n == 0.0) {
        a->n = b->n;
        a->mean = b->mean;
        a->spread = b->spread;
        return;
    }
    double n = a->n + b->n, r = b->n / n, delta = b->mean - a->mean;
    a->mean = fma(delta, r, a->mean);
    a->spread = (a->spread + b->spread) + (delta * delta) * (a->n * r);
    a->n = n;
}

/* a = a o b, where the elements of b follow the elements of a. */
GF_EVERYWHERE void gf_partial_join(uint32_t want, bool real, struct gf_partial *a, const struct gf_partial *b)
{
    if (want & GF_WANT_EXTREMES)
        gf_partial_join_extremes(real, a, b);
    if (want & GF_WANT_NAN) {
        a->nans += b->nans;
        a->first_nan = b->first_nan < a->first_nan ? b->first_nan : a->first_nan;
    }
    if (want & GF_WANT_NONZERO)
        a->nonzero += b->nonzero;
    if (want & GF_WANT_SUM)
        a->sum += b->sum;
    if (want & GF_WANT_ABS)
        a->abs += b->abs;
    if (want & GF_WANT_SQUARES)
        a->squares += b->squares;
    if (want & GF_WANT_PRODUCT)
        gf_partial_join_product(a, b);
    if (want & GF_WANT_TREE_SUM)
        a->tree_sum += b->tree_sum;
    if (want & GF_WANT_TREE_PRODUCT)
        a->tree_product *= b->tree_product;
    if (want & GF_WANT_TREE_ABS)
        a->tree_abs += b->tree_abs;
    if (want & GF_WANT_TREE_SQUARES)
        a->tree_squares += b->tree_squares;
    if (want & GF_WANT_SPREAD)
        gf_partial_join_spread(a, b);
    if (want & GF_WANT_DOT)
        a->dot += b->dot;
}

/* Number of 8-byte words of a part in memory. */
GF_EVERYWHERE_CONST uint32_t gf_partial_words(uint32_t want)
{
    const uint32_t words[] = {4, 2, 1, 2, 2, 2, 3, 1, 1, 1, 1, 3, 1, 0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        n += (want >> i & 1) != 0 ? words[i] : 0;
    return n;
}

GF_EVERYWHERE uint64_t gf_word_of(double x)
{
    uint64_t w;
    memcpy(&w, &x, sizeof(w));
    return w;
}

GF_EVERYWHERE double gf_double_of(uint64_t w)
{
    double x;
    memcpy(&x, &w, sizeof(x));
    return x;
}

/* Stores part i of n: one array per word, so that accesses of neighbours are coalesced. */
GF_EVERYWHERE void gf_partial_store(uint32_t want, uint64_t *words, uint64_t n, uint64_t i, const struct gf_partial *p)
{
    uint64_t *w = words + i;
#define GF_PUT(value) (*w = (value), w += n)
    if (want & GF_WANT_EXTREMES) {
        GF_PUT((uint64_t)p->min_key);
        GF_PUT((uint64_t)p->max_key);
        GF_PUT(p->argmin);
        GF_PUT(p->argmax);
    }
    if (want & GF_WANT_NAN) {
        GF_PUT(p->nans);
        GF_PUT(p->first_nan);
    }
    if (want & GF_WANT_NONZERO)
        GF_PUT(p->nonzero);
    if (want & GF_WANT_SUM) {
        GF_PUT((uint64_t)p->sum);
        GF_PUT((uint64_t)((gf_u128)p->sum >> 64));
    }
    if (want & GF_WANT_ABS) {
        GF_PUT((uint64_t)p->abs);
        GF_PUT((uint64_t)(p->abs >> 64));
    }
    if (want & GF_WANT_SQUARES) {
        GF_PUT((uint64_t)p->squares);
        GF_PUT((uint64_t)(p->squares >> 64));
    }
    if (want & GF_WANT_PRODUCT) {
        GF_PUT(p->product);
        GF_PUT(p->magnitude);
        GF_PUT(p->product_flags);
    }
    if (want & GF_WANT_TREE_SUM)
        GF_PUT(gf_word_of(p->tree_sum));
    if (want & GF_WANT_TREE_PRODUCT)
        GF_PUT(gf_word_of(p->tree_product));
    if (want & GF_WANT_TREE_ABS)
        GF_PUT(gf_word_of(p->tree_abs));
    if (want & GF_WANT_TREE_SQUARES)
        GF_PUT(gf_word_of(p->tree_squares));
    if (want & GF_WANT_SPREAD) {
        GF_PUT(gf_word_of(p->n));
        GF_PUT(gf_word_of(p->mean));
        GF_PUT(gf_word_of(p->spread));
    }
    if (want & GF_WANT_DOT)
        GF_PUT(gf_word_of(p->dot));
#undef GF_PUT
}

GF_EVERYWHERE struct gf_partial gf_partial_load(uint32_t want, const uint64_t *words, uint64_t n, uint64_t i)
{
    struct gf_partial p = gf_partial_empty();
    const uint64_t *w = words + i;
#define GF_GET(ret) (ret = *w, w += n)
    uint64_t low, high;
    if (want & GF_WANT_EXTREMES) {
        GF_GET(low);
        GF_GET(high);
        p.min_key = (int64_t)low;
        p.max_key = (int64_t)high;
        GF_GET(p.argmin);
        GF_GET(p.argmax);
    }
    if (want & GF_WANT_NAN) {
        GF_GET(p.nans);
        GF_GET(p.first_nan);
    }
    if (want & GF_WANT_NONZERO)
        GF_GET(p.nonzero);
    if (want & GF_WANT_SUM) {
        GF_GET(low);
        GF_GET(high);
        p.sum = (gf_i128)((gf_u128)high << 64 | low);
    }
    if (want & GF_WANT_ABS) {
        GF_GET(low);
        GF_GET(high);
        p.abs = (gf_u128)high << 64 | low;
    }
    if (want & GF_WANT_SQUARES) {
        GF_GET(low);
        GF_GET(high);
        p.squares = (gf_u128)high << 64 | low;
    }
    if (want & GF_WANT_PRODUCT) {
        GF_GET(p.product);
        GF_GET(p.magnitude);
        GF_GET(p.product_flags);
    }
#undef GF_GET
#define GF_GET(ret) (ret = gf_double_of(*w), w += n)
    if (want & GF_WANT_TREE_SUM)
        GF_GET(p.tree_sum);
    if (want & GF_WANT_TREE_PRODUCT)
        GF_GET(p.tree_product);
    if (want & GF_WANT_TREE_ABS)
        GF_GET(p.tree_abs);
    if (want & GF_WANT_TREE_SQUARES)
        GF_GET(p.tree_squares);
    if (want & GF_WANT_SPREAD) {
        GF_GET(p.n);
        GF_GET(p.mean);
        GF_GET(p.spread);
    }
    if (want & GF_WANT_DOT)
        GF_GET(p.dot);
#undef GF_GET
    return p;
}

#ifdef __cplusplus
}
#endif
#endif
