/* SPDX-License-Identifier: MIT */
/*
 * Reduces one chunk of a sequence, docs/numerics.md, "The tree": the tree over 128 lanes, and the quantities that are
 * exact in any order. Compiled once per instruction set; called by the reductions.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_wide.h"

#define SIDE 4    /* vectors folded side by side */
#define BLOCK 64u /* elements compared per step of a search for an index */

enum fold { FOLD_SUM, FOLD_PRODUCT, FOLD_ABS, FOLD_SQUARES, FOLD_DOT };

/* Folds one more element into acc; `fold` is a compile-time constant. */
GF_ALWAYS gf_vd vd_step(enum fold fold, gf_vd acc, const double *x, const double *y)
{
    gf_vd v = gf_vd_load(x);
    if (fold == FOLD_PRODUCT)
        return acc * v;
    if (fold == FOLD_ABS)
        return acc + (gf_vd)((gf_vl)v & INT64_MAX);
    if (fold == FOLD_SQUARES)
        return gf_vd_fma(v, v, acc);
    if (fold == FOLD_DOT)
        return gf_vd_fma(v, gf_vd_load(y), acc);
    return acc + v;
}

/* `new` in lanes below `rest`, `old` in the remaining lanes. */
GF_ALWAYS gf_vd vd_partial(gf_vd new, gf_vd old, size_t lane, size_t rest)
{
    gf_vl mask = {0};
    for (int i = 0; i < GF_HALF; i++)
        mask[i] = lane + (size_t)i < rest ? -1 : 0;
    return gf_vd_select(mask, new, old);
}

