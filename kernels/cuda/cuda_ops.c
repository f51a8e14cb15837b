/* SPDX-License-Identifier: MIT */
/* The table of ops on CUDA, from the op descriptors. Read by cuda_backend.c and cuda_run.c. */
#include "kernels/cuda/step/cuda_ops.h"

/* clang-format off */
#define GF_OP(op, id, help) [GF_INDEX_##op] = {
#define GF_RUN(op, cpu, cuda) .start = gf_cuda_##cuda,
#define GF_IN(op, index, name, kind, set, help) .dtypes[index] = (set),
#define GF_END(op) },
const struct gf_cuda_op gf_cuda_ops[GF_N_OPS] = {
#include "protocol/ops/ops.def"
};
/* clang-format on */
