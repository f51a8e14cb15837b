/* SPDX-License-Identifier: MIT */
/*
 * The exchanges of a connection: which are queued, which are sent, and how each ends. Called by every function that
 * sends a request.
 */
#include "channel.h"

#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>

#include "frames.h"

int64_t gf_now(void)
{
    return (int64_t)gf_now_ns();
}

int64_t gf_after_ms(uint64_t ms)
{
    return gf_now() + (int64_t)(ms * GF_NS_PER_MS);
}

static void push_last(struct gf_exchanges *list, struct gf_exchange *x)
{
    x->next = NULL;
    if (list->last != NULL)
        list->last->next = x;
    else
        list->first = x;
    list->last = x;
}

static void push_first(struct gf_exchanges *list, struct gf_exchange *x)
{
    x->next = list->first;
    list->first = x;
    if (list->last == NULL)
        list->last = x;
}

static void take_out(struct gf_exchanges *list, struct gf_exchange *x)
{
    struct gf_exchange *before = NULL;
    for (struct gf_exchange *at = list->first; at != x; at = at->next)
        before = at;
    if (before != NULL)
        before->next = x->next;
    else
        list->first = x->next;
    if (list->last == x)
        list->last = before;
    x->next = NULL;
}

static struct gf_exchange *find(const struct gf_exchanges *list, uint64_t id)
{
    struct gf_exchange *x = list->first;
    while (x != NULL && x->id != id)
        x = x->next;
    return x;
}

void gf_channel_init(struct gf_channel *ch)
{
    memset(ch, 0, offsetof(struct gf_channel, body));
    ch->fd = ch->watch = -1;
    ch->next_id = 1;
    ch->next_deadline = INT64_MAX;
}

void gf_channel_attach(struct gf_channel *ch, int fd)
{
    ch->fd = fd;
    ch->moved = gf_now();
    ch->open = ch->useful = ch->said_goaway = ch->going = ch->full = ch->deaf = false;
    ch->n_running = ch->n_cancels = ch->n_pongs = 0;
    gf_incoming_next(ch);
}

void gf_channel_open(struct gf_channel *ch, uint32_t window)
{
    ch->open = true;
    ch->window = window;
    ch->next_deadline = 0; /* the greeting's deadline no longer applies */
}

static void add(struct gf_channel *ch, struct gf_exchange *x)
{
    x->state = GF_EXCHANGE_QUEUED;
    x->cancel = x->cancelled = false;
    x->id = ch->next_id++;
    if (x->deadline < ch->next_deadline)
        ch->next_deadline = x->deadline;
}

void gf_channel_add(struct gf_channel *ch, struct gf_exchange *x)
{
    add(ch, x);
    push_last(&ch->queue, x);
}

void gf_channel_add_first(struct gf_channel *ch, struct gf_exchange *x)
{
    add(ch, x);
    push_first(&ch->queue, x);
}

struct gf_exchange *gf_channel_find(const struct gf_channel *ch, uint64_t id)
{
    struct gf_exchange *x = find(&ch->sent, id);
    return x != NULL ? x : find(&ch->queue, id);
}

struct gf_exchange *gf_channel_find_sent(const struct gf_channel *ch, uint64_t id)
{
    struct gf_exchange *x = find(&ch->sent, id);
    return x != NULL && x->state == GF_EXCHANGE_SENT ? x : NULL;
}

void gf_channel_begin(struct gf_channel *ch, struct gf_exchange *x)
{
    take_out(&ch->queue, x);
    push_last(&ch->sent, x);
    x->state = GF_EXCHANGE_SENT;
    ch->n_running += x->kind == GF_FRAME_RUN;
    ch->sending = x;
}

/* Whether a caller waits for it; the library sends other exchanges on its own. */
static bool is_asked_for(const struct gf_exchange *x)
{
    return x->kind == GF_FRAME_RUN || x->kind == GF_FRAME_PING || x->kind == GF_FRAME_INFO;
}

/* Tells the owner, who may free x. */
static void over(struct gf_channel *ch, struct gf_exchange *x, const struct gf_error *why)
{
    if (why != NULL)
        x->error = *why;
    x->state = GF_EXCHANGE_OVER;
    ch->n_over += is_asked_for(x);
    if (x->done != NULL)
        x->done(x);
}

