/* SPDX-License-Identifier: MIT */
/* One-dimensional kernels across lines: a tile is a chunk of 32 or more lines, one per lane. Called by conv1d.cu for
 * columns and short rows. */
#include "conv1d.cuh"
#include "kernels/cuda/device/launch_bounds.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

/* Lanes are samples of adjacent lines. Of the 8 warps, `deep` lie along the lines and 8 / deep side by side. */
constexpr int across_warps = max_threads / warp;
/* Per multiprocessor: some wait for memory while others multiply. */
constexpr unsigned across_blocks = blocks_by_architecture(4, 3);

/* Returns the start of a lane's line, in source or result. */
__device__ __forceinline__ uint64_t lane_at(const conv1d &l, uint64_t lane, uint64_t line, size_t size)
{
    return l.channels == 1 ? lane * line : lane / l.channels * line + lane % l.channels * size;
}

/* Returns the pitch, in lanes, between elements in shared memory, where adjacent lanes are adjacent. One lane more
 * avoids bank conflicts where the elements of one lane are written together. */
__host__ __device__ __forceinline__ unsigned pitch_of(unsigned lanes, bool transposed)
{
    return transposed ? lanes + 1 : lanes;
}

/* Loads the elements lo ... hi of the extent one by one, where the elements of a lane are adjacent in memory. */
template <class K>
__device__ __forceinline__ void fill_transposed(const conv1d &l, uint64_t first_lane, unsigned here, unsigned pitch,
                                                const extent &e, typename K::Held *x)
{
    for (unsigned lane = threadIdx.x / warp; lane < here; lane += across_warps) {
        const char *from = l.src + lane_at(l, first_lane + lane, l.src_line, sizeof(typename K::In)) +
                           static_cast<uint64_t>(e.first) * l.src_step;
#pragma unroll 8
        for (unsigned i = e.lo + threadIdx.x % warp; i < e.hi; i += warp)
            x[i * pitch + lane] = read<K>(from + i * l.src_step);
    }
}

/* Loads the elements lo ... hi where lanes are adjacent in memory: 16 bytes at a time; the last access may reach into
 * the padding of the row. */
template <class K>
__device__ __forceinline__ void fill_wide(const conv1d &l, uint64_t first_lane, unsigned here, unsigned pitch,
                                          const extent &e, typename K::Held *x)
{
    using In = typename K::In;
    using Held = typename K::Held;
    constexpr unsigned size = per_quad<In>;
    const unsigned wide = pitch / size, lane = threadIdx.x % wide * size, step = max_threads / wide;
    if (lane >= here)
        return;
    const char *from = l.src + (first_lane + lane) * sizeof(In) + static_cast<uint64_t>(e.first) * l.src_step;
#pragma unroll 4
    for (unsigned i = e.lo + threadIdx.x / wide; i < e.hi; i += step) {
        quad<In> in;
        in.raw = __ldg(reinterpret_cast<const uint4 *>(from + i * l.src_step));
        uint4 *to = reinterpret_cast<uint4 *>(x + i * pitch + lane);
#pragma unroll
        for (unsigned part = 0; part < size; part += per_quad<Held>) {
            quad<Held> held;
#pragma unroll
            for (unsigned k = 0; k < per_quad<Held>; k++)
                held.v[k] = static_cast<Held>(in.v[part + k]);
            to[part / per_quad<Held>] = held.raw;
        }
    }
}

/* Loads all n elements of `here` lanes from first_lane on. */
template <class K>
__device__ __forceinline__ void fill_across(const conv1d &l, uint64_t first_lane, unsigned here, unsigned lanes,
                                            const extent &e, unsigned n, bool transposed, typename K::Held *x)
{
    const unsigned pitch = pitch_of(lanes, transposed), outside = n - (e.hi - e.lo);
    if (transposed)
        fill_transposed<K>(l, first_lane, here, pitch, e, x);
    else
        fill_wide<K>(l, first_lane, here, pitch, e, x);
    for (unsigned k = threadIdx.x; k < outside * lanes; k += max_threads) {
        const unsigned i = k / lanes, lane = k - i * lanes, at = i < e.lo ? i : i + (e.hi - e.lo);
        if (lane < here)
            x[at * pitch + lane] = read_outside<K>(
                l, l.src + lane_at(l, first_lane + lane, l.src_line, sizeof(typename K::In)), e.first + at);
    }
}

