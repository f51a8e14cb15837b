/* SPDX-License-Identifier: MIT */
/*
 * Admission of jobs to a device: any number of jobs together, or a single job that needs all of the device's memory.
 * Jobs enter in the order of arrival, and none waits longer than its deadline allows. Called by
 * kernels/cuda/cuda_schedule.c.
 */
#ifndef GF_KERNELS_ADMISSION_H
#define GF_KERNELS_ADMISSION_H

#include <pthread.h>

#include "backend.h"

struct gf_admission_waiter;

struct gf_admission {
    pthread_mutex_t mutex; /* guards the remaining fields */
    pthread_cond_t changed;
    struct gf_admission_waiter *first; /* the longest waiter */
    uint32_t inside;
    bool alone; /* the job inside has the device alone */
};

void gf_admission_init(struct gf_admission *admission);
/* No job may be inside or waiting. */
void gf_admission_deinit(struct gf_admission *admission);

/* Waits for the job's turn. Returns CANCELLED or DEADLINE within a few milliseconds; the job is then not inside. */
enum gf_status gf_admission_enter(struct gf_admission *admission, bool alone, const struct gf_job *job,
                                  struct gf_error *err);
void gf_admission_leave(struct gf_admission *admission);
/* Returns the number of waiting jobs. */
uint32_t gf_admission_waiting(struct gf_admission *admission);

#endif
