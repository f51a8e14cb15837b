/* SPDX-License-Identifier: MIT */
/* Small masks over stored 16-bit samples: the chain in f32. Launched through filter_pass.h. */
#include "raw_mask.cuh"

using namespace gf;

extern "C" cudaError_t gf_cuda_mask_u16_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                               cudaStream_t stream)
{
    return with_channels(pass->src.channels, [&](auto c) {
        if (pass->dst.dtype == GF_F32) /* 3 x 3, the default of named filters */
            return launch_small<uint16_t, float, c.value, 3, 4, false>(pass, rows, stream);
        return with_small_side(pass->mask.side, [&](auto k) {
            return launch_small<uint16_t, uint16_t, c.value, k.value, 8, false>(pass, rows, stream);
        });
    });
}
