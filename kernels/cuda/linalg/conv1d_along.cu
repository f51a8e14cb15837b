/* SPDX-License-Identifier: MIT */
/* One-dimensional kernels along lines: a tile is a chunk of one line with all its channels. Called by conv1d.cu. */
#include "conv1d.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

constexpr int along_taps = 512;     /* per chunk; a multiple of every R */
constexpr uint64_t few_tiles = 264; /* two per multiprocessor of a large device; with fewer, blocks shrink */

/* The threads that share the results of a channel, and the results of a block. */
struct along_shape {
    unsigned per_channel; /* threads */
    unsigned results;     /* per channel */
};

__host__ __device__ __forceinline__ along_shape along_of(unsigned threads, unsigned channels, int r)
{
    const unsigned per_channel = threads / channels;
    return {per_channel, per_channel * r};
}

__device__ __forceinline__ void split(unsigned s, unsigned channels, unsigned inverse, unsigned *pixel,
                                      unsigned *channel)
{
    *pixel = channels == 1 ? s : __umulhi(s, inverse);
    *channel = s - *pixel * channels;
}

/* Loads elements with gaps between them. */
template <class K>
__device__ __forceinline__ void fill_apart(const conv1d &l, const char *from, const extent &e, unsigned plane,
                                           unsigned inverse, typename K::Held *x)
{
#pragma unroll 8
    for (unsigned s = e.lo * l.channels + threadIdx.x; s < e.hi * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        x[c * plane + padded<typename K::Held, K::R>(i)] = read<K>(from + i * l.src_step + c * sizeof(typename K::In));
    }
}

/* Calls put(s, sample s) for the samples lo ... hi, which are adjacent. Samples before and after the aligned vectors
 * are read one by one. */
template <class K, class Put>
__device__ __forceinline__ void read_samples(const char *from, unsigned lo, unsigned hi, Put &&put)
{
    using In = typename K::In;
    using Held = typename K::Held;
    constexpr unsigned n = per_quad<In>;
    const unsigned odd = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from + lo * sizeof(In)) / sizeof(In)) % n;
    const unsigned begin = min(lo + (n - odd) % n, hi), vectors = (hi - begin) / n, end = begin + vectors * n;
    const uint4 *aligned = reinterpret_cast<const uint4 *>(from + begin * sizeof(In));
#pragma unroll 4
    for (unsigned q = threadIdx.x; q < vectors; q += blockDim.x) {
        quad<In> quad;
        quad.raw = __ldg(aligned + q);
#pragma unroll
        for (unsigned i = 0; i < n; i++)
            put(begin + q * n + i, static_cast<Held>(quad.v[i]));
    }
    for (unsigned i = threadIdx.x; i < begin - lo + hi - end; i += blockDim.x) {
        const unsigned at = i < begin - lo ? lo + i : end + i - (begin - lo);
        put(at, read<K>(from + at * sizeof(In)));
    }
}

template <class K>
__device__ __forceinline__ void fill_along(const conv1d &l, bool dense, const char *line, const extent &e, unsigned n,
                                           unsigned plane, unsigned inverse, typename K::Held *x)
{
    const char *from = line + static_cast<uint64_t>(e.first) * l.src_step;
    const unsigned outside = n - (e.hi - e.lo);
    if (dense)
        read_samples<K>(from, e.lo, e.hi,
                        [&](unsigned i, typename K::Held v) { x[padded<typename K::Held, K::R>(i)] = v; });
    else if (l.src_step == l.channels * sizeof(typename K::In))
        read_samples<K>(from, e.lo * l.channels, e.hi * l.channels, [&](unsigned s, typename K::Held v) {
            unsigned i, c;
            split(s, l.channels, inverse, &i, &c);
            x[c * plane + padded<typename K::Held, K::R>(i)] = v;
        });
    else
        fill_apart<K>(l, from, e, plane, inverse, x);
    for (unsigned s = threadIdx.x; s < outside * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        i += i < e.lo ? 0 : e.hi - e.lo;
        x[c * plane + padded<typename K::Held, K::R>(i)] =
            read_outside<K>(l, line + c * sizeof(typename K::In), e.first + i);
    }
}

