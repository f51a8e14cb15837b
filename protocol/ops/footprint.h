/* SPDX-License-Identifier: MIT */
/*
 * Host memory that a program takes beyond its operands and results: private copies of lists, outputs that later steps
 * read, and scratch memory of steps on the CPU. Front and worker call the same function, so that one charges what the
 * other takes; the CPU backend places outputs by the same rule. docs/operating.md describes its purpose.
 */
#ifndef GF_PROTOCOL_FOOTPRINT_H
#define GF_PROTOCOL_FOOTPRINT_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who wants an output of a step. */
struct gf_use {
    uint32_t last; /* the last step that reads it; its own step if none */
    uint32_t n_sinks;
};

/* The uses of all outputs, GF_MAX_OUTPUTS for each step, as far as steps say it: nothing is a sink yet. */
void gf_uses_find(const struct gf_step *steps, uint32_t n_steps, struct gf_use *ret_uses);
/* Whether an output of step `at` has memory of its own while it is used: not where its one result has room for all of
 * it and nobody else reads it, and not where it is COUNTED and nobody wants it. */
bool gf_use_needs_memory(const struct gf_use *use, const struct gf_step *step, uint32_t at, uint32_t output);

struct gf_footprint {
    uint64_t copies; /* bytes on any device */
    uint64_t work;   /* more, at most, where the CPU runs it; a GPU has memory of its own for that */
};

/* Of a checked program on a CPU device with so many threads; a figure that does not fit is UINT64_MAX. `in_slabs`: it
 * may run as parts, whose results do not hold whole outputs. */
void gf_footprint_find(const struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_footprint *ret);
/* Of that, what it takes on any device: the private copies. */
uint64_t gf_footprint_copies(const struct gf_program *p);

/* The first operand that names the memory of operand `index` in the same shape: the copy of one is that of both. */
uint32_t gf_footprint_copy_of(const struct gf_program *p, uint32_t index);
/* The operands of which a private copy is made, a bit for each. */
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
