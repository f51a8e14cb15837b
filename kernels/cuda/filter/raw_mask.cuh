/* SPDX-License-Identifier: MIT */
/*
 * Full masks, square, odd and anchored in the centre, over stored samples without light and alpha, docs/numerics.md,
 * "correlate, convolve": the chain in f32, or, where the exactness rule holds, integer sums of bytes, four products at
 * a time. Included by mask_u8.cu, mask_u16.cu, mask_f32.cu and raw_magnitude.cu.
 *
 * A lane computes V adjacent outputs and walks down its rows with one sum per mask row: input row t contributes to
 * output t - ky through mask row ky. After each row, every sum moves on to the next mask row. The move is free, because
 * the first addition of a mask row reads the previous mask row's sum.
 */
#ifndef GF_CUDA_RAW_MASK_CUH
#define GF_CUDA_RAW_MASK_CUH

#include "filter_pass.h"
#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "raw_tile.cuh"

namespace gf
{

/* Weights in the kernel arguments: of the chain, or packed in fours for integer sums, padded with zeros. Five adjacent
 * bytes lie in two words, whichever byte of the first word they begin at. For K = 5 there is a set of weights per such
 * position, and words are multiplied as they are stored. */
template <int C, int K, bool Bytes> struct raw_weights {
    using Value = std::conditional_t<Bytes, uint32_t, float>;
    static constexpr int per_row = Bytes ? (K + 3) / 4 : K;
    static constexpr int places = Bytes && C == 1 && K == 5 ? 4 : 1;
    Value w[places][K * per_row];
};

/* Adds an input row, t rows below the first, to the outputs that use it, of `rows` output rows. Unrolled rows resolve
 * the test at compile time; in a loop the whole block takes the same branch. */
template <class T, int C, int K, int V, class Row>
__device__ __forceinline__ void add_row(float (&sum)[K][V], const uint32_t (&words)[Row::words],
                                        const raw_weights<C, K, false> &weights, int t, int rows)
{
    float v[Row::words * per_word<T>];
#pragma unroll
    for (int i = 0; i < Row::words * per_word<T>; i++)
        v[i] = sample_of(T{}, words[i / per_word<T>], i % per_word<T>);
#pragma unroll
    for (int ky = K - 1; ky >= 0; ky--) {
        if (static_cast<unsigned>(t - ky) >= static_cast<unsigned>(rows))
            continue;
#pragma unroll
        for (int kx = 0; kx < K; kx++)
#pragma unroll
            for (int j = 0; j < V; j++) {
                const float before = kx > 0 ? sum[ky][j] : ky > 0 ? sum[ky - 1][j] : 0.0f;
                sum[ky][j] = __fmaf_rn(v[Row::skip + j + kx * C], weights.w[0][ky * K + kx], before);
            }
    }
}

template <class T, int C, int K, int V, class Row>
__device__ __forceinline__ void add_row(int (&sum)[K][V], const uint32_t (&words)[Row::words],
                                        const raw_weights<C, K, true> &weights, int t, int rows)
{
    constexpr int fours = raw_weights<C, K, true>::per_row, places = raw_weights<C, K, true>::places;
    uint32_t v[V][fours];
#pragma unroll
    for (int j = 0; j < V; j++)
#pragma unroll
        for (int f = 0; f < fours; f++)
            v[j][f] = places > 1      ? words[(Row::skip + j) / 4 + f]
                      : f < fours - 1 ? gather_bytes<C, 4>(words, Row::skip + j + 4 * f * C)
                                      : gather_bytes<C, K - 4 * (fours - 1)>(words, Row::skip + j + 4 * f * C);
#pragma unroll
    for (int ky = K - 1; ky >= 0; ky--) {
        if (static_cast<unsigned>(t - ky) >= static_cast<unsigned>(rows))
            continue;
#pragma unroll
        for (int f = 0; f < fours; f++)
#pragma unroll
            for (int j = 0; j < V; j++) {
                const int before = f > 0 ? sum[ky][j] : ky > 0 ? sum[ky - 1][j] : sum_base;
                sum[ky][j] = dot_bytes(v[j][f], weights.w[(Row::skip + j) % places][ky * fours + f], before);
            }
    }
}

__device__ __forceinline__ float value_of(float sum)
{
    return sum;
}

__device__ __forceinline__ float value_of(int sum)
{
    return float_of_sum(sum);
}

/* Stands for the result type: f32 or i16, as the target says. */
struct wide {
};

/* Finishes and stores the sums of one output row, from flat sample x on. */
template <class TO, int V, class Sum>
__device__ __forceinline__ void finish_sums(const struct gf_cuda_target &dst, int y, int x, const Sum (&sum)[V])
{
    float v[V];
#pragma unroll
    for (int j = 0; j < V; j++)
        v[j] = __fmaf_rn(value_of(sum[j]), dst.scale, dst.offset);
    run_pointwise(dst.epilogue, v);
    if constexpr (!std::is_same_v<TO, wide>)
        store_run<TO>(row_of<TO>(dst.data, dst.pitch, y) + x, dst.samples - x, v);
    else if (dst.dtype == GF_F32)
        store_run<float>(row_of<float>(dst.data, dst.pitch, y) + x, dst.samples - x, v);
    else
        store_run<int16_t>(row_of<int16_t>(dst.data, dst.pitch, y) + x, dst.samples - x, v);
}

/* The shape of a block for small masks: warps side by side, and rows per lane. Memory is faster with long tile rows,
 * but tall tiles read fewer halo rows, which counts where arithmetic dominates. */
template <class T, int K> struct small_shape {
    static constexpr bool wide = sizeof(T) == sizeof(float) && K <= 5;
    static constexpr int across = wide ? warps : 1, down = warps / across;
    static constexpr int rows = wide ? 16 : rows_per_thread;
};

/* Small masks, unrolled: one tile for the block, `each` rows per lane, a power of two. Bulk copies fill wide f32 tiles
 * and long rows of integer sums; the other kernels need fewer registers without them. */
template <class T, class TO, int C, int K, int V, bool Bytes>
__global__ void __launch_bounds__(threads) raw_small_kernel(const __grid_constant__ struct gf_cuda_source src,
                                                            const __grid_constant__ struct gf_cuda_target dst,
                                                            const __grid_constant__ raw_weights<C, K, Bytes> weights,
                                                            struct gf_cuda_row_chunk row_chunk, int each)
{
    using Shape = small_shape<T, K>;
    using Row = raw_row<T, C, K, V, Shape::across>;
    __shared__ __align__(chunk) unsigned char tile[(Shape::down * Shape::rows + K - 1) * Row::bytes];
    const int column = threadIdx.x % (Shape::across * warp_lanes);
    const int first_row = threadIdx.x / (Shape::across * warp_lanes) * each;
    const int x0 = blockIdx.x * Row::own, y0 = row_chunk.first + blockIdx.y * Shape::down * each;
    fill_raw<T, C, Row, gf_has_bulk_copies && (Shape::wide || (Bytes && Row::bytes > 256))>(
        tile, src, y0 - K / 2, x0 - Row::pad, Shape::down * each + K - 1);

