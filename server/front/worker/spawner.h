/* SPDX-License-Identifier: MIT */
/*
 * A process that starts workers and the metrics listener. It is forked before the front gives up its rights, so that
 * the front need not keep the rights that a worker needs. It runs only the programs that were named at its start, and
 * takes no option from the front, which might have been taken over. The processes are the front's children and are
 * waited for by the front. Called by server_start.c (start), server.c (end) and worker_process.c.
 */
#ifndef GF_FRONT_SPAWNER_H
#define GF_FRONT_SPAWNER_H

#include <sys/types.h>
#include <uv.h>

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

struct gf_spawner;

/* The spawner has ended, which it never does by itself. */
typedef void gf_spawner_lost(void *data);

enum gf_spawner_program { GF_SPAWNER_WORKER, GF_SPAWNER_METRICS, GF_SPAWNER_PROGRAMS };

/* Starts the spawner for these programs, of which NULL is never run; `sandbox`: whether they close their sandboxes. No
 * other thread may run. START_FAILED, NO_MEMORY. */
enum gf_status gf_spawner_start(uv_loop_t *loop, const char *const programs[GF_SPAWNER_PROGRAMS], bool sandbox,
                                gf_spawner_lost *lost, void *data, struct gf_spawner **ret_spawner,
                                struct gf_error *err);

/* What the front may choose; the spawner makes the command line. All but the program concerns workers. */
struct gf_spawner_request {
    char device[GF_MAX_DEVICE_NAME + 1];
    uint64_t scratch, device_memory, host_mapped_max; /* bytes, as the worker's options; 0: its default */
    uint64_t program;                                 /* enum gf_spawner_program */
};

#define GF_SPAWNER_FDS 2u

/* Starts the program with copies of the descriptors from 3 on: its connection to the front, and for METRICS the
 * listening socket. Waits until exec has succeeded or failed. Returns 0 or errno. */
int gf_spawner_run(struct gf_spawner *spawner, const struct gf_spawner_request *request, const int *fds, size_t n_fds,
                   pid_t *ret_pid);
const char *gf_spawner_path(const struct gf_spawner *spawner, enum gf_spawner_program program);

/* Ends the spawner; accepts NULL, returns NULL. The loop must run once more. */
struct gf_spawner *gf_spawner_free(struct gf_spawner *spawner);

#endif
