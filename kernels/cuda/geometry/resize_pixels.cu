/* SPDX-License-Identifier: MIT */
/*
 * resize without chains: pixels that move (nearest), and bytes that are means of two by two, whose sums are exact in
 * any order. No thread needs what another one wrote. Launched by resize.c.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "resize_taps.cuh"

namespace
{

using namespace gf;

constexpr int pixel_threads = 256;

/* What is stored of a sample that moves: section 1 for NaN. */
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

/* A thread makes a quad of a row. */
__global__ void __launch_bounds__(pixel_threads) nearest_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    const int begin = r.first * GF_RESIZE_GROUP, end = min(r.end * GF_RESIZE_GROUP, r.dst.height);
    const uint32_t quads = (static_cast<uint32_t>(r.dst.samples) + quad - 1) / quad;
    const uint64_t all = static_cast<uint64_t>(quads) * static_cast<uint32_t>(end - begin);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * pixel_threads;
    const int channels = r.src.channels;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * pixel_threads + threadIdx.x; i < all; i += step) {
        const int y = begin + static_cast<int>(i / quads), x = static_cast<int>(i % quads) * quad;
        gf_dispatch(r.src.dtype, [&](auto tag) {
            using T = decltype(tag);
            const T *row = row_of<T>(r.src.data, r.src.pitch, __ldg(r.rows + y));
            T s[quad];
#pragma unroll
            for (int j = 0; j < quad; j++) {
                const int at = min(x + j, r.dst.samples - 1), pixel = at / channels;
                s[j] = moved(__ldg(row + __ldg(r.columns + pixel) * channels + (at - pixel * channels)));
            }
            store_values<T>(r.dst, y, x, s);
        });
    }
}

/* A byte of words in memory's order. */
template <int N> __device__ __forceinline__ uint32_t byte_of(const uint32_t (&w)[N], int i)
{
    return w[i / 4] >> i % 4 * 8 & 0xFF;
}

/* A thread makes four pixels of eight of two rows. Rows of the device's images have whole vectors of 16 bytes; what
 * lies beyond is not read. */
template <int C>
__global__ void __launch_bounds__(pixel_threads) halves_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    const int begin = r.first * GF_RESIZE_GROUP, end = min(r.end * GF_RESIZE_GROUP, r.dst.height);
    const uint32_t groups = (static_cast<uint32_t>(r.dst.samples) / C + 3) / 4;
    const uint64_t all = static_cast<uint64_t>(groups) * static_cast<uint32_t>(end - begin);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * pixel_threads;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * pixel_threads + threadIdx.x; i < all; i += step) {
        const int y = begin + static_cast<int>(i / groups), x = static_cast<int>(i % groups) * 4 * C;
        uint32_t a[2 * C], b[2 * C];
        const uint2 *from_a = reinterpret_cast<const uint2 *>(row_of<uint8_t>(r.src.data, r.src.pitch, 2 * y) + 2 * x);
        const uint2 *from_b =
            reinterpret_cast<const uint2 *>(row_of<uint8_t>(r.src.data, r.src.pitch, 2 * y + 1) + 2 * x);
#pragma unroll
        for (int k = 0; k < C; k++) {
            const bool inside = 2 * x + 8 * k < r.src.width * C;
            const uint2 u = inside ? __ldg(from_a + k) : make_uint2(0, 0);
            const uint2 v = inside ? __ldg(from_b + k) : make_uint2(0, 0);
            a[2 * k] = u.x;
            a[2 * k + 1] = u.y;
            b[2 * k] = v.x;
            b[2 * k + 1] = v.y;
        }
#pragma unroll
        for (int q = 0; q < C; q++) {
            uint8_t s[quad];
#pragma unroll
            for (int j = 0; j < quad; j++) {
                const int at = q * quad + j, left = (at / C) * 2 * C + at % C, right = left + C;
                const uint32_t sum = byte_of(a, left) + byte_of(a, right) + byte_of(b, left) + byte_of(b, right);
                s[j] = static_cast<uint8_t>((sum + 1 + (sum >> 2 & 1)) >> 2); /* a quarter, ties to even */
            }
            if (x + q * quad < r.dst.samples)
                store_values<uint8_t>(r.dst, y, x + q * quad, s);
        }
    }
}

template <int C> cudaError_t launch_halves(const struct gf_cuda_resizing *r, unsigned grid, cudaStream_t stream)
{
    halves_kernel<C><<<grid, pixel_threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_pixels(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const uint64_t quads = (static_cast<uint64_t>(r->dst.samples) + quad - 1) / quad;
    const uint64_t rows = static_cast<uint64_t>(r->end - r->first) * GF_RESIZE_GROUP;
    const unsigned grid = gf_cuda_grid((quads * rows + pixel_threads - 1) / pixel_threads);
    if (!r->halves) {
        nearest_kernel<<<grid, pixel_threads, 0, stream>>>(*r);
        return cudaPeekAtLastError();
    }
    return r->src.channels == 1   ? launch_halves<1>(r, grid, stream)
           : r->src.channels == 2 ? launch_halves<2>(r, grid, stream)
           : r->src.channels == 3 ? launch_halves<3>(r, grid, stream)
                                  : launch_halves<4>(r, grid, stream);
}
