/* SPDX-License-Identifier: MIT */
/* Converts the bounds of a request to a dtype. Called by both backends. */
#include "select.h"

#include <float.h>
#include <math.h>

#include "protocol/ops/params/select.h"

/* Integers from ceil(lo) to floor(hi), further narrowed by the limits of the dtype. f64 holds min and end exactly. */
static struct gf_select_range full_range(double lo, double hi, uint32_t dtype)
{
    const struct gf_select_range none = {{.u = 1}, {.u = 0}};
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    int bits = (int)gf_dtype_size(dtype) * 8 - (is_signed ? 1 : 0);
    double min = is_signed ? -ldexp(1.0, bits) : 0.0, end = ldexp(1.0, bits);
    uint64_t max = UINT64_MAX >> (64 - bits);
    struct gf_select_range r;
    lo = ceil(lo);
    hi = floor(hi);
    if (lo > hi || lo >= end || hi < min)
        return none;
    lo = fmax(lo, min);
    hi = fmax(hi, min);
    if (is_signed) {
        r.lo.i = (int64_t)lo;
        r.hi.i = hi >= end ? (int64_t)max : (int64_t)hi;
    } else {
        r.lo.u = (uint64_t)lo;
        r.hi.u = hi >= end ? max : (uint64_t)hi;
    }
    return r;
}

/* The least f32 that is not below lo and the greatest that is not above hi. */
static struct gf_select_range f32_range(double lo, double hi)
{
    float lowest = (float)lo, highest = (float)hi;
    if ((double)lowest < lo)
        lowest = nextafterf(lowest, INFINITY);
    if ((double)highest > hi)
        highest = nextafterf(highest, -INFINITY);
    return (struct gf_select_range){{.f = (double)lowest}, {.f = (double)highest}};
}

struct gf_select_range gf_select_range(const struct gf_select_params *params, uint32_t dtype)
{
    double lo = params->lo == -DBL_MAX ? -(double)INFINITY : params->lo;
    double hi = params->hi == DBL_MAX ? (double)INFINITY : params->hi;
    if (gf_dtype_kind(dtype) != GF_KIND_FLOAT)
        return full_range(lo, hi, dtype);
    if (dtype == GF_F32)
        return f32_range(lo, hi);
    return (struct gf_select_range){{.f = lo}, {.f = hi}};
}
