/* SPDX-License-Identifier: MIT */
/*
 * RGB to planes of YCbCr 4:2:0 and back, docs/numerics.md, "nv12, i420, rgb420": one kernel for nv12, i420 and rgb420.
 * Called through the ops' rows.
 *
 * A thread has 16 bytes of luma in each of two adjacent rows, the corresponding 48 bytes of RGB in each row, and 16
 * bytes of chroma, in one plane or in two. It keeps all of them in registers. A warp passes its RGB through shared
 * memory, so that global accesses are coalesced; a thread's 48 bytes are three vectors, an odd number, so there are no
 * bank conflicts. A switch, uniform across all threads, selects the direction, so there is one kernel per sample type.
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

constexpr int block_warps = 8;
constexpr unsigned rgb_vectors = 3; /* vectors of 16 bytes per thread and row of RGB */
constexpr unsigned row_vectors = rgb_vectors * warp_lanes;
constexpr unsigned vector_bytes = 16, vector_words = 4;

/* Pixels per thread and row. */
template <class T> constexpr int across = static_cast<int>(vector_bytes / sizeof(T));
/* Samples per word. */
template <class T> constexpr int per_word = static_cast<int>(sizeof(uint32_t) / sizeof(T));

enum plane_index { plane_rgb, plane_luma, plane_cb, plane_cr, n_all_planes };

/* The rows of a row chunk in a plane. Pointer and pitch are multiples of a vector. */
struct yuv_plane {
    char *data;
    uint64_t pitch;
};

struct yuv_converting {
    struct gf_colour k[2];
    struct yuv_plane planes[n_all_planes];
    bool to_rgb, apart;
    uint64_t width, height; /* in pixels */
};

/* A thread's samples of two rows, as words. */
struct quads {
    uint32_t rgb[2][rgb_vectors * vector_words], luma[2][vector_words];
    uint32_t chroma[vector_words]; /* Cb and Cr alternating; with two planes, first all Cb, then all Cr */
};

__device__ __forceinline__ void set_words(uint32_t *w, uint4 v)
{
    w[0] = v.x;
    w[1] = v.y;
    w[2] = v.z;
    w[3] = v.w;
}

__device__ __forceinline__ uint4 vector_of(const uint32_t *w)
{
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Sample i of some words, as f32. An integer becomes the low bits of 2^23, which is then subtracted: exact, and cheaper
 * than a conversion. */
__device__ __forceinline__ float sample_at(uint8_t, const uint32_t *w, int i)
{
    return __fsub_rn(__uint_as_float(__byte_perm(w[i / 4], 0x4B000000u, 0x7540 + i % 4)), 8388608.0f);
}

__device__ __forceinline__ float sample_at(uint16_t, const uint32_t *w, int i)
{
    return __fsub_rn(__uint_as_float(__byte_perm(w[i / 2], 0x4B000000u, i % 2 == 0 ? 0x7410 : 0x7432)), 8388608.0f);
}

__device__ __forceinline__ float sample_at(float, const uint32_t *w, int i)
{
    return __uint_as_float(w[i]);
}

/* Writes sample i. The words' samples from i on must be 0. */
template <class T> __device__ __forceinline__ void put_sample(uint32_t *w, int i, float v)
{
    if constexpr (sizeof(T) == sizeof(float))
        w[i] = __float_as_uint(to_stored(T{}, v));
    else
        w[i / per_word<T>] += static_cast<uint32_t>(to_stored(T{}, v)) << i % per_word<T> * (8 * sizeof(T));
}

/* Row r of a matrix times three samples. Factors of 0 are skipped for floats, since a sample may be infinite or NaN.
 * For integers such a product changes at most the sign of a 0, which is lost in the conversion. */
template <class T> __device__ __forceinline__ float sum_of(const struct gf_colour &k, int r, const float *x)
{
    float v = k.after[r];
#pragma unroll
    for (int c = 2; c >= 0; c--)
        if (std::is_integral_v<T> || k.matrix[r][c] != 0.0f)
            v = __fmaf_rn(k.matrix[r][c], x[c], v);
    return v;
}

/* The positions of Cb and Cr of pixel pair p among a thread's chroma samples. */
template <class T> __device__ __forceinline__ int cb_at(bool apart, int p)
{
    return apart ? p : 2 * p;
}

template <class T> __device__ __forceinline__ int cr_at(bool apart, int p)
{
    return apart ? across<T> / 2 + p : 2 * p + 1;
}

/* `left` pixels of the thread are inside the row. A pixel past the end is a copy of the last one inside. */
template <class T> __device__ __forceinline__ void to_planes(const struct yuv_converting &c, int left, struct quads &q)
{
#pragma unroll
    for (int p = 0; p < across<T> / 2; p++) {
        float x[2][2][3], mean[3];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int k = 0; k < 2; k++) {
#pragma unroll
                for (int ch = 0; ch < 3; ch++) {
                    x[r][k][ch] = sample_at(T{}, q.rgb[r], (2 * p + k) * 3 + ch);
                    if (k == 1 && left == 2 * p + 1)
                        x[r][k][ch] = x[r][0][ch];
                }
                put_sample<T>(q.luma[r], 2 * p + k, sum_of<T>(c.k[0], 0, x[r][k]));
            }
#pragma unroll
        for (int ch = 0; ch < 3; ch++)
            mean[ch] =
                __fmul_rn(__fadd_rn(__fadd_rn(x[0][0][ch], x[1][0][ch]), __fadd_rn(x[0][1][ch], x[1][1][ch])), 0.25f);
        const float cb = sum_of<T>(c.k[1], 0, mean), cr = sum_of<T>(c.k[1], 1, mean);
        if (c.apart) {
            put_sample<T>(q.chroma, cb_at<T>(true, p), cb);
            put_sample<T>(q.chroma, cr_at<T>(true, p), cr);
        } else {
            put_sample<T>(q.chroma, cb_at<T>(false, p), cb);
            put_sample<T>(q.chroma, cr_at<T>(false, p), cr);
        }
    }
}