template <class K>
__device__ __forceinline__ void store_apart(const conv1d &l, char *to, unsigned n, unsigned plane, unsigned inverse,
                                            const typename K::Acc *sums)
{
    using Out = typename K::Out;
#pragma unroll 8
    for (unsigned s = threadIdx.x; s < n * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        *reinterpret_cast<Out *>(to + i * l.dst_step + c * sizeof(Out)) =
            stored<Out>(sums[c * plane + padded<typename K::Acc, K::R>(i)]);
    }
}

/* Stores adjacent results, the first of which is aligned: 16 bytes of sums at a time, the last results one by one. */
template <class K> __device__ __forceinline__ void store_dense(char *to, unsigned n, const typename K::Acc *sums)
{
    using Acc = typename K::Acc;
    using Out = typename K::Out;
    constexpr unsigned size = per_quad<Acc>;
    Out *results = reinterpret_cast<Out *>(to);
#pragma unroll 4
    for (unsigned q = threadIdx.x; q < n / size; q += blockDim.x) {
        quad<Acc> from;
        from.raw = *reinterpret_cast<const uint4 *>(sums + padded<Acc, K::R>(q * size));
#pragma unroll
        for (unsigned part = 0; part < size; part += per_quad<Out>) {
            quad<Out> quad;
#pragma unroll
            for (unsigned i = 0; i < per_quad<Out>; i++)
                quad.v[i] = stored<Out>(from.v[part + i]);
            *reinterpret_cast<uint4 *>(results + q * size + part) = quad.raw;
        }
    }
    const unsigned i = n / size * size + threadIdx.x;
    if (i < n)
        results[i] = stored<Out>(sums[padded<Acc, K::R>(i)]);
}

/* Stores adjacent pixels of several channels, whose sums are in planes. */
template <class K>
__device__ __forceinline__ void store_pixels(char *to, unsigned n, unsigned channels, unsigned plane, unsigned inverse,
                                             const typename K::Acc *sums)
{
    using Out = typename K::Out;
    constexpr unsigned size = per_quad<Out>;
    const unsigned samples = n * channels;
    Out *results = reinterpret_cast<Out *>(to);
    const auto result = [&](unsigned s) {
        unsigned i, c;
        split(s, channels, inverse, &i, &c);
        return stored<Out>(sums[c * plane + padded<typename K::Acc, K::R>(i)]);
    };
#pragma unroll 4
    for (unsigned q = threadIdx.x; q < samples / size; q += blockDim.x) {
        quad<Out> quad;
#pragma unroll
        for (unsigned k = 0; k < size; k++)
            quad.v[k] = result(q * size + k);
        *reinterpret_cast<uint4 *>(results + q * size) = quad.raw;
    }
    const unsigned s = samples / size * size + threadIdx.x;
    if (s < samples)
        results[s] = result(s);
}

template <class K> __host__ __device__ __forceinline__ bool is_dense(const conv1d &l)
{
    return l.channels == 1 && l.src_step == sizeof(typename K::In) && l.dst_step == sizeof(typename K::Out);
}

/* Whether dense lines have a kernel of their own. Bytes have one, because the kernel for all lines takes a quarter more
 * registers. */
template <class K>
constexpr bool has_dense_kernel = std::is_same_v<typename K::In, float> || sizeof(typename K::In) == 1;

