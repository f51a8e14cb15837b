/* SPDX-License-Identifier: MIT */
/*
 * The worker's threads. One of them at a time waits for the front's next message (the leader); on a RUN it passes the
 * lead on and runs the job itself, so no job moves between threads. One thread more than there are job slots answers
 * CANCEL and PING while all slots are taken. Called by main.c.
 */
#ifndef GF_WORKER_JOB_LOOP_H
#define GF_WORKER_JOB_LOOP_H

#include "kernels/backend.h"

struct gf_job_loop_options {
    int front;                /* connected SOCK_SEQPACKET; stays the caller's */
    const char *device;       /* as given to --device */
    uint32_t threads;         /* of a CPU device, 0: all */
    uint32_t slots;           /* jobs at once */
    uint64_t pinned_max;      /* bytes of client arenas kept page-locked */
    uint64_t device_memory;   /* as in gf_device_options */
    const char *kernel_cache; /* as in gf_device_options */
    uint64_t scratch;         /* bytes that jobs take beside operands and results, 0: half of the machine's memory */
};

/* Opens the device, says hello to the front and serves until the front closes the socket or it is shut down for
 * reading; jobs that run are finished and answered first. Returns an enum gf_worker_exit. Where the device is not there
 * or is lost, the front is told why by an ERROR with id 0; a lost device ends the process at once from inside. */
int gf_job_loop_run(const struct gf_job_loop_options *options);

#endif
