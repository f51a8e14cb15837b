/* SPDX-License-Identifier: MIT */
/*
 * The minimum, maximum and sum over the lanes of a warp, returned in every lane: one instruction on sm_80 and later,
 * five shuffles before. And the running sum. All 32 lanes must take part.
 */
#ifndef GF_CUDA_WARP_REDUCE_CUH
#define GF_CUDA_WARP_REDUCE_CUH

#ifndef __CUDACC_RTC__ /* NVRTC has no headers */
#include <cstdint>
#endif

#include "sync.cuh"

template <class T> __device__ __forceinline__ T gf_warp_min(T v)
{
    static_assert(sizeof(T) == sizeof(uint32_t));
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(gf_all_lanes, v);
#else
    for (int lane = 16; lane > 0; lane /= 2) {
        const T other = gf_shuffle_xor(v, lane);
        v = other < v ? other : v;
    }
    return v;
#endif
}

template <class T> __device__ __forceinline__ T gf_warp_max(T v)
{
    static_assert(sizeof(T) == sizeof(uint32_t));
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(gf_all_lanes, v);
#else
    for (int lane = 16; lane > 0; lane /= 2) {
        const T other = gf_shuffle_xor(v, lane);
        v = other > v ? other : v;
    }
    return v;
#endif
}

/* Also of numbers of 64 bits, by shuffles. */
template <class T> __device__ __forceinline__ T gf_warp_sum(T v)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        v += gf_shuffle_xor(v, d);
    return v;
}

__device__ __forceinline__ uint32_t gf_warp_sum(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(gf_all_lanes, v);
#else
    return gf_warp_sum<uint32_t>(v);
#endif
}

/* Returns the sum over the lanes up to this one. */
template <class T> __device__ __forceinline__ T gf_warp_running_sum(T v)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T before = gf_shuffle_up(v, d);
        if (lane >= d)
            v = before + v;
    }
    return v;
}

#endif
