/* SPDX-License-Identifier: MIT */
/* pad, docs/numerics.md, "Geometry". */
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/pad.h"
#include "reference_geometry.h"
#include "reference_image.h"
#include "reference_ops.h"

/* A number that the dtype holds. */
static void store(void *to, uint32_t dtype, double value)
{
    switch (dtype) {
#define STORE(NAME, type)                                                                                              \
    case GF_##NAME: {                                                                                                  \
        type v = (type)value;                                                                                          \
        memcpy(to, &v, sizeof v);                                                                                      \
        break;                                                                                                         \
    }
        STORE(U8, uint8_t)
        STORE(I8, int8_t)
        STORE(U16, uint16_t)
        STORE(I16, int16_t)
        STORE(U32, uint32_t)
        STORE(I32, int32_t)
        STORE(U64, uint64_t)
        STORE(I64, int64_t)
        STORE(F32, float)
    case GF_F16:
        gf_reference_write(&(struct gf_reference_buf){to, gf_view_tight(GF_F16, 1, 1, 1)}, 0, 0, 0, (float)value);
        break;
    default:
        memcpy(to, &value, sizeof value);
    }
}

GF_REFERENCE(pad)
{
    const struct gf_pad_params p = gf_pad_params_get(params);
    int64_t left = p.margin.v[0], top = p.margin.n == 1 ? p.margin.v[0] : p.margin.v[1];
    int64_t w = (int64_t)in->view.width, h = (int64_t)in->view.height;
    uint64_t pixel[GF_MAX_CHANNELS] = {0};
    struct gf_reference_buf constant = {pixel, gf_view_tight(in->view.dtype, 1, 1, in->view.channels)};
    (void)op, (void)err;
    if (p.border == GF_BORDER_CONSTANT)
        for (uint32_t c = 0; c < in->view.channels; c++)
            store((char *)pixel + c * gf_dtype_size(in->view.dtype), in->view.dtype,
                  p.border_value.v[p.border_value.n == 1 ? 0 : c]);
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++) {
            int64_t from_x = gf_reference_border(p.border, (int64_t)x - left, w);
            int64_t from_y = gf_reference_border(p.border, (int64_t)y - top, h);
            if (from_x < 0 || from_y < 0)
                gf_reference_copy_pixel(out, x, y, &constant, 0, 0);
            else
                gf_reference_copy_pixel(out, x, y, in, (uint64_t)from_x, (uint64_t)from_y);
        }
    return GF_OK;
}