    const int x = x0 + column * V, rows = min(each, row_chunk.end - y0 - first_row);
    if (rows <= 0 || x >= dst.samples)
        return;
    const uint32_t *row = reinterpret_cast<const uint32_t *>(tile + first_row * Row::bytes + Row::pad * Row::size) +
                          column * Row::own_words;
    std::conditional_t<Bytes, int, float> sum[K][V] = {};
#pragma unroll
    for (int t = 0; t < Shape::rows + K - 1; t++, row += Row::bytes / 4) {
        const int done = t - (K - 1);
        if (done > 0 && (done & (done - 1)) == 0 && each == done)
            return;
        uint32_t words[Row::words];
        read_words<0, Row::words, Row::lead, Row::own_words>(words, row);
        add_row<T, C, K, V, Row>(sum, words, weights, t, Shape::rows);
        if (done >= 0 && done < rows)
            finish_sums<TO>(dst, y0 + first_row + done, x, sum[K - 1]);
    }
}

constexpr int step_rows = 4; /* rows that a block of large masks fetches at a time */

/* Resident blocks per multiprocessor for large masks, by the registers for sums and a window. */
template <int C, int K, int V> constexpr int blocks_of_large()
{
    constexpr int registers = K * V + V + (K - 1) * C;
    return registers <= 106 ? 4 : registers <= 150 ? 3 : 2;
}

/* Large masks, double buffered: warps side by side loop down many rows; while they compute on one buffer, the next rows
 * arrive in the other. */
template <class T, int C, int K, int V, bool Bytes>
__global__ void __launch_bounds__(threads, (blocks_of_large<C, K, V>()))
    raw_large_kernel(const __grid_constant__ struct gf_cuda_source src,
                     const __grid_constant__ struct gf_cuda_target dst,
                     const __grid_constant__ raw_weights<C, K, Bytes> weights, struct gf_cuda_row_chunk row_chunk,
                     int max_rows)
{
    using Row = raw_row<T, C, K, V, warps>;
    __shared__ __align__(chunk) unsigned char tile[2][step_rows * Row::bytes];
    __shared__ uint64_t barriers[2];
    const int x0 = blockIdx.x * Row::own, y0 = row_chunk.first + blockIdx.y * max_rows;
    const int rows = min(max_rows, row_chunk.end - y0), total = rows + K - 1,
              x = x0 + static_cast<int>(threadIdx.x) * V;
    std::conditional_t<Bytes, int, float> sum[K][V] = {};
    unsigned in_bulk = 0, parities = 0; /* one bit per buffer of the tile */
    gf_init_copy_barriers(barriers);
    gf_sync_block();
#pragma unroll 1
    for (int t0 = -step_rows, here = 1; t0 < total; t0 += step_rows, here ^= 1) {
        const int next = t0 + step_rows;
        in_bulk &= 1u << here;
        if (next < total && begin_fill<T, C, Row, gf_has_bulk_copies>(tile[here ^ 1], src, y0 - K / 2 + next,
                                                                      x0 - Row::pad, min(step_rows, total - next),
                                                                      &barriers[here ^ 1]) != copy_mode::async)
            in_bulk |= 2u >> here; /* data written by threads is visible: the block synchronises before using it */
        gf_commit_copies();
        if ((in_bulk >> here & 1u) == 0) {
            meet_copies(1);
        } else {
            gf_wait_for_phase(&barriers[here], parities >> here & 1u);
            parities ^= 1u << here;
        }
        const uint32_t *row =
            reinterpret_cast<const uint32_t *>(tile[here] + Row::pad * Row::size) + threadIdx.x * Row::own_words;
#pragma unroll 1
        for (int t = t0; t >= 0 && t < min(next, total); t++, row += Row::bytes / 4) {
            uint32_t words[Row::words];
            read_words<0, Row::words, Row::lead, Row::own_words>(words, row);
            add_row<T, C, K, V, Row>(sum, words, weights, t, rows);
            if (t >= K - 1 && x < dst.samples)
                finish_sums<T>(dst, y0 + t - (K - 1), x, sum[K - 1]);
        }
        gf_sync_block();
    }
}

/* Rows per block: as many as possible, because halo rows are read too, while each multiprocessor still gets enough
 * blocks. */
constexpr int large_rows_max = 64, large_rows_min = 8, enough_blocks = 4;

inline int rows_of_block(int columns, int height, int max_rows, int min_rows)
{
    const int enough = static_cast<int>(gf_cuda_grid(enough_blocks * gf_cuda_units()));
    int rows = max_rows;
    while (rows > min_rows && columns * ((height + rows - 1) / rows) < enough)
        rows /= 2;
    return rows;
}

/* Set the weights in the form that the kernels take: a chain, or bytes packed in fours. */
template <int C, int K> void set_weights(const struct gf_cuda_mask &mask, raw_weights<C, K, false> *weights)
{
    for (int i = 0; i < K * K; i++)
        weights->w[0][i] = mask.weights.chain[i];
}

template <int C, int K> void set_weights(const int8_t *bytes, raw_weights<C, K, true> *weights)
{
    using Weights = raw_weights<C, K, true>;
    *weights = {};
    for (int place = 0; place < Weights::places; place++)
        for (int i = 0; i < K * K; i++) {
            const int row = i / K, byte = place + i % K;
            weights->w[place][row * Weights::per_row + byte / 4] |=
                static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << byte % 4 * 8;
        }
}

template <int C, int K> void set_weights(const struct gf_cuda_mask &mask, raw_weights<C, K, true> *weights)
{
    set_weights(mask.weights.bytes, weights);
}

template <class T, class TO, int C, int K, int V, bool Bytes>
cudaError_t launch_small(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk row_chunk,
                         cudaStream_t stream)
{
    using Shape = small_shape<T, K>;
    constexpr int own = raw_row<T, C, K, V, Shape::across>::own;
    const int height = row_chunk.end - row_chunk.first, columns = (pass->dst.samples + own - 1) / own;
    const int rows = rows_of_block(columns, height, Shape::down * Shape::rows, Shape::down);
    const dim3 grid(columns, (height + rows - 1) / rows);
    raw_weights<C, K, Bytes> weights;
    set_weights(pass->mask, &weights);
    raw_small_kernel<T, TO, C, K, V, Bytes>
        <<<grid, threads, 0, stream>>>(pass->src, pass->dst, weights, row_chunk, rows / Shape::down);
    return cudaPeekAtLastError();
}

template <class T, int C, int K, int V, bool Bytes>
cudaError_t launch_large(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk row_chunk,
                         cudaStream_t stream)
{
    constexpr int own = raw_row<T, C, K, V, warps>::own;
    const int height = row_chunk.end - row_chunk.first, columns = (pass->dst.samples + own - 1) / own;
    const int rows = rows_of_block(columns, height, large_rows_max, large_rows_min);
    const dim3 grid(columns, (height + rows - 1) / rows);
    raw_weights<C, K, Bytes> weights;
    set_weights(pass->mask, &weights);
    raw_large_kernel<T, C, K, V, Bytes><<<grid, threads, 0, stream>>>(pass->src, pass->dst, weights, row_chunk, rows);
    return cudaPeekAtLastError();
}

/* Call f with the number of channels, or the side of a small or large mask, as a constant, and return the result of f.
 * Kernels exist for these values only: has_raw_kernel() of mask_plan.c. */
template <int N> using constant = std::integral_constant<int, N>;

template <class F> auto with_channels(int channels, F &&f)
{
    return channels == 1 ? f(constant<1>{}) : f(constant<3>{});
}

constexpr bool is_small(int side)
{
    return side <= 7;
}

template <class F> auto with_small_side(int side, F &&f)
{
    return side == 3 ? f(constant<3>{}) : side == 5 ? f(constant<5>{}) : f(constant<7>{});
}

template <class F> auto with_large_side(int side, F &&f)
{
    return side == 9 ? f(constant<9>{}) : side == 11 ? f(constant<11>{}) : f(constant<15>{});
}

} // namespace gf

#endif
