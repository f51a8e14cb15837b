/* SPDX-License-Identifier: MIT */
/* The magnitude of two built-in 3 x 3 masks over stored bytes, docs/numerics.md, "Built-in masks": sobel, scharr,
 * prewitt. The masks are small integers, so both sums are integer sums. Launched through filter_pass.h. */
#include "gradient.cuh"
#include "raw_mask.cuh"

namespace
{

using namespace gf;

template <int C> struct two_weights {
    raw_weights<C, 3, true> mask[2];
};

template <class TO, int C, int V>
__global__ void __launch_bounds__(threads)
    magnitude_kernel(const __grid_constant__ struct gf_cuda_source src,
                     const __grid_constant__ struct gf_cuda_target dst, const __grid_constant__ two_weights<C> weights,
                     struct gf_cuda_row_chunk row_chunk)
{
    using Row = raw_row<uint8_t, C, 3, V, 1>;
    __shared__ __align__(chunk) unsigned char tile[(tile_rows + 2) * Row::bytes];
    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    const int x0 = blockIdx.x * Row::own, y0 = row_chunk.first + blockIdx.y * tile_rows;
    fill_raw<uint8_t, C, Row, false>(tile, src, y0 - 1, x0 - Row::pad, tile_rows + 2);

    const int x = x0 + lane * V, rows = row_chunk.end - y0 - first_row;
    if (rows <= 0 || x >= dst.samples)
        return;
    const uint32_t *row =
        reinterpret_cast<const uint32_t *>(tile + first_row * Row::bytes + Row::pad) + lane * Row::own_words;
    int sum[2][3][V] = {};
#pragma unroll
    for (int t = 0; t < rows_per_thread + 2; t++, row += Row::bytes / 4) {
        uint32_t words[Row::words];
        read_words<0, Row::words, Row::lead, Row::own_words>(words, row);
#pragma unroll
        for (int n = 0; n < 2; n++)
            add_row<uint8_t, C, 3, V, Row>(sum[n], words, weights.mask[n], t, rows_per_thread);
        if (t < 2 || t - 2 >= rows)
            continue;
        float v[V];
#pragma unroll
        for (int j = 0; j < V; j++) {
            const float gx = float_of_sum(sum[0][2][j]), gy = float_of_sum(sum[1][2][j]);
            v[j] = __fmaf_rn(root_by_step(sum_of_squares(gx, gy)), dst.scale, dst.offset); /* 0 or at least 1 */
        }
        run_pointwise(dst.epilogue, v);
        store_run<TO>(row_of<TO>(dst.data, dst.pitch, y0 + first_row + t - 2) + x, dst.samples - x, v);
    }
}

template <class TO, int V>
cudaError_t launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    return with_channels(pass->src.channels, [&](auto c) {
        constexpr int C = c.value, own = raw_row<uint8_t, C, 3, V, 1>::own;
        two_weights<C> weights;
        for (int n = 0; n < 2; n++)
            set_weights(pass->stencil.bytes[n], &weights.mask[n]);
        const dim3 grid = grid_over(pass->dst.samples, rows, own, tile_rows);
        magnitude_kernel<TO, C, V><<<grid, threads, 0, stream>>>(pass->src, pass->dst, weights, rows);
        return cudaPeekAtLastError();
    });
}

} // namespace

extern "C" cudaError_t gf_cuda_raw_magnitude_launch(const struct gf_cuda_filter_pass *pass,
                                                    struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    return pass->dst.dtype == GF_F32 ? launch<float, 4>(pass, rows, stream) : launch<uint8_t, 8>(pass, rows, stream);
}
