/* SPDX-License-Identifier: MIT */
/* The backends this build has. An absent one is a file that says so (cuda/cuda_absent.c), never a hole. */
#ifndef GF_KERNELS_REGISTRY_H
#define GF_KERNELS_REGISTRY_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cpu/cpu_backend.c; cuda/cuda_backend.c or cuda/cuda_absent.c. */
extern const struct gf_backend gf_cpu_backend;
extern const struct gf_backend gf_cuda_backend;

/* Where the program was started to compile a kernel for another process of it, which main() asks first of all: does so
 * and returns the exit code; else -1. */
static inline int gf_cuda_compiler(int argc, char **argv)
{
    return gf_cuda_backend.compiler ? gf_cuda_backend.compiler(argc, argv) : -1;
}

/* The backend for a device name: "cpu", or "cuda:N" and a UUID ("GPU-..."); NULL for any other name. */
const struct gf_backend *gf_backend_for_device(const char *device);

#ifdef __cplusplus
}
#endif

#endif
