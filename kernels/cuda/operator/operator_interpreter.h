/* SPDX-License-Identifier: MIT */
/* The kernels that interpret the texts of an operator. Called by operator.c. */
#ifndef GF_CUDA_OPERATOR_INTERPRETER_H
#define GF_CUDA_OPERATOR_INTERPRETER_H

#include <cuda_runtime_api.h>

#include "kernels/shared/expr/operator.h"
#include "operator_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The programs of an operator. */
enum gf_cuda_operator_text { GF_CUDA_OPERATOR_LIFT, GF_CUDA_OPERATOR_COMBINE, GF_CUDA_OPERATOR_FINISH };
#define GF_CUDA_OPERATOR_TEXTS 3

/* A program in the code: its instructions, then its constants. Operands are encoded as in gf_cuda_expr_insn. */
struct gf_cuda_operator_slice {
    uint16_t first, end, constants;
    uint8_t n_results, results[GF_EXPR_MAX_RESULTS];
};

/* An instruction is a word; from the lowest bit on: opcode (16 bits), result register (8), three operands (8 each),
 * what a load or place instruction reads (16). */
struct gf_cuda_operator_code {
    struct gf_cuda_operator_slice texts[GF_CUDA_OPERATOR_TEXTS];
    uint32_t n_words;
    uint32_t n_state;
    uint64_t words[GF_CUDA_OPERATOR_TEXTS * (GF_EXPR_INSNS + GF_EXPR_CONSTANTS)];
};

void gf_cuda_operator_encode(const struct gf_operator_programs *programs, struct gf_cuda_operator_code *ret_code);

/* Launches a kernel of reduce, or of scan. Asynchronous; allocates nothing; returns the launch error. */
typedef cudaError_t gf_cuda_operator_interpret_fn(enum gf_cuda_operator_kernel kernel,
                                                  const struct gf_cuda_operator_args *args,
                                                  const struct gf_cuda_operator_level *level,
                                                  const struct gf_cuda_operator_code *code, unsigned blocks,
                                                  cudaStream_t stream);
gf_cuda_operator_interpret_fn gf_cuda_operator_interpret_reduce, gf_cuda_operator_interpret_scan;

#ifdef __cplusplus
}
#endif

#endif
