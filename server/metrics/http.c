/* SPDX-License-Identifier: MIT */
/* The requests that are answered, and the connections; see http.h. */
#include "http.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "protocol/base/clock.h"
#include "protocol/wire/exposition.h"
#include "protocol/wire/request.h"
#include "protocol/wire/response.h"

#define MAX_CONNECTIONS 16u
#define MAX_HEAD 8192u /* bytes of a connection's memory: the head of the request, and that of the answer */
#define CONNECTION_NS (10 * GF_NS_PER_S)
#define TEXT "text/plain; charset=utf-8"
#define PROMETHEUS "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS "application/openmetrics-text"
#define SILENT "no answer from the daemon in time\n"

struct connection {
    int fd; /* -1: free */
    uint64_t since_ns;
};

struct gf_http {
    struct MHD_Daemon *daemon;
    struct gf_front *front;
    int listening;
    uint32_t n; /* connections */
    struct connection connections[MAX_CONNECTIONS];
    struct gf_info_reply reply; /* scratch */
};

/* An answer to a request. */
struct answer {
    unsigned code;
    const char *type;
    char *text; /* owned */
    size_t size;
};

bool gf_http_accepts_openmetrics(const char *accept)
{
    for (const char *at = accept; at && *at; at += *at == ',') {
        at += strspn(at, " \t");
        size_t n = strcspn(at, ",; \t");
        if (n == sizeof(OPENMETRICS) - 1 && strncasecmp(at, OPENMETRICS, n) == 0)
            return true;
        at += strcspn(at, ",");
    }
    return false;
}

static void say(struct answer *a, unsigned code, const char *text)
{
    *a = (struct answer){.code = code, .type = TEXT, .text = strdup(text), .size = strlen(text)};
}

static void answer_metrics(struct gf_http *http, struct MHD_Connection *connection, struct answer *a)
{
    const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    bool open = gf_http_accepts_openmetrics(accept);
    const struct gf_front_answer *metrics = gf_front_ask(http->front, GF_TOPIC_STATS);
    if (!metrics) {
        say(a, MHD_HTTP_SERVICE_UNAVAILABLE, SILENT);
        return;
    }
    *a = (struct answer){.code = MHD_HTTP_OK, .type = open ? OPENMETRICS "; version=1.0.0; charset=utf-8" : PROMETHEUS};
    FILE *out = open_memstream(&a->text, &a->size);
    struct gf_exposition exposition;
    gf_exposition_begin(&exposition, out, open ? GF_EXPOSITION_OPENMETRICS : GF_EXPOSITION_TEXT);
    bool whole = out != NULL;
    for (uint32_t i = 0; i < metrics->n_pages && whole; i++) {
        size_t size;
        const uint8_t *body = gf_front_page(metrics, i, &size);
        whole = gf_metrics_decode(body, size, gf_exposition_put, &exposition, NULL) == GF_OK;
    }
    if (whole)
        gf_exposition_end(&exposition);
    if (out && fclose(out) != 0)
        whole = false;
    if (!whole)
        a->code = MHD_HTTP_INTERNAL_SERVER_ERROR;
}

/* The daemon lives if it answers, whatever it says. */
static void answer_live(struct gf_http *http, struct MHD_Connection *connection, struct answer *a)
{
    (void)connection;
    if (gf_front_ask(http->front, GF_TOPIC_HEALTH))
        say(a, MHD_HTTP_OK, "ok\n");
    else
        say(a, MHD_HTTP_SERVICE_UNAVAILABLE, SILENT);
}

/* What the command `health` prints. */
static void answer_ready(struct gf_http *http, struct MHD_Connection *connection, struct answer *a)
{
    char text[GF_ERROR_TEXT + 32];
    size_t size;
    (void)connection;
    const struct gf_front_answer *health = gf_front_ask(http->front, GF_TOPIC_HEALTH);
    const uint8_t *body = health ? gf_front_page(health, 0, &size) : NULL;
    if (!body || gf_info_reply_decode(body, size, &http->reply, NULL) != GF_OK) {
        say(a, MHD_HTTP_SERVICE_UNAVAILABLE, SILENT);
        return;
    }
    bool ready = http->reply.health == GF_HEALTH_READY || http->reply.health == GF_HEALTH_DEGRADED;
    snprintf(text, sizeof(text), "%s: %s\n", gf_health_word(http->reply.health), http->reply.text);
    say(a, ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, text);
}

