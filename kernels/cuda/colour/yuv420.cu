/* SPDX-License-Identifier: MIT */
/*
 * RGB to planes of YCbCr 4:2:0 and back, docs/numerics.md 15: one kernel for nv12, i420 and rgb420. Called through the
 * ops' rows.
 *
 * A block takes a tile, some pairs of pixels of two rows, in three phases: vectors of 16 bytes of all lines
 * that are read come to shared memory as they are stored; a thread takes the four pixels that share a sample of chroma,
 * and leaves what it makes of them in shared memory as well; vectors of 16 bytes of the lines that are made leave. So
 * all accesses to memory are whole lines, whatever the layout of chroma. The direction is a switch that is the same
 * for all threads, so that there is a kernel for each sample type and no other.
 */
#include "kernels/shared/colour/colour.h"

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/tile.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"

namespace
{

using namespace gf;

constexpr int yuv_threads = 256;
constexpr uint32_t tile_bytes = 2048; /* half of a line of luma: 36 KiB of shared memory for all lines */
constexpr uint32_t vector_bytes = 16;
constexpr uint32_t tile_unit = 16; /* so many pairs take whole vectors in every plane, of bytes of one channel too */

enum plane_index { plane_rgb, plane_luma, plane_cb, plane_cr, n_all_planes };

/* Rows of a row chunk of a plane. Data and pitch are multiples of a vector. */
struct yuv_plane {
    char *data;
    uint64_t pitch, row_bytes, height;
    uint32_t per_pair; /* bytes for two pixels of a row */
    uint32_t rows;     /* that a tile has of it: 2, of chroma 1 */
    uint32_t offset;   /* of a tile's in shared memory, a multiple of a vector */
};

struct yuv_converting {
    struct gf_colour k[2];
    struct yuv_plane planes[n_all_planes];
    bool to_rgb, apart;
    uint64_t width, row_pairs; /* of a row; pairs of rows */
    uint64_t height;
    uint32_t per_tile; /* pairs of a tile, a multiple of tile_unit */
    uint64_t tiles;    /* of a pair of rows */
};

/* A line of a plane in a tile. */
__device__ __forceinline__ char *line_of(const struct yuv_converting &c, char *shared, int plane, uint32_t row)
{
    return shared + c.planes[plane].offset + row * c.per_tile * c.planes[plane].per_pair;
}

/* Calls f(global, shared, bytes) for the lines of planes begin..end-1 that are there. */
template <class F>
__device__ __forceinline__ void walk_lines(const struct yuv_converting &c, char *shared, int begin, int end,
                                           uint64_t pair, uint64_t first, F &&f)
{
    for (int i = begin; i < end; i++) {
        const struct yuv_plane &p = c.planes[i];
        const uint64_t at = first * p.per_pair, left = p.row_bytes - at, all = c.per_tile * p.per_pair;
        for (uint32_t r = 0; r < p.rows; r++) {
            const uint64_t y = pair * p.rows + r;
            if (y < p.height) /* the last pair of an odd number has one */
                f(p.data + y * p.pitch + at, line_of(c, shared, i, r), static_cast<uint32_t>(left < all ? left : all));
        }
    }
}

/* The end of a row is read up to a whole vector, which the pitch has room for. */
__device__ __forceinline__ void load_line(const char *from, char *to, uint32_t bytes)
{
    const uint32_t vectors = (bytes + vector_bytes - 1) / vector_bytes;
#pragma unroll 4
    for (uint32_t v = threadIdx.x; v < vectors; v += yuv_threads)
        reinterpret_cast<uint4 *>(to)[v] = __ldg(reinterpret_cast<const uint4 *>(from) + v);
}

__device__ __forceinline__ void store_line(char *to, const char *from, uint32_t bytes)
{
    const uint32_t vectors = bytes / vector_bytes, rest = vectors * vector_bytes + threadIdx.x;
#pragma unroll 4
    for (uint32_t v = threadIdx.x; v < vectors; v += yuv_threads)
        reinterpret_cast<uint4 *>(to)[v] = reinterpret_cast<const uint4 *>(from)[v];
    if (rest < bytes) /* fewer than a vector's, at the end of a row */
        to[rest] = from[rest];
}

/* Colour r of a matrix over three samples. A factor of 0 is none where a sample may be infinite or NaN; elsewhere its
 * product changes no sum but the sign of a 0, which no integer shows. */
template <class T> __device__ __forceinline__ float sum_of(const struct gf_colour &k, int r, const float *x)
{
    float v = k.after[r];
#pragma unroll
    for (int c = 2; c >= 0; c--)
        if (std::is_integral_v<T> || k.matrix[r][c] != 0.0f)
            v = __fmaf_rn(k.matrix[r][c], x[c], v);
    return v;
}

/* The lines of a tile as samples; the second row is the first one where there is no other. */
template <class T> struct Lines {
    T *rgb[2], *luma[2], *cb, *cr;
    uint32_t chroma_step; /* from one Cb to the next */
    int rows;
};

template <class T>
__device__ __forceinline__ struct Lines<T> lines_of(const struct yuv_converting &c, char *shared, uint64_t pair) {
    struct Lines<T> l;
    l.rows = 2 * pair + 1 < c.height ? 2 : 1;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const uint32_t row = r < l.rows ? r : 0;
        l.rgb[r] = reinterpret_cast<T *>(line_of(c, shared, plane_rgb, row));
        l.luma[r] = reinterpret_cast<T *>(line_of(c, shared, plane_luma, row));
    }
    l.cb = reinterpret_cast<T *>(line_of(c, shared, plane_cb, 0));
    l.cr = c.apart ? reinterpret_cast<T *>(line_of(c, shared, plane_cr, 0)) : l.cb + 1;
    l.chroma_step = c.apart ? 1 : 2;
    return l;
}

