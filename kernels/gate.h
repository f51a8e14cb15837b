/* SPDX-License-Identifier: MIT */
/*
 * Who may work on a device: any number of jobs together, or one that needs all of its memory alone. Nobody is overtaken
 * by who came later, and nobody waits longer than its job may run. Called by kernels/cuda/cuda_strips.c.
 */
#ifndef GF_KERNELS_GATE_H
#define GF_KERNELS_GATE_H

#include <pthread.h>

#include "backend.h"

struct gf_gate_waiter;

struct gf_gate {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t changed;
    struct gf_gate_waiter *first; /* who waits longest */
    uint32_t inside;
    bool alone; /* who is inside */
};

void gf_gate_init(struct gf_gate *gate);
/* Nobody is inside or waits. */
void gf_gate_deinit(struct gf_gate *gate);

/* Waits for its turn. CANCELLED and DEADLINE within some milliseconds: then it is not inside. */
enum gf_status gf_gate_enter(struct gf_gate *gate, bool alone, const struct gf_job *job, struct gf_error *err);
void gf_gate_leave(struct gf_gate *gate);
/* How many wait. */
uint32_t gf_gate_waiting(struct gf_gate *gate);

#endif
