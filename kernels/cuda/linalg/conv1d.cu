/* SPDX-License-Identifier: MIT */
/* One-dimensional kernels on the device: arranges the lines and chooses their direction. Called by convolve1d.c and
 * correlate1d.c. */
#include "kernels/shared/conv1d.h"

#include "conv1d.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/shared/matmul.h"
#include "max_magnitude.h"

namespace
{

constexpr uint64_t short_line = 256; /* samples; shorter lines are computed side by side */
constexpr uint64_t narrow = 16;      /* columns; fewer columns are computed one by one */

/* A row is a line with interleaved channels. Columns are adjacent lines of one channel each; where there are few
 * columns, a line holds all channels of a pixel. */
enum gf_status start(struct gf_cuda_call *call, const struct gf_conv1d *plan, gf::conv1d l, struct gf_error *err)
{
    const struct gf_view *src = &call->image[0]->view, *dst = &call->out[0].view;
    const uint64_t in = gf_dtype_size(src->dtype), out = gf_dtype_size(dst->dtype);
    const uint64_t across = src->width * src->channels;
    const bool cols = plan->cols, wide = cols && across >= narrow;
    l.channels = wide ? 1 : src->channels;
    l.n_lines = wide ? across : cols ? src->width : src->height;
    l.length = cols ? src->height : src->width;
    l.results = cols ? dst->height : dst->width;
    l.src_line = cols ? l.channels * in : src->pitch;
    l.dst_line = cols ? l.channels * out : dst->pitch;
    l.src_step = cols ? src->pitch : l.channels * in;
    l.dst_step = cols ? dst->pitch : l.channels * out;
    if (wide || (!cols && l.results * l.channels < short_line && l.n_lines > 1))
        return gf::start_across(call, l, !cols, err);
    return gf::start_along(call, l, err);
}

} // namespace

extern "C" enum gf_status gf_cuda_conv1d(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *src = call->image[0], *kernel = call->image[1];
    const struct gf_conv1d plan = gf_conv1d_init(call->step, &src->view, &kernel->view);
    enum gf_status status = gf_cuda_require_rows(call, src, src->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_require_rows(call, kernel, 1, err);
    if (status == GF_OK && plan.checked)
        status = gf_cuda_refuse_products(call, gf_conv1d_max_magnitude(&plan, 0), gf_matmul_limit(plan.taps),
                                         gf_conv1d_overflow, err);
    if (status != GF_OK)
        return status;
    gf::conv1d l = {};
    l.dtype = src->view.dtype;
    l.src = static_cast<const char *>(src->data);
    l.taps = static_cast<const char *>(kernel->data);
    l.dst = static_cast<char *>(call->out[0].data);
    l.shift = plan.shift;
    l.n_taps = plan.taps;
    l.border = plan.border;
    l.flip = plan.flip;
    l.bounded = plan.bounded;
    l.outside = plan.value;
    return start(call, &plan, l, err);
}