/* Pixels that are not there are the last that are: their luma is the same, and is made again in its place. */
template <class T>
__device__ __forceinline__ void to_planes(const struct yuv_converting &c, const struct Lines<T> &l, uint32_t i,
                                          int columns)
{
    float x[2][2][3], mean[3];
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int q = 0; q < 2; q++) {
            const uint32_t at = 2 * i + (q < columns ? q : 0);
#pragma unroll
            for (int ch = 0; ch < 3; ch++)
                x[r][q][ch] = static_cast<float>(l.rgb[r][3 * at + ch]);
            l.luma[r][at] = to_stored(T{}, sum_of<T>(c.k[0], 0, x[r][q]));
        }
#pragma unroll
    for (int ch = 0; ch < 3; ch++)
        mean[ch] =
            __fmul_rn(__fadd_rn(__fadd_rn(x[0][0][ch], x[1][0][ch]), __fadd_rn(x[0][1][ch], x[1][1][ch])), 0.25f);
    l.cb[i * l.chroma_step] = to_stored(T{}, sum_of<T>(c.k[1], 0, mean));
    l.cr[i * l.chroma_step] = to_stored(T{}, sum_of<T>(c.k[1], 1, mean));
}

template <class T>
__device__ __forceinline__ void to_pixels(const struct yuv_converting &c, const struct Lines<T> &l, uint32_t i,
                                          int columns)
{
    const struct gf_colour &k = c.k[0];
    const float cb = __fsub_rn(static_cast<float>(l.cb[i * l.chroma_step]), k.before[1]);
    const float cr = __fsub_rn(static_cast<float>(l.cr[i * l.chroma_step]), k.before[2]);
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int q = 0; q < 2; q++)
            if (r < l.rows && q < columns) {
                const uint32_t at = 2 * i + q;
                const float x[3] = {__fsub_rn(static_cast<float>(l.luma[r][at]), k.before[0]), cb, cr};
#pragma unroll
                for (int ch = 0; ch < 3; ch++)
                    l.rgb[r][3 * at + ch] = to_stored(T{}, sum_of<T>(k, ch, x));
            }
}

