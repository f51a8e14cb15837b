/* SPDX-License-Identifier: MIT */
/* Weights of windows that move by two pixels; see resize_by_two.h. */
#include "resize_by_two.h"

#include <math.h>
#include <string.h>

/* Weights of at least this magnitude, or 0, keep sums times 2^-22 among the normal numbers: sums of integers times
 * weights are multiples of 2^-23 times the least weight. */
#define LEAST_WEIGHT 0x1p-60f

/* The weight of a pixel in result i, 0 outside its window. */
static float weight_of(const struct gf_resize_axis *axis, uint32_t i, int64_t pixel)
{
    int64_t k = pixel - (int64_t)axis->first[i], n = (int64_t)(axis->at[i + 1] - axis->at[i]);
    return k >= 0 && k < n ? axis->weights[axis->at[i] + (uint32_t)k] : 0.0f;
}

/* Whether window i consists of the pixels inside the picture among its `taps` pixels, with weights that may be
 * scaled. */
static bool is_window(const struct gf_resize_axis *axis, uint32_t i, int64_t pixels, int32_t taps)
{
    int64_t first = 2 * (int64_t)i + 1 - taps / 2, end = first + taps;
    first = first < 0 ? 0 : first;
    end = end < pixels ? end : pixels;
    if ((int64_t)axis->first[i] != first || (int64_t)(axis->at[i + 1] - axis->at[i]) != end - first)
        return false;
    for (uint32_t k = axis->at[i]; k < axis->at[i + 1]; k++) {
        float w = fabsf(axis->weights[k]);
        if (w > 1.0f || (w != 0.0f && w < LEAST_WEIGHT))
            return false;
    }
    return true;
}

static bool moves_by_two(const struct gf_resize_axis *axis, int64_t pixels, int32_t taps)
{
    for (uint32_t i = 0; i < axis->n; i++)
        if (!is_window(axis, i, pixels, taps))
            return false;
    return true;
}

/* Finds the results with windows inside the picture; false if their weights differ. */
static bool find_inner(const struct gf_resize_axis *axis, int64_t pixels, int32_t taps, struct gf_by_two_inner *ret)
{
    int32_t n = (int32_t)axis->n, end = (int32_t)((pixels - taps / 2 + 1) / 2);
    end = end < n ? end : n;
    *ret = end > taps / 4 ? (struct gf_by_two_inner){taps / 4, end} : (struct gf_by_two_inner){n, n};
    for (int32_t i = ret->first + 1; i < ret->end; i++)
        if (memcmp(axis->weights + axis->at[ret->first], axis->weights + axis->at[i], (size_t)taps * sizeof(float)) !=
            0)
            return false;
    return true;
}

/* The number of weight sets for n columns or pairs. */
static int32_t sets_of(const struct gf_by_two_inner *inner, int32_t n)
{
    return inner->first + 1 + (n - inner->end);
}

/* The column or pair of a set. */
static int32_t index_of(const struct gf_by_two_inner *inner, int32_t set)
{
    return set <= inner->first ? set : set - inner->first - 1 + inner->end;
}

static void fill_columns(const struct gf_resize_axis *x, int32_t sets, int power, struct gf_resize_by_two *r)
{
    for (int32_t k = 0; k < sets; k++) {
        int32_t i = index_of(&r->x, k);
        for (int32_t t = 0; t < r->taps && i < (int32_t)x->n; t++)
            r->columns[k][t] = ldexpf(weight_of(x, (uint32_t)i, 2 * (int64_t)i + 1 - r->taps / 2 + t), power);
    }
}

static void fill_pairs(const struct gf_resize_axis *y, int32_t sets, int power, struct gf_resize_by_two *r)
{
    int32_t reach = r->taps / 2;
    for (int32_t s = 0; s < sets; s++) {
        int32_t j = index_of(&r->y, s);
        for (int32_t k = 0; k < r->taps; k++) {
            int32_t i = j - reach + 1 + k / 2;
            if (i >= 0 && i < (int32_t)y->n)
                r->pairs[s][k] = ldexpf(weight_of(y, (uint32_t)i, 2 * (int64_t)j + 1 - reach + k % 2), power);
        }
    }
}

