/* SPDX-License-Identifier: MIT */
/* The words of types, and the dtypes that store them. */
#include "expr.h"

#include "protocol/base/dtype.h"

static const struct {
    const char *word;
    uint32_t dtype;
} types[] = {
    [0] = {"?", 0},
    [GF_EXPR_BOOL] = {"bool", GF_U8},
    [GF_EXPR_I64] = {"i64", GF_I64},
    [GF_EXPR_U64] = {"u64", GF_U64},
    [GF_EXPR_F32] = {"f32", GF_F32},
    [GF_EXPR_F64] = {"f64", GF_F64},
};

const char *gf_expr_type_word(uint32_t type)
{
    return types[type <= GF_EXPR_F64 ? type : 0].word;
}

uint32_t gf_expr_type_dtype(uint32_t type)
{
    return types[type <= GF_EXPR_F64 ? type : 0].dtype;
}
