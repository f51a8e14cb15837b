/* SPDX-License-Identifier: MIT */
/*
 * label on CUDA, docs/numerics.md, "label". Called through the op's row.
 *
 * Finds connected components ("parts") by union-find over pixel indices (parts.cuh). The root of a part is its least
 * index, so numbering the roots in order, by the decoupled look-back that select uses, gives the parts the numbers that
 * the contract asks for, whatever the schedule. Then each pixel climbs to its root for its number. Areas and boxes are
 * reduced per tile in shared memory and then by global atomics, whose order does not matter for integers. Only the
 * first kernel reads samples, so all kernels agree, and nothing that a client could change in the meantime is used as
 * an index.
 */
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/tile_state.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "parts.cuh"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/label.h"

namespace
{

using namespace gf;
using namespace gf::region;

constexpr uint32_t run_pixels = 4096;                /* a run: pixels that a block numbers at a time */
constexpr uint32_t own_words = run_pixels / threads; /* ballots per warp, each of 32 pixels */
constexpr uint32_t row_part = 1024;                  /* pixels of a row that a block paints at a time */
constexpr uint32_t numbered = 0x80000000u;           /* marks the link of a root as its number; indices are less */

using u64 = unsigned long long;

struct Args {
    const char *src;
    size_t pitch;
    uint32_t sample_size, sample_bits; /* the bits that decide about foreground: all but the sign of floats */
    uint32_t width, height, tiles_across, tiles_down;
    uint64_t pixels;
    uint32_t diagonal; /* 8 neighbours */
    uint32_t *links;
    char *dst;
    size_t dst_pitch;
    uint32_t *areas, *boxes; /* NULL if not requested */
    uint64_t capacity;
    u64 *count;
    counted_tile_state runs; /* of run_pixels pixels */
    ticket_counter *tickets;
    uint64_t n_runs, surplus; /* surplus: tickets that blocks of earlier launches took without a run, one per block */

