/* SPDX-License-Identifier: MIT */
/* Runs instructions on the host: lower.c computes values of literals alone once. */
#include <string.h>

#include "lower.h"
#include "operators.h"

/* Maps the type names of instructions.def to members of a value. */
#define MEMBER_I32 i32
#define MEMBER_I64 i64
#define MEMBER_U64 u64
#define MEMBER_F32 f32
#define MEMBER_F64 f64
#define MEMBER_(type) MEMBER_##type
#define MEMBER(type) MEMBER_(type)
typedef int32_t I32;
typedef int64_t I64;
typedef uint64_t U64;
typedef float F32;
typedef double F64;

#define OPERANDS_1(type) const type a = in[0].MEMBER(type);
#define OPERANDS_2(type) OPERANDS_1(type) const type b = in[1].MEMBER(type);
#define OPERANDS_3(type) OPERANDS_2(type) const type c = in[2].MEMBER(type);

/* One function per instruction. */
#define GF_EXPR_INSN(name, type, n, result, value)                                                                     \
    static void fold_##name##_##type(const union gf_expr_value *in, union gf_expr_value *r)                            \
    {                                                                                                                  \
        OPERANDS_##n(type) r->MEMBER(result) = (result)(value);                                                        \
    }
#define GF_EXPR_CHOICE(type, value)                                                                                    \
    static void fold_SELECT_##type(const union gf_expr_value *in, union gf_expr_value *r)                              \
    {                                                                                                                  \
        const I32 a = in[0].i32;                                                                                       \
        const type b = in[1].MEMBER(type), c = in[2].MEMBER(type);                                                     \
        r->MEMBER(type) = value;                                                                                       \
    }
#include "instructions.def"

typedef void fold_fn(const union gf_expr_value *in, union gf_expr_value *r);

static fold_fn *const folds[GF_EXPR_N_INSNS] = {
#define GF_EXPR_INSN(name, type, n, result, value) [GF_EXPR_I_##name##_##type] = fold_##name##_##type,
#include "instructions.def"
};

union gf_expr_value gf_expr_fold(uint32_t op, const union gf_expr_value in[3])
{
    union gf_expr_value r;
    memset(&r, 0, sizeof(r));
    folds[op](in, &r);
    return r;
}
