/* SPDX-License-Identifier: MIT */
/* Chooses the process that closes a descriptor, and the user who is charged; see fd_closer.h. */
#include "fd_closer.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "close_process.h"
#include "protocol/base/clock.h"
#include "protocol/base/list.h"
#include "server/front/base/log.h"
#include "server/front/base/options.h"

#define LARGE (1 << 20) /* bytes; larger memory is not freed in the loop */
#define TOKENS 64u
/* The most numbers that the front's own descriptors occupy above the highest one of a client. */
#define OWN_FDS ((int)GF_RESERVED_FDS)
#define LAST_MS 100 /* at shutdown, the longest wait for closes */
#define RETRY_MS 1000u

/* A descriptor that is being closed or waits for it. */
struct closing {
    struct gf_node node; /* in sent or waiting */
    struct gf_charge charge;
    int fd;
    bool foreign;
};

struct gf_fd_closer {
    struct gf_close_process process;
    uv_loop_t *loop;
    uv_poll_t answers, end;
    uv_timer_t timer;  /* until the next attempt to replace the processes */
    uint64_t tried_ns; /* when the latest attempt began */
    const struct gf_fd_closer_ops *ops;
    void *data;
    struct gf_node sent, waiting;
    uint32_t n_charged, n_waiting; /* entries of `sent` that are charged to users */
    int n_fds;                     /* descriptor numbers that clients may use */
    int below;                     /* end of the range of numbers in use */
    uint32_t n_polls;              /* of `answers` and `end`, those that libuv still has */
    bool started;
    bool lost; /* the processes were killed and not replaced yet */
};

bool gf_is_memory(int fd)
{
    return fcntl(fd, F_GET_SEALS) >= 0;
}

static struct gf_account *user_of(struct gf_account *account)
{
    return account && account->user ? account->user : account;
}

static uint32_t limit(const struct gf_fd_closer *closer)
{
    return closer->n_charged < GF_ALL_CLOSING ? GF_USER_CLOSING : 1;
}

bool gf_fd_closer_full(const struct gf_fd_closer *closer, struct gf_account *account)
{
    return closer && account && user_of(account)->used[GF_RES_CLOSING] >= limit(closer);
}

/* Charges a descriptor to its user until it is closed, whatever the user's quota: the descriptor has arrived and must
 * be closed. Without memory returns NULL, and no user is charged. */
static struct closing *closing_new(struct gf_fd_closer *closer, struct gf_account *account, int fd)
{
    struct closing *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->fd = fd;
    gf_node_init(&c->node);
    bool full = gf_fd_closer_full(closer, account);
    if (account)
        gf_charge_init(&c->charge, account, GF_RES_CLOSING, 1, NULL);
    if (!full && gf_fd_closer_full(closer, account))
        gf_log(GF_LOG_WARNING, "reading from a user paused until its descriptors are closed: descriptors=%llu uid=%s",
               (unsigned long long)user_of(account)->used[GF_RES_CLOSING],
               gf_user_text(account->quota->names, account->owner, (char[GF_USER_TEXT]){0}));
    return c;
}

static void wait_for_room(struct gf_fd_closer *closer, struct closing *c)
{
    gf_list_push(&closer->waiting, &c->node);
    closer->n_waiting++;
}

/* Whether the user may have one more closer process. */
static bool has_room(const struct gf_fd_closer *closer, const struct closing *c)
{
    return c->foreign || !c->charge.account || user_of(c->charge.account)->closing < limit(closer);
}

/* Sends a descriptor to a closer process, and `c` with it; false if the pipe is full. */
static bool hand_over(struct gf_fd_closer *closer, struct closing *c, int fd)
{
    if (closer->lost || !gf_close_process_send(&closer->process, fd, (uint64_t)(uintptr_t)c))
        return false;
    if (!c)
        return true;
    gf_list_push(&closer->sent, &c->node);
    if (c->charge.account) {
        user_of(c->charge.account)->closing++;
        closer->n_charged++;
    }
    return true;
}

/* Undoes hand_over(). */
static void take_back(struct gf_fd_closer *closer, struct closing *c)
{
    if (c->charge.account) {
        user_of(c->charge.account)->closing--;
        closer->n_charged--;
    }
    gf_list_remove(&c->node);
}

/* Called when the descriptor is closed. */
static void closed(struct gf_fd_closer *closer, struct closing *c)
{
    take_back(closer, c);
    gf_charge_deinit(&c->charge);
    free(c);
}

static void dispose(struct gf_fd_closer *closer, struct closing *c, int fd)
{
    if (c && !has_room(closer, c))
        wait_for_room(closer, c);
    else if (!hand_over(closer, c, fd)) {
        if (c)
            wait_for_room(closer, c);
        else
            gf_log(GF_LOG_ERROR, "out of memory: a client's descriptor stays open number=%d", fd);
    }
}

