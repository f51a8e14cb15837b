/* SPDX-License-Identifier: MIT */
/*
 * Writes the CUDA C++ of an operator of reduce or scan: its three texts as functions, one line per instruction, and the
 * kernels of kernels/cuda/operator with these functions as their Op. Known properties of the sequences become literals.
 * Called by source.c.
 */
#include "insns.h"
#include "lines.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "spec.h"

#define KERNELS 16u                     /* bits in gf_jit_operator.kernels */
#define CODE_INLINE 48u                 /* up to this much code a text is inlined; longer texts are called */
#define FIRST_VALUE (GF_EXPR_ARGUMENTS) /* the values of lines; lower numbers are the values of states */

static bool is_long(const struct gf_expr_program *program)
{
    return gf_jit_code_of(program) > CODE_INLINE;
}

/* The inline specifier of a text's function. */
static const char *kind_of(const struct gf_expr_program *program)
{
    return is_long(program) ? "__noinline__" : "__forceinline__";
}

static void add_load(struct gf_jit_text *t, const struct gf_expr_insn *insn, uint32_t value)
{
    const char *type = gf_jit_machine_types[gf_jit_insns[insn->op].result];
    uint32_t channel = insn->in[1] == GF_EXPR_OWN_CHANNEL ? 0 : insn->in[1];
    gf_jit_add(t, "                const %s v%u = gf::expr::read<%s>(s[%u]);\n", type, value, type, channel);
}

static void add_place(struct gf_jit_text *t, const struct gf_expr_insn *insn, uint32_t value)
{
    const char *type = gf_jit_machine_types[gf_jit_insns[insn->op].result];
    const char *what = insn->in[0] == GF_EXPR_X    ? "x"
                       : insn->in[0] == GF_EXPR_Y  ? "y"
                       : insn->in[0] == GF_EXPR_CH ? "channel"
                                                   : "i";
    gf_jit_add(t, "                const %s v%u = static_cast<%s>(p.%s);\n", type, value, type, what);
}

/* Adds the lines of a text. The values of states must have been named before. */
static void add_lines(struct gf_jit_text *t, const struct gf_expr_program *program, const struct gf_jit_names *names)
{
    bool far = is_long(program);
    for (uint32_t i = 0; i < program->n_insns; i++) {
        const struct gf_expr_insn *insn = &program->insns[i];
        uint32_t kind = gf_jit_insns[insn->op].kind, value = FIRST_VALUE + i;
        if (kind == GF_JIT_LOAD)
            add_load(t, insn, value);
        else if (kind == GF_JIT_PLACE)
            add_place(t, insn, value);
        else
            gf_jit_add_value(t, insn, names, value, far && gf_expr_insn_code(insn->op) >= GF_EXPR_LARGE_CODE);
        names->values[insn->dst] = (struct gf_jit_value){(uint16_t)value, insn->op};
    }
}

/* Names the values of a state v0, v1, ... or, for the later state, v4, v5, ... */
static void add_arguments(struct gf_jit_text *t, const struct gf_operator_programs *p, const char *state,
                          uint32_t first, struct gf_jit_value *values)
{
    for (uint32_t k = 0; k < p->n_state; k++) {
        gf_jit_add(t, "                const %s v%u = %s.v%u;\n", gf_jit_machine_types[p->machines[k]], first + k,
                   state, k);
        values[first + k] = (struct gf_jit_value){(uint16_t)(first + k), 0};
    }
}

static void add_state(struct gf_jit_text *t, const struct gf_expr_program *program, const struct gf_jit_names *names)
{
    gf_jit_add(t, "                return {");
    for (uint32_t k = 0; k < program->n_results; k++)
        gf_jit_add(t, "%s%s", k > 0 ? ", " : "", gf_jit_operand_of(names, program->results[k], program->types[k]).text);
    gf_jit_add(t, "};\n            }\n");
}

