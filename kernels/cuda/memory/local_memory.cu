/* SPDX-License-Identifier: MIT */
/* See local_memory.h. Called by cuda_backend.c when it opens the device. */
#include "local_memory.h"

#include <stdint.h>

namespace
{

constexpr uint32_t words = GF_CUDA_LOCAL_BYTES / sizeof(uint32_t);

/* Uses GF_CUDA_LOCAL_BYTES per thread: an array whose places are known only at run time is not in registers. */
__global__ void local_kernel(uint32_t n, uint32_t *to)
{
    uint32_t local[words];
#pragma unroll 1
    for (uint32_t i = 0; i < words; i++)
        local[i * n % words] = i;
    if (local[n % words] == n)
        *to = n;
}

} // namespace

/* With these arguments the kernel stores nothing: all numbers go to place 0, and the last is not 0. */
extern "C" cudaError_t gf_cuda_reserve_local_memory(void)
{
    local_kernel<<<1, 1, 0, cudaStreamLegacy>>>(0, nullptr);
    return cudaPeekAtLastError();
}
