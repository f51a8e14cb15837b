/* SPDX-License-Identifier: MIT */
/*
 * Partials to fewer partials, and to results (docs/numerics.md, "The tree"), for reductions along rows. In the tree a
 * block of 128 threads takes 4096 partials, a thread per lane; where the order is free, a block of 512 threads takes
 * all partials of a sequence. Each set of quantities has its own kernel. At most 32 partials of a sequence, and the
 * partials of segments, are folded by a single kernel for all sets: all its threads branch once, uniformly, to the code
 * of the wanted set. Called by reduction.c and reduction_segments.c after the pass over the data.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "reduce_segments.h"
#include "reduction_fold.cuh"

namespace
{

using namespace gf_reduction_kernels;

constexpr int finish_threads = 256, gather_threads = 512;
constexpr uint32_t max_of_warp = 32; /* partials that a warp folds */

/* The sets of quantities that kernels/shared/reduce.h may ask for. */
constexpr unsigned float_stats = GF_WANT_NAN | GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_TREE_SUM | GF_WANT_SPREAD |
                                 GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;
constexpr unsigned short_stats = GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_SQUARES;
constexpr unsigned wide_stats =
    GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_SPREAD | GF_WANT_TREE_SQUARES;
constexpr unsigned compared =
    GF_WANT_DIFFERENCES | GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_EXTREMES | GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;

template <unsigned... sets> struct set_list {
};
constexpr set_list<GF_WANT_NAN | GF_WANT_TREE_SUM, GF_WANT_NAN | GF_WANT_TREE_PRODUCT, GF_WANT_NAN | GF_WANT_TREE_ABS,
                   GF_WANT_NAN | GF_WANT_TREE_SQUARES, GF_WANT_NAN | GF_WANT_SPREAD, GF_WANT_NAN | GF_WANT_NONZERO,
                   GF_WANT_NAN | GF_WANT_EXTREMES, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS,
                   GF_WANT_SUM | GF_WANT_SQUARES, GF_WANT_TREE_SQUARES, GF_WANT_SPREAD, GF_WANT_NONZERO,
                   GF_WANT_EXTREMES, GF_WANT_DOT, GF_WANT_TREE_SUM, GF_WANT_TREE_PRODUCT, GF_WANT_TREE_ABS, compared,
                   float_stats, short_stats, short_stats | GF_WANT_ABS, wide_stats, wide_stats | GF_WANT_ABS>
    all_sets;

unsigned blocks_for(uint64_t items, uint64_t per_block)
{
    return gf_cuda_grid((items + per_block - 1) / per_block);
}

/* One level: n adjacent partials per sequence are reduced by 4096 to `made` partials; a single one becomes the
 * result. */
struct level {
    const uint64_t *in;
    uint64_t n, made;
    uint64_t *out;
    uint64_t sequences;
};

/* Item: one output partial. */
template <unsigned want>
__global__ void __launch_bounds__(GF_TREE_LANES, 1)
    tree_kernel(const __grid_constant__ struct gf_cuda_sequences s, const __grid_constant__ struct level l)
{
    __shared__ uint64_t lanes[gf_partial_words(want) * GF_TREE_LANES];
    gf_launch_next_early();
    gf_wait_for_previous();
    for (uint64_t item = blockIdx.x; item < l.made * l.sequences; item += gridDim.x) {
        const uint64_t sequence = l.made == 1 ? item : item / l.made,
                       first = (item - sequence * l.made) * GF_TREE_CHUNK;
        const uint64_t left = l.n - first, total = l.n * l.sequences, base = sequence * l.n + first;
        const uint32_t n = left < GF_TREE_CHUNK ? static_cast<uint32_t>(left) : GF_TREE_CHUNK;
        const struct gf_partial partial = tree_of<want>(gf_is_float(s.r.dtype), {l.in, total, base, 1, n}, lanes);
        if (threadIdx.x == 0 && l.made > 1)
            gf_partial_store(want, l.out, l.made * l.sequences, item, &partial);
        if (l.made == 1)
            emit_by_block<want>(s.r, s.target, sequence, partial, s.fault, lanes);
    }
}

