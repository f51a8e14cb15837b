/* SPDX-License-Identifier: MIT */
/* Words of two samples of 16 bits as words of two keys, and back; rank_keys.cuh says what keys are. What is less of
 * words. Shared by rank_median3.cu and rank_median5.cu. */
#ifndef GF_CUDA_RANK_PAIRS_CUH
#define GF_CUDA_RANK_PAIRS_CUH

#include <cstdint>

#include "protocol/base/dtype.h"

namespace gf
{

/* All bits of those halves whose highest bit is set. */
__device__ __forceinline__ uint32_t halves_of_signs(uint32_t w)
{
    return (w >> 15 & 0x00010001u) * 0xFFFFu;
}

/* Words of samples to words of keys. */
template <int n> __device__ __forceinline__ void make_keys(uint32_t dtype, uint32_t (&w)[n])
{
    if (dtype == GF_I16) {
#pragma unroll
        for (int j = 0; j < n; j++)
            w[j] ^= 0x80008000u;
    } else if (dtype == GF_F16) {
#pragma unroll
        for (int j = 0; j < n; j++) {
            /* A magnitude beyond 0x7C00, which is a NaN, plus 0x03FF reaches the highest bit, and never the next. */
            const uint32_t nan = halves_of_signs((w[j] & 0x7FFF7FFFu) + 0x03FF03FFu);
            w[j] = ((w[j] ^ (halves_of_signs(w[j]) | 0x80008000u)) & ~nan) | (0xFE00FE00u & nan);
        }
    }
}

/* And back. */
template <int n> __device__ __forceinline__ void make_samples(uint32_t dtype, uint32_t (&w)[n])
{
    if (dtype == GF_I16) {
#pragma unroll
        for (int j = 0; j < n; j++)
            w[j] ^= 0x80008000u;
    } else if (dtype == GF_F16) {
#pragma unroll
        for (int j = 0; j < n; j++)
            w[j] ^= halves_of_signs(~w[j]) | 0x80008000u;
    }
}

/* The less and the greater of two keys, or of the two keys of each word. */
template <bool pair> __device__ __forceinline__ uint32_t least(uint32_t a, uint32_t b)
{
    return pair ? __vminu2(a, b) : min(a, b);
}

template <bool pair> __device__ __forceinline__ uint32_t greatest(uint32_t a, uint32_t b)
{
    return pair ? __vmaxu2(a, b) : max(a, b);
}

} // namespace gf

#endif
