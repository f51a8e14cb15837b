/* SPDX-License-Identifier: MIT */
/*
 * Both passes of one-dimensional taps in one kernel, docs/numerics.md 5. Called by separable.cu where it measures
 * faster. A block goes down a strip of 128 samples, 32 rows a step: stored samples into a tile, rows of the tile into a
 * ring of f32 rows, columns of the ring into the target, while the next tile is on its way. A thread owns 32 outputs of
 * either pass: of one row there, of four columns and eight rows here.
 */
#include "kernels/filter.h"
#include "separable.cuh"
#include "strip_tile.cuh"

namespace
{

using namespace gf;

/* Adds N taps to the outputs of a row, whose first sample under these taps is at `from`. */
template <int C, int N>
__device__ __forceinline__ void add_row_taps(float (&acc)[run], const float *from, const float *taps)
{
    constexpr int window = round_up(run + (N - 1) * C, quad);
    float w[N], v[window];
#pragma unroll
    for (int q = 0; q < N; q++)
        w[q] = taps[q];
#pragma unroll
    for (int i = 0; i < window; i += quad)
        *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(from + i);
#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
        for (int j = 0; j < run; j++)
            acc[j] = __fmaf_rn(v[j + k * C], w[k], acc[j]);
}

/* The rows: a lane has a row of the tile, a warp a quarter of its outputs. */
template <int C> __device__ __forceinline__ void pass_row(const float *from, float *to, const float *taps, int n)
{
    constexpr int group = 8, rest = quad - 1, window = round_up(run + (rest - 1) * C, quad);
    float acc[run] = {};
    int k = 0;
#pragma unroll 1
    for (; k + group <= n; k += group)
        add_row_taps<C, group>(acc, from + k * C, taps + k);
#pragma unroll 1
    for (; k + quad <= n; k += quad)
        add_row_taps<C, quad>(acc, from + k * C, taps + k);
    if (k < n) {
        float v[window];
#pragma unroll
        for (int i = 0; i < window; i += quad)
            *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(from + k * C + i);
#pragma unroll
        for (int t = 0; t < rest; t++)
            if (k + t < n) {
                const float w = taps[k + t];
#pragma unroll
                for (int j = 0; j < run; j++)
                    acc[j] = __fmaf_rn(v[j + t * C], w, acc[j]);
            }
    }
#pragma unroll
    for (int j = 0; j < run; j += quad)
        *reinterpret_cast<float4 *>(to + j) = make_float4(acc[j], acc[j + 1], acc[j + 2], acc[j + 3]);
}

/*
 * Adds what eight rows of the ring give to eight outputs below each other, four side by side. Row j and output r meet
 * at tap k + j - r; taps from `first` on and before `end` are there.
 */
template <bool All>
__device__ __forceinline__ void add_columns(float (&acc)[rows_per_thread][quad], const float *rows, const float *taps,
                                            int first, int end)
{
    float4 v[rows_per_thread];
    float w[2 * rows_per_thread];
#pragma unroll
    for (int q = 1; q < 2 * rows_per_thread; q++)
        w[q] = taps[q - rows_per_thread];
#pragma unroll
    for (int j = 0; j < rows_per_thread; j++)
        v[j] = *reinterpret_cast<const float4 *>(rows + j * ring_pitch);
#pragma unroll
    for (int d = 1 - rows_per_thread; d < rows_per_thread; d++) {
        if (!All && d < first)
            continue;
        if (!All && d >= end)
            break;
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++) {
            const int j = r + d;
            if (j < 0 || j >= rows_per_thread)
                continue;
            acc[r][0] = __fmaf_rn(v[j].x, w[d + rows_per_thread], acc[r][0]);
            acc[r][1] = __fmaf_rn(v[j].y, w[d + rows_per_thread], acc[r][1]);
            acc[r][2] = __fmaf_rn(v[j].z, w[d + rows_per_thread], acc[r][2]);
            acc[r][3] = __fmaf_rn(v[j].w, w[d + rows_per_thread], acc[r][3]);
        }
    }
}

