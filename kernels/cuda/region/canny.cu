/* SPDX-License-Identifier: MIT */
/*
 * canny on CUDA, docs/numerics.md, "canny". Called through the op's row.
 *
 * One kernel computes gradients and suppresses non-maxima, tile by tile; its result is a map of nothing, weak and
 * strong pixels, which all later kernels read. The map's pixels are joined to connected components (parts.cuh), strong
 * pixels mark the root of their component, and pixels whose root is marked are edges, whatever the schedule. Only the
 * first kernel reads samples, and nothing that a client could change in the meantime is used as an index.
 */
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/shared/region/canny.h"
#include "parts.cuh"
#include "protocol/base/dtype.h"
#include "protocol/ops/params/canny.h"

namespace
{

using namespace gf;
using namespace gf::region;

/* A tile of the map, and the points of a tile with its halo. */
constexpr uint32_t side = 32, points_side = side + 2, n_points = points_side * points_side;
constexpr uint32_t row_part = 1024;         /* pixels of a row that a block paints at a time */
constexpr uint32_t marked = UINT32_MAX - 1; /* the link of a root that has a strong pixel; indices are less */

enum Kind : uint8_t { nothing, weak, strong };

struct Args {
    const char *src;
    size_t pitch;
    uint32_t dtype, channels, l2;
    int64_t low, high;
    uint32_t width, height, map_across, map_down; /* map_*: tiles of the map */
    uint32_t tiles_across, tiles_down, diagonal;  /* see parts.cuh */
    uint64_t pixels;
    uint8_t *map;
    uint32_t *links;
    char *dst;
    size_t dst_pitch;

