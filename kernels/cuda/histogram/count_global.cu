/* SPDX-License-Identifier: MIT */
/*
 * Counters in global memory, for more bins than shared memory has room for. Additions to global memory take longer than
 * any way to find a bin, so only the common dtypes have kernels of their own; the remaining dtypes share a kernel that
 * counts sample by sample. Called by count.c.
 */
#include "count_block.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

/* Adds consecutive samples of the same counter at once. */
struct Runs {
    u64 *to;
    uint32_t i, n;
    static constexpr bool by_vector = false, rolled = true;

    __device__ __forceinline__ void count(uint32_t next)
    {
        if (next != i && n != 0) {
            gf_atomic_add(to + i, static_cast<u64>(n));
            n = 0;
        }
        i = next;
        n++;
    }
    __device__ __forceinline__ void end()
    {
        if (n != 0)
            gf_atomic_add(to + i, static_cast<u64>(n));
        n = 0;
    }
};

template <class T>
__global__ void __launch_bounds__(block_threads)
    global_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                  u64 *counts)
{
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y;
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    gf_sync_block(); /* b is written */
    const Runs sink = {counts + static_cast<uint64_t>(first) * (b.bins + GF_BINS_EXTRA), 0, 0};
    count_block<T, false, false>(s, tiles, &b, first, 1, nullptr, sink);
}

/* A sample of any dtype, as gf_bins_find takes it. */
struct AnySample {
    enum gf_bins_kind kind;
    double v;
    uint64_t bits;
};

__device__ __forceinline__ uint32_t sample_bytes(uint32_t dtype)
{
    return gf_dispatch_any(dtype, [](auto tag) { return static_cast<uint32_t>(sizeof(tag)); });
}

__device__ __forceinline__ AnySample sample_at(const void *row, uint64_t index, uint32_t dtype)
{
    return gf_dispatch_any(dtype, [&](auto tag) {
        using T = decltype(tag);
        const T v = __ldg(static_cast<const T *>(row) + index);
        return AnySample{kind_of<T>, static_cast<double>(v), bits_of(v)};
    });
}

/* Counts the brightness of u8 or i16, or the samples of plane blockIdx.y. */
__global__ void __launch_bounds__(block_threads)
    global_any_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                      u64 *counts)
{
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y, tile_samples = GF_CUDA_WARP_TILE * GF_CUDA_VECTOR / sample_bytes(s.dtype);
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    gf_sync_block(); /* b is written */
    Runs sink = {counts + static_cast<uint64_t>(first) * (b.bins + GF_BINS_EXTRA), 0, 0};
    const auto count = [&](const AnySample &v) { sink.count(gf_bins_find(&b, v.kind, v.v, v.bits)); };
    const uint64_t row_tiles = (s.row_vectors + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step) {
        if (s.luma) {
            const auto count_luma = [&](auto v) { count({GF_BINS_INT, static_cast<double>(v), bits_of(v)}); };
            if (s.dtype == GF_I16)
                walk_luma<int16_t>(s, tile, count_luma);
            else
                walk_luma<uint8_t>(s, tile, count_luma);
        } else {
            const uint64_t row = tile / row_tiles, start = (tile - row * row_tiles) * tile_samples;
            const char *from = static_cast<const char *>(s.data) + row * s.pitch;
            for (uint32_t i = threadIdx.x % lanes; i < tile_samples && start + i < s.row_samples; i += lanes)
                if (phase_of(start + i, s.channels) == first)
                    count(sample_at(from, start + i, s.dtype));
        }
        sink.end();
    }
}

} // namespace

extern "C" cudaError_t gf_cuda_count_global(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                            const struct gf_cuda_bins *bins, uint64_t *counts)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const dim3 grid(gf_cuda_samples_blocks(call, tiles, 2), s->planes);
    const auto kernel = s->dtype == GF_U16   ? global_kernel<uint16_t>
                        : s->dtype == GF_F32 ? global_kernel<float>
                                             : global_any_kernel;
    kernel<<<grid, block_threads, 0, call->exec->main>>>(*s, tiles, *bins, reinterpret_cast<u64 *>(counts));
    return cudaPeekAtLastError();
}
