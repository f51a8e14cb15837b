/* SPDX-License-Identifier: MIT */
/*
 * resize without windows: nearest, which only moves pixels, and means of 2 x 2 pixels. Launched by resize.c.
 *
 * A thread makes four pixels. With several channels, these are several quads of samples; if lanes stored them directly,
 * each store would leave gaps and write every L2 sector in parts. So a warp collects its quads in shared memory and
 * stores them in order.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "resize_taps.cuh"

namespace
{

using namespace gf;

constexpr int pixel_threads = 256;

template <class T> struct alignas(quad * sizeof(T)) quad_of {
    T v[quad];
};

/* The quads of a block's groups, warp after warp. */
template <int C> struct alignas(16) group_quads {
    char bytes[pixel_threads * C * quad * sizeof(float)];
};

/* Copies a sample, with the canonical NaN (docs/numerics.md, "Store"). */
template <class T> __device__ __forceinline__ T moved(T v)
{
    return v;
}
__device__ __forceinline__ float moved(float v)
{
    return to_stored(0.0f, v);
}
__device__ __forceinline__ __half moved(__half v)
{
    const unsigned short bits = __half_as_ushort(v);
    return (bits & 0x7FFF) > 0x7C00 ? __ushort_as_half(0x7E00) : v;
}

/* Calls make(row, first column) for each group of four result pixels, in a grid-stride loop. A picture has fewer than
 * 2^31 groups. */
template <class F> __device__ __forceinline__ void for_each_group(const struct gf_cuda_resizing &r, int C, F &&make)
{
    const int begin = r.first * GF_RESIZE_GROUP, end = min(r.end * GF_RESIZE_GROUP, r.dst.height);
    const uint32_t groups = (static_cast<uint32_t>(r.dst.samples) / C + quad - 1) / quad;
    const uint32_t all = groups * static_cast<uint32_t>(end - begin), step = gridDim.x * pixel_threads;
    for (uint32_t i = blockIdx.x * pixel_threads + threadIdx.x; i < all; i += step)
        make(begin + static_cast<int>(i / groups), static_cast<int>(i % groups) * quad);
}

/*
 * Stores the quads of a group whose first pixel is x, and drops quads past the end of the row. Lanes have consecutive
 * groups. They store together if the groups of the whole warp lie in row y and are whole. All lanes agree: if the
 * groups lie in row y, every lane computes the same `first`. If they do not, the row begins after lane 0 for some
 * lanes, whose `first` is negative, and ends before lane 31 for the others, so no lane takes the branch.
 */
template <int C, class T>
__device__ __forceinline__ void store_group(const struct gf_cuda_resizing &r, int y, int x, const T (&s)[C][quad],
                                            group_quads<C> &shared)
{
    const int lane = threadIdx.x % warp_lanes, first = x - lane * quad;
    if (C > 1 && first >= 0 && (first + warp_lanes * quad) * C <= r.dst.samples) {
        auto *own = reinterpret_cast<quad_of<T> *>(shared.bytes) + (threadIdx.x - lane) * C;
        auto *to = reinterpret_cast<quad_of<T> *>(row_of<T>(r.dst.data, r.dst.pitch, y) + first * C);
#pragma unroll
        for (int q = 0; q < C; q++)
            store_quad(own[lane * C + q].v, s[q]);
        gf_sync_warp(); /* all lanes have written their quads before any lane reads */
#pragma unroll
        for (int q = 0; q < C; q++)
            to[q * warp_lanes + lane] = own[q * warp_lanes + lane];
        gf_sync_warp(); /* all lanes have read before the next quads overwrite these */
        return;
    }
#pragma unroll
    for (int q = 0; q < C; q++)
        if (x * C + q * quad < r.dst.samples)
            store_values<T>(r.dst, y, x * C + q * quad, s[q]);
}

/* A pixel as it is loaded: in one access, or sample by sample if it has three channels. */
template <class T, int C> struct alignas(sizeof(T) * (C == 3 ? 1 : C)) pixel_of {
    T v[C];
};

/* Reads the column table four at a time: it is padded to whole vectors with pixel 0. */
template <int C>
__global__ void __launch_bounds__(pixel_threads) nearest_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    __shared__ group_quads<C> shared;
    gf_dispatch(r.src.dtype, [&](auto tag) {
        using T = decltype(tag);
        for_each_group(r, C, [&](int y, int x) {
            const auto *row = row_of<pixel_of<T, C>>(r.src.data, r.src.pitch, __ldg(r.rows + y));
            const int4 columns = __ldg(reinterpret_cast<const int4 *>(r.columns + x));
            const pixel_of<T, C> from[quad] = {row[columns.x], row[columns.y], row[columns.z], row[columns.w]};
            T s[C][quad];
#pragma unroll
            for (int i = 0; i < C * quad; i++)
                s[i / quad][i % quad] = moved(from[i / C].v[i % C]);
            store_group<C>(r, y, x, s, shared);
        });
    });
}

