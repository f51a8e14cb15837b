/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a worker's loop and a script of the front's messages: memory mapped and unmapped, requests that name it
 * or do not, FREE, CANCEL, PING, and frames of any bytes. The device computes nothing, but reads every byte of the
 * operands and writes every byte of the results that it gets. Every request has one answer, which decodes; no other
 * frame comes back; no descriptor stays open; the worker ends by itself when the front does.
 *
 * A step of the script begins with a byte (enum what). A program is one of a client: its operands and results, inline
 * or not, get keys of the script's memory or of resident buffers, and of neither.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "kernels/registry.h"
#include "kernels/stop.h"
#include "protocol/base/base.h"
#include "protocol/wire/request.h"
#include "protocol/wire/worker_msg.h"
#include "server/worker/job_loop.h"

#define MAX_MESSAGES 48u
#define MAX_BUFFER (1u << 20) /* bytes of a resident buffer; the front limits them, the worker does not */
#define WAIT_MS 60000
/* The thread sanitizer would report what requests at once may do to the same memory. */
#if defined(__SANITIZE_THREAD__)
#define ONE_BY_ONE true
#else
#define ONE_BY_ONE false
#endif
#define FIRST_RUN 1000u /* numbers of requests, above those of PING and CANCEL */

enum what { MAP, UNMAP, FREE, CANCEL, PING, RUN, RUN_AND_GO_ON, FRAME, BYTES, N_WHATS };

struct front {
    int fd;
    uint64_t n_keys; /* memory is 1..n_keys; resident buffers have keys of the script's choice */
    uint32_t n_runs, n_answers;
    bool answered[MAX_MESSAGES];
    uint8_t frame[GF_MAX_FRAME_HEAD];
};

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* A device of no kind. */
struct gf_device {
    int unused;
};

struct gf_exec {
    int unused;
};

static struct gf_device g_device;
static struct gf_exec g_exec;

static enum gf_status open_device(const struct gf_device_options *options, struct gf_device **ret, struct gf_error *err)
{
    (void)options, (void)err;
    *ret = &g_device;
    return GF_OK;
}

static void close_device(struct gf_device *device)
{
    check(device == &g_device);
}

static void info(const struct gf_device *device, struct gf_device_info *ret)
{
    (void)device;
    *ret = (struct gf_device_info){.name = "cpu", .title = "fuzz", .units = 2};
}

static bool supports(const struct gf_device *device, const struct gf_op *op, uint32_t dtype)
{
    (void)device, (void)op, (void)dtype;
    return true;
}

static enum gf_status pin(struct gf_device *device, void *data, size_t size, struct gf_error *err)
{
    (void)device, (void)err;
    check(data != NULL && size > 0);
    return GF_OK;
}

static void unpin(struct gf_device *device, void *data)
{
    (void)device;
    check(data != NULL);
}

static enum gf_status buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret,
                                 struct gf_error *err)
{
    (void)device;
    uint64_t size = gf_view_bytes(view);
    void *data = size <= MAX_BUFFER ? calloc(1, size) : NULL;
    if (data == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory");
    *ret = (struct gf_buf){.data = data, .view = *view};
    return GF_OK;
}

static void buffer_free(struct gf_device *device, struct gf_buf *buf)
{
    (void)device;
    free(buf->data);
}

static enum gf_status exec_open(struct gf_device *device, struct gf_exec **ret, struct gf_error *err)
{
    (void)device, (void)err;
    *ret = &g_exec;
    return GF_OK;
}

static void exec_close(struct gf_exec *exec)
{
    check(exec == &g_exec);
}

/* Reads all operands; a result gets the rows of the first operand, as far as they go, which satisfies the probe. */
static enum gf_status run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    uint8_t sum = 0;
    check(exec == &g_exec);
    for (uint32_t i = 0; i < job->n_operands; i++) {
        const struct gf_buf *b = &job->operands[i];
        for (uint64_t y = 0; y < b->view.height; y++)
            for (uint64_t x = 0; x < gf_view_row_bytes(&b->view); x++)
                sum ^= ((const volatile uint8_t *)b->data)[y * b->view.pitch + x];
    }
    for (uint32_t i = 0; i < job->n_sinks; i++) {
        const struct gf_buf *b = &job->sinks[i].buf, *from = job->n_operands > 0 ? &job->operands[0] : NULL;
        const uint64_t size = gf_view_row_bytes(&b->view);
        for (uint64_t y = 0; y < b->view.height; y++) {
            uint8_t *row = (uint8_t *)b->data + y * b->view.pitch;
            if (from != NULL && y < from->view.height && gf_view_row_bytes(&from->view) >= size)
                memmove(row, (const uint8_t *)from->data + y * from->view.pitch, size);
            else
                memset(row, sum, size);
        }
    }
    return gf_stop_reason(job, err);
}

