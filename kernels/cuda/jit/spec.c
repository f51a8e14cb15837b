/* SPDX-License-Identifier: MIT */
/* The keys and shapes of kernels compiled at run time; see spec.h. */
#include "spec.h"

#include "insns.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"

/* The limit of instructions per thread: more take the compiler long and exceed the instruction cache. */
#define CODE_MAX 4096u
#define RUN_BYTES 16u
#define GROUPS 2u
#define SAMPLES_MAX 64u /* samples of an image per thread: more would spill out of registers */

static void put(struct gf_jit_key *key, uint32_t byte)
{
    key->bytes[key->size++] = (uint8_t)byte;
}

static void put_program(struct gf_jit_key *key, const struct gf_expr_program *p)
{
    put(key, p->n_constants);
    put(key, p->n_results);
    for (uint32_t k = 0; k < p->n_results; k++) {
        put(key, p->results[k]);
        put(key, p->types[k]);
    }
    for (uint32_t i = 0; i < p->n_insns; i++) {
        const struct gf_expr_insn *insn = &p->insns[i];
        put(key, insn->op & 0xFF);
        put(key, insn->op >> 8);
        put(key, insn->dst);
        uint32_t n = gf_jit_insns[insn->op].n_in;
        for (uint32_t k = 0; k < n; k++)
            put(key, insn->in[k]);
    }
}

/* The key of an operator. Its first byte is that of no expression. Each program is preceded by its number of
 * instructions, so that different triples of programs have different keys. */
static void put_operator(struct gf_jit_key *key, const struct gf_jit_spec *spec)
{
    const struct gf_jit_operator *user = spec->user;
    const struct gf_operator_programs *p = user->programs;
    put(key, 2);
    put(key, user->kernels & 0xFF);
    put(key, user->kernels >> 8);
    put(key, user->kept_vectors);
    put(key, user->columns | user->along_rows << 1 | user->one_row << 2 | user->exclusive << 3 | user->reverse << 4 |
                 user->segments << 5 | p->pixels << 6);
    put(key, spec->in[0].dtype);
    put(key, spec->in[0].channels);
    put(key, spec->out.dtype);
    put(key, spec->out.channels);
    put(key, p->n_state);
    for (uint32_t k = 0; k < p->n_state; k++)
        put(key, p->machines[k]);
    const struct gf_expr_program *programs[] = {&p->lift, &p->combine, &p->finish};
    for (uint32_t i = 0; i < GF_ARRAY_LEN(programs); i++) {
        put(key, programs[i]->n_insns & 0xFF);
        put(key, programs[i]->n_insns >> 8);
        put(key, programs[i]->pixels);
        put_program(key, programs[i]);
    }
}

void gf_jit_key_of(const struct gf_jit_spec *spec, struct gf_jit_key *ret_key)
{
    ret_key->size = 0;
    if (spec->user) {
        put_operator(ret_key, spec);
        return;
    }
    const struct gf_expr_program *p = spec->program;
    put(ret_key, p->pixels);
    put(ret_key, p->inputs);
    put(ret_key, spec->out.dtype);
    put(ret_key, spec->out.channels);
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        if ((p->inputs >> i & 1) != 0) {
            put(ret_key, spec->in[i].dtype);
            put(ret_key, spec->in[i].channels);
        }
    put_program(ret_key, p);
}

uint32_t gf_jit_code_of(const struct gf_expr_program *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_insns; i++)
        n += gf_expr_insn_code(p->insns[i].op);
    return n;
}

struct gf_jit_layout gf_jit_layout_of(const struct gf_jit_spec *spec)
{
    if (spec->user)
        return (struct gf_jit_layout){0}; /* operator kernels have their own shape */
    const struct gf_expr_program *p = spec->program;
    uint32_t bytes = (uint32_t)gf_dtype_size(spec->out.dtype), samples = p->pixels ? p->n_results : 1,
             code = gf_jit_code_of(p);
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        if ((p->inputs >> i & 1) != 0) {
            uint32_t size = (uint32_t)gf_dtype_size(spec->in[i].dtype), channels = p->pixels ? spec->in[i].channels : 1;
            bytes = size > bytes ? size : bytes;
            samples = channels > samples ? channels : samples;
        }
    struct gf_jit_layout l = {bytes >= 4 ? 4 : RUN_BYTES / bytes, GROUPS, false};
    if (bytes > 4 || code * l.places * l.groups > CODE_MAX || samples * l.places * l.groups > SAMPLES_MAX)
        l.groups = 1;
    while (l.places > 4 && (code * l.places > CODE_MAX || samples * l.places > SAMPLES_MAX))
        l.places /= 2;
    l.calls = code * l.places > CODE_MAX;
    return l;
}
