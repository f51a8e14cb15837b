/* SPDX-License-Identifier: MIT */
/*
 * Integral images of f32 with one channel, in the order of docs/numerics.md, "Trees of scans". Called by integral.c. A
 * warp takes 512 columns, 16 per lane: a group of a row's tree. Five launches follow each other; they write the totals
 * of the groups, the prefix of each group in its row, the column totals of row chunks of 64 rows, the prefix of each
 * row chunk, and the results. Missing elements are -0, which changes no sum.
 */
#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "scan_run.h"
#include "scan_tile.cuh"

namespace
{

using namespace gf;

constexpr int lanes = 32, quad = 4;
constexpr int run = scan_row, group_columns = warp_elements;
constexpr int warps = 4;
constexpr int max_blocks = 16; /* per row, for the longest side */
constexpr double absent = -0.0;

static_assert(GF_SCAN_BLOCK * max_blocks > 65535 && GF_SCAN_GROUP == lanes, "a block's sums come from one warp");

struct before {
    double group, block; /* prefix within the block, prefix of the block */
};

struct groups {
    const void *src;
    void *dst;
    uint64_t src_pitch, dst_pitch;
    uint32_t width, height, n_groups, n_row_chunks;
    bool square, aligned;  /* aligned: result rows begin at multiples of 16 bytes */
    double *totals;        /* n_groups rows of `height` totals */
    struct before *before; /* n_groups rows of `height` prefixes */
    double *row_chunks;    /* n_row_chunks rows of n_groups * 512 columns: first totals, then the sums of all row chunks
                              above */
};

__device__ __forceinline__ void load_run(const struct groups &g, uint32_t y, uint32_t x, float (&v)[run])
{
    const float *from = reinterpret_cast<const float *>(static_cast<const char *>(g.src) + y * g.src_pitch) + x;
    if (x + run <= g.width) {
#pragma unroll
        for (int i = 0; i < run; i += quad)
            *reinterpret_cast<float4 *>(v + i) = __ldg(reinterpret_cast<const float4 *>(from + i));
        return;
    }
#pragma unroll
    for (int i = 0; i < run; i++)
        v[i] = x + i < g.width ? __ldg(from + i) : static_cast<float>(absent);
}

/* Computes the running sums of a row of the tree. Samples past the end are absent. */
__device__ __forceinline__ void sum_run(const struct groups &g, const float (&v)[run], uint32_t x, double (&s)[run])
{
#pragma unroll
    for (int i = 0; i < run; i++) {
        const double one = v[i];
        s[i] = g.square && x + i < g.width ? __dmul_rn(one, one) : one;
        if (i > 0)
            s[i] = __dadd_rn(s[i - 1], s[i]);
    }
}

__global__ void __launch_bounds__(warps *lanes) totals_kernel(const __grid_constant__ struct groups g)
{
    const int lane = threadIdx.x % lanes;
    const uint32_t group = blockIdx.x, x = group * group_columns + lane * run;
    constexpr int rows = 4;
    const uint32_t first = (blockIdx.y * warps + threadIdx.x / lanes) * rows;
    alignas(sizeof(float4)) float v[rows][run];
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (first + r < g.height)
            load_run(g, first + r, x, v[r]);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        if (first + r >= g.height)
            return;
        double s[run];
        sum_run(g, v[r], x, s);
        const double u = gf_warp_running_sum(s[run - 1]);
        if (lane == lanes - 1)
            g.totals[static_cast<size_t>(group) * g.height + first + r] = u;
    }
}

/* Computes the prefix of each group, one thread per row. */
__global__ void __launch_bounds__(warps *lanes) before_kernel(const __grid_constant__ struct groups g)
{
    const uint32_t y = blockIdx.x * (warps * lanes) + threadIdx.x;
    if (y >= g.height)
        return;
    double blocks[max_blocks];
#pragma unroll
    for (int b = 0; b < max_blocks; b++) {
        blocks[b] = absent;
        double total[GF_SCAN_GROUPS];
#pragma unroll
        for (int i = 0; i < GF_SCAN_GROUPS; i++) {
            const uint32_t group = b * GF_SCAN_GROUPS + i;
            total[i] = group < g.n_groups ? g.totals[static_cast<size_t>(group) * g.height + y] : absent;
        }
#pragma unroll
        for (int i = 0; i < GF_SCAN_GROUPS; i++) {
            const uint32_t group = b * GF_SCAN_GROUPS + i;
            if (group < g.n_groups)
                g.before[static_cast<size_t>(group) * g.height + y].group = blocks[b];
            blocks[b] = __dadd_rn(blocks[b], total[i]);
        }
    }
#pragma unroll
    for (int d = 1; d < max_blocks; d *= 2)
#pragma unroll
        for (int b = max_blocks - 1; b >= d; b--)
            blocks[b] = __dadd_rn(blocks[b - d], blocks[b]);
#pragma unroll
    for (int b = 0; b < max_blocks; b++)
        for (uint32_t i = 0; i < GF_SCAN_GROUPS; i++)
            if (b * GF_SCAN_GROUPS + i < g.n_groups)
                g.before[static_cast<size_t>(b * GF_SCAN_GROUPS + i) * g.height + y].block =
                    b > 0 ? blocks[b - 1] : absent;
}

