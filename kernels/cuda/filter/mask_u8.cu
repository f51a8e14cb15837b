/* SPDX-License-Identifier: MIT */
/* Full masks over stored bytes: integer sums where the exactness rule holds, otherwise the chain in f32. Launched
 * through filter_pass.h. */
#include "raw_mask.cuh"

namespace
{

using namespace gf;

/* Adjacent outputs of a lane: 16 bytes, or 8 where their sums and samples would need too many registers. */
template <int C, int K, bool Bytes> constexpr int bytes_per_lane = K == 3 || (Bytes && C == 1 && K == 5) ? 16 : 8;

template <bool Bytes>
cudaError_t launch_to_bytes(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const int side = pass->mask.side, channels = pass->src.channels;
    if (is_small(side))
        return with_channels(channels, [&](auto c) {
            return with_small_side(side, [&](auto k) {
                return launch_small<uint8_t, uint8_t, c.value, k.value, bytes_per_lane<c.value, k.value, Bytes>, Bytes>(
                    pass, rows, stream);
            });
        });
    auto large = [&](auto c) {
        return with_large_side(
            side, [&](auto k) { return launch_large<uint8_t, c.value, k.value, 8, Bytes>(pass, rows, stream); });
    };
    if constexpr (Bytes)
        return large(constant<1>{});
    else
        return with_channels(channels, large);
}

} // namespace

extern "C" cudaError_t gf_cuda_mask_u8_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                              cudaStream_t stream)
{
    return launch_to_bytes<false>(pass, rows, stream);
}

extern "C" cudaError_t gf_cuda_mask_bytes_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                                 cudaStream_t stream)
{
    if (pass->dst.dtype == GF_U8)
        return launch_to_bytes<true>(pass, rows, stream);
    return with_channels(pass->src.channels,
                         [&](auto c) { /* 3 x 3, the default of named filters */
                                       return launch_small<uint8_t, wide, c.value, 3, 4, true>(pass, rows, stream);
                         });
}
