/* SPDX-License-Identifier: MIT */
/* Keeps the nodes of a program's texts; see parsed.h. */
#include "parsed.h"

#include <stdlib.h>

#include "expression.h"
#include "operator.h"

static void keep(struct gf_parsed *parsed, struct gf_step *step, const char *name, const struct gf_expr *expr)
{
    unsigned char *at = step->params.bytes + gf_op_param(step->op, name)->offset;
    struct gf_text text;
    memcpy(&text, at, sizeof text);
    struct gf_expr *nodes = text.size > 0 ? malloc(gf_expr_size(expr)) : NULL;
    if (nodes == NULL)
        return;
    gf_expr_copy(nodes, expr);
    parsed->blocks[parsed->n++] = nodes;
    text.nodes = nodes;
    memcpy(at, &text, sizeof text);
}

static void keep_expression(struct gf_parsed *parsed, struct gf_step *step, const struct gf_view *in)
{
    struct gf_expr expr;
    if (gf_expr_of_step(in, &step->params, &expr, NULL) == GF_OK)
        keep(parsed, step, "expression", &expr);
}

static void keep_operator(struct gf_parsed *parsed, struct gf_step *step, const struct gf_view *in)
{
    struct gf_operator user;
    if (gf_operator_of_step(step->op, in, &step->params, &user, NULL) != GF_OK)
        return;
    keep(parsed, step, "lift", &user.lift);
    keep(parsed, step, "combine", &user.combine);
    keep(parsed, step, "identity", &user.identity);
    keep(parsed, step, "finish", &user.finish);
}

void gf_parsed_keep(struct gf_parsed *parsed, struct gf_step *step, const struct gf_view *in)
{
    if (step->op->index == GF_INDEX_expr)
        keep_expression(parsed, step, in);
    else if (gf_operator_is_used(step->op, &step->params))
        keep_operator(parsed, step, in);
}

void gf_parsed_deinit(struct gf_parsed *parsed)
{
    while (parsed->n > 0)
        free(parsed->blocks[--parsed->n]);
}
