/* SPDX-License-Identifier: MIT */
/* Kernels made at run time on the device: loading and launching them. Called by cuda_backend.c and by
 * kernels/cuda/point/expr.c and kernels/cuda/operator/operator.c. */
#ifndef GF_CUDA_JIT_H
#define GF_CUDA_JIT_H

#include <cuda_runtime_api.h>

#include "jit.h"

struct gf_exec;

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of the device, which is open. `folder` and `all` as in gf_jit_options. *ret_jit is NULL where this
 * build's CUDA cannot load any (before 12.8). NO_MEMORY. */
enum gf_status gf_cuda_jit_new(const char *folder, bool all, struct gf_jit **ret_jit, struct gf_error *err);

/* The kernel for a step of the job that the exec context runs, which has it until gf_cuda_jit_give_back; false where
 * there is none yet. `bytes` as in gf_jit_find. */
bool gf_cuda_jit_take(struct gf_exec *exec, const struct gf_jit_spec *spec, uint64_t bytes, struct gf_jit_use *ret_use);
/* After the exec context has waited for its streams: nothing that it launched runs any more. */
void gf_cuda_jit_give_back(struct gf_exec *exec);

/* What a kernel runs on: places in rows; `rows` is a gf_cuda_expr_rows. */
struct gf_cuda_jit_launch {
    const void *rows;
    uint64_t n_rows, places;
    const union gf_expr_value *constants; /* those of the program */
};

/* Runs a kernel that gf_cuda_jit_take gave. Asynchronous; returns the launch error. */
cudaError_t gf_cuda_jit_run(const struct gf_jit_use *use, const struct gf_cuda_jit_launch *launch, cudaStream_t stream);

/* A launch of an operator's kernel. */
struct gf_cuda_jit_grid {
    unsigned blocks, threads;
    size_t shared; /* bytes of a block besides what the kernel declares */
};

/* Likewise runs a kernel of an operator, by its number. */
cudaError_t gf_cuda_jit_run_operator(const struct gf_jit_use *use, uint32_t kernel, void **arguments,
                                     struct gf_cuda_jit_grid grid, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
