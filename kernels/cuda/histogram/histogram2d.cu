/* SPDX-License-Identifier: MIT */
/*
 * histogram2d on CUDA: makes the bins of both sides; counts pairs in shared memory if the counters fit, otherwise in
 * device memory; makes the outputs from the counters. Counts are integers, so the order of additions does not matter.
 * Called through the op's row.
 */
#include "bin_search.cuh"
#include "count_bins.h"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "kernels/cuda/step/samples.cuh"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram2d.h"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int threads = 512;
constexpr uint32_t blocks_per_unit = 2;
constexpr size_t shared_limit = 48 * 1024; /* of dynamic shared memory, for counters */
constexpr size_t own_bytes = 512;          /* of static shared memory in the kernels, at most */

/* One side of the pairs. */
struct Side {
    const char *data; /* the first sample of the channel */
    size_t pitch;
    uint32_t dtype, pixel; /* bytes per pixel */
    uint32_t channel;
    struct gf_cuda_bins bins;
};

struct Pairs {
    Side sides[2];
    uint64_t width; /* pixels per row; of all rows if neither side has padding */
    uint32_t n[2];  /* bins */
    uint64_t slots; /* counters: one per pair of bins, then pairs outside, then pairs with NaN */
    u64 *counts;
};

/* The bin of a sample on one side. */
__device__ __forceinline__ uint32_t bin_at(const Side &s, const struct gf_bins &b, uint64_t y, uint64_t x)
{
    const char *p = s.data + y * s.pitch + x * s.pixel;
    return gf_dispatch_any(s.dtype,
                           [&](auto tag) { return find(b, __ldg(reinterpret_cast<const decltype(tag) *>(p))); });
}

__device__ __forceinline__ uint64_t slot_of(const Pairs &p, uint32_t a, uint32_t b)
{
    if (a < p.n[0] && b < p.n[1])
        return static_cast<uint64_t>(a) * p.n[1] + b;
    return p.slots - (a == p.n[0] + 2 || b == p.n[1] + 2 ? 1 : 2);
}

extern __shared__ uint32_t pair_counts[];

/*
 * Counts pixels begin to end - 1, fewer than 2^32. A warp takes 32 adjacent pixels per trip, and adds them at once if
 * they have the same counter. Barriers: the first separates the writes of bins and counters from the counting; the
 * second, with counters in shared memory, separates the counting from the sums. A block counts many pixels between the
 * two.
 */
template <bool Shared>
__global__ void __launch_bounds__(threads) pairs_kernel(const __grid_constant__ Pairs p, uint64_t begin, uint64_t end)
{
    __shared__ struct gf_bins bins[2];
    if (threadIdx.x < 2)
        bins[threadIdx.x] = *bins_of(p.sides[threadIdx.x].bins, p.sides[threadIdx.x].channel);
    for (uint64_t i = threadIdx.x; Shared && i < p.slots; i += threads)
        pair_counts[i] = 0;
    gf_sync_block();
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t at = begin + blockIdx.x * static_cast<uint64_t>(threads) + threadIdx.x / lanes * lanes; at < end;
         at += step) {
        const uint64_t i = at + threadIdx.x % lanes;
        uint64_t slot = UINT64_MAX;
        if (i < end) {
            const bool narrow = i >> 32 == 0 && p.width >> 32 == 0;
            const uint64_t y = narrow ? static_cast<uint32_t>(i) / static_cast<uint32_t>(p.width) : i / p.width;
            const uint64_t x = i - y * p.width;
            slot = slot_of(p, bin_at(p.sides[0], bins[0], y, x), bin_at(p.sides[1], bins[1], y, x));
        }
        const bool same = gf_all_lanes_true(slot == gf_shuffle(slot, 0)); /* lane 0 has a pixel, since at < end */
        const uint32_t n = same ? lanes : 1;
        if (slot == UINT64_MAX || (same && threadIdx.x % lanes != 0))
            continue;
        if constexpr (Shared)
            gf_atomic_add(&pair_counts[slot], n);
        else
            gf_atomic_add(p.counts + slot, static_cast<u64>(n));
    }
    if constexpr (Shared) {
        gf_sync_block();
        for (uint64_t i = threadIdx.x; i < p.slots; i += threads)
            if (pair_counts[i] != 0)
                gf_atomic_add(p.counts + i, static_cast<u64>(pair_counts[i]));
    }
}

