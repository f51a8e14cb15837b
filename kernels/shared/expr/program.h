/* SPDX-License-Identifier: MIT */
/*
 * Programs: the nodes of an expression as instructions over registers, for the CPU's loops, the GPU's interpreter and
 * the source that NVRTC compiles. Made by program.c, once per step, on the host.
 */
#ifndef GF_KERNELS_EXPR_PROGRAM_H
#define GF_KERNELS_EXPR_PROGRAM_H

#include <stddef.h>

#include "protocol/expr/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_EXPR_REGISTERS 63u
#define GF_EXPR_FIRST_CONSTANT GF_EXPR_REGISTERS /* operands from here on are constants, up to 254 */
#define GF_EXPR_CONSTANTS 192u                   /* literals, and what divisions by them need */
#define GF_EXPR_ARGUMENTS 8u                     /* registers 0.. of a text on states: a0..a3, then b0..b3 */
#define GF_EXPR_INSNS 512u                       /* every node, and a conversion to the other integer type */

/* The type of a register's contents, in its low bytes. I32 is an I64 whose operands and results all fit in 32 bits by
 * their ranges: the same values in half the width. A bool is an I32 of 0 or 1. */
enum gf_expr_machine { GF_EXPR_M_I32 = 1, GF_EXPR_M_I64, GF_EXPR_M_U64, GF_EXPR_M_F32, GF_EXPR_M_F64 };

/* Instructions: first the instructions without register operands, then each operator for each type of its operands,
 * e.g. GF_EXPR_I_ADD_F32, by instructions.def. TO_BOOL, ISNAN and NOT of bools are comparisons. */
enum gf_expr_insn_op {
    /* Loads a sample of input in[0], channel in[1] (or GF_EXPR_OWN_CHANNEL), as the machine type; exact unless the
     * contract converts it. */
    GF_EXPR_I_LOAD_I32 = 1,
    GF_EXPR_I_LOAD_I64,
    GF_EXPR_I_LOAD_U64,
    GF_EXPR_I_LOAD_F32,
    GF_EXPR_I_LOAD_F64,
    /* in[0]: GF_EXPR_X, _Y, _CH or _INDEX; w and h are constants */
    GF_EXPR_I_PLACE_I32,
    GF_EXPR_I_PLACE_I64,
    GF_EXPR_I_PLACE_F32,
    GF_EXPR_I_PLACE_F64,
#define GF_EXPR_INSN(name, type, n, result, value) GF_EXPR_I_##name##_##type,
#include "instructions.def"
    GF_EXPR_N_INSNS
};

struct gf_expr_insn {
    uint16_t op;   /* enum gf_expr_insn_op */
    uint8_t dst;   /* a register that is not an operand */
    uint8_t in[3]; /* registers, or constants from GF_EXPR_FIRST_CONSTANT on */
};

union gf_expr_value {
    int32_t i32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
};

struct gf_expr_program {
    uint32_t n_insns, n_registers, n_constants, n_results;
    struct gf_expr_insn insns[GF_EXPR_INSNS];
    union gf_expr_value constants[GF_EXPR_CONSTANTS]; /* unused bytes are 0 */
    uint8_t constant_types[GF_EXPR_CONSTANTS];        /* enum gf_expr_machine */
    uint8_t results[GF_EXPR_MAX_RESULTS];             /* registers or constants */
    uint8_t types[GF_EXPR_MAX_RESULTS];               /* enum gf_expr_machine of the results */
    uint8_t inputs;                                   /* a bit for each input that is loaded */
    uint8_t arguments; /* a bit for each register that holds a value before the first instruction */
    bool pixels;       /* computed for pixels, not samples: expr.h */
};

/* The operands and the result of an instruction. */
struct gf_expr_insn_info {
    const char *name; /* "add", "load" */
    uint8_t n;        /* operands in registers */
    uint8_t first;    /* enum gf_expr_machine of operand 0; then of the others and of the result */
    uint8_t others, result;
};

/* Compiles nodes: literals are folded, dead nodes dropped, samples loaded as the type they are used as, integers
 * computed in 32 bits where ranges allow, registers reused. Values of states are in registers from the start: value v
 * of the earlier state in register v, of the later state in 4 + v; these registers may be reused, too. `width` and
 * `height` are the values of w and h. BAD_PARAM: too many registers, constants or instructions, which the limits of
 * expr.h rule out. */
enum gf_status gf_expr_compile(const struct gf_expr *expr, uint64_t width, uint64_t height,
                               struct gf_expr_program *ret_program, struct gf_error *err);

/* The same for a text of an operator, whose results have the types of gf_expr_state_machine. */
enum gf_status gf_expr_compile_state(const struct gf_expr *expr, uint64_t width, uint64_t height,
                                     struct gf_expr_program *ret_program, struct gf_error *err);
/* The enum gf_expr_machine of a state's value of enum gf_expr_type; integers are never narrowed. */
uint32_t gf_expr_state_machine(uint32_t type);

/* Describes a known instruction. Static memory. */
const struct gf_expr_insn_info *gf_expr_insn_info(uint32_t op);
/* Writes one instruction per line, "r2 = add.f32 r0 1.5", then the results; truncated to size - 1 characters. Returns
 * text. */
const char *gf_expr_program_text(const struct gf_expr_program *program, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
