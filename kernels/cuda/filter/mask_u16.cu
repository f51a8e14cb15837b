/* SPDX-License-Identifier: MIT */
/* Full masks over samples of 16 bits as they are stored: the chain in f32. Called by mask.cu. */
#include "raw_mask.cuh"

using namespace gf;

extern "C" bool gf_cuda_mask_u16_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                        const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                        cudaStream_t stream, cudaError_t *ret_error)
{
    float weights[GF_CUDA_MAX_WEIGHTS];
    struct gf_cuda_target to = *dst;
    const int side = mask->width;
    if (!gf_cuda_shifted_weights(mask, dst->scale, short_bits, weights, &to.scale))
        return false;
    if (side == 3 && dst->dtype == GF_F32) { /* which named filters have by default */
        *ret_error = with_channels(src->channels, [&](auto c) {
            return launch_small<uint16_t, float, c.value, 3, 4, false>(src, &to, weights_of<c.value, 3>(weights),
                                                                       row_chunk, stream);
        });
        return true;
    }
    if (dst->dtype != GF_U16)
        return false;
    if (side <= 7) {
        *ret_error = with_channels(src->channels, [&](auto c) {
            return with_small_side(side, [&](auto k) {
                return launch_small<uint16_t, uint16_t, c.value, k.value, 8, false>(
                    src, &to, weights_of<c.value, k.value>(weights), row_chunk, stream);
            });
        });
        return true;
    }
    auto large = [&](auto c) {
        *ret_error = with_large_side(side, [&](auto k) {
            return launch_large<uint16_t, c.value, k.value, 8, false>(src, &to, weights_of<c.value, k.value>(weights),
                                                                      row_chunk, stream);
        });
        return true;
    };
    return src->channels == 1 ? large(constant<1>{}) : src->channels == 3 && large(constant<3>{});
}