/* Item: a sequence whose partials join in any order. */
template <unsigned want>
__global__ void __launch_bounds__(gather_threads, 1)
    gather_kernel(const __grid_constant__ struct gf_cuda_sequences s, const __grid_constant__ struct level l)
{
    constexpr int n_warps = gather_threads / warp;
    __shared__ uint64_t shared_partials[gf_partial_words(want) * n_warps];
    const bool real = gf_is_float(s.r.dtype);
    const unsigned w = threadIdx.x / warp, t = threadIdx.x % warp;
    gf_wait_for_previous();
    for (uint64_t item = blockIdx.x; item < l.sequences; item += gridDim.x) {
        const struct partials partials = {l.in, l.n * l.sequences, item * l.n, 1, static_cast<uint32_t>(l.n)};
        struct gf_partial partial = join_all<want, gather_threads>(real, partials, threadIdx.x);
        join_warp<want>(real, &partial);
        if (t == 0)
            gf_partial_store(want, shared_partials, n_warps, w, &partial);
        gf_sync_block();
        if (w == 0) {
            partial = gf_partial_load(want, shared_partials, n_warps, t % n_warps);
            gf_sync_warp(); /* thread 0 overwrites shared_partials next */
            join_warp<want, n_warps>(real, &partial);
        }
        emit_by_block<want>(s.r, s.target, item, partial, s.fault, shared_partials);
        gf_sync_block();
    }
}

/* Item: a place in a level of long segments, of one channel. Only reduce has segments. */
template <unsigned... sets>
__global__ void __launch_bounds__(GF_TREE_LANES, 1) segments_kernel(const __grid_constant__ struct gf_cuda_sequences s,
                                                                    const __grid_constant__ struct gf_cuda_cut_level l)
{
    extern __shared__ uint64_t lanes[];
    const uint64_t channels = s.channels;
    gf_launch_next_early();
    gf_wait_for_previous();
    for (uint64_t item = blockIdx.x; item < l.out_n * channels; item += gridDim.x) {
        const uint64_t place = item / channels, channel = item - place * channels;
        const uint64_t j = gf_cut_at(&s.cut, place, l.level);
        const uint64_t first = (place - gf_cut_base(&s.cut, j, l.level)) * GF_TREE_CHUNK;
        const uint64_t before = gf_cut_partials(&s.cut, j, l.level - 1), made = gf_cut_partials(&s.cut, j, l.level);
        if (before == 1 || first >= before)
            continue; /* the segment is finished or the place unused; uniform across the block */
        const uint64_t base = (gf_cut_base(&s.cut, j, l.level - 1) + first) * channels + channel;
        const uint32_t n = before - first < GF_TREE_CHUNK ? static_cast<uint32_t>(before - first) : GF_TREE_CHUNK;
        const struct partials in = {static_cast<const uint64_t *>(l.in), l.in_n * channels, base, s.channels, n};
        with_set<sets...>(s.kept, [&](auto set) {
            constexpr unsigned want = set_of<decltype(set)>;
            if constexpr (!are_many<want>) {
                const struct gf_partial partial = tree_of<want>(gf_is_float(s.r.dtype), in, lanes);
                if (threadIdx.x == 0 && made > 1)
                    gf_partial_store(want, static_cast<uint64_t *>(l.out), l.out_n * channels, item, &partial);
                if (threadIdx.x == 0 && made == 1)
                    gf_partial_store(want, s.results, s.cut.n * channels, s.cut.longs[j] * channels + channel,
                                     &partial);
            }
        });
    }
}

/* Item: a segment of a channel, whose partial is in s.results. */
__global__ void __launch_bounds__(finish_threads)
    finish_segments_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x, n = s.cut.n * s.channels;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        struct gf_reduction r = s.r;
        r.n = gf_cut_length(&s.cut, i / s.channels);
        emit_any(r, s.target, i, gf_partial_load(r.want, s.results, n, i), s.fault);
    }
}

/* Item: the 1 ... 32 partials of a sequence, to its results. `width` threads of a warp take part: the number of
 * partials rounded up to a power of 2. */
