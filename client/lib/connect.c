/* SPDX-License-Identifier: MIT */
/*
 * Finds, starts and greets a daemon, keeps the connection working, and waits for it. Called by every function that
 * sends a request.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "client.h"
#include "client/lib/discovery/autostart.h"
#include "protocol/base/keep_awake.h"
#include "protocol/base/shared_memory.h"
#include "protocol/base/text.h"
#include "protocol/wire/request.h"

#define START_TIMEOUT_MS 30000
/* What to do where the service is installed and does not answer. */
#define NOT_RUNNING                                                                                                    \
    "; the system's service does not run: ask its administrator; none is started beside the system's: --wait or "      \
    "GPUFILTER_WAIT waits for it, --private or GPUFILTER_PRIVATE=1 starts one"

/* A search for a daemon in all places; collects the texts of the failures. */
struct search {
    struct gf_environment here;
    int64_t deadline;
    bool started;                  /* a private daemon was started */
    char tried[3 * GF_ERROR_TEXT]; /* places; the error shortens it at a word */
    char dir[GF_SOCKET_PATH];      /* private directory */
    char socket[GF_SOCKET_PATH];   /* private socket */
};

/* Connects to one path. NO_DAEMON is recorded, and the search continues. */
static enum gf_status dial(gpufilter_client *client, struct search *s, const char *path, int64_t uid,
                           struct gf_error *err)
{
    struct gf_error why;
    uid_t peer = 0;
    int fd = -1;
    enum gf_status status = gf_socket_connect(path, s->deadline, &fd, &peer, &why);
    if (status != GF_OK) {
        if (status == GF_E_NO_DAEMON)
            gf_text_append(s->tried, sizeof(s->tried), "%s%s", s->tried[0] != '\0' ? "; " : "", why.text);
        return gf_error_set(err, status, "%s", why.text);
    }
    if (uid >= 0 && (int64_t)peer != uid) {
        gf_closep(&fd);
        return gf_error_set(err, GF_E_WRONG_SERVER, "%s: the daemon runs as uid %" PRIu32 "; must be %" PRId64, path,
                            (uint32_t)peer, uid);
    }
    gf_channel_attach(&client->channel, fd);
    snprintf(client->path, sizeof(client->path), "%s", path);
    return GF_OK;
}

/* Connects to the private socket if its directory exists; refuses another user's daemon. */
static enum gf_status dial_private(gpufilter_client *client, struct search *s, struct gf_error *err)
{
    int dir = -1;
    enum gf_status status = gf_private_dir(&s->here, s->dir, err);
    if (status == GF_OK)
        status = gf_private_socket(s->dir, s->socket, err);
    if (status == GF_OK)
        status = gf_private_dir_open(&s->here, s->dir, false, &dir, err);
    if (status != GF_OK)
        return status;
    gf_closep(&dir);
    return dial(client, s, s->socket, client->server_uid >= 0 ? client->server_uid : (int64_t)s->here.uid, err);
}

/* Whether a daemon may be started, where none was set up: not if one is waited for. */
static bool may_start(const gpufilter_client *client)
{
    const char *off = secure_getenv("GPUFILTER_AUTOSTART");
    return client->waits && client->autostart && !client->waits_for_daemon && (off == NULL || strcmp(off, "0") != 0);
}

/* Starts a private daemon and connects to it, unless another process has started one meanwhile. */
static enum gf_status start(gpufilter_client *client, struct search *s, struct gf_error *err)
{
    gf_cleanup(gf_closep) int dir = -1;
    gf_cleanup(gf_closep) int lock = -1;
    char program[PATH_MAX];
    int64_t deadline = gf_after_ms(START_TIMEOUT_MS);
    enum gf_status status = gf_start_program(client->daemon, program, sizeof(program), err);
    if (status == GF_OK)
        status = gf_private_dir_open(&s->here, s->dir, true, &dir, err);
    if (status == GF_OK)
        status = gf_start_lock(dir, deadline, &lock, err);
    if (status != GF_OK)
        return status;
    s->deadline = deadline;
    s->started = true;
    status = dial_private(client, s, err);
    if (status != GF_E_NO_DAEMON)
        return status;
    status = gf_start_daemon(program, dir, s->socket, deadline, err);
    return status == GF_OK ? dial_private(client, s, err) : status;
}