    __device__ __forceinline__ bool is_foreground(uint32_t x, uint32_t y) const
    {
        return map[static_cast<uint64_t>(y) * width + x] != nothing;
    }
};

/* The weights of the Sobel masks by the distance from the middle: smoothing across, derivative along. */
template <int32_t r> __device__ __forceinline__ constexpr int32_t smooth(int32_t d)
{
    const int32_t at = d < 0 ? -d : d;
    if (r == 1)
        return at == 0 ? 2 : 1;
    if (r == 2)
        return at == 0 ? 6 : at == 1 ? 4 : 1;
    return at == 0 ? 20 : at == 1 ? 15 : at == 2 ? 6 : 1;
}

template <int32_t r> __device__ __forceinline__ constexpr int32_t slope(int32_t d)
{
    const int32_t at = d < 0 ? -d : d;
    const int32_t weight = r == 1 ? 1 : r == 2 ? (at == 1 ? 2 : 1) : at == 1 ? 5 : at == 2 ? 4 : 1;
    return d < 0 ? -weight : d > 0 ? weight : 0;
}

/* v / 16, rounded to nearest, ties to even. */
__device__ __forceinline__ int32_t sixteenth(int32_t v)
{
    return (v + 7 + (v >> 4 & 1)) >> 4;
}

__device__ __forceinline__ int32_t sample_at(const Args &a, uint32_t x, uint32_t y, uint32_t channel)
{
    const char *row = a.src + y * a.pitch;
    const uint64_t i = static_cast<uint64_t>(x) * a.channels + channel;
    if (a.dtype == GF_U8)
        return reinterpret_cast<const uint8_t *>(row)[i];
    if (a.dtype == GF_U16)
        return reinterpret_cast<const uint16_t *>(row)[i];
    return reinterpret_cast<const int16_t *>(row)[i];
}

/* The gradients of a tile and its halo, in shared memory. A thread writes only its own points. */
template <int32_t r> struct Tile {
    static constexpr int32_t samples_side = points_side + 2 * r;
    int32_t samples[samples_side * samples_side]; /* of one channel */
    int64_t magnitudes[n_points];
    int32_t dx[n_points], dy[n_points];
};

__device__ __forceinline__ int32_t within(int32_t i, uint32_t n)
{
    return min(max(i, 0), static_cast<int32_t>(n) - 1);
}

template <int32_t r>
__device__ __forceinline__ void read_samples(const Args &a, Tile<r> &tile, int32_t x0, int32_t y0, uint32_t channel)
{
    constexpr uint32_t n = Tile<r>::samples_side;
    for (uint32_t i = threadIdx.x; i < n * n; i += threads) {
        const int32_t x = x0 - 1 - r + static_cast<int32_t>(i % n), y = y0 - 1 - r + static_cast<int32_t>(i / n);
        tile.samples[i] = sample_at(a, within(x, a.width), within(y, a.height), channel);
    }
}

/* Computes the gradient of point i in one channel. Keeps it if it is the first channel or the greatest so far. */
template <int32_t r>
__device__ __forceinline__ void make_point(const Args &a, Tile<r> &tile, uint32_t i, bool inside, bool first)
{
    constexpr int32_t n = Tile<r>::samples_side;
    const int32_t *middle = tile.samples + (i / points_side + r) * n + i % points_side + r;
    int32_t dx = 0, dy = 0;
#pragma unroll
    for (int32_t j = -r; j <= r; j++) {
        int32_t sloped = 0, smoothed = 0;
#pragma unroll
        for (int32_t k = -r; k <= r; k++) {
            const int32_t v = middle[j * n + k];
            sloped += slope<r>(k) * v;
            smoothed += smooth<r>(k) * v;
        }
        dx += smooth<r>(j) * sloped;
        dy += slope<r>(j) * smoothed;
    }
    dx = r == 3 ? sixteenth(dx) : dx;
    dy = r == 3 ? sixteenth(dy) : dy;
    const int64_t x = dx, y = dy;
    const int64_t m = !inside ? 0 : a.l2 != 0 ? x * x + y * y : (x < 0 ? -x : x) + (y < 0 ? -y : y);
    if (!first && m <= tile.magnitudes[i])
        return;
    tile.magnitudes[i] = m;
    tile.dx[i] = dx;
    tile.dy[i] = dy;
}

/* Classifies the pixel at point i: compares its magnitude with both neighbours across the edge and the thresholds. */
template <int32_t r> __device__ __forceinline__ Kind kind_of(const Args &a, const Tile<r> &tile, uint32_t i)
{
    const int64_t m = tile.magnitudes[i], dx = tile.dx[i], dy = tile.dy[i];
    const int64_t x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    if (m <= a.low)
        return nothing;
    bool ridge;
    if (y * 32768 < x * 13573) {
        ridge = m > tile.magnitudes[i - 1] && m >= tile.magnitudes[i + 1];
    } else if (y * 32768 > x * (13573 + 65536)) {
        ridge = m > tile.magnitudes[i - points_side] && m >= tile.magnitudes[i + points_side];
    } else {
        const uint32_t step = (dx < 0) != (dy < 0) ? points_side - 1 : points_side + 1;
        ridge = m > tile.magnitudes[i - step] && m > tile.magnitudes[i + step];
    }
    return !ridge ? nothing : m > a.high ? strong : weak;
}

/* A block takes tiles of the map in a grid-stride loop. The first barrier orders the writes of samples before their
 * reads. The second orders these reads before the next writes of samples, and the writes of points before their reads.
 * The next tile's points are written after the first barrier of that tile, which a thread reaches after it has read
 * this tile's points. */
template <int32_t r>
__global__ void __launch_bounds__(threads) map_kernel(const __grid_constant__ Args a, const Range range)
{
    __shared__ Tile<r> tile;
    for (uint64_t t = range.first + blockIdx.x; t < range.end; t += gridDim.x) {
        const int32_t x0 = static_cast<int32_t>(t % a.map_across * side);
        const int32_t y0 = static_cast<int32_t>(t / a.map_across * side);
        for (uint32_t c = 0; c < a.channels; c++) {
            read_samples(a, tile, x0, y0, c);
            gf_sync_block(); /* the samples are written */
            for (uint32_t i = threadIdx.x; i < n_points; i += threads) {
                const uint32_t x = x0 - 1 + i % points_side, y = y0 - 1 + i / points_side; /* -1 becomes large */
                make_point(a, tile, i, x < a.width && y < a.height, c == 0);
            }
            gf_sync_block(); /* the samples have been read, the points of this channel are written */
        }
        for (uint32_t i = threadIdx.x; i < side * side; i += threads) {
            const uint32_t x = x0 + i % side, y = y0 + i / side;
            if (x < a.width && y < a.height)
                a.map[static_cast<uint64_t>(y) * a.width + x] =
                    kind_of(a, tile, (i / side + 1) * points_side + i % side + 1);
        }
    }
}

/* Marks the roots of strong pixels. Links no longer change, except that roots become `marked` and stay marked. So a
 * relaxed read gives an index that leads to the root, or shows that the root is marked already; no other data depends
 * on the read. Each step of a climb goes to a smaller index. */
__global__ void __launch_bounds__(threads) mark_kernel(const __grid_constant__ Args a, const Range range)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += step) {
        if (a.map[i] != strong)
            continue;
        uint32_t at = static_cast<uint32_t>(i), next = gf_load_published(a.links + at);
        for (; next != marked && next != at; next = gf_load_published(a.links + at))
            at = next;
        if (next == at)
            gf_atomic_max(a.links + at, marked);
    }
}