/* The columns, from row `row` of the ring on. */
__device__ __forceinline__ void pass_columns(float (&acc)[rows_per_thread][quad], const float *ring, int row,
                                             int ring_rows, const float *taps, int n)
{
#pragma unroll 1
    for (int k = 0; k < n + rows_per_thread - 1; k += rows_per_thread) {
        if (k > 0 && k + rows_per_thread <= n)
            add_columns<true>(acc, ring + row * ring_pitch, taps + k, -k, n - k);
        else
            add_columns<false>(acc, ring + row * ring_pitch, taps + k, -k, n - k);
        row += rows_per_thread;
        if (row >= ring_rows)
            row -= ring_rows;
    }
}

/* True where one of two rows has a NaN. */
__device__ __forceinline__ bool any_nan(const float (&a)[quad], const float (&b)[quad])
{
    uint32_t any;
    asm("{\n\t.reg .pred p;\n\tsetp.nan.f32 p, %1, %2;\n\tsetp.nan.or.f32 p, %3, %4, p;\n\t"
        "setp.nan.or.f32 p, %5, %6, p;\n\tsetp.nan.or.f32 p, %7, %8, p;\n\tselp.b32 %0, 1, 0, p;\n\t}"
        : "=r"(any)
        : "f"(a[0]), "f"(a[1]), "f"(a[2]), "f"(a[3]), "f"(b[0]), "f"(b[1]), "f"(b[2]), "f"(b[3]));
    return any != 0;
}

/* Finishes and stores the outputs of a thread in a plain target. */
template <class T>
__device__ __forceinline__ void finish_columns(const struct gf_cuda_target &dst, int y, int end, int x,
                                               float (&acc)[rows_per_thread][quad])
{
    T *out = row_of<T>(dst.data, dst.pitch, y) + x;
    T s[rows_per_thread][quad];
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
#pragma unroll
        for (int j = 0; j < quad; j++)
            acc[r][j] = __fmaf_rn(acc[r][j], dst.scale, dst.offset);
#pragma unroll
    for (int r = 0; r < rows_per_thread; r += 2) {
        const bool checked = sizeof(T) < sizeof(float) || any_nan(acc[r], acc[r + 1]);
#pragma unroll
        for (int j = 0; j < quad; j++) {
            s[r][j] = checked ? to_stored(T{}, acc[r][j]) : static_cast<T>(acc[r][j]);
            s[r + 1][j] = checked ? to_stored(T{}, acc[r + 1][j]) : static_cast<T>(acc[r + 1][j]);
        }
    }
    if (y + rows_per_thread <= end && x + quad <= dst.samples) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
            store_quad(row_of<T>(out, dst.pitch, r), s[r]);
        return;
    }
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        if (y + r < end)
            store_values<T>(dst, y + r, x, s[r]);
}

/* The same in any target, with what comes between: by turns through `spare`, as in finish_rows. */
__device__ __forceinline__ void finish_carefully(const struct gf_cuda_source &src, const struct gf_cuda_target &dst,
                                                 const struct gf_cuda_after &after, int y, int end, int x,
                                                 const float (&acc)[rows_per_thread][quad], float *spare)
{
    float4 *own = reinterpret_cast<float4 *>(spare) + threadIdx.x;
    if (x >= dst.samples)
        return;
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        own[r * threads] = make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
#pragma unroll 1
    for (int r = 0; r < rows_per_thread && y + r < end; r++) {
        const float4 v = own[r * threads];
        float one[quad] = {v.x, v.y, v.z, v.w};
        if (after.what == GF_AFTER_SUM)
            apply_sum(after, y + r, x, one);
        else if (after.what == GF_AFTER_UNSHARP)
            apply_unsharp(after, src, y + r, x, one);
        finish_quad(dst, y + r, x, one);
    }
}

constexpr int most_blocks = 4; /* of a multiprocessor, by their registers */

