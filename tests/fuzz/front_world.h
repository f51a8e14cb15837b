/* SPDX-License-Identifier: MIT */
/*
 * A complete front in this process, for fuzz_session.c: listener, sessions, dispatcher and devices as server_start.c
 * assembles them, but with a clock that only the test moves, workers that are the other ends of socket pairs, and
 * system calls and allocations that fail on command.
 */
#ifndef GF_TESTS_FUZZ_FRONT_WORLD_H
#define GF_TESTS_FUZZ_FRONT_WORLD_H

#include "server/front/session/listener.h"
#include "server/front/session/session.h"

#define WORLD_DEVICES 3u /* cpu, cuda:0, and cuda:1, which joins */
#define WORLD_OWN 2u     /* devices whose workers the front starts itself */
#define WORLD_JOBS 16u   /* that one worker has at most; it says fewer */

/* What stands in for a worker process. */
struct gf_worker_process {
    gf_worker_exited *exited;
    void *data;
    bool killed;
};

/* The end of a worker that is not the front's. */
struct world_device {
    struct gf_worker_process *process; /* NULL: none runs */
    int fd;                            /* -1: closed */
    uint64_t jobs[WORLD_JOBS];         /* numbers of RUNs it has not answered */
    struct gf_program program;         /* of the last RUN that came */
    uint32_t outputs[WORLD_JOBS];
    struct gf_view views[WORLD_JOBS][GF_MAX_RESULTS];
    uint32_t n_jobs;
};

/* What the next calls of the front do. */
struct world_faults {
    uint32_t recv_errno, send_errno, accept_errno, memfd_errno; /* 0: none; once */
    uint32_t recv_most, send_most;                              /* bytes of the next call; 0: all */
    bool recv_cut;                                              /* descriptors of the next call are lost */
    bool start_fails;                                           /* of the next worker process */
    uint32_t allocation;                                        /* the n-th from now on fails; 0: none */
};

struct world {
    uv_loop_t loop;
    struct gf_options options;
    struct gf_quota quota;
    struct gf_memories memories;
    struct gf_staging staging;
    struct gf_workers workers;
    struct gf_metrics metrics;
    struct gf_dispatcher dispatcher;
    struct gf_sessions sessions;
    struct gf_listener listener;
    struct gf_users names;
    struct gf_uids proxies;
    struct world_device devices[WORLD_DEVICES];
    char address[32]; /* of the listener, abstract */
    uint32_t address_size;
    uid_t next_uid; /* of the next client that is accepted */
};

extern struct world world;
extern struct world_faults world_faults;

void world_open(void);
/* Call after all clients have closed. Ends everything and aborts if anything is left. */
void world_close(void);

/* Lets the loop turn so often. */
void world_turn(uint32_t n);
/* Moves the clock and lets the server's sweep happen. */
void world_pass(uint64_t ms);

#define WORLD_PROXY 3u /* the uid of a proxy */

/* A connected client; -1 when the queue is full. */
int world_connect(uid_t uid);

/* Device `i` reads what the front sent it. */
void world_device_read(struct world_device *device);
/* The one that joins connects, if it has no process. */
void world_device_join(struct world_device *device);
/* world_device_greet says hello; world_device_answer answers job `which` with a result or, unless `status` is OK, with
 * an error. */
void world_device_greet(struct world_device *device);
void world_device_answer(struct world_device *device, uint32_t which, enum gf_status status);
/* It sends bytes. */
void world_device_send(struct world_device *device, const uint8_t *data, size_t size);
/* Its process ends. */
void world_device_die(struct world_device *device, int code);

#endif