void gf_fd_closer_foreign(struct gf_fd_closer *closer, struct gf_account *account, int fd)
{
    if (!closer) {
        close(fd);
        return;
    }
    struct closing *c = closing_new(closer, account, fd);
    if (c)
        c->foreign = true;
    dispose(closer, c, fd);
}

void gf_fd_closer_memory(struct gf_fd_closer *closer, struct gf_account *account, int fd)
{
    struct stat st;
    bool large = closer && fstat(fd, &st) == 0 && (uint64_t)st.st_blocks * 512 > LARGE;
    struct closing *c = large ? closing_new(closer, closer->lost ? account : NULL, fd) : NULL;
    if (c && hand_over(closer, c, fd))
        return;
    if (c && closer->lost) {
        wait_for_room(closer, c);
        return;
    }
    free(c);
    close(fd);
}

void gf_fd_closer_socket(struct gf_fd_closer *closer, struct gf_account *account, int fd)
{
    int unread = 0;
    shutdown(fd, SHUT_RDWR); /* nothing is received after this */
    if (closer && (ioctl(fd, SIOCINQ, &unread) < 0 || unread > 0))
        dispose(closer, closing_new(closer, account, fd), fd);
    else
        close(fd);
}

void gf_fd_closer_listener(struct gf_fd_closer *closer, int fd)
{
    if (closer)
        dispose(closer, closing_new(closer, NULL, fd), fd);
    else
        close(fd);
}

bool gf_fd_closer_is_short_of_fds(struct gf_fd_closer *closer, int fd)
{
    if (!closer)
        return false;
    if (fd + OWN_FDS > closer->below) {
        closer->below = fd + OWN_FDS;
        if (!closer->lost)
            gf_close_process_below(&closer->process, closer->below);
    }
    return fd >= closer->n_fds;
}

bool gf_fd_closer_is_lost(const struct gf_fd_closer *closer)
{
    return closer && closer->lost;
}

uint32_t gf_fd_closer_waiting(const struct gf_fd_closer *closer)
{
    return closer ? closer->n_waiting : 0;
}

/* Sends the descriptors whose user has room again, or that found the pipe full. */
static void send_waiting(struct gf_fd_closer *closer)
{
    gf_list_each(it, after, &closer->waiting)
    {
        struct closing *c = gf_container(it, struct closing, node);
        if (!has_room(closer, c))
            continue;
        gf_list_remove(&c->node);
        closer->n_waiting--;
        if (!hand_over(closer, c, c->fd)) {
            wait_for_room(closer, c);
            return;
        }
    }
}

static void take_answers(struct gf_fd_closer *closer)
{
    uint64_t tokens[TOKENS];
    size_t n = gf_close_process_receive(&closer->process, tokens, TOKENS);
    for (size_t i = 0; i < n; i++)
        closed(closer, (struct closing *)(uintptr_t)tokens[i]);
    send_waiting(closer);
}

static void on_answers(uv_poll_t *poll, int status, int events)
{
    struct gf_fd_closer *closer = poll->data;
    (void)status, (void)events;
    take_answers(closer);
    closer->ops->freed(closer->data);
}

static void on_end(uv_poll_t *poll, int status, int events);

