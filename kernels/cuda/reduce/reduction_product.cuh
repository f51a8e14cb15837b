/* SPDX-License-Identifier: MIT */
/* Exact products of integers, per thread and per warp (docs/numerics.md, "reduce"). Included by reduction_gather.cuh.
 */
#ifndef GF_CUDA_REDUCTION_PRODUCT_CUH
#define GF_CUDA_REDUCTION_PRODUCT_CUH

#include "kernels/cuda/device/sync.cuh"
#include "reduction_chunk.cuh"

namespace gf_reduction_kernels
{

/* A product of nonzero integers: its magnitude modulo 2^64, and whether it ever exceeded 64 bits. */
struct factors {
    uint64_t magnitude, beyond;
    bool zero; /* a factor was zero */

    __device__ __forceinline__ void init()
    {
        magnitude = 1;
        beyond = 0;
        zero = false;
    }

    __device__ __forceinline__ void times(uint32_t m)
    {
        zero = zero || m == 0;
        m = m > 1 ? m : 1;
        const uint64_t low = (magnitude & UINT32_MAX) * m, high = (magnitude >> 32) * m + (low >> 32);
        beyond |= high >> 32;
        magnitude = high << 32 | (low & UINT32_MAX);
    }

    __device__ __forceinline__ void times(uint64_t m)
    {
        zero = zero || m == 0;
        m = m > 1 ? m : 1;
        beyond |= __umul64hi(magnitude, m);
        magnitude *= m;
    }

    __device__ __forceinline__ void times(const struct factors &o)
    {
        zero = zero || o.zero;
        beyond |= o.beyond | __umul64hi(magnitude, o.magnitude);
        magnitude *= o.magnitude;
    }

    /* Multiplies over a whole warp, in all threads; the sign follows from the parity of the threads with a negative
     * product. */
    __device__ __forceinline__ void join_warp(bool negative, struct gf_partial *p)
    {
#pragma unroll
        for (int d = warp / 2; d > 0; d /= 2) {
            struct factors o = *this;
            o.magnitude = gf_shuffle_xor(static_cast<unsigned long long>(magnitude), d);
            times(o);
        }
        zero = gf_any_lane(zero);
        beyond = static_cast<uint64_t>(gf_any_lane(beyond != 0));
        put((__popc(gf_ballot(negative)) & 1) != 0, p);
    }

    __device__ __forceinline__ void put(bool negative, struct gf_partial *p) const
    {
        p->product = zero ? 0 : negative ? -magnitude : magnitude;
        p->magnitude = beyond != 0 ? UINT64_MAX : magnitude;
        p->product_flags =
            (zero ? GF_PRODUCT_ZERO : 0) | (negative ? GF_PRODUCT_NEGATIVE : 0) | (beyond != 0 ? GF_PRODUCT_BIG : 0);
    }
};

} // namespace gf_reduction_kernels

#endif