/* Whether the root that a link leads to is marked. */
__device__ __forceinline__ bool is_edge(const Args &a, uint32_t link)
{
    if (link == background)
        return false;
    for (uint32_t next; link != marked; link = next) {
        next = a.links[link];
        if (next == link)
            return false;
    }
    return true;
}

/* Writes the edges. A block takes parts of rows. */
__global__ void __launch_bounds__(threads) paint_kernel(const __grid_constant__ Args a, const Range range)
{
    const uint32_t parts = (a.width + row_part - 1) / row_part;
    for (uint64_t u = range.first + blockIdx.x; u < range.end; u += gridDim.x) {
        const uint32_t y = static_cast<uint32_t>(u / parts), x0 = static_cast<uint32_t>(u % parts) * row_part;
        auto *row = reinterpret_cast<uint8_t *>(a.dst + y * a.dst_pitch);
        const uint32_t end = min(x0 + row_part, a.width);
        for (uint32_t x = x0 + threadIdx.x; x < end; x += threads)
            row[x] = is_edge(a, a.links[static_cast<uint64_t>(y) * a.width + x]) ? 255 : 0;
    }
}

using Kernel = void(const Args, const Range);

enum gf_status start(struct gf_cuda_call *call, Kernel *kernel, const Args &a, const Units &units, struct gf_error *err)
{
    return in_launches(call, units, err, [&](unsigned grid, const Range &range) {
        kernel<<<grid, threads, 0, call->exec->main>>>(a, range);
    });
}

enum gf_status start_all(struct gf_cuda_call *call, const Args &a, uint32_t radius, struct gf_error *err)
{
    Kernel *const map = radius == 1 ? map_kernel<1> : radius == 2 ? map_kernel<2> : map_kernel<3>;
    const uint64_t maps = static_cast<uint64_t>(a.map_across) * a.map_down;
    const uint64_t tiles = static_cast<uint64_t>(a.tiles_across) * a.tiles_down;
    const uint64_t borders =
        static_cast<uint64_t>(a.tiles_down - 1) * a.width + static_cast<uint64_t>(a.tiles_across - 1) * a.height;
    const uint64_t row_parts = static_cast<uint64_t>((a.width + row_part - 1) / row_part) * a.height;
    const uint64_t sample_bytes = a.channels * gf_dtype_size(a.dtype);
    const char *what = "starting to find edges";
    enum gf_status status = start(call, map, a, {maps, 1, side * side * (1 + 2 * sample_bytes), what}, err);
    if (status == GF_OK)
        status = start(call, tile_kernel<Args>, a, {tiles, 1, tile_pixels * 5, what}, err);
    if (status == GF_OK)
        status = start(call, border_kernel<Args>, a, {borders, threads, 4 * 32, what}, err);
    if (status == GF_OK)
        status = start(call, mark_kernel, a, {a.pixels, threads, 8, what}, err);
    if (status == GF_OK)
        status = start(call, paint_kernel, a, {row_parts, 1, row_part * 8, what}, err);
    return status;
}

/* All arguments but the memory from the pool. */
Args make_args(const struct gf_cuda_call *call)
{
    const struct gf_view *view = &call->image[0]->view;
    const struct gf_canny_params p = gf_canny_params_get(&call->step->params);
    Args a = {};
    a.src = static_cast<const char *>(call->image[0]->data);
    a.pitch = static_cast<size_t>(view->pitch);
    a.dtype = view->dtype;
    a.channels = view->channels;
    a.l2 = p.l2;
    a.low = gf_canny_threshold(&p, p.low);
    a.high = gf_canny_threshold(&p, p.high);
    a.width = static_cast<uint32_t>(view->width);
    a.height = static_cast<uint32_t>(view->height);
    a.map_across = (a.width + side - 1) / side;
    a.map_down = (a.height + side - 1) / side;
    a.tiles_across = (a.width + tile_width - 1) / tile_width;
    a.tiles_down = (a.height + tile_height - 1) / tile_height;
    a.diagonal = 1;
    a.pixels = view->width * view->height;
    a.dst = static_cast<char *>(call->out[0].data);
    a.dst_pitch = static_cast<size_t>(call->out[0].view.pitch);
    return a;
}

} // namespace

extern "C" enum gf_status gf_cuda_canny(struct gf_cuda_call *call, struct gf_error *err)
{
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status != GF_OK)
        return status;
    Args a = make_args(call);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, static_cast<size_t>(a.pixels) * (sizeof(uint32_t) + 1), &data, err);
    if (status != GF_OK)
        return status;
    a.links = static_cast<uint32_t *>(data);
    a.map = reinterpret_cast<uint8_t *>(a.links + a.pixels);
    status = start_all(call, a, gf_canny_params_get(&call->step->params).aperture / 2, err);
    gf_cuda_free(call->exec, data);
    return status;
}