static const struct gf_backend g_backend = {.name = "cpu",
                                            .open = open_device,
                                            .close = close_device,
                                            .info = info,
                                            .supports = supports,
                                            .pin = pin,
                                            .unpin = unpin,
                                            .buffer_new = buffer_new,
                                            .buffer_free = buffer_free,
                                            .exec_open = exec_open,
                                            .exec_close = exec_close,
                                            .run = run};

/* Takes the place of the registry's function, by the linker. */
const struct gf_backend *__wrap_gf_backend_for_device(const char *device);
const struct gf_backend *__wrap_gf_backend_for_device(const char *device)
{
    (void)device;
    return &g_backend;
}

static void notify(const char *state)
{
    (void)state;
}

static void *work(void *arg)
{
    static const volatile sig_atomic_t never;
    const struct gf_job_loop_options options = {.front = *(int *)arg,
                                                .device = "cpu",
                                                .threads = 1,
                                                .slots = 1,
                                                .pinned_max = 1 << 16,
                                                .scratch = 1 << 20,
                                                .told_to_end = &never,
                                                .notify = notify};
    check(gf_job_loop_run(&options) == GF_WORKER_EXIT_OK);
    return NULL;
}

static void check_result(const uint8_t *body, size_t size)
{
    static struct gf_run_reply reply;
    struct gf_error err;
    check(gf_run_reply_decode(body, size, &reply, &err) == GF_OK);
    for (uint32_t i = 0; i < reply.n_outputs; i++)
        check(gf_view_bytes(&reply.outputs[i].view) == reply.outputs[i].length);
}

static void check_answer(struct front *f, const struct gf_header *h, const uint8_t *body)
{
    struct gf_error err = {0}, error;
    struct gf_expression_figures figures;
    struct gf_stage_times times;
    uint32_t retry;
    if (h->kind == GF_FRAME_PONG) {
        check(gf_worker_pong_decode(body, h->body_len, &figures, &err) == GF_OK);
        return;
    }
    check(h->kind == GF_FRAME_RESULT || h->kind == GF_FRAME_ERROR);
    if (h->kind == GF_FRAME_RESULT)
        check_result(body, h->body_len);
    else
        check(gf_error_decode(body, h->body_len, &error, &retry, &err) == GF_OK && error.status != GF_OK &&
              gf_worker_error_times(body, h->body_len, &times));
    check(h->id >= FIRST_RUN && h->id - FIRST_RUN < f->n_runs && !f->answered[h->id - FIRST_RUN]);
    f->answered[h->id - FIRST_RUN] = true;
    f->n_answers++;
}

/* Takes one frame, if there is one within the time. False at the end. */
static bool take(struct front *f, int wait_ms)
{
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    struct gf_header h;
    struct gf_error err;
    if (poll(&p, 1, wait_ms) == 0)
        return false;
    ssize_t n = recv(f->fd, f->frame, sizeof f->frame, 0);
    if (n <= 0)
        return false;
    check((size_t)n >= GF_HEADER_SIZE && gf_header_decode(f->frame, &h, &err) == GF_OK);
    check(h.body_len == (size_t)n - GF_HEADER_SIZE);
    if (h.kind != GF_FRAME_WORKER_HELLO)
        check_answer(f, &h, f->frame + GF_HEADER_SIZE);
    return true;
}

/* Sends bytes, with a descriptor unless it is -1, then takes what has come back. */
static void send_bytes(struct front *f, const uint8_t *bytes, size_t size, int fd)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } room = {0};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = room.space;
        message.msg_controllen = sizeof room.space;
        *CMSG_FIRSTHDR(&message) =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &fd, sizeof fd);
    }
    check(sendmsg(f->fd, &message, MSG_NOSIGNAL) == (ssize_t)size);
    while (take(f, 0))
        ;
}

