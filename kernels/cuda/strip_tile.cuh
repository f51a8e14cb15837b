/* SPDX-License-Identifier: MIT */
/*
 * The tile of a step of separable_strips.cu: its shared memory, which stored samples are brought there, and how they
 * become values, with what a border puts around them. Included by separable_strips.cu.
 */
#ifndef GF_CUDA_STRIP_TILE_CUH
#define GF_CUDA_STRIP_TILE_CUH

#include <cuda_pipeline.h>

#include "tile.cuh"

namespace gf
{

constexpr int step_rows = warp_lanes;
constexpr int run = strip / warps; /* outputs of a row */
constexpr int most_taps = 256;
constexpr int ring_pitch = strip + quad;
constexpr int taps_before = 8;             /* room before and after the taps of the columns, read and not used */
constexpr int nothing = -2, constant = -1; /* in place of a row or a sample of the source */

struct strip_geometry {
    float taps_x[most_taps], taps_y[taps_before + most_taps + taps_before];
    int32_t n_x, n_y, anchor_x, anchor_y;
    int32_t tile_pitch, quads; /* of a row of the tile: floats, and those that are filled */
    int32_t ring_rows, block_rows;
    struct gf_cuda_band band;
    struct gf_cuda_after after;
};

/* A block's shared memory. */
struct strip_memory {
    float *tile, *ring;
    int32_t *columns; /* flat source index of each sample of a tile's row, or `constant` */
    char *raw;        /* stored samples of integers, quads + 1 to a row */
};

__device__ __forceinline__ struct strip_memory lay_out(float *shared, const struct strip_geometry &g)
{
    struct strip_memory m;
    m.tile = shared;
    m.ring = m.tile + step_rows * g.tile_pitch;
    m.columns = reinterpret_cast<int32_t *>(m.ring + g.ring_rows * ring_pitch);
    m.raw = reinterpret_cast<char *>(m.columns + g.quads * quad);
    return m;
}

/* Where the tile of a step lies. */
struct tile_place {
    int flat;      /* first sample, maybe outside */
    int top;       /* first row, maybe outside */
    int source;    /* the row that a border makes of this lane's, `constant` or `nothing` */
    bool inner;    /* no sample is outside to the left or right */
    bool straight; /* no row is outside, all are needed */
};

/* Calls f(row of the tile, quad, source row) for some of the quads of the tile, each thread always for the same. */
template <class F> __device__ __forceinline__ void own_quads(int quads, const struct tile_place &at, F &&f)
{
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, first = warp * (step_rows / warps);
    if (at.straight) {
#pragma unroll
        for (int i = 0; i < step_rows / warps; i++)
            f(first + i, lane, at.top + first + i);
    } else {
#pragma unroll 1
        for (int i = 0; i < step_rows / warps; i++)
            f(first + i, lane, __shfl_sync(0xFFFFFFFFu, at.source, first + i));
    }
#pragma unroll 1
    for (int q = warp_lanes + warp; q < quads; q += warps)
        f(lane, q, at.source);
}

/* Asks for the stored samples of a tile: f32 into the tile, others into `raw`. */
template <class T>
__device__ __forceinline__ void ask(const struct strip_memory &m, const struct gf_cuda_source &src,
                                    const struct strip_geometry &g, const struct tile_place &at)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const int shift = at.flat & (quad - 1), samples = src.width * src.channels;
    if (wide && shift != 0) {
        own_quads(g.quads, at, [&](int r, int q, int y) {
            const int flat = at.flat + q * quad;
            const float *from = row_of<float>(src.data, src.pitch, y) + flat;
#pragma unroll
            for (int j = 0; j < quad; j++)
                if (y >= 0 && static_cast<unsigned>(flat + j) < static_cast<unsigned>(samples))
                    __pipeline_memcpy_async(m.tile + r * g.tile_pitch + q * quad + j, from + j, sizeof(float));
        });
    } else {
        own_quads(g.quads + (shift != 0), at, [&](int r, int q, int y) {
            const int flat = at.flat - shift + q * quad;
            void *to = wide ? static_cast<void *>(m.tile + r * g.tile_pitch + q * quad)
                            : m.raw + (r * (g.quads + 1) + q) * (quad * static_cast<int>(sizeof(T)));
            if (y >= 0 && static_cast<unsigned>(flat) < static_cast<unsigned>(samples))
                __pipeline_memcpy_async(to, row_of<T>(src.data, src.pitch, y) + flat, quad * sizeof(T));
        });
    }
    __pipeline_commit();
}