struct Outputs {
    char *counts;
    size_t pitch;
    u64 *outside;
    double *edges[2];
};

/* Stores the counters as rows, and the edges. */
__global__ void __launch_bounds__(threads)
    store_kernel(const __grid_constant__ Pairs p, const __grid_constant__ Outputs to)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads, pairs = p.slots - 2;
    const uint64_t first = blockIdx.x * static_cast<uint64_t>(threads) + threadIdx.x;
    for (uint64_t i = first; i < pairs; i += step) /* at most 2^24 */
        reinterpret_cast<u64 *>(to.counts + static_cast<uint32_t>(i) / p.n[1] *
                                                to.pitch)[static_cast<uint32_t>(i) % p.n[1]] = p.counts[i];
    for (int k = 0; k < 2; k++) {
        const struct gf_bins b = *bins_of(p.sides[k].bins, p.sides[k].channel);
        for (uint64_t i = first; i <= p.n[k]; i += step)
            to.edges[k][i] = gf_bins_edge(&b, static_cast<uint32_t>(i));
    }
    if (first < 2)
        to.outside[first] = p.counts[pairs + first];
}

/* Scratch memory. `counts` and `extremes` must be 0 before the kernels add to them. */
struct Workspace {
    u64 *counts;
    uint64_t *extremes[2];
    struct gf_bins *bins[2];
};

cudaError_t make_side(const struct gf_cuda_call *call, const struct gf_pair_axis &axis, uint64_t *extremes,
                      struct gf_bins *made, Side *ret)
{
    const struct gf_cuda_image *image = call->image[axis.input];
    const struct gf_view *v = &image->view;
    const uint32_t size = static_cast<uint32_t>(gf_dtype_size(v->dtype));
    *ret = {static_cast<const char *>(image->data) + axis.channel * size,
            static_cast<size_t>(v->pitch),
            v->dtype,
            v->channels * size,
            axis.channel,
            {}};
    if (axis.range != GF_HIST_RANGE_DATA) {
        ret->bins.given = gf_bins_make(axis.lo, axis.hi, axis.bins, v->dtype == GF_F32,
                                       gf_histogram2d_params_get(&call->step->params).last_closed != 0);
        return cudaSuccess;
    }
    ret->bins.made = made;
    const struct gf_cuda_samples s = gf_cuda_samples(image, v->channels, false);
    const cudaError_t error = gf_cuda_find_extremes(call, &s, true, extremes);
    return error == cudaSuccess ? gf_cuda_bins_of_extremes(call, &s, extremes, axis.bins, false, made) : error;
}

/* Whether the rows of an input have no padding. */
bool is_flat(const struct gf_cuda_image *image)
{
    return image->view.pitch == gf_view_row_bytes(&image->view);
}

/* Returns the grid of a grid-stride loop with an item per thread. */
unsigned grid_for(uint64_t items)
{
    const uint64_t most = static_cast<uint64_t>(gf_cuda_units()) * blocks_per_unit,
                   wanted = (items + threads - 1) / threads;
    return gf_cuda_grid(wanted < most ? wanted : most);
}

