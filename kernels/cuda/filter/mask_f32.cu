/* SPDX-License-Identifier: MIT */
/* Full masks over stored f32: the chain in f32. Launched through filter_pass.h. */
#include "raw_mask.cuh"

using namespace gf;

extern "C" cudaError_t gf_cuda_mask_f32_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                               cudaStream_t stream)
{
    const int side = pass->mask.side, channels = pass->src.channels;
    if (is_small(side))
        return with_channels(channels, [&](auto c) {
            return with_small_side(side, [&](auto k) {
                return launch_small<float, float, c.value, k.value, 4, false>(pass, rows, stream);
            });
        });
    return with_channels(channels, [&](auto c) {
        return with_large_side(
            side, [&](auto k) { return launch_large<float, c.value, k.value, 8, false>(pass, rows, stream); });
    });
}
