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

/* X(NAME, TYPE, is_called): what is no piece of code, since it takes many registers. */
#define GF_CUDA_EXPR_LONG_FLOATS(X, type)                                                                              \
    X(DIV, type, false)                                                                                                \
    X(SQRT, type, false)                                                                                               \
    X(EXP, type, true)                                                                                                 \
    X(LOG, type, true)                                                                                                 \
    X(SIN, type, true)                                                                                                 \
    X(COS, type, true)                                                                                                 \
    X(POW, type, true)                                                                                                 \
    X(ATAN2, type, true)                                                                                               \
    X(MOD, type, true)                                                                                                 \
    X(FLOORDIV, type, true)
#define GF_CUDA_EXPR_LONG(X)                                                                                           \
    GF_CUDA_EXPR_LONG_FLOATS(X, F32)                                                                                   \
    GF_CUDA_EXPR_LONG_FLOATS(X, F64)                                                                                   \
    X(FLOORDIV, I32, true)                                                                                             \
    X(MOD, I32, true)                                                                                                  \
    X(FLOORDIV, I64, true)                                                                                             \
    X(MOD, I64, true)                                                                                                  \
    X(FLOORDIV, U64, true)                                                                                             \
    X(MOD, U64, true)

#ifdef __cplusplus
}
#endif

#endif
