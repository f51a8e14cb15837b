/* SPDX-License-Identifier: MIT */
/* The instructions of expressions on rows of values, one loop per instruction. Compiled once per instruction set. */
#include "simd_expr.h"

#include "kernels/shared/expr/operators.h"

#define OPERANDS_1(type) const type a = ((const type##_any *)pa)[i];
#define OPERANDS_2(type) OPERANDS_1(type) const type b = ((const type##_any *)pb)[i];
#define OPERANDS_3(type) OPERANDS_2(type) const type c = ((const type##_any *)pc)[i];

/* The mask on n tells the compiler that no remainder loop is needed. */
#define LOOP(name, result, operands, value)                                                                            \
    static void name(void *row, const void *pa, const void *pb, const void *pc, size_t n)                              \
    {                                                                                                                  \
        result##_any *restrict to = row;                                                                               \
        (void)pa, (void)pb, (void)pc;                                                                                  \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            operands;                                                                                                  \
            const result v = (result)(value);                                                                          \
            to[i] = v;                                                                                                 \
        }                                                                                                              \
    }

#define GF_EXPR_INSN(name, type, n, result, value) LOOP(loop_##name##_##type, result, OPERANDS_##n(type), value)
#define GF_EXPR_CHOICE(type, value)                                                                                    \
    LOOP(loop_SELECT_##type, type, const I32 a = ((const I32_any *)pa)[i]; const type b = ((const type##_any *)pb)[i]; \
         const type c = ((const type##_any *)pc)[i], value)

/* The loops compute the usual value for all; this one then computes the rare values one by one. */
#define RARE_ONES(operands, value, rare)                                                                               \
    for (size_t i = 0; any && i < n; i++) {                                                                            \
        operands;                                                                                                      \
        if (rare)                                                                                                      \
            to[i] = value;                                                                                             \
    }
#define GF_EXPR_BRANCH(name, type, operands, value, rare, usual)                                                       \
    static void loop_##name##_##type(void *row, const void *pa, const void *pb, const void *pc, size_t n)              \
    {                                                                                                                  \
        type##_any *restrict to = row;                                                                                 \
        int any = 0;                                                                                                   \
        (void)pb, (void)pc;                                                                                            \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_##operands(type);                                                                                 \
            to[i] = usual;                                                                                             \
            any |= rare;                                                                                               \
        }                                                                                                              \
        RARE_ONES(OPERANDS_##operands(type), value, rare)                                                              \
    }

#define TURN_OF_F32 struct gf_expr_turn_f32
#define TURN_OF_F64 struct gf_expr_turn_f64

/* If there are rare values, all are reduced, one by one, and then computed side by side. */
#define GF_EXPR_TURNS(name, type, value, rare, usual, turn, of_turn)                                                   \
    static void loop_##name##_##type(void *row, const void *pa, const void *pb, const void *pc, size_t n)              \
    {                                                                                                                  \
        TURN_OF_##type turns[GF_EXPR_ROW_MAX];                                                                         \
        type##_any *restrict to = row;                                                                                 \
        int any = 0;                                                                                                   \
        (void)pb, (void)pc;                                                                                            \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_1(type);                                                                                          \
            to[i] = usual;                                                                                             \
            any |= rare;                                                                                               \
        }                                                                                                              \
        if (!any)                                                                                                      \
            return;                                                                                                    \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_1(type);                                                                                          \
            turns[i] = turn;                                                                                           \
        }                                                                                                              \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_1(type);                                                                                          \
            const TURN_OF_##type t = turns[i];                                                                         \
            (void)a;                                                                                                   \
            to[i] = of_turn;                                                                                           \
        }                                                                                                              \
    }

/* Two short loops instead of a long one: a processor's window holds only one or two iterations of the long loop, so it
 * would stall. */
#define GF_EXPR_STEPS(name, type, operands, value, rare, first, usual)                                                 \
    static void loop_##name##_##type(void *row, const void *pa, const void *pb, const void *pc, size_t n)              \
    {                                                                                                                  \
        _Alignas(64) double between[GF_EXPR_ROW_MAX];                                                                  \
        type##_any *restrict to = row;                                                                                 \
        int any = 0;                                                                                                   \
        (void)pb, (void)pc;                                                                                            \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_##operands(type);                                                                                 \
            between[i] = first;                                                                                        \
        }                                                                                                              \
        for (size_t i = 0; i < (n & ~(size_t)(GF_EXPR_ROW_STEP - 1)); i++) {                                           \
            OPERANDS_##operands(type);                                                                                 \
            const double t = between[i];                                                                               \
            to[i] = usual;                                                                                             \
            any |= rare;                                                                                               \
        }                                                                                                              \
        RARE_ONES(OPERANDS_##operands(type), value, rare)                                                              \
    }
#include "kernels/shared/expr/instructions.def"

static gf_simd_expr_loop *const loops[GF_EXPR_N_INSNS] = {
#define GF_EXPR_INSN(name, type, n, result, value) [GF_EXPR_I_##name##_##type] = loop_##name##_##type,
#include "kernels/shared/expr/instructions.def"
};

const struct gf_simd_expr GF_ISA_NAME(gf_simd_expr) = {
    .loops = loops,
    .load = GF_ISA_NAME(gf_simd_expr_load),
    .ramp = GF_ISA_NAME(gf_simd_expr_ramp),
    .store = GF_ISA_NAME(gf_simd_expr_store),
    .pick = GF_ISA_NAME(gf_simd_expr_pick),
    .spread = GF_ISA_NAME(gf_simd_expr_spread),
    .repeat = GF_ISA_NAME(gf_simd_expr_repeat),
    .interleave = GF_ISA_NAME(gf_simd_expr_interleave),
};