/* Phase two: pairs of a tile, of which the row has `left` pixels from there on. */
template <class T>
__device__ __forceinline__ void convert_tile(const struct yuv_converting &c, char *shared, uint64_t pair, uint64_t left)
{
    const struct Lines<T> l = lines_of<T>(c, shared, pair);
    const uint64_t there = left / 2 + left % 2;
    const uint32_t pairs = there < c.per_tile ? static_cast<uint32_t>(there) : c.per_tile;
    for (uint32_t i = threadIdx.x; i < pairs; i += yuv_threads) {
        const int columns = 2 * static_cast<uint64_t>(i) + 1 < left ? 2 : 1;
        if (c.to_rgb)
            to_pixels(c, l, i, columns);
        else
            to_planes(c, l, i, columns);
    }
}

/*
 * A block takes tile after tile. Between phases one and two, and two and three, is a barrier each. Phase one of the
 * next tile writes what phase two of this one has read: the barrier after phase two lies between. Phase two of the next
 * writes what phase three of this one reads: the next tile's first barrier lies between. Lines that are read and those
 * that are made lie apart in shared memory.
 */
template <class T>
__global__ void __launch_bounds__(yuv_threads) yuv_kernel(const __grid_constant__ struct yuv_converting c)
{
    extern __shared__ uint4 shared_vectors[];
    char *shared = reinterpret_cast<char *>(shared_vectors);
    const uint64_t all = c.tiles * c.row_pairs;
    const int planes = c.apart ? n_all_planes : plane_cr;
    const int read = c.to_rgb ? plane_luma : plane_rgb, read_end = c.to_rgb ? planes : plane_luma;
    const int made = c.to_rgb ? plane_rgb : plane_luma, made_end = c.to_rgb ? plane_luma : planes;
    for (uint64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
        const uint64_t pair = tile / c.tiles, first = (tile - pair * c.tiles) * c.per_tile;
        walk_lines(c, shared, read, read_end, pair, first,
                   [](const char *from, char *to, uint32_t bytes) { load_line(from, to, bytes); });
        gf_sync_block(); /* the lines are there, and those made of the last tile have left */
        convert_tile<T>(c, shared, pair, c.width - 2 * first);
        gf_sync_block(); /* the results are there, and the lines have been read */
        walk_lines(c, shared, made, made_end, pair, first,
                   [](char *to, const char *from, uint32_t bytes) { store_line(to, from, bytes); });
    }
}

/* Rows first..end-1, first being even, of a plane that has one row for each `rows` of two. */
struct yuv_plane plane_of(const struct gf_cuda_image *image, uint64_t first, uint64_t end, uint32_t rows)
{
    const uint64_t begin = rows == 2 ? first : first / 2;
    struct yuv_plane p = {};
    p.data = static_cast<char *>(image->data) + begin * image->view.pitch;
    p.pitch = image->view.pitch;
    p.row_bytes = gf_view_row_bytes(&image->view);
    p.height = rows == 2 ? end - first : (end - first + 1) / 2;
    p.per_pair = image->view.channels * static_cast<uint32_t>(gf_dtype_size(image->view.dtype)) * rows;
    p.rows = rows;
    return p;
}

/* Tiles of equal size that cover a pair of rows, and where their lines are in shared memory; how much of it. */
size_t cut_rows(struct yuv_converting &c)
{
    const uint32_t tile_pairs = 2 * tile_bytes / c.planes[plane_luma].per_pair;
    const uint64_t pairs = c.width / 2 + c.width % 2, tiles = (pairs + tile_pairs - 1) / tile_pairs;
    const uint64_t even = (pairs + tiles - 1) / tiles;
    uint32_t offset = 0;
    c.per_tile = static_cast<uint32_t>((even + tile_unit - 1) / tile_unit * tile_unit);
    c.tiles = (pairs + c.per_tile - 1) / c.per_tile;
    for (int i = 0; i < n_all_planes; i++) {
        c.planes[i].offset = offset;
        offset += c.planes[i].rows * c.per_tile * c.planes[i].per_pair;
    }
    return offset;
}

