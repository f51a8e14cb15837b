/* SPDX-License-Identifier: MIT */
/* The backends of this build. An absent backend is a file that reports its absence (cuda/cuda_absent.c), never a null
 * pointer. */
#ifndef GF_KERNELS_REGISTRY_H
#define GF_KERNELS_REGISTRY_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In cpu/cpu_backend.c, and in cuda/cuda_backend.c or cuda/cuda_absent.c. */
extern const struct gf_backend gf_cpu_backend;
extern const struct gf_backend gf_cuda_backend;

/* main() must call it first. If the program was started to compile a kernel for another of its processes, compiles it
 * and returns the exit code; otherwise returns -1. `confine`, unless NULL, gives up rights before the source is read,
 * and leaves those of a process that computes; if it fails, nothing is compiled. */
static inline int gf_cuda_compiler(int argc, char **argv, enum gf_status (*confine)(struct gf_error *err))
{
    return gf_cuda_backend.compiler ? gf_cuda_backend.compiler(argc, argv, confine) : -1;
}

/* Returns the backend of a device name: "cpu", "cuda:N" or a UUID ("GPU-..."); NULL for any other name. */
const struct gf_backend *gf_backend_for_device(const char *device);

#ifdef __cplusplus
}
#endif

#endif
