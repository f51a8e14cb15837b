/* SPDX-License-Identifier: MIT */
/*
 * Parts to fewer parts, and to results (docs/numerics.md 8). Called by reduction.c after the pass over the data.
 *
 * Along rows a block of 128 threads is the 128 lanes of a chunk of parts; of columns a thread folds 64 parts in order.
 */
#include "reduce_args.h"

namespace
{

constexpr int column_threads = 256;
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

/* Item: one part that is made. */
template <unsigned want>
__global__ void __launch_bounds__(GF_TREE_LANES)
    tree_kernel(const uint64_t *in, uint64_t n, uint64_t *out, uint64_t sequences, uint64_t chunks, bool real)
{
    __shared__ struct gf_part lanes[GF_TREE_LANES / 2];
    const unsigned lane = threadIdx.x;
    for (uint64_t item = blockIdx.x; item < chunks * sequences; item += gridDim.x) {
        const uint64_t first = item / sequences * GF_TREE_CHUNK, sequence = item % sequences;
        const uint64_t end = n - first < GF_TREE_CHUNK ? n : first + GF_TREE_CHUNK;
        struct gf_part part = gf_part_empty();
        if (first + lane < end)
            part = gf_part_load(want, in, n * sequences, (first + lane) * sequences + sequence);
#pragma unroll 4
        for (uint64_t i = first + lane + GF_TREE_LANES; i < end; i += GF_TREE_LANES) {
            const struct gf_part more = gf_part_load(want, in, n * sequences, i * sequences + sequence);
            gf_part_join(want, real, &part, &more);
        }
        for (unsigned half = GF_TREE_LANES / 2; half > 0; half /= 2) {
            if (lane >= half && lane < 2 * half)
                lanes[lane - half] = part;
            __syncthreads();
            if (lane < half)
                gf_part_join(want, real, &part, &lanes[lane]);
            __syncthreads();
        }
        if (lane == 0)
            gf_part_store(want, out, chunks * sequences, item, &part);
    }
}

template <unsigned want>
__global__ void __launch_bounds__(column_threads)
    blocks_kernel(const uint64_t *in, uint64_t n, uint64_t *out, uint64_t sequences, uint64_t blocks, bool real)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; item < blocks * sequences;
         item += step) {
        const uint64_t first = item / sequences * GF_TREE_ROWS, sequence = item % sequences;
        const uint64_t end = n - first < GF_TREE_ROWS ? n : first + GF_TREE_ROWS;
        struct gf_part part = gf_part_load(want, in, n * sequences, first * sequences + sequence);
        for (uint64_t i = first + 1; i < end; i++) {
            const struct gf_part more = gf_part_load(want, in, n * sequences, i * sequences + sequence);
            gf_part_join(want, real, &part, &more);
        }
        gf_part_store(want, out, blocks * sequences, item, &part);
    }
}

__global__ void __launch_bounds__(column_threads)
    finish_kernel(const __grid_constant__ struct gf_reduction r, const __grid_constant__ struct gf_reduce_target target,
                  const uint64_t *parts, uint64_t first, uint64_t sequences, uint64_t *fault)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < sequences; i += step) {
        const struct gf_part part = gf_part_load(r.want, parts, sequences, i);
        if (!gf_reduce_emit(&r, &target, first + i, &part))
            atomicMin(reinterpret_cast<unsigned long long *>(fault), static_cast<unsigned long long>(first + i));
    }
}

/* One level. */
struct level {
    const uint64_t *in;
    uint64_t n;
    uint64_t *out;
    uint64_t sequences;
    bool columns, real;
    cudaStream_t stream;
};

template <unsigned want> void launch(const struct level &l)
{
    const uint64_t per_part = l.columns ? GF_TREE_ROWS : GF_TREE_CHUNK, made = (l.n - 1) / per_part + 1;
    if (l.columns)
        blocks_kernel<want><<<blocks_for(made * l.sequences, column_threads), column_threads, 0, l.stream>>>(
            l.in, l.n, l.out, l.sequences, made, l.real);
    else
        tree_kernel<want><<<blocks_for(made * l.sequences, 1), GF_TREE_LANES, 0, l.stream>>>(l.in, l.n, l.out,
                                                                                             l.sequences, made, l.real);
}

/* Launches the one of the sets that is wanted. */
template <unsigned... sets> cudaError_t launch_one_of(unsigned want, const struct level &l)
{
    const bool found = ((want == sets && (launch<sets>(l), true)) || ...);
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace

extern "C" cudaError_t gf_cuda_parts_launch(const struct gf_reduction *r, const uint64_t *in, uint64_t n, uint64_t *out,
                                            uint64_t sequences, cudaStream_t stream)
{
    const struct level l = {in, n, out, sequences, r->axis == GF_AXIS_COLS, gf_is_float(r->dtype), stream};
    return launch_one_of<GF_WANT_NAN | GF_WANT_TREE_SUM, GF_WANT_NAN | GF_WANT_TREE_PRODUCT,
                         GF_WANT_NAN | GF_WANT_TREE_ABS, GF_WANT_NAN | GF_WANT_TREE_SQUARES,
                         GF_WANT_NAN | GF_WANT_SPREAD, GF_WANT_NAN | GF_WANT_NONZERO, GF_WANT_NAN | GF_WANT_EXTREMES,
                         GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_SUM | GF_WANT_SQUARES, GF_WANT_TREE_SQUARES,
                         GF_WANT_SPREAD, GF_WANT_NONZERO, GF_WANT_EXTREMES, GF_WANT_DOT, compared, float_stats,
                         short_stats, short_stats | GF_WANT_ABS, wide_stats, wide_stats | GF_WANT_ABS>(r->want, l);
}

extern "C" cudaError_t gf_cuda_finish_launch(const struct gf_reduction *r, const struct gf_reduce_target *target,
                                             const uint64_t *parts, uint64_t first, uint64_t sequences, uint64_t *fault,
                                             cudaStream_t stream)
{
    finish_kernel<<<blocks_for(sequences, column_threads), column_threads, 0, stream>>>(*r, *target, parts, first,
                                                                                        sequences, fault);
    return cudaPeekAtLastError();
}
