/* SPDX-License-Identifier: MIT */
/*
 * Parts to fewer parts, and to results (docs/numerics.md 8), for what goes along rows: a block of 128 threads is the
 * 128 lanes of 4096 parts. Called by reduction.c after the pass over the data.
 */
#include "reduce_args.h"

namespace
{

constexpr int finish_threads = 256;
constexpr uint32_t most_few = 32; /* parts that a warp folds */
constexpr unsigned max_blocks = 1u << 20;

/* All sets of quantities that kernels/reduce.h can ask for. */
constexpr unsigned float_stats = GF_WANT_NAN | GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_TREE_SUM | GF_WANT_SPREAD |
                                 GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;
constexpr unsigned short_stats = GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_SQUARES;
constexpr unsigned wide_stats =
    GF_WANT_EXTREMES | GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_SPREAD | GF_WANT_TREE_SQUARES;
constexpr unsigned compared =
    GF_WANT_DIFFERENCES | GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_EXTREMES | GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;

unsigned blocks_for(uint64_t items, uint64_t per_block)
{
    const uint64_t n = (items + per_block - 1) / per_block;
    return n < max_blocks ? static_cast<unsigned>(n) : max_blocks;
}

/* One level: n parts of each sequence, side by side, to as many as that makes of 4096; the only one to results. */
struct level {
    const uint64_t *in;
    uint64_t n, made;
    uint64_t *out;
    uint64_t sequences;
    uint64_t *fault;
};

/* The results of a sequence, by one thread. */
static __device__ __noinline__ void emit(const struct gf_reduction &r, const struct gf_reduce_target &target,
                                         uint64_t sequence, const struct gf_part &part, uint64_t *fault)
{
    if (!gf_reduce_emit(&r, &target, sequence, &part))
        atomicMin(reinterpret_cast<unsigned long long *>(fault), static_cast<unsigned long long>(sequence));
}

/* Item: one part that is made. */
template <unsigned want>
__global__ void __launch_bounds__(GF_TREE_LANES)
    tree_kernel(const __grid_constant__ struct level l, const __grid_constant__ struct gf_reduction r,
                const __grid_constant__ struct gf_reduce_target target)
{
    constexpr uint32_t n_words = gf_part_words(want), ahead = n_words <= 4 ? 8 : 2;
    __shared__ uint64_t lanes[n_words * (GF_TREE_LANES / 2)];
    const unsigned lane = threadIdx.x;
    const bool real = gf_is_float(r.dtype);
    for (uint64_t item = blockIdx.x; item < l.made * l.sequences; item += gridDim.x) {
        const uint64_t sequence = l.made == 1 ? item : item / l.made,
                       first = (item - sequence * l.made) * GF_TREE_CHUNK;
        const uint64_t left = l.n - first, total = l.n * l.sequences, base = sequence * l.n + first;
        const uint32_t n = left < GF_TREE_CHUNK ? static_cast<uint32_t>(left) : GF_TREE_CHUNK;
        struct gf_part part = gf_part_empty();
        uint32_t i = lane;
        for (; i + (ahead - 1) * GF_TREE_LANES < n; i += ahead * GF_TREE_LANES) {
            struct gf_part more[ahead];
#pragma unroll
            for (uint32_t k = 0; k < ahead; k++)
                more[k] = gf_part_load(want, l.in, total, base + i + k * GF_TREE_LANES);
#pragma unroll
            for (uint32_t k = 0; k < ahead; k++)
                gf_part_join(want, real, &part, &more[k]);
        }
        for (; i < n; i += GF_TREE_LANES) {
            const struct gf_part more = gf_part_load(want, l.in, total, base + i);
            gf_part_join(want, real, &part, &more);
        }
        for (unsigned half = GF_TREE_LANES / 2; half > 0; half /= 2) {
            if (lane >= half && lane < 2 * half)
                gf_part_store(want, lanes, GF_TREE_LANES / 2, lane - half, &part);
            __syncthreads();
            if (lane < half) {
                const struct gf_part more = gf_part_load(want, lanes, GF_TREE_LANES / 2, lane);
                gf_part_join(want, real, &part, &more);
            }
            __syncthreads();
        }
        if (lane == 0 && l.made > 1)
            gf_part_store(want, l.out, l.made * l.sequences, item, &part);
        if (lane == 0 && l.made == 1)
            emit(r, target, sequence, part, l.fault);
    }
}

/* Item: the 2 ... 32 parts of a sequence to its results, for as many threads of a warp, rounded up to a power of 2. */
template <unsigned want>
__global__ void __launch_bounds__(finish_threads)
    few_kernel(const __grid_constant__ struct level l, const __grid_constant__ struct gf_reduction r,
               const __grid_constant__ struct gf_reduce_target target, uint32_t width)
{
    constexpr uint32_t n_words = gf_part_words(want);
    const uint32_t own = threadIdx.x % width, per_block = finish_threads / width;
    const bool real = gf_is_float(r.dtype);
    for (uint64_t block = blockIdx.x; block * per_block < l.sequences; block += gridDim.x) {
        const uint64_t sequence = block * per_block + threadIdx.x / width;
        struct gf_part part = gf_part_empty();
        if (sequence < l.sequences && own < l.n)
            part = gf_part_load(want, l.in, l.n * l.sequences, sequence * l.n + own);
        for (uint32_t d = width / 2; d > 0; d /= 2) {
            uint64_t w[n_words];
            gf_part_store(want, w, 1, 0, &part);
#pragma unroll
            for (uint32_t k = 0; k < n_words; k++)
                w[k] = __shfl_down_sync(UINT32_MAX, static_cast<unsigned long long>(w[k]), d);
            const struct gf_part more = gf_part_load(want, w, 1, 0);
            if (own < d)
                gf_part_join(want, real, &part, &more);
        }
        if (own == 0 && sequence < l.sequences)
            emit(r, target, sequence, part, l.fault);
    }
}

__global__ void __launch_bounds__(finish_threads)
    finish_kernel(const __grid_constant__ struct level l, const __grid_constant__ struct gf_reduction r,
                  const __grid_constant__ struct gf_reduce_target target)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < l.sequences; i += step)
        emit(r, target, i, gf_part_load(r.want, l.in, l.sequences, i), l.fault);
}

