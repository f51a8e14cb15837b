/* SPDX-License-Identifier: MIT */
/*
 * Counting samples of 8 bits by value on CUDA, and what follows from such counts. Every lane has counters of its own in
 * a bank of its own, so that no data makes lanes wait for each other: a sample costs a shift, a mask and an addition in
 * shared memory, whatever its value. Called by histogram and the tone ops.
 */
#include "samples.cuh"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int block_threads = 1024;
constexpr int block_warps = block_threads / lanes;
constexpr uint32_t levels = 256;
/* Vectors that a lane takes at a time: a multiple of 3, so that every lane begins all tiles with the same channel. */
constexpr int lane_vectors = 3;
constexpr int tile_vectors = lane_vectors * lanes;
constexpr int vector_bytes = static_cast<int>(GF_CUDA_VECTOR);

/* Counters of P planes in 2^Shift copies: value v of plane p in copy r stands at ((p * 256 + v) << Shift) + r. */
template <int P, int Shift> constexpr uint32_t counter_words = (P * levels) << Shift;

/* Where a lane counts byte J of a word; `base` is its place for value 0 of the plane, in bytes. */
template <int J, int Shift> __device__ __forceinline__ uint32_t place_of(uint32_t word, uint32_t base)
{
    constexpr int to = Shift + 2, from = 8 * J;
    const uint32_t moved = from >= to ? word >> (from >= to ? from - to : 0) : word << (from >= to ? 0 : to - from);
    return (moved & (255u << to)) | base;
}

__device__ __forceinline__ void count_at(uint32_t *shared, uint32_t place)
{
    atomicAdd(reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(shared) + place), 1u);
}

/* Counts the first n bytes of a vector whose first byte is of the phase `phase`; base[c] belongs to phase c. */
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

template <int P, int Shift> __device__ __forceinline__ void flush(const uint32_t *shared, u64 *values)
{
    constexpr uint32_t copies = 1u << Shift;
    for (uint32_t i = threadIdx.x; i < P * levels; i += block_threads) {
        uint32_t sum = 0;
#pragma unroll 8
        for (uint32_t r = 0; r < copies; r++)
            sum += shared[(i << Shift) + ((r + threadIdx.x) & (copies - 1))];
        if (sum != 0)
            atomicAdd(values + i, static_cast<u64>(sum));
    }
}

