/* SPDX-License-Identifier: MIT */
/*
 * Processes that close descriptors for the front. close() of a file on FUSE asks the file's server and cannot be
 * interrupted, not even by SIGKILL. The last close of a TCP socket may wait for as long as its sender has set. The last
 * close of a large file frees all its pages, which takes time. Such a close is therefore done by another process that
 * shares the front's descriptor table: the number is free at once, and only that process blocks.
 *
 * The first process, the keeper, waits for the front to end. The others, the closers, read the numbers to close from a
 * pipe; a closer makes sure that another one is reading before it closes. There are therefore as many closers as
 * blocked closes, and at most two more. A timer interrupts the close of a socket. Because these processes hold the
 * descriptor table, the front's exit closes nothing, and SIGKILL ends the front whatever is open. The keeper's children
 * then close every number, the lowest first: lock, listening sockets, connections, links to workers. A close that never
 * returns blocks only its own process.
 *
 * If the keeper is killed, its closers end with it, and the front starts others, which inherit its sandbox. They hold a
 * copy of the front's memory as it is then, without the memory for inline data.
 *
 * The processes only make system calls: no allocation, no locks, no libc function that a sanitizer replaces. Called by
 * fd_closer.c.
 */
#ifndef GF_FRONT_CLOSE_PROCESS_H
#define GF_FRONT_CLOSE_PROCESS_H

#include <sys/types.h>

#include "protocol/base/error.h"

struct gf_close_process {
    pid_t pid;           /* the keeper */
    int pidfd;           /* of the keeper; readable when it has ended */
    int orders, answers; /* the front's ends of the pipes */
    int theirs[2];       /* the processes' ends; the table is shared, so the front keeps them open */
    struct gf_fd_closer_shared *shared;
};

#define GF_CLOSE_PROCESS_NULL ((struct gf_close_process){.pidfd = -1, .orders = -1, .answers = -1, .theirs = {-1, -1}})

/* Starts the processes: before anything else, or in place of those that were killed. START_FAILED. */
enum gf_status gf_close_process_start(struct gf_close_process *process, struct gf_error *err);

/* Raises the end of the range of numbers that the processes close after the front has ended. */
void gf_close_process_below(const struct gf_close_process *process, int number);

/* Queues a descriptor for closing; false if the pipe is full. A token other than 0 comes back after the close. */
bool gf_close_process_send(const struct gf_close_process *process, int fd, uint64_t token);
/* Takes up to `capacity` tokens whose descriptors are closed; returns how many. */
size_t gf_close_process_receive(const struct gf_close_process *process, uint64_t *tokens, size_t capacity);

/* Takes a token back from processes that have ended, whose descriptor none of them took; false if there is none. */
bool gf_close_process_take_back(const struct gf_close_process *process, uint64_t *ret_token);

/* Ends the processes if nothing is being closed. Otherwise they end after the front. */
void gf_close_process_stop(struct gf_close_process *process, bool idle);

#endif
