/* SPDX-License-Identifier: MIT */
/* The ops of this backend: one row per op, which both starts the op and says whether it is supported. */
#ifndef GF_CUDA_OPS_H
#define GF_CUDA_OPS_H

#include "cuda_call.h"

struct gf_cuda_op {
    uint32_t dtypes[GF_MAX_INPUTS]; /* accepted dtypes per input, sets of GF_DT() */
    /* Puts the whole step into the execution context's main stream. Must call gf_cuda_require_rows before it reads rows
     * of an input and gf_cuda_rows_ready after it has written rows of an output. Never waits for the device. */
    enum gf_status (*start)(struct gf_cuda_call *call, struct gf_error *err);
};

extern const struct gf_cuda_op gf_cuda_ops[GF_N_OPS];

#ifdef __cplusplus
extern "C" {
#endif

/* The function that starts each op: named after the op, in a file of that name, or shared by several ops, such as
 * gf_cuda_linear_filter, gf_cuda_scan and gf_cuda_conv1d. */
#define GF_RUN(op, cpu, cuda) enum gf_status gf_cuda_##cuda(struct gf_cuda_call *call, struct gf_error *err);
#define GF_OUTLINE
#include "protocol/ops/ops.def"

#ifdef __cplusplus
}
#endif

#endif
