/* SPDX-License-Identifier: MIT */
/*
 * A process that starts workers. It is forked before the front gives up its rights, so that the front need not keep the
 * rights that a worker needs. It runs only the program that was named at its start, and takes no option from the front,
 * which might have been taken over. The workers are the front's
 * children and are waited for by the front. Called by server_start.c (start), server.c (end) and worker_process.c.
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

/* Starts the spawner for `program`; `sandbox`: whether its workers close their sandboxes. No other thread may run.
 * START_FAILED, NO_MEMORY. */
enum gf_status gf_spawner_start(uv_loop_t *loop, const char *program, bool sandbox, gf_spawner_lost *lost, void *data,
                                struct gf_spawner **ret_spawner, struct gf_error *err);

/* What the front may choose of a worker; the spawner makes the command line. */
struct gf_spawner_request {
    char device[GF_MAX_DEVICE_NAME + 1];
    uint64_t scratch, device_memory, host_mapped_max; /* bytes, as the worker's options; 0: its default */
};

/* Starts the program with a copy of `fd` as its descriptor 3, which is its connection to the front. Waits until exec
 * has succeeded or failed. Returns 0 or errno. */
int gf_spawner_run(struct gf_spawner *spawner, const struct gf_spawner_request *request, int fd, pid_t *ret_pid);
const char *gf_spawner_program(const struct gf_spawner *spawner);

/* Ends the spawner; accepts NULL, returns NULL. The loop must run once more. */
struct gf_spawner *gf_spawner_free(struct gf_spawner *spawner);

#endif
