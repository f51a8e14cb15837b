/* SPDX-License-Identifier: MIT */
/*
 * Row and column pass in one kernel, docs/numerics.md, "Separable filters", where shared memory has room for it;
 * launched through filter_pass.h. A block walks down a column of 128 or 256 samples, 32 rows per step: stored samples
 * are copied into a tile, the row pass writes rows of the tile to a ring of f32 rows, and the column pass writes
 * columns of the ring to the target, while the next tile is being copied. In either pass a thread owns 32 outputs: of
 * one row in the row pass, of four columns and eight rows in the column pass. The results are stored, or a second
 * filter continues with them.
 */
#include <math.h>

#include "fused_passes.cuh"
#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/shared/filter.h"
#include "second_stencil.cuh"
#include "separable.cuh"

namespace
{

using namespace gf;

/* Whether one of four values is NaN, or `before` is true. */
__device__ __forceinline__ bool any_nan(const float (&a)[quad], bool before)
{
    uint32_t any;
    asm("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 q, %5, 0;\n\tsetp.nan.or.f32 p, %1, %2, q;\n\t"
        "setp.nan.or.f32 p, %3, %4, p;\n\tselp.b32 %0, 1, 0, p;\n\t}"
        : "=r"(any)
        : "f"(a[0]), "f"(a[1]), "f"(a[2]), "f"(a[3]), "r"(static_cast<uint32_t>(before)));
    return any != 0;
}

/* Stores the rows y + r of a thread's values that lie in `rows`, in a plain target. */
template <class T>
__device__ __forceinline__ void store_columns(const struct gf_cuda_target &dst, int y, struct gf_cuda_row_chunk rows,
                                              int x, const float (&acc)[rows_per_thread][quad])
{
    bool nan = false;
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        if constexpr (sizeof(T) == sizeof(float))
            nan = any_nan(acc[r], nan);
    if (!nan && y >= rows.first && y + rows_per_thread <= rows.end && x + quad <= dst.samples) {
        T *out = row_of<T>(dst.data, dst.pitch, y) + x;
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++, out = row_of<T>(out, dst.pitch, 1)) {
            if constexpr (sizeof(T) == sizeof(float)) {
                store_quad(out, acc[r]);
            } else {
                constexpr int words = quad / per_word<T>;
                uint32_t w[words];
#pragma unroll
                for (int i = 0; i < words; i++)
                    w[i] = pack(T{}, acc[r] + i * per_word<T>);
                if constexpr (words == 1)
                    *reinterpret_cast<uint32_t *>(out) = w[0];
                else
                    *reinterpret_cast<uint2 *>(out) = make_uint2(w[0], w[1]);
            }
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        if (y + r >= rows.first && y + r < rows.end) {
            T s[quad];
#pragma unroll
            for (int j = 0; j < quad; j++)
                s[j] = to_stored(T{}, acc[r][j]);
            store_values<T>(dst, y + r, x, s);
        }
}

/* Applies the epilogue and stores a thread's values in a plain target. */
__device__ __forceinline__ void finish_values(const struct gf_cuda_target &dst, int y, struct gf_cuda_row_chunk rows,
                                              int x, float (&v)[rows_per_thread][quad])
{
    run_pointwise(dst.epilogue, v);
    gf_dispatch(dst.dtype, [&](auto tag) { store_columns<decltype(tag)>(dst, y, rows, x, v); });
}

/* Finishes a thread's outputs and stores them in a plain target. */
__device__ __forceinline__ void finish_columns(const struct gf_cuda_target &dst, int y, struct gf_cuda_row_chunk rows,
                                               int x, float (&acc)[rows_per_thread][quad])
{
    for_each_value(acc, [&](float v) { return __fmaf_rn(v, dst.scale, dst.offset); });
    finish_values(dst, y, rows, x, acc);
}

/* Stores outputs in any target, with the `after` operation: row by row through `spare`, as in finish_rows. */
template <int C>
__device__ __forceinline__ void finish_carefully(const struct gf_cuda_source &src, const struct gf_cuda_target &dst,
                                                 const struct gf_cuda_after &after, int y, int end, int x,
                                                 const float (&acc)[rows_per_thread][quad], float *spare)
{
    float4 *own = reinterpret_cast<float4 *>(spare) + threadIdx.x;
    if (x >= dst.samples)
        return;
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        own[r * block_threads<C>] = make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
#pragma unroll 1
    for (int r = 0; r < rows_per_thread && y + r < end; r++) {
        const float4 v = own[r * block_threads<C>];
        float one[quad] = {v.x, v.y, v.z, v.w};
        if (after.what == GF_AFTER_SUM)
            apply_sum(after, y + r, x, one);
        else if (after.what == GF_AFTER_UNSHARP)
            apply_unsharp(after, src, y + r, x, one);
        finish_quad(dst, y + r, x, one);
    }
}

/* Stands for "no second filter". */
struct no_second {
};

template <class Second> constexpr bool goes_on = !std::is_same_v<Second, no_second>;

template <int C, class Second> constexpr int stored_samples = block_samples<C> - (goes_on<Second> ? 2 * quad : 0);

/* The work of a block: block_samples samples from x on, in rows first to end - 1. With a second filter it stores fewer
 * rows, `stored`. */
struct block_work {
    int x, first, end;
    struct gf_cuda_row_chunk stored;
};

/* Blocks at the left and right edge take longest, so they come first. */
template <int C, class Second>
__device__ __forceinline__ struct block_work own_work(const struct fused_geometry &g, const Second &second)
{
    const unsigned columns = gridDim.x, edges = min(columns, 2u), number = blockIdx.y * columns + blockIdx.x;
    int chunk_index, column;
    if (number < edges * gridDim.y) {
        chunk_index = static_cast<int>(number / edges);
        column = number % edges == 0 ? 0 : static_cast<int>(columns - 1);
    } else {
        const unsigned inner = number - edges * gridDim.y, inner_columns = columns - edges;
        chunk_index = static_cast<int>(inner / inner_columns);
        column = static_cast<int>(1 + inner % inner_columns);
    }
    const int first = g.row_chunk.first + chunk_index * g.block_rows, x = column * stored_samples<C, Second>;
    const struct gf_cuda_row_chunk stored = {first, min(first + g.block_rows, g.row_chunk.end)};
    if constexpr (goes_on<Second>)
        return {x - quad, max(stored.first - 1, 0), min(stored.end + 1, second.height), stored};
    else
        return {x, stored.first, stored.end, stored};
}

/* Maps the columns of a tile that is not inner. Returns true where the border maps every sample outside to a sample of
 * the tile. The barrier also separates the writes to m.columns from their reads, for all tiles. */
template <int C>
__device__ __forceinline__ bool map_columns(const struct fused_memory &m, const struct gf_cuda_source &src,
                                            const struct fused_geometry &g, const struct tile_place &at)
{
    const int right_end = src.width * C - at.flat + (g.n_x - 1 - g.anchor_x) * C;
    int outside_tile = 0;
    for (int i = threadIdx.x; i < g.quads * quad && !at.inner; i += block_threads<C>) {
        const int px = pixel_of<C>(at.flat + i), x = border_index(src.border, px, src.width);
        m.columns[i] = x < 0 ? constant : x * C + at.flat + i - px * C;
        if (i < right_end)
            outside_tile |=
                x < 0 || static_cast<unsigned>(m.columns[i] - at.flat) >= static_cast<unsigned>(g.quads * quad);
    }
    return !gf_sync_block_or(outside_tile);
}

template <int C> constexpr int max_blocks = 4 / across<C>; /* resident per multiprocessor, by registers */

/* Returns the edges, which follow the remaining memory of a block. */
template <int C>
__device__ __forceinline__ struct stencil_edges *edges_of(const struct fused_memory &m, const struct fused_geometry &g)
{
    return reinterpret_cast<struct stencil_edges *>(m.raw + step_rows * g.raw_pitch);
}

/* The second filter: computes rows y - 1 to y + 6 of the results from the sums of rows y to y + 7. The whole block must
 * call it. A scale of 1 and an offset of 0 are skipped. For the first filter that leaves a -0 that would become +0, but
 * the squares of the second filter are the same for both. For the second filter nothing changes, since no magnitude is
 * -0. */
__device__ __forceinline__ void go_on(const struct gf_cuda_target &dst, const struct gf_cuda_second &second,
                                      struct stencil_edges &edges, int side, int y, struct gf_cuda_row_chunk rows,
                                      int x, bool at_edges, float (&acc)[rows_per_thread][quad])
{
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    if (second.scale != 1.0f || second.offset != 0.0f)
        for_each_value(acc, [&](float v) { return __fmaf_rn(v, second.scale, second.offset); });
    run_pointwise(second.between, acc);
    edges.row[side][warp][0][lane] = quad_of(acc[rows_per_thread - 2]);
    edges.row[side][warp][1][lane] = quad_of(acc[rows_per_thread - 1]);
    gf_sync_block(); /* E */
    const float4 *above = edges.row[warp > 0 ? side : side ^ 1][warp > 0 ? warp - 1 : warps - 1][0] + lane;
    if (y > rows.end || y + rows_per_thread - 1 <= rows.first)
        return; /* uniform across the warp */
    if (at_edges)
        stencil_rows<true, false>(second, above, y, x, acc);
    else if (second.gradient.outer != 1.0f)
        stencil_rows<false, false>(second, above, y, x, acc);
    else
        stencil_rows<false, true>(second, above, y, x, acc);
    if (lane == 0 || lane == warp_lanes - 1 || x >= dst.samples)
        return;
    if (dst.scale != 1.0f || dst.offset != 0.0f)
        for_each_value(acc, [&](float v) { return __fmaf_rn(v, dst.scale, dst.offset); });
    finish_values(dst, y - 1, rows, x, acc);
}

/*
 * A step: the tile is finished, the row pass writes to the ring, the column pass reads the ring and writes to the
 * target. The barriers of a step, in order:
 * A  Threads read what other threads copied, and the tile may still serve as `spare` of the previous step. Where a warp
 *    reads only its own copies and no thread uses `spare`, synchronising the warp is enough: `alone`.
 * B  Threads read the tile across warps, and write ring rows that the column pass of the previous step may still read.
 * C  The column pass reads ring rows that other threads wrote. After C no thread reads the tile or `raw`, so the next
 *    copies may begin.
 * D  Copies of f32 go to the tile. Where the tile is also `spare`, they begin after all threads have finished with it.
 * E  A second filter reads the edges that other warps wrote, in this step and in the previous one. The next write to
 *    this step's side happens two steps later, behind the barriers of the step between, which all threads reach after
 *    their reads.
 */
template <int C, class Second>
__global__ void __launch_bounds__(block_threads<C>, max_blocks<C>)
    fused_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                 const __grid_constant__ struct fused_geometry g, const __grid_constant__ Second second)
{
    extern __shared__ __align__(16) float shared[];
    const struct fused_memory m = lay_out<C>(shared, g);
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const struct block_work own = own_work<C>(g, second);
    const int lead = g.ring_rows - step_rows; /* ring rows that the columns look back to */
    const int top = own.first - g.anchor_y, bottom = own.end - g.anchor_y + g.n_y - 1;
    const bool plain = goes_on<Second> || (is_plain(dst) && g.after.what == GF_AFTER_NOTHING);
    struct tile_place at = {};
    at.flat = own.x - g.anchor_x * C;
    at.inner = at.flat >= 0 && at.flat + g.quads * quad <= src.width * C;
    /* A warp converts only what it copied itself, and the tile does not serve as `spare`. */
    const bool alone = at.inner && plain && !(src.dtype == GF_F32 && (src.premultiply || g.prologue.n > 0));
    const bool copies_wait = !plain && src.dtype == GF_F32; /* copies go to the tile, which is also `spare` */

    at.sides_in_tile = map_columns<C>(m, src, g, at);
    const auto begin_tile = [&](int y) {
        at.top = y;
        at.straight = y >= 0 && y + step_rows <= min(src.height, bottom);
        at.source = y + lane;
        if (!at.straight)
            at.source = y + lane < bottom ? border_index(src.border, y + lane, src.height) : nothing;
        gf_dispatch(src.dtype, [&](auto tag) { begin_fill<C>(tag, m, src, g, at); });
        gf_commit_copies();
    };
    begin_tile(top);
    int head = 0; /* of the ring */
    /* A second filter completes the last row of a picture once it knows that no row follows, which may be a step
     * later. */
    const int end = goes_on<Second> ? own.stored.end + 1 : own.end;
    for (int s = 0; own.first + s - lead < end; s += step_rows) {
        gf_wait_for_copies(0);
        if (alone) /* A */
            gf_sync_warp();
        else
            gf_sync_block();
        gf_dispatch(src.dtype, [&](auto tag) { finish_fill<C, decltype(tag)>(m, src, g, at); });
        gf_sync_block(); /* B */
        gf_sync_warp();  /* lets the compiler keep taps in uniform registers */
        const int put = head + lane < g.ring_rows ? head + lane : head + lane - g.ring_rows;
        pass_row<C>(m.tile + lane * g.tile_pitch + warp * run, m.ring + put * ring_pitch<C> + warp * run, g.taps_x,
                    g.n_x);
        gf_sync_block(); /* C */
        if (!copies_wait)
            begin_tile(top + s + step_rows);
        head = head + step_rows < g.ring_rows ? head + step_rows : head + step_rows - g.ring_rows;

        const int down = warp / across<C> * rows_per_thread, beside = warp % across<C> * warp_span + lane * quad;
        const int y = own.first + s - lead + down, x = own.x + beside;
        gf_sync_warp();
        if (s + step_rows > lead) { /* for all warps, to keep taps uniform; some warps may have nothing to store */
            float acc[rows_per_thread][quad] = {};
            const int row = head + down;
            pass_columns<C>(acc, m.ring + beside, row < g.ring_rows ? row : row - g.ring_rows, g.ring_rows, g.taps_y,
                            g.n_y);
            const bool needed = y >= own.first && y < own.end;
            if constexpr (goes_on<Second>)
                go_on(dst, second, *edges_of<C>(m, g), s / step_rows % 2, y, own.stored, x,
                      has_edges(second, own.x, block_samples<C>, own.first, own.end), acc);
            else if (needed && !plain)
                finish_carefully<C>(src, dst, g.after, y, own.end, x, acc, m.tile);
            else if (needed && x < dst.samples)
                finish_columns(dst, y, own.stored, x, acc);
        }
        if (copies_wait) {
            gf_sync_block(); /* D */
            begin_tile(top + s + step_rows);
        }
    }
}

/* Sets the memory layout and the bytes that a block needs. */
template <int C> void set_memory(struct gf_cuda_fused *f, uint32_t dtype)
{
    const int sample = dtype == GF_U8 ? sizeof(uint8_t) : sizeof(uint16_t);
    f->quads = round_up(block_samples<C> + (f->n_x - 1) * C, quad) / quad;
    f->tile_pitch = (f->quads + (2 * C + quad - 1) / quad | 1) * quad; /* odd: rows start in different banks */
    f->raw_pitch = dtype == GF_F32 ? 0 : (round_up(f->quads * quad * sample, chunk) / chunk + 1 | 1) * chunk;
    f->ring_rows = round_up(f->n_y - 1, rows_per_thread) + step_rows;
    const size_t floats = static_cast<size_t>(step_rows) * f->tile_pitch +
                          static_cast<size_t>(f->ring_rows) * ring_pitch<C> + static_cast<size_t>(f->quads) * quad;
    f->shared_bytes = floats * sizeof(float) + static_cast<size_t>(step_rows) * f->raw_pitch;
}

/* Plans a block's memory, with `more` bytes for the caller. Returns whether at least eight warps are resident per
 * multiprocessor, below which the kernel does not pay. */
template <int C>
bool plan_memory(struct gf_cuda_fused *f, uint32_t dtype, struct gf_cuda_shared_memory shared, size_t more = 0)
{
    set_memory<C>(f, dtype);
    f->shared_bytes += more;
    f->blocks = min(static_cast<int>(shared.all / (f->shared_bytes + shared.reserved)), max_blocks<C>);
    return f->blocks * across<C> >= 2;
}

/* The rounds of blocks by which multiprocessors finish apart. */
constexpr double uneven = 0.25;

/* Returns the rows per block: few enough that the last round leaves little idle, while little work is done twice. */
int rows_of_block(int height, int lead, int columns, int slots)
{
    int best = height;
    double lowest_cost = HUGE_VAL;
    for (int n_chunks = 1; n_chunks <= height; n_chunks++) {
        const int rows = max(round_up((height + n_chunks - 1) / n_chunks + lead, step_rows) - lead, 1);
        const int64_t blocks = static_cast<int64_t>(columns) * ((height + rows - 1) / rows);
        const double rounds = static_cast<double>((blocks + slots - 1) / slots);
        const double cost = (rounds + uneven) * (rows + lead + step_rows / 2);
        if (cost < lowest_cost) {
            lowest_cost = cost;
            best = rows;
        }
        if (rows <= step_rows || blocks > 8 * slots)
            break;
    }
    return best;
}

template <int C, class Second>
cudaError_t launch_fused(const struct gf_cuda_filter_pass *pass, struct fused_geometry *g, const Second &second,
                         cudaStream_t stream)
{
    constexpr int samples = stored_samples<C, Second>;
    const struct gf_cuda_fused *f = &pass->fused;
    const int columns = (pass->dst.samples + samples - 1) / samples;
    const int height = g->row_chunk.end - g->row_chunk.first;
    const uint64_t slots = static_cast<uint64_t>(gf_cuda_units()) * f->blocks;
    const int lead = f->ring_rows - step_rows + (goes_on<Second> ? 2 : 0);
    g->block_rows = rows_of_block(height, lead, columns, static_cast<int>(gf_cuda_grid(slots)));
    const dim3 grid(columns, (height + g->block_rows - 1) / g->block_rows);
    fused_kernel<C, Second><<<grid, block_threads<C>, f->shared_bytes, stream>>>(pass->src, pass->dst, *g, second);
    return cudaPeekAtLastError();
}

struct fused_geometry geometry_of(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows)
{
    const struct gf_cuda_fused *f = &pass->fused;
    struct fused_geometry g = {};
    g.n_x = f->n_x;
    g.n_y = f->n_y;
    g.anchor_x = f->anchor_x;
    g.anchor_y = f->anchor_y;
    g.tile_pitch = f->tile_pitch;
    g.quads = f->quads;
    g.raw_pitch = f->raw_pitch;
    g.ring_rows = f->ring_rows;
    g.row_chunk = rows;
    g.after = pass->after;
    g.prologue = pass->prologue;
    for (int i = 0; i < f->n_x; i++)
        g.taps_x[i] = f->taps_x[i];
    for (int i = 0; i < f->n_y; i++)
        g.taps_y[i] = f->taps_y[i];
    return g;
}

bool has_few_taps(const struct gf_cuda_fused *f)
{
    return f->n_x < max_taps && f->n_y < max_taps;
}

} // namespace