/* The images by enum plane_index; NULL for Cr where it lies beside Cb. */
struct images {
    struct gf_cuda_image *plane[n_all_planes];
    bool to_rgb;
};

cudaError_t launch(const struct gf_colour *k, const struct images &images, uint64_t first, uint64_t end,
                   cudaStream_t stream)
{
    const struct gf_view *luma = &images.plane[plane_luma]->view;
    struct yuv_converting c = {};
    c.k[0] = k[0];
    c.k[1] = k[1];
    c.to_rgb = images.to_rgb;
    c.apart = images.plane[plane_cr] != nullptr;
    c.width = luma->width;
    c.height = end - first;
    c.row_pairs = (c.height + 1) / 2;
    for (int i = 0; i < n_all_planes; i++)
        if (images.plane[i] != nullptr)
            c.planes[i] = plane_of(images.plane[i], first, end, i < plane_cb ? 2 : 1);
    const size_t shared = cut_rows(c);
    const unsigned blocks = gf_cuda_grid(c.tiles * c.row_pairs);
    if (luma->dtype == GF_U8)
        yuv_kernel<uint8_t><<<blocks, yuv_threads, shared, stream>>>(c);
    else if (luma->dtype == GF_U16)
        yuv_kernel<uint16_t><<<blocks, yuv_threads, shared, stream>>>(c);
    else
        yuv_kernel<float><<<blocks, yuv_threads, shared, stream>>>(c);
    return cudaPeekAtLastError();
}

uint64_t rows_of(int plane, uint64_t end)
{
    return plane < plane_cb ? end : (end + 1) / 2;
}

/* Rows of all inputs up to `end` of luma, as planes begin..stop-1. */
enum gf_status need_rows(struct gf_cuda_call *call, const struct images &images, uint64_t end, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (int i = images.to_rgb ? plane_luma : plane_rgb; i < (images.to_rgb ? n_all_planes : plane_luma); i++)
        if (images.plane[i] != nullptr && status == GF_OK)
            status = gf_cuda_need(call, images.plane[i], rows_of(i, end), err);
    return status;
}

enum gf_status made_rows(struct gf_cuda_call *call, const struct images &images, uint64_t end, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < call->step->op->n_outputs && status == GF_OK; i++)
        status = gf_cuda_made(call, i, images.to_rgb ? end : rows_of(static_cast<int>(plane_luma + i), end), err);
    return status;
}

enum gf_status convert(struct gf_cuda_call *call, const struct images &images, struct gf_error *err)
{
    struct gf_colour k[2];
    const struct gf_view *luma = &images.plane[plane_luma]->view;
    const uint64_t bytes = gf_view_bytes(&images.plane[plane_rgb]->view), height = luma->height;
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, bytes, 2);
    enum gf_status status = GF_OK;
    gf_yuv420_init(call->step, luma->dtype, k);
    for (uint64_t first = 0; first < height && status == GF_OK;) {
        const uint64_t end = gf_cuda_row_chunk_end(&row_chunks, first);
        status = gf_cuda_go_on(call->exec, call->job, bytes / height * (end - first), err);
        if (status == GF_OK)
            status = need_rows(call, images, end, err);
        if (status == GF_OK)
            status = gf_cuda_status(launch(k, images, first, end, call->exec->main), "converting video", err);
        if (status == GF_OK)
            status = made_rows(call, images, end, err);
        first = end;
    }
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_to_yuv420(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct images images = {
        {call->image[0], &call->out[0], &call->out[1], call->step->op->n_outputs == 3 ? &call->out[2] : nullptr},
        false};
    return convert(call, images, err);
}

extern "C" enum gf_status gf_cuda_from_yuv420(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct images images = {{&call->out[0], call->image[0], call->image[1], call->image[2]}, true};
    return convert(call, images, err);
}
