/* SPDX-License-Identifier: MIT */
/*
 * Maps 8-bit samples by tables: the last step of the tone ops. Every lane has its own copy of the tables in its own
 * bank of shared memory, four entries per word, so no input causes bank conflicts. Called by equalize, threshold and
 * autocontrast.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/launch_bounds.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/samples.cuh"
#include "lookup_bytes.h"

namespace
{

using namespace gf;

constexpr int block_threads = 512;
constexpr int block_warps = block_threads / lanes;
constexpr uint32_t values = 256;
constexpr uint32_t table_words = values / 4 * lanes; /* per channel; entry v of lane r is in word v / 4 * lanes + r */
/* Vectors per lane and tile: a multiple of 3, so that a lane begins every tile with the same channel. */
constexpr int lane_vectors = 3;
constexpr int tile_vectors = lane_vectors * lanes;
constexpr int vector_bytes = static_cast<int>(GF_CUDA_VECTOR);

/* The table entry for byte J of `word`. `base` is the byte offset of this lane's copy of the channel's table. */
template <int J> __device__ __forceinline__ uint32_t entry_of(const uint32_t *tables, uint32_t word, uint32_t base)
{
    constexpr uint32_t row = (values - 4) << 5; /* v / 4 times 128 bytes */
    const uint32_t moved = J == 0 ? word << 5 : word >> (8 * J - 5), low = word >> 8 * J;
    const uint32_t at = (moved & row) | (low & 3) | base;
    return reinterpret_cast<const uint8_t *>(tables)[at];
}

/* Maps the four samples of a word, the first of which has phase `phase`. */
template <int C>
__device__ __forceinline__ uint32_t lookup_word(const uint32_t *tables, uint32_t word, int phase, const uint32_t *base)
{
    const uint32_t a = entry_of<0>(tables, word, base[phase % C]), b = entry_of<1>(tables, word, base[(phase + 1) % C]);
    const uint32_t c = entry_of<2>(tables, word, base[(phase + 2) % C]),
                   d = entry_of<3>(tables, word, base[(phase + 3) % C]);
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

/* Fills all copies of the tables. Channels from `planes` on get the identity. */
template <int C> __device__ __forceinline__ void fill_tables(const uint32_t *from, uint32_t planes, uint32_t *tables)
{
    for (uint32_t i = threadIdx.x; i < C * table_words; i += block_threads) {
        const uint32_t entries = i / lanes; /* a group of four entries, counted across the channels */
        tables[i] =
            entries < planes * (values / 4) ? from[entries] : entries % (values / 4) * 0x04040404u + 0x03020100u;
    }
}

/* Stores a vector. The last one of a row may have fewer than 16 bytes; bytes after the row must keep their values. */
__device__ __forceinline__ void store_vector(uint4 *to, const uint4 &made, int64_t bytes)
{
    if (bytes >= vector_bytes) {
        __stcs(to, made);
        return;
    }
    const uint32_t words[] = {made.x, made.y, made.z, made.w};
#pragma unroll
    for (int i = 0; i < vector_bytes; i++)
        if (i < bytes)
            reinterpret_cast<uint8_t *>(to)[i] = static_cast<uint8_t>(words[i / 4] >> (i % 4 * 8));
}

template <int C>
__global__ void __launch_bounds__(block_threads, blocks_that_fit(block_threads, 3))
    lookup_bytes_kernel(const struct gf_cuda_samples s, uint64_t tiles, uint64_t row_tiles, const uint32_t *from,
                        char *dst, size_t dst_pitch)
{
    __shared__ uint32_t tables[C * table_words];
    const uint32_t lane = threadIdx.x % lanes;
    uint32_t base[C];
#pragma unroll
    for (int c = 0; c < C; c++) /* base[c]: the table of the channel that this lane meets at phase c */
        base[c] = (lane * vector_bytes + c) % C * (table_words * 4) | lane * 4;
    fill_tables<C>(from, s.planes, tables);
    gf_sync_block(); /* the tables are complete before any lookup; they are not written again */
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t i = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; i < tiles; i += step) {
        const uint64_t tile = tiles - 1 - i;
        const uint64_t row = s.rows == 1 ? 0 : tile / row_tiles;
        const uint64_t first = (tile - row * row_tiles) * tile_vectors + lane;
        const uint4 *src = reinterpret_cast<const uint4 *>(static_cast<const char *>(s.data) + row * s.pitch) + first;
        uint4 *to = reinterpret_cast<uint4 *>(dst + row * dst_pitch) + first;
        uint4 raw[lane_vectors] = {};
#pragma unroll
        for (int u = 0; u < lane_vectors; u++)
            if (first + u * lanes < s.row_vectors)
                raw[u] = __ldg(src + u * lanes);
#pragma unroll
        for (int u = 0; u < lane_vectors; u++) {
            const int phase = u * lanes * vector_bytes % C;
            const uint4 made = make_uint4(
                lookup_word<C>(tables, raw[u].x, phase, base), lookup_word<C>(tables, raw[u].y, phase + 4, base),
                lookup_word<C>(tables, raw[u].z, phase + 8, base), lookup_word<C>(tables, raw[u].w, phase + 12, base));
            store_vector(to + u * lanes, made,
                         static_cast<int64_t>(s.row_samples) - static_cast<int64_t>(first + u * lanes) * vector_bytes);
        }
    }
}

template <int C> void launch(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const uint8_t *tables)
{
    const uint64_t row_tiles = (s.row_vectors + tile_vectors - 1) / tile_vectors, tiles = row_tiles * s.rows;
    const uint64_t limit = static_cast<uint64_t>(call->exec->device->info.units) * 3;
    lookup_bytes_kernel<C><<<gf_cuda_grid(tiles < limit ? tiles : limit), block_threads, 0, call->exec->main>>>(
        s, tiles, row_tiles, reinterpret_cast<const uint32_t *>(tables), static_cast<char *>(call->out[0].data),
        call->out[0].view.pitch);
}

} // namespace

extern "C" cudaError_t gf_cuda_lookup_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                            const uint8_t *tables)
{
    gf_dispatch_channels(s->channels, [&](auto c) { launch<c.value>(call, *s, tables); });
    return cudaPeekAtLastError();
}
