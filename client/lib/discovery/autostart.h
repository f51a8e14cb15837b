/* SPDX-License-Identifier: MIT */
/*
 * Starts a private daemon: only one at a time under a lock, detached from this process; waits until the daemon is
 * ready, and returns its own error message if it fails. Used by connect.c.
 */
#ifndef GF_CLIENT_AUTOSTART_H
#define GF_CLIENT_AUTOSTART_H

#include "protocol/base/error.h"

/* Takes the directory's lock for starting daemons, waiting for its holder. The caller closes *ret_fd to release it.
 * TIMEOUT, START_FAILED. */
enum gf_status gf_start_lock(int dir_fd, int64_t deadline, int *ret_fd, struct gf_error *err);

/* The program to start: `named`, otherwise $GPUFILTER_DAEMON, otherwise the installed one, otherwise one beside this
 * program or in $PATH. START_FAILED if there is none. */
enum gf_status gf_start_program(const char *named, char *ret_path, size_t capacity, struct gf_error *err);

/* Starts the program for a socket in the directory, with --socket, --ready-fd and --idle-exit, and waits until it is
 * ready. Its messages go to gpufilterd.log there. START_FAILED with its last words. */
enum gf_status gf_start_daemon(const char *program, int dir_fd, const char *socket, int64_t deadline,
                               struct gf_error *err);

#endif
