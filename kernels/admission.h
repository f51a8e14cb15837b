/* SPDX-License-Identifier: MIT */
/*
 * Who may work on a device: any number of jobs together, or one that needs all of its memory alone. Nobody is overtaken
 * by who came later, and nobody waits longer than its job may run. Called by kernels/cuda/cuda_schedule.c.
 */
#ifndef GF_KERNELS_ADMISSION_H
#define GF_KERNELS_ADMISSION_H

#include <pthread.h>

#include "backend.h"

struct gf_admission_waiter;

struct gf_admission {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t changed;
    struct gf_admission_waiter *first; /* who waits longest */
    uint32_t inside;
    bool alone; /* who is inside */
};

void gf_admission_init(struct gf_admission *admission);
/* Nobody is inside or waits. */
void gf_admission_deinit(struct gf_admission *admission);

/* Waits for its turn. CANCELLED and DEADLINE within some milliseconds: then it is not inside. */
enum gf_status gf_admission_enter(struct gf_admission *admission, bool alone, const struct gf_job *job,
                                  struct gf_error *err);
void gf_admission_leave(struct gf_admission *admission);
/* How many wait. */
uint32_t gf_admission_waiting(struct gf_admission *admission);

#endif
