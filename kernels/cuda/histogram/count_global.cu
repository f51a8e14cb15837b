/* SPDX-License-Identifier: MIT */
/* Counters in global memory, for bins that shared memory has no room for. Called by count.c. */
#include "count_block.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

/* Neighbours in one counter are added at once. */
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
    gf_sync_block();
    const Runs sink = {counts + static_cast<uint64_t>(first) * (b.bins + GF_BINS_EXTRA), 0, 0};
    count_block<T, false, false>(s, tiles, &b, first, 1, nullptr, sink);
}

} // namespace

extern "C" cudaError_t gf_cuda_count_global(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                            const struct gf_cuda_bins *bins, uint64_t *counts)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const dim3 grid(gf_cuda_samples_blocks(call, tiles, 2), s->planes);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (is_counted<T>)
            global_kernel<T>
                <<<grid, block_threads, 0, call->exec->main>>>(*s, tiles, *bins, reinterpret_cast<u64 *>(counts));
    });
    return cudaPeekAtLastError();
}
