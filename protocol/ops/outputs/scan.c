/* SPDX-License-Identifier: MIT */
/* Outputs and parameter checks of scan, recurrence and integral, docs/numerics.md, "Reductions and scans". Called by
 * gf_op_infer. */
#include <inttypes.h>
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/integral.h"
#include "protocol/ops/params/recurrence.h"
#include "protocol/ops/params/scan.h"
#include "protocol/ops/texts/operator.h"

/* Integers up to this are exact in f64. */
#define MAX_WHOLE 0x1p53

static uint32_t set_of(uint32_t dtype, uint32_t wider)
{
    return GF_DT(dtype) | GF_DT(wider);
}

/* The requested dtype, which must be in the set; `same` if none is requested. */
static enum gf_status pick_dtype(const struct gf_op *op, uint32_t word, uint32_t same, uint32_t set, uint32_t *ret,
                                 struct gf_error *err)
{
    char text[GF_DTYPES_TEXT];
    uint32_t dtype = word == GF_DTYPE_SAME ? same : word;
    if ((GF_DT(dtype) & set) == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: dtype=%s cannot be used with this input; allowed: %s", op->name,
                            gf_dtype_word(dtype), gf_dtype_set_text(set, text, sizeof text));
    *ret = dtype;
    return GF_OK;
}

static enum gf_status scan_dtype(const struct gf_op *op, uint32_t in, const struct gf_scan_params *p, uint32_t *ret,
                                 struct gf_error *err)
{
    bool adds = p->op == GF_SCAN_SUM || p->op == GF_SCAN_PRODUCT;
    if (gf_dtype_kind(in) == GF_KIND_FLOAT)
        return pick_dtype(op, p->dtype, in, set_of(GF_F32, GF_F64), ret, err);
    if (!adds)
        return pick_dtype(op, p->dtype, in, GF_DT(in), ret, err);
    if (gf_dtype_kind(in) == GF_KIND_SINT)
        return pick_dtype(op, p->dtype, GF_I64, set_of(GF_I32, GF_I64), ret, err);
    return pick_dtype(op, p->dtype, GF_U64, set_of(GF_U32, GF_U64), ret, err);
}

/* Checks that the initial value of an integer scan is a whole number that f64 and the result can hold. */
static enum gf_status check_whole(const struct gf_op *op, double init, uint32_t dtype, struct gf_error *err)
{
    int bits = (int)gf_dtype_size(dtype) * 8;
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    double lo = is_signed ? -ldexp(1.0, bits - 1) : 0.0, hi = ldexp(1.0, is_signed ? bits - 1 : bits) - 1.0;
    lo = fmax(lo, -MAX_WHOLE);
    hi = fmin(hi, MAX_WHOLE);
    if (init == floor(init) && init >= lo && init <= hi)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: initial=%.17g for %s; allowed: whole numbers %.0f..%.0f", op->name,
                        init, gf_dtype_word(dtype), lo, hi);
}

static enum gf_status check_start(const struct gf_op *op, uint32_t start, double init, struct gf_error *err)
{
    if (start == GF_START_FIRST && init != 0.0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: initial=%.17g is only used with start=initial", op->name, init);
    return GF_OK;
}

/* The output view of op=user. */
static enum gf_status user_scan(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    struct gf_operator user;
    enum gf_status status = gf_operator_of_step(op, in, params, &user, err);
    if (status != GF_OK)
        return status;
    *ret_out = gf_view_tight(user.dtype, in->width, in->height, user.channels);
    return gf_view_check(ret_out, "scan: dst", err);
}

enum gf_status gf_outputs_scan(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_scan_params p = gf_scan_params_get(params);
    uint32_t dtype = 0;
    enum gf_status status = gf_operator_check(op, in, params, err);
    if (status == GF_OK)
        status = check_start(op, p.start, p.initial, err);
    if (status == GF_OK && p.op != GF_SCAN_USER)
        status = scan_dtype(op, in->dtype, &p, &dtype, err);
    if (status == GF_OK && gf_view_given(&in[1]) && p.axis != GF_AXIS_ALL)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: axis=%s cannot be used with segments; use axis=all", op->name,
                            gf_enum_word(GF_ENUM_AXIS, p.axis));
    if (status == GF_OK && p.op == GF_SCAN_USER)
        return user_scan(op, in, params, ret_out, err);
    if (status == GF_OK && p.start == GF_START_INITIAL && gf_dtype_kind(dtype) != GF_KIND_FLOAT)
        status = check_whole(op, p.initial, dtype, err);
    if (status != GF_OK)
        return status;
    *ret_out = gf_view_tight(dtype, in->width, in->height, in->channels);
    return GF_OK;
}

enum gf_status gf_outputs_recurrence(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status =
        check_start(op, gf_recurrence_params_get(params).start, gf_recurrence_params_get(params).initial, err);
    if (status == GF_OK)
        *ret_out = gf_view_tight(in->dtype, in->width, in->height, in->channels);
    return status;
}

/* Whether every sum of an integer image is below 2^32. */
static bool fits_u32(const struct gf_view *in, bool square)
{
    uint64_t max = in->dtype == GF_U8 ? UINT8_MAX : UINT16_MAX;
    return in->width * in->height <= UINT32_MAX / (square ? max * max : max);
}

enum gf_status gf_outputs_integral(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_integral_params p = gf_integral_params_get(params);
    uint32_t dtype = 0;
    enum gf_status status = in->dtype == GF_F32 ? pick_dtype(op, p.dtype, GF_F64, set_of(GF_F32, GF_F64), &dtype, err)
                                                : pick_dtype(op, p.dtype, fits_u32(in, p.square) ? GF_U32 : GF_U64,
                                                             set_of(GF_U32, GF_U64), &dtype, err);
    if (status != GF_OK)
        return status;
    *ret_out = gf_view_tight(dtype, in->width + p.pad, in->height + p.pad, in->channels);
    return GF_OK;
}
