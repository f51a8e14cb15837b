/* SPDX-License-Identifier: MIT */
/*
 * A process that starts workers. It is forked before the front gives up its rights, so that the front need not keep the
 * rights that a worker needs. It runs only the program that was named at its start. The workers are the front's
 * children and are waited for by the front. Called by server_start.c (start), server.c (end) and worker_process.c.
 */
#ifndef GF_FRONT_SPAWNER_H
#define GF_FRONT_SPAWNER_H

#include <sys/types.h>
#include <uv.h>

#include "protocol/base/error.h"

struct gf_spawner;

/* The spawner has ended, which it never does by itself. */
typedef void gf_spawner_lost(void *data);

/* Starts the spawner for `program`; `sandbox`: whether its workers close their sandboxes. No other thread may run.
 * START_FAILED, NO_MEMORY. */
enum gf_status gf_spawner_start(uv_loop_t *loop, const char *program, bool sandbox, gf_spawner_lost *lost, void *data,
                                struct gf_spawner **ret_spawner, struct gf_error *err);

/* Starts the program with the null-terminated list of arguments and a copy of `fd` as its descriptor 3. Waits until
 * exec has succeeded or failed. Returns 0 or errno. */
int gf_spawner_run(struct gf_spawner *spawner, const char *const *args, int fd, pid_t *ret_pid);
const char *gf_spawner_program(const struct gf_spawner *spawner);

/* Ends the spawner; accepts NULL, returns NULL. The loop must run once more. */
struct gf_spawner *gf_spawner_free(struct gf_spawner *spawner);

#endif
