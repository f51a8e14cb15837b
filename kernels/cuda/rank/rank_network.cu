/* SPDX-License-Identifier: MIT */
/*
 * Medians of 3 x 3 and 5 x 5 by networks of minima and maxima in registers. Called by rank_filter.c.
 *
 * A block makes a tile: its four warps stand one below the other, each with 8 rows of words. A thread has `across`
 * pixels of one channel, side by side, and goes down its rows: it reads a row of words from shared memory, sorts the
 * columns that end there, and finds the medians, which share those columns.
 *
 * Words hold two keys of 16 bits, of row y in the low half and of row y + 32 in the high one, so that one instruction
 * finds two minima and no neighbour has to be shifted, whatever the number of channels; those of f32 hold one key.
 * Bytes are widened. A word of padding after 32 keeps threads that are 4 or 8 pixels apart in banks of their own.
 */
#include "kernels/cuda/device/sync.cuh"
#include "rank_keys.cuh"

namespace
{

using namespace gf;

#define RANK_T uint32_t
#define RANK_FN __device__ __forceinline__
#define RANK_NAME(name) pair_##name
#define RANK_MIN(a, b) __vminu2(a, b)
#define RANK_MAX(a, b) __vmaxu2(a, b)
#include "kernels/shared/rank/rank_network.def"

#define RANK_T uint32_t
#define RANK_FN __device__ __forceinline__
#define RANK_NAME(name) single_##name
#define RANK_MIN(a, b) min(a, b)
#define RANK_MAX(a, b) max(a, b)
#include "kernels/shared/rank/rank_network.def"

constexpr int warp_rows = 8; /* of words */
constexpr int half_rows = warps * warp_rows;

__host__ __device__ constexpr int padded(int i)
{
    return i + i / warp_lanes;
}

/* Where words lie in a tile, for windows of 3 or 5. */
template <int side> struct tile_of {
    static constexpr int across = side == 3 ? 8 : 4; /* pixels of a thread */
    static constexpr int reach = side / 2;
    static constexpr int span = warp_lanes * across; /* samples, where all lanes have work */
    static constexpr int columns = across + side - 1;
    static constexpr int lead = round_up(reach * static_cast<int>(GF_MAX_CHANNELS), quad); /* samples before the span */
    static constexpr int pitch = padded(lead + span + reach * static_cast<int>(GF_MAX_CHANNELS)) + 1;
    static constexpr int rows = half_rows + side - 1;
};

/* Lanes with work: whole pixels, so 30 of 3 channels. */
__host__ __device__ constexpr int lanes_of(int channels)
{
    return warp_lanes / channels * channels;
}

/* Fills a tile whose first word is that of (top, flat0), in steps of quads. Away from all edges quads are read. */
template <bool pair, int side>
__device__ __forceinline__ void fill_words(uint32_t *tile, const struct gf_cuda_ranking &r, int top, int flat0,
                                           int words)
{
    using at = tile_of<side>;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int last = top + at::rows + (pair ? half_rows : 0);
    const bool inner = flat0 >= 0 && flat0 + words <= r.width * r.channels && top >= 0 && last <= r.height;
    gf_dispatch(r.dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr ((sizeof(T) < sizeof(float)) == pair) {
            if (inner) {
                struct alignas(sizeof(T) * quad) quad_of {
                    T v[quad];
                };
                for (int row = warp; row < at::rows; row += warps) {
                    const T *low = row_of<T>(r.src, r.src_pitch, top + row) + flat0;
                    const T *high = row_of<T>(r.src, r.src_pitch, top + row + (pair ? half_rows : 0)) + flat0;
                    uint32_t *to = tile + row * at::pitch;
#pragma unroll 2
                    for (int i = lane * quad; i < words; i += warp_span) {
                        const quad_of a = *reinterpret_cast<const quad_of *>(low + i);
                        const quad_of b = pair ? *reinterpret_cast<const quad_of *>(high + i) : a;
#pragma unroll
                        for (int j = 0; j < quad; j++)
                            to[padded(i) + j] = pair ? key_of(a.v[j]) | key_of(b.v[j]) << 16 : key_of(a.v[j]);
                    }
                }
                return;
            }
            for (int i = lane; i < words; i += warp_lanes) {
                /* Floor of a quotient whose dividend is above -2 windows. */
                const int px = (flat0 + i + r.channels * warp_lanes) / r.channels - warp_lanes;
                const int c = flat0 + i - px * r.channels, x = border_index(r.border, px, r.width);
                const auto key_at = [&](int y) {
                    y = border_index(r.border, y, r.height);
                    return (x | y) < 0 ? r.outside[c] : key_of(row_of<T>(r.src, r.src_pitch, y)[x * r.channels + c]);
                };
                for (int row = warp; row < at::rows; row += warps) {
                    const uint32_t low = key_at(top + row);
                    tile[row * at::pitch + padded(i)] = pair ? low | key_at(top + row + half_rows) << 16 : low;
                }
            }
        }
    });
}

