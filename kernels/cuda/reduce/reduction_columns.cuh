/* SPDX-License-Identifier: MIT */
/*
 * reduce and dot down columns in one launch (docs/numerics.md, "reduce"). A block takes 4096 rows of a tile of columns;
 * each warp takes 64 rows at a time or, where the order is free, an equal share of the rows. The partials of the warps
 * are folded in order through shared memory. The last block to finish among 64 such partials of a tile folds all 64.
 * Included by reduce_columns.cu.
 */
#ifndef GF_CUDA_REDUCTION_COLUMNS_CUH
#define GF_CUDA_REDUCTION_COLUMNS_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "reduction_gather.cuh"

namespace gf_reduction_kernels
{

/* Columns per thread: at least 4 bytes of a row. */
template <class T> constexpr int columns_of = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;

template <class T> struct alignas(columns_of<T> * sizeof(T)) some {
    T v[columns_of<T>];
};

/* Calls f(column of the thread, element, other element, row) for n rows. */
template <class T, bool two, class F>
__device__ __forceinline__ void each_row(const struct gf_cuda_sequences &s, const char *a, const char *b, uint32_t n,
                                         F &&f)
{
    constexpr uint32_t batch = two || is_wide<T> ? 4 : 8;
    const auto rows = [&](uint32_t i, auto number) {
        constexpr uint32_t count = decltype(number)::value;
        some<T> v[count], w[count];
#pragma unroll
        for (uint32_t k = 0; k < count; k++) {
            v[k] = *reinterpret_cast<const some<T> *>(a + (i + k) * s.pitch);
            if (two)
                w[k] = *reinterpret_cast<const some<T> *>(b + (i + k) * s.pitch);
        }
#pragma unroll
        for (uint32_t k = 0; k < count; k++)
#pragma unroll
            for (int j = 0; j < columns_of<T>; j++)
                f(j, v[k].v[j], two ? w[k].v[j] : T(0), i + k);
    };
    uint32_t i = 0;
    for (; i + batch <= n; i += batch)
        rows(i, std::integral_constant<uint32_t, batch>{});
    for (; i < n; i++)
        rows(i, std::integral_constant<uint32_t, 1>{});
}

/* Quantities of bytes that are computed for four columns at once. */
constexpr unsigned of_bytes = GF_WANT_SUM | GF_WANT_ABS | GF_WANT_EXTREMES | GF_WANT_NONZERO;
template <class T, unsigned want> constexpr bool in_bytes = sizeof(T) == 1 && (want & ~of_bytes) == 0;

/* Four columns of at most 64 rows, in the halves of words: bytes 0 and 2, and bytes 1 and 3. */
template <unsigned want> struct byte_rows {
    uint32_t low[2], high[2]; /* value, then row */
    uint32_t sum[2], abs[2], nonzero;

    __device__ __forceinline__ void init()
    {
        low[0] = low[1] = high[0] = high[1] = UINT32_MAX;
        sum[0] = sum[1] = abs[0] = abs[1] = nonzero = 0;
    }

    /* x: the bytes mapped to unsigned ones in the same order; m: their magnitudes. */
    __device__ __forceinline__ void add(uint32_t x, uint32_t m, uint32_t row)
    {
        constexpr uint32_t upper = 0xFF00FF00u, lower = 0x00FF00FFu;
        if constexpr ((want & GF_WANT_EXTREMES) != 0) {
            const uint32_t even = x << 8, at = row * 0x00010001u;
            low[0] = __vminu2(low[0], (even & upper) | at);
            low[1] = __vminu2(low[1], (x & upper) | at);
            high[0] = __vminu2(high[0], (~even & upper) | at);
            high[1] = __vminu2(high[1], (~x & upper) | at);
        }
        if constexpr ((want & GF_WANT_SUM) != 0) {
            sum[0] += x & lower;
            sum[1] += x >> 8 & lower;
        }
        if constexpr ((want & GF_WANT_ABS) != 0) {
            abs[0] += m & lower;
            abs[1] += m >> 8 & lower;
        }
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            nonzero += (((m & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | m) >> 7 & 0x01010101u;
    }
};

/* Reduces n rows, at most 4096, of one thread's four columns of bytes to partials. `at` is the index of the first
 * row. */
template <class T, unsigned want>
__device__ __forceinline__ void gather_bytes(const struct gf_cuda_sequences &s, const char *a, uint64_t at, uint32_t n,
                                             struct gf_partial *ret)
{
    constexpr uint32_t bias = std::is_signed_v<T> ? 0x80u : 0, batch = 16, rows = 64;
    uint32_t low[4], high[4], sum[4] = {}, abs[4] = {}, nonzero[4] = {};
#pragma unroll
    for (int j = 0; j < 4; j++)
        low[j] = high[j] = UINT32_MAX;
    for (uint32_t first = 0; first < n; first += rows) {
        const uint32_t m = n - first < rows ? n - first : rows;
        struct byte_rows<want> r;
        r.init();
        const auto take = [&](uint32_t w, uint32_t row) {
            r.add(w ^ bias * 0x01010101u, std::is_signed_v<T> ? __vabs4(w) : w, row);
        };
        uint32_t i = 0;
        for (; i + batch <= m; i += batch) {
            uint32_t w[batch];
#pragma unroll
            for (uint32_t k = 0; k < batch; k++)
                w[k] = *reinterpret_cast<const uint32_t *>(a + (first + i + k) * s.pitch);
#pragma unroll
            for (uint32_t k = 0; k < batch; k++)
                take(w[k], i + k);
        }
        for (; i < m; i++)
            take(*reinterpret_cast<const uint32_t *>(a + (first + i) * s.pitch), i);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const auto half = [&](const uint32_t(&v)[2]) { return v[j % 2] >> (j / 2 * 16) & 0xFFFFu; };
            const uint32_t min_key = half(r.low), max_key = half(r.high);
            low[j] = min(low[j], (min_key & 0xFF00u) << 8 | (first + (min_key & 0xFFu)));
            high[j] = min(high[j], (max_key & 0xFF00u) << 8 | (first + (max_key & 0xFFu)));
            sum[j] += half(r.sum);
            abs[j] += half(r.abs);
            nonzero[j] += r.nonzero >> (j * 8) & 0xFFu;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        struct gf_partial p = gf_partial_empty();
        p.min_key = static_cast<int64_t>(low[j] >> 16) - bias;
        p.max_key = 255 - static_cast<int64_t>(high[j] >> 16) - bias;
        p.argmin = at + (low[j] & 0xFFFFu);
        p.argmax = at + (high[j] & 0xFFFFu);
        p.sum = static_cast<int64_t>(sum[j]) - static_cast<int64_t>(bias) * n;
        p.abs = abs[j];
        p.nonzero = nonzero[j];
        ret[j] = p;
    }
}

/* Reduces n rows of one thread's columns to partials. `at` is the index of the first row. */
template <class T, unsigned want>
__device__ __forceinline__ void gather_rows(const struct gf_cuda_sequences &s, const char *a, const char *b,
                                            uint64_t at, uint32_t n, struct gf_partial *ret)
{
    constexpr bool two = (want & GF_WANT_DOT) != 0;
    constexpr int columns = columns_of<T>;
    gathered<T, want, 1> g[columns];
    bool nan = false;
    for (int j = 0; j < columns; j++)
        g[j].init(n);
    each_row<T, two>(s, a, b, n, [&](int j, T v, T w, uint32_t row) { g[j].add_quick(0, v, w, row); });
    for (int j = 0; j < columns; j++)
        nan |= g[j].has_nan();
    if (is_real<T> && nan) {
        g[0].init(n);
        for (uint32_t i = 0; i < n; i++)
            g[0].add(0, load<T>(a + i * s.pitch), T(0), i, s.omit);
    } else {
        g[0].settle_quick(0, true);
    }
    for (int j = 0; j < columns; j++) {
        g[j].settle(0, true);
        struct gf_partial p = g[j].exact(at);
        if constexpr ((want & GF_WANT_PRODUCT) != 0)
            g[j].product_of_lanes().put(g[j].is_negative(), &p);
        g[j].trees.put(&p, [](const double(&lane)[1], auto) { return lane[0]; });
        if constexpr ((want & GF_WANT_SPREAD) != 0) {
            const double mean = p.tree_sum / static_cast<double>(n - (s.omit ? p.nans : 0));
            double q = 0.0;
            each_row<T, false>(s, a, b, n, [&](int k, T v, T, uint32_t) {
                const double d = static_cast<double>(v) - mean;
                if (k == j && !(s.omit && v != v))
                    q = __fma_rn(d, d, q);
            });
            p.n = static_cast<double>(n - (s.omit ? p.nans : 0));
            p.mean = mean;
            p.spread = q;
        }
        ret[j] = p;
    }
}

/* Folds n partials of a sequence, 1 ... 64, one after the other, bypassing the L1 cache. */
template <unsigned set>
__device__ __noinline__ void fold_blocks(bool real, const uint64_t *partials, uint64_t total, uint64_t sequences,
                                         uint64_t first, uint32_t n, struct gf_partial *ret)
{
    constexpr uint32_t n_words = gf_partial_words(set);
    struct gf_partial sum = gf_partial_empty();
#pragma unroll 4
    for (uint32_t i = 0; i < n; i++) {
        uint64_t w[n_words];
#pragma unroll
        for (uint32_t k = 0; k < n_words; k++)
            w[k] = __ldcg(reinterpret_cast<const unsigned long long *>(partials + k * total + first + i * sequences));
        const struct gf_partial more = gf_partial_load(set, w, 1, 0);
        gf_partial_join(set, real, &sum, &more);
    }
    *ret = sum;
}

/* Stores the partials of a tile of columns, one per thread, and folds them with their neighbours, level by level, as
 * long as this block is the last to arrive. */
template <unsigned want>
__device__ __forceinline__ void climb_columns(const struct gf_cuda_sequences &s, uint64_t tile, uint64_t tiles,
                                              uint64_t column, bool mine, uint64_t chunk, struct gf_partial p)
{
    const bool real = gf_is_float(s.r.dtype);
    uint64_t *partials = s.partials, i = chunk, n = s.chunks;
    uint32_t *counters = s.counters;
    while (n > 1) {
        const uint64_t group = i / GF_TREE_ROWS, groups = (n - 1) / GF_TREE_ROWS + 1, left = n - group * GF_TREE_ROWS;
        const uint32_t size = left < GF_TREE_ROWS ? static_cast<uint32_t>(left) : GF_TREE_ROWS;
        const uint64_t total = n * s.lines;
        if (mine)
            gf_partial_store(want, partials, total, i * s.lines + column, &p);
        if (!gf_is_last_block(counters + group * tiles + tile, size))
            return;
        struct gf_partial made = gf_partial_empty();
        if (mine)
            fold_blocks<want>(real, partials, total, s.lines, group * GF_TREE_ROWS * s.lines + column, size, &made);
        p = made;
        partials += gf_partial_words(want) * total;
        counters += groups * tiles;
        i = group;
        n = groups;
    }
    if (mine) {
        const struct gf_partial complete = p;
        emit<want>(s.r, s.target, column, complete, s.fault);
    }
}

/* Words of shared memory per block: a partial for each column and warp. */
template <class T, unsigned want>
constexpr size_t columns_words = gf_partial_words(want) * warps *(columns_of<T> *warp);

/* Item: 4096 rows of a tile of columns, per block. */
template <class T, unsigned want>
__device__ __forceinline__ void reduce_columns(const struct gf_cuda_sequences &s, uint64_t *shared_partials)
{
    constexpr int columns = columns_of<T>, tile_columns = columns * warp;
    const unsigned w = threadIdx.x / warp, t = threadIdx.x % warp;
    const uint64_t tiles = (s.lines - 1) / tile_columns + 1;
    const bool real = gf_is_float(s.r.dtype);
    for (uint64_t item = blockIdx.x; item < tiles * s.chunks; item += gridDim.x) {
        const uint64_t chunk = item / tiles, tile = item % tiles;
        const uint64_t first = tile * tile_columns + t * columns, own = tile * tile_columns + threadIdx.x;
        const uint64_t top = chunk * GF_CUDA_COLUMN_ROWS;
        const uint64_t end = s.n - top < GF_CUDA_COLUMN_ROWS ? s.n : top + GF_CUDA_COLUMN_ROWS;
        const bool mine = threadIdx.x < tile_columns && own < s.lines;
        struct gf_partial sum = gf_partial_empty();
        /* Partials whose order matters cover 64 rows each. */
        const uint32_t share = static_cast<uint32_t>((end - top - 1) / warps + 1);
        const uint32_t rows = is_exact<want> ? share : GF_TREE_ROWS;
        for (uint64_t round = top; round < end; round += warps * rows) {
            const uint64_t y = round + w * rows, skip = y * s.pitch + first * sizeof(T);
            if (y < end && first < s.lines) {
                const uint32_t n = end - y < rows ? static_cast<uint32_t>(end - y) : rows;
                struct gf_partial made[columns];
                if constexpr (in_bytes<T, want>)
                    gather_bytes<T, want>(s, s.a + skip, y, n, made);
                else
                    gather_rows<T, want>(s, s.a + skip, s.b + skip, y, n, made);
#pragma unroll
                for (int j = 0; j < columns; j++)
                    gf_partial_store(want, shared_partials, warps * tile_columns, w * tile_columns + t * columns + j,
                                     &made[j]);
            }
            gf_sync_block();
            if (mine)
                for (unsigned k = 0; k < warps && round + k * rows < end; k++) {
                    const struct gf_partial more =
                        gf_partial_load(want, shared_partials, warps * tile_columns, k * tile_columns + threadIdx.x);
                    gf_partial_join(want, real, &sum, &more);
                }
            gf_sync_block();
        }
        climb_columns<want>(s, tile, tiles, own, mine, chunk, sum);
    }
}

template <class T, unsigned want>
__global__ void __launch_bounds__(threads, 3) columns_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    __shared__ uint64_t shared_partials[columns_words<T, want>];
    reduce_columns<T, want>(s, shared_partials);
}

/* For sets that share a kernel: each would allow three resident blocks in a kernel of its own, or few more. */
template <class T, unsigned... sets>
__global__ void __launch_bounds__(threads, 3) columns_shared_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    extern __shared__ uint64_t shared_memory[];
    with_set<sets...>(s.r.want, [&](auto set) { reduce_columns<T, set_of<decltype(set)>>(s, shared_memory); });
}

template <class T> unsigned column_blocks(const struct gf_cuda_sequences *s)
{
    return gf_cuda_grid(((s->lines - 1) / (columns_of<T> * warp) + 1) * s->chunks);
}

template <class T, unsigned... sets>
cudaError_t launch_columns_of(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const bool found = with_set<sets...>(s->r.want, [&](auto set) {
        columns_kernel<T, set_of<decltype(set)>><<<column_blocks<T>(s), threads, 0, stream>>>(*s);
    });
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

template <class T, unsigned... sets>
cudaError_t launch_columns_shared(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const bool found = with_set<sets...>(s->r.want, [&](auto set) {
        constexpr size_t shared = sizeof(uint64_t) * columns_words<T, set_of<decltype(set)>>;
        columns_shared_kernel<T, sets...><<<column_blocks<T>(s), threads, shared, stream>>>(*s);
    });
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace gf_reduction_kernels

#endif
