/* SPDX-License-Identifier: MIT */
/* Lines of sources of kernels: text that grows, names of types, instructions. Called by source.c and
 * operator_source.c. */
#ifndef GF_JIT_LINES_H
#define GF_JIT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/expr/program.h"
#include "protocol/base/base.h"

/* Text that grows to a limit; `full` once something did not fit. */
struct gf_jit_text {
    char *at;
    size_t left;
    bool full;
};

void gf_printf(2, 3) gf_jit_add(struct gf_jit_text *t, const char *format, ...);

/* C++ types of machine types, and of dtypes, by number; an f16 is no number there. */
extern const char *const gf_jit_machine_types[];
extern const char *const gf_jit_sample_types[];
/* What sources begin with. */
extern const char gf_jit_prelude[];

/* A value v<number>, and the instruction that gave it; of a state 0. */
struct gf_jit_value {
    uint16_t number, op;
};

/* What names mean where a line stands: the value in each register, and where the program's constants are. */
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

/* Functions far_<number> of the program's instructions that take much code, one copy of each: else it would take the
 * compiler too long. One of a single operand gets that twice. Those in `added` are there. */
void gf_jit_add_far(struct gf_jit_text *t, const struct gf_expr_program *program, bool added[GF_EXPR_N_INSNS]);

/* The line of an instruction that computes, whose value is v<value>; `far` calls the function far_<its number>. */
void gf_jit_add_value(struct gf_jit_text *t, const struct gf_expr_insn *insn, const struct gf_jit_names *names,
                      uint32_t value, bool far);

#endif
