/* SPDX-License-Identifier: MIT */
/* Tables of windows that move by two pixels; see resize_by_two.h. */
#include "resize_by_two.h"

#include <math.h>
#include <string.h>

/* Weights from here on, or 0, keep sums times 2^-22 among the normal numbers: sums of whole numbers times weights are
 * multiples of 2^-23 times the least weight. */
#define LEAST_WEIGHT 0x1p-60f

/* The weight of a pixel in result i, 0 where it is none of its window. */
static float weight_of(const struct gf_resize_axis *axis, uint32_t i, int64_t pixel)
{
    int64_t k = pixel - (int64_t)axis->first[i], n = (int64_t)(axis->at[i + 1] - axis->at[i]);
    return k >= 0 && k < n ? axis->weights[axis->at[i] + (uint32_t)k] : 0.0f;
}

/* Whether window i is what lies inside of `taps` pixels, with weights that may be scaled. */
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

/* Which columns have windows that lie inside; false where their weights differ. */
static bool find_inner(const struct gf_resize_axis *x, int64_t pixels, struct gf_resize_by_two *r)
{
    int64_t end = (pixels - r->taps / 2 + 1) / 2;
    r->inner_first = r->taps / 4;
    r->inner_end = end < (int64_t)x->n ? (int32_t)end : (int32_t)x->n;
    for (int32_t i = r->inner_first; i < r->inner_end; i++) {
        const float *w = x->weights + x->at[i];
        if (i == r->inner_first)
            memcpy(r->inner, w, (size_t)r->taps * sizeof *w);
        if (memcmp(r->inner, w, (size_t)r->taps * sizeof *w) != 0)
            return false;
    }
    return true;
}

static void fill_tables(const struct gf_resize *resize, uint32_t dtype, struct gf_resize_by_two *r, float *columns,
                        float *pairs)
{
    int32_t reach = r->taps / 2, up = dtype == GF_U8 ? 14 : dtype == GF_U16 ? 22 : 0, down = up > 0 ? 127 : 0;
    for (int32_t t = 0; t < r->taps; t++)
        r->inner[t] = ldexpf(r->inner[t], up);
    for (uint32_t i = 0; i < resize->x.n; i++)
        for (int32_t t = 0; t < r->taps; t++)
            *columns++ = ldexpf(weight_of(&resize->x, i, 2 * (int64_t)i + 1 - reach + t), up);
    for (int64_t j = 0; j < (int64_t)resize->y.n + reach - 1 + GF_BY_TWO_CHUNK; j++)
        for (int32_t k = 0; k < r->taps; k++) {
            int64_t i = j - reach + 1 + k / 2, row = 2 * j + 1 - reach + k % 2;
            bool made = i >= 0 && i < (int64_t)resize->y.n;
            *pairs++ = made ? ldexpf(weight_of(&resize->y, (uint32_t)i, row), down) : 0.0f;
        }
}

enum gf_status gf_by_two_tables_init(struct gf_by_two_tables *tables, struct gf_resize_by_two *by_two,
                                     const struct gf_resize *resize, const struct gf_view *src, struct gf_error *err)
{
    struct gf_resize_by_two r = {.taps = (int32_t)resize->x.most};
    *tables = GF_BY_TWO_TABLES_NULL;
    *by_two = (struct gf_resize_by_two){.taps = 0};
    bool known = src->dtype == GF_U8 || src->dtype == GF_U16 || src->dtype == GF_F32;
    bool plain = !resize->nearest && !resize->premultiply && !resize->linear;
    if (!known || !plain || (r.taps != 4 && r.taps != 8 && r.taps != 12) ||
        !moves_by_two(&resize->x, (int64_t)src->width, r.taps) ||
        !moves_by_two(&resize->y, (int64_t)src->height, r.taps) || !find_inner(&resize->x, (int64_t)src->width, &r))
        return GF_OK;
    size_t pairs = resize->y.n + (size_t)r.taps / 2 - 1 + GF_BY_TWO_CHUNK;
    tables->pairs_at = resize->x.n * (size_t)r.taps * sizeof(float);
    tables->size = tables->pairs_at + pairs * (size_t)r.taps * sizeof(float);
    tables->data = malloc(tables->size);
    if (!tables->data)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the weights of resize");
    fill_tables(resize, src->dtype, &r, tables->data, tables->data + tables->pairs_at / sizeof(float));
    *by_two = r;
    return GF_OK;
}

void gf_by_two_tables_deinit(struct gf_by_two_tables *tables)
{
    free(tables->data);
    *tables = GF_BY_TWO_TABLES_NULL;
}
