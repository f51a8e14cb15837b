/* SPDX-License-Identifier: MIT */
/*
 * Writes the CUDA C++ of a program: loads, then one line with one value per instruction, then stores, for a few places
 * per thread. jit_rows.cuh has the fixed part. Called by jit.c.
 */
#include "insns.h"
#include "lines.h"
#include "protocol/base/base.h"
#include "spec.h"

/* Samples per place: loaded from an input, stored to the result. */
static uint32_t samples_in(const struct gf_jit_spec *spec, uint32_t input)
{
    return spec->program->pixels ? spec->in[input].channels : 1;
}

static uint32_t samples_out(const struct gf_jit_spec *spec)
{
    return spec->program->pixels ? spec->program->n_results : 1;
}

/* Places per pixel. */
static uint32_t samples_a_pixel(const struct gf_jit_spec *spec)
{
    return spec->program->pixels ? 1 : spec->out.channels;
}

static void add_load(struct gf_jit_text *t, const struct gf_jit_spec *spec, const struct gf_expr_insn *insn,
                     uint32_t value)
{
    uint32_t input = insn->in[0], channel = insn->in[1] == GF_EXPR_OWN_CHANNEL ? 0 : insn->in[1];
    const char *type = gf_jit_machine_types[gf_jit_insns[insn->op].result];
    gf_jit_add(t, "                const %s v%u = read<%s>(s%u[g][j * %u + %u]);\n", type, value, type, input,
               samples_in(spec, input), channel);
}

static bool add_place(struct gf_jit_text *t, const struct gf_expr_insn *insn, uint32_t value)
{
    const char *place = insn->in[0] == GF_EXPR_X    ? "place_at<of_pixel>(at, j).x"
                        : insn->in[0] == GF_EXPR_Y  ? "r.first_row + at.row"
                        : insn->in[0] == GF_EXPR_CH ? "place_at<of_pixel>(at, j).channel"
                                                    : NULL;
    const char *type = gf_jit_machine_types[gf_jit_insns[insn->op].result];
    if (place)
        gf_jit_add(t, "                const %s v%u = static_cast<%s>(%s);\n", type, value, type, place);
    return place != NULL;
}

/* Whether an instruction calls a function. */
static bool is_call(const struct gf_jit_layout *layout, uint32_t op)
{
    return layout->calls && gf_expr_insn_code(op) >= GF_EXPR_LARGE_CODE;
}

/* Adds the line of an instruction that makes value v<value>. values[reg] is the value in a register. */
static bool add_insn(struct gf_jit_text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout,
                     const struct gf_expr_insn *insn, struct gf_jit_value *values, uint32_t value)
{
    const struct gf_jit_insn *info = &gf_jit_insns[insn->op];
    if (info->kind == GF_JIT_LOAD) {
        add_load(t, spec, insn, value);
    } else if (info->kind == GF_JIT_PLACE) {
        if (!add_place(t, insn, value))
            return false;
    } else {
        const struct gf_jit_names names = {values, "k.words", 0};
        gf_jit_add_value(t, insn, &names, value, is_call(layout, insn->op));
    }
    values[insn->dst] = (struct gf_jit_value){(uint16_t)value, insn->op};
    return true;
}

/* Adds the loads of the inputs: of whole runs, or of runs at the end of a row. */
static void add_loads(struct gf_jit_text *t, const struct gf_jit_spec *spec, bool whole)
{
    const struct gf_expr_program *p = spec->program;
    gf_jit_add(t, "            for (int g = 0; g < groups; g++) {\n"
                  "                const spot at = spot_of(row, first, g);\n");
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++) {
        if ((p->inputs >> i & 1) == 0)
            continue;
        if (!p->pixels && spec->in[i].channels != spec->out.channels)
            gf_jit_add(t, "                load_pixels<n, of_pixel>(r, at, %u, s%u[g]);\n", i, i);
        else
            gf_jit_add(t, "                %s<n, %u>(r, at, %u, s%u[g]);\n", whole ? "load_run" : "load_end",
                       samples_in(spec, i), i, i);
    }
    gf_jit_add(t, "            }\n");
}

static void add_saves(struct gf_jit_text *t, const struct gf_jit_spec *spec, const char *how)
{
    gf_jit_add(t,
               "            for (int g = 0; g < groups; g++)\n"
               "                %s<n, %u>(r, spot_of(row, first, g), out[g]);\n",
               how, samples_out(spec));
}