/* Connects to the system's daemon. If this user may not use it, the search ends: a private daemon would use the same
 * GPU outside all quotas, and must be requested explicitly. */
static enum gf_status dial_system(gpufilter_client *client, struct search *s, struct gf_error *err)
{
    struct gf_error why;
    if (s->here.system == NULL)
        return GF_E_NO_DAEMON;
    enum gf_status status = dial(client, s, s->here.system, client->server_uid, &why);
    return status == GF_OK ? GF_OK
                           : gf_error_set(err, status, "%s%s", why.text,
                                          status == GF_E_NOT_PERMITTED
                                              ? "; use a private daemon with --private or GPUFILTER_PRIVATE=1"
                                              : "");
}

/* Connects to the first daemon that answers. A private one is used where none was set up. */
static enum gf_status find_daemon(gpufilter_client *client, struct search *s, struct gf_error *err)
{
    if (s->here.named != NULL) {
        struct gf_error why;
        enum gf_status named = dial(client, s, s->here.named, client->server_uid, &why);
        return named == GF_OK
                   ? GF_OK
                   : gf_error_set(err, named, "%s%s", named == GF_E_NO_DAEMON ? "no daemon: " : "", why.text);
    }
    enum gf_status status = dial_system(client, s, err);
    if (status != GF_E_NO_DAEMON)
        return status;
    bool set_up = gf_daemon_is_set_up(&s->here);
    if (!set_up)
        status = dial_private(client, s, err);
    if (status != GF_E_NO_DAEMON)
        return status;
    if (!set_up && may_start(client))
        return start(client, s, err);
    return gf_error_set(err, GF_E_NO_DAEMON, "no daemon: %s%s", s->tried,
                        set_up && !client->waits_for_daemon ? NOT_RUNNING : "");
}

