/* SPDX-License-Identifier: MIT */
/*
 * The system under the front of front_world.h: a clock that stands still, and system calls that the linker redirects
 * here
 * (--wrap, see CMakeLists.txt), which fail or do less than asked if world_faults says so.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "front_world.h"

struct world_faults world_faults;
uint64_t world_now_ns = 1000000000000;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __real_memfd_create(const char *name, unsigned flags);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_memfd_create(const char *name, unsigned flags);

/* Replaces the clock of libuv, too: the program's definition precedes the C library's. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *ret)
{
    if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_COARSE)
        return (int)syscall(SYS_clock_gettime, id, ret);
    ret->tv_sec = (time_t)(world_now_ns / 1000000000);
    ret->tv_nsec = (long)(world_now_ns % 1000000000);
    return 0;
}

static bool allocation_fails(void)
{
    return world_faults.allocation > 0 && --world_faults.allocation == 0;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(p, size);
}

/* Consumes a fault: sets its errno and returns true if the call must fail. */
static bool fails(uint32_t *fault)
{
    if (*fault == 0)
        return false;
    errno = (int)*fault;
    *fault = 0;
    return true;
}

/* Shortens a message to its first bytes, in one piece. Packets are never shortened. */
static size_t shorten(int fd, struct msghdr *msg, uint32_t *most)
{
    size_t before = msg->msg_iovlen > 0 ? msg->msg_iov[0].iov_len : 0;
    int type = 0;
    socklen_t size = sizeof type;
    if (*most == 0 || before == 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM)
        return before;
    msg->msg_iovlen = 1;
    if (*most < before)
        msg->msg_iov[0].iov_len = *most;
    *most = 0;
    return before;
}

/* Behaves as if this process had no free descriptor: the received descriptors are lost. */
static void lose_descriptors(struct msghdr *msg)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c))
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            close(fd);
            msg->msg_flags |= MSG_CTRUNC;
        }
    msg->msg_controllen = 0;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
    if (fails(&world_faults.recv_errno))
        return -1;
    size_t before = shorten(fd, msg, &world_faults.recv_most);
    ssize_t n = __real_recvmsg(fd, msg, flags);
    if (msg->msg_iovlen > 0)
        msg->msg_iov[0].iov_len = before;
    if (n >= 0 && world_faults.recv_cut) {
        lose_descriptors(msg);
        world_faults.recv_cut = false;
    }
    return n;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    struct msghdr less = *msg;
    if (fails(&world_faults.send_errno))
        return -1;
    size_t before = shorten(fd, &less, &world_faults.send_most);
    ssize_t n = __real_sendmsg(fd, &less, flags);
    if (less.msg_iovlen > 0)
        less.msg_iov[0].iov_len = before;
    return n;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    return fails(&world_faults.accept_errno) ? -1 : __real_accept4(fd, address, size, flags);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fails(&world_faults.memfd_errno) ? -1 : __real_memfd_create(name, flags);
}
