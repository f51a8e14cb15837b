/* SPDX-License-Identifier: MIT */
/* The kernel that runs programs of expressions as they are. Called by expr.c. */
#ifndef GF_CUDA_EXPR_INTERPRETER_H
#define GF_CUDA_EXPR_INTERPRETER_H

#include <cuda_runtime_api.h>

#include "expr_args.h"
#include "kernels/shared/expr/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the code for all places of the rows. Asynchronous, allocates nothing; returns the launch error. */
cudaError_t gf_cuda_expr_interpret(const struct gf_cuda_expr_rows *rows, const struct gf_cuda_expr_code *code,
                                   cudaStream_t stream);
/* Raises the shared-memory limits; once per device. */
cudaError_t gf_cuda_expr_prepare(void);

/* A program as the kernel takes it. `ways` are those of its inputs for samples of their own channel. */
void gf_cuda_expr_encode(const struct gf_expr_program *program, const uint8_t *ways,
                         struct gf_cuda_expr_code *ret_code);

#ifdef __cplusplus
}
#endif

#endif
