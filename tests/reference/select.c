/* SPDX-License-Identifier: MIT */
/* select, docs/numerics.md, "select". */
#include <float.h>
#include <math.h>
#include <string.h>

#include "protocol/ops/params/select.h"
#include "reference_bins.h"
#include "reference_ops.h"

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every 64-bit integer");

static bool is_picked(const struct gf_select_params *p, struct gf_reference_value v)
{
    long double x = v.is_float ? (long double)v.f : (long double)v.i;
    if (x != x)
        return false;
    return (p->lo == -DBL_MAX || (long double)p->lo <= x) && (p->hi == DBL_MAX || x <= (long double)p->hi);
}

static void *place(const struct gf_reference_buf *buf, uint64_t x, uint64_t y)
{
    return (char *)buf->data + y * buf->view.pitch + x * gf_dtype_size(buf->view.dtype);
}

/* What stands in values where no sample does. */
static void put_nothing(const struct gf_reference_buf *values, uint64_t x, uint64_t y)
{
    const float f32 = NAN;
    const double f64 = (double)NAN;
    if (values->view.dtype == GF_F32)
        memcpy(place(values, x, y), &f32, sizeof(f32));
    else if (values->view.dtype == GF_F64)
        memcpy(place(values, x, y), &f64, sizeof(f64));
    else
        memset(place(values, x, y), 0, gf_dtype_size(values->view.dtype));
}

static void select_channel(const struct gf_select_params *p, const struct gf_reference_buf *in, uint32_t c,
                           struct gf_reference_buf *out)
{
    size_t size = gf_dtype_size(in->view.dtype);
    uint64_t capacity = out[0].view.width, count = 0, index = 0;
    const uint64_t none = UINT64_MAX;
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++, index++) {
            if (!is_picked(p, gf_reference_value_at(in, y, x, c)))
                continue;
            if (count < capacity) {
                const char *row = (const char *)in->data + y * in->view.pitch;
                memcpy(place(&out[0], count, c), row + (x * in->view.channels + c) * size, size);
                memcpy(place(&out[1], count, c), &index, sizeof(index));
            }
            count++;
        }
    for (uint64_t k = count; k < capacity; k++) {
        put_nothing(&out[0], k, c);
        memcpy(place(&out[1], k, c), &none, sizeof(none));
    }
    memcpy(place(&out[2], 0, c), &count, sizeof(count));
}

GF_REFERENCE(select)
{
    const struct gf_select_params p = gf_select_params_get(params);
    (void)op, (void)err;
    for (uint32_t c = 0; c < in->view.channels; c++)
        select_channel(&p, in, c, out);
    return GF_OK;
}
