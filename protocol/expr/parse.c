/* SPDX-License-Identifier: MIT */
/* gf_expr_parse: so far the text `a` alone. Called as expr.h says. */
#include <string.h>

#include "expr.h"
#include "protocol/base/dtype.h"

/* The type that samples of a dtype are read as. */
static uint8_t type_of(uint32_t dtype)
{
    if (dtype == GF_F64)
        return GF_EXPR_F64;
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return GF_EXPR_F32;
    return dtype == GF_U64 ? GF_EXPR_U64 : GF_EXPR_I64;
}

enum gf_status gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                             struct gf_expr *ret_expr, struct gf_error *err)
{
    if (size != 1 || text[0] != 'a')
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: column 1: only a is understood so far", scope->what);
    memset(ret_expr, 0, sizeof *ret_expr);
    ret_expr->nodes[0] = (struct gf_expr_node){
        .op = GF_EXPR_SAMPLE, .type = type_of(scope->dtypes[0]), .channel = GF_EXPR_OWN_CHANNEL, .column = 1};
    ret_expr->n_nodes = ret_expr->n_results = 1;
    ret_expr->uses = 1u << GF_EXPR_SAMPLE;
    ret_expr->inputs = 1;
    return GF_OK;
}
