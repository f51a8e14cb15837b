/* SPDX-License-Identifier: MIT */
/*
 * Integral images of u8 and u16 with one channel. Called by integral.cu. Sums of whole numbers may be taken in any
 * order: a warp has a tile of 64 rows and 128 columns. First the sums of its rows and columns, then what stands to the
 * left of each row of a tile and above each of its columns, then the results from those and the picture once more.
 */
#include "cuda_device.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "dispatch.cuh"
#include "integral.h"

namespace
{

constexpr int lanes = 32, quad = 4;
constexpr int tile_columns = lanes * quad, tile_rows = 64;
constexpr int tiles_per_block = 4;
constexpr int rows_at_once = 8;
constexpr int prefix_columns = 128, prefix_groups = 8; /* threads of a block that sums up strips */
constexpr unsigned all_lanes = 0xFFFFFFFFu;

/* All sums are modulo 2^32 or 2^64. */
struct tiles {
    const void *src;
    void *dst;
    uint64_t src_pitch, dst_pitch;
    uint32_t width, height, n_x, n_y; /* tiles side by side, and one below the other */
    bool square, aligned;             /* rows of results begin at 16 bytes */
    void *columns;                    /* n_y rows of n_x * 128: sums of a tile's column, then of all tiles above */
    void *rows;                       /* n_x rows of n_y * 64: sums of a tile's row, then of all tiles to the left */
    void *corners;                    /* n_y rows of n_x * 4: of 32 of the columns each, all tiles above */
};

/* What sums of a tile's row fit into. */
template <class T, class V> struct short_sum {
    using type = V;
};
template <class V> struct short_sum<uint8_t, V> {
    using type = uint32_t;
};

template <class V> __device__ __forceinline__ V sum_lanes(V v)
{
#pragma unroll
    for (int d = 1; d < lanes; d *= 2)
        v += __shfl_xor_sync(all_lanes, v, d);
    return v;
}

/* Sums of eight numbers of each lane: of number (lane / 4). Half of the numbers go to the other half of the lanes. */
template <class V> __device__ __forceinline__ V sum_rows(V (&v)[rows_at_once], int lane)
{
#pragma unroll
    for (int n = rows_at_once / 2; n > 0; n /= 2) {
        const bool upper = (lane & (n * quad)) != 0;
#pragma unroll
        for (int i = 0; i < n; i++) {
            const V sent = upper ? v[i] : v[i + n], kept = upper ? v[i + n] : v[i];
            v[i] = kept + __shfl_xor_sync(all_lanes, sent, n * quad);
        }
    }
    v[0] += __shfl_xor_sync(all_lanes, v[0], 2);
    return v[0] + __shfl_xor_sync(all_lanes, v[0], 1);
}

/* What lanes before this one have. */
template <class V> __device__ __forceinline__ V sum_before(V v, int lane)
{
    V sum = v;
#pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
        const V other = __shfl_up_sync(all_lanes, sum, d);
        if (lane >= d)
            sum += other;
    }
    return sum - v;
}

struct place {
    uint32_t x, y, column; /* tile, and this lane's first column */
    int lane;
    bool inside, partial; /* partial: less than a whole tile */
};

