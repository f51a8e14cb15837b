/* SPDX-License-Identifier: MIT */
/*
 * distance on CUDA, docs/numerics.md, "distance". Called through the op's row.
 *
 * First columns: the height of a pixel is its distance to the nearest 0 in its column. Chunks of rows find their first
 * and last 0, a pass along each column carries the nearest zeros from chunk to chunk, then chunks compute heights. Then
 * rows: D^2 of pixel x is the minimum of (x - k)^2 + height[k]^2 over the columns k of its row. If column k is best for
 * x, no column left of k is better for a pixel right of x: for columns a < b, (x - a)^2 - (x - b)^2 plus a constant
 * grows with x. So a block first finds the best column of the row's middle pixel, then of the middles of both halves,
 * and so on. Each pixel searches only between the best columns of its neighbours of earlier levels, and no farther than
 * its own height. So the pixels of a level together search about one row of columns.
 *
 * A column without a 0 has a height whose square exceeds all that occur. All numbers are integers and the minimum is
 * taken, so the result depends neither on the order nor on which of several best columns is found. Heights and columns
 * are computed, so nothing that a client could change is used as an index.
 */
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "protocol/ops/params/distance.h"

namespace
{

using namespace gf;

constexpr uint32_t threads = 256, lanes = 32, warps = threads / lanes;
constexpr uint32_t chunk_rows = 64;
constexpr uint32_t none = UINT16_MAX;             /* no row, no height; pictures have fewer rows */
constexpr uint64_t no_square = uint64_t{1} << 40; /* above 2 * 65534^2 */
constexpr uint32_t long_search = 64;              /* columns from which on a whole warp searches for one pixel */
constexpr uint32_t most_staged = 24576;           /* columns of a row whose `best` fits shared memory: 48 KiB */

struct Args {
    const char *src;
    size_t pitch;
    uint32_t sample_size, sample_bits; /* the bits that decide whether a sample is 0: all but the sign of floats */
    uint32_t width, height, chunks;
    uint16_t *first, *last; /* per chunk and column: its first and last 0, later the nearest zeros in other chunks */
    uint16_t *heights;      /* per pixel */
    uint16_t *best;         /* the best column per pixel, if rows do not fit shared memory; otherwise NULL */
    uint32_t top;           /* the greatest power of two up to the width */
    char *dst;
    size_t dst_pitch;
    bool squared;
};

__device__ __forceinline__ bool is_zero(const Args &a, uint32_t x, uint32_t y)
{
    const char *row = a.src + y * a.pitch;
    uint32_t v;
    if (a.sample_size == 1)
        v = reinterpret_cast<const uint8_t *>(row)[x];
    else if (a.sample_size == 2)
        v = reinterpret_cast<const uint16_t *>(row)[x];
    else
        v = reinterpret_cast<const uint32_t *>(row)[x];
    return (v & a.sample_bits) == 0;
}

/* Finds the first and last 0 of each column of a chunk, one column per thread, in a grid-stride loop. */
__global__ void __launch_bounds__(threads) outer_kernel(const __grid_constant__ Args a, const Range range)
{
    for (uint64_t u = range.first + blockIdx.x * threads + threadIdx.x; u < range.end; u += gridDim.x * threads) {
        const uint32_t chunk = static_cast<uint32_t>(u / a.width), x = static_cast<uint32_t>(u % a.width);
        const uint32_t end = min((chunk + 1) * chunk_rows, a.height);
        uint32_t first = none, last = none;
        for (uint32_t y = chunk * chunk_rows; y < end; y++)
            if (is_zero(a, x, y)) {
                first = first == none ? y : first;
                last = y;
            }
        a.first[u] = static_cast<uint16_t>(first);
        a.last[u] = static_cast<uint16_t>(last);
    }
}

/* Per column: `last` becomes the nearest 0 above each chunk, `first` the nearest 0 below. */
__global__ void __launch_bounds__(threads) carry_kernel(const __grid_constant__ Args a, const Range range)
{
    for (uint64_t x = range.first + blockIdx.x * threads + threadIdx.x; x < range.end; x += gridDim.x * threads) {
        uint16_t above = none, below = none;
        for (uint32_t c = 0; c < a.chunks; c++) {
            uint16_t *last = a.last + static_cast<uint64_t>(c) * a.width + x;
            const uint16_t own = *last;
            *last = above;
            above = own == none ? above : own;
        }
        for (uint32_t c = a.chunks; c > 0; c--) {
            uint16_t *first = a.first + static_cast<uint64_t>(c - 1) * a.width + x;
            const uint16_t own = *first;
            *first = below;
            below = own == none ? below : own;
        }
    }
}

/* Computes the heights of each column of a chunk: down from the 0 above, then up from the 0 below. A thread only reads
 * the heights that it wrote itself. */
__global__ void __launch_bounds__(threads) height_kernel(const __grid_constant__ Args a, const Range range)
{
    for (uint64_t u = range.first + blockIdx.x * threads + threadIdx.x; u < range.end; u += gridDim.x * threads) {
        const uint32_t chunk = static_cast<uint32_t>(u / a.width), x = static_cast<uint32_t>(u % a.width);
        const uint32_t begin = chunk * chunk_rows, end = min(begin + chunk_rows, a.height);
        uint32_t above = a.last[u], below = a.first[u];
        for (uint32_t y = begin; y < end; y++) {
            above = is_zero(a, x, y) ? y : above;
            a.heights[static_cast<uint64_t>(y) * a.width + x] = static_cast<uint16_t>(above == none ? none : y - above);
        }
        for (uint32_t y = end; y-- > begin;) {
            uint16_t *height = a.heights + static_cast<uint64_t>(y) * a.width + x;
            below = *height == 0 ? y : below;
            const uint32_t distance = below == none ? none : below - y;
            *height = static_cast<uint16_t>(min(static_cast<uint32_t>(*height), distance));
        }
    }
}

/* The squared distance between pixel x and the nearest 0 of column k, with k in the low bits, so that a minimum finds
 * the best column too. */
__device__ __forceinline__ uint64_t square_and_column(const uint16_t *heights, uint32_t x, uint32_t k)
{
    const uint32_t height = heights[k], across = x > k ? x - k : k - x; /* the squares of both fit 32 bits */
    const uint64_t square = height == none ? no_square : height * height;
    return (square + across * across) << 16 | k;
}

/* A pixel and the columns it has to search. */
struct Search {
    uint32_t x, from, to; /* from and to are inclusive */
};

/* The least square for the pixel of each `active` lane. Must be called by whole warps: all lanes share long searches.
 */
__device__ __forceinline__ uint64_t least_square(const uint16_t *heights, const Search &s, bool active)
{
    const uint32_t lane = threadIdx.x % lanes;
    const bool is_long = active && s.to - s.from >= long_search;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = s.from; active && !is_long && k <= s.to; k++)
        least = min(least, square_and_column(heights, s.x, k));
    for (uint32_t left = gf_ballot(is_long); left != 0; left &= left - 1) {
        const int of = __ffs(static_cast<int>(left)) - 1;
        const uint32_t x = gf_shuffle(s.x, of), from = gf_shuffle(s.from, of), to = gf_shuffle(s.to, of);
        uint64_t found = UINT64_MAX;
        for (uint32_t k = from + lane; k <= to; k += lanes)
            found = min(found, square_and_column(heights, x, k));
        for (int d = lanes / 2; d > 0; d /= 2)
            found = min(found, gf_shuffle_xor(found, d));
        least = static_cast<int>(lane) == of ? found : least;
    }
    return least;
}

