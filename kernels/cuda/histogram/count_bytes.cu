/* SPDX-License-Identifier: MIT */
/*
 * Counts 8-bit samples by value and makes a histogram or tables from the counts, in one launch. Every lane has its own
 * counters in its own bank, so no input causes bank conflicts: a sample costs a shift, a mask and an addition in shared
 * memory, whatever its value. Blocks add their counts to the tally of the exec context. The last block to arrive takes
 * the counts from the tally, leaves zeros there for the next launch, and finishes (finish_bytes.cuh). Called by
 * histogram and the tone ops, through count_bytes.cuh.
 */
#include "count.h"
#include "finish_bytes.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

constexpr int bytes_warps = bytes_threads / lanes;
/* Vectors per lane and tile: a multiple of 3, so that a lane begins every tile with the same channel. */
constexpr int byte_lane_vectors = 6;
constexpr int byte_tile_vectors = byte_lane_vectors * lanes;
constexpr int vector_bytes = static_cast<int>(GF_CUDA_VECTOR);
/* The least number of tiles per block, so that adding the counts of blocks costs less than counting. */
constexpr uint64_t block_tiles = 4;

/* Counters of P planes in 2^Shift copies: value v of plane p in copy r is word ((p * 256 + v) << Shift) + r. */
template <int P, int Shift> constexpr uint32_t counter_words = (P * byte_values) << Shift;

/* The byte offset of the counter for byte J of a word. `base` is the offset of value 0 of the plane in the lane's copy.
 */
template <int J, int Shift> __device__ __forceinline__ uint32_t place_of(uint32_t word, uint32_t base)
{
    constexpr int to = Shift + 2, from = 8 * J;
    const uint32_t moved = from >= to ? word >> (from >= to ? from - to : 0) : word << (from >= to ? 0 : to - from);
    return (moved & (255u << to)) | base;
}

__device__ __forceinline__ void count_at(uint32_t *shared, uint32_t place)
{
    gf_atomic_add(reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(shared) + place), 1u);
}

/* Counts the first n bytes of a vector. `phase` is the phase of its first byte; base[c] belongs to phase c. */
template <int C, int P, int Shift>
__device__ __forceinline__ void count_vector(uint32_t *shared, const uint32_t *words, int phase, int n,
                                             const uint32_t *base, const bool *counted)
{
#pragma unroll
    for (int j = 0; j < vector_bytes; j++) {
        const int c = (phase + j) % C;
        const uint32_t word = words[j / 4];
        const uint32_t place = j % 4 == 0   ? place_of<0, Shift>(word, base[c])
                               : j % 4 == 1 ? place_of<1, Shift>(word, base[c])
                               : j % 4 == 2 ? place_of<2, Shift>(word, base[c])
                                            : place_of<3, Shift>(word, base[c]);
        if ((P == C || counted[c]) && j < n)
            count_at(shared, place);
    }
}

/* Adds the copies of each counter to the tally. */
template <int P, int Shift> __device__ __forceinline__ void flush_bytes(const uint32_t *shared, unsigned long long *to)
{
    constexpr uint32_t copies = 1u << Shift;
    for (uint32_t i = threadIdx.x; i < P * byte_values; i += bytes_threads) {
        unsigned long long sum = 0; /* a block may have more than 2^32 samples */
#pragma unroll 8
        for (uint32_t r = 0; r < copies; r++)
            sum += shared[(i << Shift) + ((r + threadIdx.x) & (copies - 1))];
        if (sum != 0)
            gf_atomic_add(to + i, sum);
    }
}

/* Counts the first P of C channels. */
template <int C, int P, int Shift>
__global__ void __launch_bounds__(bytes_threads, 1)
    count_bytes_kernel(const struct gf_cuda_samples s, uint64_t tiles, uint64_t row_tiles, uint32_t flip,
                       struct gf_cuda_count_values *tally, const __grid_constant__ FinishBytes finish)
{
    extern __shared__ uint4 bytes_memory[];
    uint32_t *shared = reinterpret_cast<uint32_t *>(bytes_memory);
    for (uint32_t i = threadIdx.x; i < counter_words<P, Shift> / 4; i += bytes_threads)
        bytes_memory[i] = make_uint4(0, 0, 0, 0);
    const uint32_t lane = threadIdx.x % lanes;
    uint32_t base[C];
    bool counted[C];
#pragma unroll
    for (int c = 0; c < C; c++) { /* finds the channel that this lane meets at phase c */
        const uint32_t channel = (lane * vector_bytes + c) % C;
        base[c] = (channel << (8 + Shift + 2)) | (lane & ((1u << Shift) - 1)) << 2;
        counted[c] = channel < P;
    }
    gf_sync_block(); /* all counters are 0 before any thread counts */
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * bytes_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step) {
        const uint64_t row = s.rows == 1 ? 0 : tile / row_tiles, first = (tile - row * row_tiles) * byte_tile_vectors;
        const uint4 *from = reinterpret_cast<const uint4 *>(static_cast<const char *>(s.data) + row * s.pitch) + first;
        uint4 raw[byte_lane_vectors] = {};
        if ((first + byte_tile_vectors) * vector_bytes <= s.row_samples) {
#pragma unroll
            for (int u = 0; u < byte_lane_vectors; u++)
                raw[u] = __ldg(from + lane + u * lanes);
#pragma unroll
            for (int u = 0; u < byte_lane_vectors; u++) {
                const uint32_t words[4] = {raw[u].x ^ flip, raw[u].y ^ flip, raw[u].z ^ flip, raw[u].w ^ flip};
                count_vector<C, P, Shift>(shared, words, u * lanes * vector_bytes % C, vector_bytes, base, counted);
            }
            continue;
        }
#pragma unroll
        for (int u = 0; u < byte_lane_vectors; u++) {
            const uint64_t index = (first + lane + u * lanes) * vector_bytes;
            if (index >= s.row_samples)
                continue;
            const uint64_t left = s.row_samples - index;
            raw[u] = __ldg(from + lane + u * lanes);
            const uint32_t words[4] = {raw[u].x ^ flip, raw[u].y ^ flip, raw[u].z ^ flip, raw[u].w ^ flip};
            count_vector<C, P, Shift>(shared, words, u * lanes * vector_bytes % C,
                                      left < vector_bytes ? static_cast<int>(left) : vector_bytes, base, counted);
        }
    }
    gf_sync_block(); /* all threads have counted before any thread sums the copies */
    auto *counts = reinterpret_cast<unsigned long long *>(tally->counts);
    flush_bytes<P, Shift>(shared, counts);
    if (!gf_is_last_block(&tally->arrived, gridDim.x))
        return;
    /* gf_is_last_block passes a barrier, after which no thread reads the counters, so their memory may be reused. */
    auto *values = reinterpret_cast<uint64_t *>(bytes_memory);
    for (uint32_t i = threadIdx.x; i < P * byte_values; i += bytes_threads) {
        values[i] = __ldcg(counts + i);
        counts[i] = 0;
    }
    gf_sync_block(); /* all counts are in `values` */
    finish_bytes(finish, values);
}