static void map(struct front *f, struct gf_input *in)
{
    uint8_t frame[256];
    struct gf_writer w;
    const uint8_t flags = gf_input_byte(in);
    const uint64_t size = 1 + 16 * gf_input_number(in, 2);
    gf_cleanup(gf_closep) int fd = memfd_create("fuzz", MFD_CLOEXEC);
    check(fd >= 0 && posix_fallocate(fd, 0, (off_t)size) == 0);
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_map_encode(
        &w, &(struct gf_worker_map){
                .key = ++f->n_keys, .size = size, .staging = (flags & 1) != 0, .unpinned = (flags & 2) != 0});
    check(gf_writer_finish(&w, GF_FRAME_WORKER_MAP, 0, 0, 1));
    send_bytes(f, frame, w.size, fd);
}

static void unmap(struct front *f, struct gf_input *in)
{
    uint8_t frame[256];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_map_encode(&w, &(struct gf_worker_map){.key = gf_input_byte(in)});
    check(gf_writer_finish(&w, GF_FRAME_WORKER_UNMAP, 0, 0, 0));
    send_bytes(f, frame, w.size, -1);
}

static void free_buffers(struct front *f, struct gf_input *in)
{
    uint64_t keys[GF_WORKER_MAX_FREE];
    struct gf_writer w;
    const uint32_t n = 1 + gf_input_below(in, 8);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = gf_input_byte(in);
    gf_writer_init(&w, f->frame, sizeof f->frame);
    gf_worker_free_encode(&w, keys, n);
    check(gf_writer_finish(&w, GF_FRAME_FREE, 0, 0, 0));
    send_bytes(f, f->frame, w.size, -1);
}

/* A frame without a body. */
static void ask(struct front *f, uint16_t kind, uint64_t id)
{
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = kind, .id = id}, f->frame);
    send_bytes(f, f->frame, GF_HEADER_SIZE, -1);
}

/* Gives an operand or a result of this many bytes a place: a resident buffer, or memory; there behind the one before,
 * at the beginning, or anywhere. */
static void place(struct gf_input *in, uint64_t bytes, uint64_t *end, uint8_t *way, uint64_t *id, uint64_t *offset)
{
    const uint8_t how = gf_input_byte(in);
    *way = how % 4 == 0 ? GF_WAY_HANDLE : GF_WAY_ARENA;
    *id = how / 4;
    *offset = how % 4 == 1 ? *end : how % 4 == 3 ? gf_input_size(in) : 0;
    *end = (*end + bytes + 63) & ~UINT64_C(63);
}

static void run_program(struct front *f, struct gf_input *in, bool wait)
{
    static struct gf_program p;
    struct gf_error err;
    struct gf_writer w;
    uint64_t end = 0;
    size_t size;
    const uint8_t *body = gf_input_bytes(in, gf_input_number(in, 2), &size);
    if (gf_program_decode(body, size, 0, &p, NULL, &err) != GF_OK &&
        (p.payload_in == 0 || gf_program_decode(body, size, p.payload_in, &p, NULL, &err) != GF_OK))
        return;
    for (uint32_t i = 0; i < p.n_operands; i++) {
        struct gf_operand *o = &p.operands[i];
        o->length = gf_view_bytes(&o->view);
        place(in, o->length, &end, &o->way, &o->id, &o->offset);
        o->length = o->way == GF_WAY_HANDLE ? 0 : o->length;
    }
    for (uint32_t i = 0; i < p.n_results; i++) {
        struct gf_result *r = &p.results[i];
        r->length = gf_view_bytes(&r->view);
        place(in, r->length, &end, &r->way, &r->id, &r->offset);
        r->length = r->way == GF_WAY_HANDLE ? 0 : r->length;
        r->offset = r->way == GF_WAY_HANDLE ? 0 : r->offset;
    }
    p.keyed = true;
    p.user = 1000;
    p.deadline_ms = 0;
    p.n_parts = gf_input_below(in, 4);
    p.part = p.n_parts > 0 ? gf_input_below(in, p.n_parts) : 0;
    gf_writer_init(&w, f->frame, sizeof f->frame);
    gf_program_encode(&w, &p);
    if (!gf_writer_finish(&w, GF_FRAME_RUN, FIRST_RUN + f->n_runs, 0, 0))
        return;
    f->n_runs++;
    send_bytes(f, f->frame, w.size, -1);
    while (wait && f->n_answers < f->n_runs)
        check(take(f, WAIT_MS));
}

