/* SPDX-License-Identifier: MIT */
/* Threshold on CUDA, by a given value or by Otsu's method from counts that stay on the device. Called through the op's
 * row.
 */
#include <math.h>

#include "intensity.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/histogram/otsu_split.cuh"
#include "protocol/ops/params/threshold.h"

namespace
{

using namespace gf;

constexpr int split_threads = 1024;

/* One block per plane: finds the limit, at and above which samples are white. `stride` is the distance from plane to
 * plane. */
__global__ void __launch_bounds__(split_threads)
    otsu_kernel(const uint64_t *counts, uint64_t stride, uint32_t n, const __grid_constant__ struct gf_cuda_bins bins,
                float *limits)
{
    const uint64_t *own = counts + blockIdx.x * stride;
    __shared__ Split splits[split_threads / lanes];
    const uint32_t each = (n + split_threads - 1) / split_threads;
    const uint32_t first = min(threadIdx.x * each, n), end = min(first + each, n);
    unsigned long long w = 0, s = 0, samples, sum;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll 4 /* the compiler unrolls more and spills on sm_75: each of 1024 threads has 64 registers */
#endif
    for (uint32_t t = first; t < end; t++) {
        w += own[t];
        s += own[t] * t;
    }
    unsigned long long w0 = block_scan(w, &samples), s0 = block_scan(s, &sum);
    Split best = {0.0, UINT32_MAX};
    for (uint32_t t = first; t < end; t++) {
        w0 += own[t];
        s0 += own[t] * t;
        if (w0 != 0 && w0 != samples)
            take_better(best, {gf_otsu_score(w0, s0, samples, sum), t});
    }
    best = best_of_warp(best);
    if (threadIdx.x % lanes == 0)
        splits[threadIdx.x / lanes] = best;
    gf_sync_block(); /* every warp has written its best split before it is read; `splits` is not written again */
    best = best_of_warp(splits[threadIdx.x % lanes]);
    if (threadIdx.x == 0)
        limits[blockIdx.x] = best.t == UINT32_MAX
                                 ? __int_as_float(0x7FC00000)
                                 : static_cast<float>(gf_bins_edge(bins_of(bins, blockIdx.x), best.t + 1));
}

template <class T>
constexpr T white = std::is_same_v<T, float>     ? static_cast<T>(1)
                    : std::is_same_v<T, int16_t> ? static_cast<T>(0x7FFF)
                                                 : static_cast<T>(~0u);

/* A sample is white if it is at least the limit of its channel. No sample reaches a limit of NaN. */
struct Limits {
    struct Shared {
        float limit[GF_MAX_CHANNELS];
    };
    const float *limits; /* NULL: `limit` for all channels */
    float limit;
    uint32_t planes;

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        if (threadIdx.x < planes)
            shared.limit[threadIdx.x] = limits != nullptr ? limits[threadIdx.x] : limit;
    }
};

/* `high` is white. It is a run-time value, since the compiler would branch instead of select if it knew it. `sign`
 * comes from sign_bits(). */
template <class T> struct Judge : Limits {
    T high;
    uint32_t sign;

    __device__ __forceinline__ T value(const Shared &shared, T v, uint32_t c) const
    {
        float number = static_cast<float>(v);
        if constexpr (std::is_same_v<T, uint16_t>)
            number = static_cast<float>(static_cast<int>(v ^ sign) - static_cast<int>(sign));
        return number >= shared.limit[c] ? high : static_cast<T>(0);
    }
};

/* A picture of 3 or 4 channels and the result of comparing its brightness; alpha follows the result if there are 4. */
struct Pixels {
    const char *src;
    char *dst;
    size_t src_pitch, dst_pitch;
    uint64_t width, tiles, row_tiles; /* tiles of GF_CUDA_WARP_TILE pixels: in the picture, per row */
    uint32_t channels, dtype;
};

/* Compares the brightness of a lane's pixels in a tile, from pixel `first` on. */
template <class T>
__device__ __forceinline__ void judge_pixels(const Pixels &p, uint64_t row, uint64_t first, float limit)
{
    const T *src = reinterpret_cast<const T *>(p.src + row * p.src_pitch);
    T *dst = reinterpret_cast<T *>(p.dst + row * p.dst_pitch);
#pragma unroll
    for (int u = 0; u < vectors_per_lane; u++) {
        const uint64_t x = first + u * lanes;
        if (x >= p.width)
            break;
        const T *from = src + x * p.channels;
        T *to = dst + x * (p.channels - 2);
        const T v = luma_of(__ldg(from), __ldg(from + 1), __ldg(from + 2));
        to[0] = static_cast<float>(v) >= limit ? white<T> : static_cast<T>(0);
        if (p.channels == 4)
            to[1] = copied(__ldg(from + 3));
    }
}

__global__ void __launch_bounds__(intensity_threads) brightness_kernel(const Pixels p, const Limits limits)
{
    const float limit = limits.limits != nullptr ? *limits.limits : limits.limit;
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (intensity_threads / lanes);
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < p.tiles;
         tile += warps) {
        const uint64_t row = tile / p.row_tiles;
        const uint64_t first = (tile - row * p.row_tiles) * GF_CUDA_WARP_TILE + threadIdx.x % lanes;
        gf_dispatch(p.dtype, [&](auto tag) {
            if constexpr (has_luma<decltype(tag)>) /* f16 never gets here */
                judge_pixels<decltype(tag)>(p, row, first, limit);
        });
    }
}

