/* SPDX-License-Identifier: MIT */
/* Unsigned keys that sort like samples, in the order of docs/numerics.md, "median, rank, percentile", and back. Shared
 * by the kernels of this folder. */
#ifndef GF_CUDA_RANK_KEYS_CUH
#define GF_CUDA_RANK_KEYS_CUH

#include "kernels/cuda/filter/tile.cuh"
#include "rank.h"

namespace gf
{

__device__ __forceinline__ uint32_t key_of(uint8_t v)
{
    return v;
}

__device__ __forceinline__ uint32_t key_of(uint16_t v)
{
    return v;
}

__device__ __forceinline__ uint32_t key_of(int16_t v)
{
    return static_cast<uint16_t>(v) ^ 0x8000u;
}

/* Negative numbers have all bits inverted, other numbers only the sign. Every NaN becomes the canonical one. */
__device__ __forceinline__ uint32_t key_of(__half v)
{
    const uint32_t bits = __half_as_ushort(v);
    const uint32_t key = (bits & 0x8000u) != 0 ? bits ^ 0xFFFFu : bits | 0x8000u;
    return (bits & 0x7FFFu) > 0x7C00u ? 0xFE00u : key;
}

__device__ __forceinline__ uint32_t key_of(float v)
{
    const uint32_t bits = __float_as_uint(v);
    return v != v ? 0xFFC00000u : bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u);
}

__device__ __forceinline__ uint8_t of_key(uint8_t, uint32_t key)
{
    return static_cast<uint8_t>(key);
}

__device__ __forceinline__ uint16_t of_key(uint16_t, uint32_t key)
{
    return static_cast<uint16_t>(key);
}

__device__ __forceinline__ int16_t of_key(int16_t, uint32_t key)
{
    return static_cast<int16_t>(key ^ 0x8000u);
}

__device__ __forceinline__ __half of_key(__half, uint32_t key)
{
    return __ushort_as_half(static_cast<uint16_t>((key & 0x8000u) != 0 ? key ^ 0x8000u : key ^ 0xFFFFu));
}

__device__ __forceinline__ float of_key(float, uint32_t key)
{
    return __uint_as_float(key ^ (static_cast<uint32_t>(static_cast<int32_t>(~key) >> 31) | 0x80000000u));
}

} // namespace gf

#endif