template <int C>
__global__ void __launch_bounds__(threads, most_blocks)
    strips_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                  const __grid_constant__ struct strip_geometry g)
{
    extern __shared__ __align__(16) float shared[];
    const struct strip_memory m = lay_out(shared, g);
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int x0 = blockIdx.x * strip, first = g.band.first + blockIdx.y * g.block_rows;
    const int end = min(first + g.block_rows, g.band.end);
    const int lead = g.ring_rows - step_rows; /* what the columns of a step look back to */
    const int top = first - g.anchor_y, bottom = end - g.anchor_y + g.n_y - 1;
    const bool plain = is_plain(dst) && g.after.what == GF_AFTER_NOTHING;
    const bool tile_is_spare = !plain && src.dtype == GF_F32; /* so that the next one has to wait */

    struct tile_place at = {};
    at.flat = x0 - g.anchor_x * C;
    at.inner = at.flat >= 0 && at.flat + g.quads * quad <= src.width * C;
    for (int i = threadIdx.x; i < g.quads * quad && !at.inner; i += threads) {
        const int px = pixel_of<C>(at.flat + i), x = border_index(src.border, px, src.width);
        m.columns[i] = x < 0 ? constant : x * C + at.flat + i - px * C;
    }
    const auto ask_for = [&](int y) {
        at.top = y;
        at.straight = y >= 0 && y + step_rows <= min(src.height, bottom);
        at.source = y + lane < bottom ? border_index(src.border, y + lane, src.height) : nothing;
        gf_dispatch(src.dtype, [&](auto tag) { ask<decltype(tag)>(m, src, g, at); });
    };
    ask_for(top);
    int head = 0; /* of the ring */
    for (int s = 0; first + s - lead < end; s += step_rows) {
        __pipeline_wait_prior(0);
        if (!at.inner || (src.dtype != GF_F32 && (at.flat & (quad - 1)) != 0) || !plain)
            __syncthreads();
        gf_dispatch(src.dtype, [&](auto tag) { settle<C, decltype(tag)>(m, src, g, at); });
        __syncthreads();
        const int put = head + lane < g.ring_rows ? head + lane : head + lane - g.ring_rows;
        pass_row<C>(m.tile + lane * g.tile_pitch + warp * run, m.ring + put * ring_pitch + warp * run, g.taps_x, g.n_x);
        __syncthreads();
        if (!tile_is_spare)
            ask_for(top + s + step_rows);
        head = head + step_rows < g.ring_rows ? head + step_rows : head + step_rows - g.ring_rows;

        const int y = first + s - lead + warp * rows_per_thread, x = x0 + lane * quad;
        if (y >= first && y < end) {
            float acc[rows_per_thread][quad] = {};
            const int row = head + warp * rows_per_thread;
            pass_columns(acc, m.ring + lane * quad, row < g.ring_rows ? row : row - g.ring_rows, g.ring_rows,
                         g.taps_y + taps_before, g.n_y);
            if (!plain)
                finish_carefully(src, dst, g.after, y, end, x, acc, m.tile);
            else if (x < dst.samples)
                gf_dispatch_target(dst.dtype, [&](auto tag) { finish_columns<decltype(tag)>(dst, y, end, x, acc); });
        }
        if (tile_is_spare) {
            __syncthreads();
            ask_for(top + s + step_rows);
        }
    }
}

/* What a block needs; the geometry of its memory. */
size_t set_memory(struct strip_geometry *g, const struct gf_cuda_source *src)
{
    const size_t sample = src->dtype == GF_F32 ? 0 : src->dtype == GF_U16 ? sizeof(uint16_t) : sizeof(uint8_t);
    g->quads = round_up(strip + (g->n_x - 1) * src->channels, quad) / quad;
    g->tile_pitch = (g->quads + (2 * src->channels + quad - 1) / quad | 1) * quad; /* odd: rows in different banks */
    g->ring_rows = round_up(g->n_y - 1, rows_per_thread) + step_rows;
    const size_t floats = static_cast<size_t>(step_rows) * g->tile_pitch +
                          static_cast<size_t>(g->ring_rows) * ring_pitch + static_cast<size_t>(g->quads) * quad;
    return floats * sizeof(float) + static_cast<size_t>(step_rows) * (g->quads + 1) * quad * sample;
}

