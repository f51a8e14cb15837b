/* SPDX-License-Identifier: MIT */
/*
 * Integral images of u8 and u16 with one channel. Called by integral.c. Integers may be added in any order. The first
 * launch sums the rows and columns of tiles of 64 rows by 128 columns; the second turns the sums into prefixes, to the
 * left of each row and above each column of a tile; the third reads the picture once more and writes the results. A
 * tile has eight warps of eight rows each, so that it is read and written as a whole: memory is a tenth faster than
 * with a single warp going down the tile.
 */
#include <type_traits>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "scan_run.h"

namespace
{

constexpr int lanes = 32, quad = 4;
constexpr int tile_columns = lanes * quad, tile_rows = 64;
constexpr int rows_at_once = 8, tile_warps = tile_rows / rows_at_once;
constexpr int prefix_warps = 32; /* of a block of prefix_kernel: it takes 32 columns, each warp a part of the tiles */

/* All sums are modulo 2^32 or 2^64. */
struct tiles {
    const void *src;
    void *dst;
    uint64_t src_pitch, dst_pitch;
    uint32_t width, height, n_x, n_y; /* number of tiles side by side, and one below the other */
    bool square, aligned;             /* aligned: result rows begin at multiples of 16 bytes */
    void *columns;                    /* n_y rows of n_x * 128: column sums of a tile, then of all tiles above */
    void *rows;                       /* n_x rows of n_y * 64: row sums of a tile, then of all tiles to the left */
    void *corners;                    /* n_y rows of n_x * 4: sums over 32 columns of all tiles above */
};

/* The type that holds a row sum of a tile. */
template <class T, class V> using short_sum = std::conditional_t<sizeof(T) == 1, uint32_t, V>;

/* Sums eight values of every lane over the warp. Returns the sum of value lane / 4. In each step a lane keeps half of
 * its values and sends the other half to its partner. */
template <class V> __device__ __forceinline__ V sum_rows(V (&v)[rows_at_once], int lane)
{
#pragma unroll
    for (int n = rows_at_once / 2; n > 0; n /= 2) {
        const bool upper = (lane & (n * quad)) != 0;
#pragma unroll
        for (int i = 0; i < n; i++) {
            const V sent = upper ? v[i] : v[i + n], kept = upper ? v[i + n] : v[i];
            v[i] = kept + gf_shuffle_xor(sent, n * quad);
        }
    }
    v[0] += gf_shuffle_xor(v[0], 2);
    return v[0] + gf_shuffle_xor(v[0], 1);
}

/* Returns the sum over the lanes before this one. */
template <class V> __device__ __forceinline__ V sum_before(V v)
{
    return gf_warp_running_sum(v) - v;
}

struct place {
    uint32_t x, y, column, first; /* tile; first column of the lane; first row of the warp */
    int lane, warp;
    bool partial; /* the tile extends past the picture */
};

__device__ __forceinline__ struct place find_place(const struct tiles &t, uint32_t x, uint32_t y)
{
    struct place p;
    p.lane = threadIdx.x % lanes;
    p.warp = threadIdx.x / lanes;
    p.x = x;
    p.y = y;
    p.column = x * tile_columns + p.lane * quad;
    p.first = y * tile_rows + p.warp * rows_at_once;
    p.partial = x == t.n_x - 1 || y == t.n_y - 1;
    return p;
}

__device__ __forceinline__ void unpack(uint32_t word, uint8_t, uint32_t (&v)[quad])
{
#pragma unroll
    for (int j = 0; j < quad; j++)
        v[j] = word >> (8 * j) & 255u;
}

__device__ __forceinline__ void unpack(uint2 words, uint16_t, uint32_t (&v)[quad])
{
    v[0] = words.x & 65535u;
    v[1] = words.x >> 16;
    v[2] = words.y & 65535u;
    v[3] = words.y >> 16;
}

template <class T> using packed = std::conditional_t<sizeof(T) == 1, uint32_t, uint2>;

/* Loads the rows of a warp; rows past the end are zero. */
template <class T>
__device__ __forceinline__ void load_rows(const struct tiles &t, const struct place &p, packed<T> (&raw)[rows_at_once])
{
    const char *from = static_cast<const char *>(t.src) + p.first * t.src_pitch + p.column * sizeof(T);
    if (!p.partial) {
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            raw[r] = __ldg(reinterpret_cast<const packed<T> *>(from + r * t.src_pitch));
        return;
    }
#pragma unroll
    for (int r = 0; r < rows_at_once; r++) {
        raw[r] = packed<T>{};
        if (p.column < t.width && p.first + r < t.height)
            raw[r] = __ldg(reinterpret_cast<const packed<T> *>(from + r * t.src_pitch));
    }
}

/* Returns a lane's samples of a row, squared where requested. */
template <class T, class S>
__device__ __forceinline__ void samples_of(const struct tiles &t, const struct place &p, const packed<T> &raw,
                                           S (&v)[quad])
{
    uint32_t one[quad];
    unpack(raw, T{}, one);
    if (p.partial)
#pragma unroll
        for (int j = 0; j < quad; j++)
            one[j] = p.column + j < t.width ? one[j] : 0;
#pragma unroll
    for (int j = 0; j < quad; j++)
        v[j] = one[j];
    if (t.square)
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[j] *= one[j];
}

/* Column sums of each warp of a tile. */
template <class S> using column_sums = S[tile_warps][tile_columns];

template <class S>
__device__ __forceinline__ void put_columns(const struct place &p, const S (&columns)[quad], column_sums<S> &board)
{
#pragma unroll
    for (int j = 0; j < quad; j++)
        board[p.warp][p.lane * quad + j] = columns[j];
}

template <class T, class V>
__global__ void __launch_bounds__(tile_warps *lanes) sums_kernel(const __grid_constant__ struct tiles t)
{
    using S = short_sum<T, V>;
    __shared__ column_sums<S> board;
    const struct place p = find_place(t, blockIdx.x, blockIdx.y);
    packed<T> raw[rows_at_once];
    load_rows<T>(t, p, raw);
    S sums[rows_at_once], columns[quad] = {};
#pragma unroll
    for (int r = 0; r < rows_at_once; r++) {
        S v[quad];
        samples_of<T>(t, p, raw[r], v);
#pragma unroll
        for (int j = 0; j < quad; j++)
            columns[j] += v[j];
        sums[r] = v[0] + v[1] + v[2] + v[3];
    }
    put_columns(p, columns, board);
    const S sum = sum_rows(sums, p.lane);
    if (p.lane % quad == 0)
        static_cast<V *>(t.rows)[static_cast<size_t>(p.x) * t.n_y * tile_rows + p.first + p.lane / quad] = sum;
    gf_sync_block();
    if (threadIdx.x >= tile_columns)
        return;
    V column = 0;
#pragma unroll
    for (int w = 0; w < tile_warps; w++)
        column += board[w][threadIdx.x];
    static_cast<V *>(t.columns)[(static_cast<size_t>(p.y) * t.n_x + p.x) * tile_columns + threadIdx.x] = column;
}

/* Turns the column sums of 32 columns into sums of all tiles above. */
template <class V> __device__ __forceinline__ void sum_tiles_above(const struct tiles &t, uint32_t corner)
{
    __shared__ V sums[prefix_warps][lanes];
    const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const uint32_t chunk_rows = (t.n_y + prefix_warps - 1) / prefix_warps;
    const uint32_t first = min(warp * chunk_rows, t.n_y), end = min(first + chunk_rows, t.n_y);
    const size_t corners = static_cast<size_t>(t.n_x) * (tile_columns / lanes);
    V *column = static_cast<V *>(t.columns) + corner * lanes + lane, *to = static_cast<V *>(t.corners) + corner;
    V v[rows_at_once] = {}, sum = 0, before = 0;
    const auto load = [&](uint32_t k) {
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            v[r] = k + r < end ? column[(k + r) * corners * lanes] : 0;
    };
    for (uint32_t k = first; k < end; k += rows_at_once) {
        load(k);
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            sum += v[r];
    }
    sums[warp][lane] = sum;
    gf_sync_block();
    for (uint32_t w = 0; w < warp; w++)
        before += sums[w][lane];
    for (uint32_t k = first; k < end; k += rows_at_once) {
        if (chunk_rows > rows_at_once)
            load(k);
#pragma unroll
        for (int r = 0; r < rows_at_once; r++) {
            if (k + r >= end)
                break;
            const V all = gf_warp_sum(before);
            column[(k + r) * corners * lanes] = before;
            if (lane == 0)
                to[(k + r) * corners] = all;
            before += v[r];
        }
    }
}

/* Turns the row sums into sums of all tiles to the left, one thread per row of the picture. */
template <class V> __device__ __forceinline__ void sum_tiles(const struct tiles &t, uint32_t y)
{
    constexpr uint32_t batch = 128 / sizeof(V);
    const uint32_t height = t.n_y * tile_rows;
    V *row = static_cast<V *>(t.rows) + y, before = 0;
    if (y >= height)
        return;
    for (uint32_t c = 0; c < t.n_x; c += batch) {
        V v[batch];
#pragma unroll
        for (uint32_t i = 0; i < batch; i++)
            v[i] = c + i < t.n_x ? row[static_cast<size_t>(c + i) * height] : 0;
#pragma unroll
        for (uint32_t i = 0; i < batch; i++) {
            if (c + i < t.n_x)
                row[static_cast<size_t>(c + i) * height] = before;
            before += v[i];
        }
    }
}

/* The first blocks take columns, the remaining blocks rows. */
template <class V>
__global__ void __launch_bounds__(prefix_warps *lanes) prefix_kernel(const __grid_constant__ struct tiles t)
{
    const uint32_t corners = t.n_x * (tile_columns / lanes);
    if (blockIdx.x < corners)
        sum_tiles_above<V>(t, blockIdx.x);
    else
        sum_tiles<V>(t, (blockIdx.x - corners) * (prefix_warps * lanes) + threadIdx.x);
}

/* Store the results of a whole tile row, 16 bytes per lane and access. Adjacent lanes store adjacent words: otherwise
 * memory would receive half sectors. */
__device__ __forceinline__ void store_row(uint32_t *to, int, const uint32_t (&v)[quad])
{
    __stcs(reinterpret_cast<uint4 *>(to), make_uint4(v[0], v[1], v[2], v[3]));
}

__device__ __forceinline__ void store_row(uint64_t *to, int lane, const uint64_t (&v)[quad])
{
    const int odd = lane % 2;
    uint64_t other[2];
#pragma unroll
    for (int j = 0; j < 2; j++)
        other[j] = gf_shuffle_xor(odd != 0 ? v[j] : v[j + 2], 1);
    auto *pair = reinterpret_cast<ulonglong2 *>(to - odd * quad) + odd;
    __stcs(pair, odd != 0 ? make_ulonglong2(other[0], other[1]) : make_ulonglong2(v[0], v[1]));
    __stcs(pair + 2, odd != 0 ? make_ulonglong2(v[2], v[3]) : make_ulonglong2(other[0], other[1]));
}

/* Turns the sums above a tile's columns into the results of the row above the warp's first row. `left` is the sum of
 * everything to the left of that row and of the rows above it. */
template <class S, class V>
__device__ __forceinline__ void find_row_above(const struct place &p, V left, const column_sums<S> &board,
                                               V (&results)[quad])
{
    for (int w = 0; w < p.warp; w++)
#pragma unroll
        for (int j = 0; j < quad; j++)
            results[j] += board[w][p.lane * quad + j];
#pragma unroll
    for (int j = 1; j < quad; j++)
        results[j] += results[j - 1];
    left += sum_before(results[quad - 1]);
#pragma unroll
    for (int j = 0; j < quad; j++)
        results[j] += left;
}

/* Returns the sum of everything above and to the left of a tile. The whole block must call it. */
template <class V>
__device__ __forceinline__ V find_corner(const struct tiles &t, const struct place &p, V (&parts)[tile_warps])
{
    const V *corners = static_cast<const V *>(t.corners) + static_cast<size_t>(p.y) * t.n_x * (tile_columns / lanes);
    V corner = 0;
    for (uint32_t i = threadIdx.x; i < p.x * (tile_columns / lanes); i += tile_warps * lanes)
        corner += corners[i];
    corner = gf_warp_sum(corner);
    if (p.lane == 0)
        parts[p.warp] = corner;
    gf_sync_block();
    corner = 0;
#pragma unroll
    for (int w = 0; w < tile_warps; w++)
        corner += parts[w];
    return corner;
}

template <class T, class V>
__global__ void __launch_bounds__(tile_warps *lanes) results_kernel(const __grid_constant__ struct tiles t)
{
    using S = short_sum<T, V>;
    __shared__ column_sums<S> board;
    __shared__ V parts[tile_warps];
    /* Backwards, because the cache still holds the end of the picture. */
    const struct place p = find_place(t, blockIdx.x, t.n_y - 1 - blockIdx.y);
    const V *left = static_cast<const V *>(t.rows) + static_cast<size_t>(p.x) * t.n_y * tile_rows + p.y * tile_rows;
    packed<T> raw[rows_at_once];
    load_rows<T>(t, p, raw);
    const V *above = static_cast<const V *>(t.columns) + static_cast<size_t>(p.y) * t.n_x * tile_columns + p.column;
    const V lefts = left[p.warp * rows_at_once + p.lane % rows_at_once];
    V results[quad] = {above[0], above[1], above[2], above[3]}, before = 0;
    for (int y = p.lane; y < p.warp * rows_at_once; y += lanes)
        before += left[y];
    S columns[quad] = {};
#pragma unroll
    for (int r = 0; r < rows_at_once; r++) {
        S v[quad];
        samples_of<T>(t, p, raw[r], v);
#pragma unroll
        for (int j = 0; j < quad; j++)
            columns[j] += v[j];
    }
    put_columns(p, columns, board);
    before = gf_warp_sum(before) + find_corner(t, p, parts);
    find_row_above(p, before, board, results);

    const int there = p.column < t.width ? static_cast<int>(t.width - p.column) : 0;
#pragma unroll
    for (int r = 0; r < rows_at_once; r++) {
        S v[quad];
        samples_of<T>(t, p, raw[r], v);
#pragma unroll
        for (int j = 1; j < quad; j++)
            v[j] += v[j - 1];
        const S inner = sum_before(v[quad - 1]);
        const V base = gf_shuffle(lefts, r);
#pragma unroll
        for (int j = 0; j < quad; j++)
            results[j] += base + static_cast<S>(inner + v[j]);
        V *to = reinterpret_cast<V *>(static_cast<char *>(t.dst) + (p.first + r) * t.dst_pitch) + p.column;
        if (t.aligned && !p.partial) {
            store_row(to, p.lane, results);
        } else if (p.first + r < t.height) {
#pragma unroll
            for (int j = 0; j < quad; j++)
                if (j < there)
                    to[j] = results[j];
        }
    }
}

template <class T, class V> enum gf_status start(struct gf_cuda_call *call, struct tiles *t, struct gf_error *err)
{
    constexpr uint32_t block = tile_warps * lanes, prefix_block = prefix_warps * lanes;
    constexpr uint32_t corners = tile_columns / lanes; /* of a tile */
    const size_t n_tiles = static_cast<size_t>(t->n_y) * t->n_x;
    enum gf_status status =
        gf_cuda_alloc(call->exec, n_tiles * (tile_columns + tile_rows + corners) * sizeof(V), &t->columns, err);
    if (status != GF_OK)
        return status;
    t->rows = static_cast<V *>(t->columns) + n_tiles * tile_columns;
    t->corners = static_cast<V *>(t->rows) + n_tiles * tile_rows;
    const dim3 grid(t->n_x, t->n_y);
    const unsigned prefixes = t->n_x * corners + (t->n_y * tile_rows + prefix_block - 1) / prefix_block;
    sums_kernel<T, V><<<grid, block, 0, call->exec->main>>>(*t);
    prefix_kernel<V><<<prefixes, prefix_block, 0, call->exec->main>>>(*t);
    results_kernel<T, V><<<grid, block, 0, call->exec->main>>>(*t);
    status = gf_cuda_status(cudaPeekAtLastError(), "starting an integral image", err);
    gf_cuda_free(call->exec, t->columns);
    return status;
}

} // namespace

enum gf_status gf_cuda_integral_int(struct gf_cuda_call *call, const struct gf_scan *rows,
                                    const struct gf_scan *columns, struct gf_error *err)
{
    struct tiles t = {};
    t.src = rows->src;
    t.src_pitch = rows->src_pitch;
    t.dst = columns->dst;
    t.dst_pitch = columns->dst_pitch;
    t.width = static_cast<uint32_t>(rows->width);
    t.height = static_cast<uint32_t>(rows->height);
    t.n_x = (t.width + tile_columns - 1) / tile_columns;
    t.n_y = (t.height + tile_rows - 1) / tile_rows;
    t.square = rows->square;
    t.aligned = (reinterpret_cast<uintptr_t>(t.dst) | t.dst_pitch) % sizeof(uint4) == 0;
    if (columns->out == GF_U32)
        return rows->in == GF_U8 ? start<uint8_t, uint32_t>(call, &t, err) : start<uint16_t, uint32_t>(call, &t, err);
    return rows->in == GF_U8 ? start<uint8_t, uint64_t>(call, &t, err) : start<uint16_t, uint64_t>(call, &t, err);
}
