/* SPDX-License-Identifier: MIT */
/*
 * A process that starts workers. It is made before the front gives up its rights, so that the front need not keep those
 * of a worker. It runs one program, named when it began; the processes are the front's children, and waited for there.
 * Called by server_start.c (beginning), server.c (end) and worker_process.c.
 */
#ifndef GF_FRONT_SPAWNER_H
#define GF_FRONT_SPAWNER_H

#include <sys/types.h>
#include <uv.h>

#include "protocol/base/error.h"

struct gf_spawner;

/* The spawner ended, which it does not by itself. */
typedef void gf_spawner_lost(void *data);

/* Starts it for the program; sandbox: whether its workers close theirs. No other thread runs. START_FAILED, NO_MEMORY.
 */
enum gf_status gf_spawner_start(uv_loop_t *loop, const char *program, bool sandbox, gf_spawner_lost *lost, void *data,
                                struct gf_spawner **ret_spawner, struct gf_error *err);

/* Starts the program with the arguments, which NULL ends, and `fd` as its descriptor 3, which stays the caller's. Waits
 * until it runs. 0, or errno. */
int gf_spawner_run(struct gf_spawner *spawner, const char *const *args, int fd, pid_t *ret_pid);
const char *gf_spawner_program(const struct gf_spawner *spawner);

/* Ends it; takes NULL, returns NULL. The loop has to turn once more. */
struct gf_spawner *gf_spawner_free(struct gf_spawner *spawner);

#endif