extern "C" bool gf_cuda_fused_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared)
{
    struct gf_cuda_fused *f = &pass->fused;
    return has_few_taps(f) && gf_dispatch_channels(pass->src.channels, [&](auto c) {
               return plan_memory<c.value>(f, pass->src.dtype, shared);
           });
}

extern "C" bool gf_cuda_fused_second_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared)
{
    struct gf_cuda_fused *f = &pass->fused;
    return has_few_taps(f) && pass->src.channels == 1 &&
           plan_memory<1>(f, pass->src.dtype, shared, sizeof(struct stencil_edges));
}

extern "C" cudaError_t gf_cuda_fused_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                            cudaStream_t stream)
{
    struct fused_geometry g = geometry_of(pass, rows);
    return gf_dispatch_channels(pass->src.channels,
                                [&](auto c) { return launch_fused<c.value>(pass, &g, no_second{}, stream); });
}

extern "C" cudaError_t gf_cuda_fused_second_launch(const struct gf_cuda_filter_pass *pass,
                                                   struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    struct fused_geometry g = geometry_of(pass, rows);
    return launch_fused<1>(pass, &g, pass->second, stream);
}

extern "C" cudaError_t gf_cuda_fused_prepare(void)
{
    return raise_shared_limit(gf_cuda_shared_memory_max(), fused_kernel<1, no_second>, fused_kernel<2, no_second>,
                              fused_kernel<3, no_second>, fused_kernel<4, no_second>,
                              fused_kernel<1, struct gf_cuda_second>);
}
