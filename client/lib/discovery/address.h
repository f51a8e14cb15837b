/* SPDX-License-Identifier: MIT */
/*
 * The paths where a daemon may listen, and connecting to them. Owns the search order and the checks that a private
 * directory is the user's own. Used by connect.c and autostart.c.
 */
#ifndef GF_CLIENT_ADDRESS_H
#define GF_CLIENT_ADDRESS_H

#include <sys/types.h>

#include "protocol/base/error.h"

#define GF_SOCKET_PATH 108 /* room in struct sockaddr_un */
#define GF_SYSTEM_SOCKET "/run/gpufilter/gpufilterd.sock"

/* What the search looks at. */
struct gf_surroundings {
    const char *named;       /* a socket named by the caller or by $GPUFILTER_SOCKET; NULL: none */
    const char *system;      /* GF_SYSTEM_SOCKET; NULL: not to be asked */
    const char *runtime_dir; /* $XDG_RUNTIME_DIR; NULL: none */
    const char *temp_dir;    /* "/tmp" */
    uid_t uid;               /* of this user */
};

/* The surroundings of this process; `socket` is what the caller named, or NULL, and `only_private` that it wants a
 * private daemon; it comes before the environment, of which a privileged program takes nothing. BAD_ARGUMENT: the
 * environment contradicts itself. */
enum gf_status gf_surroundings_here(const char *socket, bool only_private, struct gf_surroundings *ret,
                                    struct gf_error *err);

/* Whether a daemon was set up for this user: a socket was named, or the system's is there, though nobody may answer. No
 * private daemon takes its place unasked: it would be on the same GPU past all quotas, or on this machine where the
 * work is meant for others. */
bool gf_is_set_up(const struct gf_surroundings *s);
/* $GPUFILTER_WAIT in milliseconds, rounded up; 0: not set, or 0. BAD_ARGUMENT. */
enum gf_status gf_wait_here(uint32_t *ret_ms, struct gf_error *err);

/* Path of the private directory, $XDG_RUNTIME_DIR/gpufilter or TEMP/gpufilter-UID. Where another user has taken that
 * name, TEMP/gpufilter-UID.XXXXXX, which is found by its owner or made. BAD_ARGUMENT: too long. NOT_PERMITTED: it
 * cannot be made. */
enum gf_status gf_private_dir(const struct gf_surroundings *s, char ret_path[GF_SOCKET_PATH], struct gf_error *err);
/* Opens the private directory, which must belong to this user alone; `create`: makes it first. *ret_fd is -1 where it
 * does not exist. NOT_PERMITTED: it belongs to somebody else, is open to others or no directory. */
enum gf_status gf_private_dir_open(const struct gf_surroundings *s, const char *path, bool create, int *ret_fd,
                                   struct gf_error *err);
/* Path of the private socket in that directory; its name carries the protocol's major version. */
enum gf_status gf_private_socket(const char *dir, char ret_path[GF_SOCKET_PATH], struct gf_error *err);

/* Connects to the socket at path before the deadline (of gf_now; 0: at once or not at all) and stores the user the
 * server runs as. NO_DAEMON with errno's text: nobody answers there. NOT_PERMITTED: the socket is not for this user;
 * the text says for whom it is. TIMEOUT: it has too many that wait. BAD_ARGUMENT: path too long. */
enum gf_status gf_dial(const char *path, int64_t deadline, int *ret_fd, uid_t *ret_uid, struct gf_error *err);

#endif