void gf_channel_end(struct gf_channel *ch, struct gf_exchange *x, const struct gf_error *why)
{
    if (x->state == GF_EXCHANGE_QUEUED) {
        take_out(&ch->queue, x);
    } else {
        take_out(&ch->sent, x);
        ch->n_running -= x->kind == GF_FRAME_RUN;
        ch->n_cancels -= x->cancel;
    }
    over(ch, x, why);
}

/* Whether an exchange that ended with this status is sent again on the next connection. */
static bool goes_again(const struct gf_exchange *x, uint32_t status)
{
    return (status == GF_E_CONNECTION_LOST || status == GF_E_SHUTDOWN) && x->again > 0 && !x->cancel && !x->cancelled;
}

/* Puts an exchange back into the queue. RUNs stay in the order of their ids, which is the order in which resident
 * buffers are written and read; all other exchanges come before them. */
static void put_back(struct gf_channel *ch, struct gf_exchange *x)
{
    struct gf_exchange **at = &ch->queue.first;
    while (x->kind == GF_FRAME_RUN && *at != NULL && ((*at)->kind != GF_FRAME_RUN || (*at)->id < x->id))
        at = &(*at)->next;
    x->again--;
    x->state = GF_EXCHANGE_QUEUED;
    x->next = *at;
    *at = x;
    if (x->next == NULL)
        ch->queue.last = x;
}

void gf_channel_settle(struct gf_channel *ch, struct gf_exchange *x)
{
    if (!goes_again(x, x->error.status)) {
        gf_channel_end(ch, x, NULL);
        return;
    }
    take_out(&ch->sent, x);
    ch->n_running -= x->kind == GF_FRAME_RUN;
    put_back(ch, x);
}

void gf_channel_answered(struct gf_channel *ch, struct gf_exchange *x)
{
    bool again = goes_again(x, x->error.status);
    ch->useful = ch->useful || (x->kind != GF_FRAME_HELLO && !again);
    ch->going = ch->going || again;
    if (x == ch->sending && !ch->deaf)
        x->state = GF_EXCHANGE_ANSWERED; /* the rest of its frame must still be sent */
    else
        gf_channel_settle(ch, x);
}

void gf_channel_cancel(struct gf_channel *ch, struct gf_exchange *x)
{
    struct gf_error why;
    if (x->state == GF_EXCHANGE_QUEUED) {
        gf_error_set(&why, GF_E_CANCELLED, "cancelled before it was sent");
        gf_channel_end(ch, x, &why);
    } else if (x->state == GF_EXCHANGE_SENT && !x->cancel && !x->cancelled) {
        x->cancel = true;
        ch->n_cancels++;
    }
}

void gf_channel_give_up(struct gf_channel *ch, struct gf_exchange *x, int64_t grace)
{
    if (x->state == GF_EXCHANGE_QUEUED || x->kind == GF_FRAME_RUN)
        gf_channel_cancel(ch, x);
    if (x->state == GF_EXCHANGE_OVER)
        return;
    if (x->kind != GF_FRAME_RUN)
        x->again = 0; /* a RUN that is cancelled is not sent again */
    const int64_t now = gf_now();
    x->deadline = x->deadline < now ? x->deadline : now; /* asking again gives the server no more time */
    x->grace = grace;
    ch->next_deadline = 0;
}

/* A greeting belongs to its connection even if it was not sent. */
static void end_greeting(struct gf_channel *ch, const struct gf_error *why)
{
    struct gf_exchange *x = ch->queue.first;
    while (x != NULL && x->kind != GF_FRAME_HELLO)
        x = x->next;
    if (x == NULL)
        return;
    x->retry_ms = ch->retry_ms;
    gf_channel_end(ch, x, why);
}

void gf_channel_lose(struct gf_channel *ch, const struct gf_error *why)
{
    struct gf_exchanges sent = ch->sent;
    ch->ended = *why;
    if (ch->watch >= 0) /* closing is not enough if a forked child has the socket too */
        epoll_ctl(ch->watch, EPOLL_CTL_DEL, ch->fd, NULL);
    gf_closep(&ch->fd);
    ch->fd = ch->watch = -1;
    ch->open = false;
    ch->next_deadline = 0; /* sent exchanges count as unsent from now on */
    ch->sent = (struct gf_exchanges){.first = NULL};
    ch->sending = NULL;
    end_greeting(ch, why);
    for (struct gf_exchange *x; (x = sent.first) != NULL;) {
        take_out(&sent, x);
        bool answered = x->state == GF_EXCHANGE_ANSWERED;
        if (goes_again(x, answered ? x->error.status : why->status)) {
            put_back(ch, x);
        } else if (answered) {
            over(ch, x, NULL);
        } else {
            x->retry_ms = ch->retry_ms;
            over(ch, x, why);
        }
    }
}

