/* SPDX-License-Identifier: MIT */
/*
 * resize in one kernel if windows move by two pixels (resize_by_two.h). Launched by resize.c, except for most u8
 * pictures (resize_by_two_bytes.cu).
 *
 * A block walks down a span of columns. Each thread owns a quad of source columns and reads each row once. It adds a
 * pair of rows to the chains of all results whose windows have the pair; each pair completes one result, whose sums
 * form a line in shared memory. After eight lines the block turns to the rows: each lane makes groups of four pixels of
 * one line, and a warp works on eight lines and four groups at a time.
 *
 * A line has a quad per thread. Its pitch is a multiple of the 32 banks plus one quad, so that neither quads of
 * adjacent threads nor quads of eight lines have bank conflicts. 8- and 16-bit samples pass through `out`, so that
 * adjacent lanes store adjacent words; f32 samples are stored directly.
 */
#include "resize_by_two.cuh"

namespace
{

using namespace gf;

/* Four samples, as they are stored. */
template <class T> struct alignas(sizeof(T) * quad) stored {
    T v[quad];
};

/* Makes four pixels, from column x of the result on. */
template <int m, int C, class T>
__device__ __forceinline__ void make_pixels(const struct gf_cuda_resizing &r, int x, const float *from,
                                            stored<T> (&made)[C])
{
    float acc[group_pixels][C];
    make_sums<m, C>(r, x, from, acc);
#pragma unroll
    for (int i = 0; i < C * quad; i++)
        made[i / quad].v[i % quad] = to_stored(T{}, __fadd_rn(acc[i / C][i % C], 0.0f)); /* no -0 */
}

/*
 * Makes rows y0 to y1 - 1 of a block's columns. All threads of a block pass both barriers once per chunk of lines. (1)
 * orders the writes of the lines before their reads. (2) orders these reads before the next chunk's writes, and the
 * writes to `out` before the warps store its rows. The next chunk writes `out` after its own (1), which comes after all
 * reads of `out` for this chunk.
 */
template <int m, int C, class T>
__device__ __forceinline__ void make_span(const struct gf_cuda_resizing &r, int x0, int groups, int y0, int y1,
                                          float *lines, stored<T> *out)
{
    using of = span_of<m, C>;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int flat = 2 * x0 * C - of::lead + static_cast<int>(threadIdx.x) * quad, left = r.src.width * C - flat;
    const bool inside = flat >= 0 && left > 0;
    float acc[m][quad] = {};
    add_pairs<m, m - 1, T>(r, y0, flat, inside, left, acc, nullptr);
#pragma unroll 1
    for (int y = y0; y < y1; y += chunk_lines) {
#pragma unroll
        for (int i = 0; i < chunk_lines; i += pairs_at_once)
            add_pairs<m, pairs_at_once, T>(r, y + m - 1 + i, flat, inside, left, acc, lines + i * line_pitch);
        gf_sync_block(); /* (1) */
        const int line = lane % chunk_lines;
        for (int g = warp * lane_groups + lane / chunk_lines; g < groups; g += block_groups) {
            stored<T> made[C];
            make_pixels<m, C>(r, x0 + g * group_pixels, lines + line * line_pitch + 2 * group_pixels * C * g, made);
#pragma unroll
            for (int q = 0; q < C; q++)
                if constexpr (sizeof(T) < sizeof(float))
                    out[line * of::out_pitch + g * C + q] = made[q];
                else if (y + line < y1)
                    store_values<T>(r.dst, y + line, (x0 + g * group_pixels) * C + q * quad, made[q].v);
        }
        gf_sync_block(); /* (2) */
        if constexpr (sizeof(T) < sizeof(float))
            if (y + warp < y1)
                for (int q = lane; q < groups * C; q += warp_lanes)
                    store_values<T>(r.dst, y + warp, x0 * C + q * quad, out[warp * of::out_pitch + q].v);
    }
}

static_assert(by_two_warps == chunk_lines, "each warp must store one line");

template <int m, int C>
__global__ void __launch_bounds__(by_two_threads, span_of<m, C>::blocks)
    by_two_kernel(const __grid_constant__ struct gf_cuda_resizing r, int tile_groups, int rows)
{
    __shared__ __align__(16) float lines[chunk_lines * line_pitch];
    __shared__ __align__(16) stored<uint16_t> out[chunk_lines * span_of<m, C>::out_pitch];
    const int all = (r.dst.samples / C + group_pixels - 1) / group_pixels, first = blockIdx.x * tile_groups;
    const int groups = min(tile_groups, all - first), x0 = first * group_pixels;
    const int end = min(r.end * GF_RESIZE_GROUP, r.dst.height), y0 = r.first * GF_RESIZE_GROUP + blockIdx.y * rows;
    const int y1 = min(y0 + rows, end);
    if (r.src.dtype == GF_U8)
        make_span<m, C>(r, x0, groups, y0, y1, lines, reinterpret_cast<stored<uint8_t> *>(out));
    else if (r.src.dtype == GF_U16)
        make_span<m, C>(r, x0, groups, y0, y1, lines, out);
    else
        make_span<m, C>(r, x0, groups, y0, y1, lines, static_cast<stored<float> *>(nullptr));
}

/* Tiles have even widths. Spans are as high as possible while all blocks run at once, because adjacent spans read some
 * rows twice. */
template <int m, int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const int all = (r->dst.samples / C + group_pixels - 1) / group_pixels;
    const int across = (all + span_of<m, C>::groups - 1) / span_of<m, C>::groups, groups = (all + across - 1) / across;
    const int height = (r->end - r->first) * GF_RESIZE_GROUP;
    const int slots = static_cast<int>(gf_cuda_units()) * span_of<m, C>::blocks,
              down = slots > across ? slots / across : 1;
    const int rows = round_up((height + down - 1) / down, chunk_lines);
    const dim3 grid(across, (height + rows - 1) / rows);
    by_two_kernel<m, C><<<grid, by_two_threads, 0, stream>>>(*r, groups, rows);
    return cudaPeekAtLastError();
}

template <int m> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return gf_dispatch_channels(r->src.channels, [&](auto c) { return launch<m, c.value>(r, stream); });
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_by_two(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return r->by_two.taps == 4   ? launch<2>(r, stream)
           : r->by_two.taps == 8 ? launch<4>(r, stream)
                                 : launch<6>(r, stream);
}