template <unsigned want>
__device__ __forceinline__ void fold_few(const struct gf_cuda_sequences &s, const struct level &l, uint32_t width)
{
    constexpr uint32_t n_words = gf_partial_words(want);
    const uint32_t own = threadIdx.x % width, per_block = finish_threads / width;
    const bool real = gf_is_float(s.r.dtype);
    gf_wait_for_previous();
    for (uint64_t block = blockIdx.x; block * per_block < l.sequences; block += gridDim.x) {
        const uint64_t sequence = block * per_block + threadIdx.x / width;
        struct gf_partial partial = gf_partial_empty();
        if (sequence < l.sequences && own < l.n)
            partial = gf_partial_load(want, l.in, l.n * l.sequences, sequence * l.n + own);
        for (uint32_t d = width / 2; d > 0; d /= 2) {
            uint64_t w[n_words];
            gf_partial_store(want, w, 1, 0, &partial);
#pragma unroll
            for (uint32_t k = 0; k < n_words; k++)
                w[k] = gf_shuffle_down(static_cast<unsigned long long>(w[k]), d);
            const struct gf_partial more = gf_partial_load(want, w, 1, 0);
            if (own < d)
                gf_partial_join(want, real, &partial, &more);
        }
        if (own == 0 && sequence < l.sequences)
            emit<want>(s.r, s.target, sequence, partial, s.fault);
    }
}

template <unsigned... sets>
__global__ void __launch_bounds__(finish_threads) few_kernel(const __grid_constant__ struct gf_cuda_sequences s,
                                                             const __grid_constant__ struct level l, uint32_t width)
{
    with_set<sets...>(s.kept, [&](auto set) {
        constexpr unsigned want = set_of<decltype(set)>;
        if constexpr (!are_many<want>)
            fold_few<want>(s, l, width);
    });
}

template <unsigned want, unsigned... sets>
cudaError_t launch(const struct gf_cuda_sequences &s, const struct level &l, cudaStream_t stream)
{
    if constexpr (!are_many<want>)
        if (l.n <= max_of_warp) {
            uint32_t width = 1;
            while (width < l.n)
                width *= 2;
            return follow(few_kernel<sets...>, blocks_for(l.sequences * width, finish_threads), finish_threads, 0,
                          stream, s, l, width);
        }
    if constexpr (is_exact<want>)
        return follow(gather_kernel<want>, blocks_for(l.sequences, 1), gather_threads, 0, stream, s, l);
    else
        return follow(tree_kernel<want>, blocks_for(l.made * l.sequences, 1), GF_TREE_LANES, 0, stream, s, l);
}

template <unsigned... sets>
cudaError_t launch_one_of(set_list<sets...>, const struct gf_cuda_sequences &s, const struct level &l,
                          cudaStream_t stream)
{
    cudaError_t error = cudaErrorInvalidValue;
    with_set<sets...>(s.kept, [&](auto set) { error = launch<set_of<decltype(set)>, sets...>(s, l, stream); });
    return error;
}

template <unsigned... sets>
cudaError_t launch_segments(set_list<sets...>, const struct gf_cuda_sequences &s, const struct gf_cuda_cut_level &l,
                            cudaStream_t stream)
{
    const size_t shared = sizeof(uint64_t) * gf_partial_words(s.kept) * GF_TREE_LANES;
    bool found = false;
    with_set<sets...>(s.kept, [&](auto set) { found = !are_many<set_of<decltype(set)>>; });
    return found ? follow(segments_kernel<sets...>, blocks_for(l.out_n * s.channels, 1), GF_TREE_LANES, shared, stream,
                          s, l)
                 : cudaErrorInvalidValue;
}

} // namespace

extern "C" cudaError_t gf_cuda_partials_launch(const struct gf_cuda_sequences *s, const uint64_t *in, uint64_t n,
                                               uint64_t *out, cudaStream_t stream)
{
    const struct level l = {in, n, (n - 1) / GF_TREE_CHUNK + 1, out, s->lines * s->channels};
    return launch_one_of(all_sets, *s, l, stream);
}

extern "C" cudaError_t gf_cuda_partials_of_segments_launch(const struct gf_cuda_sequences *s,
                                                           const struct gf_cuda_cut_level *level, cudaStream_t stream)
{
    return launch_segments(all_sets, *s, *level, stream);
}

extern "C" cudaError_t gf_cuda_finish_segments_launch(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(s->cut.n * s->channels, finish_threads);
    finish_segments_kernel<<<blocks, finish_threads, 0, stream>>>(*s);
    return cudaPeekAtLastError();
}
