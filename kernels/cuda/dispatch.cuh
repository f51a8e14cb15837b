/* SPDX-License-Identifier: MIT */
/* From a dtype number to a C++ type, once: the only switch on dtypes in CUDA code. Included by tile.cuh. */
#ifndef GF_CUDA_DISPATCH_CUH
#define GF_CUDA_DISPATCH_CUH

#include <cstdint>

#include "protocol/dtype.h"

/* Calls f with a zero of the sample type; image dtypes only (op descriptors let no other through). */
template <class F> __device__ __forceinline__ void gf_dispatch(uint32_t dtype, F &&f)
{
    switch (dtype) {
    case GF_U8:
        f(uint8_t{0});
        break;
    case GF_U16:
        f(uint16_t{0});
        break;
    default:
        f(float{0});
        break;
    }
}

/* Calls f with a zero of the element type, of any dtype. */
template <class F> __device__ __forceinline__ void gf_dispatch_any(uint32_t dtype, F &&f)
{
    switch (dtype) {
    case GF_U8:
        f(uint8_t{0});
        break;
    case GF_I8:
        f(int8_t{0});
        break;
    case GF_U16:
        f(uint16_t{0});
        break;
    case GF_I16:
        f(int16_t{0});
        break;
    case GF_U32:
        f(uint32_t{0});
        break;
    case GF_I32:
        f(int32_t{0});
        break;
    case GF_U64:
        f(uint64_t{0});
        break;
    case GF_I64:
        f(int64_t{0});
        break;
    case GF_F32:
        f(float{0});
        break;
    default:
        f(double{0});
        break;
    }
}

#endif
