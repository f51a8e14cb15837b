/* SPDX-License-Identifier: MIT */
/* The front of fuzz_session.c and its simulated workers; see front_world.h. */
#include "front_world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "server/front/base/log.h"

extern uint64_t world_now_ns;

struct world world;
static uint8_t frame[GF_MAX_FRAME_HEAD + 1];

/* These functions replace log.c: nothing is printed, but every text is formatted. */
void gf_log_set_level(enum gf_log_level level)
{
    (void)level;
}

void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...)
{
    char line[1024];
    va_list args;
    (void)site, (void)level;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
}

uint64_t gf_log_lost(void)
{
    return 0;
}

void gf_log_answer(const char *fmt, ...)
{
    (void)fmt;
}

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* These stand in for worker_process.c. */
static struct world_device *device_named(const char *name)
{
    return &world.devices[strcmp(name, GF_CPU) == 0 ? 0 : 1];
}

static struct gf_worker_process *process_new(gf_worker_exited *exited, void *data)
{
    struct gf_worker_process *p = calloc(1, sizeof *p);
    if (p != NULL)
        *p = (struct gf_worker_process){.exited = exited, .data = data};
    return p;
}

enum gf_status gf_worker_process_start(uv_loop_t *loop, struct gf_spawner *spawner,
                                       const struct gf_spawner_request *request, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    struct world_device *d = device_named(request->device);
    int pair[2];
    (void)loop, (void)spawner;
    bool fail = world_faults.start_fails;
    world_faults.start_fails = false;
    struct gf_worker_process *p = fail ? NULL : process_new(exited, data);
    if (p == NULL)
        return gf_error_set(err, GF_E_START_FAILED, "the worker could not be started");
    must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
    must(d->process == NULL);
    gf_closep(&d->fd); /* of one that was given up */
    d->process = *ret_process = p;
    d->fd = pair[1];
    d->n_jobs = 0;
    *ret_fd = pair[0];
    return GF_OK;
}

enum gf_status gf_worker_process_join(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                                      struct gf_worker_process **ret_process, struct gf_error *err)
{
    struct world_device *d = &world.devices[WORLD_OWN];
    (void)loop, (void)pid;
    struct gf_worker_process *p = d->process != NULL ? NULL : process_new(exited, data);
    if (p == NULL)
        return gf_error_set(err, GF_E_START_FAILED, "the process is not there");
    d->process = *ret_process = p;
    return GF_OK;
}

void gf_worker_process_kill(struct gf_worker_process *process)
{
    process->killed = true;
}

struct gf_worker_process *gf_worker_process_free(struct gf_worker_process *process)
{
    for (uint32_t i = 0; i < WORLD_DEVICES; i++)
        if (process != NULL && world.devices[i].process == process)
            world.devices[i].process = NULL;
    free(process);
    return NULL;
}

static void on_accepted(void *data, int fd, const struct ucred *peer)
{
    (void)data, (void)peer;
    gf_sessions_accept(&world.sessions, fd, world.next_uid, 1);
}

static void on_session_ended(void *data)
{
    (void)data;
    gf_listener_resume(&world.listener);
}

static void listen_somewhere(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof address;
    struct gf_error err;
    int type, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    must(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0 && listen(fd, 8) == 0);
    must(getsockname(fd, (struct sockaddr *)&address, &size) == 0 && size <= sizeof world.address);
    memcpy(world.address, &address, size);
    world.address_size = size;
    world.listener = GF_LISTENER_NULL;
    must(gf_listener_adopt(&world.listener, fd, &type, &err) == GF_OK && type == SOCK_STREAM);
    must(gf_listener_start(&world.listener, &world.loop, &world.sessions.loop_queue, on_accepted, NULL, &err) == GF_OK);
}

/* Small, so that every limit is met. */
static void set_options(struct gf_options *o)
{
    *o = (struct gf_options){.max_inline = 64 << 10,
                             .staging_max = 48 << 10,
                             .staging_segment = 16 << 10,
                             .max_connections = 3,
                             .in_flight = 4,
                             .staging = 32 << 10,
                             .arenas = 2,
                             .arena_bytes = 64 << 10,
                             .pinned_bytes = 16 << 10,
                             .handles = 3,
                             .resident_bytes = 64 << 10,
                             .user_connections = 2,
                             .user_requests = 6,
                             .user_staging = 40 << 10,
                             .user_arena_bytes = 96 << 10,
                             .user_pinned_bytes = 16 << 10,
                             .user_handles = 4,
                             .user_resident_bytes = 96 << 10,
                             .request_total = 8,
                             .handle_total = 6,
                             .arena_total = 128 << 10,
                             .pinned_total = 24 << 10,
                             .resident_total = 128 << 10,
                             .frame_timeout_ms = 10000,
                             .reply_timeout_ms = 30000,
                             .worker_timeout_ms = 30000,
                             .idle_release_ms = 20000,
                             .worker_deaths = 3,
                             .drain_timeout_ms = 20000};
}