    __device__ __forceinline__ bool is_foreground(uint32_t x, uint32_t y) const
    {
        const char *row = src + y * pitch;
        uint32_t v;
        if (sample_size == 1)
            v = reinterpret_cast<const uint8_t *>(row)[x];
        else if (sample_size == 2)
            v = reinterpret_cast<const uint16_t *>(row)[x];
        else
            v = reinterpret_cast<const uint32_t *>(row)[x];
        return (v & sample_bits) != 0;
    }
};

/* Numbers the roots in order: the link of a root becomes `numbered` | its number. Blocks take runs of pixels by tickets
 * and look back (tile_state.cuh). Each round has three barriers, which order the writes before the reads: of `run`, of
 * `of_warps`, and of `before`. Between the reads of each variable and its next write there is another of the barriers.
 */
__global__ void __launch_bounds__(threads) number_kernel(const __grid_constant__ Args a, const Range range)
{
    __shared__ uint64_t run;
    __shared__ u64 before;
    __shared__ uint32_t of_warps[warps];
    const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    for (;;) {
        if (threadIdx.x == 0)
            run = take_ticket(a.tickets) - a.surplus;
        gf_sync_block();
        const uint64_t own = run;
        if (own >= range.end)
            return;
        const uint64_t first = own * run_pixels + warp * (own_words * lanes) + lane;
        uint32_t roots[own_words], n = 0, in_warps_before = 0, in_run = 0;
#pragma unroll
        for (uint32_t j = 0; j < own_words; j++) {
            const uint64_t i = first + j * lanes;
            roots[j] = gf_ballot(i < a.pixels && a.links[i] == i);
            n += __popc(roots[j]);
        }
        if (lane == 0)
            of_warps[warp] = n;
        gf_sync_block();
        for (uint32_t w = 0; w < warps; w++) {
            in_warps_before += w < warp ? of_warps[w] : 0;
            in_run += of_warps[w];
        }
        if (warp == 0) {
            if (lane == 0)
                a.runs.publish(own, in_run);
            const u64 prefix = a.runs.exclusive_prefix(own);
            if (lane == 0)
                before = prefix;
        }
        gf_sync_block();
        uint32_t next = static_cast<uint32_t>(before) + in_warps_before + 1;
#pragma unroll
        for (uint32_t j = 0; j < own_words; j++) {
            if ((roots[j] >> lane & 1) != 0)
                a.links[first + j * lanes] = numbered | (next + __popc(roots[j] & ((1u << lane) - 1)));
            next += __popc(roots[j]);
        }
        if (threadIdx.x == 0 && own == a.n_runs - 1)
            *a.count = before + in_run;
    }
}

/* The number of the part of a pixel with this link. The roots must have been numbered. */
__device__ __forceinline__ uint32_t number_of(const Args &a, uint32_t link)
{
    while ((link & numbered) == 0)
        link = a.links[link];
    return link & ~numbered;
}

/* Writes the numbers. A block takes parts of rows. */
__global__ void __launch_bounds__(threads) paint_kernel(const __grid_constant__ Args a, const Range range)
{
    const uint32_t parts = (a.width + row_part - 1) / row_part;
    for (uint64_t u = range.first + blockIdx.x; u < range.end; u += gridDim.x) {
        const uint32_t y = static_cast<uint32_t>(u / parts), x0 = static_cast<uint32_t>(u % parts) * row_part;
        auto *row = reinterpret_cast<uint32_t *>(a.dst + y * a.dst_pitch);
        const uint32_t end = min(x0 + row_part, a.width);
        for (uint32_t x = x0 + threadIdx.x; x < end; x += threads) {
            const uint32_t link = a.links[static_cast<uint64_t>(y) * a.width + x];
            row[x] = link == background ? 0 : number_of(a, link);
        }
    }
}

/* Initialises the table entries of existing parts for sums, minima and maxima; the remaining entries are 0. */
__global__ void __launch_bounds__(threads) begin_kernel(const __grid_constant__ Args a, const Range range)
{
    const u64 count = *a.count;
    for (uint64_t k = range.first + blockIdx.x * threads + threadIdx.x; k < range.end; k += gridDim.x * threads) {
        const uint32_t least = k < count ? UINT32_MAX : 0;
        if (a.areas != nullptr)
            a.areas[k] = 0;
        for (uint32_t c = 0; a.boxes != nullptr && c < 4; c++)
            a.boxes[4 * k + c] = c < 2 ? least : 0;
    }
}

/* What a tile has of each set, at the place of its least pixel in the tile, or of a pixel linked to that. */
struct Extents {
    uint32_t area[tile_pixels], x0[tile_pixels], x1[tile_pixels], y1[tile_pixels]; /* in the tile; ends are inclusive */
};

/* The place in the tile that a pixel's link leads to, or the pixel itself if the link leaves the tile. Pixels that were
 * not roots of their tile link to one, so a set of the tile has few places, all in the same part. */
__device__ __forceinline__ uint32_t place_of(const Args &a, uint32_t link, uint32_t i, uint32_t x0, uint32_t y0)
{
    if ((link & numbered) != 0)
        return i;
    const uint32_t y = link / a.width - y0, x = link % a.width - x0; /* negative differences become large */
    return x < tile_width && y < tile_height ? y * lanes + x : i;
}

/* Adds the extents at one place to the tables. The set begins in the place's own row, because the place is the least
 * of the pixels that lead there. */
__device__ __forceinline__ void add_to_tables(const Args &a, const Extents &e, uint32_t i, uint32_t x0, uint32_t y0)
{
    const uint32_t y = y0 + i / lanes, x = x0 + i % lanes;
    const uint64_t k = number_of(a, a.links[static_cast<uint64_t>(y) * a.width + x]) - 1;
    if (k >= a.capacity)
        return;
    if (a.areas != nullptr)
        gf_atomic_add(a.areas + k, e.area[i]);
    if (a.boxes == nullptr)
        return;
    gf_atomic_min(a.boxes + 4 * k, x0 + e.x0[i]);
    gf_atomic_min(a.boxes + 4 * k + 1, y);
    gf_atomic_max(a.boxes + 4 * k + 2, x0 + e.x1[i] + 1);
    gf_atomic_max(a.boxes + 4 * k + 3, y0 + e.y1[i] + 1);
}

/* Computes areas and boxes, with ends instead of sides: collects runs of a tile in shared memory, then adds each set.
 */
__global__ void __launch_bounds__(threads) measure_kernel(const __grid_constant__ Args a, const Range range)
{
    __shared__ Extents e;
    const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    for (uint64_t t = range.first + blockIdx.x; t < range.end; t += gridDim.x) {
        const uint32_t x0 = static_cast<uint32_t>(t % a.tiles_across) * tile_width, x = x0 + lane;
        const uint32_t y0 = static_cast<uint32_t>(t / a.tiles_across) * tile_height;
        for (uint32_t i = threadIdx.x; i < tile_pixels; i += threads) {
            e.area[i] = e.x1[i] = e.y1[i] = 0;
            e.x0[i] = UINT32_MAX;
        }
        gf_sync_block(); /* all places are cleared */
        for (uint32_t r = warp; r < tile_height; r += warps) {
            const bool inside = x < a.width && y0 + r < a.height;
            const uint32_t link = inside ? a.links[static_cast<uint64_t>(y0 + r) * a.width + x] : background;
            const uint32_t bits = gf_ballot(link != background);
            if ((bits >> lane & 1) == 0 || (lane > 0 && (bits >> (lane - 1) & 1) != 0))
                continue;                          /* not the first pixel of a run */
            const uint32_t past = ~(bits >> lane); /* 0 if the run has all lanes */
            const uint32_t length = past == 0 ? lanes : static_cast<uint32_t>(__ffs(static_cast<int>(past))) - 1;
            const uint32_t place = place_of(a, link, r * lanes + lane, x0, y0);
            gf_atomic_add(&e.area[place], length);
            gf_atomic_min(&e.x0[place], lane);
            gf_atomic_max(&e.x1[place], lane + length - 1);
            gf_atomic_max(&e.y1[place], r);
        }
        gf_sync_block(); /* all runs are added */
        for (uint32_t i = threadIdx.x; i < tile_pixels; i += threads)
            if (e.area[i] != 0)
                add_to_tables(a, e, i, x0, y0);
        gf_sync_block(); /* all threads have read the places before they are cleared */
    }
}

/* Replaces the ends of boxes by sides. */
__global__ void __launch_bounds__(threads) side_kernel(const __grid_constant__ Args a, const Range range)
{
    const u64 count = *a.count;
    for (uint64_t k = range.first + blockIdx.x * threads + threadIdx.x; k < range.end && k < count;
         k += gridDim.x * threads) {
        a.boxes[4 * k + 2] -= a.boxes[4 * k];
        a.boxes[4 * k + 3] -= a.boxes[4 * k + 1];
    }
}

using Kernel = void(const Args, const Range);

enum gf_status start(struct gf_cuda_call *call, Kernel *kernel, Args *a, uint64_t units, uint32_t each, uint64_t bytes,
                     struct gf_error *err)
{
    return in_launches(
        call, {units, each, bytes, "starting to number parts"}, err, [&](unsigned grid, const Range &range) {
            kernel<<<grid, threads, 0, call->exec->main>>>(*a, range);
            a->surplus += grid; /* only number_kernel takes tickets: each block takes one that gets no run */
        });
}

/* All arguments but the memory from the pool. */
Args make_args(const struct gf_cuda_call *call)
{
    const struct gf_view *view = &call->image[0]->view;
    const bool is_float = gf_dtype_kind(view->dtype) == GF_KIND_FLOAT;
    Args a = {};
    a.src = static_cast<const char *>(call->image[0]->data);
    a.pitch = static_cast<size_t>(view->pitch);
    a.sample_size = static_cast<uint32_t>(gf_dtype_size(view->dtype));
    a.sample_bits = UINT32_MAX >> (32 - 8 * a.sample_size + (is_float ? 1 : 0));
    a.width = static_cast<uint32_t>(view->width);
    a.height = static_cast<uint32_t>(view->height);
    a.tiles_across = (a.width + tile_width - 1) / tile_width;
    a.tiles_down = (a.height + tile_height - 1) / tile_height;
    a.pixels = view->width * view->height;
    a.diagonal = gf_label_params_get(&call->step->params).connectivity == GF_CONNECTIVITY_EIGHT;
    a.dst = static_cast<char *>(call->out[0].data);
    a.dst_pitch = static_cast<size_t>(call->out[0].view.pitch);
    a.areas = static_cast<uint32_t *>(call->out[1].data);
    a.boxes = static_cast<uint32_t *>(call->out[2].data);
    a.capacity = call->out[1].view.width;
    a.count = static_cast<u64 *>(call->out[3].data);
    a.n_runs = (a.pixels + run_pixels - 1) / run_pixels;
    return a;
}

enum gf_status start_tables(struct gf_cuda_call *call, Args *a, struct gf_error *err)
{
    const uint64_t tiles = static_cast<uint64_t>(a->tiles_across) * a->tiles_down;
    enum gf_status status = start(call, begin_kernel, a, a->capacity, threads, 5 * sizeof(uint32_t), err);
    if (status == GF_OK)
        status = start(call, measure_kernel, a, tiles, 1, tile_pixels * sizeof(uint32_t), err);
    if (status == GF_OK && a->boxes != nullptr)
        status = start(call, side_kernel, a, a->capacity, threads, 4 * sizeof(uint32_t), err);
    return status;
}

enum gf_status start_all(struct gf_cuda_call *call, Args *a, struct gf_error *err)
{
    const uint64_t tiles = static_cast<uint64_t>(a->tiles_across) * a->tiles_down;
    const uint64_t borders =
        static_cast<uint64_t>(a->tiles_down - 1) * a->width + static_cast<uint64_t>(a->tiles_across - 1) * a->height;
    const uint64_t parts = (a->width + row_part - 1) / row_part;
    enum gf_status status = start(call, tile_kernel<Args>, a, tiles, 1, tile_pixels * (4 + a->sample_size), err);
    if (status == GF_OK)
        status = start(call, border_kernel<Args>, a, borders, threads, 4 * 32, err);
    a->surplus = 0;
    if (status == GF_OK)
        status = start(call, number_kernel, a, a->n_runs, 1, run_pixels * 4, err);
    if (status == GF_OK)
        status = start(call, paint_kernel, a, parts * a->height, 1, row_part * 8, err);
    if (status == GF_OK && (a->areas != nullptr || a->boxes != nullptr))
        status = start_tables(call, a, err);
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_label(struct gf_cuda_call *call, struct gf_error *err)
{
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status != GF_OK)
        return status;
    Args a = make_args(call);
    const size_t groups = static_cast<size_t>((a.n_runs + lookback_group - 1) / lookback_group);
    const size_t state = (groups + 1) * sizeof(u64) + groups * lookback_group * sizeof(uint32_t);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, state + static_cast<size_t>(a.pixels) * sizeof(uint32_t), &data, err);
    if (status != GF_OK)
        return status;
    a.tickets = static_cast<ticket_counter *>(data);
    a.runs.groups = a.tickets + 1;
    a.runs.tiles = reinterpret_cast<uint32_t *>(a.tickets + 1 + groups);
    a.links = a.runs.tiles + groups * lookback_group;
    status = gf_cuda_status(cudaMemsetAsync(data, 0, state, call->exec->main), "clearing counts", err);
    if (status == GF_OK)
        status = start_all(call, &a, err);
    gf_cuda_free(call->exec, data);
    return status;
}
