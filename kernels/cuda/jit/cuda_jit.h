/* SPDX-License-Identifier: MIT */
/* Kernels compiled at run time, on the device: loads and launches them. Called by cuda_backend.c,
 * kernels/cuda/point/expr.c and kernels/cuda/operator/operator.c. */
#ifndef GF_CUDA_JIT_H
#define GF_CUDA_JIT_H

#include <cuda_runtime_api.h>

#include "jit.h"

struct gf_exec;

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of the open device. `folder` and `all` are as in gf_jit_options. *ret_jit is NULL if this build's CUDA
 * cannot load kernels (before 12.8). NO_MEMORY. */
enum gf_status gf_cuda_jit_new(const char *folder, bool all, struct gf_jit **ret_jit, struct gf_error *err);

/* Finds the kernel for a step of the job that the exec context runs. The context keeps the kernel until
 * gf_cuda_jit_release. Returns false if there is no kernel yet. `user` and `bytes` as in gf_jit_find. */
bool gf_cuda_jit_take(struct gf_exec *exec, const struct gf_jit_spec *spec, uint64_t user, uint64_t bytes,
                      struct gf_jit_use *ret_use);
/* Must be called after the exec context has waited for its streams, so that none of its launches runs any more. */
void gf_cuda_jit_release(struct gf_exec *exec);

/* The work of a launch: places in rows. `rows` points to a gf_cuda_expr_rows. */
struct gf_cuda_jit_launch {
    const void *rows;
    uint64_t n_rows, places;
    const union gf_expr_value *constants; /* of the program */
};

/* Launches a kernel that gf_cuda_jit_take returned. Asynchronous; returns the launch error. */
cudaError_t gf_cuda_jit_run(const struct gf_jit_use *use, const struct gf_cuda_jit_launch *launch, cudaStream_t stream);

/* The shape of a launch of an operator's kernel. */
struct gf_cuda_jit_grid {
    unsigned blocks, threads;
    size_t shared; /* bytes of dynamic shared memory per block */
};

/* Launches an operator's kernel by its number. Asynchronous; returns the launch error. */
cudaError_t gf_cuda_jit_run_operator(const struct gf_jit_use *use, uint32_t kernel, void **arguments,
                                     struct gf_cuda_jit_grid grid, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