__device__ __forceinline__ struct place find_place(const struct tiles &t, bool backwards)
{
    struct place p;
    p.lane = threadIdx.x % lanes;
    p.x = blockIdx.x * tiles_per_block + threadIdx.x / lanes;
    p.y = backwards ? t.n_y - 1 - blockIdx.y : blockIdx.y;
    p.column = p.x * tile_columns + p.lane * quad;
    p.inside = p.x < t.n_x;
    p.partial = p.x == t.n_x - 1 || p.y == t.n_y - 1;
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

template <class T> struct packed {
    using type = uint32_t;
};
template <> struct packed<uint16_t> {
    using type = uint2;
};

/* Rows of a tile, zeros for those past the end. */
template <class T>
__device__ __forceinline__ void load_rows(const struct tiles &t, const struct place &p, uint32_t y,
                                          typename packed<T>::type (&raw)[rows_at_once])
{
    using P = typename packed<T>::type;
    const char *from = static_cast<const char *>(t.src) + y * t.src_pitch + p.column * sizeof(T);
    if (!p.partial) {
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            raw[r] = __ldg(reinterpret_cast<const P *>(from + r * t.src_pitch));
        return;
    }
#pragma unroll
    for (int r = 0; r < rows_at_once; r++) {
        raw[r] = P{};
        if (p.column < t.width && y + r < t.height)
            raw[r] = __ldg(reinterpret_cast<const P *>(from + r * t.src_pitch));
    }
}

/* The samples of a lane in a row as they are summed. */
template <class T, class S>
__device__ __forceinline__ void samples_of(const struct tiles &t, const struct place &p,
                                           const typename packed<T>::type &raw, S (&v)[quad])
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

template <class T, class V>
__global__ void __launch_bounds__(tiles_per_block *lanes) sums_kernel(const __grid_constant__ struct tiles t)
{
    using S = typename short_sum<T, V>::type;
    const struct place p = find_place(t, false);
    if (!p.inside)
        return;
    V columns[quad] = {};
    V *rows = static_cast<V *>(t.rows) + static_cast<size_t>(p.x) * t.n_y * tile_rows + p.y * tile_rows;
    for (int y = 0; y < tile_rows; y += rows_at_once) {
        typename packed<T>::type raw[rows_at_once];
        load_rows<T>(t, p, p.y * tile_rows + y, raw);
        S sums[rows_at_once];
#pragma unroll
        for (int r = 0; r < rows_at_once; r++) {
            S v[quad];
            samples_of<T>(t, p, raw[r], v);
#pragma unroll
            for (int j = 0; j < quad; j++)
                columns[j] += v[j];
            sums[r] = v[0] + v[1] + v[2] + v[3];
        }
        const S sum = sum_rows(sums, p.lane);
        if (p.lane % quad == 0)
            rows[y + p.lane / quad] = sum;
    }
    V *to = static_cast<V *>(t.columns) + static_cast<size_t>(p.y) * t.n_x * tile_columns + p.column;
#pragma unroll
    for (int j = 0; j < quad; j++)
        to[j] = columns[j];
}

/* Sums of all strips above, for 128 columns; groups of threads take parts of the strips. */
template <class V> __device__ __forceinline__ void sum_strips(const struct tiles &t, uint32_t tile, V *shared)
{
    const uint32_t width = t.n_x * tile_columns, x = threadIdx.x % prefix_columns, group = threadIdx.x / prefix_columns;
    const uint32_t part = (t.n_y + prefix_groups - 1) / prefix_groups;
    const uint32_t first = min(group * part, t.n_y), end = min(first + part, t.n_y);
    V *column = static_cast<V *>(t.columns) + tile * tile_columns + x, sum = 0;
#pragma unroll 8
    for (uint32_t k = first; k < end; k++)
        sum += column[static_cast<size_t>(k) * width];
    shared[threadIdx.x] = sum;
    __syncthreads();
    V before = 0;
    for (uint32_t g = 0; g < group; g++)
        before += shared[g * prefix_columns + x];
    V *corners = static_cast<V *>(t.corners) + tile * (tile_columns / lanes) + x / lanes;
    for (uint32_t k = first; k < end; k += rows_at_once) {
        V v[rows_at_once];
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            v[r] = k + r < end ? column[static_cast<size_t>(k + r) * width] : 0;
#pragma unroll
        for (int r = 0; r < rows_at_once; r++) {
            if (k + r >= end)
                break;
            const V all = sum_lanes(before);
            column[static_cast<size_t>(k + r) * width] = before;
            if (x % lanes == 0)
                corners[static_cast<size_t>(k + r) * (width / lanes)] = all;
            before += v[r];
        }
    }
}

/* Sums of all tiles to the left, a thread per row of the picture. */
template <class V> __device__ __forceinline__ void sum_tiles(const struct tiles &t, uint32_t y)
{
    const uint32_t height = t.n_y * tile_rows;
    V *row = static_cast<V *>(t.rows) + y, before = 0;
    if (y >= height)
        return;
    for (uint32_t c = 0; c < t.n_x; c += 2 * rows_at_once) {
        V v[2 * rows_at_once];
#pragma unroll
        for (int i = 0; i < 2 * rows_at_once; i++)
            v[i] = c + i < t.n_x ? row[static_cast<size_t>(c + i) * height] : 0;
#pragma unroll
        for (int i = 0; i < 2 * rows_at_once; i++) {
            if (c + i < t.n_x)
                row[static_cast<size_t>(c + i) * height] = before;
            before += v[i];
        }
    }
}

template <class V>
__global__ void __launch_bounds__(prefix_columns *prefix_groups) prefix_kernel(const __grid_constant__ struct tiles t)
{
    __shared__ V shared[prefix_columns * prefix_groups];
    if (blockIdx.x < t.n_x)
        sum_strips<V>(t, blockIdx.x, shared);
    else
        sum_tiles<V>(t, (blockIdx.x - t.n_x) * (prefix_columns * prefix_groups) + threadIdx.x);
}

template <class V> __device__ __forceinline__ void store_row(V *to, bool whole, uint32_t left, const V (&v)[quad])
{
    if (whole) {
#pragma unroll
        for (int j = 0; j < quad; j += static_cast<int>(sizeof(uint4) / sizeof(V)))
            __stcs(reinterpret_cast<uint4 *>(to + j), *reinterpret_cast<const uint4 *>(v + j));
        return;
    }
#pragma unroll
    for (int j = 0; j < quad; j++)
        if (j < left)
            to[j] = v[j];
}

template <class T, class V>
__global__ void __launch_bounds__(tiles_per_block *lanes) results_kernel(const __grid_constant__ struct tiles t)
{
    using S = typename short_sum<T, V>::type;
    const struct place p = find_place(t, true); /* the cache still has the end of the picture */
    if (!p.inside)
        return;
    const V *corners = static_cast<const V *>(t.corners) + static_cast<size_t>(p.y) * t.n_x * (tile_columns / lanes);
    V corner = 0;
    for (uint32_t i = p.lane; i < p.x * (tile_columns / lanes); i += lanes)
        corner += corners[i];
    corner = sum_lanes(corner);
    const V *above = static_cast<const V *>(t.columns) + static_cast<size_t>(p.y) * t.n_x * tile_columns + p.column;
    const V *left = static_cast<const V *>(t.rows) + static_cast<size_t>(p.x) * t.n_y * tile_rows + p.y * tile_rows;
    __align__(16) V results[quad] = {above[0], above[1], above[2], above[3]};
#pragma unroll
    for (int j = 1; j < quad; j++)
        results[j] += results[j - 1];
    const V before = sum_before(results[quad - 1], p.lane) + corner;
#pragma unroll
    for (int j = 0; j < quad; j++)
        results[j] += before;

    const uint32_t left_columns = p.column < t.width ? t.width - p.column : 0;
    const bool whole = t.aligned && left_columns >= quad;
    V lefts = 0;
    for (int y = 0; y < tile_rows; y += rows_at_once) {
        typename packed<T>::type raw[rows_at_once];
        if (y % lanes == 0)
            lefts = left[y + p.lane];
        load_rows<T>(t, p, p.y * tile_rows + y, raw);
#pragma unroll
        for (int r = 0; r < rows_at_once; r++) {
            const uint32_t row = p.y * tile_rows + y + r;
            S v[quad];
            samples_of<T>(t, p, raw[r], v);
#pragma unroll
            for (int j = 1; j < quad; j++)
                v[j] += v[j - 1];
            const S inner = sum_before(v[quad - 1], p.lane);
            const V base = __shfl_sync(all_lanes, lefts, (y + r) % lanes);
#pragma unroll
            for (int j = 0; j < quad; j++)
                results[j] += base + static_cast<S>(inner + v[j]);
            if (!p.partial || row < t.height)
                store_row(reinterpret_cast<V *>(static_cast<char *>(t.dst) + row * t.dst_pitch) + p.column, whole,
                          left_columns, results);
        }
    }
}

template <class T, class V> enum gf_status start(struct gf_cuda_call *call, struct tiles *t, struct gf_error *err)
{
    const size_t strips = static_cast<size_t>(t->n_y) * t->n_x;
    enum gf_status status = gf_cuda_take(call->lane, strips * tile_columns * sizeof(V), &t->columns, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->lane, strips * tile_rows * sizeof(V), &t->rows, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->lane, strips * (tile_columns / lanes) * sizeof(V), &t->corners, err);
    if (status == GF_OK) {
        constexpr uint32_t block = prefix_columns * prefix_groups;
        const dim3 grid((t->n_x + tiles_per_block - 1) / tiles_per_block, t->n_y);
        const unsigned prefixes = t->n_x + (t->n_y * tile_rows + block - 1) / block;
        sums_kernel<T, V><<<grid, tiles_per_block * lanes, 0, call->lane->main>>>(*t);
        prefix_kernel<V><<<prefixes, block, 0, call->lane->main>>>(*t);
        results_kernel<T, V><<<grid, tiles_per_block * lanes, 0, call->lane->main>>>(*t);
        status = gf_cuda_status(cudaPeekAtLastError(), "starting an integral image", err);
    }
    gf_cuda_give(call->lane, t->corners);
    gf_cuda_give(call->lane, t->rows);
    gf_cuda_give(call->lane, t->columns);
    return status;
}

} // namespace

enum gf_status gf_cuda_integral_whole(struct gf_cuda_call *call, const struct gf_scan *rows,
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
