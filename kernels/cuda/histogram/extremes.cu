/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest sample of each channel on CUDA, as keys that order like the samples, and bins over that
 * range. Called by histogram and the tone ops.
 */
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/samples.cuh"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int block_threads = 256;

template <class T> constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

/* Of N channels. */
template <class Key, int N> struct Extremes {
    Key lo[N], hi[N];
    bool nan[N];
};

template <class Key, int N, class T>
__device__ __forceinline__ void widen(Extremes<Key, N> &e, uint32_t c, T v, bool finite)
{
    const bool nan = v != v;
    const bool out = is_float<T> && (nan || (finite && v - v != static_cast<T>(0)));
    const Key key = key_of(v), lo = out ? ~Key{0} : key, hi = out ? Key{0} : key;
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        if (N == 1 || k == c) {
            e.lo[k] = min(e.lo[k], lo);
            e.hi[k] = max(e.hi[k], hi);
            e.nan[k] = e.nan[k] || nan;
        }
    }
}

/* N channels, or GF_MAX_CHANNELS for any number. */
template <class T, int N>
__global__ void __launch_bounds__(block_threads)
    extremes_kernel(const struct gf_cuda_samples s, uint64_t tiles, bool finite, u64 *extremes)
{
    using Key = decltype(key_of(T{0}));
    Extremes<Key, N> e;
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        e.lo[k] = ~Key{0};
        e.hi[k] = 0;
        e.nan[k] = false;
    }
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (blockDim.x / lanes);
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += warps) {
        if (N != 1 && s.luma)
            walk_luma<T>(s, tile, [&](T v) { widen(e, 0, v, finite); });
        else
            walk_tile<T>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    if (j < n)
                        widen(e, c, pack.v[j], finite);
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
            });
    }
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
        if (k >= s.planes)
            continue;
        Key lo = e.lo[k], hi = e.hi[k];
#pragma unroll
        for (int d = lanes / 2; d > 0; d /= 2) {
            lo = min(lo, gf_shuffle_xor(lo, d));
            hi = max(hi, gf_shuffle_xor(hi, d));
        }
        const bool nan = gf_any_lane(e.nan[k]);
        if (threadIdx.x % lanes != 0)
            continue;
        if (lo <= hi) {
            gf_atomic_max(extremes + k * GF_CUDA_EXTREMES, static_cast<u64>(static_cast<Key>(~lo)));
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

} // namespace

extern "C" cudaError_t gf_cuda_find_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                             bool finite, uint64_t *extremes)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const uint32_t blocks = gf_cuda_samples_blocks(call, tiles, 8);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        u64 *to = reinterpret_cast<u64 *>(extremes);
        if (s->channels == 1)
            extremes_kernel<T, 1><<<blocks, block_threads, 0, call->exec->main>>>(*s, tiles, finite, to);
        else
            extremes_kernel<T, GF_MAX_CHANNELS><<<blocks, block_threads, 0, call->exec->main>>>(*s, tiles, finite, to);
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