void gf_channel_fail(struct gf_channel *ch, const struct gf_error *why, uint32_t retry_ms)
{
    struct gf_exchanges queue = ch->queue;
    ch->queue = (struct gf_exchanges){.first = NULL};
    for (struct gf_exchange *x; (x = queue.first) != NULL;) {
        take_out(&queue, x);
        x->retry_ms = retry_ms;
        over(ch, x, why);
    }
}

/* When an exchange is given up. A sent exchange is not given up while the server sends or receives anything. */
static int64_t limit_of(const struct gf_channel *ch, const struct gf_exchange *x)
{
    if (x->state == GF_EXCHANGE_QUEUED || x->deadline == INT64_MAX)
        return x->deadline;
    return (x->deadline > ch->moved || x->grace == 0 ? x->deadline : ch->moved) + x->grace;
}

/* The first exchange of a list that must be given up, or NULL. Lowers *next to the time when the others are due. */
static struct gf_exchange *overdue(const struct gf_channel *ch, const struct gf_exchanges *list, int64_t now,
                                   int64_t *next)
{
    for (struct gf_exchange *x = list->first; x != NULL; x = x->next) {
        int64_t limit = limit_of(ch, x);
        if (limit <= now)
            return x;
        *next = limit < *next ? limit : *next;
    }
    return NULL;
}

int64_t gf_channel_expire(struct gf_channel *ch)
{
    int64_t now = gf_now();
    struct gf_error why;
    if (now < ch->next_deadline)
        return ch->next_deadline;
    for (;;) {
        int64_t next = INT64_MAX;
        struct gf_exchange *x = overdue(ch, &ch->queue, now, &next);
        if (x != NULL) {
            if (x->kind == GF_FRAME_RUN)
                gf_error_set(&why, GF_E_DEADLINE, "its deadline has passed");
            else
                gf_error_set(&why, GF_E_TIMEOUT, "no connection to the daemon in time");
            gf_channel_end(ch, x, &why);
            continue;
        }
        x = overdue(ch, &ch->sent, now, &next);
        if (x == NULL)
            return ch->next_deadline = next;
        gf_error_set(&why, GF_E_TIMEOUT, "no answer from the daemon in time");
        if (x == ch->sending)
            ch->sending = NULL; /* the connection ends below */
        gf_channel_end(ch, x, &why);
        gf_error_set(&why, GF_E_CONNECTION_LOST, "the connection was given up: the daemon left a request unanswered");
        gf_channel_lose(ch, &why);
    }
}

bool gf_channel_wants_out(const struct gf_channel *ch)
{
    return ch->full && !ch->deaf;
}

void gf_channel_watch(struct gf_channel *ch, int epoll)
{
    bool out = gf_channel_wants_out(ch);
    struct epoll_event event = {.events = EPOLLIN | (out ? EPOLLOUT : 0)};
    if (ch->fd < 0 || (ch->watch == epoll && ch->watched_out == out))
        return;
    epoll_ctl(epoll, ch->watch == epoll ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, ch->fd, &event);
    ch->watch = epoll;
    ch->watched_out = out;
}

bool gf_channel_work(struct gf_channel *ch)
{
    struct gf_error why;
    const uint32_t n_over = ch->n_over;
    struct gf_exchange *x;
    enum gf_incoming in = GF_INCOMING_ANSWER;
    while (in == GF_INCOMING_ANSWER && ch->fd >= 0 && ch->n_over == n_over)
        if ((in = gf_incoming_read(ch, &x, &why)) == GF_INCOMING_ANSWER)
            gf_channel_answered(ch, x);
    if (in == GF_INCOMING_END) {
        gf_channel_lose(ch, &why);
        return false;
    }
    if (in == GF_INCOMING_WAIT)
        gf_channel_expire(ch);
    if (ch->fd >= 0 && ch->going && ch->sent.first == NULL) {
        gf_error_set(&why, GF_E_CONNECTION_LOST, "the daemon is shutting down");
        gf_channel_lose(ch, &why);
    }
    if (ch->fd >= 0 && gf_outgoing_write(ch, &why) != GF_OK)
        gf_channel_lose(ch, &why);
    return ch->fd >= 0;
}
