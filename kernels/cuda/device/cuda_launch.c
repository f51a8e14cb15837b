/* SPDX-License-Identifier: MIT */
/* The limits of cuda_launch.h. */
#include "cuda_launch.h"

/* More blocks than any device runs at once. */
#define MAX_BLOCKS (1u << 20)

static struct {
    uint32_t blocks, units;
    size_t shared_memory_max;
} limits;

cudaError_t gf_cuda_launch_init(uint32_t blocks)
{
    int units = 0, shared_memory_max = 0;
    cudaError_t error = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_memory_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (error != cudaSuccess)
        return error;
    limits.blocks = blocks == 0 ? MAX_BLOCKS : blocks;
    limits.units = (uint32_t)units;
    limits.shared_memory_max = (size_t)shared_memory_max;
    return cudaSuccess;
}

unsigned gf_cuda_grid(uint64_t wanted)
{
    return wanted < limits.blocks ? (unsigned)wanted : limits.blocks;
}

uint32_t gf_cuda_sequences_per_warp(uint64_t sequences)
{
    const uint64_t enough_warps = 8; /* per multiprocessor */
    uint32_t n = 32;
    while (n > 1 && sequences < n * enough_warps * limits.units)
        n /= 2;
    return n;
}

uint32_t gf_cuda_units(void)
{
    return limits.units;
}

size_t gf_cuda_shared_memory_max(void)
{
    return limits.shared_memory_max;
}