template <class T> __device__ __forceinline__ void to_pixels(const struct yuv_converting &c, struct quads &q)
{
    const struct gf_colour &k = c.k[0];
#pragma unroll
    for (int p = 0; p < across<T> / 2; p++) {
        const float b =
            c.apart ? sample_at(T{}, q.chroma, cb_at<T>(true, p)) : sample_at(T{}, q.chroma, cb_at<T>(false, p));
        const float r =
            c.apart ? sample_at(T{}, q.chroma, cr_at<T>(true, p)) : sample_at(T{}, q.chroma, cr_at<T>(false, p));
        const float cb = __fsub_rn(b, k.before[1]), cr = __fsub_rn(r, k.before[2]);
#pragma unroll
        for (int row = 0; row < 2; row++)
#pragma unroll
            for (int i = 2 * p; i < 2 * p + 2; i++) {
                const float x[3] = {__fsub_rn(sample_at(T{}, q.luma[row], i), k.before[0]), cb, cr};
#pragma unroll
                for (int ch = 0; ch < 3; ch++)
                    put_sample<T>(q.rgb[row], i * 3 + ch, sum_of<T>(k, ch, x));
            }
    }
}

/* Stores the first `bytes` bytes of some words, at the end of a row. */
template <int words> __device__ __forceinline__ void store_end(char *to, const uint32_t *from, unsigned bytes)
{
    uint32_t w[words];
#pragma unroll
    for (int i = 0; i < words; i++)
        w[i] = from[i];
#pragma unroll 1
    for (unsigned k = 0; k < bytes; k++) { /* stores the lowest byte, then shifts: one loop keeps the code small */
        to[k] = static_cast<char>(w[0]);
#pragma unroll
        for (int i = 0; i < words; i++)
            w[i] = __funnelshift_r(w[i], i + 1 < words ? w[i + 1] : 0, 8);
    }
}

/* The addresses that a thread accesses in the luma and chroma planes. */
struct places {
    char *luma[2], *chroma[2];
    unsigned luma_bytes, chroma_bytes; /* from the thread's first byte to the end of the row */
};

__device__ __forceinline__ void load_planes(const struct yuv_converting &c, const struct places &at, struct quads &q)
{
#pragma unroll
    for (int r = 0; r < 2; r++)
        set_words(q.luma[r], __ldg(reinterpret_cast<const uint4 *>(at.luma[r])));
    if (!c.apart) {
        set_words(q.chroma, __ldg(reinterpret_cast<const uint4 *>(at.chroma[0])));
        return;
    }
    const uint2 cb = __ldg(reinterpret_cast<const uint2 *>(at.chroma[0]));
    const uint2 cr = __ldg(reinterpret_cast<const uint2 *>(at.chroma[1]));
    set_words(q.chroma, make_uint4(cb.x, cb.y, cr.x, cr.y));
}

