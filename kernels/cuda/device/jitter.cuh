/* SPDX-License-Identifier: MIT */
/*
 * Random delays that expose kernels which are correct only by luck. With GF_CUDA_JITTER, every primitive of sync.cuh
 * and async_copy.cuh calls gf_jitter() before and after it orders anything. There one warp in `one_in`, at random, or
 * one of its lanes, sleeps for up to 8 us, rarely for up to 64 us. Every legal schedule must give the same bits, so
 * conformance must pass with every seed. Without GF_CUDA_JITTER none of this is compiled.
 */
#ifndef GF_CUDA_JITTER_CUH
#define GF_CUDA_JITTER_CUH

#ifndef __CUDACC_RTC__ /* NVRTC has no headers */
#include "jitter.h"
#endif

/* One call in how many sleeps: for primitives used once or twice per tile, and for innermost loops. Powers of two. */
constexpr unsigned gf_jitter_often = 32, gf_jitter_seldom = 512;

#ifdef GF_CUDA_JITTER

/* Each file of kernels has its own seed, which gf_cuda_jitter_prepare() sets. */
static __device__ unsigned gf_jitter_seed;
static const struct gf_jitter_file gf_jitter_this_file(&gf_jitter_seed);

__device__ __forceinline__ unsigned gf_jitter_mix(unsigned x)
{
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    x = (x ^ x >> 12) * 0x297A2D39u;
    return x ^ x >> 15;
}

/* The clock varies the decision from call to call; lanes that run together read the same clock. Inlined, because ptxas
 * of CUDA 13.0 takes lanes that return from a call one after the other for a whole warp, and then shuffles among too
 * few lanes. */
__device__ __forceinline__ void gf_jitter(unsigned one_in)
{
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned clock = static_cast<unsigned>(clock64());
    const unsigned of_warp = gf_jitter_mix(gf_jitter_seed + block * 0x9E3779B1u + thread / 32 * 0x85EBCA6Bu + clock);
    const unsigned of_lane = gf_jitter_mix(of_warp + thread);
    if (of_warp % one_in == 0) /* the upper 13 bits, or 16 */
        __nanosleep(of_warp >> (of_warp % (32 * one_in) == 0 ? 16 : 19));
    if (of_lane % (32 * one_in) == 0)
        __nanosleep(of_lane >> 19);
}

#else

__device__ __forceinline__ void gf_jitter(unsigned)
{
}

#endif
#endif
