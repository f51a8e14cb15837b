/* SPDX-License-Identifier: MIT */
/* Full masks over bytes as they are stored: sums of bytes where the exactness rule holds, else the chain in f32. Called
 * by mask.cu. */
#include "raw_mask.cuh"

namespace
{

using namespace gf;

/* Neighbouring outputs of a lane: sixteen bytes, or half of that where there are too many sums and samples to them. */
template <int C, int K, bool Bytes> constexpr int bytes_per_lane = K == 3 || (Bytes && C == 1 && K == 5) ? 16 : 8;

template <bool Bytes, class W>
bool launch_u8(const struct gf_cuda_source *src, const struct gf_cuda_target *dst, int side, const W *w,
               struct gf_cuda_row_chunk row_chunk, cudaStream_t stream, cudaError_t *ret_error)
{
    if (side <= 7) {
        *ret_error = with_channels(src->channels, [&](auto c) {
            return with_small_side(side, [&](auto k) {
                return launch_small<uint8_t, uint8_t, c.value, k.value, bytes_per_lane<c.value, k.value, Bytes>, Bytes>(
                    src, dst, weights_of<c.value, k.value>(w), row_chunk, stream);
            });
        });
        return true;
    }
    auto large = [&](auto c) {
        *ret_error = with_large_side(side, [&](auto k) {
            return launch_large<uint8_t, c.value, k.value, 8, Bytes>(src, dst, weights_of<c.value, k.value>(w),
                                                                     row_chunk, stream);
        });
        return true;
    };
    if (src->channels == 1)
        return large(constant<1>{});
    if constexpr (!Bytes)
        if (src->channels == 3)
            return large(constant<3>{});
    return false;
}

/* Results of four bytes or two, which named filters have by default: 3 x 3 only. */
template <class TO>
cudaError_t launch_wide(const struct gf_cuda_source *src, const struct gf_cuda_target *dst, const int8_t *w,
                        struct gf_cuda_row_chunk row_chunk, cudaStream_t stream)
{
    return with_channels(src->channels, [&](auto c) {
        return launch_small<uint8_t, TO, c.value, 3, chunk / static_cast<int>(sizeof(TO)), true>(
            src, dst, weights_of<c.value, 3>(w), row_chunk, stream);
    });
}

} // namespace

extern "C" bool gf_cuda_mask_u8_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                       const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                       cudaStream_t stream, cudaError_t *ret_error)
{
    int8_t bytes[GF_CUDA_MAX_WEIGHTS];
    float weights[GF_CUDA_MAX_WEIGHTS];
    struct gf_cuda_target to = *dst;
    const int side = mask->width;
    if (gf_cuda_byte_weights(mask, dst->scale, bytes, &to.scale)) {
        if (dst->dtype == GF_U8 && launch_u8<true>(src, &to, side, bytes, row_chunk, stream, ret_error))
            return true;
        if (side == 3 && (dst->dtype == GF_F32 || dst->dtype == GF_I16)) {
            *ret_error = dst->dtype == GF_F32 ? launch_wide<float>(src, &to, bytes, row_chunk, stream)
                                              : launch_wide<int16_t>(src, &to, bytes, row_chunk, stream);
            return true;
        }
    }
    return dst->dtype == GF_U8 && gf_cuda_shifted_weights(mask, dst->scale, byte_bits, weights, &to.scale) &&
           launch_u8<false>(src, &to, side, weights, row_chunk, stream, ret_error);
}
