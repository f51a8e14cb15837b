/* SPDX-License-Identifier: MIT */
/*
 * Runs of per-sample steps as one: steps of map, combine, threshold, copy and expr of which each but the last is read
 * by later ones of the run alone, and is no result, become a step of expr whose nodes compute what the run does, with
 * the store of each intermediate as nodes too. The bits of all results stay, and less memory is taken. docs/design.md
 * says why, docs/numerics.md 26 what is a run. Called by the front, for what a program takes, and by the worker, which
 * runs it; both come to the same.
 */
#ifndef GF_PROTOCOL_FUSE_H
#define GF_PROTOCOL_FUSE_H

#include "protocol/ops/footprint.h"
#include "protocol/ops/program.h"

#define GF_FUSE_STEPS 16u /* of a run at most, which bounds what finding it takes */
#define GF_FUSE_RUNS (GF_MAX_STEPS / 2)

struct gf_expr;

/* What was fused. */
struct gf_fused {
    uint32_t n_runs;
    struct gf_expr *nodes[GF_FUSE_RUNS]; /* of each run; owned, the fused step points to them */
    uint16_t numbers[GF_MAX_STEPS + 1];  /* of each step as it was, of a run its first; last, how many there were */
};

/* Makes each run of a checked program one step, unless the program says that it must not be, or a CPU device with so
 * many threads (0: a GPU) would take more memory for it; `in_slabs` as for gf_footprint_find. What finds no memory
 * stays as it is. The program is one to run and no longer one to send; its fused steps point into *ret_fused, which is
 * initialised in any case. */
void gf_fuse(struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_fused *ret_fused);
void gf_fused_deinit(struct gf_fused *fused);

/* What a step computes of its input 0 alone, which has this view, alpha included: the nodes that it would add to a run.
 * False where it can be part of no run, reads more, or there is no memory. */
bool gf_fuse_step(const struct gf_step *step, const struct gf_view *in, struct gf_expr *ret_nodes);

/* "steps 2-3 and 5-7 fused", empty where none are, cut off to size - 1 characters; of the program as it runs in n
 * steps, of which a bit in `carried` says that it went on to the next one without a store. Returns text. */
const char *gf_fused_text(const struct gf_fused *fused, uint32_t n, uint64_t carried, char *text, size_t size);

#endif
