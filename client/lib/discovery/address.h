/* SPDX-License-Identifier: MIT */
/*
 * The paths where a daemon may listen, and connecting to them. Implements the search order and checks that a private
 * directory belongs to the user. Used by connect.c and autostart.c.
 */
#ifndef GF_CLIENT_ADDRESS_H
#define GF_CLIENT_ADDRESS_H

#include <sys/types.h>

#include "protocol/base/error.h"

#define GF_SOCKET_PATH 108 /* size of sun_path in struct sockaddr_un */
#define GF_SYSTEM_SOCKET "/run/gpufilter/gpufilterd.sock"

/* The input of the search. */
struct gf_environment {
    const char *named;       /* a socket named by the caller or by $GPUFILTER_SOCKET; NULL: none */
    const char *system;      /* GF_SYSTEM_SOCKET; NULL: not tried */
    const char *booted;      /* "/run/systemd/system", which exists where systemd runs the services */
    const char *runtime_dir; /* $XDG_RUNTIME_DIR; NULL: none */
    const char *temp_dir;    /* "/tmp" */
    uid_t uid;               /* of this user */
};

/* Fills in the surroundings of this process. The caller's `socket` (may be NULL) and `only_private` take precedence
 * over the environment, which a privileged program ignores. BAD_ARGUMENT: the environment contradicts itself. */
enum gf_status gf_environment_read(const char *socket, bool only_private, struct gf_environment *ret,
                                   struct gf_error *err);

/* Whether a daemon was set up for this user, even if nothing answers: a socket was named, the system's exists, or the
 * service is installed on a machine that systemd runs, for which its directory of the socket stands. A private daemon
 * must not take its place unasked: it would use the same GPU outside all quotas, or this machine for work meant for
 * others. */
bool gf_daemon_is_set_up(const struct gf_environment *s);
/* $GPUFILTER_WAIT in milliseconds, rounded up; 0 if it is not set or 0. BAD_ARGUMENT. */
enum gf_status gf_environment_wait_ms(uint32_t *ret_ms, struct gf_error *err);

/* Whether $GPUFILTER_DEBUG is 1. BAD_ARGUMENT. */
enum gf_status gf_environment_debug(bool *ret, struct gf_error *err);

/* Path of the private directory, $XDG_RUNTIME_DIR/gpufilter or TEMP/gpufilter-UID. If another user has taken that name,
 * TEMP/gpufilter-UID.XXXXXX, which is found by its owner or made. BAD_ARGUMENT: too long. NOT_PERMITTED: it cannot be
 * made. */
enum gf_status gf_private_dir(const struct gf_environment *s, char ret_path[GF_SOCKET_PATH], struct gf_error *err);
/* Opens the private directory, which must belong to this user and be closed to others; `create`: makes it first.
 * *ret_fd is -1 if it does not exist. NOT_PERMITTED: it belongs to another user, is open to others or is not a
 * directory. */
enum gf_status gf_private_dir_open(const struct gf_environment *s, const char *path, bool create, int *ret_fd,
                                   struct gf_error *err);
/* Path of the private socket in that directory; its name contains the protocol's major version. */
enum gf_status gf_private_socket(const char *dir, char ret_path[GF_SOCKET_PATH], struct gf_error *err);

/* Connects to the socket at path before the deadline (of gf_now; 0: without waiting) and stores the server's user.
 * NO_DAEMON with errno's text: nothing listens there. NOT_PERMITTED: this user may not use the socket; the text says
 * who may. A socket of group root is tried twice: systemd gives a new socket to its group a moment after it was made.
 * TIMEOUT: its accept queue is full. BAD_ARGUMENT: path too long. */
enum gf_status gf_socket_connect(const char *path, int64_t deadline, int *ret_fd, uid_t *ret_uid, struct gf_error *err);

#endif
