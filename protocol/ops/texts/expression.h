/* SPDX-License-Identifier: MIT */
/*
 * What a step with an expression computes: its text, typed by its inputs. docs/numerics.md 26. Called by the checks of
 * op expr, by reach.c, by the kernels and the reference, all of which so see the same nodes.
 */
#ifndef GF_PROTOCOL_EXPRESSION_H
#define GF_PROTOCOL_EXPRESSION_H

#include "protocol/base/view.h"
#include "protocol/expr/expr.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_EXPR_MAX_WHAT 48u

struct gf_expr_builder;

/* The nodes of a step's text; `in` has a view for each input of the op, all zero for one that is left out. BAD_PARAM
 * names the column, and *ret_expr may hold anything. Alpha is computed as other channels are: what is copied goes over
 * it. */
enum gf_status gf_expr_of_step(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_expr *ret_expr, struct gf_error *err);
/* Likewise, and where alpha is copied the nodes choose it where the channel is the last: for those who store all
 * channels alike. In expression_alpha.c. */
enum gf_status gf_expr_with_alpha(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_expr *ret_expr, struct gf_error *err);
/* Of a step of a program, the nodes that it has (program.h), else those of its text: as gf_expr_of_step, or
 * gf_expr_with_alpha for `alpha`. */
enum gf_status gf_step_expr(const struct gf_step *step, const struct gf_view *in, bool alpha, struct gf_expr *ret_expr,
                            struct gf_error *err);

/* Alpha as nodes, for those who add to an expression by build.h. The alpha `*alpha` of a picture of type `from` in
 * units of type `to`, before it is stored: its share of the maximum where both have one, else its value. */
enum gf_status gf_expr_alpha_share(struct gf_expr_builder *builder, uint32_t from, uint32_t to, uint16_t *alpha);
/* Makes *value alpha where the channel is `last`; both are of one type. */
enum gf_status gf_expr_alpha_choose(struct gf_expr_builder *builder, uint32_t last, uint16_t alpha, uint16_t *value);

/* What names mean in a step; `what` has room for the name that sentences give the text, and stays. */
struct gf_expr_scope gf_expr_scope_of(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                      char what[GF_EXPR_MAX_WHAT]);

/* Whether a side of a is so long that places along it are no f32. */
bool gf_expr_is_large(const struct gf_view *in);

/* Channels of the input that has most: those of a result that is computed for samples. */
uint32_t gf_expr_channels(const struct gf_view *in);
/* The first such input, from which alpha is copied. */
uint32_t gf_expr_alpha_input(const struct gf_view *in);

#ifdef __cplusplus
}
#endif
#endif
