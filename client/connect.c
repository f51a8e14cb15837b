/* SPDX-License-Identifier: MIT */
/* Finds, starts and greets a daemon, and asks again over a new connection. Called by client.c, run.c and info.c. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "arena_fd.h"
#include "autostart.h"
#include "client.h"
#include "protocol/request.h"
#include "protocol/text.h"

#define START_TIMEOUT_MS 30000

/* Looks for a daemon in every place; the texts of what failed are collected. */
struct search {
    struct gf_surroundings here;
    int64_t deadline;
    char tried[GF_ERROR_TEXT];
    char dir[GF_SOCKET_PATH];    /* private */
    char socket[GF_SOCKET_PATH]; /* private */
};

/* Connects to one path. NO_DAEMON is noted down and lets the search go on. */
static enum gf_status dial(gpufilter_client *client, struct search *s, const char *path, int64_t uid,
                           struct gf_error *err)
{
    struct gf_error why;
    uid_t peer = 0;
    int fd = -1, reason = 0;
    enum gf_status status = gf_dial(path, s->deadline, &fd, &peer, &reason, &why);
    if (status != GF_OK) {
        if (status == GF_E_NO_DAEMON)
            gf_text_append(s->tried, sizeof(s->tried), "%s%s%s", s->tried[0] != '\0' ? "; " : "", why.text,
                           reason == EACCES ? " (are you in its group?)" : "");
        return gf_error_set(err, status, "%s", why.text);
    }
    if (uid >= 0 && (int64_t)peer != uid) {
        gf_closep(&fd);
        return gf_error_set(err, GF_E_WRONG_SERVER, "%s: the daemon runs as uid %" PRIu32 ", wanted is %" PRId64, path,
                            (uint32_t)peer, uid);
    }
    gf_channel_init(&client->channel, fd);
    snprintf(client->path, sizeof(client->path), "%s", path);
    return GF_OK;
}

/* Connects to the private socket, where its directory is there; a daemon of somebody else is refused. */
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

static bool may_start(const gpufilter_client *client, const struct search *s)
{
    const char *off = secure_getenv("GPUFILTER_AUTOSTART");
    return client->autostart && s->here.named == NULL && (off == NULL || strcmp(off, "0") != 0);
}

/* Starts a private daemon and connects to it, unless another process has done so meanwhile. */
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
    status = dial_private(client, s, err);
    if (status != GF_E_NO_DAEMON)
        return status;
    status = gf_start_daemon(program, dir, s->socket, deadline, err);
    return status == GF_OK ? dial_private(client, s, err) : status;
}

/* Connects to the first daemon that answers. */
static enum gf_status find_daemon(gpufilter_client *client, struct search *s, struct gf_error *err)
{
    if (s->here.named != NULL)
        return dial(client, s, s->here.named, client->server_uid, err);
    enum gf_status status = dial(client, s, s->here.system, client->server_uid, err);
    if (status == GF_E_NO_DAEMON)
        status = dial_private(client, s, err);
    if (status != GF_E_NO_DAEMON)
        return status;
    if (may_start(client, s))
        return start(client, s, err);
    return gf_error_set(err, GF_E_NO_DAEMON, "no daemon: %s", s->tried);
}

/* What the daemon said of itself. */
static enum gf_status read_hello(void *context, const uint8_t *body, size_t size, struct gf_error *err)
{
    gpufilter_client *client = context;
    gf_cleanup(gf_freep) struct gf_hello_reply *reply = malloc(sizeof(*reply));
    struct gf_error why;
    if (reply == NULL)
        return gf_error_set(err, GF_E_BAD_REPLY, "out of memory for the daemon's greeting");
    if (gf_hello_reply_decode(body, size, reply, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's greeting cannot be understood: %s", why.text);
    memcpy(client->software, reply->software, sizeof(client->software));
    client->shares = reply->fd_passing;
    client->max_inline = reply->limits[GF_LIMIT_MAX_INLINE];
    client->memory.max_arenas = reply->limits[GF_LIMIT_ARENAS];
    client->memory.max_arena_bytes = reply->limits[GF_LIMIT_ARENA_BYTES];
    return GF_OK;
}

static enum gf_status greet(gpufilter_client *client, int64_t deadline, struct gf_error *err)
{
    gf_cleanup(gf_closep) int probe = gf_probe_fd_open();
    struct gf_hello hello = {.version_min = GF_VERSION_MIN, .version_max = GF_VERSION};
    memcpy(hello.device, client->device, sizeof(hello.device));
    snprintf(hello.software, sizeof(hello.software), "libgpufilterclient %s", gpufilter_version());
    struct gf_writer head;
    gf_writer_init(&head, client->head, sizeof(client->head));
    gf_hello_encode(&head, &hello);
    struct gf_exchange x = {.head = &head,
                            .kind = GF_FRAME_HELLO,
                            .answer_kind = GF_FRAME_HELLO_REPLY,
                            .fd = probe,
                            .deadline = deadline,
                            .check = read_hello,
                            .context = client};
    enum gf_status status = gf_channel_ask(&client->channel, &x, err);
    if (status != GF_OK)
        gf_channel_close(&client->channel);
    return status;
}

enum gf_status gf_client_connect(gpufilter_client *client, struct gf_error *err)
{
    if (gf_channel_usable(&client->channel))
        return GF_OK;
    enum gf_status status = GF_E_CONNECTION_LOST;
    /* A daemon that is just ending may still take a connection, but not greet: then look once more. */
    for (int round = 0; round < 2 && status == GF_E_CONNECTION_LOST; round++) {
        gf_channel_close(&client->channel);
        struct search s = {.here = gf_surroundings_here(client->socket),
                           .deadline = gf_after_ms(client->connect_timeout_ms)};
        status = find_daemon(client, &s, err);
        if (status == GF_OK)
            status = greet(client, s.deadline, err);
    }
    if (status == GF_OK)
        client->connection++;
    return status;
}

enum gf_status gf_client_ask(gpufilter_client *client, struct gf_exchange *x,
                             enum gf_status (*prepare)(gpufilter_client *client, struct gf_exchange *x,
                                                       struct gf_writer *head, void *context, struct gf_error *err),
                             void *context, struct gf_error *err)
{
    struct gf_writer head;
    enum gf_status status = GF_OK;
    for (int round = 0; round < 2; round++) {
        status = gf_client_connect(client, err);
        if (status != GF_OK)
            return status;
        gf_writer_init(&head, client->head, sizeof(client->head));
        x->head = &head;
        status = prepare(client, x, &head, context, err);
        if (status == GF_OK)
            status = gf_channel_ask(&client->channel, x, err);
        if (status != GF_E_CONNECTION_LOST)
            return status;
    }
    return status;
}
