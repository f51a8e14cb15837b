/* SPDX-License-Identifier: MIT */
/* Full masks over bytes as they are stored: sums of bytes where the exactness rule holds, else the chain in f32.
 * Launched through filter_pass.h. */
#include "raw_mask.cuh"

namespace
{

using namespace gf;

/* Neighbouring outputs of a lane: sixteen bytes, or half of that where there are too many sums and samples to them. */
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
        return with_one_or_three(channels, large);
}

/* Results of four bytes or two, which named filters have by default: 3 x 3 only. */
template <class TO>
cudaError_t launch_wide(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    return with_channels(pass->src.channels, [&](auto c) {
        return launch_small<uint8_t, TO, c.value, 3, chunk / static_cast<int>(sizeof(TO)), true>(pass, rows, stream);
    });
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
    return pass->dst.dtype == GF_F32   ? launch_wide<float>(pass, rows, stream)
           : pass->dst.dtype == GF_I16 ? launch_wide<int16_t>(pass, rows, stream)
                                       : launch_to_bytes<true>(pass, rows, stream);
}
