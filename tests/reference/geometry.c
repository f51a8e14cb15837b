/* SPDX-License-Identifier: MIT */
/* copy, docs/numerics.md, "copy", and crop, flip, rotate and transpose, docs/numerics.md, "Geometry"; pad, of the same
 * section, stands alone. */
#include "protocol/ops/enums.h"
#include "protocol/ops/params/copy.h"
#include "protocol/ops/params/crop.h"
#include "protocol/ops/params/flip.h"
#include "protocol/ops/params/rotate.h"
#include "protocol/ops/params/transpose.h"
#include "reference_geometry.h"
#include "reference_ops.h"

GF_REFERENCE(copy)
{
    const struct gf_view *from = &in->view, *to = &out->view;
    size_t size = gf_dtype_size(from->dtype);
    uint32_t first = gf_copy_params_get(params).channel == 0 ? 0 : gf_copy_params_get(params).channel - 1;
    (void)op, (void)err;
    for (uint64_t y = 0; y < to->height; y++)
        for (uint64_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                gf_reference_copy_sample(
                    (char *)out->data + y * to->pitch + (x * to->channels + c) * size,
                    (const char *)in->data + y * from->pitch + (x * from->channels + first + c) * size, from->dtype);
    return GF_OK;
}

GF_REFERENCE(crop)
{
    uint64_t left = GF_PICK(gf_crop_params_get(params).at, 0), top = GF_PICK(gf_crop_params_get(params).at, 1);
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, left + x, top + y);
    return GF_OK;
}

GF_REFERENCE(flip)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool x_turns = gf_flip_params_get(params).axis == GF_FLIP_X || gf_flip_params_get(params).axis == GF_FLIP_BOTH;
    bool y_turns = gf_flip_params_get(params).axis == GF_FLIP_Y || gf_flip_params_get(params).axis == GF_FLIP_BOTH;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, x_turns ? w - 1 - x : x, y_turns ? h - 1 - y : y);
    return GF_OK;
}

GF_REFERENCE(rotate)
{
    uint64_t w = in->view.width, h = in->view.height;
    uint32_t angle = gf_rotate_params_get(params).angle;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            if (angle == GF_ROTATE_QUARTER)
                gf_reference_copy_pixel(out, x, y, in, y, h - 1 - x);
            else if (angle == GF_ROTATE_HALF)
                gf_reference_copy_pixel(out, x, y, in, w - 1 - x, h - 1 - y);
            else
                gf_reference_copy_pixel(out, x, y, in, w - 1 - y, x);
    return GF_OK;
}

GF_REFERENCE(transpose)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool anti = gf_transpose_params_get(params).diagonal == GF_TRANSPOSE_ANTI;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, anti ? w - 1 - y : y, anti ? h - 1 - x : x);
    return GF_OK;
}