template <unsigned want>
void launch(const struct level &l, const struct gf_reduction &r, const struct gf_reduce_target &target,
            cudaStream_t stream)
{
    if (l.n <= most_few) {
        uint32_t width = 2;
        while (width < l.n)
            width *= 2;
        few_kernel<want>
            <<<blocks_for(l.sequences * width, finish_threads), finish_threads, 0, stream>>>(l, r, target, width);
        return;
    }
    tree_kernel<want><<<blocks_for(l.made * l.sequences, 1), GF_TREE_LANES, 0, stream>>>(l, r, target);
}

/* Launches the one of the sets that is wanted. */
template <unsigned... sets>
cudaError_t launch_one_of(const struct level &l, const struct gf_reduction &r, const struct gf_reduce_target &target,
                          cudaStream_t stream)
{
    const bool found = ((r.want == sets && (launch<sets>(l, r, target, stream), true)) || ...);
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace

extern "C" cudaError_t gf_cuda_parts_launch(const struct gf_cuda_sequences *s, const uint64_t *in, uint64_t n,
                                            uint64_t *out, cudaStream_t stream)
{
    const struct level l = {in, n, (n - 1) / GF_TREE_CHUNK + 1, out, s->lines * s->channels, s->fault};
    if (n == 1) {
        finish_kernel<<<blocks_for(l.sequences, finish_threads), finish_threads, 0, stream>>>(l, s->r, s->target);
        return cudaPeekAtLastError();
    }
    return launch_one_of<GF_WANT_NAN | GF_WANT_TREE_SUM, GF_WANT_NAN | GF_WANT_TREE_PRODUCT,
                         GF_WANT_NAN | GF_WANT_TREE_ABS, GF_WANT_NAN | GF_WANT_TREE_SQUARES,
                         GF_WANT_NAN | GF_WANT_SPREAD, GF_WANT_NAN | GF_WANT_NONZERO, GF_WANT_NAN | GF_WANT_EXTREMES,
                         GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_SUM | GF_WANT_SQUARES, GF_WANT_TREE_SQUARES,
                         GF_WANT_SPREAD, GF_WANT_NONZERO, GF_WANT_EXTREMES, GF_WANT_DOT, compared, float_stats,
                         short_stats, short_stats | GF_WANT_ABS, wide_stats, wide_stats | GF_WANT_ABS>(
        l, s->r, s->target, stream);
}
