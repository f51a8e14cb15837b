/* SPDX-License-Identifier: MIT */
/*
 * Extrema under any element, docs/numerics.md, "Morphology", or under a part of one, given as vertical runs. Called by
 * morphology.c.
 *
 * A block loads tiles with their halo into shared memory, as keys (words.cuh), in a grid-stride loop. There, level by
 * level, each row becomes the extremum of the 2, 4, 8, ... rows from it on. A run of L rows is covered by two windows
 * of the greatest power of two that is at most L. Each thread keeps the results of its words in registers and adds,
 * level by level, the two windows of each run. These may begin at any sample, so they are shifted out of two adjacent
 * words.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "words.cuh"

namespace
{

using namespace gf;

constexpr int threads = 256;
constexpr int tile_words = 64, tile_rows = 32; /* of the result */
constexpr int per_thread = tile_words * tile_rows / threads, rows_apart = threads / tile_words;

/* The words of a row in shared memory: results, the halo, alignment, and one word past the end. */
template <int n> __host__ __device__ __forceinline__ int32_t row_words(const struct gf_cuda_morphology &m)
{
    return tile_words + ((m.width - 1) * static_cast<int32_t>(m.channels) + n - 1) / n + 2;
}

/* Extracts n samples from sample `at` of a shared-memory row on. */
template <int n> __device__ __forceinline__ uint32_t cut_out(const uint32_t *row, int32_t at)
{
    const uint32_t *p = row + at / n;
    if constexpr (n == 1)
        return *p;
    return __funnelshift_r(p[0], p[1], static_cast<uint32_t>(at % n) * (32 / n));
}

template <int n, bool dilate>
__global__ void __launch_bounds__(threads) runs_kernel(const __grid_constant__ struct gf_cuda_morphology m)
{
    extern __shared__ uint32_t rows[];
    const int32_t channels = static_cast<int32_t>(m.channels), samples = m.picture_width * channels;
    const int32_t row_length = row_words<n>(m), n_rows = tile_rows + m.height - 1;
    const int32_t across = (samples + tile_words * n - 1) / (tile_words * n);
    const int32_t down = (m.end - m.first + tile_rows - 1) / tile_rows;
    const int32_t own_word = threadIdx.x % tile_words, own_row = threadIdx.x / tile_words;
    for (int32_t tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int32_t x = tile % across * tile_words * n, y = m.first + tile / across * tile_rows;
        const int32_t begin = x - m.anchor_x * channels, lead = begin & (n - 1), aligned = begin - lead;
        for (int32_t r = threadIdx.x / 32; r < n_rows; r += threads / 32)
            for (int32_t w = threadIdx.x % 32; w < row_length; w += 32)
                rows[r * row_length + w] = fetch<n>(m, y - m.anchor_y + r, aligned + w * n);
        Extremum<n, dilate> best[per_thread];
#pragma unroll
        for (int k = 0; k < per_thread; k++) {
            const int32_t row = y + own_row + k * rows_apart, at = x + own_word * n;
            uint32_t v = n != 1 ? 0 : dilate ? 0xFF800000u : 0x7FC00000u; /* the identity of the extremum */
            if (m.goes_on && row < m.end && at < samples)
                v = to_keys<n>(m, *reinterpret_cast<const uint32_t *>(m.dst + static_cast<size_t>(row) * m.dst_pitch +
                                                                      static_cast<size_t>(at) * (4 / n)));
            best[k].set(v);
        }
        gf_sync_block(); /* rows are written before they are read */
        for (int level = 0; level < 8; level++) {
            for (uint32_t i = m.level[level]; i < m.level[level + 1]; i++) {
                const uint32_t run = __ldg(m.runs + i);
                const int32_t at = lead + own_word * n + static_cast<int32_t>(run & 255u) * channels;
                const int32_t top = static_cast<int32_t>(run >> 8 & 255u);
                const int32_t more = static_cast<int32_t>(run >> 16) - (1 << level);
                const uint32_t *row = rows + (own_row + top) * row_length;
#pragma unroll
                for (int k = 0; k < per_thread; k++) {
                    const uint32_t *from = row + k * rows_apart * row_length;
                    best[k].add(cut_out<n>(from, at));
                    if (more != 0)
                        best[k].add(cut_out<n>(from + more * row_length, at));
                }
            }
            if (m.level[level + 1] == m.level[8])
                break;       /* uniform across the block: there are no longer runs */
            gf_sync_block(); /* all threads have read the rows before they are overwritten */
            const int32_t half = 1 << level;
            /* Each thread owns whole columns and walks down, so it reads each row before it overwrites it. */
            for (int32_t w = threadIdx.x; w < row_length; w += threads)
                for (int32_t r = 0; r + 2 * half <= n_rows; r++) {
                    Extremum<n, dilate> both;
                    both.set(rows[r * row_length + w]);
                    both.add(rows[(r + half) * row_length + w]);
                    rows[r * row_length + w] = both.get();
                }
            gf_sync_block(); /* rows are written before they are read */
        }
#pragma unroll
        for (int k = 0; k < per_thread; k++) {
            const int32_t row = y + own_row + k * rows_apart, at = x + own_word * n;
            if (row < m.end && at < samples)
                finish<n>(m, row, at, best[k].get());
        }
        gf_sync_block(); /* all threads have read the rows before the next tile overwrites them */
    }
}

template <int n> size_t shared_bytes(const struct gf_cuda_morphology &m)
{
    return static_cast<size_t>(tile_rows + m.height - 1) * row_words<n>(m) * sizeof(uint32_t);
}

/* Returns the bytes that a part of side x side takes at most. */
size_t most_bytes(int32_t side)
{
    struct gf_cuda_morphology most = {};
    most.width = most.height = side;
    most.channels = GF_MAX_CHANNELS;
    return shared_bytes<1>(most);
}

template <int n, bool dilate> cudaError_t launch(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    const uint64_t samples = static_cast<uint64_t>(m->picture_width) * m->channels;
    const uint64_t across = (samples + tile_words * n - 1) / (tile_words * n);
    const uint64_t down = (m->end - m->first + tile_rows - 1) / tile_rows;
    runs_kernel<n, dilate><<<gf_cuda_grid(across * down), threads, shared_bytes<n>(*m), stream>>>(*m);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_runs(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    return with_kind(*m, [&](auto kind) { return launch<kind.n, kind.dilate>(m, stream); });
}

extern "C" uint32_t gf_cuda_runs_side(void)
{
    return most_bytes(64) <= gf_cuda_shared_memory_max() ? 64 : 32;
}

extern "C" cudaError_t gf_cuda_runs_prepare(void)
{
    return raise_shared_limit(most_bytes(gf_cuda_runs_side()), runs_kernel<4, true>, runs_kernel<2, true>,
                              runs_kernel<1, true>, runs_kernel<1, false>);
}
