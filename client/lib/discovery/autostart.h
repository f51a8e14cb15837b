/* SPDX-License-Identifier: MIT */
/*
 * Starting a private daemon: one at a time under a lock, detached from this process, waited for until ready; its own
 * error message is returned when it fails. Used by connect.c.
 */
#ifndef GF_CLIENT_AUTOSTART_H
#define GF_CLIENT_AUTOSTART_H

#include "protocol/base/error.h"

/* Takes the lock for starting daemons in the directory; waits for whoever has it. The caller closes *ret_fd, which ends
 * it. TIMEOUT, START_FAILED. */
enum gf_status gf_start_lock(int dir_fd, int64_t deadline, int *ret_fd, struct gf_error *err);

/* The program to start: `named`, else $GPUFILTER_DAEMON, else the installed one, else one beside this program or in
 * $PATH. START_FAILED where there is none. */
enum gf_status gf_start_program(const char *named, char *ret_path, size_t capacity, struct gf_error *err);

/* Starts the program for a socket in the directory, with --socket, --ready-fd and --idle-exit, and waits until it is
 * ready. Its messages go to gpufilterd.log there. START_FAILED with its last words. */
enum gf_status gf_start_daemon(const char *program, int dir_fd, const char *socket, int64_t deadline,
                               struct gf_error *err);

#endif