/* Converts the weights of inner rows to integers, if that is exact. 256 times a weight is exact. */
static void find_whole(const struct gf_resize_axis *y, struct gf_by_two_inner rows, int32_t taps,
                       struct gf_by_two_whole *ret)
{
    struct gf_by_two_whole whole = {.rows = rows};
    if (rows.first >= rows.end || taps > GF_BY_TWO_WHOLE_TAPS)
        return;
    for (int32_t t = 0; t < taps; t++) {
        float w = 256.0f * y->weights[y->at[rows.first] + (uint32_t)t];
        if (w != rintf(w) || w < -128.0f || w > 127.0f)
            return;
        whole.weights[t / 4] |= (uint32_t)(uint8_t)(int8_t)w << (8 * (t % 4));
    }
    *ret = whole;
}

/*
 * A short axis of this many results represents a long one. With steps of 2 from a multiple of 2^-20 on, centres, and
 * distances of pixels from them, are exact, so two windows have the same weights if equal parts of them lie inside.
 * `cut` results in the middle, and twice as many pixels, can then be left out: the edges cut at most 3 windows on
 * either side, and all others are equal.
 */
#define ENOUGH 32u

static bool shorten(const struct gf_resize_map *map, struct gf_resize_map *ret_map, int32_t *ret_cut)
{
    const uint32_t cut = map->n > ENOUGH ? map->n - ENOUGH : 0;
    const double fine = map->origin * 0x1p20;
    if (map->step != 2.0 || fine != rint(fine))
        return false;
    *ret_map = *map;
    ret_map->n -= cut;
    ret_map->length -= 2 * cut;
    *ret_cut = (int32_t)cut;
    return true;
}

/* Finds the weights from axes that may be shortened; width and height are the pixels that remain. */
static void find(struct gf_resize_by_two *ret, const struct gf_resize_axis *x, const struct gf_resize_axis *y,
                 int64_t width, int64_t height, uint32_t dtype)
{
    struct gf_resize_by_two r = {.taps = (int32_t)x->most};
    if ((r.taps != 4 && r.taps != 8 && r.taps != 12) || !moves_by_two(x, width, r.taps) ||
        !moves_by_two(y, height, r.taps) || !find_inner(x, width, r.taps, &r.x) || !find_inner(y, height, r.taps, &r.y))
        return;
    if (dtype == GF_U8)
        find_whole(y, r.y, r.taps, &r.whole);
    /* A pair has the inner weights if all results that it belongs to are inner ones. */
    int32_t reach = r.taps / 2;
    r.y.first += reach - 1;
    r.y.end = r.y.end > r.y.first ? r.y.end : r.y.first;
    int32_t columns = sets_of(&r.x, (int32_t)x->n);
    int32_t pairs = sets_of(&r.y, (int32_t)y->n + reach - 1 + GF_BY_TWO_CHUNK);
    if (columns > GF_BY_TWO_COLUMNS || pairs > GF_BY_TWO_PAIRS)
        return;
    int up = dtype == GF_U8 ? 14 : dtype == GF_U16 ? 22 : 0, down = up > 0 ? 127 : 0;
    fill_columns(x, columns, up, &r);
    fill_pairs(y, pairs, down, &r);
    *ret = r;
}

enum gf_status gf_resize_by_two_init(struct gf_resize_by_two *by_two, const struct gf_resize *resize,
                                     const struct gf_view *src, struct gf_error *err)
{
    gf_cleanup(gf_resize_axis_deinit) struct gf_resize_axis x = GF_RESIZE_AXIS_NULL, y = GF_RESIZE_AXIS_NULL;
    struct gf_resize_map across, down;
    int32_t cut_x, cut_y;
    *by_two = (struct gf_resize_by_two){.taps = 0};
    bool known = src->dtype == GF_U8 || src->dtype == GF_U16 || src->dtype == GF_F32;
    bool plain = !resize->nearest && !resize->premultiply && !resize->linear;
    if (!known || !plain || !shorten(&resize->across, &across, &cut_x) || !shorten(&resize->down, &down, &cut_y))
        return GF_OK;
    enum gf_status status = gf_resize_axis_init(&x, &across, err);
    if (status == GF_OK)
        status = gf_resize_axis_init(&y, &down, err);
    if (status != GF_OK)
        return status;
    find(by_two, &x, &y, across.length, down.length, src->dtype);
    if (by_two->taps == 0)
        return GF_OK;
    by_two->x.end += cut_x;
    by_two->y.end += cut_y;
    if (by_two->whole.rows.first < by_two->whole.rows.end)
        by_two->whole.rows.end += cut_y;
    return GF_OK;
}
