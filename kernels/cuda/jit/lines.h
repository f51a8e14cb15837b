/* SPDX-License-Identifier: MIT */
/* The lines of kernel sources: growing text, names of types, instructions. Called by source.c and operator_source.c. */
#ifndef GF_JIT_LINES_H
#define GF_JIT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/expr/program.h"
#include "protocol/base/base.h"

/* Text that grows up to a limit. `full` is set once something did not fit. */
struct gf_jit_text {
    char *at;
    size_t left;
    bool full;
};

void gf_printf(2, 3) gf_jit_add(struct gf_jit_text *t, const char *format, ...);

/* The C++ types of machine types, and of dtypes, by number. The type of f16 is not a number type. */
extern const char *const gf_jit_machine_types[];
extern const char *const gf_jit_sample_types[];
/* The beginning of every source. */
extern const char gf_jit_prelude[];

/* The value v<number> and the opcode that made it; 0 for a value of a state. */
struct gf_jit_value {
    uint16_t number, op;
};

/* The meaning of names at a line: the value in each register, and where the program's constants begin. */
struct gf_jit_names {
    struct gf_jit_value *values; /* GF_EXPR_REGISTERS of them */
    const char *constants;
    uint32_t first_constant;
};

/* An operand as text: a value of an earlier line, or a constant. */
struct gf_jit_operand {
    char text[64];
};
struct gf_jit_operand gf_jit_operand_of(const struct gf_jit_names *names, uint32_t reg, uint32_t type);

/* Adds functions far_<number> for instructions of the program that take much code, so that there is one copy of each;
 * inlined, they would slow the compiler down too much. A function of a single operand gets it twice. Skips, and
 * updates, `added`. */
void gf_jit_add_far(struct gf_jit_text *t, const struct gf_expr_program *program, bool added[GF_EXPR_N_INSNS]);

/* Adds the line of an instruction that computes value v<value>. `far`: the line calls far_<its number>. */
void gf_jit_add_value(struct gf_jit_text *t, const struct gf_expr_insn *insn, const struct gf_jit_names *names,
                      uint32_t value, bool far);

#endif
