/* SPDX-License-Identifier: MIT */
/*
 * resize in two kernels, for windows too wide for a tile: the column sums of a row chunk go through device memory.
 * Threads of a launch share no data. Launched by resize.c.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "resize_taps.cuh"

namespace
{

using namespace gf;

constexpr int pass_threads = 256;

/* Grid-stride loop; each item is a quad of source columns in four lines of sums. */
template <int C>
__global__ void __launch_bounds__(pass_threads) columns_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    const uint32_t quads = (static_cast<uint32_t>(r.src.width) * C + quad - 1) / quad;
    const uint64_t all = static_cast<uint64_t>(quads) * static_cast<uint32_t>(r.end - r.first);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * pass_threads;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * pass_threads + threadIdx.x; i < all; i += step) {
        const int group = static_cast<int>(i / quads), flat = static_cast<int>(i % quads) * quad;
        gf_dispatch(r.src.dtype, [&](auto tag) {
            float acc[GF_RESIZE_GROUP][quad];
            go_down<C, decltype(tag)>(r.src, r.y, r.first + group, flat, acc);
#pragma unroll
            for (int k = 0; k < GF_RESIZE_GROUP; k++)
                store_quad(row_of<float>(r.sums, r.sums_pitch, group * GF_RESIZE_GROUP + k) + flat, acc[k]);
        });
    }
}

/* Grid-stride loop; each item is four pixels of a result row. */
template <int C, bool guarded>
__global__ void __launch_bounds__(pass_threads) rows_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    const int begin = r.first * GF_RESIZE_GROUP, end = min(r.end * GF_RESIZE_GROUP, r.dst.height);
    const uint32_t groups = static_cast<uint32_t>(r.x.n);
    const uint64_t all = static_cast<uint64_t>(groups) * static_cast<uint32_t>(end - begin);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * pass_threads;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * pass_threads + threadIdx.x; i < all; i += step) {
        const int line = static_cast<int>(i / groups), group = static_cast<int>(i % groups);
        const float *from = row_of<float>(r.sums, r.sums_pitch, line) + __ldg(r.x.first + group) * C;
        float acc[GF_RESIZE_GROUP][C];
        go_across<C, guarded>(
            r.x, group, [&](int k, int c) { return __ldg(from + k * C + c); }, acc);
#pragma unroll
        for (int q = 0; q < C; q++) {
            float v[quad];
#pragma unroll
            for (int j = 0; j < quad; j++)
                v[j] = acc[(q * quad + j) / C][(q * quad + j) % C];
            finish_row(r.dst, begin + line, (group * C + q) * quad, v);
        }
    }
}

unsigned grid_of(uint64_t items)
{
    return gf_cuda_grid((items + pass_threads - 1) / pass_threads);
}

template <int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const uint64_t groups = r->end - r->first, quads = (static_cast<uint64_t>(r->src.width) * C + quad - 1) / quad;
    columns_kernel<C><<<grid_of(groups * quads), pass_threads, 0, stream>>>(*r);
    const cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess)
        return error;
    const unsigned grid = grid_of(groups * GF_RESIZE_GROUP * r->x.n);
    if (sums_may_be_infinite(r->src.dtype))
        rows_kernel<C, true><<<grid, pass_threads, 0, stream>>>(*r);
    else
        rows_kernel<C, false><<<grid, pass_threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_passes(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return gf_dispatch_channels(r->src.channels, [&](auto c) { return launch<c.value>(r, stream); });
}
