/* SPDX-License-Identifier: MIT */
/* Samples of every dtype as typed values, and the store of docs/numerics.md, "Store" and "Results". Called by expr.c.
 */
#include "reference_typed.h"

#include <math.h>
#include <string.h>

#include "reference_bins.h"
#include "reference_image.h"

struct gf_reference_typed gf_reference_typed_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    if (buf->view.dtype == GF_F16 || buf->view.dtype == GF_F32)
        return (struct gf_reference_typed){.type = GF_EXPR_F32,
                                           .f32 = gf_reference_read(buf, (int64_t)y, (int64_t)x, c)};
    struct gf_reference_value v = gf_reference_value_at(buf, y, x, c);
    if (buf->view.dtype == GF_F64)
        return (struct gf_reference_typed){.type = GF_EXPR_F64, .f64 = v.f};
    return (struct gf_reference_typed){.type = buf->view.dtype == GF_U64 ? GF_EXPR_U64 : GF_EXPR_I64, .whole = v.i};
}

static bool is_whole(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_BOOL || v.type == GF_EXPR_I64 || v.type == GF_EXPR_U64;
}

static gf_reference_i128 whole_of(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_BOOL ? v.b : v.whole;
}

static double as_f64(struct gf_reference_typed v)
{
    return is_whole(v) ? (double)whole_of(v) : v.type == GF_EXPR_F32 ? (double)v.f32 : v.f64;
}

/* Into an integer dtype: rounded to nearest, ties to even; NaN is 0; saturated. */
static gf_reference_i128 saturated(struct gf_reference_typed v, uint32_t dtype)
{
    const gf_reference_i128 one = 1;
    uint32_t bits = 8 * (uint32_t)gf_dtype_size(dtype), sign = gf_dtype_kind(dtype) == GF_KIND_SINT;
    gf_reference_i128 lo = sign ? -(one << (bits - 1)) : 0, hi = (one << (bits - sign)) - 1;
    if (is_whole(v))
        return whole_of(v) < lo ? lo : whole_of(v) > hi ? hi : whole_of(v);
    double r = rint(as_f64(v));
    if (isnan(r))
        return 0;
    if (r >= ldexp(1.0, (int)(bits - sign)))
        return hi;
    return r < (double)lo ? lo : (gf_reference_i128)r;
}

static float as_f32(struct gf_reference_typed v)
{
    return is_whole(v) ? (float)whole_of(v) : v.type == GF_EXPR_F32 ? v.f32 : (float)v.f64;
}

void gf_reference_typed_store(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c,
                              struct gf_reference_typed v)
{
    uint32_t dtype = buf->view.dtype;
    size_t size = gf_dtype_size(dtype);
    char *to = (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
    if (dtype == GF_F16 || dtype == GF_F32) {
        gf_reference_write(buf, (int64_t)y, (int64_t)x, c, as_f32(v));
        return;
    }
    uint64_t bits = dtype == GF_F64 ? 0 : (uint64_t)(gf_reference_u128)saturated(v, dtype);
    double f64 = dtype == GF_F64 ? as_f64(v) : 0.0;
    if (dtype == GF_F64)
        memcpy(&bits, &f64, sizeof(bits));
    if (isnan(f64))
        bits = 0x7FF8000000000000u;
    memcpy(to, &bits, size);
}