/* Stores the results of transposed lanes by way of shared memory. */
template <class K>
__device__ __forceinline__ void store_transposed(const conv1d &l, uint64_t first_lane, uint64_t n_lanes, unsigned lanes,
                                                 uint64_t first, unsigned n, unsigned at,
                                                 const typename K::Acc (&acc)[K::R])
{
    using Out = typename K::Out;
    typename K::Acc *sums = reinterpret_cast<typename K::Acc *>(shared);
    const unsigned pitch = lanes + 1;
    gf_sync_block();
#pragma unroll
    for (int i = 0; i < K::R; i++)
        sums[(at + i) * pitch + threadIdx.x % lanes] = acc[i];
    gf_sync_block();
    for (unsigned lane = threadIdx.x / warp; lane < lanes && first_lane + lane < n_lanes; lane += across_warps) {
        char *to = l.dst + lane_at(l, first_lane + lane, l.dst_line, sizeof(Out)) + first * l.dst_step;
        for (unsigned i = threadIdx.x % warp; i < n; i += warp)
            *reinterpret_cast<Out *>(to + i * l.dst_step) = stored<Out>(sums[i * pitch + lane]);
    }
}

template <class K>
__global__ void __launch_bounds__(max_threads, across_blocks)
    across_kernel(const __grid_constant__ conv1d l, uint64_t first_tile, uint64_t groups, unsigned deep,
                  bool transposed)
{
    using Held = typename K::Held;
    using Acc = typename K::Acc;
    using Out = typename K::Out;
    constexpr int R = K::R;
    const unsigned wide = across_warps / deep, lanes = wide * warp, results = deep * R;
    /* Tiles side by side are consecutive, so that their accesses are close together in memory. */
    const uint64_t tile = first_tile + blockIdx.x, row = tile / groups, group = tile - row * groups;
    const uint64_t first = row * results;
    const unsigned here = static_cast<unsigned>(min(l.results - first, static_cast<uint64_t>(results)));
    const uint64_t n_lanes = l.n_lines * l.channels, lane = group * lanes + threadIdx.x % lanes;
    const unsigned at = threadIdx.x / lanes * R, pitch = pitch_of(lanes, transposed);
    const unsigned lanes_here = static_cast<unsigned>(min(n_lanes - group * lanes, static_cast<uint64_t>(lanes)));
    Held *taps = reinterpret_cast<Held *>(shared), *x = taps + l.tap_chunk;
    const across_window<K> window = {x + at * pitch + threadIdx.x % lanes, static_cast<int>(pitch)};
    Acc acc[R] = {};
    for (unsigned k = 0; k < l.n_taps; k += l.tap_chunk) {
        const unsigned n_taps = min(l.tap_chunk, l.n_taps - k), n = here + n_taps - 1;
        const extent e = extent_of(l, static_cast<int64_t>(first + k) - l.shift, n);
        if (e.absent)
            continue;
        gf_sync_block();
        fill_taps<K>(l, k, n_taps, taps);
        fill_across<K>(l, group * lanes, lanes_here, lanes, e, n, transposed, x);
        gf_sync_block();
        multiply_chunk<K>(l, e, window, taps, static_cast<int>(n_taps), static_cast<int>(at), acc);
    }
    if (transposed) {
        store_transposed<K>(l, group * lanes, n_lanes, lanes, first, here, at, acc);
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

template <class K> enum gf_status start_kind(struct gf_cuda_call *call, conv1d l, bool transposed, struct gf_error *err)
{
    constexpr int R = K::R;
    unsigned deep = 1;
    while (deep < across_warps && deep * R < l.results)
        deep *= 2;
    const unsigned lanes = across_warps / deep * warp, results = deep * R;
    const uint64_t groups = (l.n_lines * l.channels + lanes - 1) / lanes;
    l.tap_chunk = tap_chunk_of(l.n_taps, results, R);
    l.tiles_along = (l.results + results - 1) / results;
    const size_t elements = (l.tap_chunk + static_cast<size_t>(results + l.tap_chunk) * pitch_of(lanes, transposed)) *
                            sizeof(typename K::Held);
    const size_t sums = static_cast<size_t>(results) * (lanes + 1) * sizeof(typename K::Acc);
    const size_t bytes = transposed && elements < sums ? sums : elements;
    const double work = (l.n_taps + result_work) * results * lanes;
    return launch_tiles_by(call, groups * l.tiles_along, work, err, [&](uint64_t first, unsigned n) {
        across_kernel<K><<<n, max_threads, bytes, call->exec->main>>>(l, first, groups, deep, transposed);
    });
}

} // namespace

enum gf_status gf::start_across(struct gf_cuda_call *call, const conv1d &l, bool transposed, struct gf_error *err)
{
    return with_kind(l.dtype, err, [&](auto kind) { return start_kind<decltype(kind)>(call, l, transposed, err); });
}