void world_open(void)
{
    static const char *const names[WORLD_OWN] = {GF_CPU, "cuda:0"};
    struct gf_error err;
    memset(&world, 0, sizeof world);
    memset(&world_faults, 0, sizeof world_faults);
    must(uv_loop_init(&world.loop) == 0);
    set_options(&world.options);
    const struct gf_options *o = &world.options;
    gf_memories_init(&world.memories);
    gf_staging_init(&world.staging, &world.memories, o->staging_segment, o->staging_max);
    gf_workers_init(&world.workers, &world.loop, &world.memories, &gf_dispatcher_workers_ops, &world.dispatcher);
    world.workers.deaths = &o->worker_deaths;
    world.workers.timeout_ms = &o->worker_timeout_ms;
    world.workers.idle_ms = &o->idle_release_ms;
    gf_metrics_init(&world.metrics, gf_now_ns());
    gf_dispatcher_init(&world.dispatcher, &world.loop, &world.workers, &gf_sessions_dispatcher_ops, &world.sessions);
    world.dispatcher.metrics = &world.metrics;
    world.sessions = (struct gf_sessions){.loop = &world.loop,
                                          .dispatcher = &world.dispatcher,
                                          .workers = &world.workers,
                                          .staging = &world.staging,
                                          .memories = &world.memories,
                                          .quota = &world.quota,
                                          .names = &world.names,
                                          .proxies = &world.proxies,
                                          .options = o,
                                          .ended = on_session_ended};
    world.proxies = (struct gf_uids){.list = {WORLD_PROXY}, .n = 1};
    world.quota.names = world.dispatcher.names = &world.names;
    gf_sessions_init(&world.sessions);
    listen_somewhere();
    for (uint32_t i = 0; i < WORLD_DEVICES; i++)
        world.devices[i].fd = -1;
    for (uint32_t i = 0; i < WORLD_OWN; i++)
        must(gf_workers_add(&world.workers, names[i], &err) == GF_OK);
    gf_workers_start(&world.workers);
}

void world_turn(uint32_t n)
{
    while (n-- > 0)
        uv_run(&world.loop, UV_RUN_NOWAIT);
}

void world_pass(uint64_t ms)
{
    world_now_ns += ms * GF_NS_PER_MS;
    uint64_t now = gf_now_ns();
    gf_sessions_check(&world.sessions, now);
    gf_workers_check(&world.workers, now);
    gf_staging_trim(&world.staging, now);
    world_turn(2);
}

