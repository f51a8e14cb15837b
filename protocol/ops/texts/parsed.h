/* SPDX-License-Identifier: MIT */
/*
 * What the texts of a program mean, kept from its check on, so that each is parsed once however often its nodes are
 * wanted: the front fuses the program, the worker fuses and runs it. Called by program.c; owned by the session while it
 * admits a request and by the worker's job.
 */
#ifndef GF_PROTOCOL_PARSED_H
#define GF_PROTOCOL_PARSED_H

#include "protocol/ops/program.h"

#define GF_PARSED_TEXTS 4u /* most texts of a step that have nodes */

struct gf_parsed {
    uint32_t n;
    void *blocks[GF_MAX_STEPS * GF_PARSED_TEXTS]; /* a struct gf_expr each, as long as its nodes */
};

/* Parses the texts of a step and refers to their nodes in its parameters. Keeps nothing of a step with a text that is
 * wrong, or without memory: who wants its nodes then parses it, and says what is wrong. `in` has its inputs. */
void gf_parsed_keep(struct gf_parsed *parsed, struct gf_step *step, const struct gf_view *in);
/* Frees the nodes, to which the steps must refer no more. */
void gf_parsed_deinit(struct gf_parsed *parsed);

#endif
