/* SPDX-License-Identifier: MIT */
/*
 * 32-bit counters in shared memory, in as many copies as fit, at best one per lane, so that lanes that count the same
 * value do not serialise. If a block has no room for all counters, several blocks read the same samples and each counts
 * a part of the bins. Called by count.c.
 */
#include "count_block.cuh"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

/* Whole: this block has all counters. */
template <bool Whole> struct Counters {
    uint32_t *shared;
    uint32_t start, span;
    uint32_t stride, copy; /* in bytes: from counter to counter; the offset of this thread's copy */
    static constexpr bool by_vector = false, rolled = false;

    __device__ __forceinline__ void count(uint32_t i)
    {
        const uint32_t at = Whole ? i : i - start;
        if (Whole || at < span)
            gf_atomic_add(reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(shared) + (at * stride + copy)), 1u);
    }
    __device__ __forceinline__ void end()
    {
    }
};

/* Whole: each block has all counters. */
template <class T, bool One, bool Whole>
__global__ void __launch_bounds__(block_threads)
    shared_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                  const Layout layout, u64 *counts)
{
    extern __shared__ uint4 count_memory[];
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y / layout.parts * layout.planes, start = blockIdx.y % layout.parts * layout.span;
    uint32_t *shared = reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(count_memory) + layout.table);
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    for (uint32_t i = threadIdx.x; i < layout.span << layout.shift; i += block_threads)
        shared[i] = 0;
    gf_sync_block(); /* b is written and all counters are 0 before any thread counts */
    const uint32_t slots = b.bins + GF_BINS_EXTRA, copies = 1u << layout.shift;
    const Counters<Whole> sink = {shared, start, layout.span, copies * 4, (threadIdx.x & (copies - 1)) * 4};
    count_block<T, One, true>(s, tiles, &b, first, layout.planes,
                              layout.table != 0 ? reinterpret_cast<Edge<T> *>(count_memory) : nullptr, sink);
    gf_sync_block(); /* all threads have counted before any thread sums the copies */
    u64 *to = counts + static_cast<uint64_t>(first) * slots + start;
    const uint32_t n = min(layout.span, layout.planes * slots - start);
    for (uint32_t i = threadIdx.x; i < n; i += block_threads) {
        u64 sum = 0;
        for (uint32_t r = 0; r < copies; r++)
            sum += shared[(i << layout.shift) + ((r + threadIdx.x) & (copies - 1))];
        if (sum != 0)
            gf_atomic_add(to + i, sum);
    }
}

template <class T>
using Kernel = void (*)(const struct gf_cuda_samples, uint64_t, const struct gf_cuda_bins, const Layout, u64 *);

/* A single channel has a kernel of its own if blocks have all counters; otherwise it shares the general kernel. */
template <class T> Kernel<T> kernel_for(bool one_whole)
{
    if constexpr (sizeof(T) > 1)
        if (one_whole)
            return shared_kernel<T, true, true>;
    return shared_kernel<T, false, false>;
}

} // namespace

extern "C" cudaError_t gf_cuda_count_shared(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                            const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                            uint64_t *counts)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const size_t bytes = layout->table + (static_cast<size_t>(layout->span) << layout->shift) * sizeof(uint32_t);
    const uint32_t blocks = gf_cuda_samples_blocks(call, tiles, bytes <= 96 * 1024 ? 2 : 1);
    const dim3 grid((blocks + layout->parts - 1) / layout->parts, s->planes / layout->planes * layout->parts);
    const bool one_whole = s->channels == 1 && layout->parts == 1;
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (is_counted<T>)
            kernel_for<T>(one_whole)<<<grid, block_threads, bytes, call->exec->main>>>(*s, tiles, *bins, *layout,
                                                                                       reinterpret_cast<u64 *>(counts));
    });
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_count_shared_prepare(int shared_bytes)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        gf_dispatch_any(dtype, [&](auto tag) {
            using T = decltype(tag);
            if constexpr (is_counted<T>)
                if (error == cudaSuccess)
                    error = raise_shared_limit(shared_bytes, kernel_for<T>(false), kernel_for<T>(true));
        });
    return error;
}
