/* SPDX-License-Identifier: MIT */
/* recvmsg that walks every control message; see recv_fds.h. */
#include "recv_fds.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

static void take_fds(struct msghdr *msg, struct gf_received *ret)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n && ret->n_fds < GF_RECV_FDS; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            ret->fds[ret->n_fds++] = fd;
        }
    }
}

ssize_t gf_recv_fds(int fd, void *data, size_t size, int flags, struct gf_received *ret)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(GF_RECV_FDS * sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = data, .iov_len = size};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    ret->n_fds = 0;
    ret->fds_cut = false;
    ssize_t n;
    do
        n = recvmsg(fd, &msg, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return n;
    take_fds(&msg, ret);
    ret->fds_cut |= (msg.msg_flags & MSG_CTRUNC) != 0;
    return n;
}

void gf_refuse_fds(int fd)
{
    int off = 0;
    setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)); /* older kernels fail with ENOPROTOOPT */
}
