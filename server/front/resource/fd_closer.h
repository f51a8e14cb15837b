/* SPDX-License-Identifier: MIT */
/*
 * Closes descriptors that came from clients, and clients' sockets, without ever blocking the loop. A close that may
 * block goes to a process (close_process.h) and is charged to its user until it is done. The front stops reading from a
 * user who has too many pending closes, so that only that user waits. Owned by server.c; called by every owner of such
 * descriptors.
 *
 * If the processes are killed, others are started. What would go to them waits meanwhile and is charged to the user who
 * sent it, and no arena is accepted.
 *
 * Without a closer (NULL), as in unit tests, everything is closed at once.
 */
#ifndef GF_FRONT_FD_CLOSER_H
#define GF_FRONT_FD_CLOSER_H

#include <uv.h>

#include "quota.h"

/* Pending closes of one user beyond which the front stops reading from that user. One message may add up to 253. */
#define GF_USER_CLOSING 16u
/* Pending closes of all users beyond which the front stops reading from every user who has some. */
#define GF_ALL_CLOSING 128u

struct gf_fd_closer;

struct gf_fd_closer_ops {
    /* The front may be able to read from some users again. */
    void (*freed)(void *data);
};

/* Must be called before anything else is made; `n_fds` is the limit of open files. START_FAILED, NO_MEMORY. */
enum gf_status gf_fd_closer_new(uint64_t n_fds, struct gf_fd_closer **ret_closer, struct gf_error *err);
enum gf_status gf_fd_closer_start(struct gf_fd_closer *closer, uv_loop_t *loop, const struct gf_fd_closer_ops *ops,
                                  void *data, struct gf_error *err);
/* Closes the libuv handles. */
void gf_fd_closer_stop(struct gf_fd_closer *closer);
/* Called last: the closer processes finish what is not closed by now, then end. */
struct gf_fd_closer *gf_fd_closer_free(struct gf_fd_closer *closer);

/* Whether a descriptor refers to memory: a memfd, or a file on tmpfs or hugetlbfs. The check calls no file system. */
bool gf_is_memory(int fd);

/* Closes a descriptor that is not memory; its number is free soon. */
void gf_fd_closer_foreign(struct gf_fd_closer *closer, struct gf_account *account, int fd);
/* Closes a descriptor of memory; freeing large memory takes time. The account is charged only while the processes are
 * killed and not replaced: it is that of the connection on which the descriptor came, or NULL for memory that was
 * charged before, such as an arena. */
void gf_fd_closer_memory(struct gf_fd_closer *closer, struct gf_account *account, int fd);
/* Close a client's socket, or a listening socket; received bytes that were not read are discarded with it. */
void gf_fd_closer_socket(struct gf_fd_closer *closer, struct gf_account *account, int fd);
void gf_fd_closer_listener(struct gf_fd_closer *closer, int fd);

/* Whether the front must stop reading from this user, because too much is not closed yet. */
bool gf_fd_closer_full(const struct gf_fd_closer *closer, struct gf_account *account);
/* Whether a descriptor has one of the last free numbers; asked about each descriptor that arrives. Enough numbers stay
 * free for the descriptors of one message, because the kernel closes a received descriptor in this process if it has no
 * number for it. */
bool gf_fd_closer_is_short_of_fds(struct gf_fd_closer *closer, int fd);
/* Whether no process closes descriptors at the moment, so that no arena should be accepted. */
bool gf_fd_closer_is_lost(const struct gf_fd_closer *closer);
/* Sockets that wait until their user has room. */
uint32_t gf_fd_closer_waiting(const struct gf_fd_closer *closer);

#endif
