/* SPDX-License-Identifier: MIT */
/* A minimal daemon for the tests of the client library. */
#include "fake_server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "protocol/base/clock.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/metric.h"
#include "tests/support/resources.h"

static bool read_all(int fd, void *data, size_t size, int *ret_fd)
{
    for (size_t at = 0; at < size;) {
        char control[CMSG_SPACE(sizeof(int))];
        struct iovec part = {(uint8_t *)data + at, size - at};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
        ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        if (n <= 0)
            return false;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        if (c != NULL && c->cmsg_type == SCM_RIGHTS)
            memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
        at += (size_t)n;
    }
    return true;
}

void fake_send_bytes(struct fake_server *s, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(s->fd, (const uint8_t *)bytes + at, size - at, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

void fake_send(struct fake_server *s, uint16_t kind, uint64_t id, struct gf_writer *w, const void *payload,
               uint64_t payload_len)
{
    uint8_t head[GF_HEADER_SIZE];
    struct gf_writer none;
    if (w == NULL) {
        gf_writer_init(&none, head, sizeof(head));
        w = &none;
    }
    gf_writer_finish(w, kind, id, payload_len, 0);
    fake_send_bytes(s, w->data, w->size);
    if (payload_len > 0)
        fake_send_bytes(s, payload, payload_len);
}

void fake_send_error(struct fake_server *s, uint64_t id, enum gf_status status, const char *text, uint64_t needed,
                     uint32_t retry_ms)
{
    uint8_t bytes[1024];
    struct gf_writer w;
    struct gf_error error;
    gf_error_set(&error, status, "%s", text);
    error.needed = needed;
    gf_writer_init(&w, bytes, sizeof(bytes));
    gf_error_encode(&w, &error, retry_ms);
    fake_send(s, GF_FRAME_ERROR, id, &w, NULL, 0);
}

static void greet(struct fake_server *s, const struct gf_header *h)
{
    struct gf_hello_reply *reply = calloc(1, sizeof(*reply));
    uint8_t *bytes = malloc(GF_MAX_FRAME_HEAD);
    struct gf_writer w;
    reply->version = GF_VERSION;
    snprintf(reply->software, sizeof(reply->software), "fake 1.0");
    if (s->node != NULL) {
        snprintf(reply->node, sizeof(reply->node), "%s", s->node);
        reply->connection = s->n_connections;
    }
    reply->fd_passing = !s->no_fds;
    reply->limits[GF_LIMIT_MAX_INLINE] = s->max_inline != 0 ? s->max_inline : 256u << 20;
    reply->limits[GF_LIMIT_IN_FLIGHT] = 64;
    reply->limits[GF_LIMIT_ARENAS] = 8;
    reply->limits[GF_LIMIT_ARENA_BYTES] = 1ull << 30;
    reply->revisions[GF_INDEX_gaussian] = 3;
    gf_writer_init(&w, bytes, GF_MAX_FRAME_HEAD);
    gf_hello_reply_encode(&w, reply);
    fake_send(s, GF_FRAME_HELLO_REPLY, h->id, &w, NULL, 0);
    free(bytes);
    free(reply);
}

static const uint8_t *operand_at(struct fake_server *s, const struct gf_operand *o)
{
    if (o->way == GF_WAY_HANDLE)
        return s->kept[o->id % 16].data + o->offset;
    return o->way == GF_WAY_ARENA ? s->arenas[o->id % 8].base + o->offset : s->payload + o->offset;
}

/* A byte of an operand; 0 where a larger result has more. */
static uint8_t byte_at(const uint8_t *data, const struct gf_view *view, uint64_t x, uint64_t y)
{
    return y < view->height && x < gf_view_row_bytes(view) ? data[y * view->pitch + x] : 0;
}

/* Checks the handles of the current RUN. */
static enum gf_status check_handles(struct fake_server *s, struct gf_error *err)
{
    const struct gf_program *p = &s->program;
    uint64_t x, y;
    for (uint32_t i = 0; i < p->n_operands; i++) {
        const struct gf_operand *o = &p->operands[i];
        if (o->way == GF_WAY_HANDLE && s->kept[o->id % 16].data == NULL)
            return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "no handle %" PRIu64, o->id);
        if (o->way == GF_WAY_HANDLE && gf_operand_place(o, &s->kept[o->id % 16].view, &x, &y, err) != GF_OK)
            return (enum gf_status)err->status;
    }
    for (uint32_t i = 0; i < p->n_results; i++)
        if (p->results[i].way == GF_WAY_HANDLE && s->kept[p->results[i].id % 16].data != NULL)
            return gf_error_set(err, GF_E_EXISTS, "handle %" PRIu64 " exists", p->results[i].id);
    return GF_OK;
}

/* Memory for a result that becomes a resident buffer. */
static uint8_t *keep(struct fake_server *s, const struct gf_result *r)
{
    s->n_kept++;
    s->kept[r->id % 16].view = r->view;
    return s->kept[r->id % 16].data = malloc(gf_view_bytes(&r->view));
}

static void forget(struct fake_server *s, const struct gf_header *h)
{
    uint32_t handle = 0;
    gf_free_request_decode(s->body, h->body_len, &handle, NULL);
    if (s->kept[handle % 16].data == NULL) {
        fake_send_error(s, h->id, GF_E_NO_SUCH_HANDLE, "no such handle", 0, 0);
        return;
    }
    free(s->kept[handle % 16].data);
    s->kept[handle % 16].data = NULL;
    s->n_kept--;
    s->n_frees++;
    fake_send(s, GF_FRAME_DONE, h->id, NULL, NULL, 0);
}

/* A wait of 1, then a step of 3, and a span that only a later version knows, within a total of 5. */
static void put_spans(const struct fake_server *s, uint8_t *records, struct gf_run_reply *reply)
{
    uint64_t now = gf_now_ns() + (uint64_t)s->clock_ns;
    gf_span_store(records, &(struct gf_span){GF_STAGE_QUEUE, GF_NO_STEP, now - 5, 1});
    gf_span_store(records + GF_RECORD_SPAN, &(struct gf_span){99, 7, now - 4, 1});
    gf_span_store(records + 2 * GF_RECORD_SPAN, &(struct gf_span){GF_STAGE_KERNEL, 0, now - 4, 3});
    reply->spans = records;
    reply->n_spans = 3;
}

void fake_run(struct fake_server *s, const struct gf_header *h, void (*change)(struct gf_run_reply *reply))
{
    const struct gf_program *p = &s->program;
    struct gf_error error;
    if (check_handles(s, &error) != GF_OK) {
        fake_send_error(s, h->id, (enum gf_status)error.status, error.text, 0, 0);
        return;
    }
    uint8_t *out = calloc(1, p->payload_out + 1), *bytes = malloc(GF_MAX_FRAME_HEAD);
    struct gf_run_reply *reply = calloc(1, sizeof(*reply));
    snprintf(reply->device, sizeof(reply->device), "cpu");
    snprintf(reply->why, sizeof(reply->why), "cpu 2.1 ms (as requested)");
    reply->times = (struct gf_stage_times){1, 2, 3, 4, 5};
    reply->n_outputs = p->n_results;
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_result *r = &p->results[i];
        const struct gf_view *from = &p->operands[0].view;
        const uint8_t *src = operand_at(s, &p->operands[0]);
        uint8_t *dst = r->way == GF_WAY_ARENA    ? s->arenas[r->id % 8].base + r->offset
                       : r->way == GF_WAY_HANDLE ? keep(s, r)
                                                 : out + r->offset;
        for (uint64_t y = 0; y < r->view.height; y++)
            for (uint64_t x = 0; x < gf_view_row_bytes(&r->view); x++)
                dst[y * r->view.pitch + x] = (uint8_t)(byte_at(src, from, x, y) + 1);
        reply->outputs[i] = (struct gf_output){.view = r->view, .offset = r->offset, .length = gf_view_bytes(&r->view)};
    }
    uint8_t spans[3 * GF_RECORD_SPAN];
    if (p->trace)
        put_spans(s, spans, reply);
    if (change != NULL)
        change(reply);
    struct gf_writer w;
    gf_writer_init(&w, bytes, GF_MAX_FRAME_HEAD);
    gf_run_reply_encode(&w, reply);
    fake_send(s, GF_FRAME_RESULT, h->id, &w, out, p->payload_out);
    free(reply);
    free(bytes);
    free(out);
}

