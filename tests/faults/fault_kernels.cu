/* SPDX-License-Identifier: MIT */
/* Kernels that fail on purpose; see fault_kernels.h. */
#include <cuda_runtime_api.h>

#include "fault_kernels.h"

/* More threads than any GPU runs at once. */
#define HANG_BLOCKS 65535u
#define HANG_THREADS 1024u

static __device__ volatile int g_never;

static __global__ void hang()
{
    while (g_never == 0)
        ;
}

static __global__ void trap()
{
    asm volatile("trap;");
}

static __global__ void wild(int *nowhere)
{
    *nowhere = 1;
}

extern "C" void gf_fault_launch(enum gf_fault fault)
{
    if (fault == GF_FAULT_HANG)
        hang<<<HANG_BLOCKS, HANG_THREADS>>>();
    else if (fault == GF_FAULT_TRAP)
        trap<<<1, 1>>>();
    else if (fault == GF_FAULT_WILD)
        wild<<<1, 1>>>(reinterpret_cast<int *>(16));
}

extern "C" enum gf_status gf_fault_compute(const struct gf_job *, struct gf_error *)
{
    return GF_OK;
}