/* Stores four neighbouring words of row y, and of pairs of row y + 32. */
template <bool pair>
__device__ __forceinline__ void store_words(const struct gf_cuda_ranking &r, int y, int flat, const uint32_t *words)
{
    const int samples = r.width * r.channels;
    if (flat >= samples)
        return;
    gf_dispatch(r.dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr ((sizeof(T) < sizeof(float)) == pair) {
#pragma unroll
            for (int half = 0; half < (pair ? 2 : 1); half++) {
                const int row = y + half * half_rows;
                if (row >= r.end)
                    continue;
                T v[quad], *to = row_of<T>(r.dst, r.dst_pitch, row) + flat;
#pragma unroll
                for (int j = 0; j < quad; j++)
                    v[j] = of_key(T{}, pair ? words[j] >> (16 * half) & 0xFFFFu : words[j]);
                if (flat + quad <= samples) {
                    store_quad(to, v);
                    continue;
                }
#pragma unroll
                for (int j = 0; j < quad - 1; j++)
                    if (flat + j < samples)
                        to[j] = v[j];
            }
        }
    });
}

template <bool pair, int side> struct network;

template <bool pair> struct network<pair, 3> {
    static __device__ __forceinline__ void sort(uint32_t *v)
    {
        pair ? pair_sort3(v) : single_sort3(v);
    }

    template <int columns> static __device__ __forceinline__ uint32_t median(const uint32_t (&row)[3][columns], int p)
    {
        return pair ? pair_median9(row[0] + p, row[1] + p, row[2] + p)
                    : single_median9(row[0] + p, row[1] + p, row[2] + p);
    }
};

template <bool pair> struct network<pair, 5> {
    static __device__ __forceinline__ void sort(uint32_t *v)
    {
        pair ? pair_sort5(v) : single_sort5(v);
    }

    template <int columns> static __device__ __forceinline__ uint32_t median(const uint32_t (&row)[5][columns], int p)
    {
        uint32_t window[5][5];
#pragma unroll
        for (int k = 0; k < 5; k++)
#pragma unroll
            for (int j = 0; j < 5; j++)
                window[k][j] = row[k][p + j];
        return pair ? pair_median25(window) : single_median25(window);
    }
};

/*
 * Barriers: one between the tile's writes and its reads, by all threads; nothing writes it afterwards. The results of a
 * row pass from lane to lane through `out`, a warp's own: they are written, a barrier of the warp, read, and another
 * one before the next row's are written. All lanes take part in all of them; lanes without work do that of the first
 * one and keep it.
 */
template <bool pair, int side>
__global__ void __launch_bounds__(threads, 4) network_kernel(const __grid_constant__ struct gf_cuda_ranking r)
{
    using at = tile_of<side>;
    __shared__ uint32_t tile[at::pitch * at::rows];
    __shared__ uint32_t out[warps][padded(at::span) + 1];

    const int lanes = lanes_of(r.channels), span = lanes * at::across; /* a multiple of a quad */
    const int x0 = blockIdx.x * span, y0 = r.first + blockIdx.y * half_rows * (pair ? 2 : 1);
    const int lead = round_up(at::reach * r.channels, quad);
    const int words = round_up(lead + span + at::reach * r.channels, quad); /* at most pitch without padding */
    fill_words<pair, side>(tile, r, y0 - at::reach, x0 - lead, words);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, worker = lane < lanes ? lane : 0;
    const int c = worker % r.channels, mine = worker / r.channels * at::across * r.channels + c;
    const uint32_t *base = tile + warp * warp_rows * at::pitch;
    int places[at::columns];
#pragma unroll
    for (int j = 0; j < at::columns; j++)
        places[j] = padded(lead + mine + (j - at::reach) * r.channels);

    uint32_t raw[side][at::columns]; /* the last rows, the oldest first */
#pragma unroll
    for (int k = 1; k < side; k++)
#pragma unroll
        for (int j = 0; j < at::columns; j++)
            raw[k][j] = base[(k - 1) * at::pitch + places[j]];
#pragma unroll 1 /* more would leave the instruction cache */
    for (int row = 0; row < warp_rows; row++) {
        uint32_t sorted[side][at::columns];
#pragma unroll
        for (int j = 0; j < at::columns; j++) {
            uint32_t column[side];
#pragma unroll
            for (int k = 0; k < side - 1; k++)
                raw[k][j] = raw[k + 1][j];
            raw[side - 1][j] = base[(row + side - 1) * at::pitch + places[j]];
#pragma unroll
            for (int k = 0; k < side; k++)
                column[k] = raw[k][j];
            network<pair, side>::sort(column);
#pragma unroll
            for (int k = 0; k < side; k++)
                sorted[k][j] = column[k];
        }
#pragma unroll
        for (int p = 0; p < at::across; p++) {
            const uint32_t found = network<pair, side>::median(sorted, p);
            if (lane < lanes)
                out[warp][padded(mine + p * r.channels)] = found;
        }
        gf_sync_warp(); /* a row of results is there */
        for (int i = lane * quad; i < span; i += warp_span)
            store_words<pair>(r, y0 + warp * warp_rows + row, x0 + i, &out[warp][padded(i)]);
        gf_sync_warp(); /* and has been read */
    }
}

template <bool pair, int side> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    const int span = lanes_of(r->channels) * tile_of<side>::across, rows = half_rows * (pair ? 2 : 1);
    const dim3 grid((r->width * r->channels + span - 1) / span, (r->end - r->first + rows - 1) / rows);
    network_kernel<pair, side><<<grid, threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_rank_network(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    if (gf_dtype_size(r->dtype) < sizeof(float))
        return r->window_x == 3 ? launch<true, 3>(r, stream) : launch<true, 5>(r, stream);
    return r->window_x == 3 ? launch<false, 3>(r, stream) : launch<false, 5>(r, stream);
}