/* C channels, the first P of them counted. */
template <int C, int P, int Shift>
__global__ void __launch_bounds__(block_threads, P <= 3 ? 2 : 1)
    bytes_kernel(const struct gf_cuda_samples s, uint64_t tiles, uint64_t row_tiles, uint32_t flip, u64 *values)
{
    extern __shared__ uint4 bytes_room[];
    uint32_t *shared = reinterpret_cast<uint32_t *>(bytes_room);
    for (uint32_t i = threadIdx.x; i < counter_words<P, Shift> / 4; i += block_threads)
        bytes_room[i] = make_uint4(0, 0, 0, 0);
    const uint32_t lane = threadIdx.x % lanes;
    uint32_t base[C];
    bool counted[C];
#pragma unroll
    for (int c = 0; c < C; c++) { /* phase c of this lane is this channel */
        const uint32_t channel = (lane * vector_bytes + c) % C;
        base[c] = (channel << (8 + Shift + 2)) | (lane & ((1u << Shift) - 1)) << 2;
        counted[c] = channel < P;
    }
    __syncthreads();
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step) {
        const uint64_t row = s.rows == 1 ? 0 : tile / row_tiles, first = (tile - row * row_tiles) * tile_vectors;
        const uint4 *from = reinterpret_cast<const uint4 *>(static_cast<const char *>(s.data) + row * s.pitch) + first;
        uint4 raw[lane_vectors] = {};
        if ((first + tile_vectors) * vector_bytes <= s.row_samples) {
#pragma unroll
            for (int u = 0; u < lane_vectors; u++)
                raw[u] = __ldg(from + lane + u * lanes);
#pragma unroll
            for (int u = 0; u < lane_vectors; u++) {
                const uint32_t words[4] = {raw[u].x ^ flip, raw[u].y ^ flip, raw[u].z ^ flip, raw[u].w ^ flip};
                count_vector<C, P, Shift>(shared, words, u * lanes * vector_bytes % C, vector_bytes, base, counted);
            }
            continue;
        }
#pragma unroll
        for (int u = 0; u < lane_vectors; u++) {
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
    __syncthreads();
    flush<P, Shift>(shared, values);
}

/* One block per plane, one thread per value. */
__global__ void bytes_extremes_kernel(const uint64_t *values, uint32_t dtype, u64 *extremes)
{
    if (values[blockIdx.x * levels + threadIdx.x] == 0)
        return;
    const int v = static_cast<int>(threadIdx.x) - (dtype == GF_I8 ? 128 : 0);
    const uint32_t key = dtype == GF_I8 ? key_of(static_cast<int8_t>(v)) : key_of(static_cast<uint8_t>(v));
    atomicMax(extremes + blockIdx.x * GF_CUDA_EXTREMES, static_cast<u64>(~key));
    atomicMax(extremes + blockIdx.x * GF_CUDA_EXTREMES + 1, static_cast<u64>(key));
}

__global__ void fold_kernel(const uint64_t *values, uint32_t dtype, const __grid_constant__ struct gf_cuda_bins bins,
                            uint32_t n_bins, u64 *counts)
{
    const uint64_t n = values[blockIdx.x * levels + threadIdx.x];
    const int64_t v = static_cast<int64_t>(threadIdx.x) - (dtype == GF_I8 ? 128 : 0);
    if (n != 0) {
        const uint32_t slot =
            gf_bins_find(bins_of(bins, blockIdx.x), GF_BINS_INT, static_cast<double>(v), static_cast<uint64_t>(v));
        atomicAdd(counts + static_cast<uint64_t>(blockIdx.x) * (n_bins + GF_BINS_EXTRA) + slot, static_cast<u64>(n));
    }
}

/* Copies: one per lane where they fit, else 8, which fit everywhere. */
constexpr int most = 5, few = 3;

template <int C, int P, int Shift>
cudaError_t launch_copies(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint64_t *values)
{
    const uint64_t row_tiles = (s.row_vectors + tile_vectors - 1) / tile_vectors, tiles = row_tiles * s.rows;
    const uint64_t blocks = static_cast<uint64_t>(call->lane->device->info.units) * (P <= 3 ? 2 : 1);
    bytes_kernel<C, P, Shift><<<static_cast<uint32_t>(tiles < blocks ? tiles : blocks), block_threads,
                                counter_words<P, Shift> * sizeof(uint32_t), call->lane->main>>>(
        s, tiles, row_tiles, s.dtype == GF_I8 ? 0x80808080u : 0, reinterpret_cast<u64 *>(values));
    return cudaPeekAtLastError();
}

template <int C, int P>
cudaError_t launch(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint64_t *values)
{
    if (counter_words<P, most> * sizeof(uint32_t) <= gf_cuda_shared_room())
        return launch_copies<C, P, most>(call, s, values);
    return launch_copies<C, P, few>(call, s, values);
}

template <int C, int P> cudaError_t prepare()
{
    constexpr size_t bytes = counter_words<P, most> * sizeof(uint32_t);
    if (bytes > gf_cuda_shared_room())
        return cudaSuccess;
    return cudaFuncSetAttribute(bytes_kernel<C, P, most>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
}

} // namespace

extern "C" cudaError_t gf_cuda_count_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                           uint64_t *values)
{
    if (s->channels == 1)
        return launch<1, 1>(call, *s, values);
    if (s->channels == 2)
        return s->planes == 1 ? launch<2, 1>(call, *s, values) : launch<2, 2>(call, *s, values);
    if (s->channels == 3)
        return launch<3, 3>(call, *s, values);
    return s->planes == 3 ? launch<4, 3>(call, *s, values) : launch<4, 4>(call, *s, values);
}

extern "C" cudaError_t gf_cuda_count_fold(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                          const uint64_t *values, const struct gf_cuda_bins *bins, uint32_t n_bins,
                                          uint64_t *counts)
{
    fold_kernel<<<s->planes, levels, 0, call->lane->main>>>(values, s->dtype, *bins, n_bins,
                                                            reinterpret_cast<u64 *>(counts));
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_extremes_of_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                                 const uint64_t *values, uint64_t *extremes)
{
    bytes_extremes_kernel<<<s->planes, levels, 0, call->lane->main>>>(values, s->dtype,
                                                                      reinterpret_cast<u64 *>(extremes));
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_count_bytes_prepare(void)
{
    cudaError_t error = prepare<1, 1>();
    error = error == cudaSuccess ? prepare<2, 1>() : error;
    error = error == cudaSuccess ? prepare<2, 2>() : error;
    error = error == cudaSuccess ? prepare<3, 3>() : error;
    error = error == cudaSuccess ? prepare<4, 3>() : error;
    return error == cudaSuccess ? prepare<4, 4>() : error;
}
