/* SPDX-License-Identifier: MIT */
/*
 * The tile of a step of separable_fused.cu: its layout in shared memory, the copies of stored samples into it, and
 * their conversion to f32 with the border. Filling is split in two, so that a block computes while copies are in
 * flight: begin_fill() starts the copies, and finish_fill() converts what has arrived. Included by separable_fused.cu.
 */
#ifndef GF_CUDA_FUSED_TILE_CUH
#define GF_CUDA_FUSED_TILE_CUH

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/filter_pass.h"
#include "kernels/cuda/filter/raw_tile.cuh"

namespace gf
{

/* Adjacent warps of a block. With more channels the column is wider, since the taps reach further to both sides. */
template <int C> constexpr int across = C == 1 ? 1 : 2;
template <int C> constexpr int block_warps = across<C> *warps;
template <int C> constexpr int block_threads = across<C> *threads;
template <int C> constexpr int block_samples = across<C> *warp_span;
template <int C> constexpr int ring_pitch = block_samples<C> + quad;
constexpr int step_rows = warp_lanes;
constexpr int run = warp_span / warps; /* outputs of a lane in a row */
constexpr int max_taps = 256;
constexpr int nothing = -2, constant = -1; /* in place of a source row or sample */

struct fused_geometry {
    float taps_x[max_taps], taps_y[max_taps];
    int32_t n_x, n_y, anchor_x, anchor_y;
    int32_t tile_pitch, quads; /* of a tile row: pitch in floats, and the quads that are filled */
    int32_t raw_pitch;         /* of stored integers and halves, in bytes */
    int32_t ring_rows, block_rows;
    struct gf_cuda_row_chunk row_chunk;
    struct gf_cuda_after after;
    struct gf_cuda_pointwise prologue; /* applied to source samples */
};

/* The shared memory of a block. f32 is copied straight to the tile; integers and halves are copied to `raw` and
 * converted. */
struct fused_memory {
    float *tile, *ring;
    int32_t
        *columns; /* flat source index of each sample of a tile row, or `constant`; written unless the tile is inner */
    char *raw;
};

template <int C> __device__ __forceinline__ struct fused_memory lay_out(float *shared, const struct fused_geometry &g)
{
    struct fused_memory m;
    m.tile = shared;
    m.ring = m.tile + step_rows * g.tile_pitch;
    m.columns = reinterpret_cast<int32_t *>(m.ring + g.ring_rows * ring_pitch<C>);
    m.raw = reinterpret_cast<char *>(m.columns + g.quads * quad);
    return m;
}

/* The position of a tile in the source. */
struct tile_place {
    int flat;           /* first sample, may be outside */
    int top;            /* first row, may be outside */
    int source;         /* the row that the border maps this lane's row to, `constant` or `nothing` */
    bool inner;         /* no sample is outside to the left or right */
    bool sides_in_tile; /* the border maps the samples left and right to samples of this tile */
    bool straight;      /* no row is outside, and all are needed */
};

/* Calls f(row of the tile, quad, source row) for this thread's share of the quads, which is the same on every call. */
template <int C, class F> __device__ __forceinline__ void own_quads(int quads, const struct tile_place &at, F &&f)
{
    constexpr int rows = step_rows / warps;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int first = warp / across<C> * rows, own = warp % across<C> * warp_lanes + lane;
#pragma unroll 1
    for (int i = 0; i < rows; i++)
        f(first + i, own, gf_shuffle(at.source, first + i));
#pragma unroll 1
    for (int q = across<C> * warp_lanes + warp; q < quads; q += block_warps<C>)
        f(lane, q, at.source);
}

/* The tile rows whose stored integers a warp copies and converts, from own_rows_first on. */
template <int C> constexpr int own_rows = step_rows / block_warps<C>;

template <int C> __device__ __forceinline__ int own_rows_first()
{
    return static_cast<int>(threadIdx.x) / warp_lanes * own_rows<C>;
}

/* Returns the first sample of the 16-byte chunk of memory that holds a sample. */
template <class T> __device__ __forceinline__ int chunk_start(int flat)
{
    return flat & ~(chunk / static_cast<int>(sizeof(T)) - 1);
}

/* Copies f32 to the tile, Unit samples at a time: a quad, or one sample where tile rows do not start at a multiple of
 * 16 bytes. */
template <int C, int Unit>
__device__ __forceinline__ void copy_floats(const struct fused_memory &m, const struct gf_cuda_source &src,
                                            const struct fused_geometry &g, const struct tile_place &at)
{
    const int samples = src.width * C;
    own_quads<C>(g.quads, at, [&](int r, int q, int y) {
        const int flat = at.flat + q * quad;
        const float *from = row_of<float>(src.data, src.pitch, y) + flat;
#pragma unroll
        for (int j = 0; j < quad; j += Unit)
            if (y >= 0 && static_cast<unsigned>(flat + j) < static_cast<unsigned>(samples))
                gf_copy_async(m.tile + r * g.tile_pitch + q * quad + j, from + j, Unit * sizeof(float));
    });
}

/* For tiles whose rows are all inside and needed: own_quads written out, with running pointers. */
template <int C>
__device__ __forceinline__ void copy_straight_quads(const struct fused_memory &m, const struct gf_cuda_source &src,
                                                    const struct fused_geometry &g, const struct tile_place &at)
{
    constexpr int rows = step_rows / warps;
    const int samples = src.width * C;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int first = warp / across<C> * rows, own = (warp % across<C> * warp_lanes + lane) * quad;
    const auto is_inside = [&](int i) { return static_cast<unsigned>(at.flat + i) < static_cast<unsigned>(samples); };
    const float *from = row_of<float>(src.data, src.pitch, at.top + first) + at.flat + own;
    float *to = m.tile + first * g.tile_pitch + own;
    if (is_inside(own))
#pragma unroll
        for (int i = 0; i < rows; i++, from = row_of<float>(from, src.pitch, 1), to += g.tile_pitch)
            gf_copy_async(to, from, quad * sizeof(float));
    from = row_of<float>(src.data, src.pitch, at.top + lane) + at.flat;
    to = m.tile + lane * g.tile_pitch;
#pragma unroll 1
    for (int q = across<C> * warp_lanes + warp; q < g.quads; q += block_warps<C>)
        if (is_inside(q * quad))
            gf_copy_async(to + q * quad, from + q * quad, quad * sizeof(float));
}

/* Starts the copies of f32 into the tile. */
template <int C>
__device__ __forceinline__ void begin_fill(float, const struct fused_memory &m, const struct gf_cuda_source &src,
                                           const struct fused_geometry &g, const struct tile_place &at)
{
    if ((at.flat & (quad - 1)) != 0)
        copy_floats<C, 1>(m, src, g, at);
    else if (at.straight)
        copy_straight_quads<C>(m, src, g, at);
    else
        copy_floats<C, quad>(m, src, g, at);
}

/* Starts the copies of integers and halves into `raw`, in chunks. */
template <int C, class T>
__device__ __forceinline__ void begin_fill(T, const struct fused_memory &m, const struct gf_cuda_source &src,
                                           const struct fused_geometry &g, const struct tile_place &at)
{
    constexpr int size = static_cast<int>(sizeof(T)), per = chunk / size;
    const int samples = src.width * C, start = chunk_start<T>(at.flat), end = at.flat + g.quads * quad;
    const int first = own_rows_first<C>(), own = start + static_cast<int>(threadIdx.x) % warp_lanes * per;
    if (at.straight) {
#pragma unroll 1
        for (int flat = own; flat < end; flat += warp_lanes * per) {
            const T *from = row_of<T>(src.data, src.pitch, at.top + first) + flat;
            char *to = m.raw + first * g.raw_pitch + (flat - start) * size;
            if (flat >= 0 && flat + per <= samples)
#pragma unroll
                for (int r = 0; r < own_rows<C>; r++, from = row_of<T>(from, src.pitch, 1), to += g.raw_pitch)
                    gf_copy_async(to, from, chunk);
            else if (flat >= 0 && flat < samples)
#pragma unroll 1
                for (int r = 0; r < own_rows<C>; r++, from = row_of<T>(from, src.pitch, 1), to += g.raw_pitch)
#pragma unroll 1
                    for (int i = 0; i < samples - flat; i += quad)
                        gf_copy_async(to + i * size, from + i, quad * sizeof(T));
        }
        return;
    }
/* Unrolled: as a loop it would cost the column pass its uniform registers. */
#pragma unroll
    for (int r = first; r < first + own_rows<C>; r++) {
        const int y = gf_shuffle(at.source, r);
        if (y < 0)
            continue;
        const T *from = row_of<T>(src.data, src.pitch, y);
        char *to = m.raw + r * g.raw_pitch;
#pragma unroll 1
        for (int flat = own; flat < end; flat += warp_lanes * per) {
            if (flat >= 0 && flat + per <= samples)
                gf_copy_async(to + (flat - start) * size, from + flat, chunk);
            else if (flat >= 0)
#pragma unroll 1
                for (int i = flat; i < min(flat + per, samples); i += quad)
                    gf_copy_async(to + (i - start) * size, from + i, quad * sizeof(T));
        }
    }
}

/* Return four samples of `raw` from sample i on. They read one word more. */
__device__ __forceinline__ float4 raw_quad(uint8_t, const char *raw, int i)
{
    const auto *from = reinterpret_cast<const uint32_t *>(raw) + i / quad;
    const uint32_t v = __funnelshift_r(from[0], from[1], 8 * (i % quad));
    return make_float4(v & 255u, v >> 8 & 255u, v >> 16 & 255u, v >> 24);
}

__device__ __forceinline__ float4 raw_quad(uint16_t, const char *raw, int i)
{
    const auto *from = reinterpret_cast<const uint32_t *>(raw) + i / 2;
    const uint32_t v = __funnelshift_r(from[0], from[1], 16 * (i % 2));
    const uint32_t w = __funnelshift_r(from[1], from[2], 16 * (i % 2));
    return make_float4(v & 65535u, v >> 16, w & 65535u, w >> 16);
}

__device__ __forceinline__ float4 raw_quad(int16_t, const char *raw, int i)
{
    const auto *from = reinterpret_cast<const uint32_t *>(raw) + i / 2;
    const int32_t v = __funnelshift_r(from[0], from[1], 16 * (i % 2));
    const int32_t w = __funnelshift_r(from[1], from[2], 16 * (i % 2));
    return make_float4(static_cast<int16_t>(v), v >> 16, static_cast<int16_t>(w), w >> 16);
}

__device__ __forceinline__ float4 raw_quad(__half, const char *raw, int i)
{
    const auto *from = reinterpret_cast<const uint32_t *>(raw) + i / 2;
    return halves(
        make_uint2(__funnelshift_r(from[0], from[1], 16 * (i % 2)), __funnelshift_r(from[1], from[2], 16 * (i % 2))));
}

__device__ __forceinline__ float4 raw_quad(float, const char *, int)
{
    return {};
}

/* Converts plain samples of this warp's rows, including the undefined contents of `raw` that stand for samples outside:
 * a quad per lane in all rows at once; then a remainder of at most half a warp of quads is spread over the lanes. */
template <int C, class T>
__device__ __forceinline__ void convert_plain(const struct fused_memory &m, const struct fused_geometry &g,
                                              const struct tile_place &at)
{
    const int first = own_rows_first<C>(), lane = threadIdx.x % warp_lanes, shift = at.flat - chunk_start<T>(at.flat);
    const int side = (g.quads + warp_lanes / 2 - 1) / warp_lanes * warp_lanes, left = g.quads - side;
#pragma unroll 1
    for (int q = lane; q < min(side, g.quads); q += warp_lanes) {
        const char *from = m.raw + first * g.raw_pitch;
        float *to = m.tile + first * g.tile_pitch + q * quad;
#pragma unroll
        for (int r = 0; r < own_rows<C>; r++, from += g.raw_pitch, to += g.tile_pitch)
            *reinterpret_cast<float4 *>(to) = raw_quad(T{}, from, shift + q * quad);
    }
#pragma unroll 1
    for (int i = lane; i < own_rows<C> * left; i += warp_lanes) {
        const int r = first + i / left, q = side + i % left;
        *reinterpret_cast<float4 *>(m.tile + r * g.tile_pitch + q * quad) =
            raw_quad(T{}, m.raw + r * g.raw_pitch, shift + q * quad);
    }
}

/* Then writes the samples outside to both sides of this warp's rows, which the border maps into `raw`. The warp
 * synchronises first, because other lanes have written undefined values there. */
template <int C, class T>
__device__ __forceinline__ void place_plain_sides(const struct fused_memory &m, const struct gf_cuda_source &src,
                                                  const struct fused_geometry &g, const struct tile_place &at)
{
    const int first = own_rows_first<C>(), start = chunk_start<T>(at.flat), samples = src.width * C;
    const int left = max(-at.flat, 0), right = max(samples - at.flat, left);
    const int right_end = min(g.quads * quad, samples - at.flat + (g.n_x - 1 - g.anchor_x) * C);
    const int n = left + max(right_end - right, 0);
    gf_sync_warp();
#pragma unroll 1
    for (int i = threadIdx.x % warp_lanes; i < own_rows<C> * n; i += warp_lanes) {
        const int r = first + i % own_rows<C>, k = i / own_rows<C>, x = k < left ? k : k - left + right;
        const T *row = reinterpret_cast<const T *>(m.raw + r * g.raw_pitch);
        m.tile[r * g.tile_pitch + x] = static_cast<float>(row[m.columns[x] - start]);
    }
}

__device__ __forceinline__ float4 with_prologue(const struct fused_geometry &g, const float4 &from)
{
    float v[quad] = {from.x, from.y, from.z, from.w};
    run_pointwise(g.prologue, v);
    return make_float4(v[0], v[1], v[2], v[3]);
}

/* Converts the quads of this warp's rows that are inside, and fills rows of the constant border. */
template <int C, class T>
__device__ __forceinline__ void convert_rows(const struct fused_memory &m, const struct gf_cuda_source &src,
                                             const struct fused_geometry &g, const struct tile_place &at, bool plain)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const int start = wide ? at.flat : chunk_start<T>(at.flat), samples = src.width * C;
    const int first = own_rows_first<C>();
#pragma unroll 1
    for (int r = first; r < first + own_rows<C>; r++) {
        const int y = gf_shuffle(at.source, r);
        if (y == nothing || (wide && plain && y >= 0))
            continue;
#pragma unroll 1
        for (int q = threadIdx.x % warp_lanes; q < g.quads; q += warp_lanes) {
            const int flat = at.flat + q * quad;
            float *to = m.tile + r * g.tile_pitch + q * quad;
            if (y == constant) {
#pragma unroll
                for (int j = 0; j < quad; j++)
                    to[j] = src.outside[flat + j - pixel_of<C>(flat + j) * C];
            } else if (at.inner || (flat >= 0 && flat + quad <= samples)) {
                float4 v =
                    wide ? *reinterpret_cast<float4 *>(to) : raw_quad(T{}, m.raw + r * g.raw_pitch, flat - start);
                if (!plain)
                    v = with_prologue(g, prepared_quad<C>(src, v));
                *reinterpret_cast<float4 *>(to) = v;
            }
        }
    }
}