/* Polls the pipe and the end of the processes. */
static enum gf_status watch(struct gf_fd_closer *closer, struct gf_error *err)
{
    int rc = uv_poll_init(closer->loop, &closer->answers, closer->process.answers);
    if (rc < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot poll for closed descriptors: %s", uv_strerror(rc));
    closer->n_polls = 1;
    closer->answers.data = closer->end.data = closer;
    rc = uv_poll_init(closer->loop, &closer->end, closer->process.pidfd);
    if (rc < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot watch the process that closes: %s", uv_strerror(rc));
    closer->n_polls = 2;
    uv_poll_start(&closer->answers, UV_READABLE, on_answers);
    uv_poll_start(&closer->end, UV_READABLE, on_end);
    return GF_OK;
}

static void on_unwatched(uv_handle_t *handle);

static void unwatch(struct gf_fd_closer *closer, uv_close_cb then)
{
    if (closer->n_polls > 1)
        uv_close((uv_handle_t *)&closer->end, then);
    if (closer->n_polls > 0)
        uv_close((uv_handle_t *)&closer->answers, then);
}

static void on_timer(uv_timer_t *timer)
{
    struct gf_fd_closer *closer = timer->data;
    struct gf_error error = {0};
    closer->tried_ns = gf_now_ns();
    enum gf_status status = gf_close_process_start(&closer->process, &error);
    if (status == GF_OK)
        status = watch(closer, &error);
    if (status != GF_OK) {
        gf_log(GF_LOG_ERROR, "descriptors are not closed for now: %s", error.text);
        uv_timer_start(timer, on_timer, RETRY_MS, 0);
        if (closer->n_polls > 0)
            unwatch(closer, on_unwatched);
        else
            gf_close_process_stop(&closer->process, true);
        return;
    }
    closer->lost = false;
    gf_close_process_below(&closer->process, closer->below);
    gf_log(GF_LOG_NOTICE, "descriptors are closed again: waiting=%u", closer->n_waiting);
    send_waiting(closer);
    closer->ops->freed(closer->data);
}

/* libuv has released the handles of processes that ended. */
static void on_unwatched(uv_handle_t *handle)
{
    struct gf_fd_closer *closer = handle->data;
    if (--closer->n_polls > 0 || !closer->started)
        return;
    gf_close_process_stop(&closer->process, true);
    /* Processes that are killed again and again are not replaced in every turn of the front. */
    const bool soon = gf_now_ns() - closer->tried_ns < RETRY_MS * GF_NS_PER_MS;
    if (!uv_is_active((uv_handle_t *)&closer->timer))
        uv_timer_start(&closer->timer, on_timer, soon ? RETRY_MS : 0, 0);
}

/* The processes were killed. What none of them took waits for their successors; of what they took, one descriptor each
 * may stay open, since its number may belong to another descriptor by now. */
static void on_end(uv_poll_t *poll, int status, int events)
{
    struct gf_fd_closer *closer = poll->data;
    uint64_t token;
    (void)status, (void)events;
    gf_log(GF_LOG_ERROR, "the processes that close descriptors were killed; others take their place");
    take_answers(closer);
    closer->lost = true;
    while (gf_close_process_take_back(&closer->process, &token)) {
        struct closing *c = (struct closing *)(uintptr_t)token;
        if (!c)
            continue;
        take_back(closer, c);
        wait_for_room(closer, c);
    }
    gf_list_each(it, after, &closer->sent) closed(closer, gf_container(it, struct closing, node));
    unwatch(closer, on_unwatched);
}

enum gf_status gf_fd_closer_new(uint64_t n_fds, struct gf_fd_closer **ret_closer, struct gf_error *err)
{
    if (n_fds < GF_MIN_FDS)
        return gf_error_set(err, GF_E_START_FAILED,
                            "the limit of open files is %llu; at least %u are needed: raise LimitNOFILE or ulimit -n",
                            (unsigned long long)n_fds, GF_MIN_FDS);
    gf_cleanup(gf_freep) struct gf_fd_closer *closer = calloc(1, sizeof(*closer));
    if (!closer)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    gf_node_init(&closer->sent);
    gf_node_init(&closer->waiting);
    closer->n_fds = (int)(n_fds - GF_RESERVED_FDS);
    enum gf_status status = gf_close_process_start(&closer->process, err);
    if (status != GF_OK)
        return status;
    closer->below = OWN_FDS;
    gf_close_process_below(&closer->process, closer->below);
    *ret_closer = gf_steal_ptr(&closer);
    return GF_OK;
}

enum gf_status gf_fd_closer_start(struct gf_fd_closer *closer, uv_loop_t *loop, const struct gf_fd_closer_ops *ops,
                                  void *data, struct gf_error *err)
{
    closer->ops = ops;
    closer->data = data;
    closer->loop = loop;
    enum gf_status status = watch(closer, err);
    if (status != GF_OK) {
        unwatch(closer, NULL);
        return status;
    }
    uv_timer_init(loop, &closer->timer);
    closer->timer.data = closer;
    closer->started = true;
    return GF_OK;
}

void gf_fd_closer_stop(struct gf_fd_closer *closer)
{
    if (!closer || !closer->started)
        return;
    closer->started = false;
    uv_close((uv_handle_t *)&closer->timer, NULL);
    if (!closer->lost)
        unwatch(closer, NULL);
}

struct gf_fd_closer *gf_fd_closer_free(struct gf_fd_closer *closer)
{
    if (!closer)
        return NULL;
    struct pollfd answers = {.fd = closer->process.answers, .events = POLLIN};
    while (!gf_list_empty(&closer->sent) && poll(&answers, 1, LAST_MS) == 1)
        take_answers(closer);
    bool idle = gf_list_empty(&closer->sent) && gf_list_empty(&closer->waiting);
    gf_close_process_stop(&closer->process, idle);
    gf_list_each(it, after, &closer->sent) closed(closer, gf_container(it, struct closing, node));
    gf_list_each(it, after, &closer->waiting)
    {
        struct closing *c = gf_container(it, struct closing, node);
        gf_charge_deinit(&c->charge);
        free(c);
    }
    free(closer);
    return NULL;
}
