/* SPDX-License-Identifier: MIT */
/*
 * What reduce, stats, dot and compare are made of (docs/numerics.md 8 and 11), alike on every backend: which quantities
 * an operation needs, how those of two neighbouring parts of a sequence are joined, how they are kept in memory, and
 * how the result follows from them. Backends bring the loops over samples. C and CUDA read this header.
 */
#ifndef GF_KERNELS_REDUCE_H
#define GF_KERNELS_REDUCE_H

#include <math.h>
#include <string.h>

#include "kernels/backend.h"
#include "protocol/enums.h"

#ifdef __CUDACC__
#define GF_EVERYWHERE static __host__ __device__ __forceinline__
#define GF_EVERYWHERE_CONST static __host__ __device__ constexpr
#else
#define GF_EVERYWHERE static inline
#define GF_EVERYWHERE_CONST static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GF_TREE_LANES 128u
#define GF_TREE_CHUNK 4096u
#define GF_TREE_ROWS 64u /* of a column's block */
#define GF_NO_INDEX UINT64_MAX

__extension__ typedef __int128 gf_i128;
__extension__ typedef unsigned __int128 gf_u128;

/* Quantities of a part; a set of them is `want`. */
enum gf_want {
    GF_WANT_EXTREMES = 1 << 0, /* least and greatest element with their indices */
    GF_WANT_NAN = 1 << 1,      /* number of NaN and the index of the first */
    GF_WANT_NONZERO = 1 << 2,  /* number of elements that are not zero, NaN apart */
    GF_WANT_SUM = 1 << 3,      /* exact, integers */
    GF_WANT_ABS = 1 << 4,      /* exact, integers */
    GF_WANT_SQUARES = 1 << 5,  /* exact, 8- and 16-bit integers */
    GF_WANT_PRODUCT = 1 << 6,  /* exact, integers */
    GF_WANT_TREE_SUM = 1 << 7, /* the rest by the tree in f64 */
    GF_WANT_TREE_PRODUCT = 1 << 8,
    GF_WANT_TREE_ABS = 1 << 9,
    GF_WANT_TREE_SQUARES = 1 << 10,
    GF_WANT_SPREAD = 1 << 11, /* (n, m, Q) */
    GF_WANT_DOT = 1 << 12,
    GF_WANT_DIFFERENCES = 1 << 13, /* no quantity: the elements are what two inputs differ by, f64 */
};

/* The quantities of a part of a sequence. Extremes are keys: numbers in the order of the elements (gf_key_*). */
struct gf_part {
    int64_t least, greatest;
    uint64_t argmin, argmax; /* GF_NO_INDEX: there is no element */
    uint64_t nans, first_nan;
    uint64_t nonzero;
    gf_i128 sum;
    gf_u128 abs, squares;
    uint64_t product, magnitude; /* modulo 2^64; of |x| other than 0, up to what fits */
    uint64_t product_flags;      /* GF_PRODUCT_* */
    double tree_sum, tree_product, tree_abs, tree_squares, dot;
    double n, mean, spread; /* n is 0 where there is no element */
};

#define GF_PRODUCT_ZERO 1u     /* an element is 0 */
#define GF_PRODUCT_NEGATIVE 2u /* an odd number of elements is negative */
#define GF_PRODUCT_BIG 4u      /* the magnitude does not fit 64 bits */

/* What a request asks of each sequence. */
struct gf_reduction {
    uint32_t op;    /* GF_REDUCTION_* */
    uint32_t dtype; /* of the elements, which the inputs need not have where they are differences */
    uint32_t ddof;
    bool omit;     /* NaN is absent */
    bool wrap;     /* integers modulo 2^64 */
    uint64_t n;    /* elements of a sequence */
    uint32_t kind; /* GF_REDUCE_* */
    uint32_t axis; /* GF_AXIS_* */
    uint32_t want;
    uint64_t sequences; /* row, then column, then channel, the last one fastest */
};

/* Which op it is: its outputs differ. */
enum gf_reduce_kind { GF_REDUCE_ONE, GF_REDUCE_STATS, GF_REDUCE_DOT, GF_REDUCE_COMPARE };

