/* SPDX-License-Identifier: MIT */
/*
 * Checks root_by_step of gradient.cuh on this device, and computes magnitudes where it is wrong. Its result depends on
 * how the device approximates reciprocal roots: PTX bounds the error, not the bits. The unit treats values that differ
 * by a power of four alike, so one value of each mantissa in either parity of the exponent is enough. A file of its
 * own, so that the kernels of stencil.cu are compiled as without it.
 */
#include "stencil.cuh"

namespace
{

using namespace gf;

constexpr uint32_t one = 0x3F800000u, four = 0x40800000u; /* as bits */

__global__ void __launch_bounds__(threads) check_kernel(uint32_t *found)
{
    for (uint32_t i = one + blockIdx.x * threads + threadIdx.x; i < four; i += gridDim.x * threads) {
        const float v = __uint_as_float(i);
        if (root_by_step(v) != __fsqrt_rn(v))
            *found = i;
    }
}

struct whole_roots {
    struct gf_cuda_gradient gradient;
};

/* Replaces take_roots of gradients. stencil_kernel finds it by the type of the mask. */
template <int C>
__device__ __forceinline__ void add_rows(float (&acc)[rows_per_thread][quad], const float *base,
                                         const struct whole_roots &mask)
{
    add_squares<C, false>(acc, base, mask.gradient);
    for_each_value(acc, [](float v) { return __fsqrt_rn(v); });
}

} // namespace

extern "C" cudaError_t gf_cuda_check_roots(bool *ret_inexact)
{
    uint32_t *found = nullptr, wrong = 0;
    cudaError_t error = cudaMalloc(&found, sizeof(*found));
    if (error != cudaSuccess)
        return error;
    error = cudaMemsetAsync(found, 0, sizeof(*found), cudaStreamLegacy);
    if (error == cudaSuccess) {
        check_kernel<<<gf_cuda_grid(16 * gf_cuda_units()), threads, 0, cudaStreamLegacy>>>(found);
        error = cudaPeekAtLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpy(&wrong, found, sizeof(wrong), cudaMemcpyDeviceToHost);
    const cudaError_t freed = cudaFree(found);
    *ret_inexact = wrong != 0;
    return error == cudaSuccess ? freed : error;
}

extern "C" cudaError_t gf_cuda_whole_roots_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                                  cudaStream_t stream)
{
    return launch_stencil_of(pass, whole_roots{pass->stencil.gradient}, rows, stream);
}
