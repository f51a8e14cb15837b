/* SPDX-License-Identifier: MIT */
/*
 * CUDA C++ of a program: loads, one line for each instruction, each with a value of its own, and stores, for a few
 * places a thread. jit_rows.cuh has the rest. Called by jit.c.
 */
#include <stdarg.h>
#include <stdio.h>

#include "insns.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "spec.h"

/* Text that grows to a limit; `full` once something did not fit. */
struct text {
    char *at;
    size_t left;
    bool full;
};

static void gf_printf(2, 3) add(struct text *t, const char *format, ...)
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

static const char *const machine_types[] = {
    [GF_EXPR_M_I32] = "int32_t", [GF_EXPR_M_I64] = "int64_t", [GF_EXPR_M_U64] = "uint64_t",
    [GF_EXPR_M_F32] = "float",   [GF_EXPR_M_F64] = "double",
};

/* Of dtypes; an f16 is no number there. */
static const char *const sample_types[] = {
#define GF_DTYPE(name, number, word, type, bytes, kind) [GF_##name] = GF_##name == GF_F16 ? "half_bits" : #type,
#include "protocol/base/dtype.def"
#undef GF_DTYPE
};

/* Samples of a place in what is loaded of an input, and in what is stored. */
static uint32_t samples_in(const struct gf_jit_spec *spec, uint32_t input)
{
    return spec->program->pixels ? spec->in[input].channels : 1;
}

static uint32_t samples_out(const struct gf_jit_spec *spec)
{
    return spec->program->pixels ? spec->program->n_results : 1;
}

/* Places of a pixel. */
static uint32_t samples_a_pixel(const struct gf_jit_spec *spec)
{
    return spec->program->pixels ? 1 : spec->out.channels;
}

/* An operand as text: a value of an earlier line, or a constant. */
struct operand {
    char text[64];
};

static struct operand operand_of(const uint16_t *values, uint32_t reg, uint32_t type)
{
    struct operand o;
    if (reg >= GF_EXPR_FIRST_CONSTANT)
        (void)snprintf(o.text, sizeof(o.text), "constant<%s>::of(k.words[%u])", machine_types[type],
                       reg - GF_EXPR_FIRST_CONSTANT);
    else
        (void)snprintf(o.text, sizeof(o.text), "v%u", values[reg]);
    return o;
}

static void add_load(struct text *t, const struct gf_jit_spec *spec, const struct gf_expr_insn *insn, uint32_t value)
{
    uint32_t input = insn->in[0], channel = insn->in[1] == GF_EXPR_OWN_CHANNEL ? 0 : insn->in[1];
    const char *type = machine_types[gf_jit_insns[insn->op].result];
    add(t, "                const %s v%u = read<%s>(s%u[g][j * %u + %u]);\n", type, value, type, input,
        samples_in(spec, input), channel);
}

static bool add_place(struct text *t, const struct gf_expr_insn *insn, uint32_t value)
{
    const char *place = insn->in[0] == GF_EXPR_X    ? "place_at<of_pixel>(at, j).x"
                        : insn->in[0] == GF_EXPR_Y  ? "r.first_row + at.row"
                        : insn->in[0] == GF_EXPR_CH ? "place_at<of_pixel>(at, j).channel"
                                                    : NULL;
    const char *type = machine_types[gf_jit_insns[insn->op].result];
    if (place)
        add(t, "                const %s v%u = static_cast<%s>(%s);\n", type, value, type, place);
    return place != NULL;
}

/* Whether an instruction is a call of a function of its own. */
static bool is_call(const struct gf_jit_layout *layout, uint32_t op)
{
    return layout->calls && gf_expr_insn_code(op) >= GF_EXPR_MUCH_CODE;
}

/* These functions: instruction 57 is far_57. One of a single operand gets that twice. */
static void add_calls(struct text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout)
{
    const struct gf_expr_program *p = spec->program;
    bool added[GF_EXPR_N_INSNS] = {false};
    for (uint32_t i = 0; i < p->n_insns; i++) {
        uint32_t op = p->insns[i].op;
        const struct gf_jit_insn *info = &gf_jit_insns[op];
        if (added[op] || !is_call(layout, op))
            continue;
        added[op] = true;
        const char *type = machine_types[info->type];
        add(t, "__device__ __noinline__ %s far_%u(%s a, %s b)\n{\n    return %s;\n}\n\n", machine_types[info->result],
            op, type, type, info->value);
    }
}

/* The line of an instruction, whose value is v<value>; values[reg] says which value a register has. */
static bool add_insn(struct text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout,
                     const struct gf_expr_insn *insn, uint16_t *values, uint32_t value)
{
    static const char names[] = {'a', 'b', 'c'};
    const struct gf_jit_insn *info = &gf_jit_insns[insn->op];
    if (info->kind == GF_JIT_LOAD) {
        add_load(t, spec, insn, value);
    } else if (info->kind == GF_JIT_PLACE) {
        if (!add_place(t, insn, value))
            return false;
    } else {
        add(t, "                %s v%u; {", machine_types[info->result], value);
        for (uint32_t k = 0; k < info->n_in; k++) {
            uint32_t type = info->kind == GF_JIT_CHOICE && k == 0 ? GF_EXPR_M_I32 : info->type;
            const struct operand o = operand_of(values, insn->in[k], type);
            add(t, " const %s %c = %s;", machine_types[type], names[k], o.text);
        }
        if (is_call(layout, insn->op))
            add(t, " v%u = far_%u(a, %c); }\n", value, insn->op, names[info->n_in - 1]);
        else
            add(t, " v%u = %s; }\n", value, info->value);
    }
    values[insn->dst] = (uint16_t)value;
    return true;
}

