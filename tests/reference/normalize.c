/* SPDX-License-Identifier: MIT */
/* normalize, docs/numerics.md, "Colour". */
#include "protocol/ops/params/normalize.h"
#include "protocol/ops/enums.h"
#include "reference_image.h"
#include "reference_ops.h"

GF_REFERENCE(normalize)
{
    const struct gf_normalize_params p = gf_normalize_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(in, y, x, c);
                if (p.range == GF_RANGE_FULL)
                    v = v / gf_reference_max(in->view.dtype);
                gf_reference_write(out, y, x, c, (v - GF_PICK(p.mean, c)) / GF_PICK(p.std, c));
            }
    return GF_OK;
}
