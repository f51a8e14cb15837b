/* SPDX-License-Identifier: MIT */
/* copy, docs/numerics.md 11. */
#include <math.h>
#include <string.h>

#include "reference_ops.h"

static void copy_sample(void *to, const void *from, uint32_t dtype)
{
    static const uint32_t nan32 = 0x7FC00000;
    static const uint64_t nan64 = 0x7FF8000000000000;
    float f32;
    double f64;
    memcpy(to, from, gf_dtype_size(dtype));
    if (dtype == GF_F32) {
        memcpy(&f32, from, sizeof f32);
        if (isnan(f32))
            memcpy(to, &nan32, sizeof nan32);
    } else if (dtype == GF_F64) {
        memcpy(&f64, from, sizeof f64);
        if (isnan(f64))
            memcpy(to, &nan64, sizeof nan64);
    }
}

enum gf_status gf_reference_copy(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_view *from = &in->view, *to = &out->view;
    size_t size = gf_dtype_size(from->dtype);
    uint32_t first = params->copy.channel == 0 ? 0 : params->copy.channel - 1;
    (void)op, (void)err;
    for (uint64_t y = 0; y < to->height; y++)
        for (uint64_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                copy_sample((char *)out->data + y * to->pitch + (x * to->channels + c) * size,
                            (const char *)in->data + y * from->pitch + (x * from->channels + first + c) * size,
                            from->dtype);
    return GF_OK;
}
