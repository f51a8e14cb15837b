/* SPDX-License-Identifier: MIT */
/*
 * median, rank and percentile, prepared alike for both backends: the window, the wanted rank in it, and the order of
 * samples as integers. docs/numerics.md, "median, rank, percentile". Called once per step by both backends.
 */
#ifndef GF_KERNELS_RANK_H
#define GF_KERNELS_RANK_H

#include <math.h>
#include <string.h>

#include "kernels/backend.h"
#include "protocol/base/half.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/median.h"
#include "protocol/ops/params/percentile.h"
#include "protocol/ops/params/rank.h"
#include "protocol/ops/plan/rank_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sample (y, x) of the result has rank `index`, from the least, among the width x height samples from (y - anchor_y, x
 * - anchor_x) on; `border` applies outside. */
struct gf_rank {
    uint32_t width, height, anchor_x, anchor_y;
    uint32_t index;                   /* below width * height */
    uint32_t border;                  /* GF_BORDER_* */
    int32_t outside[GF_MAX_CHANNELS]; /* keys of a constant border */
};

/* Keys: integers in the order of samples, numerics.md, "median, rank, percentile"; -0 is below +0, NaN above all. For
 * u8, u16 and i16 the key is the sample moved into i8 or i16; for floats it is the bits, with negative ones flipped. */
static inline int32_t gf_rank_float_key(float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return 0x7FC00000;
    return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}

static inline int32_t gf_rank_half_key(uint16_t half)
{
    half = gf_half_canonical(half);
    return half == 0x7E00 ? 0x7E00 : (half & 0x8000) != 0 ? (int16_t)(half ^ 0x7FFF) : half;
}

/* The key of a number that the dtype holds. */
static inline int32_t gf_rank_key(uint32_t dtype, float v)
{
    if (dtype == GF_F32)
        return gf_rank_float_key(v);
    if (dtype == GF_F16)
        return gf_rank_half_key(gf_half_from_f32(v));
    return (int32_t)v - (dtype == GF_U8 ? 128 : dtype == GF_U16 ? 32768 : 0);
}

/* Prepares a step of one of the three ops. */
static inline struct gf_rank gf_rank_of(const struct gf_step *step, const struct gf_view *src)
{
    const struct gf_rank_window window = gf_rank_window_of(step);
    const union gf_params *p = &step->params;
    uint32_t op = step->op->index;
    const struct gf_f32v value = op == GF_INDEX_median ? gf_median_params_get(p).border_value
                                 : op == GF_INDEX_rank ? gf_rank_params_get(p).border_value
                                                       : gf_percentile_params_get(p).border_value;
    uint32_t border = op == GF_INDEX_median ? gf_median_params_get(p).border
                      : op == GF_INDEX_rank ? gf_rank_params_get(p).border
                                            : gf_percentile_params_get(p).border;
    struct gf_rank r;
    memset(&r, 0, sizeof r);
    r.width = window.width;
    r.height = window.height;
    r.index = window.index;
    r.anchor_x = r.width / 2;
    r.anchor_y = r.height / 2;
    r.border = border;
    for (uint32_t c = 0; c < src->channels && border == GF_BORDER_CONSTANT; c++)
        r.outside[c] = gf_rank_key(src->dtype, GF_PICK(value, c));
    return r;
}

#ifdef __cplusplus
}
#endif
#endif