static const struct {
    const char *path;
    void (*answer)(struct gf_http *http, struct MHD_Connection *connection, struct answer *a);
} g_pages[] = {{"/metrics", answer_metrics}, {"/healthz", answer_live}, {"/readyz", answer_ready}};

static void find_answer(struct gf_http *http, struct MHD_Connection *connection, const char *path, const char *method,
                        struct answer *a)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_pages); i++) {
        if (strcmp(path, g_pages[i].path) != 0)
            continue;
        if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
            g_pages[i].answer(http, connection, a);
        else
            say(a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        return;
    }
    say(a, MHD_HTTP_NOT_FOUND, "there are /metrics, /healthz and /readyz\n");
}

/* A request's head has arrived. A body, if there is one, is not read. */
static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *path, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct answer a = {.text = NULL};
    (void)version, (void)upload, (void)upload_size, (void)state;
    find_answer(data, connection, path, method, &a);
    struct MHD_Response *response =
        a.text ? MHD_create_response_from_buffer(a.size, a.text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response) {
        free(a.text);
        return MHD_NO; /* out of memory: the connection is closed */
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, a.type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (a.code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, a.code, response);
    MHD_destroy_response(response);
    return result;
}

/* Paths are compared as they were sent. */
static size_t keep_escapes(void *data, struct MHD_Connection *connection, char *text)
{
    (void)data, (void)connection;
    return strlen(text);
}

static void on_connection(void *data, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what)
{
    struct gf_http *http = data;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        struct connection *c = *state;
        if (c)
            c->fd = -1;
        http->n--;
        return;
    }
    http->n++;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *c = &http->connections[i];
        if (c->fd >= 0)
            continue;
        c->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        c->since_ns = gf_now_ns();
        *state = c;
        return;
    }
}

struct gf_http *gf_http_start(int listening, struct gf_front *front)
{
    struct gf_http *http = calloc(1, sizeof(*http));
    if (!http)
        return NULL;
    http->front = front;
    http->listening = listening;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        http->connections[i].fd = -1;
    http->daemon =
        MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening,
                         MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                         (size_t)MAX_HEAD, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                         MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    if (!http->daemon)
        return gf_http_stop(http);
    return http;
}

/* Ends the connections whose time is over. libmicrohttpd's own limit is for silence, so that a byte now and then would
 * hold a connection for ever. Returns the milliseconds until the next one's time is over; -1: there is none. */
static int end_old_connections(struct gf_http *http)
{
    uint64_t now = gf_now_ns(), next = UINT64_MAX;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *c = &http->connections[i];
        if (c->fd < 0)
            continue;
        uint64_t end = c->since_ns + CONNECTION_NS;
        if (end <= now)
            shutdown(c->fd, SHUT_RDWR); /* libmicrohttpd finds its end, and closes it */
        else
            next = end < next ? end : next;
    }
    return next == UINT64_MAX ? -1 : (int)((next - now) / GF_NS_PER_MS) + 1;
}

/* By select, because with epoll libmicrohttpd overlooks the end of a connection that came with its last bytes. Few
 * descriptors are open, so that all numbers are below FD_SETSIZE. */
void gf_http_run(struct gf_http *http)
{
    while (!http->front->gone) {
        fd_set read, write, except;
        MHD_socket last = http->front->fd;
        MHD_UNSIGNED_LONG_LONG pending_ms;
        int ms = end_old_connections(http);
        FD_ZERO(&read);
        FD_ZERO(&write);
        FD_ZERO(&except);
        FD_SET(http->front->fd, &read);
        MHD_get_fdset(http->daemon, &read, &write, &except, &last);
        if (http->n >= MAX_CONNECTIONS)
            FD_CLR(http->listening, &read); /* clients wait; libmicrohttpd would accept and close */
        if (MHD_get_timeout(http->daemon, &pending_ms) == MHD_YES && (ms < 0 || pending_ms < (unsigned)ms))
            ms = (int)pending_ms;
        struct timeval wait = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
        if (select(last + 1, &read, &write, &except, ms < 0 ? NULL : &wait) < 0)
            continue;
        if (FD_ISSET(http->front->fd, &read))
            gf_front_look(http->front);
        MHD_run_from_select(http->daemon, &read, &write, &except);
    }
}

struct gf_http *gf_http_stop(struct gf_http *http)
{
    if (http && http->daemon)
        MHD_stop_daemon(http->daemon);
    free(http);
    return NULL;
}
