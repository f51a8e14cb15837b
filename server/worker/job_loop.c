/* SPDX-License-Identifier: MIT */
/* Receives the front's messages, runs jobs and sends answers. Called by main.c. */
#include "job_loop.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "gpu_watch.h"
#include "job.h"
#include "kernels/registry.h"
#include "mappings.h"
#include "probe.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/base/keep_awake.h"
#include "protocol/base/machine.h"
#include "protocol/wire/request.h"
#include "protocol/wire/response.h"
#include "protocol/wire/worker_msg.h"
#include "say.h"

/* For systemd, whose limit for the start must not be the shorter one: 21 minutes, the front's 20 and one. */
#define ASSEMBLES "EXTEND_TIMEOUT_USEC=1260000000\nSTATUS=The driver assembles the kernels"

struct loop;

/* The state of one job thread; too large for a stack. */
struct job_thread {
    struct loop *loop;
    struct gf_exec *exec;
    bool busy;                   /* guarded by loop->lock: job.id is running */
    bool leads;                  /* guarded by loop->lock: this thread may receive */
    struct job_thread *next;     /* guarded by loop->lock: next in the stack of idle job threads */
    pthread_cond_t lead_changed; /* signalled when leads becomes true */
    bool started;
    pthread_t thread;
    struct gf_worker_job job;
    struct gf_run_reply reply;
    uint8_t in[GF_MAX_FRAME_HEAD];
    uint8_t out[GF_MAX_FRAME_HEAD];
};

struct loop {
    int front;
    const struct gf_backend *backend;
    struct gf_device *device;
    struct gf_mappings mappings;
    struct gf_buffers buffers;
    struct gf_worker_budget budget;
    struct gf_gpu_watch *gpu; /* NULL: a CPU, or no memory */
    char name[GF_MAX_DEVICE_NAME];
    bool keep_awake; /* jobs leave processors idle */
    bool taken;      /* the front has taken this worker; used by the leader */
    int64_t wait_ns; /* expected wait for the next message; used by the leader */
    const volatile sig_atomic_t *told_to_end;
    void (*notify)(const char *state);
    pthread_mutex_t lock;    /* guards the rest of this struct and the marked fields of job threads */
    bool stop;               /* the front is gone */
    bool led;                /* some job thread leads */
    struct job_thread *idle; /* a stack, so that a light load stays on warm threads and exec contexts */
    uint32_t n_job_threads;
    struct job_thread *job_threads;
    struct gf_probe *probe;
};

/* Finishes and sends a frame. If the front has gone, the next receive notices. If a message is lost for any other
 * reason, the front would wait for ever, so the process ends and its jobs run elsewhere. */
static void send_message(const struct loop *l, struct gf_writer *writer, uint16_t kind, uint64_t id)
{
    ssize_t n;
    if (!gf_writer_finish(writer, kind, id, 0, 0))
        return;
    do
        n = send(l->front, writer->data, writer->size, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n >= 0 || errno == EPIPE || errno == ECONNRESET)
        return;
    gf_worker_log("cannot send to the front: %s", strerror(errno));
    _exit(GF_WORKER_EXIT_DEVICE_LOST);
}

/* Sends an ERROR; the buffer has room for a frame. */
static void send_error(const struct loop *l, uint8_t *buffer, uint64_t id, const struct gf_error *error)
{
    struct gf_writer w;
    gf_writer_init(&w, buffer, GF_MAX_FRAME_HEAD);
    gf_error_encode(&w, error, 0);
    send_message(l, &w, GF_FRAME_ERROR, id);
}

/* Waits as the leader for one message, which brings a descriptor or none (-1). Returns its size, 0 if the front has
 * gone. */
