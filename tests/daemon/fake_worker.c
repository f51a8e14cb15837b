/* SPDX-License-Identifier: MIT */
/*
 * A minimal worker for tests of the front. It joins on descriptor 3, "computes" by adding 1 to each byte of operand 0
 * (for a part, to the rows of the part alone), keeps resident buffers, and acts only on commands. It connects to the
 * socket named by $GF_FAKE_CONTROL, writes one line per event ("start DEVICE PID", "job NUMBER", "cancel NUMBER", "map
 * KEY", "unmap KEY", "free KEY") and obeys single letters: a: answer the oldest job; A: answer everything from now on;
 * L: answer the oldest job as if it had taken 5 s; c: with CANCELLED; C: the same, as if it had taken 10 s; e: with an
 * error; m: with the error that the device has no memory; k: die; d: report the reason, then die; w: report the reason,
 * then do nothing more; s: stay when the front goes; n: report that there is no device, then exit; b: report that the
 * system is not ready for it, then exit; h: say hello; H: say hello with the UUID GPU-1; B: say that the kernels are
 * being assembled for sm_110; l: report that the device is lost; r, f, t: answer the oldest job as if its results had
 * one row more, another format, or rows further apart; P: leave probes unanswered and write "probe NUMBER" for each; p:
 * answer probes with an error; g: answer probes as if a kernel had run; x: count one more expression as run, and a
 * quarter of a second of compiling for the user of the latest job; o: the compiler of expressions is off; G: has
 * figures of a GPU for the front; y: one more Xid error, 79; z and Z: jobs give no sign of life, and do again. Without
 * $GF_FAKE_CONTROL it says hello and answers everything, and SIGUSR1 has it say goodbye and exit.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "protocol/base/clock.h"
#include "protocol/wire/gpu_msg.h"
#include "protocol/wire/request.h"
#include "protocol/wire/worker_msg.h"

#define FRONT 3
#define MAX_JOBS 64
#define MAX_MAPS 64
#define MAX_KEPT 1024

struct job {
    uint64_t number;
    struct gf_program program;
};

static struct {
    const char *device;
    int control;
    bool automatic;
    bool stays, gone; /* when the front goes; it has */
    char probes;      /* P, p or g */
    bool hangs;       /* jobs give no sign of life */
    struct gf_expression_figures expressions;
    struct gf_gpu_figures gpu;
    uint64_t user; /* of the latest job */
    struct job jobs[MAX_JOBS];
    unsigned n_jobs;
    struct {
        uint64_t key;
        uint8_t *base;
        uint64_t size;
    } maps[MAX_MAPS];
    struct {
        uint64_t key;
        uint8_t *data; /* NULL: none */
        struct gf_view view;
    } kept[MAX_KEPT]; /* resident buffers */
    uint8_t frame[GF_MAX_FRAME_HEAD];
} me;

static void tell(const char *event, const char *what, uint64_t number)
{
    char line[160];
    int n = snprintf(line, sizeof line, "%s %s%s%llu\n", event, what, *what ? " " : "", (unsigned long long)number);
    if (me.control >= 0 && send(me.control, line, (size_t)n, MSG_NOSIGNAL) < 0)
        _exit(1);
}

static void send_frame(struct gf_writer *w, uint16_t kind, uint64_t id)
{
    gf_writer_finish(w, kind, id, 0, 0);
    if (send(FRONT, w->data, w->size, MSG_NOSIGNAL) < 0 && !me.stays)
        _exit(0);
}

static void count_expression(void)
{
    me.expressions.of[GF_RUNS_COMPILED]++;
    me.expressions.of[GF_KERNELS_LOADED] = 1;
    me.expressions.times.of[me.expressions.times.n++] = (struct gf_compile_time){me.user, GF_NS_PER_S / 4};
}

static void send_pong(uint64_t id)
{
    struct gf_writer w;
    gf_writer_init(&w, me.frame, sizeof me.frame);
    if (me.expressions.of[GF_RUNS_COMPILED] > 0 || me.expressions.of[GF_COMPILER_OFF] > 0)
        gf_worker_pong_encode(&w, &me.expressions);
    me.expressions.times.n = 0;
    send_frame(&w, GF_FRAME_PONG, id);
}

static void send_gpu(void)
{
    struct gf_writer w;
    gf_writer_init(&w, me.frame, sizeof me.frame);
    gf_gpu_encode(&w, &me.gpu);
    send_frame(&w, GF_FRAME_WORKER_GPU, 0);
}

