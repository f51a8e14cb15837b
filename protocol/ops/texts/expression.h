/* SPDX-License-Identifier: MIT */
/*
 * The computation of a step with an expression: its text, typed by its inputs, docs/numerics.md, "Expressions". Called
 * by the checks of op expr, by reach.c, by the kernels and the reference, so that all of them use the same nodes.
 */
#ifndef GF_PROTOCOL_EXPRESSION_H
#define GF_PROTOCOL_EXPRESSION_H

#include "protocol/base/view.h"
#include "protocol/expr/expr.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_expr_builder;

/* Parses a step's text into nodes, or copies those that are kept; `in` has a view for each input of the op, all zero
 * for an omitted one. BAD_PARAM names the column; *ret_expr is then undefined. Alpha is computed like the other
 * channels; a caller that copies alpha overwrites it. */
enum gf_status gf_expr_of_step(const struct gf_view *in, const union gf_params *params, struct gf_expr *ret_expr,
                               struct gf_error *err);
/* The same, but if alpha is copied, the nodes select it in the last channel, for callers that store all channels alike.
 * In expression_alpha.c. */
enum gf_status gf_expr_with_alpha(const struct gf_view *in, const union gf_params *params, struct gf_expr *ret_expr,
                                  struct gf_error *err);
/* The nodes of a program's step: the step's own (program.h), otherwise the nodes of its text, as gf_expr_of_step, or as
 * gf_expr_with_alpha if `alpha`. */
enum gf_status gf_step_expr(const struct gf_step *step, const struct gf_view *in, bool alpha, struct gf_expr *ret_expr,
                            struct gf_error *err);

/* Adds nodes for copied alpha, for callers that extend an expression with build.h. Converts alpha `*alpha` of a picture
 * of type `from` to the scale of type `to` before the store: its share of the maximum if both types have one, otherwise
 * its value. */
enum gf_status gf_expr_alpha_share(struct gf_expr_builder *builder, uint32_t from, uint32_t to, uint16_t *alpha);
/* Makes *value select alpha in channel `last`; both must have the same type. */
enum gf_status gf_expr_alpha_choose(struct gf_expr_builder *builder, uint32_t last, uint16_t alpha, uint16_t *value);

/* The meaning of names in a step. */
struct gf_expr_scope gf_expr_scope_of(const struct gf_view *in, const union gf_params *params);

/* Whether a side of a is so long that coordinates along it are not exact in f32. */
bool gf_expr_is_large(const struct gf_view *in);

/* The largest number of channels of an input, which a result computed per sample has. */
uint32_t gf_expr_channels(const struct gf_view *in);
/* The first input with that number of channels, from which alpha is copied. */
uint32_t gf_expr_alpha_input(const struct gf_view *in);

#ifdef __cplusplus
}
#endif
#endif