/* Adds the prefix sums of a row to the column sums. */
__device__ __forceinline__ void add_row(const struct groups &g, const struct before &p, const float (&v)[run],
                                        uint32_t x, int lane, double (&columns)[run])
{
    double s[run];
    sum_run(g, v, x, s);
    const double u = gf_warp_running_sum(s[run - 1]), other = gf_shuffle_up(u, 1);
    const double base = __dadd_rn(p.block, __dadd_rn(p.group, lane > 0 ? other : absent));
#pragma unroll
    for (int i = 0; i < run; i++)
        columns[i] = __dadd_rn(columns[i], __dadd_rn(base, s[i]));
}

__device__ __forceinline__ struct before load_before(const struct groups &g, uint32_t group, uint32_t y)
{
    const double2 v = __ldg(reinterpret_cast<const double2 *>(g.before + static_cast<size_t>(group) * g.height + y));
    return {v.x, v.y};
}

/* Sums the columns of a row chunk; calls f(y) when row y is added. */
template <class F>
__device__ __forceinline__ void add_rows(const struct groups &g, uint32_t group, uint32_t row_chunk, int lane,
                                         double (&columns)[run], F &&f)
{
    const uint32_t x = group * group_columns + lane * run, first = row_chunk * GF_SCAN_ROW_CHUNK;
    const uint32_t end = min(first + GF_SCAN_ROW_CHUNK, g.height);
    alignas(sizeof(float4)) float v[run], next[run];
#pragma unroll
    for (int i = 0; i < run; i++)
        columns[i] = absent;
    load_run(g, first, x, next);
    for (uint32_t y = first; y < end; y++) {
#pragma unroll
        for (int i = 0; i < run; i++)
            v[i] = next[i];
        if (y + 1 < end)
            load_run(g, y + 1, x, next);
        add_row(g, load_before(g, group, y), v, x, lane, columns);
        f(y);
    }
}

__global__ void __launch_bounds__(warps *lanes, 4) chunk_totals_kernel(const __grid_constant__ struct groups g)
{
    const int lane = threadIdx.x % lanes;
    const uint32_t row_chunk = g.n_row_chunks - 1 - (blockIdx.y * warps + threadIdx.x / lanes), group = blockIdx.x;
    if (row_chunk >= g.n_row_chunks)
        return;
    double columns[run];
    add_rows(g, group, row_chunk, lane, columns, [](uint32_t) {});
    double *to = g.row_chunks + (static_cast<size_t>(row_chunk) * g.n_groups + group) * group_columns + lane * run;
#pragma unroll
    for (int i = 0; i < run; i += 2)
        *reinterpret_cast<double2 *>(to + i) = make_double2(columns[i], columns[i + 1]);
}

/* Replaces row chunk totals by the sum of all row chunks above, one thread per column. */
__global__ void __launch_bounds__(lanes) above_kernel(const __grid_constant__ struct groups g)
{
    constexpr int batch = 16;
    const size_t columns = static_cast<size_t>(g.n_groups) * group_columns;
    double *column = g.row_chunks + blockIdx.x * lanes + threadIdx.x, sum = absent;
    for (uint32_t k = 0; k < g.n_row_chunks; k += batch) {
        double v[batch];
#pragma unroll
        for (int i = 0; i < batch; i++)
            v[i] = k + i < g.n_row_chunks ? column[(k + i) * columns] : absent;
#pragma unroll
        for (int i = 0; i < batch; i++) {
            if (k + i < g.n_row_chunks)
                column[(k + i) * columns] = sum;
            sum = __dadd_rn(sum, v[i]);
        }
    }
}

/* Stores a group's results of one row. They pass through shared memory, so that adjacent lanes store adjacent
 * results. */
