/* SPDX-License-Identifier: MIT */
/* The kernel that interprets expression programs. Called by expr.c. */
#ifndef GF_CUDA_EXPR_INTERPRETER_H
#define GF_CUDA_EXPR_INTERPRETER_H

#include <cuda_runtime_api.h>

#include "expr_args.h"
#include "kernels/shared/expr/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Interprets the code for all places of the rows. Asynchronous; allocates nothing; returns the launch error. */
cudaError_t gf_cuda_expr_interpret(const struct gf_cuda_expr_rows *rows, const struct gf_cuda_expr_code *code,
                                   cudaStream_t stream);
/* Raises the kernels' limits of dynamic shared memory. Must be called once per device. */
cudaError_t gf_cuda_expr_prepare(void);

/* Encodes a program for the interpreter. `ways` has, per input, the way in which a sample of the place's own channel is
 * found. */
void gf_cuda_expr_encode(const struct gf_expr_program *program, const uint8_t *ways,
                         struct gf_cuda_expr_code *ret_code);

/* X(NAME, TYPE, is_called): the instructions that have no piece because they need many registers. */
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
