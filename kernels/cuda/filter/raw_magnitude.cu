/* SPDX-License-Identifier: MIT */
/* The magnitude of two built-in 3 x 3 masks over bytes as they are stored, docs/numerics.md 6: sobel, scharr, prewitt.
 * The masks are small whole numbers, so that both sums are sums of bytes. Called by stencil.cu. */
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
            v[j] = __fmaf_rn(__fsqrt_rn(__fmaf_rn(gx, gx, __fmul_rn(gy, gy))), dst.scale, dst.offset);
        }
        store_run<TO>(row_of<TO>(dst.data, dst.pitch, y0 + first_row + t - 2) + x, dst.samples - x, v);
    }
}

template <class TO, int V>
cudaError_t launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst, const int8_t (&masks)[2][9],
                   struct gf_cuda_row_chunk row_chunk, cudaStream_t stream)
{
    return with_channels(src->channels, [&](auto c) {
        const two_weights<c.value> weights = {{weights_of<c.value, 3>(masks[0]), weights_of<c.value, 3>(masks[1])}};
        constexpr int own = raw_row<uint8_t, c.value, 3, V, 1>::own;
        const dim3 grid((dst->samples + own - 1) / own, (row_chunk.end - row_chunk.first + tile_rows - 1) / tile_rows);
        magnitude_kernel<TO, c.value, V><<<grid, threads, 0, stream>>>(*src, *dst, weights, row_chunk);
        return cudaPeekAtLastError();
    });
}

} // namespace

extern "C" bool gf_cuda_raw_magnitude_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                             const struct gf_cuda_chain *chains, struct gf_cuda_row_chunk row_chunk,
                                             cudaStream_t stream, cudaError_t *ret_error)
{
    if (src->dtype != GF_U8 || (dst->dtype != GF_F32 && dst->dtype != GF_U8) || !gf_cuda_is_stored(src, dst))
        return false;
    int8_t masks[2][9];
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 9; i++) {
            masks[n][i] = static_cast<int8_t>(chains[n].weight[i]);
            if (static_cast<float>(masks[n][i]) != chains[n].weight[i])
                return false;
        }
    *ret_error = dst->dtype == GF_F32 ? launch<float, 4>(src, dst, masks, row_chunk, stream)
                                      : launch<uint8_t, 8>(src, dst, masks, row_chunk, stream);
    return true;
}
