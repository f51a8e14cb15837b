/* SPDX-License-Identifier: MIT */
/*
 * Delays that show what a kernel gets right by luck. Built with GF_CUDA_JITTER, every primitive of sync.cuh and
 * async_copy.cuh calls gf_jitter() before and after it orders anything: there, at random, one warp in `one_in` sleeps,
 * or a lane of it, for up to 8 us and seldom for 64. Any legal schedule must give the same bits, so conformance has to
 * pass with every seed. Without GF_CUDA_JITTER nothing of this is compiled.
 */
#ifndef GF_CUDA_JITTER_CUH
#define GF_CUDA_JITTER_CUH

#include "jitter.h"

/* How often: at what a kernel does once or twice per tile, and in its innermost loops. Powers of two. */
constexpr unsigned gf_jitter_often = 32, gf_jitter_seldom = 512;

#ifdef GF_CUDA_JITTER

/* Each file of kernels has a seed of its own, which gf_cuda_jitter_prepare() sets. */
static __device__ unsigned long long gf_jitter_seed;
static const struct gf_jitter_file gf_jitter_this_file(&gf_jitter_seed);

/* Mixes all bits of x. */
__device__ __forceinline__ unsigned long long gf_jitter_mix(unsigned long long x)
{
    x = (x ^ x >> 31) * 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9ull;
    return x ^ x >> 32;
}

static __device__ __noinline__ void gf_jitter(unsigned one_in)
{
    constexpr unsigned shortest = 8191, longest = 65535; /* ns */
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned long long block =
        blockIdx.x + gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    const unsigned long long at = gf_jitter_seed + (block << 40) + clock64();
    const unsigned long long of_warp = gf_jitter_mix(at + (static_cast<unsigned long long>(thread / 32) << 32));
    const unsigned long long of_lane = gf_jitter_mix(of_warp + thread);
    const unsigned of_warp_low = static_cast<unsigned>(of_warp), of_lane_low = static_cast<unsigned>(of_lane);
    if (of_warp_low % one_in == 0)
        __nanosleep(static_cast<unsigned>(of_warp >> 32) & (of_warp_low % (32 * one_in) == 0 ? longest : shortest));
    if (of_lane_low % (32 * one_in) == 0)
        __nanosleep(static_cast<unsigned>(of_lane >> 32) & shortest);
}

#else

__device__ __forceinline__ void gf_jitter(unsigned)
{
}

#endif
#endif