/* Converts a square to its stored form. Squares that f32 holds have their root in f32; for greater ones f64 rounds to
 * the same value. */
__device__ __forceinline__ uint32_t stored(const Args &a, uint64_t square)
{
    if (a.squared)
        return square >= no_square ? UINT32_MAX : static_cast<uint32_t>(square);
    if (square >= no_square)
        return 0x7F800000u;
    if (square <= 1u << 24)
        return __float_as_uint(__fsqrt_rn(static_cast<float>(square)));
    return __float_as_uint(__double2float_rn(__dsqrt_rn(static_cast<double>(square))));
}

extern __shared__ uint16_t staged[];

/* A block takes a row at a time. The level of `step` finds pixels step - 1, 3 * step - 1, 5 * step - 1, ..., whose
 * neighbours at distance `step` were found on earlier levels. A barrier follows each level: the next level, or the next
 * row, reads and writes best columns after it. */
__global__ void __launch_bounds__(threads) row_kernel(const __grid_constant__ Args a, const Range range)
{
    const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    for (uint64_t y = range.first + blockIdx.x; y < range.end; y += gridDim.x) {
        const uint16_t *heights = a.heights + y * a.width;
        uint16_t *best = a.best != nullptr ? a.best + y * a.width : staged;
        auto *row = reinterpret_cast<uint32_t *>(a.dst + y * a.dst_pitch);
        for (uint32_t step = a.top; step > 0; step /= 2) {
            const uint32_t n = (a.width - step) / (2 * step) + 1;
            for (uint32_t base = 0; base < n; base += threads) {
                /* A level of few pixels has long searches, so its pixels are spread over the warps. */
                const uint32_t i = base + (n < threads ? lane * warps + warp : threadIdx.x);
                const bool active = i < n;
                Search s = {step - 1 + 2 * step * i, 0, a.width - 1};
                if (active) {
                    const uint32_t height = heights[s.x];
                    if (i > 0)
                        s.from = best[s.x - step];
                    if (s.x + step < a.width)
                        s.to = best[s.x + step];
                    if (height != none) {
                        s.from = max(s.from, s.x > height ? s.x - height : 0);
                        s.to = min(s.to, s.x + height);
                    }
                }
                const uint64_t found = least_square(heights, s, active);
                if (active) {
                    best[s.x] = static_cast<uint16_t>(found & 0xFFFF);
                    row[s.x] = stored(a, found >> 16);
                }
            }
            gf_sync_block();
        }
    }
}

