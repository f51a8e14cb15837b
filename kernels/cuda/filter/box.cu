/* SPDX-License-Identifier: MIT */
/*
 * Window sums along both axes, docs/numerics.md, "box": exact for integers, otherwise by the doubling rule in f32.
 * linear_filter.c launches them through filter_pass.h for box.
 *
 * The first pass sums along the rows; box_columns.cu then sums down the columns. Where an f32 window is too high for
 * box_columns.cu, the first pass writes one plane per channel, the planes are transposed, a second pass sums along the
 * rows of the transposed planes, and the result is transposed back, finished and stored.
 */
#include "filter_pass.h"
#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "tile.cuh"

namespace
{

using namespace gf;

constexpr int window_threads = 256;
constexpr int per_thread = 2;
constexpr int segment = window_threads * per_thread; /* windows of a block, adjacent in one row */
constexpr int transpose_side = 32;                   /* side of a transposed tile */
constexpr int transpose_rows = 8;                    /* thread rows that move a tile */

/* Planes of 4-byte values, one plane per channel. */
struct planes {
    void *data;
    size_t pitch, plane; /* bytes */
    int step; /* from a value to the next value of its row: the channel count where planes are interleaved, otherwise 1
               */
};

struct window_geometry {
    int32_t n, anchor;
    int32_t length, rows, channels; /* length of a row; rows and channels of the image */
    uint32_t border;
    struct planes in, out; /* `in` is unused by the pass that reads the image */
    struct gf_cuda_box_outside outside;
};

/*
 * Computes the sums of the windows that start at base[0] ... base[segment - 1], two windows per thread. For each set
 * bit of n, from the highest: doubling builds the sums of that many neighbours, alternating between two arrays; then
 * each window adds the sum that begins where its covered part ends. All threads of the block must take part.
 */
template <class S>
__device__ __forceinline__ void window_sums(const S *base, S *work, S *other, int n, S (&sum)[per_thread])
{
    const int length = segment + n - 1;
    int covered = 0;
    for (int bit = 1 << (31 - __clz(n)); bit > 0; bit >>= 1) {
        if ((n & bit) == 0)
            continue;
        const S *level = base;
        for (int m = 1; m < bit; m *= 2) {
            for (int i = threadIdx.x; i <= length - 2 * m; i += window_threads)
                work[i] = level[i] + level[i + m];
            gf_sync_block();
            level = work;
            work = other;
            other = const_cast<S *>(level);
        }
#pragma unroll
        for (int k = 0; k < per_thread; k++) {
            const S partial_sum = level[threadIdx.x + k * window_threads + covered];
            sum[k] = covered == 0 ? partial_sum : sum[k] + partial_sum;
        }
        covered += bit;
        gf_sync_block();
    }
}

template <class S> __device__ __forceinline__ S outside_of(const struct window_geometry &g, int c)
{
    if constexpr (std::is_same_v<S, float>)
        return g.outside.f32[c];
    else
        return g.outside.i32[c];
}

/* Fills `base` with `length` samples of a row extended by the border, starting at position x0. at(x) returns the sample
 * at a position inside the row. */
template <class S, class At>
__device__ __forceinline__ void load_extended(S *base, const struct window_geometry &g, int c, int x0, const At &at)
{
    const int length = segment + g.n - 1;
    if (x0 >= 0 && x0 + length <= g.length) {
#pragma unroll 4
        for (int i = threadIdx.x; i < length; i += window_threads)
            base[i] = at(x0 + i);
        return;
    }
    for (int i = threadIdx.x; i < length; i += window_threads) {
        const int x = border_index(g.border, x0 + i, g.length);
        base[i] = x < 0 ? outside_of<S>(g, c) : at(x);
    }
}

/* Loads row y of channel c, from the image or from a plane. */
template <class S, bool image>
__device__ __forceinline__ void load_row(S *base, const struct window_geometry &g, const struct gf_cuda_source &src,
                                         int c, int y, int x0)
{
    if constexpr (image) {
        gf_dispatch(src.dtype, [&](auto tag) {
            using T = decltype(tag);
            const T *row = row_of<T>(src.data, src.pitch, y);
            load_extended<S>(base, g, c, x0, [&](int x) {
                return static_cast<S>(load_sample<T>(src, row, x * g.channels + c, c, g.channels));
            });
        });
    } else {
        const S *row = row_of<S>(static_cast<const char *>(g.in.data) + c * g.in.plane, g.in.pitch, y);
        load_extended<S>(base, g, c, x0, [&](int x) { return __ldg(row + x); });
    }
}

/* Sums `segment` windows of one row of one channel, from the image or from a plane. */
template <class S, bool image>
__global__ void __launch_bounds__(window_threads)
    windows_kernel(const __grid_constant__ struct window_geometry g, const __grid_constant__ struct gf_cuda_source src)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const int length = segment + g.n - 1;
    S *base = reinterpret_cast<S *>(shared);
    S *work = base + length, *other = work + length;
    const int c = blockIdx.x % g.channels, x0 = blockIdx.x / g.channels * segment, y = blockIdx.y;

