/* SPDX-License-Identifier: MIT */
/* The lines of kernel sources; see lines.h. */
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>

#include "insns.h"
#include "protocol/base/dtype.h"

/* The typedefs complete <stdint.h>, which does not exist at run time, and must stand between the headers. */
const char gf_jit_prelude[] = "#include \"kernels/shared/expr/operators.h\"\n"
                              "typedef signed char int8_t;\n"
                              "typedef unsigned char uint8_t;\n"
                              "typedef short int16_t;\n"
                              "typedef unsigned short uint16_t;\n"
                              "#include \"kernels/cuda/point/expr_rows.cuh\"\n"
                              "#include \"kernels/cuda/jit/jit_rows.cuh\"\n";

void gf_jit_add(struct gf_jit_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->left) {
        t->full = true;
        return;
    }
    t->at += n;
    t->left -= (size_t)n;
}

const char *const gf_jit_machine_types[] = {
    [GF_EXPR_M_I32] = "int32_t", [GF_EXPR_M_I64] = "int64_t", [GF_EXPR_M_U64] = "uint64_t",
    [GF_EXPR_M_F32] = "float",   [GF_EXPR_M_F64] = "double",
};

const char *const gf_jit_sample_types[] = {
#define GF_DTYPE(name, number, word, type, bytes, kind) [GF_##name] = GF_##name == GF_F16 ? "half_bits" : #type,
#include "protocol/base/dtype.def"
#undef GF_DTYPE
};

struct gf_jit_operand gf_jit_operand_of(const struct gf_jit_names *names, uint32_t reg, uint32_t type)
{
    struct gf_jit_operand o;
    if (reg >= GF_EXPR_FIRST_CONSTANT)
        (void)snprintf(o.text, sizeof(o.text), "gf::jit::constant<%s>::of(%s[%u])", gf_jit_machine_types[type],
                       names->constants, names->first_constant + reg - GF_EXPR_FIRST_CONSTANT);
    else
        (void)snprintf(o.text, sizeof(o.text), "v%u", names->values[reg].number);
    return o;
}

void gf_jit_add_far(struct gf_jit_text *t, const struct gf_expr_program *program, bool added[GF_EXPR_N_INSNS])
{
    for (uint32_t i = 0; i < program->n_insns; i++) {
        uint32_t op = program->insns[i].op;
        const struct gf_jit_insn *info = &gf_jit_insns[op];
        if (added[op] || gf_expr_insn_code(op) < GF_EXPR_LARGE_CODE)
            continue;
        added[op] = true;
        const char *type = gf_jit_machine_types[info->type];
        gf_jit_add(t, "__device__ __noinline__ %s far_%u(%s a, %s b)\n{\n    return %s;\n}\n\n",
                   gf_jit_machine_types[info->result], op, type, type, info->value);
    }
}

/* Whether the compiler may turn an instruction into a minimum or a maximum. */
static bool is_extreme(uint32_t op)
{
    return op == GF_EXPR_I_MIN_I32 || op == GF_EXPR_I_MAX_I32 || op == GF_EXPR_I_SELECT_I32;
}

/* Whether the compiler must not see where an operand comes from: see gf::jit::apart. A minimum of a maximum, as clamp()
 * makes it, stays two instructions and needs no hiding. */
static bool is_apart(const struct gf_expr_insn *insn, uint32_t k, const struct gf_jit_names *names)
{
    if (insn->in[k] >= GF_EXPR_FIRST_CONSTANT)
        return false;
    uint32_t from = names->values[insn->in[k]].op, to = insn->op;
    return is_extreme(from) && is_extreme(to) &&
           (from == to || from == GF_EXPR_I_SELECT_I32 || to == GF_EXPR_I_SELECT_I32);
}

void gf_jit_add_value(struct gf_jit_text *t, const struct gf_expr_insn *insn, const struct gf_jit_names *names,
                      uint32_t value, bool far)
{
    static const char letters[] = {'a', 'b', 'c'};
    const struct gf_jit_insn *info = &gf_jit_insns[insn->op];
    gf_jit_add(t, "                %s v%u; {", gf_jit_machine_types[info->result], value);
    for (uint32_t k = 0; k < info->n_in; k++) {
        uint32_t type = info->kind == GF_JIT_CHOICE && k == 0 ? GF_EXPR_M_I32 : info->type;
        const struct gf_jit_operand o = gf_jit_operand_of(names, insn->in[k], type);
        const char *form = is_apart(insn, k, names) ? " const %s %c = gf::jit::apart(%s);" : " const %s %c = %s;";
        gf_jit_add(t, form, gf_jit_machine_types[type], letters[k], o.text);
    }
    if (far)
        gf_jit_add(t, " v%u = far_%u(a, %c); }\n", value, insn->op, letters[info->n_in - 1]);
    else
        gf_jit_add(t, " v%u = %s; }\n", value, info->value);
}
