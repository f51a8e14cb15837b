/* SPDX-License-Identifier: MIT */
/* The table of the CPU backend's ops, made from ops.def. */
#include "kernels/cpu/device/cpu_ops.h"

/* clang-format off */
#define GF_OP(op, id, help) [GF_INDEX_##op] = {
#define GF_RUN(op, cpu, cuda) .run = gf_cpu_##cpu,
#define GF_IN(op, index, name, kind, dtypes_, help) .dtypes[index] = dtypes_,
#define GF_END(op) },
const struct gf_cpu_op_row gf_cpu_ops[GF_N_OPS] = {
#include "protocol/ops/ops.def"
};
/* clang-format on */