/* Figures of a GPU: its memory, its driver, and Xid errors. */
static void have_gpu(void)
{
    gf_gpu_set(&me.gpu, GF_GPU_MEMORY_USED, 12345);
    gf_gpu_set(&me.gpu, GF_GPU_THROTTLED_HW, 1);
    gf_gpu_set(&me.gpu, GF_GPU_XID_LAST, 0);
    gf_gpu_set(&me.gpu, GF_GPU_XID_ERRORS, 0);
    gf_gpu_set_text(me.gpu.driver, "580.95.05");
}

static void count_xid(void)
{
    gf_gpu_set(&me.gpu, GF_GPU_XID_LAST, 79);
    gf_gpu_set(&me.gpu, GF_GPU_XID_ERRORS, me.gpu.of[GF_GPU_XID_ERRORS] + 1);
}

static void say_hello(const char *uuid, enum gf_device_state state)
{
    static struct gf_worker_hello hello;
    hello = (struct gf_worker_hello){.pid = (uint32_t)getpid(), .slots = 8};
    snprintf(hello.device.name, sizeof hello.device.name, "%s", me.device);
    snprintf(hello.device.title, sizeof hello.device.title, "fake");
    snprintf(hello.device.uuid, sizeof hello.device.uuid, "%s", uuid);
    snprintf(hello.device.detail, sizeof hello.device.detail, "%s", state == GF_DEVICE_STARTING ? "sm_110" : "");
    hello.device.state = state;
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        hello.rows[hello.n_rows++] = (struct gf_op_row){gf_ops[i].id, GF_DT_IMAGE};
    struct gf_writer w;
    gf_writer_init(&w, me.frame, sizeof me.frame);
    gf_worker_hello_encode(&w, &hello);
    send_frame(&w, GF_FRAME_WORKER_HELLO, 0);
}

static void say_error(uint64_t id, enum gf_status status, const char *text)
{
    struct gf_error error = {0};
    struct gf_writer w;
    gf_error_set(&error, status, "%s", text);
    gf_writer_init(&w, me.frame, sizeof me.frame);
    gf_error_encode(&w, &error, 0);
    send_frame(&w, GF_FRAME_ERROR, id);
}

/* CANCELLED for a job that took 10 s. */
static void say_cancelled_late(uint64_t id)
{
    struct gf_error error = {0};
    struct gf_writer w;
    gf_error_set(&error, GF_E_CANCELLED, "cancelled");
    gf_writer_init(&w, me.frame, sizeof me.frame);
    gf_worker_error_encode(&w, &error, &(struct gf_stage_times){.kernel = UINT64_C(10000000000)});
    send_frame(&w, GF_FRAME_ERROR, id);
}

static uint8_t *memory(uint64_t key, uint64_t offset, uint64_t length)
{
    for (unsigned i = 0; i < MAX_MAPS; i++)
        if (me.maps[i].base && me.maps[i].key == key && offset + length <= me.maps[i].size)
            return me.maps[i].base + offset;
    fprintf(stderr, "fake worker: key %" PRIu64 " is not mapped\n", key);
    _exit(3);
}

/* The index of a resident buffer; key 0 finds a free place. */
static unsigned find_kept(uint64_t key)
{
    for (unsigned i = 0; i < MAX_KEPT; i++)
        if (key == 0 ? !me.kept[i].data : me.kept[i].data && me.kept[i].key == key)
            return i;
    fprintf(stderr, "fake worker: no resident buffer under key %" PRIu64 "\n", key);
    _exit(4);
}

/* Where an operand begins, and its pitch. */
static const uint8_t *operand(const struct gf_operand *o, uint64_t *ret_pitch)
{
    uint64_t x, y;
    *ret_pitch = o->view.pitch;
    if (o->way == GF_WAY_ARENA)
        return memory(o->id, o->offset, gf_view_bytes(&o->view));
    unsigned i = find_kept(o->id);
    if (gf_operand_place(o, &me.kept[i].view, &x, &y, NULL) != GF_OK)
        _exit(4);
    *ret_pitch = me.kept[i].view.pitch;
    return me.kept[i].data + o->offset;
}

