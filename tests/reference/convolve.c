/* SPDX-License-Identifier: MIT */
/* convolve, docs/numerics.md, "correlate, convolve": correlate with mask and anchor turned by 180 degrees. */
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "reference_ops.h"

GF_REFERENCE(convolve)
{
    const struct gf_convolve_params p = gf_convolve_params_get(params);
    const struct gf_view *mask = &in[1].view;
    uint32_t width = (uint32_t)mask->width, height = (uint32_t)mask->height;
    float gf_cleanup(gf_freep) *turned = calloc((size_t)width * height, sizeof(float));
    if (turned == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for a mask");
    for (uint32_t ky = 0; ky < height; ky++)
        for (uint32_t kx = 0; kx < width; kx++)
            memcpy(&turned[(size_t)(height - 1 - ky) * width + (width - 1 - kx)],
                   (const char *)in[1].data + ky * mask->pitch + kx * sizeof(float), sizeof(float));

    uint32_t anchor_x = p.anchor.n == 0 ? width / 2 : GF_PICK(p.anchor, 0);
    uint32_t anchor_y = p.anchor.n == 0 ? height / 2 : GF_PICK(p.anchor, 1);
    const struct gf_correlate_params correlate = {.scale = p.scale,
                                                  .offset = p.offset,
                                                  .border = p.border,
                                                  .border_value = p.border_value,
                                                  .normalize = p.normalize,
                                                  .anchor = {2, {width - 1 - anchor_x, height - 1 - anchor_y}},
                                                  .size = p.size,
                                                  .alpha = p.alpha,
                                                  .light = p.light};
    union gf_params turned_params;
    gf_correlate_params_set(&turned_params, &correlate);
    struct gf_reference_buf inputs[2] = {in[0], {turned, gf_view_tight(GF_F32, width, height, 1)}};
    return gf_reference_correlate(op, &turned_params, inputs, out, err);
}