/* A RUN that was not answered. */
struct fake_held {
    struct gf_header h;
    struct gf_program program;
    uint8_t *payload;
};

void fake_hold(struct fake_server *s, const struct gf_header *h)
{
    struct fake_held *held = malloc(sizeof(*held));
    if (s->n_held == GF_ARRAY_LEN(s->held))
        abort();
    *held = (struct fake_held){*h, s->program, s->payload};
    s->payload = NULL;
    s->held[s->n_held++] = held;
}

uint64_t fake_held_id(const struct fake_server *s, unsigned i)
{
    return s->held[i]->h.id;
}

static void forget_held(struct fake_server *s, unsigned i)
{
    free(s->held[i]->payload);
    free(s->held[i]);
    memmove(&s->held[i], &s->held[i + 1], (--s->n_held - i) * sizeof(s->held[0]));
}

void fake_answer_held(struct fake_server *s, unsigned i, enum gf_status status)
{
    struct fake_held *held = s->held[i];
    uint8_t *payload = s->payload;
    s->program = held->program;
    s->payload = held->payload;
    if (status == GF_OK)
        fake_run(s, &held->h, NULL);
    else
        fake_send_error(s, held->h.id, status, "as the test wants", 0, 250);
    s->payload = payload;
    forget_held(s, i);
}

