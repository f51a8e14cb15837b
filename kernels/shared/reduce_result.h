/* SPDX-License-Identifier: MIT */
/*
 * Computes the results of reduce, stats, dot and compare from the quantities of a whole sequence (docs/numerics.md,
 * "reduce" and "compare"), alike on every backend. Read by C and CUDA.
 */
#ifndef GF_KERNELS_REDUCE_RESULT_H
#define GF_KERNELS_REDUCE_RESULT_H

#include "reduce_partial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The outputs of a step in memory. */
struct gf_reduce_target {
    char *data[GF_MAX_OUTPUTS];
    uint64_t pitch[GF_MAX_OUTPUTS];
    uint32_t size[GF_MAX_OUTPUTS]; /* bytes of an element */
    uint64_t row;                  /* sequences in a row of the output */
};

/* A result as it is stored, in the lowest bytes. */
struct gf_reduced {
    uint64_t bits;
    bool overflow;
};

/* Rounds once, ties to even. */
GF_EVERYWHERE double gf_f64_from_u128(gf_u128 x)
{
    if ((uint64_t)(x >> 64) == 0)
        return (double)(uint64_t)x;
    /* The top 64 bits, with all lower bits or-ed into the last one: they round to 53 bits as x does. */
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

/* The double that a float's key represents. */
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
GF_EVERYWHERE uint64_t gf_reduced_limit(uint32_t dtype, bool want_max)
{
    uint32_t bits = dtype == GF_U8 || dtype == GF_I8     ? 8
                    : dtype == GF_U16 || dtype == GF_I16 ? 16
                    : dtype == GF_U32 || dtype == GF_I32 ? 32
                                                         : 64;
    uint64_t max = (UINT64_MAX >> (64 - bits)) >> (gf_is_signed(dtype) ? 1 : 0);
    return want_max ? max : gf_is_signed(dtype) ? ~max : 0;
}

/* min or max. Without an element: NaN, or for integers the limit that no other value exceeds. */
GF_EVERYWHERE uint64_t gf_reduced_extreme(const struct gf_reduction *r, const struct gf_partial *p, bool want_min)
{
    int64_t key = want_min ? p->min_key : p->max_key;
    if (!gf_is_float(r->dtype) && p->argmin == GF_NO_INDEX)
        return gf_reduced_limit(r->dtype, want_min);
    if (!gf_is_float(r->dtype))
        return r->dtype == GF_U64 ? (uint64_t)key ^ (UINT64_C(1) << 63) : (uint64_t)key;
    bool nan = (p->nans > 0 && !r->omit) || p->argmin == GF_NO_INDEX;
    if (r->dtype == GF_F64)
        return nan ? gf_reduced_f64(NAN) : gf_word_of(gf_float_of_key(GF_F64, key));
    return nan ? UINT64_C(0x7FC00000) : (uint64_t)(uint32_t)((int32_t)key ^ (((int32_t)key >> 31) & INT32_MAX));
}

GF_EVERYWHERE double gf_reduced_linf(const struct gf_reduction *r, const struct gf_partial *p)
{
    if (gf_is_float(r->dtype)) {
        if (p->nans > 0 && !r->omit)
            return NAN;
        if (p->argmin == GF_NO_INDEX)
            return 0.0;
        double a = fabs(gf_float_of_key(r->dtype, p->min_key)), b = fabs(gf_float_of_key(r->dtype, p->max_key));
        return a > b ? a : b;
    }
    if (p->argmin == GF_NO_INDEX)
        return 0.0;
    if (r->dtype == GF_U64)
        return (double)((uint64_t)p->max_key ^ (UINT64_C(1) << 63));
    uint64_t a = p->min_key < 0 ? -(uint64_t)p->min_key : (uint64_t)p->min_key;
    uint64_t b = p->max_key < 0 ? -(uint64_t)p->max_key : (uint64_t)p->max_key;
    return (double)(a > b ? a : b);
}

/* The number of elements that take part. */
GF_EVERYWHERE uint64_t gf_reduced_count(const struct gf_reduction *r, const struct gf_partial *p)
{
    return r->omit ? r->n - p->nans : r->n;
}

GF_EVERYWHERE double gf_reduced_var(const struct gf_reduction *r, const struct gf_partial *p)
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

GF_EVERYWHERE double gf_reduced_norm(const struct gf_reduction *r, const struct gf_partial *p)
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

GF_EVERYWHERE struct gf_reduced gf_reduced_sum(const struct gf_reduction *r, const struct gf_partial *p)
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

GF_EVERYWHERE struct gf_reduced gf_reduced_product(const struct gf_reduction *r, const struct gf_partial *p)
{
    struct gf_reduced result = {p->product, false};
    if (gf_is_float(r->dtype)) {
        result.bits = gf_reduced_f64(p->tree_product);
        return result;
    }
    uint64_t max = UINT64_MAX;
    if (gf_is_signed(r->dtype))
        max = (UINT64_C(1) << 63) - ((p->product_flags & GF_PRODUCT_NEGATIVE) != 0 ? 0 : 1);
    result.overflow = !r->wrap && (p->product_flags & GF_PRODUCT_ZERO) == 0 &&
                      ((p->product_flags & GF_PRODUCT_BIG) != 0 || p->magnitude > max);
    return result;
}

GF_EVERYWHERE double gf_reduced_mean(const struct gf_reduction *r, const struct gf_partial *p)
{
    uint64_t n = gf_reduced_count(r, p);
    if (n == 0)
        return NAN;
    return (gf_is_float(r->dtype) ? p->tree_sum : gf_f64_from_i128(p->sum)) / (double)n;
}

GF_EVERYWHERE uint64_t gf_reduced_nonzero(const struct gf_reduction *r, const struct gf_partial *p)
{
    return r->omit ? p->nonzero : p->nonzero + p->nans;
}

GF_EVERYWHERE uint64_t gf_reduced_index(const struct gf_reduction *r, const struct gf_partial *p, bool want_min)
{
    if (p->nans > 0 && !r->omit)
        return p->first_nan;
    return want_min ? p->argmin : p->argmax;
}

/* The result of r->op from the quantities of the whole sequence. */
GF_EVERYWHERE struct gf_reduced gf_reduce_finish(const struct gf_reduction *r, const struct gf_partial *p)
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
    char *to = t->data[output] + y * t->pitch[output] + x * t->size[output];
    uint32_t size = t->size[output];
    if (size == 8)
        memcpy(to, &bits, 8);
    else if (size == 4)
        memcpy(to, &bits, 4);
    else if (size == 2)
        memcpy(to, &bits, 2);
    else
        memcpy(to, &bits, 1);
}

