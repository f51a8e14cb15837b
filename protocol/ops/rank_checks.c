/* SPDX-License-Identifier: MIT */
/* Checks of median, rank and percentile. Listed in the table of op_checks.c. */
#include <inttypes.h>
#include <math.h>

#include "enums.h"
#include "op_checks.h"
#include "protocol/base/text.h"
#include "protocol/ops/params/median.h"
#include "protocol/ops/params/percentile.h"
#include "protocol/ops/params/rank.h"

/* The common parameters of the three ops. */
struct window {
    const struct gf_u32v *size;
    uint32_t border;
    const struct gf_f32v *border_value;
};

/* Pixels outside the picture are samples of windows, so the picture's type must be able to hold them. */
static enum gf_status check_window(const struct gf_op *op, const struct gf_view *src, const struct window *w,
                                   struct gf_error *err)
{
    if (w->size->n != 1 && w->size->n != 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: size has %" PRIu32 " values; give one, or WxH", op->name,
                            w->size->n);
    enum gf_status status =
        gf_check_outside(op, src, (struct gf_outside){w->border, w->border_value, GF_LIGHT_ENCODED}, err);
    for (uint32_t i = 0; i < w->border_value->n && status == GF_OK && w->border == GF_BORDER_CONSTANT; i++)
        status = gf_check_element(op, "border_value", src->dtype, (double)w->border_value->v[i], err);
    return status;
}

enum gf_status gf_check_median(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_error *err)
{
    const struct gf_median_params p = gf_median_params_get(params);
    return check_window(op, &in[0], &(struct window){&p.size, p.border, &p.border_value}, err);
}

static enum gf_status check_index(const struct gf_op *op, const struct gf_rank_params *p, struct gf_error *err)
{
    uint32_t width = GF_PICK(p->size, 0), height = GF_PICK(p->size, 1), n = width * height;
    char number[GF_NUMBER_TEXT];
    if (p->index.n == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: index is not given; give a whole number: 0 is the smallest sample of a window, -1 the "
                            "greatest; median takes the middle one",
                            op->name);
    float index = p->index.v[0];
    if (floorf(index) == index && index >= -(float)n && index < (float)n)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM,
                        "%s: index=%s for a window of %" PRIu32 "x%" PRIu32 "; allowed: whole numbers -%" PRIu32
                        "..%" PRIu32,
                        op->name, gf_text_from_f32(index, number, sizeof number), width, height, n, n - 1);
}

enum gf_status gf_check_rank(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                             struct gf_error *err)
{
    const struct gf_rank_params p = gf_rank_params_get(params);
    enum gf_status status = check_window(op, &in[0], &(struct window){&p.size, p.border, &p.border_value}, err);
    return status == GF_OK ? check_index(op, &p, err) : status;
}

enum gf_status gf_check_percentile(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_error *err)
{
    const struct gf_percentile_params p = gf_percentile_params_get(params);
    if (p.percent.n == 0)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: percent is not given; give a number 0..100, such as percent=25; median takes the middle "
            "sample",
            op->name);
    return check_window(op, &in[0], &(struct window){&p.size, p.border, &p.border_value}, err);
}
