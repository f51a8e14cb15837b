/* SPDX-License-Identifier: MIT */
/*
 * Functions that compute the output views that no rule of the descriptor covers: one gf_outputs_<op> for every op with
 * outputs of shape CHANNELS, OWN, COUNTED or TABLE. Each family of ops has a file outputs/<family>.c. Called by
 * gf_op_infer.
 */
#ifndef GF_PROTOCOL_OP_OUTPUTS_H
#define GF_PROTOCOL_OP_OUTPUTS_H

#include "op_table.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stores a view without padding for every output. Inputs and parameters have passed the checks of gf_op_infer,
 * including gf_op_check. Same errors as gf_op_infer. */
typedef enum gf_status gf_outputs_fn(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_view *ret_out, struct gf_error *err);

/* clang-format off */
#define GF_OUTPUTS_CHANNELS(op) gf_outputs_fn gf_outputs_##op;
#define GF_OUTPUTS_OWN(op) gf_outputs_fn gf_outputs_##op;
#define GF_OUTPUTS_TABLE(op) gf_outputs_fn gf_outputs_##op;
#define GF_OUTPUTS_COUNTED(op) gf_outputs_fn gf_outputs_##op;
#define GF_OUTPUTS_SAME_SHAPE(op)
#define GF_OUTPUTS_FILTER(op)
#define GF_OUTPUTS_BRIGHTNESS(op)
#define GF_OUT(op, index, name, shape, dtype, help) GF_OUTPUTS_##shape(op)
#define GF_OUTLINE
#include "ops.def"
#undef GF_OUTPUTS_CHANNELS
#undef GF_OUTPUTS_OWN
#undef GF_OUTPUTS_TABLE
#undef GF_OUTPUTS_COUNTED
#undef GF_OUTPUTS_SAME_SHAPE
#undef GF_OUTPUTS_FILTER
#undef GF_OUTPUTS_BRIGHTNESS
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
