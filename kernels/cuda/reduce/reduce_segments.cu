/* SPDX-License-Identifier: MIT */
/* reduce by segments: the kernels over the data. A warp makes a segment of one chunk, or a chunk of a long one, a part.
 * Called by reduction_segments.c. */
#include "kernels/cuda/device/cuda_launch.h"
#include "reduce_segments.h"
#include "reduce_sets.cuh"
#include "reduction.cuh"

namespace
{

using namespace gf_reduction_kernels;

/* Item: of a channel, a segment that is done here if it has one chunk, or after these a chunk of a long one. */
template <class T, unsigned want>
__global__ void __launch_bounds__(threads, 4)
    segments_kernel(const __grid_constant__ struct gf_cuda_sequences s,
                    const __grid_constant__ struct gf_reduce_cut cut, uint64_t *results)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * (threads / warp),
                   items = (cut.n + cut.chunks) * s.channels;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * (threads / warp) + threadIdx.x / warp; item < items;
         item += step) {
        const uint64_t q = s.channels == 1 ? item : item / s.channels, channel = item - q * s.channels;
        const bool is_short = q < cut.n;
        const uint64_t place = q - cut.n, j = is_short ? 0 : gf_cut_at(&cut, place, 0);
        const uint64_t segment = is_short ? q : cut.longs[j], first = is_short ? 0 : (place - cut.starts[j]) * cut.span;
        const uint64_t left = gf_cut_length(&cut, segment) - first;
        if (is_short && left > cut.span)
            continue;
        const char *a = s.a + channel * sizeof(T);
        struct chunk c = {a, a, cut.offsets[segment] + first, 0,
                          left < cut.span ? static_cast<uint32_t>(left) : cut.span};
        if (c.x >= s.width) {
            c.y = c.x / s.width;
            c.x %= s.width;
        }
        struct gf_partial p = gf_partial_empty();
        if (c.n > 0) {
            if constexpr (gf_reduction_kernels::is_short<T>)
                p = partial_of_short<T, want>(s, c, first);
            else
                p = partial_of<T, want>(s, c, first);
        }
        if (threadIdx.x % warp == 0)
            gf_partial_store(want, is_short ? results : s.partials, (is_short ? cut.n : cut.chunks) * s.channels,
                             (is_short ? q : place) * s.channels + channel, &p);
    }
}

template <class T, unsigned want>
void launch_segments(const struct gf_cuda_sequences *s, const struct gf_reduce_cut *cut, uint64_t *results,
                     cudaStream_t stream)
{
    const uint64_t items = (cut->n + cut->chunks) * s->channels,
                   wanted = (items + threads / warp - 1) / (threads / warp);
    segments_kernel<T, want><<<gf_cuda_grid(wanted), threads, 0, stream>>>(*s, *cut, results);
}

template <class T, unsigned... sets>
cudaError_t of_sets(gf_reduce_sets<T, sets...>, const struct gf_cuda_sequences *s, const struct gf_reduce_cut *cut,
                    uint64_t *results, cudaStream_t stream)
{
    const bool found = ((s->r.want == sets && (launch_segments<T, sets>(s, cut, results, stream), true)) || ...);
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace

extern "C" cudaError_t gf_cuda_segments_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                               const struct gf_reduce_cut *cut, uint64_t *results, cudaStream_t stream)
{
    return gf_dispatch_any(dtype, [&](auto tag) {
        return gf_with_reduce_sets(tag, [&](auto sets) { return of_sets(sets, s, cut, results, stream); });
    });
}