/* Takes over the daemon's greeting. */
static enum gf_status read_hello(struct gf_exchange *x, const uint8_t *body, size_t size, struct gf_stream *payload,
                                 struct gf_error *err)
{
    gpufilter_client *client = x->context;
    gf_cleanup(gf_freep) struct gf_hello_reply *reply = malloc(sizeof(*reply));
    struct gf_error why;
    (void)payload;
    if (reply == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory for the daemon's greeting");
    if (gf_hello_reply_decode(body, size, reply, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's greeting is malformed: %s", why.text);
    uint64_t in_flight = reply->limits[GF_LIMIT_IN_FLIGHT];
    memcpy(client->software, reply->software, sizeof(client->software));
    memcpy(client->node, reply->node, sizeof(client->node));
    client->served_as = reply->connection;
    memcpy(client->revisions, reply->revisions, sizeof(client->revisions));
    client->shares = reply->fd_passing;
    client->max_inline = reply->limits[GF_LIMIT_MAX_INLINE];
    client->memory.max_arenas = reply->limits[GF_LIMIT_ARENAS];
    client->memory.max_arena_bytes = reply->limits[GF_LIMIT_ARENA_BYTES];
    /* One less than the daemon reads ahead: with all of them in flight it would not read a CANCEL. */
    client->window = in_flight <= 1 ? 1 : in_flight > UINT32_MAX ? UINT32_MAX : (uint32_t)in_flight - 1;
    return GF_OK;
}

static enum gf_prepared write_hello(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                    struct gf_error *err)
{
    const gpufilter_client *client = x->context;
    struct gf_hello hello = {.version_min = GF_VERSION_MIN, .version_max = GF_VERSION};
    (void)payload, (void)err;
    memcpy(hello.device, client->device, sizeof(hello.device));
    snprintf(hello.software, sizeof(hello.software), "libgpufilterclient %s", gpufilter_version());
    gf_hello_encode(head, &hello);
    return GF_PREPARED;
}

/* An attempt has failed: there will be another one, or all waiting requests fail. */
static void attempt_failed(gpufilter_client *client, enum gf_attempt how, const struct gf_error *why, uint32_t retry_ms)
{
    client->channel.ended = *why;
    if (!gf_retry_failed(&client->retry, gf_now(), how))
        gf_channel_fail(&client->channel, why, retry_ms);
}

/* Called when the greeting has arrived or failed. A daemon that is shutting down may still accept a connection without
 * greeting, and so may a proxy whose daemon is absent. */
static void greeted(struct gf_exchange *x)
{
    gpufilter_client *client = x->context;
    gf_closep(&client->probe);
    client->probe = -1;
    if (x->error.status == GF_OK) {
        gf_retry_succeeded(&client->retry);
        client->connection++;
        client->n_attempts = 0;
        gf_channel_open(&client->channel, client->window);
        return;
    }
    if (client->channel.fd >= 0)
        gf_channel_lose(&client->channel, &x->error);
    bool cut = x->error.status == GF_E_CONNECTION_LOST || x->error.status == GF_E_SHUTDOWN;
    attempt_failed(client, cut ? GF_ATTEMPT_CUT : GF_ATTEMPT_REFUSED, &x->error, x->retry_ms);
}

/* Counts an attempt and says why it is not the first one. */
static void count_attempt(gpufilter_client *client)
{
    const struct gf_error *why = &client->channel.ended;
    const uint32_t n = ++client->n_attempts;
    if (why->status == GF_OK)
        return;
    if (n == 1)
        gf_client_say(client, "connection %" PRIu64 " to %s ended: %s; reconnecting (attempt 1)", client->connection,
                      client->path, why->text);
    else
        gf_client_say(client, "attempt %" PRIu32 " to connect failed: %s; reconnecting (attempt %" PRIu32 ")", n - 1,
                      why->text, n);
}

/* Connects and queues HELLO ahead of all waiting requests. */
static void connect_now(gpufilter_client *client)
{
    struct gf_error why;
    count_attempt(client);
    int64_t deadline = gf_retry_begin(&client->retry, gf_now());
    struct search s = {.deadline = client->waits ? deadline : 0};
    enum gf_status status = gf_environment_read(client->socket, client->only_private, &s.here, &why);
    if (status == GF_OK)
        status = find_daemon(client, &s, &why);
    if (status != GF_OK) {
        bool later = status == GF_E_TIMEOUT && !client->waits; /* its accept queue is full at the moment */
        attempt_failed(client,
                       status == GF_E_NO_DAEMON ? GF_ATTEMPT_ABSENT
                       : later                  ? GF_ATTEMPT_CUT
                                                : GF_ATTEMPT_REFUSED,
                       &why, 0);
        return;
    }
    client->probe = gf_memfd_open("gpufilter-probe");
    client->hello = (struct gf_exchange){.kind = GF_FRAME_HELLO,
                                         .answer_kind = GF_FRAME_HELLO_REPLY,
                                         .fd = client->probe,
                                         .deadline = s.started ? gf_after_ms(client->connect_timeout_ms) : deadline,
                                         .context = client,
                                         .prepare = write_hello,
                                         .check = read_hello,
                                         .done = greeted};
    gf_channel_add_first(&client->channel, &client->hello);
}

/* A greeted connection has ended. If too many in a row were useless, all waiting requests fail. */
static void count_loss(gpufilter_client *client)
{
    struct gf_error why;
    if (gf_retry_ended(&client->retry, gf_now(), client->channel.useful))
        return;
    gf_error_set(&why, GF_E_CONNECTION_LOST, "the daemon ends every connection without an answer");
    gf_channel_fail(&client->channel, &why, 0);
}

void gf_client_work(gpufilter_client *client)
{
    struct gf_channel *ch = &client->channel;
    for (;;) {
        if (ch->fd < 0)
            gf_channel_expire(ch);
        if (ch->fd < 0 && ch->queue.first == NULL)
            gf_retry_reset(&client->retry);
        else if (ch->fd < 0 && client->retry.at <= gf_now())
            connect_now(client);
        if (ch->fd < 0)
            return;
        bool was_open = ch->open;
        if (gf_channel_work(ch))
            return;
        if (was_open)
            count_loss(client);
    }
}

int64_t gf_client_due(const gpufilter_client *client)
{
    const struct gf_channel *ch = &client->channel;
    bool dials = ch->fd < 0 && ch->queue.first != NULL;
    return dials && client->retry.at < ch->next_deadline ? client->retry.at : ch->next_deadline;
}

/* Nanoseconds until a time of gf_now(), which may be INT64_MAX. */
static int64_t until_ns(int64_t due)
{
    int64_t now = gf_now();
    return due == INT64_MAX ? INT64_MAX : due > now ? due - now : 0;
}

/* Expected duration of a wait in naps: only if a GPU works, because the CPU worker needs the processors. */
static int64_t keep_awake_ns(const gpufilter_client *client)
{
    return client->has_run && strcmp(client->times.device, "cpu") != 0 ? client->sleep_ns : 0;
}

bool gf_client_sleep(gpufilter_client *client, int64_t until)
{
    const struct gf_channel *ch = &client->channel;
    const int64_t start = gf_now();
    int64_t due = gf_client_due(client);
    due = due < until ? due : until;
    /* poll ignores a negative descriptor; a failure is treated like an event. */
    struct pollfd p[2] = {{.fd = ch->fd, .events = (short)(POLLIN | (gf_channel_wants_out(ch) ? POLLOUT : 0))},
                          {.fd = client->interrupts, .events = POLLIN}};
    if (ch->fd < 0 || !gf_keep_awake_poll(p, GF_ARRAY_LEN(p), keep_awake_ns(client), until_ns(due))) {
        int64_t left = until_ns(due);
        const struct timespec limit = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
        if (ppoll(p, GF_ARRAY_LEN(p), left != INT64_MAX ? &limit : NULL, NULL) <= 0)
            p[1].revents = 0;
    }
    client->sleep_ns = gf_keep_awake_expect(client->sleep_ns, gf_now() - start);
    eventfd_t times;
    return (p[1].revents & POLLIN) != 0 && eventfd_read(client->interrupts, &times) == 0;
}

enum gf_status gf_client_interrupted(struct gf_error *err)
{
    return gf_error_set(err, GF_E_INTERRUPTED, "the call was ended by gpufilter_interrupt");
}

enum gf_status gf_client_await(gpufilter_client *client, struct gf_exchange *x, struct gf_error *err)
{
    bool interrupted = false;
    client->waits = true;
    for (gf_client_work(client); x->state != GF_EXCHANGE_OVER; gf_client_work(client))
        if (gf_client_sleep(client, INT64_MAX)) {
            interrupted = true;
            gf_channel_give_up(&client->channel, x, GF_GRACE_NS);
        }
    client->waits = false;
    client->retry_ms = x->retry_ms;
    const uint32_t status = x->error.status;
    if (status == GF_OK && interrupted && x->kind != GF_FRAME_RUN) /* no work is lost with its answer */
        return gf_client_interrupted(err);
    if (status == GF_OK)
        return GF_OK;
    *err = x->error;
    bool given_up = status == GF_E_CANCELLED || status == GF_E_DEADLINE || status == GF_E_TIMEOUT ||
                    status == GF_E_CONNECTION_LOST || status == GF_E_SHUTDOWN;
    return interrupted && given_up ? gf_client_interrupted(err) : (enum gf_status)status;
}

enum gf_status gf_client_ask(gpufilter_client *client, struct gf_exchange *x, struct gf_error *err)
{
    gf_channel_add_first(&client->channel, x);
    return gf_client_await(client, x, err);
}

/* An empty request that is complete as soon as there is a connection to send it on. */
static enum gf_prepared write_nothing(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                      struct gf_error *err)
{
    (void)x, (void)head, (void)payload;
    gf_error_set(err, GF_OK, "connected");
    return GF_PREPARED_NEVER;
}

enum gf_status gf_client_connect(gpufilter_client *client, struct gf_error *err)
{
    struct gf_exchange x = {.kind = GF_FRAME_PING, .fd = -1, .deadline = INT64_MAX, .prepare = write_nothing};
    return gf_client_ask(client, &x, err);
}

void gf_client_settle(gpufilter_client *client)
{
    if (client->n_releases > 0)
        gf_client_work(client);
}
