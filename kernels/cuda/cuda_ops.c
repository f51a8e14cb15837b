/* SPDX-License-Identifier: MIT */
/* The table of ops on CUDA, from the op descriptors. Read by cuda_backend.c and cuda_run.c. */
#include "cuda_ops.h"

#define GF_OP(op, id, help) [GF_INDEX_##op] = {.start = gf_cuda_##op,
#define GF_IN(op, index, name, kind, set, help) GF_IN_##index(set)
#define GF_IN_0(set) .dtypes = (set),
#define GF_IN_1(set)
#define GF_OUT(op, index, name, shape, dtype, help)
#define GF_F32(op, id, name, lo, hi, def, help)
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_ENUM(op, id, name, ENUM, def, help)
#define GF_END(op)                                                                                                     \
    }                                                                                                                  \
    ,
const struct gf_cuda_op gf_cuda_ops[GF_N_OPS] = {
#include "protocol/ops.def"
};
#include "protocol/ops_undef.def"