/* The shared memory that finishing needs after the counts, and its maximum: the counts of few_bins bins. */
constexpr size_t max_finish_bytes = (few_bins + GF_BINS_EXTRA) * sizeof(uint64_t);

size_t finish_memory(const FinishBytes &finish)
{
    return finish.what == FinishBytes::histogram ? (finish.few.to.n + GF_BINS_EXTRA) * sizeof(uint64_t) : 0;
}

/* The dynamic shared memory of the kernel: the counters, later the counts and `finish_bytes` bytes in their place. */
template <int P, int Shift> constexpr size_t shared_bytes(size_t finish_bytes)
{
    const size_t counters = counter_words<P, Shift> * sizeof(uint32_t);
    const size_t in_the_end = P * byte_values * sizeof(uint64_t) + finish_bytes;
    return counters < in_the_end ? in_the_end : counters;
}

/* log2 of the number of copies: one copy per lane if they fit, which is always so for one plane; otherwise 8 copies. */
constexpr int max_copies = 5, min_copies = 3;

/* Whether a block may have all the shared memory that the kernel can need. Static, since a process has one device. */
template <int C, int P, int Shift> bool copies_fit()
{
    static const bool fits = [] {
        cudaFuncAttributes a;
        return cudaFuncGetAttributes(&a, count_bytes_kernel<C, P, Shift>) == cudaSuccess &&
               a.sharedSizeBytes + shared_bytes<P, Shift>(max_finish_bytes) <= gf_cuda_shared_memory_max();
    }();
    return fits;
}

template <int C, int P, int Shift>
cudaError_t launch_copies(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const FinishBytes &finish)
{
    const uint64_t row_tiles = (s.row_vectors + byte_tile_vectors - 1) / byte_tile_vectors, tiles = row_tiles * s.rows;
    const uint64_t limit = gf_cuda_units();
    const uint64_t blocks = tiles < block_tiles ? 1 : tiles / block_tiles < limit ? tiles / block_tiles : limit;
    const size_t bytes = shared_bytes<P, Shift>(finish_memory(finish));
    count_bytes_kernel<C, P, Shift><<<gf_cuda_grid(blocks), bytes_threads, bytes, call->exec->main>>>(
        s, tiles, row_tiles, s.dtype == GF_I8 ? 0x80808080u : 0, call->exec->tally, finish);
    return cudaPeekAtLastError();
}

template <int C, int P>
cudaError_t launch(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const FinishBytes &finish)
{
    if constexpr (P > 1)
        if (!copies_fit<C, P, max_copies>())
            return launch_copies<C, P, min_copies>(call, s, finish);
    return launch_copies<C, P, max_copies>(call, s, finish);
}

template <int C, int P, int Shift> cudaError_t prepare_copies()
{
    return raise_shared_limit(shared_bytes<P, Shift>(max_finish_bytes), count_bytes_kernel<C, P, Shift>);
}

template <int C, int P> cudaError_t prepare()
{
    if constexpr (P > 1)
        if (!copies_fit<C, P, max_copies>())
            return prepare_copies<C, P, min_copies>();
    return prepare_copies<C, P, max_copies>();
}

} // namespace

cudaError_t gf::count_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const FinishBytes &finish)
{
    if (s.channels == 1)
        return launch<1, 1>(call, s, finish);
    if (s.channels == 2)
        return s.planes == 1 ? launch<2, 1>(call, s, finish) : launch<2, 2>(call, s, finish);
    if (s.channels == 3)
        return launch<3, 3>(call, s, finish);
    return s.planes == 3 ? launch<4, 3>(call, s, finish) : launch<4, 4>(call, s, finish);
}

extern "C" cudaError_t gf_cuda_count_bytes_prepare(void)
{
    cudaError_t (*const all[])() = {prepare<1, 1>, prepare<2, 1>, prepare<2, 2>,
                                    prepare<3, 3>, prepare<4, 3>, prepare<4, 4>};
    cudaError_t error = cudaSuccess;
    for (auto *planes : all)
        error = error == cudaSuccess ? planes() : error;
    return error;
}