/* A frame with any body. Left out: what ends the worker, which is an ERROR, and a MAP that it cannot follow. */
static void send_frame(struct front *f, struct gf_input *in)
{
    static const uint16_t kinds[] = {GF_FRAME_RUN,          GF_FRAME_FREE,         GF_FRAME_WORKER_MAP,
                                     GF_FRAME_WORKER_UNMAP, GF_FRAME_PING,         GF_FRAME_CANCEL,
                                     GF_FRAME_RESULT,       GF_FRAME_WORKER_HELLO, GF_FRAME_WORKER_GPU};
    const uint16_t kind = kinds[gf_input_below(in, GF_ARRAY_LEN(kinds))];
    struct gf_worker_map map;
    size_t size;
    const uint8_t *body = gf_input_bytes(in, gf_input_number(in, 2) & ~(uint64_t)7, &size);
    size &= ~(size_t)7;
    if (kind == GF_FRAME_WORKER_MAP && gf_worker_map_decode(body, size, false, &map, NULL) == GF_OK)
        return;
    gf_header_encode(&(struct gf_header){.version = GF_VERSION,
                                         .kind = kind,
                                         .body_len = (uint32_t)size,
                                         .id = kind == GF_FRAME_RUN ? FIRST_RUN + f->n_runs++ : 0},
                     f->frame);
    if (size > 0)
        memcpy(f->frame + GF_HEADER_SIZE, body, size);
    send_bytes(f, f->frame, GF_HEADER_SIZE + size, STDERR_FILENO);
}

/* Any bytes that are no whole frame. */
static void send_broken(struct front *f, struct gf_input *in)
{
    size_t size;
    const uint8_t *bytes = gf_input_bytes(in, 1 + gf_input_byte(in), &size);
    struct gf_header h;
    struct gf_error err;
    if (size > 0 &&
        (size < GF_HEADER_SIZE || gf_header_decode(bytes, &h, &err) != GF_OK || h.body_len != size - GF_HEADER_SIZE))
        send_bytes(f, bytes, size, -1);
}

static void step(struct front *f, struct gf_input *in)
{
    switch (gf_input_byte(in) % N_WHATS) {
    case MAP:
        map(f, in);
        break;
    case UNMAP:
        unmap(f, in);
        break;
    case FREE:
        free_buffers(f, in);
        break;
    case CANCEL:
        ask(f, GF_FRAME_CANCEL, FIRST_RUN + gf_input_below(in, MAX_MESSAGES));
        break;
    case PING:
        ask(f, GF_FRAME_PING, gf_input_byte(in) % 2 == 0 ? gf_input_byte(in) : GF_WORKER_PROBE);
        break;
    case RUN:
        run_program(f, in, true);
        break;
    case RUN_AND_GO_ON:
        run_program(f, in, ONE_BY_ONE);
        break;
    case FRAME:
        send_frame(f, in);
        break;
    default:
        send_broken(f, in);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct front f;
    static int first = -1; /* the descriptor that the first run got */
    struct gf_input in = {data, size};
    int ends[2];
    pthread_t worker;
    check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    first = first < 0 ? ends[0] : first;
    check(ends[0] == first);
    f = (struct front){.fd = ends[0]};
    check(pthread_create(&worker, NULL, work, &ends[1]) == 0);
    for (uint32_t i = 0; i < MAX_MESSAGES && in.size > 0; i++)
        step(&f, &in);
    while (f.n_answers < f.n_runs)
        check(take(&f, WAIT_MS));
    shutdown(f.fd, SHUT_WR);
    pthread_join(worker, NULL);
    close(ends[1]);
    while (take(&f, 0))
        ;
    close(ends[0]);
    return 0;
}
