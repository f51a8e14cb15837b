/* SPDX-License-Identifier: MIT */
/* 1-D kernels across lines: a tile is a piece of 32 lines and more, one per lane. Called by lines.cu for columns and
 * for short rows. */
#include "lines.cuh"

namespace
{

using namespace gf;

/* Lanes are samples of neighbouring lines. 8 warps: `deep` one behind the other, 8 / deep side by side. */
constexpr int across_warps = max_threads / warp;

/* Where a lane's line begins, in source or result. */
__device__ __forceinline__ uint64_t lane_at(const lines &l, uint64_t lane, uint64_t line, size_t size)
{
    return l.channels == 1 ? lane * line : lane / l.channels * line + lane % l.channels * size;
}

/* Lanes are next to each other in memory, or, turned, the elements of one lane are. */
template <class K>
__device__ __forceinline__ void fill_across(const lines &l, uint64_t first_lane, uint64_t n_lanes, unsigned lanes,
                                            const extent &e, unsigned n, bool turned, typename K::Held *x)
{
    using In = typename K::In;
    const unsigned pitch = lanes + 1, id = threadIdx.x % warp, number = threadIdx.x / warp;
    const unsigned lane_step = turned ? across_warps : max_threads, step = turned ? warp : max_threads / lanes;
    for (unsigned lane = turned ? number : threadIdx.x % lanes; lane < lanes; lane += lane_step) {
        if (first_lane + lane >= n_lanes)
            break;
        const char *line = l.src + lane_at(l, first_lane + lane, l.src_line, sizeof(In));
        const char *from = line + static_cast<uint64_t>(e.first) * l.src_step;
        const unsigned begin = turned ? id : threadIdx.x / lanes;
#pragma unroll 8
        for (unsigned i = e.lo + begin; i < e.hi; i += step)
            x[i * pitch + lane] = read<K>(from + i * l.src_step);
        for (unsigned i = begin; i < n - (e.hi - e.lo); i += step) {
            const unsigned at = i < e.lo ? i : i + (e.hi - e.lo);
            x[at * pitch + lane] = read_outside<K>(l, line, e.first + at);
        }
    }
}

/* Results of turned lanes, through shared memory. */
template <class K>
__device__ __forceinline__ void store_turned(const lines &l, uint64_t first_lane, uint64_t n_lanes, unsigned lanes,
                                             uint64_t first, unsigned n, unsigned at,
                                             const typename K::Acc (&acc)[K::R])
{
    using Out = typename K::Out;
    typename K::Acc *sums = reinterpret_cast<typename K::Acc *>(shared);
    const unsigned pitch = lanes + 1;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < K::R; i++)
        sums[(at + i) * pitch + threadIdx.x % lanes] = acc[i];
    __syncthreads();
    for (unsigned lane = threadIdx.x / warp; lane < lanes && first_lane + lane < n_lanes; lane += across_warps) {
        char *to = l.dst + lane_at(l, first_lane + lane, l.dst_line, sizeof(Out)) + first * l.dst_step;
        for (unsigned i = threadIdx.x % warp; i < n; i += warp)
            *reinterpret_cast<Out *>(to + i * l.dst_step) = stored<Out>(sums[i * pitch + lane]);
    }
}

template <class K>
__global__ void __launch_bounds__(max_threads)
    across_kernel(const __grid_constant__ lines l, uint64_t first_tile, unsigned deep, bool turned)
{
    using Held = typename K::Held;
    using Acc = typename K::Acc;
    using Out = typename K::Out;
    constexpr int R = K::R;
    const unsigned wide = across_warps / deep, lanes = wide * warp, results = deep * R;
    const uint64_t tile = first_tile + blockIdx.x, group = tile / l.tiles_along;
    const uint64_t first = (tile - group * l.tiles_along) * results;
    const unsigned here = static_cast<unsigned>(min(l.results - first, static_cast<uint64_t>(results)));
    const uint64_t n_lanes = l.n_lines * l.channels, lane = group * lanes + threadIdx.x % lanes;
    const unsigned at = threadIdx.x / lanes * R;
    Held *taps = reinterpret_cast<Held *>(shared), *x = taps + l.stretch;
    const across_window<K> window = {x + at * (lanes + 1) + threadIdx.x % lanes, static_cast<int>(lanes + 1)};
    Acc acc[R] = {};
    for (unsigned k = 0; k < l.n_taps; k += l.stretch) {
        const unsigned n_taps = min(l.stretch, l.n_taps - k), n = here + n_taps - 1;
        const extent e = extent_of(l, static_cast<int64_t>(first + k) - l.shift, n);
        if (e.absent)
            continue;
        __syncthreads();
        fill_taps<K>(l, k, n_taps, taps);
        fill_across<K>(l, group * lanes, n_lanes, lanes, e, n, turned, x);
        __syncthreads();
        multiply_stretch<K>(l, e, window, taps, static_cast<int>(n_taps), static_cast<int>(at), acc);
    }
    if (turned) {
        store_turned<K>(l, group * lanes, n_lanes, lanes, first, here, at, acc);
        return;
    }
    if (lane >= n_lanes)
        return;
    char *to = l.dst + lane_at(l, lane, l.dst_line, sizeof(Out)) + (first + at) * l.dst_step;
#pragma unroll
    for (int i = 0; i < R; i++)
        if (at + i < here)
            *reinterpret_cast<Out *>(to + i * l.dst_step) = stored<Out>(acc[i]);
}

template <class K> enum gf_status start_kind(struct gf_cuda_call *call, lines l, bool turned, struct gf_error *err)
{
    constexpr int R = K::R;
    unsigned deep = 1;
    while (deep < across_warps && deep * R < l.results)
        deep *= 2;
    const unsigned lanes = across_warps / deep * warp, results = deep * R;
    const uint64_t groups = (l.n_lines * l.channels + lanes - 1) / lanes;
    l.stretch = stretch_of(l.n_taps, results, R);
    l.tiles_along = (l.results + results - 1) / results;
    const size_t elements =
        (l.stretch + static_cast<size_t>(results + l.stretch) * (lanes + 1)) * sizeof(typename K::Held);
    const size_t sums = static_cast<size_t>(results) * (lanes + 1) * sizeof(typename K::Acc);
    const size_t bytes = turned && elements < sums ? sums : elements;
    const double work = (l.n_taps + result_work) * results * lanes;
    return launch_tiles_by(call, groups * l.tiles_along, work, err, [&](uint64_t first, unsigned n) {
        across_kernel<K><<<n, max_threads, bytes, call->lane->main>>>(l, first, deep, turned);
    });
}

} // namespace

enum gf_status gf::start_across(struct gf_cuda_call *call, const lines &l, bool turned, struct gf_error *err)
{
    return with_kind(l.dtype, err, [&](auto kind) { return start_kind<decltype(kind)>(call, l, turned, err); });
}
