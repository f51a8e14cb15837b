/* SPDX-License-Identifier: MIT */
/*
 * One worker process: started here or joined from elsewhere, watched and killed through a pidfd. Made and owned by
 * worker.c; metrics_listener.c has another program started and watched in the same way.
 */
#ifndef GF_FRONT_WORKER_PROCESS_H
#define GF_FRONT_WORKER_PROCESS_H

#include <uv.h>

#include "protocol/base/error.h"
#include "spawner.h"

struct gf_worker_process;

#define GF_EXIT_UNKNOWN (-1) /* not a child of the daemon */
#define GF_EXIT_SIGNAL 256   /* plus the number of the signal that ended it */

/* The process has ended: its exit code or one of the above, and the reason in words. Called once. */
typedef void gf_worker_exited(void *data, int code, const char *how);

/* Starts the worker program with one end of a new socket pair; the caller gets the other. START_FAILED with the
 * reason. */
enum gf_status gf_worker_process_start(uv_loop_t *loop, struct gf_spawner *spawner,
                                       const struct gf_spawner_request *request, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err);
/* The same for the program that `request` names, which also gets a copy of the descriptor `more`. */
enum gf_status gf_worker_process_start_with(uv_loop_t *loop, struct gf_spawner *spawner,
                                            const struct gf_spawner_request *request, int more,
                                            gf_worker_exited *exited, void *data,
                                            struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err);
/* Watches a process that was started elsewhere. START_FAILED if it no longer exists. */
enum gf_status gf_worker_process_join(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                                      struct gf_worker_process **ret_process, struct gf_error *err);
void gf_worker_process_kill(struct gf_worker_process *process);
/* Stops watching. Accepts NULL, returns NULL. */
struct gf_worker_process *gf_worker_process_free(struct gf_worker_process *process);

#endif