/* The outputs of a step in memory. */
struct gf_reduce_target {
    char *data[GF_MAX_OUTPUTS];
    uint64_t pitch[GF_MAX_OUTPUTS];
    uint32_t size[GF_MAX_OUTPUTS]; /* of an element */
    uint64_t row;                  /* sequences in a row of the output */
};

/* A result as it is stored: its dtype's bytes are the lowest ones. */
struct gf_reduced {
    uint64_t bits;
    bool overflow;
};

GF_EVERYWHERE bool gf_is_float(uint32_t dtype)
{
    return dtype == GF_F32 || dtype == GF_F64;
}

GF_EVERYWHERE bool gf_is_signed(uint32_t dtype)
{
    return dtype == GF_I8 || dtype == GF_I16 || dtype == GF_I32 || dtype == GF_I64;
}

GF_EVERYWHERE bool gf_is_short(uint32_t dtype)
{
    return dtype == GF_U8 || dtype == GF_I8 || dtype == GF_U16 || dtype == GF_I16;
}

/* The quantities that an op needs. */
GF_EVERYWHERE uint32_t gf_reduce_want(uint32_t op, uint32_t dtype)
{
    bool real = gf_is_float(dtype);
    uint32_t nan = real ? GF_WANT_NAN : 0;
    if (op == GF_REDUCTION_SUM || op == GF_REDUCTION_MEAN)
        return nan | (real ? GF_WANT_TREE_SUM : GF_WANT_SUM);
    if (op == GF_REDUCTION_PRODUCT)
        return nan | (real ? GF_WANT_TREE_PRODUCT : GF_WANT_PRODUCT);
    if (op == GF_REDUCTION_VAR || op == GF_REDUCTION_STD)
        return nan | (gf_is_short(dtype) ? GF_WANT_SUM | GF_WANT_SQUARES : GF_WANT_SPREAD);
    if (op == GF_REDUCTION_L1)
        return nan | (real ? GF_WANT_TREE_ABS : gf_is_signed(dtype) ? GF_WANT_ABS : GF_WANT_SUM);
    if (op == GF_REDUCTION_L2)
        return nan | (gf_is_short(dtype) ? GF_WANT_SUM | GF_WANT_SQUARES : GF_WANT_TREE_SQUARES);
    if (op == GF_REDUCTION_COUNT || op == GF_REDUCTION_ANY || op == GF_REDUCTION_ALL)
        return nan | GF_WANT_NONZERO;
    return nan | GF_WANT_EXTREMES;
}

/* A part without elements. */
GF_EVERYWHERE struct gf_part gf_part_empty(void)
{
    struct gf_part p;
    memset(&p, 0, sizeof(p));
    p.argmin = p.argmax = p.first_nan = GF_NO_INDEX;
    p.product = p.magnitude = 1;
    p.tree_sum = p.tree_abs = p.tree_squares = p.dot = -0.0;
    p.tree_product = 1.0;
    return p;
}

/* Keys of floats: -0 is -1 and +0 is 0, which are one and the same where an index is searched. */
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

GF_EVERYWHERE void gf_part_join_extremes(bool real, struct gf_part *a, const struct gf_part *b)
{
    if (b->argmin == GF_NO_INDEX)
        return;
    if (a->argmin == GF_NO_INDEX) {
        a->least = b->least;
        a->argmin = b->argmin;
        a->greatest = b->greatest;
        a->argmax = b->argmax;
        return;
    }
    int64_t ka = gf_key_canonical(real, a->least), kb = gf_key_canonical(real, b->least);
    if (kb < ka || (kb == ka && b->argmin < a->argmin))
        a->argmin = b->argmin;
    if (b->least < a->least)
        a->least = b->least;
    ka = gf_key_canonical(real, a->greatest);
    kb = gf_key_canonical(real, b->greatest);
    if (kb > ka || (kb == ka && b->argmax < a->argmax))
        a->argmax = b->argmax;
    if (b->greatest > a->greatest)
        a->greatest = b->greatest;
}