__device__ __forceinline__ void store_planes(const struct yuv_converting &c, const struct places &at, int rows,
                                             const struct quads &q)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (r >= rows)
            continue;
        if (at.luma_bytes >= vector_bytes)
            *reinterpret_cast<uint4 *>(at.luma[r]) = vector_of(q.luma[r]);
        else
            store_end<4>(at.luma[r], q.luma[r], at.luma_bytes);
    }
    if (!c.apart) {
        if (at.chroma_bytes >= vector_bytes)
            *reinterpret_cast<uint4 *>(at.chroma[0]) = vector_of(q.chroma);
        else
            store_end<4>(at.chroma[0], q.chroma, at.chroma_bytes);
        return;
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (at.chroma_bytes >= vector_bytes / 2)
            *reinterpret_cast<uint2 *>(at.chroma[i]) = make_uint2(q.chroma[2 * i], q.chroma[2 * i + 1]);
        else
            store_end<2>(at.chroma[i], q.chroma + 2 * i, at.chroma_bytes);
}

/* Loads a warp's piece of an RGB row, of which `left` bytes exist, into shared memory. The last vector of a row is read
 * whole, for which the pitch has room. */
__device__ __forceinline__ void fetch_rgb(const char *from, uint64_t left, uint4 *piece)
{
#pragma unroll
    for (unsigned v = threadIdx.x; v < row_vectors; v += warp_lanes)
        if (v * vector_bytes < left)
            piece[v] = __ldg(reinterpret_cast<const uint4 *>(from) + v);
}

__device__ __forceinline__ void leave_rgb(char *to, uint64_t left, const uint4 *piece)
{
#pragma unroll
    for (unsigned v = threadIdx.x; v < row_vectors; v += warp_lanes) {
        if (v * vector_bytes >= left)
            continue;
        const uint4 vector = piece[v];
        const uint32_t w[vector_words] = {vector.x, vector.y, vector.z, vector.w};
        if (left - v * vector_bytes >= vector_bytes)
            reinterpret_cast<uint4 *>(to)[v] = vector;
        else
            store_end<4>(to + v * vector_bytes, w, static_cast<unsigned>(left - v * vector_bytes));
    }
}

/* A warp's piece of two RGB rows, and the number of bytes from there to the end of a row. */
struct rgb_rows {
    char *row[2];
    uint64_t left;
};

/* `piece` belongs to the warp. In both directions, the warp barrier separates the lanes' writes from their reads. */
template <class T>
__device__ __forceinline__ void make_planes(const struct yuv_converting &c, const struct rgb_rows &rgb,
                                            const struct places &at, int rows, int left, uint4 (&piece)[2][row_vectors])
{
    struct quads q = {};
#pragma unroll
    for (int r = 0; r < 2; r++)
        fetch_rgb(rgb.row[r], rgb.left, piece[r]);
    gf_sync_warp();
    if (left == 0)
        return;
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (unsigned v = 0, i = threadIdx.x * rgb_vectors; v < rgb_vectors; v++, i++)
            if (i * vector_bytes < rgb.left)
                set_words(q.rgb[r] + v * vector_words, piece[r][i]);
    to_planes<T>(c, left, q);
    store_planes(c, at, rows, q);
}

template <class T>
__device__ __forceinline__ void make_pixels(const struct yuv_converting &c, const struct rgb_rows &rgb,
                                            const struct places &at, int rows, int left, uint4 (&piece)[2][row_vectors])
{
    struct quads q = {};
    if (left > 0) {
        load_planes(c, at, q);
        to_pixels<T>(c, q);
    }
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (unsigned v = 0; v < rgb_vectors; v++)
            piece[r][threadIdx.x * rgb_vectors + v] = vector_of(q.rgb[r] + v * vector_words);
    gf_sync_warp();
#pragma unroll
    for (int r = 0; r < 2; r++)
        if (r < rows)
            leave_rgb(rgb.row[r], rgb.left, piece[r]);
}

/* A warp converts a piece of two rows. blockIdx.x is the piece; warps walk down the pairs of rows. */
template <class T>
__global__ void __launch_bounds__(block_warps *warp_lanes, 4)
    yuv_kernel(const __grid_constant__ struct yuv_converting c)
{
    __shared__ uint4 pieces[block_warps][2][row_vectors];
    const uint64_t span = static_cast<uint64_t>(blockIdx.x) * warp_lanes, first = (span + threadIdx.x) * across<T>;
    const uint64_t rgb_at = span * (rgb_vectors * vector_bytes), at = first * sizeof(T), pairs = (c.height + 1) / 2;
    const int left = first < c.width ? static_cast<int>(min(c.width - first, static_cast<uint64_t>(across<T>))) : 0;
    const unsigned parts = c.apart ? 2 : 1;
    for (uint64_t pair = blockIdx.y * block_warps + threadIdx.y; pair < pairs;
         pair += static_cast<uint64_t>(gridDim.y) * block_warps) {
        const int rows = 2 * pair + 1 < c.height ? 2 : 1;
        struct rgb_rows rgb;
        struct places beside;
        rgb.left = c.width * 3 * sizeof(T) - rgb_at;
#pragma unroll
        for (int r = 0; r < 2; r++) { /* an odd last row also takes the place of the missing row below */
            const uint64_t y = 2 * pair + (r < rows ? r : 0);
            rgb.row[r] = c.planes[plane_rgb].data + y * c.planes[plane_rgb].pitch + rgb_at;
            beside.luma[r] = c.planes[plane_luma].data + y * c.planes[plane_luma].pitch + at;
            beside.chroma[r] = c.planes[plane_cb + r].data + pair * c.planes[plane_cb + r].pitch + at / parts;
        }
        beside.luma_bytes = static_cast<unsigned>(left * sizeof(T));
        beside.chroma_bytes = static_cast<unsigned>((left + 1) / 2 * 2 / parts * sizeof(T));
        if (c.to_rgb)
            make_pixels<T>(c, rgb, beside, rows, left, pieces[threadIdx.y]);
        else
            make_planes<T>(c, rgb, beside, rows, left, pieces[threadIdx.y]);
        gf_sync_warp(); /* all lanes have read the piece before the next pair overwrites it */
    }
}