/* One tile per block: the results of all channels of a chunk of a line. */
template <class K, bool Dense>
__global__ void __launch_bounds__(max_threads) along_kernel(const __grid_constant__ conv1d l, uint64_t first_tile)
{
    using Held = typename K::Held;
    using Acc = typename K::Acc;
    constexpr int R = K::R, n_quad = per_quad<Acc>;
    const bool dense = Dense || (!has_dense_kernel<K> && is_dense<K>(l));
    const along_shape shape = Dense ? along_shape{blockDim.x, blockDim.x * R} : along_of(blockDim.x, l.channels, R);
    const uint64_t tile = first_tile + blockIdx.x, line = tile / l.tiles_along;
    const uint64_t first = (tile - line * l.tiles_along) * shape.results;
    const unsigned here = static_cast<unsigned>(min(l.results - first, static_cast<uint64_t>(shape.results)));
    const char *src = l.src + line * l.src_line;
    const unsigned inverse = Dense ? 0 : 0xFFFFFFFFu / l.channels + 1,
                   plane = padded<Held, R>(shape.results + l.tap_chunk);
    const unsigned channel = Dense ? 0 : threadIdx.x / shape.per_channel;
    const unsigned at = (threadIdx.x - channel * shape.per_channel) * R;
    const bool works = channel < l.channels;
    Held *taps = reinterpret_cast<Held *>(shared), *x = taps + l.tap_chunk;
    const along_window<K> window = {x + (works ? channel * plane : 0) + padded<Held, R>(at)};
    Acc acc[R] = {};
    for (unsigned k = 0; k < l.n_taps; k += l.tap_chunk) {
        const unsigned n_taps = min(l.tap_chunk, l.n_taps - k), n = here + n_taps - 1;
        const extent e = extent_of(l, static_cast<int64_t>(first + k) - l.shift, n);
        if (e.absent)
            continue;
        gf_sync_block();
        fill_taps<K>(l, k, n_taps, taps);
        fill_along<K>(l, dense, src, e, n, plane, inverse, x);
        gf_sync_block();
        if (works)
            multiply_chunk<K>(l, e, window, taps, static_cast<int>(n_taps), static_cast<int>(at), acc);
    }
    gf_sync_block();
    Acc *sums = reinterpret_cast<Acc *>(shared);
    const unsigned sum_plane = padded<Acc, R>(shape.results);
    if (works) {
        uint4 *to = reinterpret_cast<uint4 *>(sums + channel * sum_plane + padded<Acc, R>(at));
#pragma unroll
        for (int q = 0; q < R / n_quad; q++) {
            quad<Acc> quad;
#pragma unroll
            for (int i = 0; i < n_quad; i++)
                quad.v[i] = acc[q * n_quad + i];
            to[q] = quad.raw;
        }
    }
    gf_sync_block();
    char *to = l.dst + line * l.dst_line + first * l.dst_step;
    if (dense)
        store_dense<K>(to, here, sums);
    else if (l.dst_step == l.channels * sizeof(typename K::Out))
        store_pixels<K>(to, here, l.channels, sum_plane, inverse, sums);
    else
        store_apart<K>(l, to, here, sum_plane, inverse, sums);
}

template <class K> enum gf_status start_kind(struct gf_cuda_call *call, conv1d l, struct gf_error *err)
{
    constexpr int R = K::R;
    unsigned threads = max_threads;
    along_shape shape = along_of(threads, l.channels, R);
    l.tiles_along = (l.results + shape.results - 1) / shape.results;
    while (threads > warp &&
           (l.n_lines * l.tiles_along < few_tiles || l.tiles_along * shape.results > l.results + l.results / 8)) {
        threads /= 2;
        shape = along_of(threads, l.channels, R);
        l.tiles_along = (l.results + shape.results - 1) / shape.results;
    }
    l.tap_chunk = tap_chunk_of(l.n_taps, along_taps, R);
    const size_t elements = (l.tap_chunk + l.channels * padded<typename K::Held, R>(shape.results + l.tap_chunk)) *
                            sizeof(typename K::Held);
    const size_t sums = l.channels * padded<typename K::Acc, R>(shape.results) * sizeof(typename K::Acc);
    const size_t bytes = elements < sums ? sums : elements;
    const double work = (l.n_taps + result_work) * shape.results * l.channels;
    return launch_tiles_by(call, l.n_lines * l.tiles_along, work, err, [&](uint64_t first, unsigned n) {
        auto *kernel = along_kernel<K, false>;
        if constexpr (has_dense_kernel<K>)
            kernel = is_dense<K>(l) ? along_kernel<K, true> : kernel;
        kernel<<<n, threads, bytes, call->exec->main>>>(l, first);
    });
}

} // namespace

enum gf_status gf::start_along(struct gf_cuda_call *call, const conv1d &l, struct gf_error *err)
{
    return with_kind(l.dtype, err, [&](auto kind) { return start_kind<decltype(kind)>(call, l, err); });
}
