/* SPDX-License-Identifier: MIT */
/*
 * The host memory that a program needs besides its operands and results: private copies of lists, outputs that later
 * steps read, and scratch memory of steps on the CPU. Front and worker call the same function, so that the front
 * charges what the worker uses; the CPU backend places outputs by the same rule. docs/operating.md describes its
 * purpose.
 */
#ifndef GF_PROTOCOL_FOOTPRINT_H
#define GF_PROTOCOL_FOOTPRINT_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The users of an output of a step. */
struct gf_use {
    uint32_t last; /* the last step that reads it; if there is none, the step itself */
    uint32_t n_sinks;
};

/* Finds the uses of all outputs by steps, GF_MAX_OUTPUTS per step; sinks are not counted yet. */
void gf_uses_find(const struct gf_step *steps, uint32_t n_steps, struct gf_use *ret_uses);
/* Whether an output of step `at` needs memory of its own. It does not if its only reader is a result with room for all
 * of it, or if it is COUNTED and unused. */
bool gf_use_needs_memory(const struct gf_use *use, const struct gf_step *step, uint32_t at, uint32_t output);

struct gf_footprint {
    uint64_t copies; /* bytes on any device */
    uint64_t work;   /* upper bound of additional bytes on the CPU; a GPU uses its own memory for this */
};

/* The footprint of a checked program on a CPU device with this many threads; a value that overflows is UINT64_MAX.
 * `in_slabs`: it may run in parts, whose results do not hold whole outputs. */
void gf_footprint_find(const struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_footprint *ret);
/* The part of the footprint on any device: the private copies. */
uint64_t gf_footprint_copies(const struct gf_program *p);

/* The first operand with the same memory and shape as operand `index`; both share a copy. */
uint32_t gf_footprint_copy_of(const struct gf_program *p, uint32_t index);
/* The operands that are copied, one bit each. */
uint64_t gf_footprint_copied(const struct gf_program *p);

static inline uint64_t gf_footprint_total(const struct gf_footprint *f, bool cpu)
{
    uint64_t sum = f->copies + (cpu ? f->work : 0);
    return sum < f->copies ? UINT64_MAX : sum;
}

#ifdef __cplusplus
}
#endif
#endif