GF_EVERYWHERE void gf_part_join_product(struct gf_part *a, const struct gf_part *b)
{
    gf_u128 magnitude = (gf_u128)a->magnitude * b->magnitude;
    bool big = (uint64_t)(magnitude >> 64) != 0;
    a->product *= b->product;
    a->magnitude = big ? UINT64_MAX : (uint64_t)magnitude;
    a->product_flags = ((a->product_flags | b->product_flags) & (GF_PRODUCT_ZERO | GF_PRODUCT_BIG)) |
                       ((a->product_flags ^ b->product_flags) & GF_PRODUCT_NEGATIVE) | (big ? GF_PRODUCT_BIG : 0);
}

/* Multiplies by one element: its value modulo 2^64, its magnitude, its sign. */
GF_EVERYWHERE void gf_part_times(struct gf_part *a, uint64_t value, uint64_t magnitude, bool negative)
{
    struct gf_part x = *a;
    x.product = value;
    x.magnitude = magnitude == 0 ? 1 : magnitude;
    x.product_flags = (magnitude == 0 ? GF_PRODUCT_ZERO : 0) | (negative ? GF_PRODUCT_NEGATIVE : 0);
    gf_part_join_product(a, &x);
}

GF_EVERYWHERE void gf_part_join_spread(struct gf_part *a, const struct gf_part *b)
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

/* a = a o b, where the elements of b follow those of a. */
GF_EVERYWHERE void gf_part_join(uint32_t want, bool real, struct gf_part *a, const struct gf_part *b)
{
    if (want & GF_WANT_EXTREMES)
        gf_part_join_extremes(real, a, b);
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
        gf_part_join_product(a, b);
    if (want & GF_WANT_TREE_SUM)
        a->tree_sum += b->tree_sum;
    if (want & GF_WANT_TREE_PRODUCT)
        a->tree_product *= b->tree_product;
    if (want & GF_WANT_TREE_ABS)
        a->tree_abs += b->tree_abs;
    if (want & GF_WANT_TREE_SQUARES)
        a->tree_squares += b->tree_squares;
    if (want & GF_WANT_SPREAD)
        gf_part_join_spread(a, b);
    if (want & GF_WANT_DOT)
        a->dot += b->dot;
}

/* 8-byte words of a part in memory. */
GF_EVERYWHERE_CONST uint32_t gf_part_words(uint32_t want)
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

