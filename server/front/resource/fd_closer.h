/* SPDX-License-Identifier: MIT */
/*
 * Closes descriptors that came from clients, and clients' sockets: the loop never waits for that. A close that may wait
 * goes to a process (close_process.h) and is charged to its user until it is done; the front stops reading from a user
 * with too many of them, so only that user waits. Owned by server.c; called by every owner of such descriptors.
 *
 * Without a closer (NULL), as in tests of single parts, everything is closed at once.
 */
#ifndef GF_FRONT_FD_CLOSER_H
#define GF_FRONT_FD_CLOSER_H

#include <uv.h>

#include "quota.h"

/* What one user may have that is not closed yet. One message brings at most 253 more. */
#define GF_USER_CLOSING 16u
/* When so much is not closed yet, of all users, those who have a part in it are not read from. */
#define GF_ALL_CLOSING 128u

struct gf_fd_closer;

struct gf_fd_closer_ops {
    /* There may be users again who can be read from. */
    void (*freed)(void *data);
    /* The processes are gone; the front must end. */
    void (*lost)(void *data);
};

/* Before anything else is made; `n_fds` numbers are there. START_FAILED, NO_MEMORY. */
enum gf_status gf_fd_closer_new(uint64_t n_fds, struct gf_fd_closer **ret_closer, struct gf_error *err);
enum gf_status gf_fd_closer_start(struct gf_fd_closer *closer, uv_loop_t *loop, const struct gf_fd_closer_ops *ops,
                                  void *data, struct gf_error *err);
/* Closes the handles. */
void gf_fd_closer_stop(struct gf_fd_closer *closer);
/* Last of all: what is not closed by now is left to the processes, which stay until it is. */
struct gf_fd_closer *gf_fd_closer_free(struct gf_fd_closer *closer);

/* Whether a descriptor is of memory: a memfd or a file on tmpfs or hugetlbfs. This alone asks no file system. */
bool gf_is_memory(int fd);

/* A descriptor that is not memory: it leaves the table soon. */
void gf_fd_closer_foreign(struct gf_fd_closer *closer, struct gf_account *account, int fd);
/* Memory; large ones take long to free. */
void gf_fd_closer_memory(struct gf_fd_closer *closer, int fd);
/* A client's socket, or one that clients connect to: what they sent and nobody read is closed with it. */
void gf_fd_closer_socket(struct gf_fd_closer *closer, struct gf_account *account, int fd);
void gf_fd_closer_listener(struct gf_fd_closer *closer, int fd);

/* Whether nothing more is to be read from this user's connections: much of what came is not closed yet. */
bool gf_fd_closer_full(const struct gf_fd_closer *closer, struct gf_account *account);
/* Whether a descriptor has one of the last numbers; asked of each that comes. They are kept free for what one message
 * can bring, since the kernel closes in our place what it finds no number for. */
bool gf_fd_closer_crowded(const struct gf_fd_closer *closer, int fd);
/* Sockets that wait for their user. */
uint32_t gf_fd_closer_waiting(const struct gf_fd_closer *closer);

#endif