/* Reads what the program takes, or the end of a row of it. */
static void add_loads(struct text *t, const struct gf_jit_spec *spec, bool whole)
{
    const struct gf_expr_program *p = spec->program;
    add(t, "            for (int g = 0; g < groups; g++) {\n"
           "                const spot at = spot_of(row, first, g);\n");
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++) {
        if ((p->inputs >> i & 1) == 0)
            continue;
        if (!p->pixels && spec->in[i].channels != spec->out.channels)
            add(t, "                load_pixels<n, of_pixel>(r, at, %u, s%u[g]);\n", i, i);
        else
            add(t, "                %s<n, %u>(r, at, %u, s%u[g]);\n", whole ? "load_run" : "load_end",
                samples_in(spec, i), i, i);
    }
    add(t, "            }\n");
}

static void add_saves(struct text *t, const struct gf_jit_spec *spec, const char *how)
{
    add(t,
        "            for (int g = 0; g < groups; g++)\n"
        "                %s<n, %u>(r, spot_of(row, first, g), out[g]);\n",
        how, samples_out(spec));
}

/* What becomes of one place. */
static bool add_values(struct text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout)
{
    const struct gf_expr_program *p = spec->program;
    uint16_t values[GF_EXPR_REGISTERS] = {0};
    for (uint32_t i = 0; i < p->n_insns; i++)
        if (!add_insn(t, spec, layout, &p->insns[i], values, i))
            return false;
    for (uint32_t k = 0; k < p->n_results; k++) {
        const struct operand o = operand_of(values, p->results[k], p->types[k]);
        add(t, "                out[g][j * %u + %u] = store<%s>::of(%s);\n", samples_out(spec), k,
            sample_types[spec->out.dtype], o.text);
    }
    return true;
}

/* What sources include; between them the rest of <stdint.h>, which is not there at run time. */
static const char prelude[] = "#include \"kernels/shared/expr/operators.h\"\n"
                              "typedef signed char int8_t;\n"
                              "typedef unsigned char uint8_t;\n"
                              "typedef short int16_t;\n"
                              "typedef unsigned short uint16_t;\n"
                              "#include \"kernels/cuda/point/expr_rows.cuh\"\n"
                              "#include \"kernels/cuda/jit/jit_rows.cuh\"\n";

/* The kernel begins: what the compiler is to know, and loops over what the threads of a launch do not cover at once. */
static void add_head(struct text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout)
{
    const struct gf_expr_program *p = spec->program;
    add(t,
        "%s\nusing namespace gf::jit;\n\n"
        "constexpr int n = %u, groups = %u, of_pixel = %u;\n\n"
        "__device__ __forceinline__ spot spot_of(uint64_t row, uint64_t first, int g)\n"
        "{\n    return {row, first + g * (n * lanes), threadIdx.x * n};\n}\n\n",
        prelude, layout->places, layout->groups, samples_a_pixel(spec));
    add_calls(t, spec, layout);
    add(t,
        "extern \"C\" __global__ void __launch_bounds__(%u) %s(const gf_cuda_expr_rows r, const constants<%u> k)\n{\n",
        GF_JIT_THREADS, GF_JIT_KERNEL, p->n_constants > 0 ? p->n_constants : 1);
    add(t,
        "    constexpr uint64_t unit = n * lanes * groups;\n"
        "    for (uint64_t row = blockIdx.y * blockDim.z + threadIdx.z; row < r.rows; row += gridDim.y * blockDim.z)\n"
        "        for (uint64_t first = r.first_place + (uint64_t{blockIdx.x} * blockDim.y + threadIdx.y) * unit;\n"
        "             first < r.places; first += uint64_t{gridDim.x} * blockDim.y * unit) {\n"
        "            const bool whole = r.places - first >= unit;\n");
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        if ((p->inputs >> i & 1) != 0)
            add(t, "            %s s%u[groups][n * %u];\n", sample_types[spec->in[i].dtype], i, samples_in(spec, i));
    add(t, "            %s out[groups][n * %u];\n", sample_types[spec->out.dtype], samples_out(spec));
}

bool gf_jit_source(const struct gf_jit_spec *spec, char *ret_text, size_t size)
{
    struct text t = {ret_text, size, false};
    const struct gf_jit_layout layout = gf_jit_layout_of(spec);
    add_head(&t, spec, &layout);
    add(&t, "            if (whole) {\n#pragma unroll\n");
    add_loads(&t, spec, true);
    add(&t, "            } else {\n#pragma unroll\n");
    add_loads(&t, spec, false);
    add(&t, "            }\n#pragma unroll\n"
            "            for (int i = 0; i < groups * n; i++) {\n"
            "                const int g = i / n, j = i %% n;\n"
            "                const spot at = spot_of(row, first, g);\n");
    bool known = add_values(&t, spec, &layout);
    add(&t, "            }\n            if (whole) {\n#pragma unroll\n");
    add_saves(&t, spec, "save_run");
    add(&t, "            } else {\n#pragma unroll\n");
    add_saves(&t, spec, "save_end");
    add(&t, "            }\n        }\n}\n");
    return known && !t.full;
}
