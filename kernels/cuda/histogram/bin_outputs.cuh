/* SPDX-License-Identifier: MIT */
/* The outputs of a histogram, for device code. Included by histogram.cu and count_bytes.cuh. */
#ifndef GF_CUDA_BIN_OUTPUTS_CUH
#define GF_CUDA_BIN_OUTPUTS_CUH

#include "kernels/cuda/step/samples.h"

namespace gf
{

/* An output on the device, with its row pitch in bytes. */
struct Table {
    char *data;
    size_t pitch;

    template <class T> __device__ __forceinline__ T *row(uint32_t y) const
    {
        return reinterpret_cast<T *>(data + y * pitch);
    }
};

/* The bins of a histogram and its outputs. */
struct BinOutputs {
    struct gf_cuda_bins bins;
    uint32_t n, planes;
    uint64_t pixels;
    bool density, cumulative;
    Table out, outside, edges;
};

__device__ __forceinline__ double share_of(unsigned long long count, double total, double width)
{
    const double share = __ddiv_rn(static_cast<double>(count), __dmul_rn(total, width));
    return share != share ? __longlong_as_double(0x7FF8000000000000ll) : share;
}

/* The number of samples of a plane that are inside the bins. */
__device__ __forceinline__ double total_of(const unsigned long long *counts, uint32_t n, uint64_t pixels)
{
    return static_cast<double>(pixels - counts[n] - counts[n + 1] - counts[n + 2]);
}

} // namespace gf

#endif
