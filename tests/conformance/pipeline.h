/* SPDX-License-Identifier: MIT */
/* Random programs of many steps that work on samples, and some that do not, with their data. Called by fused.c. */
#ifndef GF_TESTS_PIPELINE_H
#define GF_TESTS_PIPELINE_H

#include "expression.h"
#include "guarded.h"
#include "protocol/ops/program.h"

#define GF_PIPELINE_STEPS 9
#define GF_PIPELINE_OPERANDS 6

struct gf_pipeline {
    struct gf_program program; /* checked; its texts are in `texts` and `sets` */
    bool filters;              /* begins with a filter and steps that may go with it */
    struct gf_guarded operands[GF_PIPELINE_OPERANDS];
    char texts[GF_PIPELINE_STEPS][GF_EXPRESSION_TEXT], sets[GF_PIPELINE_STEPS][GF_EXPRESSION_SET];
};

/* Makes program `number`, counted from 0: first some fixed programs, for cases that are seldom drawn, then random ones.
 * False without memory. */
bool gf_pipeline_init(struct gf_prng *prng, uint64_t number, struct gf_pipeline *pipeline);
void gf_pipeline_deinit(struct gf_pipeline *pipeline);
/* Prints one readable line: steps and the sources of their inputs, results. */
void gf_pipeline_print(const struct gf_program *p);

#endif
