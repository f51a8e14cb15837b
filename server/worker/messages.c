/* SPDX-License-Identifier: MIT */
/* The worker's end of the socket to the front; see messages.h. */
#include "messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/base/keep_awake.h"
#include "protocol/wire/response.h"
#include "protocol/wire/worker_msg.h"
#include "say.h"

void gf_messages_send(int front, struct gf_writer *writer, uint16_t kind, uint64_t id)
{
    ssize_t n;
    if (!gf_writer_finish(writer, kind, id, 0, 0))
        return;
    do
        n = send(front, writer->data, writer->size, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n >= 0 || errno == EPIPE || errno == ECONNRESET)
        return;
    gf_worker_log("cannot send to the front: %s", strerror(errno));
    _exit(GF_WORKER_EXIT_DEVICE_LOST);
}

void gf_messages_send_error(int front, uint8_t *buffer, uint64_t id, const struct gf_error *error)
{
    struct gf_writer w;
    gf_writer_init(&w, buffer, GF_MAX_FRAME_HEAD);
    gf_error_encode(&w, error, 0);
    gf_messages_send(front, &w, GF_FRAME_ERROR, id);
}

size_t gf_messages_receive(int front, uint8_t *buffer, size_t capacity, int64_t *wait_ns, int *ret_fd)
{
    const uint64_t start = gf_now_ns();
    struct pollfd p = {.fd = front, .events = POLLIN};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = buffer, .iov_len = capacity};
    ssize_t n;
    struct msghdr msg;
    if (wait_ns != NULL)
        (void)gf_keep_awake_poll(&p, *wait_ns, INT64_MAX);
    do {
        memset(&control, 0, sizeof control);
        msg = (struct msghdr){
            .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        n = recvmsg(front, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (wait_ns != NULL)
        *wait_ns = gf_keep_awake_expect(*wait_ns, (int64_t)(gf_now_ns() - start));
    *ret_fd = -1;
    if (n < 0 && errno != ECONNRESET)
        gf_worker_log("cannot receive from the front: %s", strerror(errno));
    if (n <= 0)
        return 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
    return (size_t)n;
}
