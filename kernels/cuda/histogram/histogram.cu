/* SPDX-License-Identifier: MIT */
/* Histogram on CUDA: makes the bins, counts, and writes counts or densities, and edges. Runs entirely on the device.
 * Called through the op's row. */
#include <stdlib.h>

#include "count_bins.h"
#include "count_bytes.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/samples.cuh"
#include "kernels/shared/histogram.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram.h"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int finish_threads = 1024;
constexpr uint32_t chunk = 8 * finish_threads; /* bins that one block sums */

/* Makes the outputs from counts in device memory. */
struct Finish {
    const u64 *counts; /* n + GF_BINS_EXTRA per plane */
    BinOutputs to;
};

/* The blocks of plane 0 store the edges; one of them stores the counts outside the bins. */
__device__ __forceinline__ void store_edges(const Finish &f)
{
    if (blockIdx.y != 0)
        return;
    const struct gf_bins b = *bins_of(f.to.bins, 0);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k <= f.to.n; k += step)
        f.to.edges.row<double>(0)[k] = gf_bins_edge(&b, static_cast<uint32_t>(k));
    if (blockIdx.x == 0 && threadIdx.x < f.to.planes * GF_BINS_EXTRA) {
        const uint32_t plane = threadIdx.x / GF_BINS_EXTRA, k = threadIdx.x % GF_BINS_EXTRA;
        f.to.outside.row<u64>(plane)[k] =
            f.counts[static_cast<uint64_t>(plane) * (f.to.n + GF_BINS_EXTRA) + f.to.n + k];
    }
}

/* Stores the counts of plane blockIdx.y, or their densities. */
__global__ void __launch_bounds__(finish_threads) counts_kernel(const __grid_constant__ Finish f)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.to.n + GF_BINS_EXTRA);
    const double total = total_of(own, f.to.n, f.to.pixels);
    const struct gf_bins b = *bins_of(f.to.bins, 0);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k < f.to.n; k += step) {
        const uint32_t bin = static_cast<uint32_t>(k);
        if (f.to.density)
            f.to.out.row<double>(blockIdx.y)[k] =
                share_of(own[k], total, __dsub_rn(gf_bins_edge(&b, bin + 1), gf_bins_edge(&b, bin)));
        else
            f.to.out.row<u64>(blockIdx.y)[k] = own[k];
    }
    store_edges(f);
}

/* Sums each chunk of each plane. */
__global__ void __launch_bounds__(finish_threads) sums_kernel(const __grid_constant__ Finish f, u64 *sums)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.to.n + GF_BINS_EXTRA);
    u64 sum = 0, all;
#pragma unroll
    for (uint32_t j = 0; j < chunk / finish_threads; j++) {
        const uint32_t k = blockIdx.x * chunk + j * finish_threads + threadIdx.x;
        sum += k < f.to.n ? own[k] : 0;
    }
    (void)block_scan(sum, &all);
    if (threadIdx.x == 0)
        sums[blockIdx.y * gridDim.x + blockIdx.x] = all;
}

/* Cumulative counts, one block per chunk. Each block sums the chunks before its own. */
__global__ void __launch_bounds__(finish_threads) cumulative_kernel(const __grid_constant__ Finish f, const u64 *sums)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.to.n + GF_BINS_EXTRA);
    const double total = total_of(own, f.to.n, f.to.pixels);
    u64 before = 0, carry = 0;
    for (uint32_t i = threadIdx.x; i < blockIdx.x; i += finish_threads)
        before += sums[blockIdx.y * gridDim.x + i];
    (void)block_scan(before, &carry);
    for (uint32_t j = 0; j < chunk / finish_threads; j++) {
        const uint32_t k = blockIdx.x * chunk + j * finish_threads + threadIdx.x;
        const u64 count = k < f.to.n ? own[k] : 0;
        u64 all;
        const u64 sum = carry + block_scan(count, &all) + count;
        carry += all;
        if (k < f.to.n && f.to.density)
            f.to.out.row<double>(blockIdx.y)[k] = share_of(sum, total, 1.0);
        else if (k < f.to.n)
            f.to.out.row<u64>(blockIdx.y)[k] = sum;
    }
    store_edges(f);
}

/* Edges that the caller gave, on the host. */
struct Edges {
    double *data = nullptr;

    ~Edges()
    {
        free(data);
    }
};

/* Scratch memory in this order. `extremes` and `counts` must be 0 before the kernels add to them. */
struct Workspace {
    uint64_t *extremes, *counts, *sums;
    struct gf_bins *bins;
    double *edges; /* edges that the caller gave */
};

uint32_t chunks_of(uint32_t n)
{
    return (n + chunk - 1) / chunk;
}

/* Makes the bins: on the device if they depend on the range of the data. */
cudaError_t make_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, const double *edges,
                      const Workspace &workspace, struct gf_cuda_bins *ret)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    if (edges != nullptr) {
        *ret = {gf_bins_of_list(workspace.edges, edges[0], edges[n], n, p.last_closed != 0), nullptr};
        return cudaSuccess;
    }
    const uint32_t range = gf_histogram_range(&p, s.dtype);
    if (range != GF_HIST_RANGE_DATA) {
        const double hi = range == GF_HIST_RANGE_GIVEN ? p.hi : s.dtype == GF_U8 ? 256.0 : 65536.0;
        *ret = {gf_bins_make(p.lo, hi, n, s.dtype == GF_F32, p.last_closed != 0), nullptr};
        return cudaSuccess;
    }
    *ret = {{}, workspace.bins};
    const cudaError_t error = gf_cuda_find_extremes(call, &s, true, workspace.extremes);
    return error == cudaSuccess ? gf_cuda_bins_of_extremes(call, &s, workspace.extremes, n, true, workspace.bins)
                                : error;
}

