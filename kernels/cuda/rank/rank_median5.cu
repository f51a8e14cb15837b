/* SPDX-License-Identifier: MIT */
/*
 * Medians of 5 x 5 by networks of minima and maxima in registers. Called by rank_filter.c.
 *
 * A block computes a tile: its four warps are stacked, each with 8 rows of words. A thread takes eight adjacent pixels
 * of one channel and walks down its rows, two at a time. In each column of six samples it sorts the middle four, which
 * the windows of both rows share. Of the four columns that two adjacent windows share, it merges two and two; each
 * merged pair is shared with the next two windows. Two windows thus share the middle of 20 samples, and each finds its
 * median from that middle and the one column that it does not share.
 *
 * Words hold two 16-bit samples, of row y in the low half and of row y + 32 in the high half. One instruction then
 * computes two minima, and neighbours need no shifting, whatever the number of channels. Words of f32 hold one sample.
 * A word of padding after every 32 keeps threads that are 8 pixels apart free of bank conflicts.
 */
#include "kernels/cuda/device/launch_bounds.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "rank_sorted.cuh"

namespace
{

using namespace gf;

constexpr int side = 5, reach = side / 2;
constexpr int across = 8;    /* pixels per thread */
constexpr int warp_rows = 8; /* of words */
constexpr int half_rows = warps * warp_rows;
constexpr int max_channels = static_cast<int>(GF_MAX_CHANNELS);

static_assert(warp_rows % 2 == 0 && across % 2 == 0, "windows are made two by two");

__host__ __device__ constexpr int padded(int i)
{
    return i + i / warp_lanes;
}

/* The layout of words in a tile. */
constexpr int max_span = warp_lanes * across; /* samples, where all lanes work */
constexpr int columns = across + side - 1;
constexpr int max_lead = round_up(reach * max_channels, quad); /* samples before the span */
constexpr int pitch = padded(max_lead + max_span + reach * max_channels) + 1;
constexpr int tile_rows = half_rows + side - 1;

/* Lanes that work: whole pixels, so 30 lanes with 3 channels. */
__host__ __device__ constexpr int lanes_of(int channels)
{
    return warp_lanes / channels * channels;
}

/* Rows that a block computes, for samples of `bytes` bytes: pairs or single samples. */
template <int bytes> constexpr int block_rows = half_rows *(bytes < 4 ? 2 : 1);

/* Four stored samples. */
template <int bytes>
using stored_quad = std::conditional_t<bytes == 1, uint32_t, std::conditional_t<bytes == 2, uint2, uint4>>;

__device__ __forceinline__ void join(uint32_t low, uint32_t high, uint32_t (&w)[quad])
{
#pragma unroll
    for (int j = 0; j < quad; j++)
        w[j] = __byte_perm(low, high, 0x4400 + 0x1111 * j);
}

__device__ __forceinline__ void join(uint2 low, uint2 high, uint32_t (&w)[quad])
{
    w[0] = __byte_perm(low.x, high.x, 0x5410);
    w[1] = __byte_perm(low.x, high.x, 0x7632);
    w[2] = __byte_perm(low.y, high.y, 0x5410);
    w[3] = __byte_perm(low.y, high.y, 0x7632);
}

__device__ __forceinline__ void join(uint4 low, uint4, uint32_t (&w)[quad])
{
    w[0] = low.x;
    w[1] = low.y;
    w[2] = low.z;
    w[3] = low.w;
}

/* Returns the bits of the sample at row y and a flat index, both possibly outside. */
template <class T> __device__ __forceinline__ uint32_t bits_at(const struct gf_cuda_ranking &r, int y, int flat)
{
    /* Rounds the quotient down; the dividend is above -2 windows. */
    const int px = (flat + r.channels * warp_lanes) / r.channels - warp_lanes, c = flat - px * r.channels;
    const int x = border_index(r.border, px, r.width);
    y = border_index(r.border, y, r.height);
    return (x | y) >= 0 ? bits_of(__ldg(row_of<T>(r.src, r.src_pitch, y) + x * r.channels + c)) : outside_bits<T>(r, c);
}

/* Writes four words to a tile. */
template <class T> __device__ __forceinline__ void put_quad(uint32_t *to, const uint32_t (&w)[quad])
{
#pragma unroll
    for (int j = 0; j < quad; j++)
        to[j] = ordered<T>(w[j]);
}

/* Fills a quad of a tile from (y, flat) on, any part of which may be outside. */
template <class T>
__device__ __forceinline__ void fill_quad(uint32_t *to, const struct gf_cuda_ranking &r, int y, int flat)
{
    using vector = stored_quad<sizeof(T)>;
    constexpr int down = is_pair<T> ? half_rows : 0;
    if (y >= 0 && y + down < r.height && flat >= 0 && flat + quad <= r.width * r.channels) {
        uint32_t w[quad];
        join(__ldg(row_of<vector>(r.src, r.src_pitch, y) + flat / quad),
             __ldg(row_of<vector>(r.src, r.src_pitch, y + down) + flat / quad), w);
        put_quad<T>(to, w);
        return;
    }
#pragma unroll 1
    for (int j = 0; j < quad; j++) {
        const uint32_t a = bits_at<T>(r, y, flat + j);
        to[j] = word_of<T>(a, is_pair<T> ? bits_at<T>(r, y + down, flat + j) : a);
    }
}

/* Fills a tile whose first word is at (top, flat0), quad by quad, each in all rows of a warp. Where all rows lie
 * inside, all loads are in flight before the first is used. */
template <class T>
__device__ __forceinline__ void fill_tile(uint32_t *tile, const struct gf_cuda_ranking &r, int top, int flat0,
                                          int words)
{
    using vector = stored_quad<sizeof(T)>;
    constexpr int down = is_pair<T> ? half_rows : 0, rows = tile_rows / warps;
    static_assert(tile_rows % warps == 0, "all warps have as many rows");
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const bool inside = top >= 0 && top + tile_rows + down <= r.height;
    for (int i = lane * quad; i < words; i += warp_span) {
        const int flat = flat0 + i;
        uint32_t *to = tile + warp * pitch + padded(i);
        if (inside && flat >= 0 && flat + quad <= r.width * r.channels) {
            vector low[rows], high[rows];
#pragma unroll
            for (int k = 0; k < rows; k++) {
                const int y = top + warp + k * warps;
                low[k] = __ldg(row_of<vector>(r.src, r.src_pitch, y) + flat / quad);
                high[k] = is_pair<T> ? __ldg(row_of<vector>(r.src, r.src_pitch, y + down) + flat / quad) : low[k];
            }
#pragma unroll
            for (int k = 0; k < rows; k++) {
                uint32_t w[quad];
                join(low[k], high[k], w);
                put_quad<T>(to + k * warps * pitch, w);
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < rows; k++)
                fill_quad<T>(to + k * warps * pitch, r, top + warp + k * warps, flat);
        }
    }
}

/* Stores four samples of row y, given in words. Samples past the end of the row are dropped. */
template <class T, int n>
__device__ __forceinline__ void store_samples(const struct gf_cuda_ranking &r, int y, int flat, const uint32_t (&w)[n])
{
    const int left = r.width * r.channels - flat;
    if (y >= r.end)
        return;
    T *to = row_of<T>(r.dst, r.dst_pitch, y) + flat;
    if (left < quad)
        store_end<T>(to, w, left);
    else if constexpr (n == 1)
        *reinterpret_cast<uint32_t *>(to) = w[0];
    else if constexpr (n == 2)
        *reinterpret_cast<uint2 *>(to) = make_uint2(w[0], w[1]);
    else
        *reinterpret_cast<uint4 *>(to) = make_uint4(w[0], w[1], w[2], w[3]);
}

/* Stores four adjacent medians of row y and, for pairs, of row y + 32. */
template <class T>
__device__ __forceinline__ void store_words(const struct gf_cuda_ranking &r, int y, int flat, const uint32_t *words)
{
    constexpr int n = sizeof(T);
    uint32_t low[n], high[n], w[quad];
    if (flat >= r.width * r.channels)
        return;
#pragma unroll
    for (int j = 0; j < quad; j++)
        w[j] = stored<T>(words[j]);
    if constexpr (n == 4) {
        store_samples<T>(r, y, flat, w);
    } else {
        const uint32_t first = n == 1 ? 0x6240 : 0x5410;
        const uint32_t a = __byte_perm(w[0], w[1], first), b = __byte_perm(w[2], w[3], first);
        if constexpr (n == 1) {
            low[0] = __byte_perm(a, b, 0x5410);
            high[0] = __byte_perm(a, b, 0x7632);
        } else {
            low[0] = a;
            low[1] = b;
            high[0] = __byte_perm(w[0], w[1], 0x7632);
            high[1] = __byte_perm(w[2], w[3], 0x7632);
        }
        store_samples<T>(r, y, flat, low);
        store_samples<T>(r, y + half_rows, flat, high);
    }
}

/* Sorts column `at` of six rows, for the windows of two rows. */
template <class T>
__device__ __forceinline__ void order_column(const uint32_t *at, uint32_t one, uint32_t (&upper)[5],
                                             uint32_t (&lower)[5])
{
    uint32_t middle[4] = {at[pitch], at[2 * pitch], at[3 * pitch], at[4 * pitch]};
    order4<T>(middle, one);
    insert<T>(middle, at[0], upper);
    insert<T>(middle, at[5 * pitch], lower);
}

/*
 * Barriers: one block barrier between the writes and the reads of the tile; nothing writes to it afterwards. The
 * results of two rows pass from lane to lane through `out`, which belongs to the warp: writes, warp barrier, reads,
 * warp barrier before the writes of the next rows. All lanes take part in all barriers; lanes without work repeat the
 * work of lane 0 and do not store it.
 */
template <class T>
__global__ void __launch_bounds__(threads, blocks_by_architecture(4, is_pair<T> ? 3 : 4))
    median5_kernel(const __grid_constant__ struct gf_cuda_ranking r, const uint32_t one)
{
    __shared__ uint32_t tile[pitch * tile_rows];
    __shared__ uint32_t out[warps][2][padded(max_span) + 1];

    const int lanes = lanes_of(r.channels), span = lanes * across; /* a multiple of a quad */
    const int x0 = blockIdx.x * span, y0 = r.first + blockIdx.y * block_rows<sizeof(T)>;
    const int lead = round_up(reach * r.channels, quad);
    const int words = round_up(lead + span + reach * r.channels, quad); /* at most pitch without padding */
    fill_tile<T>(tile, r, y0 - reach, x0 - lead, words);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, worker = lane < lanes ? lane : 0;
    const int c = worker % r.channels, mine = worker / r.channels * across * r.channels + c;
    int places[columns];
#pragma unroll
    for (int j = 0; j < columns; j++)
        places[j] = padded(lead + mine + (j - reach) * r.channels);
#pragma unroll 1
    for (int row = 0; row < warp_rows; row += 2) {
        const uint32_t *base = tile + (warp * warp_rows + row) * pitch;
        uint32_t column[columns][2][side], merged[columns / 2][2][2 * side]; /* merged[k]: columns 2k - 1 and 2k */
#pragma unroll
        for (int p = 0; p < across; p += 2) {
#pragma unroll
            for (int j = p == 0 ? 0 : p + 4; j < p + 6; j++)
                order_column<T>(base + places[j], one, column[j][0], column[j][1]);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                uint32_t six[6];
                if (p == 0)
                    merge<T>(column[1][i], column[2][i], one, merged[1][i]);
                merge<T>(column[p + 3][i], column[p + 4][i], one, merged[p / 2 + 2][i]);
                middle6<T>(merged[p / 2 + 1][i], merged[p / 2 + 2][i], one, six);
                const uint32_t left = median25<T>(six, column[p][i]), right = median25<T>(six, column[p + 5][i]);
                if (lane < lanes) {
                    out[warp][i][padded(mine + p * r.channels)] = left;
                    out[warp][i][padded(mine + (p + 1) * r.channels)] = right;
                }
            }
        }
        gf_sync_warp(); /* two rows of results are written */
        const int y = y0 + warp * warp_rows + row;
        for (int i = lane * quad; i < span; i += warp_span) {
            store_words<T>(r, y, x0 + i, &out[warp][0][padded(i)]);
            store_words<T>(r, y + 1, x0 + i, &out[warp][1][padded(i)]);
        }
        gf_sync_warp(); /* and have been read */
    }
}

template <class T> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    const int span = lanes_of(r->channels) * across, rows = block_rows<sizeof(T)>;
    const dim3 grid((r->width * r->channels + span - 1) / span, (r->end - r->first + rows - 1) / rows);
    median5_kernel<T><<<grid, threads, 0, stream>>>(*r, 1);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_rank_median5(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    gf_dispatch(r->dtype, [&](auto tag) { error = launch<decltype(tag)>(r, stream); });
    return error;
}