/* A quad of `raw`, `shift` samples on. */
__device__ __forceinline__ float4 raw_quad(uint8_t, const char *raw, int i, int shift)
{
    const auto *from = reinterpret_cast<const uint32_t *>(raw) + i;
    const uint32_t v = shift == 0 ? from[0] : __funnelshift_r(from[0], from[1], 8 * shift);
    return make_float4(v & 255u, v >> 8 & 255u, v >> 16 & 255u, v >> 24);
}

__device__ __forceinline__ float4 raw_quad(uint16_t, const char *raw, int i, int shift)
{
    const auto *from = reinterpret_cast<const ushort4 *>(raw) + i;
    if (shift == 0)
        return make_float4(from->x, from->y, from->z, from->w);
    const auto *one = reinterpret_cast<const uint16_t *>(from) + shift;
    return make_float4(one[0], one[1], one[2], one[3]);
}

__device__ __forceinline__ float4 raw_quad(float, const char *, int, int)
{
    return {};
}

/* Makes values of what has come, and puts in what lies outside. */
template <int C, class T>
__device__ __forceinline__ void settle(const struct strip_memory &m, const struct gf_cuda_source &src,
                                       const struct strip_geometry &g, const struct tile_place &at)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const bool plain = src.decode == nullptr && !src.premultiply;
    const int shift = at.flat & (quad - 1), samples = src.width * C;
    if (wide && plain && at.inner && at.straight)
        return;
    own_quads(g.quads, at, [&](int r, int q, int y) {
        const int flat = at.flat + q * quad;
        float *to = m.tile + r * g.tile_pitch + q * quad;
        if (y == nothing)
            return;
        if (y >= 0 && (at.inner || (flat >= 0 && flat + quad <= samples))) {
            if (wide && plain)
                return;
            float4 v = wide ? *reinterpret_cast<float4 *>(to) : raw_quad(T{}, m.raw, r * (g.quads + 1) + q, shift);
            if (!plain)
                v = prepared_quad<C>(src, v);
            *reinterpret_cast<float4 *>(to) = v;
            return;
        }
        if (y == constant)
#pragma unroll
            for (int j = 0; j < quad; j++)
                to[j] = src.outside[flat + j - pixel_of<C>(flat + j) * C];
    });
    if (at.inner || at.source < 0)
        return;
    /* The other quads: a lane has a row, since they are few. Most samples are in the tile as well. */
    const int row = threadIdx.x % warp_lanes, left = round_up(max(-at.flat, 0), quad);
    const int right = min(max(left, (samples - at.flat) / quad * quad), g.quads * quad);
    const int right_end = min(g.quads * quad, samples - at.flat + (g.n_x - 1 - g.anchor_x) * C);
    const int start = wide ? at.flat : at.flat - shift;
    float *to = m.tile + row * g.tile_pitch;
    const T *near =
        wide ? reinterpret_cast<const T *>(to) : reinterpret_cast<const T *>(m.raw) + row * (g.quads + 1) * quad;
    for (int i = threadIdx.x / warp_lanes; i < left + max(right_end - right, 0); i += warps) {
        const int x = i < left ? i : i - left + right, from = m.columns[x];
        if (wide && plain && from >= 0 && from == at.flat + x)
            continue; /* it is there, and others may be reading it */
        const unsigned distance = from - start;
        if (plain && from >= 0 && distance < static_cast<unsigned>(g.quads * quad)) {
            to[x] = static_cast<float>(near[distance]);
        } else {
            const int c = at.flat + x - pixel_of<C>(at.flat + x) * C;
            to[x] =
                from < 0 ? src.outside[c] : load_sample<T>(src, row_of<T>(src.data, src.pitch, at.source), from, c, C);
        }
    }
}

} // namespace gf

#endif
