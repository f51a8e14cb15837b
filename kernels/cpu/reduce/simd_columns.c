/* SPDX-License-Identifier: MIT */
/*
 * A row of elements, one of each of up to 64 columns, added to what earlier rows made (docs/numerics.md 8, per column).
 * Compiled once per instruction set; called by reduce_columns.c.
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

static void add_sums(const struct gf_cpu_elements *s, struct gf_partial *partial)
{
    const gf_i128 flip = s->dtype == GF_U64 ? (gf_i128)1 << 63 : 0;
    for (size_t i = 0; i < s->n; i++) {
        int64_t key = s->keys[i];
        partial[i].sum += key + flip;
        partial[i].abs += key < 0 ? -(uint64_t)key : (uint64_t)key;
        if (s->want & GF_WANT_SQUARES)
            partial[i].squares += (uint64_t)(key * key);
    }
}

/* One element of a column, with everything that is exact. */
static void add_element(const struct gf_cpu_elements *s, bool real, size_t i, struct gf_partial *p)
{
    int64_t zero = s->dtype == GF_U64 ? INT64_MIN : 0;
    if (real && s->x[i] != s->x[i]) {
        if (p->nans++ == 0)
            p->first_nan = s->first;
        return;
    }
    if (s->want & GF_WANT_NONZERO)
        p->nonzero += real ? s->x[i] != 0.0 : s->keys[i] != zero;
    if (s->want & GF_WANT_EXTREMES) {
        struct gf_partial one;
        one.min_key = one.max_key = s->keys[i];
        one.argmin = one.argmax = s->first;
        gf_partial_join_extremes(real, p, &one);
    }
    if (s->want & GF_WANT_PRODUCT) {
        uint64_t value = (uint64_t)s->keys[i] ^ (s->dtype == GF_U64 ? UINT64_C(1) << 63 : 0);
        bool negative = s->dtype != GF_U64 && s->keys[i] < 0;
        gf_partial_times(p, value, negative ? -value : value, negative);
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
    if (elements->want & (GF_WANT_SUM | GF_WANT_ABS | GF_WANT_SQUARES))
        add_sums(elements, columns->partial);
    uint32_t exact = GF_WANT_NONZERO | GF_WANT_EXTREMES | GF_WANT_PRODUCT;
    if ((elements->want & exact) != 0 || ((elements->want & GF_WANT_NAN) != 0 && any_nan(elements)))
        for (size_t i = 0; i < elements->n; i++)
            add_element(elements, real, i, &columns->partial[i]);
}

void GF_ISA_NAME(gf_simd_columns_spread)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns)
{
    const double *restrict x = elements->x;
    for (size_t i = 0; i < elements->n; i++) {
        double d = elements->omit && x[i] != x[i] ? 0.0 : x[i] - columns->mean[i];
        columns->spread[i] = fma(d, d, columns->spread[i]);
    }
}