    S sum[per_thread] = {};
    load_row<S, image>(base, g, src, c, y, x0 - g.anchor);
    gf_sync_block();
    window_sums<S>(base, work, other, g.n, sum);

    char *plane = static_cast<char *>(g.out.data) + c * g.out.plane;
#pragma unroll
    for (int k = 0; k < per_thread; k++) {
        const int x = x0 + threadIdx.x + k * window_threads;
        if (x >= g.length)
            continue;
        row_of<S>(plane, g.out.pitch, y)[x * g.out.step] = sum[k];
    }
}

/* Transposes planes of width x height 4-byte values. */
__global__ void __launch_bounds__(transpose_side *transpose_rows)
    transpose_kernel(const struct planes in, const struct planes out, int width, int height)
{
    __shared__ uint32_t tile[transpose_side][transpose_side + 1];
    const char *from = static_cast<const char *>(in.data) + blockIdx.z * in.plane;
    char *to = static_cast<char *>(out.data) + blockIdx.z * out.plane;
    const int x0 = blockIdx.x * transpose_side, y0 = blockIdx.y * transpose_side;
    for (int r = threadIdx.y; r < transpose_side; r += transpose_rows)
        if (y0 + r < height && x0 + threadIdx.x < width)
            tile[r][threadIdx.x] = row_of<uint32_t>(from, in.pitch, y0 + r)[x0 + threadIdx.x];
    gf_sync_block();
    for (int r = threadIdx.y; r < transpose_side; r += transpose_rows)
        if (x0 + r < width && y0 + threadIdx.x < height)
            row_of<uint32_t>(to, out.pitch, x0 + r)[y0 + threadIdx.x] = tile[threadIdx.x][r];
}

/* Transposes planes of sums back, interleaves the channels, and finishes and stores the results. */
__global__ void __launch_bounds__(transpose_side *transpose_rows)
    finish_kernel(const struct planes in, const __grid_constant__ struct gf_cuda_target dst, int channels)
{
    __shared__ float tile[GF_MAX_CHANNELS][transpose_side][transpose_side + 1];
    const int x0 = blockIdx.x * transpose_side, y0 = blockIdx.y * transpose_side, width = dst.samples / channels;
    for (int c = 0; c < channels; c++) {
        const char *from = static_cast<const char *>(in.data) + c * in.plane;
        for (int r = threadIdx.y; r < transpose_side; r += transpose_rows)
            tile[c][r][threadIdx.x] = x0 + r < width && y0 + threadIdx.x < dst.height
                                          ? row_of<float>(from, in.pitch, x0 + r)[y0 + threadIdx.x]
                                          : 0.0f;
    }
    gf_sync_block();
    const int quads = transpose_side * channels / quad; /* in a row of the tile */
    for (int i = threadIdx.y * transpose_side + threadIdx.x; i < quads * transpose_side;
         i += transpose_side * transpose_rows) {
        const int row = i / quads, flat = i % quads * quad;
        if (y0 + row >= dst.height)
            continue;
        float acc[quad];
#pragma unroll
        for (int j = 0; j < quad; j++)
            acc[j] = tile[(flat + j) % channels][(flat + j) / channels][row];
        finish_quad(dst, y0 + row, x0 * channels + flat, acc);
    }
}

size_t plane_pitch(int32_t length)
{
    return (static_cast<size_t>(length) * sizeof(float) + GF_CUDA_ALIGN - 1) / GF_CUDA_ALIGN * GF_CUDA_ALIGN;
}

constexpr size_t windows_shared(int n)
{
    return 3 * (segment + n - 1) * sizeof(float);
}

template <class S, bool image>
cudaError_t launch_windows(const struct window_geometry *g, const struct gf_cuda_source *src, cudaStream_t stream)
{
    const dim3 grid((g->length + segment - 1) / segment * g->channels, g->rows);
    windows_kernel<S, image><<<grid, window_threads, windows_shared(g->n), stream>>>(*g, *src);
    return cudaPeekAtLastError();
}

cudaError_t first_pass(const struct gf_cuda_source *src, const struct gf_cuda_box *box, struct planes out,
                       cudaStream_t stream)
{
    struct window_geometry g = {};
    g.n = box->n_x;
    g.anchor = box->anchor_x;
    g.length = src->width;
    g.rows = src->height;
    g.channels = src->channels;
    g.border = src->border;
    g.out = out;
    g.outside = box->samples;
    return box->integers ? launch_windows<int32_t, true>(&g, src, stream)
                         : launch_windows<float, true>(&g, src, stream);
}

