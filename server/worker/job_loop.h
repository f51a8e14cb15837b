/* SPDX-License-Identifier: MIT */
/*
 * The worker's threads. One of them at a time, the leader, waits for the front's next message. On a RUN it passes the
 * lead on and runs the job itself, so that no job moves between threads. There is one thread more than there are job
 * slots, so that CANCEL and PING are answered while all slots are taken. Called by main.c.
 */
#ifndef GF_WORKER_JOB_LOOP_H
#define GF_WORKER_JOB_LOOP_H

#include <signal.h>

#include "kernels/backend.h"

struct gf_job_loop_options {
    int front;                /* connected SOCK_SEQPACKET; owned by the caller */
    const char *device;       /* as given to --device */
    uint32_t threads;         /* of a CPU device, 0: all */
    uint32_t slots;           /* jobs at once */
    uint64_t pinned_max;      /* bytes of client arenas that stay page-locked */
    uint64_t device_memory;   /* as in gf_device_options */
    uint64_t host_mapped_max; /* as in gf_device_options */
    const char *kernel_cache; /* as in gf_device_options */
    uint64_t scratch;         /* bytes for jobs besides operands and results; 0: half of the machine's memory */
    const volatile sig_atomic_t *told_to_end; /* set before somebody shuts the socket down for reading */
    void (*notify)(const char *state);        /* to systemd, as in gf_notify_send */
};

/* Opens the device, sends a hello to the front and serves until the front closes the socket or the socket is shut down
 * for reading; running jobs are finished and answered first. Returns an enum gf_worker_exit. If the device does not
 * exist or is lost, an ERROR with id 0 tells the front why; a lost device ends the process at once. Reports READY=1
 * when the front has taken the worker. A worker that is told to end says goodbye: an ERROR with id 0 and SHUTDOWN. */
int gf_job_loop_run(const struct gf_job_loop_options *options);

#endif
