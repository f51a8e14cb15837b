/* SPDX-License-Identifier: MIT */
/*
 * Tells the front what the driver says about the worker's GPU, in a thread of its own: the driver may take milliseconds
 * for an answer, or hang, and no request waits for it. The thread runs when it is asked, and waits otherwise. Called by
 * job_loop.c; every function may be called from any thread.
 */
#ifndef GF_WORKER_GPU_WATCH_H
#define GF_WORKER_GPU_WATCH_H

struct gf_gpu_watch;

/* Starts the thread for the GPU with this UUID; it sends on the front's socket, which must stay open. NULL without
 * memory or a thread. The driver is first called when figures are asked for. If it gives none, the log says why, once.
 */
struct gf_gpu_watch *gf_gpu_watch_start(int front, const char *uuid);
/* Has the figures read and sent. Does not wait. NULL is allowed, as below. */
void gf_gpu_watch_ask(struct gf_gpu_watch *watch);
/* Does the same and waits until it is done, at most for a tenth of a second: what the driver says of a lost device. */
void gf_gpu_watch_ask_last(struct gf_gpu_watch *watch);
/* Ends the thread, or leaves it alone if it does not end within a tenth of a second, and its memory with it: the
 * process is about to end. */
void gf_gpu_watch_stop(struct gf_gpu_watch *watch);

#endif
