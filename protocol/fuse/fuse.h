/* SPDX-License-Identifier: MIT */
/*
 * Fuses runs of per-sample steps. A run consists of steps of map, combine, threshold, copy and expr of which every step
 * but the last is read only inside the run and is not a result. It becomes one step of expr whose nodes compute the
 * same, with the store of each intermediate as nodes too. All results keep their bits, and less memory is needed.
 * docs/design.md gives the reasons, docs/numerics.md, "Runs of steps", defines a run. The front charges a program, and
 * the worker runs it, by the same call of gf_fuse.
 */
#ifndef GF_PROTOCOL_FUSE_H
#define GF_PROTOCOL_FUSE_H

#include "protocol/ops/footprint.h"
#include "protocol/ops/program.h"

#define GF_FUSE_STEPS 16u  /* longest run; this and the next bound the cost of the search */
#define GF_FUSE_WORK 1536u /* nodes that the search looks at; the steps that are left then stay as they are */
#define GF_FUSE_RUNS (GF_MAX_STEPS / 2)

struct gf_expr;

/* The fused runs of a program, and what the fused program needs. */
struct gf_fused {
    uint32_t n_runs;
    struct gf_expr *nodes[GF_FUSE_RUNS]; /* of each run; owned, and referenced by the fused step */
    uint16_t numbers[GF_MAX_STEPS + 1];  /* original number of each step, or of the first step of its run; the last
                                          * entry is the original count */
    struct gf_footprint footprint;
};

/* Makes each run of a checked program one step, unless the program forbids it or a CPU device with this many threads
 * (0: a GPU) would need more memory; `in_slabs` as for gf_footprint_find. A run stays unfused without memory. The fused
 * program can be run but no longer encoded; its steps point into *ret_fused, which is always initialised. */
void gf_fuse(struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_fused *ret_fused);
void gf_fused_deinit(struct gf_fused *fused);

/* The nodes that a step would add to a run, alpha included, if the step only reads input 0 with this view. False if the
 * step cannot be part of a run, reads more inputs, or there is no memory. */
bool gf_fuse_step(const struct gf_step *step, const struct gf_view *in, struct gf_expr *ret_nodes);

/* Writes "steps 2-3 and 5-7 fused", or nothing if no step is, truncated to size - 1 characters. The program runs in n
 * steps; a bit in `carried` marks a step whose value went on to the next step without a store. Returns text. */
const char *gf_fused_text(const struct gf_fused *fused, uint32_t n, uint64_t carried, char *text, size_t size);

#endif
