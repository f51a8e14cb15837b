/* SPDX-License-Identifier: MIT */
/* Full masks over f32 as they are stored: the chain in f32. Called by mask.cu. */
#include "raw_mask.cuh"

using namespace gf;

extern "C" bool gf_cuda_mask_f32_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                        const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                        cudaStream_t stream, cudaError_t *ret_error)
{
    const int side = mask->width;
    if (dst->dtype != GF_F32)
        return false;
    if (side <= 7) {
        *ret_error = with_channels(src->channels, [&](auto c) {
            return with_small_side(side, [&](auto k) {
                return launch_small<float, float, c.value, k.value, 4, false>(
                    src, dst, weights_of<c.value, k.value>(mask->coefs), row_chunk, stream);
            });
        });
        return true;
    }
    auto large = [&](auto c) {
        *ret_error = with_large_side(side, [&](auto k) {
            return launch_large<float, c.value, k.value, 8, false>(src, dst, weights_of<c.value, k.value>(mask->coefs),
                                                                   row_chunk, stream);
        });
        return true;
    };
    return src->channels == 1 ? large(constant<1>{}) : src->channels == 3 && large(constant<3>{});
}