static void count_ways(struct fake_server *s)
{
    const struct gf_program *p = &s->program;
    unsigned *operands[] = {&s->inline_operands, &s->arena_operands, &s->handle_operands};
    unsigned *results[] = {&s->inline_results, &s->arena_results, &s->handle_results};
    for (unsigned i = 0; i < 3; i++)
        *operands[i] = *results[i] = 0;
    for (uint32_t i = 0; i < p->n_operands; i++)
        *operands[p->operands[i].way - GF_WAY_INLINE] += 1;
    for (uint32_t i = 0; i < p->n_results; i++)
        *results[p->results[i].way - GF_WAY_INLINE] += 1;
    s->deadline_ms = p->deadline_ms;
    memcpy(s->device, p->device, sizeof(s->device));
}

static void take_arena(struct fake_server *s, const struct gf_header *h, int fd)
{
    struct gf_arena_request request;
    if (gf_arena_request_decode(s->body, h->body_len, false, &request, NULL) != GF_OK || fd < 0)
        return;
    void *base = mmap(NULL, request.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    s->arenas[request.arena % 8].base = base;
    s->arenas[request.arena % 8].size = request.size;
    fake_send(s, GF_FRAME_DONE, h->id, NULL, NULL, 0);
}

static void drop_arena(struct fake_server *s, const struct gf_header *h)
{
    struct gf_arena_request request;
    if (gf_arena_request_decode(s->body, h->body_len, true, &request, NULL) != GF_OK)
        return;
    munmap(s->arenas[request.arena % 8].base, s->arenas[request.arena % 8].size);
    s->arenas[request.arena % 8].base = NULL;
    fake_send(s, GF_FRAME_DONE, h->id, NULL, NULL, 0);
}

/* The first page, the second page, or both as one. */
static void put_metrics(struct gf_writer *w, const struct fake_server *s, uint32_t page)
{
    static const uint64_t bins[3] = {1, 0, 2};
    struct gf_metric_writer m;
    gf_metric_writer_init(&m, w, 0);
    gf_metric_family(&m, "answers_total", GF_METRIC_COUNTER, "How many.");
    if (page == 0)
        gf_metric_put(&m, "device=\"cpu\"", 7);
    gf_metric_family(&m, "time_seconds", GF_METRIC_HISTOGRAM, "How long.");
    if (page != 0 || s->next_page == 0)
        gf_metric_put_bins(&m, "", 2.5, 0.25, bins, GF_ARRAY_LEN(bins));
    if (page == 0 && s->next_page != 0)
        gf_put_u32(w, GF_ATTR_NEXT, s->next_page);
    if (page != 0 && s->page_after != 0)
        gf_put_u32(w, GF_ATTR_NEXT, s->page_after);
    if (s->bad_metrics)
        gf_put_string(w, GF_ATTR_METRIC, "two words");
}

static void put_handles(struct gf_writer *w)
{
    gf_put_string(w, GF_ATTR_DEVICE, "cuda:0");
    for (uint32_t id = 1; id < 4; id++)
        gf_handle_entry_encode(w, &(struct gf_handle_entry){.id = id,
                                                            .state = id == 2 ? GF_HANDLE_FAILED : GF_HANDLE_READY,
                                                            .bytes = 12 * id,
                                                            .view = gf_view_tight(GF_U8, 4, 3, id)});
}

static void inform(struct fake_server *s, const struct gf_header *h)
{
    struct gf_info_reply *reply = calloc(1, sizeof(*reply));
    uint8_t *bytes = malloc(GF_MAX_FRAME_HEAD);
    struct gf_writer w;
    struct gf_info_request asked = {.topic = 0};
    gf_info_request_decode(s->body, h->body_len, &asked, NULL);
    reply->topic = asked.topic;
    reply->health = reply->topic == GF_TOPIC_HEALTH ? GF_HEALTH_DEGRADED : 0;
    snprintf(reply->text, sizeof(reply->text), "%s", reply->topic == GF_TOPIC_HEALTH ? "no GPU" : "");
    reply->n_devices = 2;
    reply->devices[0] = (struct gf_device_entry){.name = "cpu", .memory = 7, .units = 2, .state = GF_DEVICE_READY};
    reply->devices[1] = (struct gf_device_entry){.name = "cuda:0", .title = "H", .state = GF_DEVICE_ABSENT};
    gf_writer_init(&w, bytes, GF_MAX_FRAME_HEAD);
    gf_info_reply_encode(&w, reply);
    if (reply->topic == GF_TOPIC_STATS)
        put_metrics(&w, s, asked.next);
    if (reply->topic == GF_TOPIC_HANDLES)
        put_handles(&w);
    fake_send(s, GF_FRAME_INFO_REPLY, h->id, &w, NULL, 0);
    free(bytes);
    free(reply);
}

/* Calls the answer that the test has set for this kind, if any, but only for the first s->misbehave requests. */
static bool misbehaves(struct fake_server *s, fake_answer *answer, unsigned n, const struct gf_header *h,
                       bool *ret_close)
{
    if (answer == NULL || (s->misbehave != 0 && n > s->misbehave))
        return false;
    answer(s, h, ret_close);
    return true;
}

/* One request; false ends the connection. */
static bool answer(struct fake_server *s, const struct gf_header *h, int fd)
{
    bool end = false;
    switch (h->kind) {
    case GF_FRAME_HELLO:
        if (!misbehaves(s, s->hello, ++s->n_hellos, h, &end))
            greet(s, h);
        return !end;
    case GF_FRAME_PING:
        misbehaves(s, s->before, 0, h, &end);
        fake_send(s, GF_FRAME_PONG, h->id, NULL, NULL, 0);
        return true;
    case GF_FRAME_CANCEL:
        s->n_cancels++;
        misbehaves(s, s->cancel, 0, h, &end);
        return !end;
    case GF_FRAME_FREE:
        forget(s, h);
        return true;
    case GF_FRAME_INFO:
        misbehaves(s, s->before, 0, h, &end);
        inform(s, h);
        return true;
    case GF_FRAME_ARENA:
        if (!misbehaves(s, s->arena, ++s->n_arenas, h, &end))
            take_arena(s, h, fd);
        return !end;
    case GF_FRAME_ARENA_DROP:
        s->n_drops++;
        drop_arena(s, h);
        return true;
    case GF_FRAME_RUN:
        if (gf_program_decode(s->body, h->body_len, h->payload_len, &s->program, NULL, NULL) != GF_OK)
            return false;
        count_ways(s);
        if (!misbehaves(s, s->run, ++s->n_runs, h, &end))
            fake_run(s, h, NULL);
        return !end;
    default:
        return h->kind == GF_FRAME_PONG;
    }
}

static void serve(struct fake_server *s)
{
    uint8_t bytes[GF_HEADER_SIZE];
    struct gf_header h;
    bool more = true;
    while (more) {
        int fd = -1;
        more = read_all(s->fd, bytes, sizeof(bytes), &fd) && gf_header_decode(bytes, &h, NULL) == GF_OK &&
               read_all(s->fd, s->body, h.body_len, &fd);
        s->payload = more ? malloc(h.payload_len + 1) : NULL;
        more = more && read_all(s->fd, s->payload, h.payload_len, &fd) && answer(s, &h, fd);
        free(s->payload);
        gf_closep(&fd);
    }
    while (s->n_held > 0)
        forget_held(s, 0);
    for (size_t i = 0; i < GF_ARRAY_LEN(s->arenas); i++)
        if (s->arenas[i].base != NULL)
            munmap(s->arenas[i].base, s->arenas[i].size);
    memset(s->arenas, 0, sizeof(s->arenas));
    for (size_t i = 0; i < GF_ARRAY_LEN(s->kept); i++)
        free(s->kept[i].data);
    memset(s->kept, 0, sizeof(s->kept));
    s->n_kept = 0;
}

static void *serve_all(void *context)
{
    struct fake_server *s = context;
    while ((s->fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        s->n_connections++;
        serve(s);
        close(s->fd);
    }
    return NULL;
}

struct fake_server *fake_server_new(void)
{
    struct fake_server *s = calloc(1, sizeof(*s));
    s->dir = gf_temp_dir_new();
    snprintf(s->path, sizeof(s->path), "%s/s", s->dir);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, s->path, strlen(s->path));
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(s->listener, 8) < 0)
        abort();
    return s;
}

void fake_server_start(struct fake_server *s)
{
    if (pthread_create(&s->thread, NULL, serve_all, s) != 0)
        abort();
}

void fake_server_stop(struct fake_server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
}

void fake_server_free(struct fake_server *s)
{
    close(s->listener);
    gf_temp_dir_free(s->dir);
    free(s);
}
