/* SPDX-License-Identifier: MIT */
/* Counts in 16-bit counters in shared memory (count_pairs.cuh), for more bins than 32-bit counters have room for.
 * Called by count.c. */
#include "count_block.cuh"
#include "count_pairs.cuh"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

/* Leaves the sums of both counters of a word in one word of `counts`; spread_kernel separates them. */
template <class T, bool One>
__global__ void __launch_bounds__(block_threads, 1)
    pairs_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                 const Layout layout, u64 *counts)
{
    extern __shared__ uint4 count_memory[];
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y * layout.planes, half = layout.words;
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    gf_sync_block(); /* b is written */
    const uint32_t slots = b.bins + GF_BINS_EXTRA;
    auto *words = reinterpret_cast<uint32_t *>(count_memory);
    const PackedCounters counters = {words, half, counts + static_cast<uint64_t>(first) * slots};
    const MetTable table = {words + half, words + half + layout.met, layout.met};
    counters.clear();
    table.clear();
    gf_sync_block(); /* all counters and tags are 0 before any thread counts */
    count_block<T, One, false>(s, tiles, &b, first, layout.planes, nullptr, PairSink{counters, table, 0, false});
    gf_sync_block(); /* all threads have counted and have subtracted their carries */
    counters.flush();
    table.flush(counters);
}

/* Moves the sums of pairs of counters to their own places: the upper half of pair i is counter `half` + i. blockIdx.y
 * selects a group of `span` counters. */
__global__ void __launch_bounds__(block_threads) spread_kernel(u64 *counts, uint32_t span, uint32_t half)
{
    u64 *own = counts + static_cast<uint64_t>(blockIdx.y) * span;
    for (uint32_t i = blockIdx.x * block_threads + threadIdx.x; half + i < span; i += gridDim.x * block_threads) {
        const u64 pair = own[i];
        own[i] = pair & UINT32_MAX;
        own[half + i] = pair >> 32;
    }
}

template <class T> constexpr bool is_paired = sizeof(T) == 2 || std::is_floating_point_v<T>;

template <class T> auto kernel_for(bool one)
{
    return one ? pairs_kernel<T, true> : pairs_kernel<T, false>;
}

} // namespace

extern "C" bool gf_cuda_count_has_pairs(uint32_t dtype)
{
    return gf_dispatch_any(dtype, [](auto tag) { return is_paired<decltype(tag)>; });
}

extern "C" cudaError_t gf_cuda_count_pairs(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                           const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                           uint64_t *counts)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s), half = layout->words;
    /* The blocks' counters are summed in the end, so a block should have at least as many samples as words. */
    const uint64_t worth = (s->row_samples * s->rows + half - 1) / half;
    const uint32_t limit = gf_cuda_samples_blocks(call, tiles, 1), groups = s->planes / layout->planes;
    const dim3 grid(worth < limit ? static_cast<uint32_t>(worth) : limit, groups);
    const size_t bytes = (half + 2 * layout->met) * sizeof(uint32_t);
    const cudaStream_t stream = call->exec->main;
    auto *to = reinterpret_cast<u64 *>(counts);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (is_paired<T>)
            kernel_for<T>(s->channels == 1)<<<grid, block_threads, bytes, stream>>>(*s, tiles, *bins, *layout, to);
    });
    const cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess || half >= layout->span) /* no word has two counters */
        return error;
    const dim3 spread(static_cast<uint32_t>((layout->span - half + block_threads - 1) / block_threads), groups);
    spread_kernel<<<spread, block_threads, 0, stream>>>(to, layout->span, layout->words);
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_count_pairs_prepare(int shared_bytes)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        gf_dispatch_any(dtype, [&](auto tag) {
            using T = decltype(tag);
            if constexpr (is_paired<T>)
                if (error == cudaSuccess)
                    error = raise_shared_limit(shared_bytes, kernel_for<T>(false), kernel_for<T>(true));
        });
    return error;
}
