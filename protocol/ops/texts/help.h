/* SPDX-License-Identifier: MIT */
/* Numbers of the help texts of descriptors, which op_table.c stores and help.c turns into texts. */
#ifndef GF_PROTOCOL_HELP_H
#define GF_PROTOCOL_HELP_H

/* Each descriptor must state these facts in this order, as op_table.c checks; a missing one is an undeclared name
 * there. An index of an input or an output, or an id of a parameter, that stands twice in a descriptor is an enumerator
 * declared twice. */
/* clang-format off */
enum {
#define GF_OP(op, id, help) help_of_##op,
#define GF_RUN(op, cpu, cuda) run_of_##op,
#define GF_REACH(op, rule) reach_of_##op,
#define GF_WORK(op, kind, weight) work_of_##op,
#define GF_SCRATCH(op, rule) scratch_of_##op,
#define GF_EXAMPLE(op, text) example_of_##op,
#define GF_IN(op, index, name, kind, dtypes, help) input_##index##_of_##op,
#define GF_OUT(op, index, name, shape, dtype, help) output_##index##_of_##op,
#define GF_U32(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_F32(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_F64(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_F64V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_ENUM(op, id, name, ENUM, def, help) param_##id##_of_##op,
#define GF_TEXT(op, id, name, max, help) param_##id##_of_##op,
#include "protocol/ops/ops.def"
};
/* clang-format on */

#endif
