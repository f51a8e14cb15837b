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
    uint32_t last;    /* the last step that reads it; if there is none, the step itself */
    uint32_t n_sinks; /* results that are the output */
};

/* The users of all outputs and operands. */
struct gf_uses {
    struct gf_use outputs[GF_MAX_STEPS][GF_MAX_OUTPUTS];
    uint32_t operands[GF_MAX_OPERANDS]; /* the last step that reads each; 0 if there is none */
};

/* Finds the uses by steps; the caller counts the sinks. */
void gf_uses_find(const struct gf_step *steps, uint32_t n_steps, struct gf_uses *ret_uses);
/* Finds all uses of a program's outputs and operands. kernels/backend.h has the same for a job. */
void gf_program_uses(const struct gf_program *p, struct gf_uses *ret_uses);
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

/* What is in memory while a step runs. */
struct gf_footprint_step {
    uint64_t before;  /* bytes of outputs of earlier steps */
    uint64_t outputs; /* bytes of its own outputs */
    uint64_t scratch; /* bytes of scratch memory; steps share it, and it stays as large as an earlier step needed it, */
    bool apart;       /* unless the step allocates its own */
};

/* gf_footprint_find, and the same for each step. */
void gf_footprint_find_steps(const struct gf_program *p, uint32_t threads, bool in_slabs,
                             struct gf_footprint_step *ret_steps, struct gf_footprint *ret);
/* Makes n consecutive steps one step of expr that reads what they read and has the output of the last one. The others
 * become zero, and count no more. */
void gf_footprint_join(struct gf_footprint_step *steps, uint32_t n, uint32_t threads);
/* gf_footprint.work of a program with these steps. */
uint64_t gf_footprint_work(const struct gf_footprint_step *steps, uint32_t n_steps);

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