static void add_texts(struct gf_jit_text *t, const struct gf_jit_spec *spec)
{
    const struct gf_operator_programs *p = spec->user->programs;
    struct gf_jit_value values[GF_EXPR_REGISTERS] = {{0}};
    struct gf_jit_names names = {values, "k.words", 0};
    gf_jit_add(t, "static __device__ %s state lifted(const made_constants &k, gf::user::place p, const sample *s)\n{\n",
               kind_of(&p->lift));
    add_lines(t, &p->lift, &names);
    add_state(t, &p->lift, &names);
    names.first_constant += p->lift.n_constants;
    gf_jit_add(t, "static __device__ %s state combined(const made_constants &k, state e, state l)\n{\n",
               kind_of(&p->combine));
    add_arguments(t, p, "e", 0, values);
    add_arguments(t, p, "l", GF_EXPR_MAX_STATE, values);
    add_lines(t, &p->combine, &names);
    add_state(t, &p->combine, &names);
    names.first_constant += p->combine.n_constants;
    gf_jit_add(t, "static __device__ %s outcome finished(const made_constants &k, state e)\n{\n", kind_of(&p->finish));
    add_arguments(t, p, "e", 0, values);
    add_lines(t, &p->finish, &names);
    gf_jit_add(t, "                return {{");
    for (uint32_t k = 0; k < p->finish.n_results; k++)
        gf_jit_add(t, "%sgf::expr::store<result>::of(%s)", k > 0 ? ", " : "",
                   gf_jit_operand_of(&names, p->finish.results[k], p->finish.types[k]).text);
    gf_jit_add(t, "}};\n            }\n");
}

/* Adds a function with a piece of text for each value of a state. In the text # is its number, $ its type. */
static void add_each(struct gf_jit_text *t, const struct gf_operator_programs *p, const char *head, const char *piece,
                     const char *tail)
{
    gf_jit_add(t, "%s", head);
    for (uint32_t k = 0; k < p->n_state; k++)
        for (const char *at = piece; *at; at++)
            if (*at == '#')
                gf_jit_add(t, "%u", k);
            else if (*at == '$')
                gf_jit_add(t, "%s", gf_jit_machine_types[p->machines[k]]);
            else
                gf_jit_add(t, "%c", *at);
    gf_jit_add(t, "%s", tail);
}

static void add_moves(struct gf_jit_text *t, const struct gf_operator_programs *p)
{
    add_each(t, p, "__device__ __forceinline__ state none() const\n{\n    return {",
             "gf::jit::constant<$>::of(args.identity[#]), ", "};\n}\n");
    add_each(t, p, "static __device__ __forceinline__ state load(const uint64_t *at, uint64_t room)\n{\n    return {",
             "gf::jit::constant<$>::of(at[# * room]), ", "};\n}\n");
    add_each(t, p, "static __device__ __forceinline__ void save(uint64_t *at, uint64_t room, const state &s)\n{\n",
             "    at[# * room] = gf::jit::word_of(s.v#);\n", "}\n");
    add_each(t, p, "static __device__ __forceinline__ state shuffle(const state &s, int lane)\n{\n    return {",
             "gf_shuffle(s.v#, lane), ", "};\n}\n");
    add_each(t, p, "static __device__ __forceinline__ state shuffle_down(const state &s, unsigned d)\n{\n    return {",
             "gf_shuffle_down(s.v#, d), ", "};\n}\n");
    add_each(t, p, "static __device__ __forceinline__ state shuffle_up(const state &s, unsigned d)\n{\n    return {",
             "gf_shuffle_up(s.v#, d), ", "};\n}\n");
}

/* The functions that the kernels call. */
static const char calls[] =
    "__device__ __forceinline__ state lift(const gf::user::place &p, const sample *s) const\n"
    "{\n    return lifted(k, p, s);\n}\n"
    "__device__ __forceinline__ state lift(const gf::user::place &p) const\n"
    "{\n    sample s[each];\n#pragma unroll\n    for (int c = 0; c < each; c++)\n"
    "        s[c] = reinterpret_cast<const sample *>(p.at)[c];\n    return lifted(k, p, s);\n}\n"
    "__device__ __forceinline__ state combine(const state &e, const state &l) const\n"
    "{\n    return combined(k, e, l);\n}\n"
    "__device__ __forceinline__ void finish(const state &s, result *to) const\n"
    "{\n    const outcome o = finished(k, s);\n#pragma unroll\n    for (int i = 0; i < n_results; i++)\n"
    "        to[i] = o.v[i];\n}\n"
    "__device__ __forceinline__ void store(char *at, const state &s) const\n"
    "{\n    finish(s, reinterpret_cast<result *>(at));\n}\n";

