/* SPDX-License-Identifier: MIT */
/* Failures that do not matter; see cuda_optional.h. */
#include "cuda_optional.h"

#include <stddef.h>

/* Never recorded, so it is complete unless the context is lost. Kept until the process ends, which has one device. */
static cudaEvent_t g_idle;

cudaError_t gf_cuda_optional_init(void)
{
    return g_idle ? cudaSuccess : cudaEventCreateWithFlags(&g_idle, cudaEventDisableTiming);
}

bool gf_cuda_optional(cudaError_t error)
{
    if (error == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    if (g_idle)
        (void)cudaEventQuery(g_idle); /* if it fails, it leaves the error of the lost device to the next launch */
    return false;
}