static size_t receive_message(struct job_thread *s, int *ret_fd)
{
    struct loop *l = s->loop;
    const uint64_t start = gf_now_ns();
    struct pollfd p = {.fd = l->front, .events = POLLIN};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = s->in, .iov_len = sizeof s->in};
    ssize_t n;
    struct msghdr msg;
    if (l->keep_awake)
        (void)gf_keep_awake_poll(&p, 1, l->wait_ns, INT64_MAX);
    do {
        memset(&control, 0, sizeof control);
        msg = (struct msghdr){
            .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        n = recvmsg(l->front, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (l->keep_awake)
        l->wait_ns = gf_keep_awake_expect(l->wait_ns, (int64_t)(gf_now_ns() - start));
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

/* Logs an error after the device's name, unless the text begins with the name, as the backend's texts do. */
static void say_error(const char *device, const struct gf_error *error)
{
    bool named = strncmp(error->text, device, strlen(device)) == 0;
    gf_worker_log("%s%s%s", named ? "" : device, named ? "" : ": ", error->text);
}

/* Logs why the device cannot be used any more and exits; running jobs are run elsewhere. */
static _Noreturn void give_up(struct loop *l, uint8_t *buffer, const struct gf_error *error)
{
    say_error(l->name, error);
    send_error(l, buffer, 0, error);
    gf_gpu_watch_ask_last(l->gpu);
    _exit(GF_WORKER_EXIT_DEVICE_LOST);
}

/* The front refuses this worker; a restart may do better. */
static _Noreturn void end_refused(const struct loop *l, const struct gf_header *h, const uint8_t *body)
{
    struct gf_error error = {0};
    uint32_t retry;
    bool known = gf_error_decode(body, h->body_len, &error, &retry, NULL) == GF_OK;
    gf_worker_log("%s: the daemon refuses this worker: %s", l->name, known ? error.text : "its reason is malformed");
    _exit(GF_WORKER_EXIT_NO_FRONT);
}

static void handle_free(struct loop *l, const struct gf_header *h, const uint8_t *body)
{
    uint64_t keys[GF_WORKER_MAX_FREE];
    uint32_t n = 0;
    if (gf_worker_free_decode(body, h->body_len, keys, &n, NULL) != GF_OK)
        return;
    for (uint32_t i = 0; i < n; i++)
        gf_buffers_free(&l->buffers, keys[i]);
}

static void handle_cancel(struct loop *l, uint64_t id)
{
    pthread_mutex_lock(&l->lock);
    for (uint32_t i = 0; i < l->n_job_threads; i++)
        if (l->job_threads[i].busy && l->job_threads[i].job.id == id)
            __atomic_store_n(&l->job_threads[i].job.cancel, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&l->lock);
}

/* Whether a job has checked its cancel flag since the last question; true if the job has ended. */
static bool job_is_alive(struct loop *l, uint64_t id)
{
    bool alive = true;
    pthread_mutex_lock(&l->lock);
    for (uint32_t i = 0; i < l->n_job_threads; i++)
        if (l->job_threads[i].busy && l->job_threads[i].job.id == id)
            alive = __atomic_exchange_n(&l->job_threads[i].job.alive, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&l->lock);
    return alive;
}

/* Passes the lead to the job thread that became idle last, or leaves it to the next idle one. The lock must be held. */
static void hand_on_lead(struct loop *l)
{
    struct job_thread *s = l->idle;
    l->led = s != NULL;
    if (s == NULL)
        return;
    l->idle = s->next;
    s->leads = true;
    pthread_cond_signal(&s->lead_changed);
}

static void leave_lead(struct job_thread *s)
{
    pthread_mutex_lock(&s->loop->lock);
    s->leads = false;
    hand_on_lead(s->loop);
    pthread_mutex_unlock(&s->loop->lock);
}

/* Waits until this job thread leads. False if the worker ends. */
static bool take_lead(struct job_thread *s)
{
    struct loop *l = s->loop;
    pthread_mutex_lock(&l->lock);
    if (!l->led) {
        l->led = s->leads = true;
    } else if (!s->leads) {
        s->next = l->idle;
        l->idle = s;
        while (!s->leads)
            pthread_cond_wait(&s->lead_changed, &l->lock);
    }
    bool go_on = !l->stop;
    if (!go_on) {
        s->leads = false;
        hand_on_lead(l);
    }
    pthread_mutex_unlock(&l->lock);
    return go_on;
}

/* Pins staging memory, which every client will use, before the first job. */
static void pin_staging(struct gf_mappings *mappings, uint64_t key)
{
    struct gf_mapping *mapping;
    void *data;
    if (gf_mappings_use(mappings, key, 0, 0, &mapping, &data, NULL) != GF_OK)
        return;
    gf_mappings_pin(mappings, mapping);
    gf_mappings_unuse(mappings, mapping);
}

/* Maps as the leader; another job thread leads while the driver pins or unpins, which takes milliseconds. */
static void handle_map(struct job_thread *s, const struct gf_header *h, const uint8_t *body, int fd)
{
    struct gf_mappings *mappings = &s->loop->mappings;
    struct gf_worker_map map;
    struct gf_error err = {0};
    bool unmap = h->kind == GF_FRAME_WORKER_UNMAP;
    if (gf_worker_map_decode(body, h->body_len, unmap, &map, NULL) != GF_OK)
        return; /* jobs that use the key are told that it is unknown */
    if (!unmap && gf_mappings_add(mappings, &map, fd, &err) != GF_OK)
        give_up(s->loop, s->out, &err);
    if (!unmap && !map.staging)
        return;
    leave_lead(s);
    if (unmap)
        gf_mappings_remove(mappings, map.key);
    else
        pin_staging(mappings, map.key);
}

/* Decodes, binds and runs a job while another job thread leads, which finds the job to cancel it. Memory that the job
 * names was mapped before; the front unmaps and frees it only after the job's answer. */
static void run_job(struct job_thread *s, const struct gf_header *h, const uint8_t *body, struct gf_error *err)
{
    struct loop *l = s->loop;
    pthread_mutex_lock(&l->lock);
    gf_worker_job_begin(&s->job, h->id);
    s->busy = true;
    s->leads = false;
    hand_on_lead(l);
    pthread_mutex_unlock(&l->lock);
    s->reply.times = (struct gf_stage_times){0};
    enum gf_status status = gf_worker_job_bind(&s->job, &l->mappings, &l->buffers, body, h->body_len, err);
    if (status == GF_OK)
        status = gf_worker_job_run(&s->job, &l->budget, &l->mappings, l->backend, s->exec, &s->reply, err);
    if (status == GF_E_DEVICE_LOST) /* no memory of this device can be trusted or freed any more */
        give_up(l, s->out, err);
    if (gf_worker_job_check(&s->job, err) != GF_OK)
        status = GF_E_BAD_ARENA;
    pthread_mutex_lock(&l->lock);
    s->busy = false;
    pthread_mutex_unlock(&l->lock);
    uint64_t id = s->job.id;
    gf_worker_job_release(&s->job, &l->budget, &l->mappings, &l->buffers);
    struct gf_writer w;
    gf_writer_init(&w, s->out, sizeof s->out);
    if (status != GF_OK) {
        gf_worker_error_encode(&w, err, &s->reply.times);
        send_message(l, &w, GF_FRAME_ERROR, id);
        return;
    }
    memcpy(s->reply.device, l->name, sizeof l->name);
    gf_run_reply_encode(&w, &s->reply);
    send_message(l, &w, GF_FRAME_RESULT, id);
}

/* Sends a sign of life and the figures about expressions. */
static void send_pong(struct job_thread *s, uint64_t id)
{
    const struct loop *l = s->loop;
    struct gf_expression_figures figures;
    struct gf_writer w;
    gf_writer_init(&w, s->out, sizeof s->out);
    if (l->backend->expressions != NULL) {
        l->backend->expressions(l->device, &figures);
        gf_worker_pong_encode(&w, &figures);
    }
    send_message(l, &w, GF_FRAME_PONG, id);
}

/* Runs a small kernel to show the front that the device works, while another job thread leads. */
static void run_probe(struct job_thread *s, uint64_t id)
{
    struct loop *l = s->loop;
    struct gf_error err = {0};
    leave_lead(s);
    enum gf_status status = gf_probe_run(l->probe, l->backend, s->exec, &err);
    if (status == GF_E_DEVICE_LOST)
        give_up(l, s->out, &err);
    if (status != GF_OK) {
        send_error(l, s->out, id, &err);
        return;
    }
    send_pong(s, id);
}

/* The front refuses a worker at once, and has something to say to any other: memory to map, or a question. */
static void note_taken(struct loop *l)
{
    if (l->taken)
        return;
    l->taken = true;
    l->notify("READY=1\nSTATUS=Serves the daemon");
}

/* Handles one message as the leader; a RUN passes the lead on and returns when the job is done. */
static void handle_message(struct job_thread *s, size_t size, int fd)
{
    struct loop *l = s->loop;
    struct gf_header h;
    struct gf_error err = {0};
    if (size < GF_HEADER_SIZE || gf_header_decode(s->in, &h, &err) != GF_OK || h.body_len != size - GF_HEADER_SIZE)
        return;
    const uint8_t *body = s->in + GF_HEADER_SIZE;
    if (h.kind == GF_FRAME_ERROR)
        end_refused(l, &h, body);
    note_taken(l);
    if (h.kind == GF_FRAME_RUN)
        run_job(s, &h, body, &err);
    else if (h.kind == GF_FRAME_WORKER_MAP || h.kind == GF_FRAME_WORKER_UNMAP)
        handle_map(s, &h, body, fd);
    else if (h.kind == GF_FRAME_FREE)
        handle_free(l, &h, body);
    else if (h.kind == GF_FRAME_CANCEL)
        handle_cancel(l, h.id);
    else if (h.kind == GF_FRAME_PING && (h.id & GF_WORKER_PROBE) != 0)
        run_probe(s, h.id);
    else if (h.kind == GF_FRAME_WORKER_GPU)
        gf_gpu_watch_ask(l->gpu);
    else if (h.kind == GF_FRAME_PING && (h.id == 0 || job_is_alive(l, h.id)))
        send_pong(s, h.id);
}

/* Tells the front that this worker ends as planned, so that it gets no more jobs and counts as no death. */
static void say_goodbye(struct job_thread *s)
{
    struct gf_error error = {0};
    s->loop->notify("STOPPING=1");
    gf_error_set(&error, GF_E_SHUTDOWN, "told to end");
    send_error(s->loop, s->out, 0, &error);
}

static void *job_thread_main(void *arg)
{
    struct job_thread *s = arg;
    struct loop *l = s->loop;
    while (take_lead(s)) {
        gf_cleanup(gf_closep) int fd = -1;
        size_t size = receive_message(s, &fd);
        if (size > 0) {
            handle_message(s, size, fd);
            continue;
        }
        if (*l->told_to_end)
            say_goodbye(s);
        pthread_mutex_lock(&l->lock);
        l->stop = true;
        pthread_mutex_unlock(&l->lock);
    }
    return NULL;
}

/* Describes the device, and in READY what it computes. */
static enum gf_status say_hello(struct loop *l, const struct gf_device_info *info, enum gf_device_state state,
                                struct gf_error *err)
{
    struct gf_worker_hello *hello = calloc(1, sizeof *hello);
    if (hello == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "worker: no memory for its hello");
    memcpy(l->name, info->name, sizeof l->name);
    memcpy(hello->device.name, info->name, sizeof info->name);
    memcpy(hello->device.title, info->title, sizeof info->title);
    memcpy(hello->device.uuid, info->uuid, sizeof info->uuid);
    memcpy(hello->device.detail, info->detail, sizeof info->detail);
    hello->device.memory = info->memory;
    hello->device.units = info->units;
    hello->device.state = state;
    hello->pid = (uint32_t)getpid();
    hello->slots = l->n_job_threads - 1;
    for (size_t i = 0; state == GF_DEVICE_READY && i < GF_N_OPS && i < GF_WORKER_MAX_OPS; i++) {
        struct gf_op_row row = {.op = gf_ops[i].id};
        for (uint32_t d = GF_U8; gf_dtype_known(d); d++)
            if (l->backend->supports(l->device, &gf_ops[i], d))
                row.dtypes |= GF_DT(d);
        if (row.dtypes != 0)
            hello->rows[hello->n_rows++] = row;
    }
    struct gf_writer w;
    gf_writer_init(&w, l->job_threads[0].out, sizeof l->job_threads[0].out);
    gf_worker_hello_encode(&w, hello);
    send_message(l, &w, GF_FRAME_WORKER_HELLO, 0);
    free(hello);
    return GF_OK;
}

/* The device is about to assemble its kernels. The call that does so takes minutes and says nothing. */
static void on_assembles(void *data, const struct gf_device_info *info)
{
    struct loop *l = data;
    gf_worker_log("%s: this build has no code for %s; the driver assembles the kernels, which takes minutes unless it "
                  "has kept them from before",
                  info->name, info->detail);
    l->notify(ASSEMBLES);
    (void)say_hello(l, info, GF_DEVICE_STARTING, NULL);
}

/* Opens an exec context per job thread; serve() starts the threads and closes the contexts. */
static enum gf_status open_execs(struct loop *l, struct gf_error *err)
{
    for (uint32_t i = 0; i < l->n_job_threads; i++) {
        l->job_threads[i].loop = l;
        pthread_cond_init(&l->job_threads[i].lead_changed, NULL);
    }
    for (uint32_t i = 0; i < l->n_job_threads; i++) {
        enum gf_status status = l->backend->exec_open(l->device, &l->job_threads[i].exec, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

static enum gf_status serve(struct loop *l, const struct gf_job_loop_options *options, struct gf_error *err)
{
    enum gf_status status = open_execs(l, err);
    struct gf_device_info info = {0};
    l->backend->info(l->device, &info);
    l->keep_awake = strcmp(l->backend->name, "cpu") != 0;
    l->budget = (struct gf_worker_budget){.max = options->scratch > 0 ? options->scratch : gf_machine_memory("") / 2,
                                          .threads = info.units,
                                          .cpu = !l->keep_awake};
    if (status == GF_OK)
        status = gf_probe_run(l->probe, l->backend, l->job_threads[0].exec, err);
    if (status == GF_OK) {
        gf_mappings_init(&l->mappings, l->backend, l->device, options->pinned_max);
        gf_buffers_init(&l->buffers, l->backend, l->device);
        status = say_hello(l, &info, GF_DEVICE_READY, err);
        if (status == GF_OK && info.uuid[0] != '\0')
            l->gpu = gf_gpu_watch_start(l->front, info.uuid);
        for (uint32_t i = 0; i < l->n_job_threads && status == GF_OK; i++) {
            int r = pthread_create(&l->job_threads[i].thread, NULL, job_thread_main, &l->job_threads[i]);
            if (r != 0)
                status = gf_error_set(err, GF_E_INTERNAL, "worker: cannot start a thread: %s", strerror(r));
            else
                l->job_threads[i].started = true;
        }
        if (status != GF_OK)
            shutdown(l->front, SHUT_RD);
        for (uint32_t i = 0; i < l->n_job_threads; i++)
            if (l->job_threads[i].started)
                pthread_join(l->job_threads[i].thread, NULL);
        gf_gpu_watch_stop(l->gpu);
        gf_mappings_deinit(&l->mappings);
        gf_buffers_deinit(&l->buffers);
    }
    for (uint32_t i = 0; i < l->n_job_threads; i++) {
        if (l->job_threads[i].exec != NULL)
            l->backend->exec_close(l->job_threads[i].exec);
        pthread_cond_destroy(&l->job_threads[i].lead_changed);
    }
    return status;
}

int gf_job_loop_run(const struct gf_job_loop_options *options)
{
    struct loop l = {.front = options->front,
                     .n_job_threads = options->slots + 1,
                     .told_to_end = options->told_to_end,
                     .notify = options->notify};
    struct gf_error err = {0};
    enum gf_status status;
    pthread_mutex_init(&l.lock, NULL);
    l.job_threads = calloc(l.n_job_threads, sizeof *l.job_threads);
    l.probe = calloc(1, sizeof *l.probe);
    l.backend = gf_backend_for_device(options->device);
    struct gf_device_options open = {.device = options->device,
                                     .threads = options->threads,
                                     .device_memory = options->device_memory,
                                     .host_mapped_max = options->host_mapped_max,
                                     .kernel_cache = options->kernel_cache,
                                     .assembles = on_assembles,
                                     .data = &l};
    if (l.job_threads == NULL || l.probe == NULL)
        status = gf_error_set(&err, GF_E_NO_MEMORY, "worker: no memory for %u job slots", options->slots);
    else if (l.backend == NULL)
        status = gf_error_set(&err, GF_E_NO_DEVICE, "unknown device %s; allowed: cpu, cuda:N or a GPU's UUID",
                              options->device);
    else
        status = gf_probe_init(l.probe, &err);
    if (status == GF_OK)
        status = l.backend->open(&open, &l.device, &err);
    if (status == GF_OK)
        status = serve(&l, options, &err);
    if (status != GF_OK)
        say_error(options->device, &err);
    if (status != GF_OK && l.job_threads != NULL)
        send_error(&l, l.job_threads[0].out, 0, &err);
    if (l.device != NULL)
        l.backend->close(l.device);
    free(l.probe);
    free(l.job_threads);
    pthread_mutex_destroy(&l.lock);
    if (status == GF_OK)
        return GF_WORKER_EXIT_OK;
    return status == GF_E_NO_DEVICE ? GF_WORKER_EXIT_NO_DEVICE
           : status == GF_E_BUSY    ? GF_WORKER_EXIT_NOT_READY
                                    : GF_WORKER_EXIT_DEVICE_LOST;
}
