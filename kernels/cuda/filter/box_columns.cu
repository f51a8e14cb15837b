/* SPDX-License-Identifier: MIT */
/*
 * Window sums down the columns of row sums, docs/numerics.md, "box", and the store of the results. Called by box.cu.
 *
 * A warp walks down 32 adjacent samples. For integers it keeps a running sum: it adds the row that enters the window
 * and subtracts the row that leaves. For f32 it applies the doubling rule row by row: each new row extends every level
 * by one sum, made of the newest sum of the level below and the sum that this level produced half a level earlier. Each
 * level is therefore a ring buffer in shared memory.
 */
#include "filter_pass.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "tile.cuh"

namespace
{

using namespace gf;

constexpr int group = 8;      /* rows loaded before the first one is used */
constexpr int stage_rows = 4; /* rows stored together; each thread stores four samples of one row */
constexpr int min_rows_per_warp = 128;
constexpr int max_top = 8;     /* windows below 2^9; with higher windows the rings leave room for few warps */
constexpr int many_slots = 64; /* ring slots per column; with more slots a block is a single warp */
constexpr int block_warps = 4;

struct column_geometry {
    const void *rows; /* row sums, laid out like the source: f32 or 32-bit integers */
    size_t pitch;
    int32_t samples, height, channels;
    int32_t n, anchor, skip;
    int32_t rows_per_warp; /* rows that a warp stores */
    int32_t slots;         /* ring slots per column */
    uint32_t border;
    struct gf_cuda_box_outside outside;
};

__device__ __forceinline__ float outside_of(const struct column_geometry &g, int c, float)
{
    return g.outside.f32[c];
}

__device__ __forceinline__ int32_t outside_of(const struct column_geometry &g, int c, int32_t)
{
    return g.outside.i32[c];
}

/* A running sum of integers in T. */
template <class T> struct Running {
    using Row = int32_t;
    static constexpr bool leaves = true;
    T acc = 0;

    __device__ Running(const struct column_geometry &, float *)
    {
    }
    /* Returns the sum of the window that `entering` completes, then subtracts `leaving` for the next window. */
    __device__ __forceinline__ float add(int, int32_t entering, int32_t leaving)
    {
        acc += entering;
        const float sum = static_cast<float>(acc);
        acc -= leaving;
        return sum;
    }
};

/* Doubling sums of f32, for windows whose highest bit is between Min and Max. Level k holds its last 2^k sums, each of
 * 2^k rows. */
template <int Min, int Max> struct Doubling {
    using Row = float;
    static constexpr bool leaves = false;
    float *ring;
    int n;

    __device__ Doubling(const struct column_geometry &g, float *rings) : ring(rings), n(g.n)
    {
    }
    __device__ __forceinline__ bool is_top(int k) const
    {
        return Min == Max ? k >= Max : k >= Min && n >> k <= 1;
    }
    __device__ __forceinline__ float add(int p, float v, float)
    {
        float partial_sum[Max + 1] = {};
#pragma unroll
        for (int k = 0; k <= Max; k++) {
            const int mask = (1 << k) - 1, delay = n & mask; /* window rows that follow this partial sum */
            float *level = ring + mask * warp_lanes, *slot = level + (p & mask) * warp_lanes;
            partial_sum[k] = v;
            if (delay != 0 && (n >> k & 1) != 0)
                partial_sum[k] = level[((p - delay) & mask) * warp_lanes];
            if (is_top(k) && delay == 0)
                break;
            const float next = *slot + v;
            *slot = v;
            v = next;
            if (is_top(k))
                break;
        }
        float sum = partial_sum[Max];
#pragma unroll
        for (int k = Max - 1; k >= 0; k--)
            if (is_top(k))
                sum = partial_sum[k];
            else if ((n >> k & 1) != 0)
                sum = sum + partial_sum[k];
        return sum;
    }
};

template <class Sums>
__global__ void __launch_bounds__(block_warps *warp_lanes)
    columns_kernel(const __grid_constant__ struct column_geometry g, const __grid_constant__ struct gf_cuda_target dst)
{
    using Row = typename Sums::Row;
    extern __shared__ __align__(16) float shared[];
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int x0 = (blockIdx.x * (blockDim.x / warp_lanes) + warp) * warp_lanes;
    if (x0 >= g.samples)
        return;
    float *stage = shared + warp * (stage_rows + g.slots) * warp_lanes;
    const int x = min(x0 + lane, g.samples - 1), first = blockIdx.y * g.rows_per_warp;
    const int rows = min(g.rows_per_warp, dst.height - first), top = first + g.skip - g.anchor;
    const Row outside = outside_of(g, x % g.channels, Row());
    Sums sums(g, stage + stage_rows * warp_lanes + lane);
    const auto load = [&](int p) {
        const int y = border_index(g.border, top + p, g.height);
        return y < 0 ? outside : __ldg(row_of<Row>(g.rows, g.pitch, y) + x);
    };

    for (int p0 = 0; p0 < rows + g.n - 1; p0 += group) {
        Row entering[group], leaving[group] = {};
#pragma unroll
        for (int j = 0; j < group; j++) {
            entering[j] = load(p0 + j);
            if (Sums::leaves && p0 + j >= g.n - 1)
                leaving[j] = load(p0 + j - (g.n - 1));
        }
#pragma unroll
        for (int j0 = 0; j0 < group; j0 += stage_rows) {
            const int row = p0 + j0 - (g.n - 1); /* of the chunk */
#pragma unroll
            for (int j = 0; j < stage_rows; j++)
                stage[j * warp_lanes + lane] = sums.add(p0 + j0 + j, entering[j0 + j], leaving[j0 + j]);
            gf_sync_warp();
            constexpr int quads = warp_lanes / quad;
            const int own = lane / quads, at = lane % quads * quad;
            const float4 v = *reinterpret_cast<const float4 *>(stage + own * warp_lanes + at);
            gf_sync_warp();
            const float acc[quad] = {v.x, v.y, v.z, v.w};
            if (row + own >= 0 && row + own < rows)
                finish_row(dst, first + row + own, x0 + at, acc);
        }
    }
}

constexpr size_t warp_bytes(int slots)
{
    return (stage_rows + slots) * warp_lanes * sizeof(float);
}

template <class Sums>
cudaError_t launch(const struct column_geometry &g, const struct gf_cuda_target *dst, cudaStream_t stream)
{
    const int block = g.slots > many_slots ? 1 : block_warps;
    const dim3 grid((g.samples + block * warp_lanes - 1) / (block * warp_lanes),
                    (dst->height + g.rows_per_warp - 1) / g.rows_per_warp);
    columns_kernel<Sums><<<grid, block * warp_lanes, block * warp_bytes(g.slots), stream>>>(g, *dst);
    return cudaPeekAtLastError();
}

int top_of(int n)
{
    return 31 - __builtin_clz(static_cast<unsigned>(n));
}

constexpr int slots_of(int top)
{
    return (2 << top) - 1;
}

/* Returns the highest bit of the windows whose rings fit shared memory. */
int top_that_fits()
{
    return warp_bytes(slots_of(max_top)) <= gf_cuda_shared_memory_max() ? max_top : max_top - 1;
}

cudaError_t launch_doubling(struct column_geometry &g, const struct gf_cuda_target *dst, cudaStream_t stream)
{
    const int top = top_of(g.n);
    g.slots = slots_of(top);
    return top <= 1   ? launch<Doubling<0, 1>>(g, dst, stream)
           : top == 2 ? launch<Doubling<2, 2>>(g, dst, stream)
           : top == 3 ? launch<Doubling<3, 3>>(g, dst, stream)
           : top <= 5 ? launch<Doubling<4, 5>>(g, dst, stream)
                      : launch<Doubling<6, max_top>>(g, dst, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_box_columns_prepare(void)
{
    return raise_shared_limit(warp_bytes(slots_of(top_that_fits())), columns_kernel<Doubling<6, max_top>>);
}

extern "C" bool gf_cuda_box_has_columns(const struct gf_cuda_box *box)
{
    return box->integers || top_of(box->n_y) <= top_that_fits();
}

extern "C" cudaError_t gf_cuda_box_columns_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                                  const struct gf_cuda_box *box, size_t pitch, int32_t skip,
                                                  cudaStream_t stream)
{
    struct column_geometry g = {};
    g.rows = box->planes;
    g.pitch = pitch;
    g.samples = dst->samples;
    g.height = src->height;
    g.channels = src->channels;
    g.n = box->n_y;
    g.anchor = box->anchor_y;
    g.skip = skip;
    g.rows_per_warp = 4 * g.n > min_rows_per_warp ? 4 * g.n : min_rows_per_warp;
    g.border = src->border;
    g.outside = box->rows;
    if (!box->integers)
        return launch_doubling(g, dst, stream);
    /* The row that leaves is subtracted before the next row is added, so no running sum exceeds the sum of a window. */
    const int64_t largest = src->dtype == GF_U8 ? 255 : src->dtype == GF_U16 ? 65535 : 32768;
    return largest * box->n_x * box->n_y > INT32_MAX ? launch<Running<long long>>(g, dst, stream)
                                                     : launch<Running<int32_t>>(g, dst, stream);
}
