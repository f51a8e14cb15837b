/* SPDX-License-Identifier: MIT */
/* Runs programs of expressions on rows of values; see expr_rows.h. */
#include "expr_rows.h"

#include <string.h>

#include "protocol/base/dtype.h"

uint32_t gf_cpu_expr_machine_of(uint32_t dtype)
{
    return dtype == GF_F32   ? GF_EXPR_M_F32
           : dtype == GF_F64 ? GF_EXPR_M_F64
           : dtype == GF_I32 ? GF_EXPR_M_I32
           : dtype == GF_I64 ? GF_EXPR_M_I64
           : dtype == GF_U64 ? GF_EXPR_M_U64
                             : 0;
}

void gf_cpu_expr_repeat(unsigned char *row, size_t size, size_t n)
{
    for (size_t done = size; done < n * size; done *= 2)
        memcpy(row + done, row, done < n * size - done ? done : n * size - done);
}

void gf_cpu_expr_fill(struct gf_cpu_expr_rows *r, size_t n)
{
    for (uint32_t i = 0; i < r->program->n_constants; i++) {
        unsigned char *row = gf_cpu_expr_row(r, r->program->n_registers + i);
        size_t size = gf_cpu_expr_size(r->program->constant_types[i]);
        memcpy(row, &r->program->constants[i], size); /* all members of the union start at the first byte */
        gf_cpu_expr_repeat(row, size, n);
        r->at[GF_EXPR_FIRST_CONSTANT + i] = row;
    }
}

void gf_cpu_expr_run(struct gf_cpu_expr_rows *r, gf_cpu_expr_read *read, void *context, size_t n)
{
    gf_simd_expr_loop *const *loops = r->simd->loops;
    size_t whole = (size_t)gf_round_up(n, GF_EXPR_ROW_STEP);
    for (uint32_t i = 0; i < r->program->n_insns; i++) {
        const struct gf_expr_insn *insn = &r->program->insns[i];
        unsigned char *row = gf_cpu_expr_row(r, insn->dst);
        if (insn->op <= GF_EXPR_I_PLACE_F64) {
            r->at[insn->dst] = read(context, insn, gf_expr_insn_info(insn->op)->result, row);
        } else {
            loops[insn->op](row, r->at[insn->in[0]], r->at[insn->in[1]], r->at[insn->in[2]], whole);
            r->at[insn->dst] = row;
        }
    }
}
