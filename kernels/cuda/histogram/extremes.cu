/* SPDX-License-Identifier: MIT */
/*
 * Finds the least and the greatest sample of each channel, as keys that compare as the samples do, and makes bins over
 * that range. Signed and unsigned integers of one width share a kernel. Called by histogram.cu, threshold.cu and
 * autocontrast.cu.
 */
#include "count_bins.h"
#include "kernels/cuda/device/sync.cuh"
#include "sample_keys.cuh"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int block_threads = 256;

/* The extreme keys of N channels, in at least 32 bits. */
template <class Wide, int N> struct Extremes {
    Wide lo[N], hi[N];
    bool nan[N];
};

template <class T> using WideKey = std::conditional_t<sizeof(T) == 8, unsigned long long, uint32_t>;

template <int N, class T>
__device__ __forceinline__ void widen(Extremes<WideKey<T>, N> &e, uint32_t c, T v, bool finite, u64 flip)
{
    using Wide = WideKey<T>;
    const bool nan = v != v;
    const bool out = std::is_floating_point_v<T> && (nan || (finite && v - v != static_cast<T>(0)));
    const Wide key = key_of(v, flip), lo = out ? ~Wide{0} : key, hi = out ? Wide{0} : key;
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        if (N == 1 || k == c) {
            e.lo[k] = min(e.lo[k], lo);
            e.hi[k] = max(e.hi[k], hi);
            e.nan[k] = e.nan[k] || nan;
        }
    }
}

/* walk_luma for the kernel of type T. The kernel of u16 also serves i16, whose brightness must be computed from signed
 * samples, not from their bits. */
template <class T, class F>
__device__ __forceinline__ void walk_stored_luma(const struct gf_cuda_samples &s, uint64_t tile, const F &f)
{
    if (std::is_same_v<T, uint16_t> && s.dtype == GF_I16)
        walk_luma<int16_t>(s, tile, [&](int16_t v) { f(static_cast<T>(v)); });
    else
        walk_luma<T>(s, tile, f);
}

/* T is a float or an unsigned integer; its bits XOR `flip` are a key. N is the number of channels, or GF_MAX_CHANNELS
 * for any number. */
template <class T, int N>
__global__ void __launch_bounds__(block_threads)
    extremes_kernel(const struct gf_cuda_samples s, uint64_t tiles, bool finite, u64 *extremes, u64 flip)
{
    using Wide = WideKey<T>;
    Extremes<Wide, N> e;
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        e.lo[k] = ~Wide{0};
        e.hi[k] = 0;
        e.nan[k] = false;
    }
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (blockDim.x / lanes);
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += warps) {
        if (N != 1 && s.luma)
            walk_stored_luma<T>(s, tile, [&](T v) { widen(e, 0, v, finite, flip); });
        else
            walk_tile<T>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    if (j < n)
                        widen(e, c, pack.v[j], finite, flip);
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
            });
    }
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        if (k >= s.planes)
            continue;
        Wide lo = e.lo[k], hi = e.hi[k];
#pragma unroll
        for (int d = lanes / 2; d > 0; d /= 2) {
            lo = min(lo, gf_shuffle_xor(lo, d));
            hi = max(hi, gf_shuffle_xor(hi, d));
        }
        const bool nan = gf_any_lane(e.nan[k]);
        if (threadIdx.x % lanes != 0)
            continue;
        if (lo <= hi) {
            gf_atomic_max(extremes + k * GF_CUDA_EXTREMES, static_cast<u64>(static_cast<Key<T>>(~lo)));
            gf_atomic_max(extremes + k * GF_CUDA_EXTREMES + 1, static_cast<u64>(hi));
        }
        if (nan)
            gf_atomic_max(extremes + k * GF_CUDA_EXTREMES + 2, 1ull);
    }
}

__global__ void bins_of_extremes_kernel(const uint64_t *extremes, uint32_t dtype, uint32_t planes, uint32_t n_bins,
                                        bool same, struct gf_bins *bins)
{
    Range ranges[GF_MAX_CHANNELS], all = {false, false, 0.0, 0.0};
    for (uint32_t c = 0; c < planes; c++) {
        gf_dispatch_any(dtype, [&](auto tag) { ranges[c] = range_of(tag, extremes + c * GF_CUDA_EXTREMES); });
        if (!ranges[c].any)
            continue;
        all.lo = !all.any || ranges[c].lo < all.lo ? ranges[c].lo : all.lo;
        all.hi = !all.any || ranges[c].hi > all.hi ? ranges[c].hi : all.hi;
        all.any = true;
    }
    for (uint32_t c = 0; c < planes; c++)
        bins[c] =
            gf_bins_make(same ? all.lo : ranges[c].lo, same ? all.hi : ranges[c].hi, n_bins, dtype == GF_F32, true);
}

/* Whether a dtype has a kernel for a single channel: the general kernel is too slow for it, or arrays often have it. */
template <class T> constexpr bool is_common = sizeof(T) == 2 || std::is_floating_point_v<T>;

using Kernel = void (*)(const struct gf_cuda_samples, uint64_t, bool, u64 *, u64);

template <class T> Kernel kernel_for(bool one)
{
    if constexpr (is_common<T>)
        if (one)
            return extremes_kernel<T, 1>;
    return extremes_kernel<T, GF_MAX_CHANNELS>;
}

/* The type of the kernel for samples of type T. */
template <class T> using Stored = std::conditional_t<std::is_floating_point_v<T>, T, Key<T>>;

} // namespace

extern "C" cudaError_t gf_cuda_find_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                             bool finite, uint64_t *extremes)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const uint32_t blocks = gf_cuda_samples_blocks(call, tiles, 8);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        kernel_for<Stored<T>>(s->channels == 1)<<<blocks, block_threads, 0, call->exec->main>>>(
            *s, tiles, finite, reinterpret_cast<u64 *>(extremes), key_flip<T>);
    });
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_bins_of_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                                const uint64_t *extremes, uint32_t n_bins, bool same,
                                                struct gf_bins *bins)
{
    bins_of_extremes_kernel<<<1, 1, 0, call->exec->main>>>(extremes, s->dtype, s->planes, n_bins, same, bins);
    return cudaPeekAtLastError();
}