/* Device memory for finding the limits. */
struct Workspace {
    uint64_t *counts, *extremes;
    struct gf_bins *bins;
    float *limits;
};

cudaError_t find_limits(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, uint64_t slots,
                        const Workspace &workspace)
{
    const cudaStream_t stream = call->exec->main;
    const bool f32 = s.dtype == GF_F32;
    const size_t words = slots * s.planes + GF_CUDA_EXTREMES * s.planes;
    cudaError_t error = cudaMemsetAsync(workspace.counts, 0, words * sizeof(uint64_t), stream);
    const double first = s.dtype == GF_I16 ? -32768.0 : 0.0;
    struct gf_cuda_bins bins = {gf_bins_make(first, first + n, n, false, false), nullptr};
    if (error == cudaSuccess && f32) {
        bins.made = workspace.bins;
        error = gf_cuda_find_extremes(call, &s, true, workspace.extremes);
        if (error == cudaSuccess)
            error = gf_cuda_bins_of_extremes(call, &s, workspace.extremes, n, false, workspace.bins);
    }
    if (error == cudaSuccess)
        error = gf_cuda_count_bins(call, &s, &bins, n, !f32, workspace.counts);
    if (error != cudaSuccess)
        return error;
    otsu_kernel<<<s.planes, split_threads, 0, stream>>>(workspace.counts, slots, n, bins, workspace.limits);
    return cudaPeekAtLastError();
}

cudaError_t judge_brightness(const struct gf_cuda_call *call, const Limits &limits)
{
    const struct gf_cuda_image &in = *call->image[0], &out = call->out[0];
    const uint64_t row_tiles = (in.view.width + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE;
    const Pixels pixels = {static_cast<const char *>(in.data),
                           static_cast<char *>(out.data),
                           static_cast<size_t>(in.view.pitch),
                           static_cast<size_t>(out.view.pitch),
                           in.view.width,
                           row_tiles * in.view.height,
                           row_tiles,
                           in.view.channels,
                           in.view.dtype};
    brightness_kernel<<<gf_cuda_samples_blocks(call, pixels.tiles, 8), intensity_threads, 0, call->exec->main>>>(
        pixels, limits);
    return cudaPeekAtLastError();
}

template <class T>
cudaError_t judge(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const Limits &limits, T high)
{
    return intensity_launch<T>(call, s, Judge<T>{limits, high, sign_bits(s.dtype)});
}

cudaError_t apply(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const float *limits)
{
    const Limits all = {limits, nextafterf(gf_threshold_params_get(&call->step->params).value.v[0], INFINITY),
                        s.planes};
    return s.luma              ? judge_brightness(call, all)
           : s.dtype == GF_U8  ? judge(call, s, all, white<uint8_t>)
           : s.dtype == GF_U16 ? judge(call, s, all, white<uint16_t>)
           : s.dtype == GF_I16 ? judge(call, s, all, static_cast<uint16_t>(white<int16_t>))
                               : judge(call, s, all, white<float>);
}

enum gf_status otsu_bytes(struct gf_cuda_call *call, const struct gf_cuda_samples &s, struct gf_error *err)
{
    void *data = nullptr;
    const enum gf_status status = gf_cuda_alloc(call->exec, s.planes * byte_values, &data, err);
    if (status != GF_OK)
        return status;
    const cudaError_t error = intensity_by_tables(call, s, FinishBytes::otsu, data);
    gf_cuda_free(call->exec, data);
    return gf_cuda_status(error, "finding thresholds", err);
}

enum gf_status otsu(struct gf_cuda_call *call, const struct gf_cuda_samples &s, struct gf_error *err)
{
    const uint32_t n = s.dtype == GF_U8    ? byte_values
                       : s.dtype == GF_F32 ? gf_threshold_params_get(&call->step->params).bins
                                           : 65536;
    const uint64_t slots = n + GF_BINS_EXTRA;
    const size_t words = slots * s.planes + GF_CUDA_EXTREMES * s.planes;
    const size_t bins = words * sizeof(uint64_t), limits = bins + s.planes * sizeof(struct gf_bins);
    void *data = nullptr;
    enum gf_status status = gf_cuda_alloc(call->exec, limits + s.planes * sizeof(float), &data, err);
    if (status != GF_OK)
        return status;
    char *at = static_cast<char *>(data);
    uint64_t *counts = reinterpret_cast<uint64_t *>(at);
    const Workspace workspace = {counts, counts + slots * s.planes, reinterpret_cast<struct gf_bins *>(at + bins),
                                 reinterpret_cast<float *>(at + limits)};
    cudaError_t error = find_limits(call, s, n, slots, workspace);
    if (error == cudaSuccess)
        error = apply(call, s, workspace.limits);
    gf_cuda_free(call->exec, data);
    return gf_cuda_status(error, "finding thresholds", err);
}

} // namespace

extern "C" enum gf_status gf_cuda_threshold(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    const struct gf_threshold_params p = gf_threshold_params_get(&call->step->params);
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status != GF_OK)
        return status;
    const bool luma = call->out[0].view.channels != image->view.channels;
    const struct gf_cuda_samples s =
        luma ? gf_cuda_samples(image, 1, true)
             : gf_cuda_samples_both(call, gf_computed_channels(p.alpha, image->view.channels));
    if (p.value.n == 0)
        return s.dtype == GF_U8 && !luma ? otsu_bytes(call, s, err) : otsu(call, s, err);
    return gf_cuda_status(apply(call, s, nullptr), "comparing with a threshold", err);
}