static void add_kernel(struct gf_jit_text *t, const struct gf_jit_spec *spec, uint32_t kernel)
{
    static const char *const words[] = {"false", "true"};
    const struct gf_jit_operator *u = spec->user;
    uint32_t in = (uint32_t)gf_dtype_size(spec->in[0].dtype), out = (uint32_t)gf_dtype_size(spec->out.dtype);
    gf_jit_add(t, "extern \"C\" __global__ void __launch_bounds__(gf::user::threads) " GF_JIT_OPERATOR_KERNEL, kernel);
    gf_jit_add(
        t,
        "(const __grid_constant__ gf_cuda_operator_args given, const __grid_constant__ gf_cuda_operator_level level,"
        " const __grid_constant__ made_constants k)\n{\n"
        "    gf_cuda_operator_args a = given;\n"
        "    a.columns = %s;\n    a.along_rows = %s;\n    a.exclusive = %s;\n    a.reverse = %s;\n"
        "    a.channels = %u;\n    a.src_size = %u;\n    a.src_pixel = %u;\n    a.dst_size = %u;\n"
        "    a.dst_pixel = %u;\n%s%s",
        words[u->columns], words[u->along_rows], words[u->exclusive], words[u->reverse],
        u->programs->pixels ? 1 : spec->in[0].channels, in, in * spec->in[0].channels, out, out * spec->out.channels,
        u->one_row ? "    a.height = 1;\n" : "", u->segments ? "" : "    a.offsets = nullptr;\n");
    gf_jit_add(t, "    gf::user::run_kernel<%u>(made{a, k}, level);\n}\n", kernel);
}

bool gf_jit_operator_source(const struct gf_jit_spec *spec, char *ret_text, size_t size)
{
    struct gf_jit_text t = {ret_text, size, false};
    const struct gf_operator_programs *p = spec->user->programs;
    const struct gf_expr_program *programs[] = {&p->lift, &p->combine, &p->finish};
    bool added[GF_EXPR_N_INSNS] = {false};
    uint32_t constants = p->lift.n_constants + p->combine.n_constants + p->finish.n_constants;
    gf_jit_add(&t,
               "%s#include \"kernels/cuda/operator/operator_kernels.cuh\"\n\n"
               "using made_constants = gf::jit::constants<%u>;\n\n",
               gf_jit_prelude, constants > 0 ? constants : 1);
    for (uint32_t i = 0; i < GF_ARRAY_LEN(programs); i++)
        if (is_long(programs[i]))
            gf_jit_add_far(&t, programs[i], added);
    gf_jit_add(&t, "struct made {\n");
    add_each(&t, p, "struct state {\n", "    $ v#;\n", "};\n");
    gf_jit_add(&t,
               "using sample = %s;\nusing result = %s;\n"
               "static constexpr int each = %u, n_results = %u;\nstatic constexpr unsigned kept_vectors = %u;\n"
               "static constexpr bool at_once = true;\n"
               "struct outcome {\n    result v[n_results];\n};\n"
               "const gf_cuda_operator_args &args;\nconst made_constants &k;\n",
               gf_jit_sample_types[spec->in[0].dtype], gf_jit_sample_types[spec->out.dtype],
               p->lift.pixels ? spec->in[0].channels : 1, p->finish.n_results, spec->user->kept_vectors);
    add_texts(&t, spec);
    gf_jit_add(&t, "%s", calls);
    add_moves(&t, p);
    gf_jit_add(&t, "};\n\n");
    for (uint32_t kernel = 0; kernel < KERNELS; kernel++)
        if ((spec->user->kernels >> kernel & 1) != 0)
            add_kernel(&t, spec, kernel);
    return !t.full;
}
