/* SPDX-License-Identifier: MIT */
/* Receiving bytes together with descriptors. Called by connection and worker_link. */
#ifndef GF_FRONT_RECV_FDS_H
#define GF_FRONT_RECV_FDS_H

#include <sys/types.h>

#include "protocol/base/base.h"

/* As many as the kernel lets one message bring (SCM_MAX_FD): for what it finds no room for it makes the last close in
 * our place, which may take as long as the sender likes. */
#define GF_RECV_FDS 253u

struct gf_received {
    int fds[GF_RECV_FDS]; /* close-on-exec; the caller's */
    uint32_t n_fds;
    bool fds_cut; /* more were sent than arrived: this process has no number left */
};

/* recvmsg without blocking, with MSG_TRUNC among the flags for packets; EINTR is retried. Returns as recvmsg. */
ssize_t gf_recv_fds(int fd, void *data, size_t size, int flags, struct gf_received *ret);

/* Has the kernel refuse descriptors to those who send to this socket, where it can (6.16). */
void gf_refuse_fds(int fd);

#endif