int world_connect(uid_t uid)
{
    gf_cleanup(gf_closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    must(fd >= 0);
    if (connect(fd, (const struct sockaddr *)world.address, world.address_size) < 0)
        return -1;
    world.next_uid = uid;
    world_turn(1);
    return gf_steal_fd(&fd);
}

/* Keeps of a RUN what its answer needs. */
static void take_run(struct world_device *d, const struct gf_header *h, const uint8_t *body)
{
    struct gf_error err;
    must(gf_program_decode(body, h->body_len, 0, &d->program, NULL, &err) == GF_OK);
    must(d->n_jobs < WORLD_JOBS);
    d->jobs[d->n_jobs] = h->id;
    d->outputs[d->n_jobs] = d->program.n_results;
    for (uint32_t i = 0; i < d->program.n_results; i++)
        d->views[d->n_jobs][i] = d->program.results[i].view;
    d->n_jobs++;
}

void world_device_read(struct world_device *d)
{
    struct world_faults faults = world_faults;
    world_faults = (struct world_faults){0}; /* they are for the front */
    for (;;) {
        struct iovec iov = {frame, sizeof frame};
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct msghdr msg = {
            .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        ssize_t n = d->fd < 0 ? -1 : recvmsg(d->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n <= 0)
            break;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        int fd = -1;
        if (c != NULL)
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
        struct gf_header h;
        struct gf_error err;
        must((size_t)n >= GF_HEADER_SIZE && gf_header_decode(frame, &h, &err) == GF_OK);
        must((h.kind == GF_FRAME_WORKER_MAP) == (fd >= 0) && h.nfds == (fd >= 0));
        gf_closep(&fd);
        if (h.kind == GF_FRAME_RUN)
            take_run(d, &h, frame + GF_HEADER_SIZE);
    }
    world_faults = faults;
}

void world_device_send(struct world_device *d, const uint8_t *data, size_t size)
{
    if (d->fd >= 0 && send(d->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN && errno != EPIPE &&
        errno != ECONNRESET)
        abort();
}

static void send_frame(struct world_device *d, struct gf_writer *w, uint16_t kind, uint64_t id)
{
    must(gf_writer_finish(w, kind, id, 0, 0));
    world_device_send(d, w->data, w->size);
}

void world_device_join(struct world_device *d)
{
    int pair[2];
    if (d->process != NULL || d->fd >= 0)
        return;
    must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
    d->fd = pair[1];
    gf_workers_join(&world.workers, pair[0], 2);
}

void world_device_greet(struct world_device *d)
{
    static struct gf_worker_hello hello;
    hello = (struct gf_worker_hello){.pid = 1, .slots = 3};
    hello.device = (struct gf_device_entry){.name = "cuda:1", .title = "fuzz", .units = 2, .state = GF_DEVICE_READY};
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        hello.rows[hello.n_rows++] = (struct gf_op_row){gf_ops[i].id, GF_DT_IMAGE};
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_hello_encode(&w, &hello);
    send_frame(d, &w, GF_FRAME_WORKER_HELLO, 0);
}

void world_device_answer(struct world_device *d, uint32_t which, enum gf_status status)
{
    static struct gf_run_reply reply;
    struct gf_error error = {0};
    struct gf_writer w;
    if (which >= d->n_jobs)
        return;
    uint64_t number = d->jobs[which];
    reply = (struct gf_run_reply){.device = "fuzz", .times = {0, 1, 2, 3, 6}, .n_outputs = d->outputs[which]};
    for (uint32_t i = 0; i < reply.n_outputs; i++)
        reply.outputs[i].view = d->views[which][i], reply.outputs[i].length = gf_view_bytes(&d->views[which][i]);
    d->n_jobs--;
    for (uint32_t i = which; i < d->n_jobs; i++) {
        d->jobs[i] = d->jobs[i + 1];
        d->outputs[i] = d->outputs[i + 1];
        memcpy(d->views[i], d->views[i + 1], sizeof d->views[i]);
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_error_set(&error, status, "as it was told");
    if (status == GF_OK)
        gf_run_reply_encode(&w, &reply);
    else
        gf_error_encode(&w, &error, 0);
    send_frame(d, &w, status == GF_OK ? GF_FRAME_RESULT : GF_FRAME_ERROR, number);
}

void world_device_die(struct world_device *d, int code)
{
    struct gf_worker_process *p = d->process;
    gf_closep(&d->fd);
    d->fd = -1;
    d->n_jobs = 0;
    d->process = NULL;
    if (p != NULL)
        p->exited(p->data, code, "it was told to");
}

static void on_each_handle(uv_handle_t *handle, void *data)
{
    (void)data;
    must(uv_is_closing(handle));
}

void world_close(void)
{
    memset(&world_faults, 0, sizeof world_faults);
    gf_sessions_shut(&world.sessions);
    gf_listener_stop(&world.listener);
    gf_workers_stop(&world.workers);
    gf_workers_kill_all(&world.workers);
    for (uint32_t i = 0; i < WORLD_DEVICES; i++)
        world_device_die(&world.devices[i], 0);
    gf_workers_give_up(&world.workers);
    must(gf_workers_gone(&world.workers));
    world_turn(4);
    must(world.sessions.n == 0 && world.quota.users == NULL && world.dispatcher.scheduler.n_queued == 0);
    must(world.staging.used == 0);
    gf_dispatcher_close(&world.dispatcher);
    gf_sessions_close(&world.sessions);
    uv_walk(&world.loop, on_each_handle, NULL);
    uv_run(&world.loop, UV_RUN_DEFAULT);
    gf_staging_deinit(&world.staging);
    must(gf_list_empty(&world.memories.list));
    gf_workers_deinit(&world.workers);
    must(uv_loop_close(&world.loop) == 0);
}
