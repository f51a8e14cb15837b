/* SPDX-License-Identifier: MIT */
/* Keys and layouts of kernels made at run time; see spec.h. */
#include "spec.h"

#include "insns.h"
#include "protocol/base/dtype.h"

/* At most so many instructions in a thread's code: more take the compiler long, and no longer fit the cache of code. */
#define CODE_MAX 4096u
#define RUN_BYTES 16u
#define GROUPS 2u
#define SAMPLES_MAX 64u /* of an image in a thread: more would not stay in registers */

static void put(struct gf_jit_key *key, uint32_t byte)
{
    key->bytes[key->size++] = (uint8_t)byte;
}

void gf_jit_key_of(const struct gf_jit_spec *spec, struct gf_jit_key *ret_key)
{
    const struct gf_expr_program *p = spec->program;
    ret_key->size = 0;
    put(ret_key, p->pixels);
    put(ret_key, p->inputs);
    put(ret_key, spec->out.dtype);
    put(ret_key, spec->out.channels);
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        if ((p->inputs >> i & 1) != 0) {
            put(ret_key, spec->in[i].dtype);
            put(ret_key, spec->in[i].channels);
        }
    put(ret_key, p->n_constants);
    put(ret_key, p->n_results);
    for (uint32_t k = 0; k < p->n_results; k++) {
        put(ret_key, p->results[k]);
        put(ret_key, p->types[k]);
    }
    for (uint32_t i = 0; i < p->n_insns; i++) {
        const struct gf_expr_insn *insn = &p->insns[i];
        put(ret_key, insn->op & 0xFF);
        put(ret_key, insn->op >> 8);
        put(ret_key, insn->dst);
        uint32_t n = gf_jit_insns[insn->op].n_in;
        for (uint32_t k = 0; k < n; k++)
            put(ret_key, insn->in[k]);
    }
}

/* Instructions of the program's code for one place, about. */
static uint32_t code_of(const struct gf_expr_program *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_insns; i++)
        n += gf_expr_insn_code(p->insns[i].op);
    return n;
}

struct gf_jit_layout gf_jit_layout_of(const struct gf_jit_spec *spec)
{
    const struct gf_expr_program *p = spec->program;
    uint32_t bytes = (uint32_t)gf_dtype_size(spec->out.dtype), samples = p->pixels ? p->n_results : 1,
             code = code_of(p);
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
