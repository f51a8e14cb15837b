/* SPDX-License-Identifier: MIT */
/* Receiving bytes together with descriptors. Called by connection and worker_link. */
#ifndef GF_FRONT_RECV_FDS_H
#define GF_FRONT_RECV_FDS_H

#include <sys/types.h>

#include "protocol/base.h"

#define GF_RECV_FDS 4u /* room for descriptors of one recvmsg */

struct gf_received {
    int fds[GF_RECV_FDS]; /* close-on-exec; the caller's */
    uint32_t n_fds;
    bool fds_cut; /* more were sent than arrived: too many, or this process has no more */
};

/* recvmsg without blocking, with MSG_TRUNC among the flags for packets; EINTR is retried. Returns as recvmsg. */
ssize_t gf_recv_fds(int fd, void *data, size_t size, int flags, struct gf_received *ret);

#endif
