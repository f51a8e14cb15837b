/* SPDX-License-Identifier: MIT */
/*
 * Processes that close descriptors for the front. close() of a file on FUSE asks the file's server and cannot be
 * interrupted, not even by SIGKILL; the last close of a TCP socket may wait as long as its sender has set; that of a
 * large file takes time for all its pages. So another process that shares the front's descriptor table makes such a
 * call: the number is free at once, and only that process waits.
 *
 * The first of them, the keeper, waits for the front to end. The others read the numbers to close from a pipe; a reader
 * makes sure that another process continues reading before it closes. So there are as many processes as closes that do
 * not return, and at most two more. A socket's close is interrupted after a moment. Since they hold the table, the
 * front's exit closes nothing: SIGKILL ends it whatever is open. Then the keeper's children close every number, the
 * lowest first: lock, listening sockets, connections, links to workers; one that does not return stops no other. A
 * close that still does not return is left unanswered by its owner's file system, and only its process waits for it.
 *
 * They make system calls only: no allocation, no locks, no libc function that a sanitizer replaces. Called by
 * fd_closer.c.
 */
#ifndef GF_FRONT_CLOSE_PROCESS_H
#define GF_FRONT_CLOSE_PROCESS_H

#include <sys/types.h>

#include "protocol/base/error.h"

struct gf_close_process {
    pid_t pid;           /* the keeper */
    int pidfd;           /* of it: readable when it has ended */
    int orders, answers; /* our ends of pipes */
    int theirs[2];       /* the other ends: numbers are shared */
    struct gf_fd_closer_shared *shared;
};

#define GF_CLOSE_PROCESS_NULL ((struct gf_close_process){.pidfd = -1, .orders = -1, .answers = -1, .theirs = {-1, -1}})

/* Makes the processes, before the front has anything to share but its table. START_FAILED. */
enum gf_status gf_close_process_start(struct gf_close_process *process, struct gf_error *err);

/* In the end they look for what is open below this number. */
void gf_close_process_below(const struct gf_close_process *process, int number);

/* Has the descriptor closed; false when the pipe is full. A token that is not 0 comes back when it was. */
bool gf_close_process_send(const struct gf_close_process *process, int fd, uint64_t token);
/* Takes up to `capacity` tokens that have come back; returns how many. */
size_t gf_close_process_receive(const struct gf_close_process *process, uint64_t *tokens, size_t capacity);

/* Ends them, when nothing is being closed. Otherwise they are left alone and end after the front. */
void gf_close_process_stop(struct gf_close_process *process, bool idle);

#endif