/* Fills the quads that hold samples outside to both sides. They are few, so a lane takes a row. Plain samples are read
 * from the tile or `raw` where the border maps to them, other samples from memory. */
template <int C, class T>
__device__ __forceinline__ void place_sides(const struct fused_memory &m, const struct gf_cuda_source &src,
                                            const struct fused_geometry &g, const struct tile_place &at, bool plain)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const int start = wide ? at.flat : chunk_start<T>(at.flat), samples = src.width * C;
    const int row = threadIdx.x % warp_lanes, left = round_up(max(-at.flat, 0), quad);
    const int right = min(max(left, (samples - at.flat) / quad * quad), g.quads * quad);
    const int right_end = min(g.quads * quad, samples - at.flat + (g.n_x - 1 - g.anchor_x) * C);
    float *to = m.tile + row * g.tile_pitch;
    const T *nearest = wide ? reinterpret_cast<const T *>(to) : reinterpret_cast<const T *>(m.raw + row * g.raw_pitch);
    const int n = left + max(right_end - right, 0);
#pragma unroll 4
    for (int i = threadIdx.x / warp_lanes; i < n && plain && at.sides_in_tile; i += block_warps<C>) {
        const int x = i < left ? i : i - left + right, from = m.columns[x] - start;
        if (!wide || from != x) /* otherwise it is in place, and others may be reading it */
            to[x] = static_cast<float>(nearest[from]);
    }
