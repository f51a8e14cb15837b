/* SPDX-License-Identifier: MIT */
/* From a dtype number, or the size of a sample, to a C++ type, and from a number of channels to a constant: the only
 * switches of this kind in CUDA code. Included by the shared headers of each family: tile.cuh, samples.cuh,
 * reduction.cuh, scan_op.cuh, select_tile.cuh. */
#ifndef GF_CUDA_DISPATCH_CUH
#define GF_CUDA_DISPATCH_CUH

#include <cstddef>
#include <cstdint>
#include <cuda_fp16.h>
#include <type_traits>

#include "protocol/base/dtype.h"

/* Calls f with a zero of the sample type, for the dtypes of pictures (op descriptors admit no other), on host and
 * device. */
#pragma nv_exec_check_disable
template <class F> __host__ __device__ __forceinline__ void gf_dispatch(uint32_t dtype, F &&f)
{
    switch (dtype) {
    case GF_U8:
        f(uint8_t{0});
        break;
    case GF_U16:
        f(uint16_t{0});
        break;
    case GF_I16:
        f(int16_t{0});
        break;
    case GF_F16:
        f(__half{});
        break;
    default:
        f(float{0});
        break;
    }
}

/* Calls f with a zero of any dtype, on host and device, and returns the result of f. */
#pragma nv_exec_check_disable
template <class F> __host__ __device__ __forceinline__ auto gf_dispatch_any(uint32_t dtype, F &&f)
{
    switch (dtype) {
    case GF_U8:
        return f(uint8_t{0});
    case GF_I8:
        return f(int8_t{0});
    case GF_U16:
        return f(uint16_t{0});
    case GF_I16:
        return f(int16_t{0});
    case GF_U32:
        return f(uint32_t{0});
    case GF_I32:
        return f(int32_t{0});
    case GF_U64:
        return f(uint64_t{0});
    case GF_I64:
        return f(int64_t{0});
    case GF_F32:
        return f(float{0});
    default:
        return f(double{0});
    }
}

/* Calls f with a zero of f32 or f64. */
template <class F> __device__ __forceinline__ void gf_dispatch_float(uint32_t dtype, F &&f)
{
    if (dtype == GF_F32)
        f(float{0});
    else
        f(double{0});
}

/* Calls f with a zero of the unsigned integer of `size` bytes, on host and device, and returns the result of f. For
 * code that moves samples without interpreting them. */
#pragma nv_exec_check_disable
template <class F> __host__ __device__ __forceinline__ auto gf_dispatch_size(size_t size, F &&f)
{
    switch (size) {
    case 1:
        return f(uint8_t{0});
    case 2:
        return f(uint16_t{0});
    case 4:
        return f(uint32_t{0});
    default:
        return f(uint64_t{0});
    }
}

/* Calls f with the number of channels of a picture as a std::integral_constant, on the host, and returns the result of
 * f. */
template <class F> auto gf_dispatch_channels(uint32_t channels, F &&f)
{
    switch (channels) {
    case 1:
        return f(std::integral_constant<int, 1>{});
    case 2:
        return f(std::integral_constant<int, 2>{});
    case 3:
        return f(std::integral_constant<int, 3>{});
    default:
        return f(std::integral_constant<int, 4>{});
    }
}

#endif
