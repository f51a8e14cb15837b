/* SPDX-License-Identifier: MIT */
/* The ops of this backend: one row per op, which both launches it and answers whether it is supported. */
#ifndef GF_CUDA_OPS_H
#define GF_CUDA_OPS_H

#include "cuda_call.h"

struct gf_cuda_op {
    uint32_t dtypes[GF_MAX_INPUTS]; /* sets of GF_DT() it takes, per input */
    /* Puts the whole step into the exec context's main stream: gf_cuda_need before input rows are read, gf_cuda_made
     * after output rows are written. Never waits for the device. */
    enum gf_status (*start)(struct gf_cuda_call *call, struct gf_error *err);
};

extern const struct gf_cuda_op gf_cuda_ops[GF_N_OPS];

#ifdef __cplusplus
extern "C" {
#endif

/* What starts each op: a function of its own name, in a file of that name, or one that several ops share, such as
 * gf_cuda_linear_filter, gf_cuda_scan and gf_cuda_conv1d. */
#define GF_RUN(op, cpu, cuda) enum gf_status gf_cuda_##cuda(struct gf_cuda_call *call, struct gf_error *err);
#define GF_OUTLINE
#include "protocol/ops/ops.def"

#ifdef __cplusplus
}
#endif

#endif