#pragma unroll 1
    for (int i = threadIdx.x / warp_lanes; i < n && !(plain && at.sides_in_tile); i += block_warps<C>) {
        const int x = i < left ? i : i - left + right, from = m.columns[x];
        if (wide && plain && from >= 0 && from == at.flat + x)
            continue;
        const int c = at.flat + x - pixel_of<C>(at.flat + x) * C;
        float v[1] = {src.outside[c]};
        if (from >= 0) {
            v[0] = load_sample<T>(src, row_of<T>(src.data, src.pitch, at.source), from, c, C);
            run_pointwise(g.prologue, v);
        }
        to[x] = v[0];
    }
}

/* Converts the copied samples and fills in the border. */
template <int C, class T>
__device__ __forceinline__ void finish_fill(const struct fused_memory &m, const struct gf_cuda_source &src,
                                            const struct fused_geometry &g, const struct tile_place &at)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const bool plain = src.decode == nullptr && !src.premultiply && g.prologue.n == 0;
    const bool whole_rows = plain && (at.straight || src.border != GF_BORDER_CONSTANT); /* no row is the constant */
    if (whole_rows && (at.inner || (!wide && at.sides_in_tile))) {
        if (wide)
            return;
        convert_plain<C, T>(m, g, at);
        if (!at.inner)
            place_plain_sides<C, T>(m, src, g, at);
        return;
    }
    if (!wide || !whole_rows)
        convert_rows<C, T>(m, src, g, at, plain);
    if (!at.inner && at.source >= 0)
        place_sides<C, T>(m, src, g, at, plain);
}

} // namespace gf

#endif
