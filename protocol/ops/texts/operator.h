/* SPDX-License-Identifier: MIT */
/*
 * User-defined operators for reduce and scan: the texts of a step with op=user as typed nodes, docs/numerics.md,
 * "Operators of users". Called by the checks of these ops, by the kernels and the reference, so that all of them use
 * the same nodes.
 */
#ifndef GF_PROTOCOL_OPERATOR_H
#define GF_PROTOCOL_OPERATOR_H

#include "protocol/base/view.h"
#include "protocol/expr/expr.h"
#include "protocol/ops/op_table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_operator {
    struct gf_expr lift;              /* maps an element to a state */
    struct gf_expr combine;           /* combines state a and the later state b; has the types of lift */
    struct gf_expr identity;          /* a state of literals; n_results is 0 if none is given */
    struct gf_expr finish;            /* maps a state to values of the result, all of one type */
    uint32_t n_state;                 /* values of a state */
    uint8_t types[GF_EXPR_MAX_STATE]; /* enum gf_expr_type of each */
    bool pixels;                      /* sequences consist of pixels, and the values of finish are channels; otherwise
                                       * each channel has its own sequences */
    uint32_t dtype, channels;         /* of the result */
};

/* Whether a step of reduce or scan has op=user. */
bool gf_operator_is_used(const struct gf_op *op, const union gf_params *params);

/* Characters of its texts, an estimate of the work per element. */
uint32_t gf_operator_characters(const struct gf_op *op, const union gf_params *params);

/* The operator of a step of reduce or scan with op=user; `in` has the views of its inputs. BAD_PARAM names the text and
 * the column; *ret is then undefined. */
enum gf_status gf_operator_of_step(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_operator *ret, struct gf_error *err);

/* Refuses texts of a step without op=user, and conflicting parameters of a step with op=user. BAD_PARAM. */
enum gf_status gf_operator_check(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