struct strip_geometry geometry_of(const struct gf_cuda_separable *sep)
{
    struct strip_geometry g = {};
    g.n_x = sep->n_x;
    g.n_y = sep->n_y;
    g.anchor_x = sep->anchor_x;
    g.anchor_y = sep->anchor_y;
    g.after = sep->after;
    return g;
}

/* Blocks of a kernel that a multiprocessor takes at once. */
int blocks_at_once(size_t bytes)
{
    int device = 0, room = 0, reserved = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    (void)cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
    return min(static_cast<int>(room / (bytes + reserved)), most_blocks);
}

/* Rows of a block: as many as make all blocks end together, with little work done twice. */
int rows_of_block(const struct strip_geometry &g, int strips, int slots)
{
    const int height = g.band.end - g.band.first, lead = g.ring_rows - step_rows;
    int best = height;
    int64_t least = INT64_MAX;
    for (int pieces = 1; pieces <= height; pieces++) {
        const int rows = max(round_up((height + pieces - 1) / pieces + lead, step_rows) - lead, 1);
        const int64_t blocks = static_cast<int64_t>(strips) * ((height + rows - 1) / rows);
        const int64_t cost = (blocks + slots - 1) / slots * (rows + lead + step_rows / 2);
        if (cost < least) {
            least = cost;
            best = rows;
        }
        if (rows <= step_rows || blocks > 8 * slots)
            break;
    }
    return best;
}

template <int C>
cudaError_t launch_strips(const struct gf_cuda_source *src, const struct gf_cuda_target *dst, struct strip_geometry *g,
                          cudaStream_t stream)
{
    int device = 0, units = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    const size_t bytes = set_memory(g, src);
    const int strips = (dst->samples + strip - 1) / strip;
    g->block_rows = rows_of_block(*g, strips, units * max(blocks_at_once(bytes), 1));
    const dim3 grid(strips, (g->band.end - g->band.first + g->block_rows - 1) / g->block_rows);
    strips_kernel<C><<<grid, threads, bytes, stream>>>(*src, *dst, *g);
    return cudaPeekAtLastError();
}

template <int C> cudaError_t prepare_strips(int most)
{
    return cudaFuncSetAttribute(strips_kernel<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}

} // namespace

extern "C" bool gf_cuda_separable_in_strips(const struct gf_cuda_source *src, const struct gf_cuda_separable *sep)
{
    struct strip_geometry g = geometry_of(sep);
    return sep->n_x < most_taps && sep->n_y < most_taps && blocks_at_once(set_memory(&g, src)) >= 2;
}

extern "C" cudaError_t gf_cuda_strips_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                             const struct gf_cuda_separable *sep, struct gf_cuda_band band,
                                             cudaStream_t stream)
{
    struct strip_geometry g = geometry_of(sep);
    g.band = band;
    for (int i = 0; i < sep->n_x; i++)
        g.taps_x[i] = sep->host_x[i];
    for (int i = 0; i < sep->n_y; i++)
        g.taps_y[taps_before + i] = sep->host_y[i];
    return src->channels == 1   ? launch_strips<1>(src, dst, &g, stream)
           : src->channels == 2 ? launch_strips<2>(src, dst, &g, stream)
           : src->channels == 3 ? launch_strips<3>(src, dst, &g, stream)
                                : launch_strips<4>(src, dst, &g, stream);
}

extern "C" cudaError_t gf_cuda_strips_prepare(void)
{
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = prepare_strips<1>(most);
    if (error == cudaSuccess)
        error = prepare_strips<2>(most);
    if (error == cudaSuccess)
        error = prepare_strips<3>(most);
    return error == cudaSuccess ? prepare_strips<4>(most) : error;
}