/* Stores part i of n: one array per word, so that neighbours lie side by side. */
GF_EVERYWHERE void gf_part_store(uint32_t want, uint64_t *words, uint64_t n, uint64_t i, const struct gf_part *p)
{
    uint64_t *w = words + i;
#define GF_PUT(value) (*w = (value), w += n)
    if (want & GF_WANT_EXTREMES) {
        GF_PUT((uint64_t)p->least);
        GF_PUT((uint64_t)p->greatest);
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

GF_EVERYWHERE struct gf_part gf_part_load(uint32_t want, const uint64_t *words, uint64_t n, uint64_t i)
{
    struct gf_part p = gf_part_empty();
    const uint64_t *w = words + i;
#define GF_GET(ret) (ret = *w, w += n)
    uint64_t low, high;
    if (want & GF_WANT_EXTREMES) {
        GF_GET(low);
        GF_GET(high);
        p.least = (int64_t)low;
        p.greatest = (int64_t)high;
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

/* Rounded once, ties to even. */
GF_EVERYWHERE double gf_f64_from_u128(gf_u128 x)
{
    if ((uint64_t)(x >> 64) == 0)
        return (double)(uint64_t)x;
    /* 64 bits with what is below them in the last one: their rounding to 53 bits is that of x. */
    int shift = 0;
    for (uint64_t high = (uint64_t)(x >> 64); high != 0; high >>= 1)
        shift++;
    uint64_t top = (uint64_t)(x >> shift);
    if ((gf_u128)top << shift != x)
        top |= 1;
    return ldexp((double)top, shift);
}

GF_EVERYWHERE double gf_f64_from_i128(gf_i128 x)
{
    return x < 0 ? -gf_f64_from_u128(-(gf_u128)x) : gf_f64_from_u128((gf_u128)x);
}

GF_EVERYWHERE uint64_t gf_reduced_f64(double x)
{
    return x == x ? gf_word_of(x) : UINT64_C(0x7FF8000000000000);
}

/* The double that a key of a float stands for. */
GF_EVERYWHERE double gf_float_of_key(uint32_t dtype, int64_t key)
{
    if (dtype == GF_F64)
        return gf_double_of((uint64_t)(key ^ ((key >> 63) & INT64_MAX)));
    int32_t b = (int32_t)key;
    float x;
    b ^= (b >> 31) & INT32_MAX;
    memcpy(&x, &b, sizeof(x));
    return (double)x;
}

/* The greatest or least integer of a dtype, as it is stored. */
GF_EVERYWHERE uint64_t gf_reduced_limit(uint32_t dtype, bool greatest)
{
    uint32_t bits = dtype == GF_U8 || dtype == GF_I8     ? 8
                    : dtype == GF_U16 || dtype == GF_I16 ? 16
                    : dtype == GF_U32 || dtype == GF_I32 ? 32
                                                         : 64;
    uint64_t most = (UINT64_MAX >> (64 - bits)) >> (gf_is_signed(dtype) ? 1 : 0);
    return greatest ? most : gf_is_signed(dtype) ? ~most : 0;
}

/* min or max. Without an element: NaN, or the limit of the integers that no other is beyond. */
GF_EVERYWHERE uint64_t gf_reduced_extreme(const struct gf_reduction *r, const struct gf_part *p, bool least)
{
    int64_t key = least ? p->least : p->greatest;
    if (!gf_is_float(r->dtype) && p->argmin == GF_NO_INDEX)
        return gf_reduced_limit(r->dtype, least);
    if (!gf_is_float(r->dtype))
        return r->dtype == GF_U64 ? (uint64_t)key ^ (UINT64_C(1) << 63) : (uint64_t)key;
    bool nan = (p->nans > 0 && !r->omit) || p->argmin == GF_NO_INDEX;
    if (r->dtype == GF_F64)
        return nan ? gf_reduced_f64(NAN) : gf_word_of(gf_float_of_key(GF_F64, key));
    return nan ? UINT64_C(0x7FC00000) : (uint64_t)(uint32_t)((int32_t)key ^ (((int32_t)key >> 31) & INT32_MAX));
}

GF_EVERYWHERE double gf_reduced_linf(const struct gf_reduction *r, const struct gf_part *p)
{
    if (gf_is_float(r->dtype)) {
        if (p->nans > 0 && !r->omit)
            return NAN;
        if (p->argmin == GF_NO_INDEX)
            return 0.0;
        double a = fabs(gf_float_of_key(r->dtype, p->least)), b = fabs(gf_float_of_key(r->dtype, p->greatest));
        return a > b ? a : b;
    }
    if (p->argmin == GF_NO_INDEX)
        return 0.0;
    if (r->dtype == GF_U64)
        return (double)((uint64_t)p->greatest ^ (UINT64_C(1) << 63));
    uint64_t a = p->least < 0 ? -(uint64_t)p->least : (uint64_t)p->least;
    uint64_t b = p->greatest < 0 ? -(uint64_t)p->greatest : (uint64_t)p->greatest;
    return (double)(a > b ? a : b);
}

/* Elements that take part. */
GF_EVERYWHERE uint64_t gf_reduced_count(const struct gf_reduction *r, const struct gf_part *p)
{
    return r->omit ? r->n - p->nans : r->n;
}

GF_EVERYWHERE double gf_reduced_var(const struct gf_reduction *r, const struct gf_part *p)
{
    uint64_t n = gf_reduced_count(r, p);
    if (n <= r->ddof)
        return NAN;
    double divisor = (double)(n - r->ddof);
    if (!gf_is_short(r->dtype))
        return p->spread / divisor;
    gf_u128 v = (gf_u128)n * p->squares - (gf_u128)(p->sum * p->sum);
    return gf_f64_from_u128(v) / (double)n / divisor;
}

GF_EVERYWHERE double gf_reduced_norm(const struct gf_reduction *r, const struct gf_part *p)
{
    if (r->op == GF_REDUCTION_LINF)
        return gf_reduced_linf(r, p);
    if (gf_reduced_count(r, p) == 0)
        return 0.0;
    if (r->op == GF_REDUCTION_L2)
        return sqrt(gf_is_short(r->dtype) ? gf_f64_from_u128(p->squares) : p->tree_squares);
    if (gf_is_float(r->dtype))
        return p->tree_abs;
    return gf_f64_from_u128(gf_is_signed(r->dtype) ? p->abs : (gf_u128)p->sum);
}

GF_EVERYWHERE struct gf_reduced gf_reduced_sum(const struct gf_reduction *r, const struct gf_part *p)
{
    struct gf_reduced result = {(uint64_t)p->sum, false};
    if (gf_is_float(r->dtype))
        result.bits = gf_reduced_f64(gf_reduced_count(r, p) == 0 ? 0.0 : p->tree_sum);
    else if (gf_is_signed(r->dtype))
        result.overflow = p->sum != (gf_i128)(int64_t)result.bits;
    else
        result.overflow = p->sum != (gf_i128)result.bits;
    result.overflow = result.overflow && !r->wrap;
    return result;
}

GF_EVERYWHERE struct gf_reduced gf_reduced_product(const struct gf_reduction *r, const struct gf_part *p)
{
    struct gf_reduced result = {p->product, false};
    if (gf_is_float(r->dtype)) {
        result.bits = gf_reduced_f64(p->tree_product);
        return result;
    }
    uint64_t most = UINT64_MAX;
    if (gf_is_signed(r->dtype))
        most = (UINT64_C(1) << 63) - ((p->product_flags & GF_PRODUCT_NEGATIVE) != 0 ? 0 : 1);
    result.overflow = !r->wrap && (p->product_flags & GF_PRODUCT_ZERO) == 0 &&
                      ((p->product_flags & GF_PRODUCT_BIG) != 0 || p->magnitude > most);
    return result;
}

GF_EVERYWHERE double gf_reduced_mean(const struct gf_reduction *r, const struct gf_part *p)
{
    uint64_t n = gf_reduced_count(r, p);
    if (n == 0)
        return NAN;
    return (gf_is_float(r->dtype) ? p->tree_sum : gf_f64_from_i128(p->sum)) / (double)n;
}

GF_EVERYWHERE uint64_t gf_reduced_nonzero(const struct gf_reduction *r, const struct gf_part *p)
{
    return r->omit ? p->nonzero : p->nonzero + p->nans;
}

GF_EVERYWHERE uint64_t gf_reduced_index(const struct gf_reduction *r, const struct gf_part *p, bool least)
{
    if (p->nans > 0 && !r->omit)
        return p->first_nan;
    return least ? p->argmin : p->argmax;
}

/* The result of r->op from the quantities of the whole sequence. */
GF_EVERYWHERE struct gf_reduced gf_reduce_finish(const struct gf_reduction *r, const struct gf_part *p)
{
    struct gf_reduced result = {0, false};
    if (r->op == GF_REDUCTION_SUM)
        return gf_reduced_sum(r, p);
    if (r->op == GF_REDUCTION_PRODUCT)
        return gf_reduced_product(r, p);
    if (r->op == GF_REDUCTION_MIN || r->op == GF_REDUCTION_MAX)
        result.bits = gf_reduced_extreme(r, p, r->op == GF_REDUCTION_MIN);
    else if (r->op == GF_REDUCTION_ARGMIN || r->op == GF_REDUCTION_ARGMAX)
        result.bits = gf_reduced_index(r, p, r->op == GF_REDUCTION_ARGMIN);
    else if (r->op == GF_REDUCTION_MEAN)
        result.bits = gf_reduced_f64(gf_reduced_mean(r, p));
    else if (r->op == GF_REDUCTION_VAR)
        result.bits = gf_reduced_f64(gf_reduced_var(r, p));
    else if (r->op == GF_REDUCTION_STD)
        result.bits = gf_reduced_f64(sqrt(gf_reduced_var(r, p)));
    else if (r->op == GF_REDUCTION_COUNT)
        result.bits = gf_reduced_nonzero(r, p);
    else if (r->op == GF_REDUCTION_ANY)
        result.bits = gf_reduced_nonzero(r, p) > 0;
    else if (r->op == GF_REDUCTION_ALL)
        result.bits = gf_reduced_nonzero(r, p) == gf_reduced_count(r, p);
    else
        result.bits = gf_reduced_f64(gf_reduced_norm(r, p));
    return result;
}

GF_EVERYWHERE void gf_reduce_put(const struct gf_reduce_target *t, uint32_t output, uint64_t x, uint64_t y,
                                 uint64_t bits)
{
    memcpy(t->data[output] + y * t->pitch[output] + x * t->size[output], &bits, t->size[output]);
}

GF_EVERYWHERE bool gf_reduce_emit_stats(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t y,
                                        const struct gf_part *p)
{
    const uint32_t reals[] = {GF_REDUCTION_MEAN, GF_REDUCTION_VAR, GF_REDUCTION_STD,
                              GF_REDUCTION_L1,   GF_REDUCTION_L2,  GF_REDUCTION_LINF};
    struct gf_reduction one = *r;
    gf_reduce_put(t, 0, 0, y, gf_reduced_nonzero(r, p));
    gf_reduce_put(t, 0, 1, y, gf_reduced_index(r, p, true));
    gf_reduce_put(t, 0, 2, y, gf_reduced_index(r, p, false));
    gf_reduce_put(t, 0, 3, y, p->nans);
    gf_reduce_put(t, 1, 0, y, gf_reduced_extreme(r, p, true));
    gf_reduce_put(t, 1, 1, y, gf_reduced_extreme(r, p, false));
    struct gf_reduced sum = gf_reduced_sum(r, p);
    gf_reduce_put(t, 2, 0, y, sum.bits);
    for (uint32_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
        one.op = reals[i];
        gf_reduce_put(t, 3, i, y, gf_reduce_finish(&one, p).bits);
    }
    return sum.overflow;
}

GF_EVERYWHERE void gf_reduce_emit_compare(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t y,
                                          const struct gf_part *p)
{
    uint64_t different = p->nonzero + p->nans, n = gf_reduced_count(r, p);
    gf_reduce_put(t, 0, 0, y, r->n - different);
    gf_reduce_put(t, 0, 1, y, different);
    gf_reduce_put(t, 1, 0, y, gf_reduced_f64(gf_reduced_linf(r, p)));
    gf_reduce_put(t, 1, 1, y, gf_reduced_f64(n == 0 ? NAN : p->tree_abs / (double)n));
    gf_reduce_put(t, 1, 2, y, gf_reduced_f64(n == 0 ? NAN : p->tree_squares / (double)n));
}

/* Stores the results of one sequence. False where an integer does not fit. */
GF_EVERYWHERE bool gf_reduce_emit(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t sequence,
                                  const struct gf_part *p)
{
    if (r->kind == GF_REDUCE_STATS)
        return !gf_reduce_emit_stats(r, t, sequence, p);
    struct gf_reduced result = {0, false};
    if (r->kind == GF_REDUCE_COMPARE) {
        gf_reduce_emit_compare(r, t, sequence, p);
        return true;
    }
    if (r->kind == GF_REDUCE_DOT)
        result.bits = gf_reduced_f64(p->dot);
    else
        result = gf_reduce_finish(r, p);
    gf_reduce_put(t, 0, sequence % t->row, sequence / t->row, result.bits);
    return !result.overflow;
}

/* What a step of reduce, stats, dot or compare asks, for inputs of this view. In reduce.c. */
struct gf_reduction gf_reduction_of(const struct gf_step *step, const struct gf_view *view);
/* RESULT_OVERFLOW: the result of that sequence does not fit. */
enum gf_status gf_reduce_overflow(const struct gf_step *step, uint64_t sequence, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