using Kernel = void(const Args, const Range);

/* Launches all units of a kernel. */
enum gf_status start(struct gf_cuda_call *call, Kernel *kernel, const Args &a, uint64_t units, uint32_t each,
                     uint64_t bytes, struct gf_error *err)
{
    const size_t shared = kernel == row_kernel && a.best == nullptr ? a.width * sizeof(uint16_t) : 0;
    return in_launches(
        call, {units, each, bytes, "starting to find distances"}, err,
        [&](unsigned grid, const Range &range) { kernel<<<grid, threads, shared, call->exec->main>>>(a, range); });
}

enum gf_status start_all(struct gf_cuda_call *call, const Args &a, struct gf_error *err)
{
    const uint64_t columns = static_cast<uint64_t>(a.chunks) * a.width, sample = a.sample_size;
    enum gf_status status = start(call, outer_kernel, a, columns, threads, chunk_rows * sample, err);
    if (status == GF_OK)
        status = start(call, carry_kernel, a, a.width, threads, 8 * static_cast<uint64_t>(a.chunks), err);
    if (status == GF_OK)
        status = start(call, height_kernel, a, columns, threads, chunk_rows * (sample + 6), err);
    if (status == GF_OK)
        status = start(call, row_kernel, a, a.height, 1, 32 * static_cast<uint64_t>(a.width), err);
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_distance(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->image[0]->view;
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], view->height, err);
    if (status != GF_OK)
        return status;
    const bool is_float = gf_dtype_kind(view->dtype) == GF_KIND_FLOAT;
    Args a = {};
    a.src = static_cast<const char *>(call->image[0]->data);
    a.pitch = static_cast<size_t>(view->pitch);
    a.sample_size = static_cast<uint32_t>(gf_dtype_size(view->dtype));
    a.sample_bits = UINT32_MAX >> (32 - 8 * a.sample_size + (is_float ? 1 : 0));
    a.width = static_cast<uint32_t>(view->width);
    a.height = static_cast<uint32_t>(view->height);
    a.chunks = (a.height + chunk_rows - 1) / chunk_rows;
    a.dst = static_cast<char *>(call->out[0].data);
    a.dst_pitch = static_cast<size_t>(call->out[0].view.pitch);
    a.squared = gf_distance_params_get(&call->step->params).squared != 0;
    for (a.top = 1; 2 * a.top <= a.width; a.top *= 2)
        continue;
    const size_t pixels = static_cast<size_t>(view->width * view->height);
    const size_t columns = static_cast<size_t>(a.chunks) * a.width;
    const bool stages = a.width <= most_staged;
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, (2 * columns + (stages ? 1 : 2) * pixels) * sizeof(uint16_t), &data, err);
    if (status != GF_OK)
        return status;
    a.first = static_cast<uint16_t *>(data);
    a.last = a.first + columns;
    a.heights = a.last + columns;
    a.best = stages ? nullptr : a.heights + pixels;
    status = start_all(call, a, err);
    gf_cuda_free(call->exec, data);
    return status;
}
