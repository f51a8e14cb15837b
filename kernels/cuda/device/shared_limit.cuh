/* SPDX-License-Identifier: MIT */
/* The limit of a kernel's dynamic shared memory, 48 KiB unless it is raised. Included by the files of kernels that take
 * more. */
#ifndef GF_CUDA_SHARED_LIMIT_CUH
#define GF_CUDA_SHARED_LIMIT_CUH

#include "cuda_launch.h"

namespace gf
{

/* Raises the limit of each kernel to `bytes`, until the first error. */
template <class... Kernel> cudaError_t raise_shared_limit(size_t bytes, Kernel *...kernels)
{
    cudaError_t error = cudaSuccess;
    for (const void *kernel : {reinterpret_cast<const void *>(kernels)...})
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    return error;
}

} // namespace gf

#endif
