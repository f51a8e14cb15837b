/* SPDX-License-Identifier: MIT */
/* Finds the best split by Otsu's method among the threads of a warp. Included by threshold.cu and finish_bytes.cuh. */
#ifndef GF_CUDA_OTSU_SPLIT_CUH
#define GF_CUDA_OTSU_SPLIT_CUH

#include "kernels/cuda/step/samples.cuh"
#include "kernels/shared/tables.h"

namespace gf
{

/* A split and its score. The greater score wins; among equal scores the lower split. A split of UINT32_MAX is none. */
struct Split {
    double score;
    uint32_t t;
};

__device__ __forceinline__ void take_better(Split &best, const Split &other)
{
    if (other.t != UINT32_MAX &&
        (best.t == UINT32_MAX || other.score > best.score || (other.score == best.score && other.t < best.t)))
        best = other;
}

/* The best split of all threads of a warp. */
__device__ __forceinline__ Split best_of_warp(Split best)
{
#pragma unroll
    for (int d = lanes / 2; d > 0; d /= 2)
        take_better(best, {gf_shuffle_xor(best.score, d), gf_shuffle_xor(best.t, d)});
    return best;
}

} // namespace gf

#endif
