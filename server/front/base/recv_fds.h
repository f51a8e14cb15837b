/* SPDX-License-Identifier: MIT */
/* Receives bytes together with descriptors. Called by connection_read.c and worker_link.c. */
#ifndef GF_FRONT_RECV_FDS_H
#define GF_FRONT_RECV_FDS_H

#include <sys/types.h>

#include "protocol/base/base.h"

/* The most that one message can carry (SCM_MAX_FD). With less room the kernel would close the surplus in this process,
 * and the last close of a file may block for as long as the sender likes. */
#define GF_RECV_FDS 253u

struct gf_received {
    int fds[GF_RECV_FDS]; /* close-on-exec; owned by the caller */
    uint32_t n_fds;
    bool fds_cut; /* some descriptors were lost: this process had no free number for them */
};

/* recvmsg without blocking; packets need MSG_TRUNC in `flags`. Retries on EINTR and returns what recvmsg returns. */
ssize_t gf_recv_fds(int fd, void *data, size_t size, int flags, struct gf_received *ret);

/* Makes the kernel refuse descriptors sent to this socket, where it can (Linux 6.16). */
void gf_refuse_fds(int fd);

#endif
