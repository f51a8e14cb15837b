/* SPDX-License-Identifier: MIT */
/* convolve1d, docs/numerics.md 10: correlate1d with the kernel and its anchor flipped. */
#include "protocol/ops/enums.h"
#include "reference_conv1d.h"
#include "reference_ops.h"

enum gf_status gf_reference_convolve1d(const struct gf_op *op, const union gf_params *params,
                                       const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                       struct gf_error *err)
{
    const struct gf_convolve1d_params *p = &params->convolve1d;
    int64_t taps = (int64_t)in[1].view.width, anchor = p->anchor.n > 0 ? (int64_t)p->anchor.v[0] : taps / 2;
    struct gf_reference_conv1d lines = {.axis = p->axis,
                                        .border = p->border,
                                        .outside = p->border_value,
                                        .flip = true,
                                        .bounded = p->mode == GF_CONVOLUTION_FULL,
                                        .refuses = p->overflow == GF_OVERFLOW_ERROR};
    if (p->mode != GF_CONVOLUTION_SAME) {
        lines.border = GF_BORDER_REPLICATE;
        lines.outside = 0.0;
    }
    lines.shift = p->mode == GF_CONVOLUTION_SAME ? taps - 1 - anchor : p->mode == GF_CONVOLUTION_FULL ? taps - 1 : 0;
    return gf_reference_conv1d(op, &lines, in, out, err);
}