/* Where a result goes; a resident one is made. */
static uint8_t *result(const struct gf_result *r)
{
    if (r->way == GF_WAY_ARENA)
        return memory(r->id, r->offset, gf_view_bytes(&r->view));
    unsigned i = find_kept(0);
    me.kept[i].key = r->id;
    me.kept[i].view = r->view;
    me.kept[i].data = malloc(gf_view_bytes(&r->view));
    return me.kept[i].data;
}

static void forget(const uint8_t *body, size_t size)
{
    uint64_t keys[GF_WORKER_MAX_FREE];
    uint32_t n;
    if (gf_worker_free_decode(body, size, keys, &n, NULL) != GF_OK)
        _exit(2);
    for (uint32_t k = 0; k < n; k++) {
        unsigned i = find_kept(keys[k]);
        free(me.kept[i].data);
        me.kept[i].data = NULL;
        tell("free", "", keys[k]);
    }
}

static struct job take_job(void)
{
    struct job job = me.jobs[0];
    memmove(me.jobs, me.jobs + 1, --me.n_jobs * sizeof(struct job));
    return job;
}

/* Answers the oldest job, as one of the letters L, r, f and t says; 0: as it is. */
static void answer(char how)
{
    struct job job = take_job();
    const struct gf_program *p = &job.program;
    struct gf_run_reply reply = {.n_outputs = p->n_results,
                                 .times = {.kernel = how == 'L' ? UINT64_C(5000000000) : 1000}};
    snprintf(reply.device, sizeof reply.device, "%s", me.device);
    uint64_t pitch;
    const uint8_t *from = operand(&p->operands[0], &pitch);
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_result *r = &p->results[i];
        uint64_t row = gf_view_row_bytes(&r->view);
        uint8_t *to = result(r);
        uint64_t n = p->n_parts ? p->n_parts : 1, end = r->view.height * (p->part + 1u) / n;
        for (uint64_t y = r->view.height * p->part / n; y < end; y++)
            for (uint64_t k = 0; k < row; k++)
                to[y * r->view.pitch + k] = (uint8_t)(from[y * pitch + k] + 1);
        struct gf_view view = r->view;
        view.height += how == 'r';
        view.dtype = how == 'f' ? GF_I8 : view.dtype;
        view.pitch += how == 't';
        reply.outputs[i] = (struct gf_output){.view = view, .offset = r->offset, .length = gf_view_bytes(&view)};
    }
    struct gf_writer w;
    gf_writer_init(&w, me.frame, sizeof me.frame);
    gf_run_reply_encode(&w, &reply);
    send_frame(&w, GF_FRAME_RESULT, job.number);
}