/* Whether samples are counted by value. */
bool is_bytes(const struct gf_cuda_samples &s)
{
    return gf_dtype_size(s.dtype) == 1 && !s.luma;
}

Table table_of(const struct gf_cuda_image &image)
{
    return {static_cast<char *>(image.data), static_cast<size_t>(image.view.pitch)};
}

cudaError_t finish(const struct gf_cuda_call *call, const Finish &f, u64 *sums)
{
    const cudaStream_t stream = call->exec->main;
    if (!f.to.cumulative) {
        const uint32_t limit = call->exec->device->info.units * 2, blocks = (f.to.n + finish_threads) / finish_threads;
        counts_kernel<<<dim3(gf_cuda_grid(blocks < limit ? blocks : limit), f.to.planes), finish_threads, 0, stream>>>(
            f);
        return cudaPeekAtLastError();
    }
    const dim3 grid(chunks_of(f.to.n), f.to.planes);
    if (grid.x > 1) {
        sums_kernel<<<grid, finish_threads, 0, stream>>>(f, sums);
        const cudaError_t error = cudaPeekAtLastError();
        if (error != cudaSuccess)
            return error;
    }
    cumulative_kernel<<<grid, finish_threads, 0, stream>>>(f, sums);
    return cudaPeekAtLastError();
}

/* 8-bit samples and few bins: the counting launch also makes all outputs. */
cudaError_t start_in_shared(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const BinOutputs &to,
                            const double *edges, const Workspace &workspace)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    FinishBytes finish = {FinishBytes::histogram, {{to, s.dtype, false}}};
    finish.few.of_data = edges == nullptr && gf_histogram_range(&p, s.dtype) == GF_HIST_RANGE_DATA;
    const cudaError_t error =
        finish.few.of_data ? cudaSuccess : make_bins(call, s, to.n, edges, workspace, &finish.few.to.bins);
    return error == cudaSuccess ? count_bytes(call, s, finish) : error;
}

cudaError_t start_in_memory(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, BinOutputs to,
                            const double *edges, const Workspace &workspace)
{
    u64 *counts = reinterpret_cast<u64 *>(workspace.counts);
    cudaError_t error =
        cudaMemsetAsync(workspace.extremes, 0,
                        static_cast<size_t>(workspace.sums - workspace.extremes) * sizeof(uint64_t), call->exec->main);
    if (error == cudaSuccess)
        error = make_bins(call, s, to.n, edges, workspace, &to.bins);
    if (error == cudaSuccess && is_bytes(s)) {
        FinishBytes finish = {FinishBytes::fold, {}};
        finish.bins = {to.bins, to.n, s.planes, s.dtype, counts};
        error = count_bytes(call, s, finish);
    } else if (error == cudaSuccess)
        error = gf_cuda_count_bins(call, &s, &to.bins, to.n, true, workspace.counts);
    return error == cudaSuccess ? finish(call, {counts, to}, reinterpret_cast<u64 *>(workspace.sums)) : error;
}

cudaError_t start(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, const double *edges,
                  const Workspace &workspace)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    const BinOutputs to = {{},
                           n,
                           s.planes,
                           call->image[0]->view.width * call->image[0]->view.height,
                           p.density != 0,
                           p.cumulative != 0,
                           table_of(call->out[0]),
                           table_of(call->out[1]),
                           table_of(call->out[2])};
    return is_bytes(s) && n <= few_bins ? start_in_shared(call, s, to, edges, workspace)
                                        : start_in_memory(call, s, to, edges, workspace);
}

} // namespace

extern "C" enum gf_status gf_cuda_histogram(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    struct gf_cuda_image *image = call->image[0];
    Edges edges;
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status == GF_OK && call->coefs[1] != nullptr)
        status = gf_histogram_edges(call->coefs[1], &edges.data, err);
    if (status != GF_OK)
        return status;
    const uint32_t n = static_cast<uint32_t>(call->out[2].view.width - 1),
                   planes = gf_histogram_planes(&p, image->view.channels);
    const size_t extremes = GF_CUDA_EXTREMES * planes, sums = chunks_of(n) * planes;
    const size_t counts = (static_cast<size_t>(n) + GF_BINS_EXTRA) * planes, words = extremes + counts + sums;
    void *data = nullptr;
    const size_t lists = edges.data != nullptr ? n + 1ull : 0;
    status =
        gf_cuda_alloc(call->exec, (words + lists) * sizeof(uint64_t) + planes * sizeof(struct gf_bins), &data, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = static_cast<uint64_t *>(data);
    const Workspace workspace = {at, at + extremes, at + extremes + counts,
                                 reinterpret_cast<struct gf_bins *>(at + words + lists),
                                 reinterpret_cast<double *>(at + words)};
    const struct gf_cuda_samples s = gf_cuda_samples(image, planes, p.channels == GF_CHANNELS_LUMA);
    if (edges.data != nullptr)
        status = gf_cuda_upload(call->exec, workspace.edges, edges.data, lists * sizeof(double), err);
    if (status == GF_OK)
        status = gf_cuda_status(start(call, s, n, edges.data, workspace), "counting samples", err);
    gf_cuda_free(call->exec, data);
    return status;
}