template <class T>
__device__ __forceinline__ void store_group(const struct groups &g, uint32_t y, uint32_t group, int lane,
                                            const T (&v)[run], uint4 *shared)
{
    constexpr int per_vector = static_cast<int>(vector_bytes / sizeof(T)), vectors = run / per_vector;
    T *row = reinterpret_cast<T *>(static_cast<char *>(g.dst) + y * g.dst_pitch);
    vector_of<T> w;
    gf_sync_warp();
#pragma unroll
    for (int i = 0; i < vectors; i++) {
#pragma unroll
        for (int k = 0; k < per_vector; k++)
            w.values[k] = v[i * per_vector + k];
        shared[slot_of<8>(lane * vectors + i)] = w.whole;
    }
    gf_sync_warp();
#pragma unroll
    for (int i = 0; i < vectors; i++) {
        w.whole = shared[slot_of<8>(lane + i * lanes)];
        const uint32_t x = group * group_columns + (lane + i * lanes) * per_vector;
        if (g.aligned && x + per_vector <= g.width) {
            *reinterpret_cast<uint4 *>(row + x) = w.whole;
        } else {
#pragma unroll
            for (int k = 0; k < per_vector; k++)
                if (x + k < g.width)
                    row[x + k] = w.values[k];
        }
    }
}

template <class T>
__global__ void __launch_bounds__(warps *lanes, 3) results_kernel(const __grid_constant__ struct groups g)
{
    __shared__ uint4 shared[warps][group_columns * sizeof(T) / sizeof(uint4)];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const uint32_t row_chunk = blockIdx.y * warps + warp, group = blockIdx.x;
    if (row_chunk >= g.n_row_chunks)
        return;
    const double *above =
        g.row_chunks + (static_cast<size_t>(row_chunk) * g.n_groups + group) * group_columns + lane * run;
    double columns[run], p[run];
#pragma unroll
    for (int i = 0; i < run; i++)
        p[i] = above[i];
    add_rows(g, group, row_chunk, lane, columns, [&](uint32_t y) {
        T results[run];
#pragma unroll
        for (int i = 0; i < run; i++)
            results[i] = canonical(static_cast<T>(__dadd_rn(p[i], columns[i])));
        store_group(g, y, group, lane, results, shared[warp]);
    });
}

void start(const struct groups &g, bool wide, cudaStream_t stream)
{
    constexpr int block = warps * lanes, rows = 4 * warps;
    const dim3 row_chunks(g.n_groups, (g.n_row_chunks + warps - 1) / warps);
    totals_kernel<<<dim3(g.n_groups, (g.height + rows - 1) / rows), block, 0, stream>>>(g);
    before_kernel<<<(g.height + block - 1) / block, block, 0, stream>>>(g);
    chunk_totals_kernel<<<row_chunks, block, 0, stream>>>(g);
    above_kernel<<<g.n_groups * run, lanes, 0, stream>>>(g);
    if (wide)
        results_kernel<double><<<row_chunks, block, 0, stream>>>(g);
    else
        results_kernel<float><<<row_chunks, block, 0, stream>>>(g);
}

} // namespace

enum gf_status gf_cuda_integral_float(struct gf_cuda_call *call, const struct gf_scan *rows,
                                      const struct gf_scan *columns, struct gf_error *err)
{
    struct groups g = {};
    g.src = rows->src;
    g.src_pitch = rows->src_pitch;
    g.dst = columns->dst;
    g.dst_pitch = columns->dst_pitch;
    g.width = static_cast<uint32_t>(rows->width);
    g.height = static_cast<uint32_t>(rows->height);
    g.n_groups = (g.width + group_columns - 1) / group_columns;
    g.n_row_chunks = (g.height + GF_SCAN_ROW_CHUNK - 1) / GF_SCAN_ROW_CHUNK;
    g.square = rows->square;
    g.aligned = (reinterpret_cast<uintptr_t>(g.dst) | g.dst_pitch) % sizeof(uint4) == 0;
    const size_t lines = static_cast<size_t>(g.n_groups) * g.height,
                 columns_of_chunks = static_cast<size_t>(g.n_row_chunks) * g.n_groups * group_columns;
    void *data = nullptr;
    enum gf_status status = gf_cuda_alloc(
        call->exec, columns_of_chunks * sizeof(double) + lines * (sizeof(struct before) + sizeof(double)), &data, err);
    if (status != GF_OK)
        return status;
    g.row_chunks = static_cast<double *>(data);
    g.before = reinterpret_cast<struct before *>(g.row_chunks + columns_of_chunks);
    g.totals = reinterpret_cast<double *>(g.before + lines);
    start(g, columns->out == GF_F64, call->exec->main);
    status = gf_cuda_status(cudaPeekAtLastError(), "starting an integral image", err);
    gf_cuda_free(call->exec, data);
    return status;
}
