/* SPDX-License-Identifier: MIT */
/*
 * pyramid on CUDA, docs/numerics.md, "pyramid": one launch per level; intermediate levels stay in device memory. Called
 * through the op's row.
 *
 * A block makes tiles one after another, each in two passes: sums along columns go to shared memory, then sums along
 * rows go to the result. Down: a column sum has five samples, for each column of the tile and a halo of two source
 * pixels on both sides; a result has five column sums. Up: from a tile of the source, an even row of the result has
 * three samples per column, an odd row two; then an even column has three column sums, an odd column two. Integer sums
 * are exact. f32 sums are chains in the order of the contract: columns, then rows. A thread works on a sample at a
 * time; where colours are weighted by alpha, on a pixel, whose sums are f32 whatever the type.
 */
#include <limits>
#include <type_traits>

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/tile.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/pyramid.h"

namespace
{

using namespace gf;

constexpr int block_threads = 256;
constexpr int tile_width = 64, tile_height = 8; /* pixels: of the result going down, of the source going up */

/* One level of the pyramid. Pitches are in bytes. */
struct Level {
    const void *src;
    void *dst;
    size_t src_pitch, dst_pitch;
    uint32_t dtype, border;
    int channels, width, height, dst_width, dst_height;
    bool up;
};

/* A pixel whose colours are weighted by its alpha, the last of C samples. */
template <class T, int C> struct alignas(C * sizeof(T)) Weighted {
    using Sample = T;
    T v[C];
};

/* The accumulator type of a sample or a pixel. */
template <class T> struct sum_of {
    using type = std::conditional_t<std::is_integral_v<T>, int, float>;
};
template <class T, int C> struct sum_of<Weighted<T, C>> {
    using type = Weighted<float, C>;
};
template <class T> using Sum = typename sum_of<T>::type;

/* The weighted sums: five taps down; three taps up to an even position, two to an odd one. */
__device__ __forceinline__ int five(int a, int b, int c, int d, int e)
{
    return a + e + 4 * (b + d) + 6 * c;
}

__device__ __forceinline__ float five(float a, float b, float c, float d, float e)
{
    float acc = __fmaf_rn(a, 1 / 16.0f, 0.0f);
    acc = __fmaf_rn(b, 1 / 4.0f, acc);
    acc = __fmaf_rn(c, 3 / 8.0f, acc);
    acc = __fmaf_rn(d, 1 / 4.0f, acc);
    return __fmaf_rn(e, 1 / 16.0f, acc);
}

__device__ __forceinline__ int three(int a, int b, int c)
{
    return a + 6 * b + c;
}

__device__ __forceinline__ float three(float a, float b, float c)
{
    return __fmaf_rn(c, 1 / 8.0f, __fmaf_rn(b, 3 / 4.0f, __fmaf_rn(a, 1 / 8.0f, 0.0f)));
}

__device__ __forceinline__ int two(int a, int b)
{
    return 4 * (a + b);
}

__device__ __forceinline__ float two(float a, float b)
{
    return __fmaf_rn(b, 0.5f, __fmaf_rn(a, 0.5f, 0.0f));
}

template <int C>
__device__ __forceinline__ Weighted<float, C> five(const Weighted<float, C> &a, const Weighted<float, C> &b,
                                                   const Weighted<float, C> &c, const Weighted<float, C> &d,
                                                   const Weighted<float, C> &e)
{
    Weighted<float, C> sum;
#pragma unroll
    for (int i = 0; i < C; i++)
        sum.v[i] = five(a.v[i], b.v[i], c.v[i], d.v[i], e.v[i]);
    return sum;
}

template <int C>
__device__ __forceinline__ Weighted<float, C> three(const Weighted<float, C> &a, const Weighted<float, C> &b,
                                                    const Weighted<float, C> &c)
{
    Weighted<float, C> sum;
#pragma unroll
    for (int i = 0; i < C; i++)
        sum.v[i] = three(a.v[i], b.v[i], c.v[i]);
    return sum;
}

template <int C>
__device__ __forceinline__ Weighted<float, C> two(const Weighted<float, C> &a, const Weighted<float, C> &b)
{
    Weighted<float, C> sum;
#pragma unroll
    for (int i = 0; i < C; i++)
        sum.v[i] = two(a.v[i], b.v[i]);
    return sum;
}

/* Converts a sum to a sample, or the sums of a pixel to the pixel. Integer weights add up to 2^bits. */
template <class T, int bits> __device__ __forceinline__ T finished(int sum)
{
    return static_cast<T>((sum + (1 << (bits - 1))) >> bits);
}

template <class T, int bits> __device__ __forceinline__ T finished(float sum)
{
    return to_stored(T{}, __fadd_rn(sum, 0.0f));
}

/* The greatest alpha, as gf_sample_max. */
template <class T>
constexpr float alpha_max = std::is_integral_v<T> ? static_cast<float>(std::numeric_limits<T>::max()) : 1.0f;

template <class P, int bits, int C> __device__ __forceinline__ P finished(const Weighted<float, C> &sum)
{
    using T = typename P::Sample;
    struct gf_cuda_target dst = {};
    dst.scale = 1.0f;
    dst.alpha_period = C;
    dst.alpha_max = alpha_max<T>;
    float acc[quad] = {}, v[quad];
#pragma unroll
    for (int i = 0; i < C; i++)
        acc[i] = sum.v[i];
    unpremultiply(dst, acc, v);
    P pixel;
#pragma unroll
    for (int i = 0; i < C; i++)
        pixel.v[i] = to_stored(T{}, v[i]);
    return pixel;
}

/* Load a sample, or a pixel and weight its colours. */
template <class T> __device__ __forceinline__ Sum<T> loaded(const T *from)
{
    return static_cast<Sum<T>>(__ldg(from));
}

template <class T, int C> __device__ __forceinline__ Weighted<float, C> loaded(const Weighted<T, C> *from)
{
    const Weighted<T, C> stored = *from;
    Weighted<float, C> pixel;
#pragma unroll
    for (int i = 0; i < C; i++)
        pixel.v[i] = static_cast<float>(stored.v[i]);
#pragma unroll
    for (int i = 0; i < C - 1; i++)
        pixel.v[i] = __fmul_rn(pixel.v[i], pixel.v[C - 1]);
    return pixel;
}

template <class T> __device__ __forceinline__ Sum<T> sample(const Level &l, int y, int flat)
{
    return loaded(row_of<T>(l.src, l.src_pitch, y) + flat);
}

/* Source pixel i of n going up, where i may be -1 or n: reflect101 of the picture with zeros inserted between pixels.
 */
__device__ __forceinline__ int neighbour(int i, int n)
{
    return border_index(GF_BORDER_REFLECT101, 2 * i, 2 * n) / 2;
}

/* T is a sample, of which a pixel has C, or a pixel, with C = 1.
 *
 * Every thread of a block passes both barriers once per tile: (1) orders the writes of the column sums before the other
 * threads' reads; (2) orders the reads before the next tile's writes. */
template <class T, int C> __device__ __forceinline__ void down_tile(const Level &l, int x0, int y0, void *shared)
{
    constexpr int columns = (2 * tile_width + 3) * C; /* of the source, from pixel 2 * x0 - 2 on */
    Sum<T> *sums = static_cast<Sum<T> *>(shared);
    const int rows = min(tile_height, l.dst_height - y0), across = min(tile_width, l.dst_width - x0) * C;
    for (int i = threadIdx.x; i < rows * columns; i += block_threads) {
        const int row = i / columns, column = i % columns, y = 2 * (y0 + row);
        const int at = border_index(l.border, 2 * x0 - 2 + column / C, l.width) * C + column % C;
        Sum<T> v[5];
#pragma unroll
        for (int k = 0; k < 5; k++)
            v[k] = sample<T>(l, border_index(l.border, y + k - 2, l.height), at);
        sums[i] = five(v[0], v[1], v[2], v[3], v[4]);
    }
    gf_sync_block(); /* (1) */
    for (int i = threadIdx.x; i < rows * tile_width * C; i += block_threads) {
        const int row = i / (tile_width * C), column = i % (tile_width * C);
        if (column >= across)
            continue;
        const Sum<T> *s = sums + row * columns + column / C * 2 * C + column % C;
        row_of<T>(l.dst, l.dst_pitch, y0 + row)[x0 * C + column] =
            finished<T, 8>(five(s[0], s[C], s[2 * C], s[3 * C], s[4 * C]));
    }
    gf_sync_block(); /* (2) */
}

template <class T, int C> __device__ __forceinline__ void up_tile(const Level &l, int x0, int y0, void *shared)
{
    constexpr int columns = (tile_width + 2) * C; /* of the source, from pixel x0 - 1 on */
    Sum<T> *sums = static_cast<Sum<T> *>(shared); /* each even row of the result, followed by the odd row below it */
    const int rows = min(tile_height, l.height - y0), across = 2 * min(tile_width, l.width - x0) * C;
    for (int i = threadIdx.x; i < rows * columns; i += block_threads) {
        const int row = i / columns, column = i % columns, y = y0 + row;
        /* min(): columns further than one past the picture's last pixel are never used. */
        const int at = neighbour(min(x0 - 1 + column / C, l.width), l.width) * C + column % C;
        const Sum<T> a = sample<T>(l, neighbour(y - 1, l.height), at), b = sample<T>(l, y, at);
        const Sum<T> c = sample<T>(l, neighbour(y + 1, l.height), at);
        sums[2 * row * columns + column] = three(a, b, c);
        sums[(2 * row + 1) * columns + column] = two(b, c);
    }
    gf_sync_block(); /* (1) */
    for (int i = threadIdx.x; i < 2 * rows * 2 * tile_width * C; i += block_threads) {
        const int row = i / (2 * tile_width * C), column = i % (2 * tile_width * C), x = column / C;
        if (column >= across)
            continue;
        const Sum<T> *s = sums + row * columns + x / 2 * C + column % C; /* the column sum of pixel x / 2 - 1 */
        const Sum<T> v = x % 2 == 0 ? three(s[0], s[C], s[2 * C]) : two(s[C], s[2 * C]);
        row_of<T>(l.dst, l.dst_pitch, 2 * y0 + row)[2 * x0 * C + column] = finished<T, 6>(v);
    }
    gf_sync_block(); /* (2) */
}

/* The number of tiles across the picture. */
__host__ __device__ __forceinline__ uint32_t tiles_across(const Level &l)
{
    return static_cast<uint32_t>((l.up ? l.width : l.dst_width) + tile_width - 1) / tile_width;
}

template <int C, bool weights>
__global__ void __launch_bounds__(block_threads) level_kernel(const __grid_constant__ Level l, const Range range)
{
    constexpr int down_sums = tile_height * (2 * tile_width + 3) * C, up_sums = 2 * tile_height * (tile_width + 2) * C;
    __shared__ __align__(16) float shared[down_sums > up_sums ? down_sums : up_sums];
    const uint32_t across = tiles_across(l);
    for (uint64_t tile = range.first + blockIdx.x; tile < range.end; tile += gridDim.x) {
        const int x0 = static_cast<int>(tile % across) * tile_width, y0 = static_cast<int>(tile / across) * tile_height;
        gf_dispatch(l.dtype, [&](auto tag) {
            using T = std::conditional_t<weights, Weighted<decltype(tag), C>, decltype(tag)>;
            constexpr int per_pixel = weights ? 1 : C;
            if (l.up)
                up_tile<T, per_pixel>(l, x0, y0, shared);
            else
                down_tile<T, per_pixel>(l, x0, y0, shared);
        });
    }
}

enum gf_status start_level(struct gf_cuda_call *call, const Level &l, struct gf_error *err)
{
    const uint64_t across = tiles_across(l), down = ((l.up ? l.height : l.dst_height) + tile_height - 1) / tile_height;
    const uint64_t tile_bytes = 8 * tile_width * tile_height * l.channels * gf_dtype_size(l.dtype);
    const uint32_t alpha = gf_pyramid_params_get(&call->step->params).alpha;
    const bool weights = gf_weights_alpha(alpha, static_cast<uint32_t>(l.channels));
    auto *kernel = gf_dispatch_channels(l.channels, [weights](auto c) {
        return weights ? level_kernel<c.value, c.value % 2 == 0> : level_kernel<c.value, false>;
    });
    return in_launches(
        call, {across * down, 1, tile_bytes, "starting a level of a pyramid"}, err,
        [&](unsigned grid, const Range &range) { kernel<<<grid, block_threads, 0, call->exec->main>>>(l, range); });
}

/* Makes one level from `src`. An intermediate level, where dst->data is NULL, gets memory from the pool, which
 * *ret_memory names. */
enum gf_status make_level(struct gf_cuda_call *call, const struct gf_cuda_image &src, struct gf_cuda_image *dst,
                          void **ret_memory, struct gf_error *err)
{
    const struct gf_pyramid_params p = gf_pyramid_params_get(&call->step->params);
    const bool up = p.direction == GF_PYRAMID_UP;
    if (dst->data == nullptr) {
        const struct gf_view tight = gf_view_tight(src.view.dtype, gf_pyramid_side(src.view.width, up),
                                                   gf_pyramid_side(src.view.height, up), src.view.channels);
        uint64_t bytes;
        enum gf_status status = gf_cuda_align_view(&tight, &dst->view, &bytes, err);
        if (status == GF_OK)
            status = gf_cuda_alloc(call->exec, bytes, ret_memory, err);
        if (status != GF_OK)
            return status;
        dst->data = *ret_memory;
    }
    Level l = {};
    l.src = src.data;
    l.dst = dst->data;
    l.src_pitch = src.view.pitch;
    l.dst_pitch = dst->view.pitch;
    l.dtype = src.view.dtype;
    l.border = p.border;
    l.channels = static_cast<int>(src.view.channels);
    l.width = static_cast<int>(src.view.width);
    l.height = static_cast<int>(src.view.height);
    l.dst_width = static_cast<int>(dst->view.width);
    l.dst_height = static_cast<int>(dst->view.height);
    l.up = up;
    return start_level(call, l, err);
}

} // namespace

extern "C" enum gf_status gf_cuda_pyramid(struct gf_cuda_call *call, struct gf_error *err)
{
    const uint32_t levels = gf_pyramid_params_get(&call->step->params).level;
    struct gf_cuda_image src = *call->image[0];
    void *before = nullptr;
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], src.view.height, err);
    src.data = call->image[0]->data;
    for (uint32_t level = 1; level <= levels && status == GF_OK; level++) {
        struct gf_cuda_image dst = {};
        void *memory = nullptr;
        if (level == levels)
            dst = call->out[0];
        status = make_level(call, src, &dst, &memory, err);
        gf_cuda_free(call->exec, before); /* stream order: the launches that read the memory come first */
        before = memory;
        src = dst;
    }
    gf_cuda_free(call->exec, before);
    if (status == GF_OK)
        status = gf_cuda_rows_ready(call, 0, call->out[0].view.height, err);
    return status;
}