cudaError_t second_pass(const struct gf_cuda_source *src, const struct gf_cuda_box *box, struct planes in,
                        struct planes out, cudaStream_t stream)
{
    struct window_geometry g = {};
    g.n = box->n_y;
    g.anchor = box->anchor_y;
    g.length = src->height;
    g.rows = src->width;
    g.channels = src->channels;
    g.border = src->border;
    g.in = in;
    g.out = out;
    g.outside = box->rows;
    return launch_windows<float, false>(&g, src, stream);
}

/* Returns the source rows that the means of a row chunk read. launch_box() takes them as a picture of its own. Where
 * the edge of that picture is not an edge of the whole picture, no window of the chunk reaches beyond it, so the border
 * there has no effect. */
struct gf_cuda_row_chunk rows_of_source(const struct gf_cuda_box *box, int height, struct gf_cuda_row_chunk row_chunk)
{
    const int first = row_chunk.first - box->anchor_y, end = row_chunk.end + box->n_y - 1 - box->anchor_y;
    return {max(first, 0), min(end, height)};
}

/* Launches all kernels of a picture. Row 0 of the target takes the sums of source row `skip`. */
cudaError_t launch_box(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                       const struct gf_cuda_box *box, int32_t skip, cudaStream_t stream)
{
    const size_t plane = gf_cuda_box_plane_bytes(src->width, src->height);
    if (gf_cuda_box_has_columns(box)) {
        const struct planes flat = {box->planes, plane_pitch(src->width * src->channels), sizeof(float), src->channels};
        const cudaError_t error = first_pass(src, box, flat, stream);
        return error == cudaSuccess ? gf_cuda_box_columns_launch(src, dst, box, flat.pitch, skip, stream) : error;
    }
    const struct planes sums = {box->planes, plane_pitch(src->width), plane, 1};
    const struct planes transposed = {box->transposed, plane_pitch(src->height), plane, 1};
    const struct planes transposed_sums = {box->planes, plane_pitch(src->height), plane, 1};
    const dim3 block(transpose_side, transpose_rows);
    dim3 grid((src->width + transpose_side - 1) / transpose_side, (src->height + transpose_side - 1) / transpose_side,
              src->channels);

    cudaError_t error = first_pass(src, box, sums, stream);
    if (error == cudaSuccess) {
        transpose_kernel<<<grid, block, 0, stream>>>(sums, transposed, src->width, src->height);
        error = cudaPeekAtLastError();
    }
    if (error == cudaSuccess)
        error = second_pass(src, box, transposed, transposed_sums, stream);
    if (error == cudaSuccess) {
        const struct planes stored = {static_cast<float *>(box->planes) + skip, transposed_sums.pitch, plane, 1};
        grid.y = (dst->height + transpose_side - 1) / transpose_side;
        grid.z = 1;
        finish_kernel<<<grid, block, 0, stream>>>(stored, *dst, src->channels);
        error = cudaPeekAtLastError();
    }
    return error;
}

} // namespace

extern "C" cudaError_t gf_cuda_box_prepare(void)
{
    const cudaError_t error = raise_shared_limit(windows_shared(GF_MAX_TAPS), windows_kernel<float, true>,
                                                 windows_kernel<float, false>, windows_kernel<int32_t, true>);
    return error == cudaSuccess ? gf_cuda_box_columns_prepare() : error;
}

extern "C" size_t gf_cuda_box_plane_bytes(int32_t width, int32_t height)
{
    const size_t upright = plane_pitch(width) * height, transposed = plane_pitch(height) * width;
    return upright > transposed ? upright : transposed;
}

extern "C" cudaError_t gf_cuda_box_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk row_chunk,
                                          cudaStream_t stream)
{
    const struct gf_cuda_box *box = &pass->box;
    const struct gf_cuda_row_chunk rows = rows_of_source(box, pass->src.height, row_chunk);
    struct gf_cuda_source src = pass->src;
    struct gf_cuda_target dst = pass->dst;
    src.data = static_cast<const char *>(src.data) + static_cast<size_t>(rows.first) * src.pitch;
    src.height = rows.end - rows.first;
    dst.data = static_cast<char *>(dst.data) + static_cast<size_t>(row_chunk.first) * dst.pitch;
    dst.height = row_chunk.end - row_chunk.first;
    dst.copy_data = static_cast<const char *>(dst.copy_data) + static_cast<size_t>(row_chunk.first) * dst.copy_pitch;
    return launch_box(&src, &dst, box, row_chunk.first - rows.first, stream);
}