#define GF_STATS_RESULTS 13u

/* Stores result i of stats. True if it does not fit. */
GF_EVERYWHERE bool gf_reduce_emit_stat(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t y,
                                       const struct gf_partial *p, uint32_t i)
{
    if (i < 4) {
        uint64_t count = i == 0 ? gf_reduced_nonzero(r, p) : i == 3 ? p->nans : gf_reduced_index(r, p, i == 1);
        gf_reduce_put(t, 0, i, y, count);
        return false;
    }
    if (i < 6) {
        gf_reduce_put(t, 1, i - 4, y, gf_reduced_extreme(r, p, i == 4));
        return false;
    }
    if (i == 6) {
        struct gf_reduced sum = gf_reduced_sum(r, p);
        gf_reduce_put(t, 2, 0, y, sum.bits);
        return sum.overflow;
    }
    double x = i == 7    ? gf_reduced_mean(r, p)
               : i == 8  ? gf_reduced_var(r, p)
               : i == 9  ? sqrt(gf_reduced_var(r, p))
               : i == 12 ? gf_reduced_linf(r, p)
                         : 0.0;
    if (i == 10 || i == 11) {
        struct gf_reduction one = *r;
        one.op = i == 10 ? GF_REDUCTION_L1 : GF_REDUCTION_L2;
        x = gf_reduced_norm(&one, p);
    }
    gf_reduce_put(t, 3, i - 7, y, gf_reduced_f64(x));
    return false;
}

GF_EVERYWHERE bool gf_reduce_emit_stats(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t y,
                                        const struct gf_partial *p)
{
    bool overflow = false;
    for (uint32_t i = 0; i < GF_STATS_RESULTS; i++)
        overflow = gf_reduce_emit_stat(r, t, y, p, i) || overflow;
    return overflow;
}

GF_EVERYWHERE void gf_reduce_emit_compare(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t y,
                                          const struct gf_partial *p)
{
    uint64_t different = p->nonzero + p->nans, n = gf_reduced_count(r, p);
    gf_reduce_put(t, 0, 0, y, r->n - different);
    gf_reduce_put(t, 0, 1, y, different);
    gf_reduce_put(t, 1, 0, y, gf_reduced_f64(gf_reduced_linf(r, p)));
    gf_reduce_put(t, 1, 1, y, gf_reduced_f64(n == 0 ? NAN : p->tree_abs / (double)n));
    gf_reduce_put(t, 1, 2, y, gf_reduced_f64(n == 0 ? NAN : p->tree_squares / (double)n));
}

/* Stores the results of one sequence. False if an integer does not fit. */
GF_EVERYWHERE bool gf_reduce_emit(const struct gf_reduction *r, const struct gf_reduce_target *t, uint64_t sequence,
                                  const struct gf_partial *p)
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

#ifdef __cplusplus
}
#endif
#endif