/* Adds the computation of one place. */
static bool add_values(struct gf_jit_text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout)
{
    const struct gf_expr_program *p = spec->program;
    struct gf_jit_value values[GF_EXPR_REGISTERS] = {{0}};
    for (uint32_t i = 0; i < p->n_insns; i++)
        if (!add_insn(t, spec, layout, &p->insns[i], values, i))
            return false;
    for (uint32_t k = 0; k < p->n_results; k++) {
        const struct gf_jit_names names = {values, "k.words", 0};
        const struct gf_jit_operand o = gf_jit_operand_of(&names, p->results[k], p->types[k]);
        gf_jit_add(t, "                out[g][j * %u + %u] = store<%s>::of(%s);\n", samples_out(spec), k,
                   gf_jit_sample_types[spec->out.dtype], o.text);
    }
    return true;
}

/* Adds the beginning of the kernel: constants, the signature, and the loops over rows and runs of a launch. */
static void add_head(struct gf_jit_text *t, const struct gf_jit_spec *spec, const struct gf_jit_layout *layout)
{
    const struct gf_expr_program *p = spec->program;
    bool added[GF_EXPR_N_INSNS] = {false};
    gf_jit_add(t,
               "%s\nusing namespace gf::jit;\n\n"
               "constexpr int n = %u, groups = %u, of_pixel = %u;\n\n"
               "__device__ __forceinline__ spot spot_of(uint64_t row, uint64_t first, int g)\n"
               "{\n    return {row, first + g * (n * lanes), threadIdx.x * n};\n}\n\n",
               gf_jit_prelude, layout->places, layout->groups, samples_a_pixel(spec));
    if (layout->calls)
        gf_jit_add_far(t, p, added);
    gf_jit_add(
        t,
        "extern \"C\" __global__ void __launch_bounds__(%u) %s(const gf_cuda_expr_rows r, const constants<%u> k)\n{\n",
        GF_JIT_THREADS, GF_JIT_KERNEL, p->n_constants > 0 ? p->n_constants : 1);
    gf_jit_add(
        t,
        "    constexpr uint64_t unit = n * lanes * groups;\n"
        "    for (uint64_t row = blockIdx.y * blockDim.z + threadIdx.z; row < r.rows; row += gridDim.y * blockDim.z)\n"
        "        for (uint64_t first = r.first_place + (uint64_t{blockIdx.x} * blockDim.y + threadIdx.y) * unit;\n"
        "             first < r.places; first += uint64_t{gridDim.x} * blockDim.y * unit) {\n"
        "            const bool whole = r.places - first >= unit;\n");
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        if ((p->inputs >> i & 1) != 0)
            gf_jit_add(t, "            %s s%u[groups][n * %u];\n", gf_jit_sample_types[spec->in[i].dtype], i,
                       samples_in(spec, i));
    gf_jit_add(t, "            %s out[groups][n * %u];\n", gf_jit_sample_types[spec->out.dtype], samples_out(spec));
}

bool gf_jit_source(const struct gf_jit_spec *spec, char *ret_text, size_t size)
{
    struct gf_jit_text t = {ret_text, size, false};
    if (spec->user)
        return gf_jit_operator_source(spec, ret_text, size);
    const struct gf_jit_layout layout = gf_jit_layout_of(spec);
    add_head(&t, spec, &layout);
    gf_jit_add(&t, "            if (whole) {\n#pragma unroll\n");
    add_loads(&t, spec, true);
    gf_jit_add(&t, "            } else {\n#pragma unroll\n");
    add_loads(&t, spec, false);
    gf_jit_add(&t, "            }\n#pragma unroll\n"
                   "            for (int i = 0; i < groups * n; i++) {\n"
                   "                const int g = i / n, j = i %% n;\n"
                   "                const spot at = spot_of(row, first, g);\n");
    bool known = add_values(&t, spec, &layout);
    gf_jit_add(&t, "            }\n            if (whole) {\n#pragma unroll\n");
    add_saves(&t, spec, "save_run");
    gf_jit_add(&t, "            } else {\n#pragma unroll\n");
    add_saves(&t, spec, "save_end");
    gf_jit_add(&t, "            }\n        }\n}\n");
    return known && !t.full;
}
