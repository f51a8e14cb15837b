/* SPDX-License-Identifier: MIT */
/*
 * Iterating over the elements of a chunk, by warp: in vectors where elements are adjacent, otherwise one by one. A
 * thread takes lanes 4t ... 4t + 3 of the tree, so a row of 128 elements is one vector per thread. See
 * reduction_gather.cuh.
 */
#ifndef GF_CUDA_REDUCTION_CHUNK_CUH
#define GF_CUDA_REDUCTION_CHUNK_CUH

#include <type_traits>

#include "kernels/cuda/device/dispatch.cuh"
#include "reduction_tail.cuh"

namespace gf_reduction_kernels
{

constexpr int quad = 4;                    /* lanes per thread */
constexpr int warps = GF_CUDA_CHUNK_WARPS; /* per block */
constexpr int threads = warps * warp;
constexpr uint32_t none = UINT32_MAX;

template <class T> constexpr bool is_real = std::is_floating_point_v<T>;
template <class T> constexpr bool is_wide = sizeof(T) == 8;
template <class T> constexpr bool is_short = sizeof(T) <= 2; /* all quantities of these types are exact */

/* Four adjacent elements, loaded at once. */
template <class T> struct alignas(sizeof(T) * quad < 16 ? sizeof(T) * quad : 16) four {
    T v[quad];
};

/* The chunk of a sequence that a warp reduces. */
struct chunk {
    const char *a, *b; /* the channel of the sequence in row 0 */
    uint64_t x, y;     /* position of the first element */
    uint32_t n;
};

/* Returns chunk `number` of a sequence that begins `skip` bytes after the first. */
static __device__ __forceinline__ struct chunk chunk_at(const struct gf_cuda_sequences &s, uint64_t skip,
                                                        uint64_t number)
{
    const uint64_t index = number * s.span, left = s.n - index;
    struct chunk c = {s.a + skip, s.b + skip, index, 0, left < s.span ? static_cast<uint32_t>(left) : s.span};
    if (c.x >= s.width) {
        c.y = c.x / s.width;
        c.x %= s.width;
    }
    return c;
}

template <class T> __device__ __forceinline__ T load(const char *p)
{
    return *reinterpret_cast<const T *>(p);
}

/* Calls f(lane of the thread, element, other element, offset) for all elements of the thread, in ascending order. */
template <class T, bool two, class F>
__device__ __forceinline__ void each_apart(const struct gf_cuda_sequences &s, const struct chunk &c, F &&f)
{
    const uint32_t own = threadIdx.x % warp * quad;
    const uint64_t rows = GF_TREE_LANES / s.width, columns = GF_TREE_LANES % s.width;
    uint64_t x = c.x + own, y = c.y + x / s.width;
    x %= s.width;
    for (uint32_t offset = own; offset < c.n; offset += GF_TREE_LANES) {
        uint64_t px = x, py = y;
#pragma unroll
        for (int j = 0; j < quad; j++) {
            if (offset + j < c.n) {
                const uint64_t at = py * s.pitch + px * s.channels * sizeof(T);
                f(j, load<T>(c.a + at), two ? load<T>(c.b + at) : T(0), offset + j);
            }
            if (++px == s.width) {
                px = 0;
                py++;
            }
        }
        x += columns;
        y += rows;
        if (x >= s.width) {
            x -= s.width;
            y++;
        }
    }
}

/* Iterates over whole rows of 128 elements from `first` on, `batch` rows at a time. Returns the first row that is left.
 * Elements are `step` bytes apart; with `vectors` they are adjacent and aligned. */
template <class T, bool two, int batch, bool vectors, class F>
__device__ __forceinline__ uint32_t each_batch(const char *a, const char *b, uint32_t step, uint32_t first,
                                               uint32_t rows, F &&f)
{
    const uint32_t own = threadIdx.x % warp * quad;
    uint32_t r = first;
    for (; r + batch <= rows; r += batch) {
        four<T> v[batch], w[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            const uint32_t offset = (r + k) * GF_TREE_LANES + own;
            if constexpr (vectors) {
                v[k] = *reinterpret_cast<const four<T> *>(a + offset * sizeof(T));
                if (two)
                    w[k] = *reinterpret_cast<const four<T> *>(b + offset * sizeof(T));
            } else {
#pragma unroll
                for (int j = 0; j < quad; j++) {
                    v[k].v[j] = load<T>(a + (offset + j) * step);
                    if (two)
                        w[k].v[j] = load<T>(b + (offset + j) * step);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < batch; k++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                f(j, v[k].v[j], two ? w[k].v[j] : T(0), (r + k) * GF_TREE_LANES + own + j);
    }
    return r;
}

/* each_apart for a chunk within one row, with several loads in flight before the first is used. */
template <class T, bool two, bool vectors, class F>
__device__ __forceinline__ void each_in_row(const char *a, const char *b, uint32_t step, uint32_t n, F &&f)
{
    constexpr int batch = !vectors || is_wide<T> || two ? 4 : 8;
    const uint32_t rows = n / GF_TREE_LANES;
    uint32_t r = each_batch<T, two, batch, vectors>(a, b, step, 0, rows, f);
    r = each_batch<T, two, 1, vectors>(a, b, step, r, rows, f);
    const uint32_t offset = r * GF_TREE_LANES + threadIdx.x % warp * quad;
#pragma unroll
    for (int j = 0; j < quad; j++)
        if (offset + j < n)
            f(j, load<T>(a + (offset + j) * step), two ? load<T>(b + (offset + j) * step) : T(0), offset + j);
}

/* Selects the fastest of the three. */
template <class T, bool two, class F>
__device__ __forceinline__ void each(const struct gf_cuda_sequences &s, const struct chunk &c, F &&f)
{
    const uint32_t step = s.channels * static_cast<uint32_t>(sizeof(T));
    const uint64_t at = c.y * s.pitch + c.x * step;
    const char *a = c.a + at, *b = two ? c.b + at : a;
    const uintptr_t low = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
    if (c.x + c.n > s.width)
        each_apart<T, two>(s, c, f);
    else if (s.channels == 1 && low % alignof(four<T>) == 0)
        each_in_row<T, two, true>(a, b, step, c.n, f);
    else
        each_in_row<T, two, false>(a, b, step, c.n, f);
}

} // namespace gf_reduction_kernels

#endif