/* Bytes: the exact sum of four, by byte dot products with 1. Words are in memory order. */
template <int C> struct byte_rows {
    uint32_t a[2 * C], b[2 * C];

    static __device__ __forceinline__ void load(const char *row, int left, uint32_t (&w)[2 * C])
    {
#pragma unroll
        for (int k = 0; k < C; k++) {
            const uint2 v = 8 * k < left ? __ldg(reinterpret_cast<const uint2 *>(row) + k) : make_uint2(0, 0);
            w[2 * k] = v.x;
            w[2 * k + 1] = v.y;
        }
    }

    __device__ __forceinline__ uint8_t mean(int left, int right) const
    {
        const uint32_t one_left = 1u << left % 4 * 8, one_right = 1u << right % 4 * 8;
        const bool one_word = left / 4 == right / 4;
        const uint32_t first = one_word ? one_left | one_right : one_left;
        uint32_t sum = __dp4a(b[left / 4], first, __dp4a(a[left / 4], first, 0u));
        if (!one_word)
            sum = __dp4a(b[right / 4], one_right, __dp4a(a[right / 4], one_right, sum));
        return static_cast<uint8_t>((sum + 1 + (sum >> 2 & 1)) >> 2); /* a quarter, ties to even */
    }
};

/* Other types: chains of two, along columns first. */
template <int C, class T> struct sample_rows {
    float4 a[2 * C], b[2 * C];

    static __device__ __forceinline__ void load(const char *row, int left, float4 (&v)[2 * C])
    {
#pragma unroll
        for (int k = 0; k < 2 * C; k++)
            v[k] = quad * k < left ? load_quad(reinterpret_cast<const T *>(row) + quad * k)
                                   : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }

    static __device__ __forceinline__ float of(const float4 (&v)[2 * C], int i)
    {
        return i % quad == 0   ? v[i / quad].x
               : i % quad == 1 ? v[i / quad].y
               : i % quad == 2 ? v[i / quad].z
                               : v[i / quad].w;
    }

    static __device__ __forceinline__ float half_sum(float v, float w)
    {
        return __fmaf_rn(w, 0.5f, __fmaf_rn(v, 0.5f, 0.0f));
    }

    __device__ __forceinline__ T mean(int left, int right) const
    {
        const float sum = half_sum(half_sum(of(a, left), of(b, left)), half_sum(of(a, right), of(b, right)));
        return to_stored(T{}, __fadd_rn(sum, 0.0f)); /* no -0 */
    }
};

/* Makes four pixels from eight pixels of two rows. Rows of device images have whole vectors of 16 bytes; nothing past
 * them is read. */
template <int C>
__global__ void __launch_bounds__(pixel_threads) halves_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    __shared__ group_quads<C> shared;
    gf_dispatch(r.src.dtype, [&](auto tag) {
        using T = decltype(tag);
        for_each_group(r, C, [&](int y, int x) {
            std::conditional_t<sizeof(T) == 1, byte_rows<C>, sample_rows<C, T>> from;
            const char *row = row_of<char>(r.src.data, r.src.pitch, 2 * y) + static_cast<size_t>(2 * x) * C * sizeof(T);
            const int left = (r.src.width - 2 * x) * C;
            from.load(row, left, from.a);
            from.load(row + r.src.pitch, left, from.b);
            T s[C][quad];
#pragma unroll
            for (int i = 0; i < C * quad; i++)
                s[i / quad][i % quad] = from.mean(i / C * 2 * C + i % C, (i / C * 2 + 1) * C + i % C);
            store_group<C>(r, y, x, s, shared);
        });
    });
}

template <int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const uint64_t groups = (static_cast<uint64_t>(r->dst.samples) / C + quad - 1) / quad;
    const uint64_t rows = static_cast<uint64_t>(r->end - r->first) * GF_RESIZE_GROUP;
    const unsigned grid = gf_cuda_grid((groups * rows + pixel_threads - 1) / pixel_threads);
    if (r->halves)
        halves_kernel<C><<<grid, pixel_threads, 0, stream>>>(*r);
    else
        nearest_kernel<C><<<grid, pixel_threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_pixels(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return gf_dispatch_channels(r->src.channels, [&](auto c) { return launch<c.value>(r, stream); });
}