static void map(const uint8_t *body, size_t size, int fd, bool unmap)
{
    struct gf_worker_map m;
    if (gf_worker_map_decode(body, size, unmap, &m, NULL) != GF_OK)
        _exit(2);
    unsigned i = 0;
    while (i < MAX_MAPS && (unmap ? !me.maps[i].base || me.maps[i].key != m.key : me.maps[i].base != NULL))
        i++;
    if (i == MAX_MAPS)
        _exit(2);
    if (unmap) {
        munmap(me.maps[i].base, me.maps[i].size);
        me.maps[i].base = NULL;
    } else {
        me.maps[i].base = mmap(NULL, m.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        me.maps[i].size = m.size;
        me.maps[i].key = m.key;
        if (me.maps[i].base == MAP_FAILED)
            _exit(2);
        close(fd);
    }
    if (!m.staging)
        tell(unmap ? "unmap" : "map", "", m.key);
}

static void obey(char letter)
{
    if (letter == 'A') {
        me.automatic = true;
        while (me.n_jobs > 0)
            answer(0);
    } else if (strchr("aLrft", letter))
        answer(letter);
    else if (letter == 'C')
        say_cancelled_late(take_job().number);
    else if (letter == 'c')
        say_error(take_job().number, GF_E_CANCELLED, "cancelled");
    else if (letter == 'e')
        say_error(take_job().number, GF_E_BAD_PARAM, "the mask is not finite");
    else if (letter == 'm')
        say_error(take_job().number, GF_E_NO_DEVICE_MEMORY, "64 GiB are needed, 1 is free");
    else if (letter == 'l')
        say_error(me.jobs[0].number, GF_E_DEVICE_LOST, "illegal address");
    else if (letter == 'P' || letter == 'p' || letter == 'g')
        me.probes = letter;
    else if (letter == 'z' || letter == 'Z')
        me.hangs = letter == 'z';
    else if (letter == 'x')
        count_expression();
    else if (letter == 'o') {
        me.expressions.of[GF_COMPILER_OFF] = 1;
        snprintf(me.expressions.why_off, sizeof me.expressions.why_off, "no NVRTC");
    } else if (letter == 'G')
        have_gpu();
    else if (letter == 'y')
        count_xid();
    else if (letter == 'h' || letter == 'H')
        say_hello(letter == 'H' ? "GPU-1" : "", GF_DEVICE_READY);
    else if (letter == 'B')
        say_hello("", GF_DEVICE_STARTING);
    else if (letter == 's')
        me.stays = true;
    else if (letter == 'w')
        say_error(0, GF_E_DEVICE_LOST, "illegal address");
    else if (letter == 'd') {
        say_error(0, GF_E_DEVICE_LOST, "illegal address");
        _exit(GF_WORKER_EXIT_DEVICE_LOST);
    } else if (letter == 'n') {
        say_error(0, GF_E_NO_DEVICE, "no driver");
        _exit(GF_WORKER_EXIT_NO_DEVICE);
    } else if (letter == 'b') {
        say_error(0, GF_E_BUSY, "system not ready");
        _exit(GF_WORKER_EXIT_NOT_READY);
    } else if (letter == 'k')
        _exit(GF_WORKER_EXIT_DEVICE_LOST);
}

static void answer_ping(uint64_t id)
{
    bool probe = (id & GF_WORKER_PROBE) != 0;
    if (probe && me.probes == 'P')
        tell("probe", "", id);
    else if (probe && me.probes == 'p')
        say_error(id, GF_E_NO_DEVICE_MEMORY, "no memory for a kernel");
    else if (id == 0 || probe || !me.hangs)
        send_pong(id);
}

static void take_message(void)
{
    static uint8_t in[GF_MAX_FRAME_HEAD];
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec iov = {in, sizeof in};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(FRONT, &msg, MSG_CMSG_CLOEXEC);
    if (n <= 0 && me.stays) {
        me.gone = true;
        tell("gone", "", 0);
        return;
    }
    if (n <= 0)
        _exit(GF_WORKER_EXIT_OK);
    int fd = -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (c)
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    struct gf_header h;
    if (gf_header_decode(in, &h, NULL) != GF_OK)
        _exit(2);
    const uint8_t *body = in + GF_HEADER_SIZE;
    if (h.kind == GF_FRAME_WORKER_MAP || h.kind == GF_FRAME_WORKER_UNMAP)
        map(body, h.body_len, fd, h.kind == GF_FRAME_WORKER_UNMAP);
    else if (h.kind == GF_FRAME_FREE)
        forget(body, h.body_len);
    else if (h.kind == GF_FRAME_PING)
        answer_ping(h.id);
    else if (h.kind == GF_FRAME_WORKER_GPU)
        send_gpu();
    else if (h.kind == GF_FRAME_CANCEL)
        tell("cancel", "", h.id);
    else if (h.kind == GF_FRAME_RUN) {
        struct job *job = &me.jobs[me.n_jobs++];
        job->number = h.id;
        if (gf_program_decode(body, h.body_len, 0, &job->program, NULL, NULL) != GF_OK)
            _exit(2);
        me.user = job->program.user;
        tell("job", "", h.id);
        if (me.automatic)
            answer(0);
    }
}

static void connect_control(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    me.control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(me.control, (struct sockaddr *)&a, sizeof a) < 0)
        _exit(1);
    tell("start", me.device, (uint64_t)getpid());
}

static void say_goodbye(int number)
{
    (void)number;
    say_error(0, GF_E_SHUTDOWN, "told to end");
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *path = getenv("GF_FAKE_CONTROL");
    me.control = -1;
    me.device = argc > 2 ? argv[2] : "cpu";
    if (path)
        connect_control(path);
    else {
        me.automatic = true;
        signal(SIGUSR1, say_goodbye);
        say_hello("", GF_DEVICE_READY);
    }
    for (;;) {
        struct pollfd p[2] = {{.fd = me.gone ? -1 : FRONT, .events = POLLIN}, {.fd = me.control, .events = POLLIN}};
        char letter;
        if (poll(p, 2, -1) < 0)
            return 1;
        if (p[1].revents && recv(me.control, &letter, 1, 0) == 1)
            obey(letter);
        else if (p[1].revents)
            return 1;
        if (p[0].revents)
            take_message();
    }
}