/* Counts all pixels, in several launches, so that the host can stop the job between them. */
enum gf_status count(struct gf_cuda_call *call, const Pairs &p, struct gf_error *err)
{
    const uint64_t pixels = call->image[0]->view.width * call->image[0]->view.height,
                   pixel = p.sides[0].pixel + p.sides[1].pixel, unit = GF_CUDA_WORK_UNIT_BYTES / pixel;
    const size_t bytes = p.slots * sizeof(uint32_t);
    const bool shared = bytes <= shared_limit && bytes + own_bytes <= gf_cuda_shared_memory_max();
    return in_parts(call, pixels, unit, static_cast<double>(pixel), "starting to count pairs", err,
                    [&](const Range &range) {
                        const unsigned grid = grid_for(range.end - range.first);
                        if (shared)
                            pairs_kernel<true><<<grid, threads, bytes, call->exec->main>>>(p, range.first, range.end);
                        else
                            pairs_kernel<false><<<grid, threads, 0, call->exec->main>>>(p, range.first, range.end);
                    });
}

cudaError_t store(const struct gf_cuda_call *call, const Pairs &p)
{
    const struct gf_cuda_image *out = call->out;
    const Outputs to = {static_cast<char *>(out[0].data),
                        static_cast<size_t>(out[0].view.pitch),
                        static_cast<u64 *>(out[1].data),
                        {static_cast<double *>(out[2].data), static_cast<double *>(out[3].data)}};
    store_kernel<<<grid_for(p.slots), threads, 0, call->exec->main>>>(p, to);
    return cudaPeekAtLastError();
}

enum gf_status start(struct gf_cuda_call *call, const struct gf_pair_axis (&axes)[2], const Workspace &w,
                     struct gf_error *err)
{
    const struct gf_cuda_image *first = call->image[axes[0].input], *second = call->image[axes[1].input];
    Pairs p = {};
    p.n[0] = axes[0].bins;
    p.n[1] = axes[1].bins;
    p.slots = static_cast<uint64_t>(p.n[0]) * p.n[1] + 2;
    p.counts = w.counts;
    p.width = first->view.width * (is_flat(first) && is_flat(second) ? first->view.height : 1);
    cudaError_t error = cudaMemsetAsync(
        w.counts, 0, (p.slots + 2 * GF_CUDA_EXTREMES * GF_MAX_CHANNELS) * sizeof(*w.counts), call->exec->main);
    for (int k = 0; k < 2 && error == cudaSuccess; k++)
        error = make_side(call, axes[k], w.extremes[k], w.bins[k], &p.sides[k]);
    enum gf_status status = gf_cuda_status(error, "starting to count pairs", err);
    if (status == GF_OK)
        status = count(call, p, err);
    return status == GF_OK ? gf_cuda_status(store(call, p), "storing counts of pairs", err) : status;
}

} // namespace

extern "C" enum gf_status gf_cuda_histogram2d(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_view views[2] = {call->image[0]->view};
    enum gf_status status = gf_cuda_require_all(call, call->image[0], err);
    if (status == GF_OK && call->image[1] != nullptr) {
        views[1] = call->image[1]->view;
        status = gf_cuda_require_all(call, call->image[1], err);
    }
    if (status != GF_OK)
        return status;
    const struct gf_histogram2d_params params = gf_histogram2d_params_get(&call->step->params);
    const struct gf_pair_axis axes[2] = {gf_histogram2d_axis(&params, views, 0),
                                         gf_histogram2d_axis(&params, views, 1)};
    const size_t counts = static_cast<size_t>(axes[0].bins) * axes[1].bins + 2,
                 extremes = GF_CUDA_EXTREMES * GF_MAX_CHANNELS;
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec,
                           (counts + 2 * extremes) * sizeof(uint64_t) + 2 * GF_MAX_CHANNELS * sizeof(struct gf_bins),
                           &data, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = static_cast<uint64_t *>(data) + counts;
    struct gf_bins *bins = reinterpret_cast<struct gf_bins *>(at + 2 * extremes);
    const Workspace w = {static_cast<u64 *>(data), {at, at + extremes}, {bins, bins + GF_MAX_CHANNELS}};
    status = start(call, axes, w, err);
    gf_cuda_free(call->exec, data);
    return status;
}
