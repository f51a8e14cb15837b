/* SPDX-License-Identifier: MIT */
/* Random expressions, drawn along the grammar of docs/numerics.md, "Grammar". Called by random.c. */
#ifndef GF_TESTS_EXPRESSION_H
#define GF_TESTS_EXPRESSION_H

#include "protocol/ops/op_table.h"
#include "tests/support/prng.h"

struct gf_view;

#define GF_EXPRESSION_TEXT 512 /* room for one, and for the values of its parameters */
#define GF_EXPRESSION_SET 80

/* Draws texts until the op accepts one for these inputs; the view of an omitted input is all zero. */
void gf_expression_draw(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in, char *ret_text,
                        char *ret_set);
/* The texts of an operator for reduce and scan with op=user, drawn until the op accepts them; an identity is always
 * among them. */
struct gf_operator_texts {
    char lift[GF_EXPRESSION_TEXT], combine[GF_EXPRESSION_TEXT], identity[GF_EXPRESSION_TEXT],
        finish[GF_EXPRESSION_TEXT];
};
void gf_operator_draw(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in,
                      struct gf_operator_texts *ret);
/* The number of texts drawn so far, and the number of accepted ones. */
void gf_expression_counts(uint64_t *ret_drawn, uint64_t *ret_taken);

#endif