/* A plane from luma row `first` on, which is even. `rows`: rows of the plane per pair of luma rows. */
struct yuv_plane plane_of(const struct gf_cuda_image *image, uint64_t first, uint32_t rows)
{
    const uint64_t begin = rows == 2 ? first : first / 2;
    return {static_cast<char *>(image->data) + begin * image->view.pitch, image->view.pitch};
}

/* A conversion and its images, by enum plane_index. Cr is NULL if chroma is one plane. */
struct video {
    struct gf_cuda_image *plane[n_all_planes];
    bool to_rgb;
    struct gf_colour k[2] = {};
};

template <class T> void start(const struct yuv_converting &c, cudaStream_t stream)
{
    constexpr uint64_t span = warp_lanes * across<T>, most = 65535;
    const uint64_t down = ((c.height + 1) / 2 + block_warps - 1) / block_warps;
    const dim3 grid(static_cast<unsigned>((c.width + span - 1) / span),
                    static_cast<unsigned>(down < most ? down : most));
    yuv_kernel<T><<<grid, dim3(warp_lanes, block_warps), 0, stream>>>(c);
}

cudaError_t launch(const struct video &video, uint64_t first, uint64_t end, cudaStream_t stream)
{
    const struct gf_view *luma = &video.plane[plane_luma]->view;
    struct yuv_converting c = {};
    c.k[0] = video.k[0];
    c.k[1] = video.k[1];
    c.to_rgb = video.to_rgb;
    c.apart = video.plane[plane_cr] != nullptr;
    c.width = luma->width;
    c.height = end - first;
    for (int i = 0; i < n_all_planes; i++)
        if (video.plane[i] != nullptr)
            c.planes[i] = plane_of(video.plane[i], first, i < plane_cb ? 2 : 1);
    if (luma->dtype == GF_U8)
        start<uint8_t>(c, stream);
    else if (luma->dtype == GF_U16)
        start<uint16_t>(c, stream);
    else
        start<float>(c, stream);
    return cudaPeekAtLastError();
}

enum gf_status launch_rows(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    const struct video &video = *static_cast<const struct video *>(op);
    return gf_cuda_status(launch(video, first, end, call->exec->main), "converting video", err);
}

/* The rows of a plane, luma first, for the luma rows before `end`. */
uint64_t plane_rows(const void *, uint32_t plane, uint64_t end)
{
    return plane == 0 ? end : (end + 1) / 2;
}

enum gf_status convert(struct gf_cuda_call *call, struct video &video, struct gf_error *err)
{
    const uint64_t bytes = gf_view_bytes(&video.plane[plane_rgb]->view);
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, bytes, 2);
    const struct gf_cuda_row_fns to_rgb = {launch_rows, plane_rows, nullptr},
                                 to_yuv = {launch_rows, nullptr, plane_rows};
    gf_yuv420_init(call->step, video.plane[plane_luma]->view.dtype, video.k);
    return gf_cuda_run_rows(call, &row_chunks, video.to_rgb ? &to_rgb : &to_yuv, &video, err);
}

} // namespace

extern "C" enum gf_status gf_cuda_to_yuv420(struct gf_cuda_call *call, struct gf_error *err)
{
    struct video video = {
        {call->image[0], &call->out[0], &call->out[1], call->step->op->n_outputs == 3 ? &call->out[2] : nullptr},
        false};
    return convert(call, video, err);
}

extern "C" enum gf_status gf_cuda_from_yuv420(struct gf_cuda_call *call, struct gf_error *err)
{
    struct video video = {{&call->out[0], call->image[0], call->image[1], call->image[2]}, true};
    return convert(call, video, err);
}