/* The tree over n elements, 1..4096. x and y must have room for n rounded up to 128. */
GF_ALWAYS double tree(enum fold fold, const double *x, const double *y, size_t n)
{
    double v[GF_TREE_LANES] __attribute__((aligned(64)));
    const double absent = fold == FOLD_PRODUCT ? 1.0 : -0.0;
    size_t rows = n / GF_TREE_LANES, rest = n % GF_TREE_LANES, lanes = rows > 0 ? GF_TREE_LANES : SIDE * GF_HALF;
    while (lanes < rest) /* few elements: the other lanes are empty */
        lanes *= 2;
    for (size_t lane = 0; lane < lanes; lane += SIDE * GF_HALF) {
        gf_vd acc[SIDE];
        for (int k = 0; k < SIDE; k++)
            acc[k] = gf_vd_set(fold == FOLD_DOT ? 0.0 : absent);
        for (size_t r = 0; r < rows; r++)
            for (size_t k = 0; k < SIDE; k++) {
                size_t at = r * GF_TREE_LANES + lane + k * GF_HALF;
                acc[k] = vd_step(fold, acc[k], x + at, y + at);
            }
        for (size_t k = 0; k < SIDE; k++) {
            size_t at = rows * GF_TREE_LANES + lane + k * GF_HALF;
            gf_vd old = rows > 0 ? acc[k] : gf_vd_set(absent);
            if (rest > 0)
                acc[k] = vd_partial(vd_step(fold, acc[k], x + at, y + at), old, lane + k * GF_HALF, rest);
            *(gf_vd *)(v + lane + k * GF_HALF) = acc[k];
        }
    }
    for (size_t half = lanes / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            v[i] = fold == FOLD_PRODUCT ? v[i] * v[i + half] : v[i] + v[i + half];
    return v[0];
}

/* Returns x. If NaN is omitted and present, returns a copy in y with `instead` in place of NaN. */
static const double *without_nan(const struct gf_cpu_elements *s, uint64_t nans, double instead)
{
    if (!s->omit || nans == 0)
        return s->x;
    for (size_t i = 0; i < s->n; i++)
        s->y[i] = s->x[i] == s->x[i] ? s->x[i] : instead;
    return s->y;
}

/* Computes (n, m, Q) of a chunk with a known sum. Overwrites x with the distances from the mean. */
static void spread(const struct gf_cpu_elements *s, uint64_t nans, double sum, struct gf_partial *ret)
{
    uint64_t present = s->omit ? s->n - nans : s->n;
    if (present == 0)
        return;
    double *restrict x = s->x;
    double mean = sum / (double)present;
    if (s->omit && nans > 0)
        for (size_t i = 0; i < s->n; i++)
            x[i] = x[i] == x[i] ? x[i] - mean : 0.0;
    else
        for (size_t i = 0; i < s->n; i++)
            x[i] = x[i] - mean;
    ret->n = (double)present;
    ret->mean = mean;
    ret->spread = tree(FOLD_SQUARES, x, x, s->n);
}

static void reduce_trees(const struct gf_cpu_elements *s, struct gf_partial *ret)
{
    uint32_t want = s->want;
    uint64_t nans = ret->nans;
    if (want & GF_WANT_DOT)
        ret->dot = tree(FOLD_DOT, s->x, s->y, s->n);
    if (want & GF_WANT_TREE_PRODUCT)
        ret->tree_product = tree(FOLD_PRODUCT, without_nan(s, nans, 1.0), s->x, s->n);
    if (want & GF_WANT_TREE_ABS)
        ret->tree_abs = tree(FOLD_ABS, without_nan(s, nans, -0.0), s->x, s->n);
    if (want & GF_WANT_TREE_SQUARES)
        ret->tree_squares = tree(FOLD_SQUARES, without_nan(s, nans, 0.0), s->x, s->n);
    if (want & (GF_WANT_TREE_SUM | GF_WANT_SPREAD)) {
        ret->tree_sum = tree(FOLD_SUM, without_nan(s, nans, -0.0), s->x, s->n);
        if (want & GF_WANT_SPREAD)
            spread(s, nans, ret->tree_sum, ret);
    }
}

/* Finds the first element with this key, which must exist. Zeros of both signs count as equal. */
static uint64_t find_key(const struct gf_cpu_elements *s, bool real, int64_t key)
{
    int64_t other = real && (key == 0 || key == -1) ? -1 - key : key;
    size_t at = 0;
    for (; at + BLOCK <= s->n; at += BLOCK) {
        int64_t found = 0;
        for (size_t i = at; i < at + BLOCK; i++)
            found |= -(int64_t)(s->keys[i] == key) | -(int64_t)(s->keys[i] == other);
        if (found)
            break;
    }
    while (at + 1 < s->n && s->keys[at] != key && s->keys[at] != other)
        at++;
    return s->first + at;
}

static void reduce_extremes(const struct gf_cpu_elements *s, bool real, struct gf_partial *ret)
{
    const int64_t *restrict keys = s->keys;
    int64_t min_key = INT64_MAX, max_key = INT64_MIN;
    if (ret->nans == s->n)
        return;
    if (ret->nans > 0)
        for (size_t i = 0; i < s->n; i++) {
            bool there = s->x[i] == s->x[i];
            min_key = there && keys[i] < min_key ? keys[i] : min_key;
            max_key = there && keys[i] > max_key ? keys[i] : max_key;
        }
    else
        for (size_t i = 0; i < s->n; i++) {
            min_key = keys[i] < min_key ? keys[i] : min_key;
            max_key = keys[i] > max_key ? keys[i] : max_key;
        }
    ret->min_key = min_key;
    ret->max_key = max_key;
    ret->argmin = find_key(s, real, min_key);
    ret->argmax = find_key(s, real, max_key);
}

static void count_nan(const struct gf_cpu_elements *s, struct gf_partial *ret)
{
    int64_t nans = 0;
    for (size_t i = 0; i < s->n; i++)
        nans += s->x[i] != s->x[i];
    ret->nans = (uint64_t)nans;
    for (size_t i = 0; nans > 0 && ret->first_nan == GF_NO_INDEX; i++)
        if (s->x[i] != s->x[i])
            ret->first_nan = s->first + i;
}

static void count_nonzero(const struct gf_cpu_elements *s, bool real, struct gf_partial *ret)
{
    int64_t zero = s->dtype == GF_U64 ? INT64_MIN : 0, n = 0;
    if (real)
        for (size_t i = 0; i < s->n; i++)
            n += s->x[i] != 0.0;
    else
        for (size_t i = 0; i < s->n; i++)
            n += s->keys[i] != zero;
    ret->nonzero = (uint64_t)n - ret->nans;
}

/* Sums the lower and the upper 32 bits of integers separately, so that no sum over 4096 elements overflows. */
static void reduce_sums(const struct gf_cpu_elements *s, struct gf_partial *ret)
{
    const int64_t *restrict keys = s->keys;
    int64_t flip = s->dtype == GF_U64 ? INT64_MIN : 0;
    int64_t high = 0;
    uint64_t low = 0, abs_high = 0, abs_low = 0, squares = 0;
    for (size_t i = 0; i < s->n; i++) {
        low += (uint32_t)keys[i];
        high += keys[i] >> 32;
    }
    ret->sum = (gf_i128)high * (INT64_C(1) << 32) + (gf_i128)low;
    if (flip != 0) /* every key is 2^63 less than its value */
        ret->sum += (gf_i128)s->n << 63;
    if (s->want & GF_WANT_ABS)
        for (size_t i = 0; i < s->n; i++) {
            uint64_t a = keys[i] < 0 ? -(uint64_t)keys[i] : (uint64_t)keys[i];
            abs_low += (uint32_t)a;
            abs_high += a >> 32;
        }
    ret->abs = ((gf_u128)abs_high << 32) + abs_low;
    if (s->want & GF_WANT_SQUARES)
        for (size_t i = 0; i < s->n; i++)
            squares += (uint64_t)(keys[i] * keys[i]);
    ret->squares = squares;
}

static void reduce_product(const struct gf_cpu_elements *s, struct gf_partial *ret)
{
    for (size_t i = 0; i < s->n; i++) {
        uint64_t value = s->dtype == GF_U64 ? (uint64_t)s->keys[i] ^ (UINT64_C(1) << 63) : (uint64_t)s->keys[i];
        bool negative = s->dtype != GF_U64 && s->keys[i] < 0;
        gf_partial_times(ret, value, negative ? -value : value, negative);
    }
}

void GF_ISA_NAME(gf_simd_chunk)(const struct gf_cpu_elements *elements, struct gf_partial *ret)
{
    bool real = gf_is_float(elements->dtype);
    *ret = gf_partial_empty();
    if (elements->want & GF_WANT_NAN)
        count_nan(elements, ret);
    if (elements->want & GF_WANT_EXTREMES)
        reduce_extremes(elements, real, ret);
    if (elements->want & GF_WANT_NONZERO)
        count_nonzero(elements, real, ret);
    if (elements->want & (GF_WANT_SUM | GF_WANT_ABS | GF_WANT_SQUARES))
        reduce_sums(elements, ret);
    if (elements->want & GF_WANT_PRODUCT)
        reduce_product(elements, ret);
    reduce_trees(elements, ret);
}

const struct gf_simd_reduce GF_ISA_NAME(gf_simd_reduce) = {
    .chunk = GF_ISA_NAME(gf_simd_chunk),
    .subtract = GF_ISA_NAME(gf_simd_subtract),
    .exact = GF_ISA_NAME(gf_simd_exact),
    .find = GF_ISA_NAME(gf_simd_find),
    .chunk_sum = GF_ISA_NAME(gf_simd_chunk_sum),
    .chunk_dot = GF_ISA_NAME(gf_simd_chunk_dot),
    .add_rows = GF_ISA_NAME(gf_simd_add_rows),
    .columns = GF_ISA_NAME(gf_simd_columns),
    .columns_spread = GF_ISA_NAME(gf_simd_columns_spread),
    .compose = GF_ISA_NAME(gf_simd_compose),
    .compose_each = GF_ISA_NAME(gf_simd_compose_each),
};
