/* SPDX-License-Identifier: MIT */
/*
 * Adds a row of elements, one for each of up to 64 columns, to the results of earlier rows (docs/numerics.md, "reduce",
 * per column). Compiled once per instruction set; called by reduce_columns.c.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_isa.h"

static void add_trees(const struct gf_cpu_elements *s, struct gf_cpu_columns *c)
{
    const double *restrict x = s->x, *restrict y = s->y;
    const bool omit = s->omit;
    const size_t n = s->n;
    if (s->want & (GF_WANT_TREE_SUM | GF_WANT_SPREAD))
        for (size_t i = 0; i < n; i++)
            c->sum[i] += omit && x[i] != x[i] ? -0.0 : x[i];
    if (s->want & GF_WANT_TREE_PRODUCT)
        for (size_t i = 0; i < n; i++)
            c->product[i] *= omit && x[i] != x[i] ? 1.0 : x[i];
    if (s->want & GF_WANT_TREE_ABS)
        for (size_t i = 0; i < n; i++)
            c->abs[i] += omit && x[i] != x[i] ? -0.0 : fabs(x[i]);
    if (s->want & GF_WANT_TREE_SQUARES)
        for (size_t i = 0; i < n; i++) {
            double v = omit && x[i] != x[i] ? 0.0 : x[i];
            c->squares[i] = fma(v, v, c->squares[i]);
        }
    if (s->want & GF_WANT_DOT)
        for (size_t i = 0; i < n; i++)
            c->dot[i] = fma(x[i], y[i], c->dot[i]);
}

static void add_exact_sums(const struct gf_cpu_elements *s, struct gf_cpu_columns *c)
{
    const int64_t *restrict keys = s->keys;
    const size_t n = s->n;
    if (s->want & GF_WANT_SUM)
        for (size_t i = 0; i < n; i++)
            c->exact_sum[i] += keys[i];
    if (s->want & GF_WANT_ABS)
        for (size_t i = 0; i < n; i++)
            c->exact_abs[i] += keys[i] < 0 ? -keys[i] : keys[i];
    if (s->want & GF_WANT_SQUARES)
        for (size_t i = 0; i < n; i++)
            c->exact_squares[i] += (int64_t)(int32_t)keys[i] * (int32_t)keys[i];
}

/* As add_exact_sums, for 64-bit integers, which have no squares. */
static void add_wide_sums(const struct gf_cpu_elements *s, struct gf_partial *partial)
{
    const gf_i128 flip = s->dtype == GF_U64 ? (gf_i128)1 << 63 : 0;
    if ((s->want & (GF_WANT_SUM | GF_WANT_ABS)) == 0)
        return;
    for (size_t i = 0; i < s->n; i++) {
        int64_t key = s->keys[i];
        partial[i].sum += key + flip;
        partial[i].abs += key < 0 ? -(uint64_t)key : (uint64_t)key;
    }
}

static void add_nonzero(const struct gf_cpu_elements *s, bool real, struct gf_cpu_columns *c)
{
    const int64_t zero = s->dtype == GF_U64 ? INT64_MIN : 0;
    for (size_t i = 0; i < s->n; i++)
        c->nonzero[i] += real ? s->x[i] != 0.0 : s->keys[i] != zero;
}

/* `real` is a compile-time constant. Of equal elements, the earlier one stays. */
GF_ALWAYS void add_extremes(const struct gf_cpu_elements *s, bool real, struct gf_cpu_columns *c)
{
    const int64_t *restrict keys = s->keys;
    const int64_t row = (int64_t)s->first;
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        const int64_t key = keys[i], least = c->min_key[i], argmin = c->argmin[i];
        const bool less = (gf_key_canonical(real, key) < gf_key_canonical(real, least)) | (argmin < 0);
        c->argmin[i] = less ? row : argmin;
        c->min_key[i] = key < least ? key : least;
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t key = keys[i], greatest = c->max_key[i], argmax = c->argmax[i];
        const bool greater = (gf_key_canonical(real, key) > gf_key_canonical(real, greatest)) | (argmax < 0);
        c->argmax[i] = greater ? row : argmax;
        c->max_key[i] = key > greatest ? key : greatest;
    }
}

/* Adds a float of a row that contains a NaN. */
static void add_element(const struct gf_cpu_elements *s, size_t i, struct gf_partial *p)
{
    if (s->x[i] != s->x[i]) {
        if (p->nans++ == 0)
            p->first_nan = s->first;
        return;
    }
    if (s->want & GF_WANT_NONZERO)
        p->nonzero += s->x[i] != 0.0;
    if (s->want & GF_WANT_EXTREMES) {
        struct gf_partial one;
        one.min_key = one.max_key = s->keys[i];
        one.argmin = one.argmax = s->first;
        gf_partial_join_extremes(true, p, &one);
    }
}

/* Products of integers. */
static void add_products(const struct gf_cpu_elements *s, struct gf_partial *partial)
{
    for (size_t i = 0; i < s->n; i++) {
        uint64_t value = (uint64_t)s->keys[i] ^ (s->dtype == GF_U64 ? UINT64_C(1) << 63 : 0);
        bool negative = s->dtype != GF_U64 && s->keys[i] < 0;
        gf_partial_times(&partial[i], value, negative ? -value : value, negative);
    }
}

static bool any_nan(const struct gf_cpu_elements *s)
{
    int64_t nans = 0;
    for (size_t i = 0; i < s->n; i++)
        nans |= -(int64_t)(s->x[i] != s->x[i]);
    return nans != 0;
}

void GF_ISA_NAME(gf_simd_columns)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns)
{
    bool real = gf_is_float(elements->dtype);
    add_trees(elements, columns);
    const uint32_t want = elements->want, apart_from_nan = GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_EXTREMES;
    if (real && (want & apart_from_nan) != 0 && any_nan(elements)) {
        for (size_t i = 0; i < elements->n; i++)
            add_element(elements, i, &columns->partial[i]);
        return;
    }
    if (elements->dtype == GF_I64 || elements->dtype == GF_U64)
        add_wide_sums(elements, columns->partial);
    else if (!real)
        add_exact_sums(elements, columns);
    if (want & GF_WANT_NONZERO)
        add_nonzero(elements, real, columns);
    if ((want & GF_WANT_EXTREMES) != 0 && real)
        add_extremes(elements, true, columns);
    else if (want & GF_WANT_EXTREMES)
        add_extremes(elements, false, columns);
    if (want & GF_WANT_PRODUCT)
        add_products(elements, columns->partial);
}

void GF_ISA_NAME(gf_simd_columns_spread)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns)
{
    const double *restrict x = elements->x;
    for (size_t i = 0; i < elements->n; i++) {
        double d = elements->omit && x[i] != x[i] ? 0.0 : x[i] - columns->mean[i];
        columns->spread[i] = fma(d, d, columns->spread[i]);
    }
}
