/* SPDX-License-Identifier: MIT */
/* Daemon, clients and fake workers for scenario tests; see harness.h. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "protocol/ops/op_codec.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define MAX_ARGS 32

static void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int rc;
    do
        rc = poll(&p, 1, GF_WAIT_MS);
    while (rc < 0 && errno == EINTR);
    assert_int_equal(rc, 1);
}

static int unix_socket(const char *path, bool bound)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof a.sun_path);
    memcpy(a.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (bound) {
        assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
        assert_int_equal(listen(fd, 64), 0);
    } else
        assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

void daemon_init(struct daemon *d, bool controlled)
{
    *d = (struct daemon){.ready = -1, .fakes = -1};
    d->dir = gf_temp_dir_new();
    assert_non_null(d->dir);
    snprintf(d->socket, sizeof d->socket, "%s/d.sock", d->dir);
    snprintf(d->control, sizeof d->control, "%s/control", d->dir);
    if (controlled)
        d->fakes = unix_socket(d->control, true);
}

/* Runs in the child: sets the daemon's environment, limits and arguments, and executes it. */
static void become_daemon(struct daemon *d, const char *worker, const char *const *args, int ready)
{
    char number[16], pid[16];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    const char *argv[MAX_ARGS] = {GF_TEST_DAEMON, "--socket", d->socket, "--worker",
                                  strcmp(worker, "fake") == 0 ? GF_TEST_FAKE_WORKER : GF_TEST_WORKER};
    size_t n = 5;
    ready = fcntl(ready, F_DUPFD, 10);
    snprintf(number, sizeof number, "%d", ready);
    argv[n++] = "--ready-fd";
    argv[n++] = number;
    argv[n++] = "--staging-segment";
    argv[n++] = "1M";
    if (geteuid() != 0) { /* only root may look into a process that has closed its sandbox */
        argv[n++] = "--sandbox";
        argv[n++] = "0";
    }
    while (args && *args && n + 1 < MAX_ARGS)
        argv[n++] = *args++;
    argv[n] = NULL;
    if (d->fakes >= 0)
        setenv("GF_FAKE_CONTROL", d->control, 1);
    if (d->listener > 0) {
        if (d->listener == 3)
            fcntl(3, F_SETFD, 0);
        else
            dup2(d->listener, 3);
        snprintf(pid, sizeof pid, "%d", (int)getpid());
        setenv("LISTEN_PID", pid, 1);
        setenv("LISTEN_FDS", "1", 1);
    }
    if (d->nofile > 0)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)d->nofile, (rlim_t)d->nofile});
    execv(GF_TEST_DAEMON, (char *const *)(uintptr_t)argv);
    _exit(127);
}

void daemon_spawn(struct daemon *d, const char *worker, const char *const *args)
{
    int ready[2];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    d->pid = fork();
    assert_true(d->pid >= 0);
    if (d->pid == 0)
        become_daemon(d, worker, args, ready[1]);
    close(ready[1]);
    d->ready = ready[0];
}

void daemon_ready_text(struct daemon *d, char *text, size_t size)
{
    size_t at = 0;
    for (;;) {
        wait_readable(d->ready);
        ssize_t n = read(d->ready, text + at, size - 1 - at);
        assert_true(n >= 0);
        at += (size_t)n;
        if (n == 0 || at == size - 1)
            break;
    }
    text[at] = '\0';
    close(d->ready);
    d->ready = -1;
}

void daemon_wait_ready(struct daemon *d)
{
    char text[512];
    daemon_ready_text(d, text, sizeof text);
    assert_string_equal(text, "READY\n");
}

void daemon_wait_file(const struct daemon *d, const char *path)
{
    char events[4096];
    int fd = inotify_init1(IN_CLOEXEC);
    assert_true(inotify_add_watch(fd, d->dir, IN_CREATE | IN_MOVED_TO) >= 0);
    while (access(path, F_OK) < 0) {
        wait_readable(fd);
        assert_true(read(fd, events, sizeof events) > 0);
    }
    close(fd);
}

int daemon_wait(struct daemon *d)
{
    int pidfd = (int)syscall(SYS_pidfd_open, d->pid, 0), status;
    assert_true(pidfd >= 0);
    wait_readable(pidfd);
    close(pidfd);
    assert_int_equal(waitpid(d->pid, &status, 0), d->pid);
    d->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int daemon_stop(struct daemon *d)
{
    int code = 0;
    if (d->pid > 0) {
        kill(d->pid, SIGTERM);
        code = daemon_wait(d);
    }
    gf_closep(&d->ready);
    gf_closep(&d->fakes);
    d->dir = gf_temp_dir_free(d->dir);
    return code;
}

void daemon_start(struct daemon *d, const char *const *args)
{
    daemon_init(d, false);
    daemon_spawn(d, "fake", args);
    daemon_wait_ready(d);
}

static void read_line(int fd, char *line, size_t size)
{
    size_t at = 0;
    do {
        assert_true(at + 1 < size);
        wait_readable(fd);
        assert_int_equal(recv(fd, line + at, 1, 0), 1);
    } while (line[at++] != '\n');
    line[at - 1] = '\0';
}

struct fake fake_accept(struct daemon *d)
{
    struct fake f = {.fd = -1};
    char line[100];
    int pid;
    wait_readable(d->fakes);
    f.fd = accept4(d->fakes, NULL, NULL, SOCK_CLOEXEC);
    assert_true(f.fd >= 0);
    read_line(f.fd, line, sizeof line);
    assert_int_equal(sscanf(line, "start %15s %d", f.device, &pid), 2);
    f.pid = pid;
    return f;
}

uint64_t fake_expect(struct fake *f, const char *event)
{
    char line[100];
    unsigned long long number = 0;
    read_line(f->fd, line, sizeof line);
    assert_memory_equal(line, event, strlen(event));
    sscanf(line + strlen(event), " %llu", &number);
    return number;
}

pid_t fake_join(const struct daemon *d, const char *path, const char *device)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0)
        _exit(1);
    if (fd != 3)
        dup2(fd, 3);
    setenv("GF_FAKE_CONTROL", d->control, 1);
    execl(GF_TEST_FAKE_WORKER, "fake", "--device", device, NULL);
    _exit(127);
}

pid_t worker_join(const char *path)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(GF_TEST_WORKER, "worker", "--device", "cpu", "--front", path, NULL);
    _exit(127);
}

int listen_at(const char *path)
{
    return unix_socket(path, true);
}

void fake_tell(const struct fake *f, char letter)
{
    send_all(f->fd, &letter, 1);
}

int client_connect(const struct daemon *d)
{
    return unix_socket(d->socket, false);
}

int client_open(const struct daemon *d)
{
    return client_open_on(d, "auto");
}

int client_open_on(const struct daemon *d, const char *device)
{
    int fd = client_connect(d);
    int probe = open("/dev/null", O_RDWR | O_CLOEXEC);
    uint8_t frame[512];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    struct gf_hello said = {.version_min = GF_VERSION_MIN, .version_max = GF_VERSION, .software = "test"};
    snprintf(said.device, sizeof said.device, "%s", device);
    gf_hello_encode(&w, &said);
    send_frame(fd, &w, GF_FRAME_HELLO, 1, NULL, 0, probe);
    close(probe);
    struct reply reply;
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_HELLO_REPLY);
    assert_int_equal(reply.h.id, 1);
    struct gf_hello_reply hello;
    assert_int_equal(gf_hello_reply_decode(reply.body, reply.h.body_len, &hello, NULL), GF_OK);
    assert_true(hello.fd_passing);
    return fd;
}

int come_from_proxy(const struct daemon *d, const char *name, const char *device)
{
    uint8_t header[64] = "\r\n\r\n\0\r\nQUIT\n\x21";
    uint8_t n = (uint8_t)strlen(name);
    const uint8_t said[] = {0x20, 0, (uint8_t)(8 + n), 7, 0, 0, 0, 0, 0x22, 0, n};
    header[15] = (uint8_t)(sizeof said + n);
    memcpy(header + 16, said, sizeof said);
    memcpy(header + 16 + sizeof said, name, n);
    int fd = client_connect(d);
    send_all(fd, header, 16 + sizeof said + n);
    uint8_t frame[512];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    struct gf_hello hello = {GF_VERSION_MIN, GF_VERSION, "test", ""};
    snprintf(hello.device, sizeof hello.device, "%s", device);
    gf_hello_encode(&w, &hello);
    send_frame(fd, &w, GF_FRAME_HELLO, 1, NULL, 0, -1);
    return fd;
}

int client_of_proxy(const struct daemon *d, const char *name)
{
    int fd = come_from_proxy(d, name, "auto");
    expect_kind(fd, GF_FRAME_HELLO_REPLY, 1);
    return fd;
}

void send_all(int fd, const void *data, size_t size)
{
    const uint8_t *p = data;
    while (size > 0) {
        ssize_t n = send(fd, p, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        assert_true(n > 0);
        p += n;
        size -= (size_t)n;
    }
}

void send_with_fds(int fd, const void *data, size_t size, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(16 * sizeof(int))];
    } control = {0};
    assert_true(n <= 16);
    struct iovec iov = {(void *)(uintptr_t)data, size};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (n > 0) {
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    assert_int_equal(sendmsg(fd, &msg, MSG_NOSIGNAL), size);
}

void send_frame(int fd, struct gf_writer *w, uint16_t kind, uint64_t id, const void *payload, size_t size, int pass)
{
    static uint8_t whole[1 << 17];
    assert_true(gf_writer_finish(w, kind, id, size, pass >= 0));
    if (pass < 0 && size > 0 && w->size + size <= sizeof whole) {
        /* Sent in one piece, because the server may close the connection after the header. */
        memcpy(whole, w->data, w->size);
        memcpy(whole + w->size, payload, size);
        send_all(fd, whole, w->size + size);
        return;
    }
    send_with_fds(fd, w->data, w->size, &pass, pass >= 0);
    send_all(fd, payload, size);
}

void send_simple(int fd, uint16_t kind, uint64_t id)
{
    uint8_t frame[GF_HEADER_SIZE];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    send_frame(fd, &w, kind, id, NULL, 0, -1);
}

/* False at the end of the stream before the first byte. */
static bool receive_all(int fd, void *data, size_t size)
{
    uint8_t *p = data;
    size_t at = 0;
    while (at < size) {
        wait_readable(fd);
        ssize_t n = recv(fd, p + at, size - at, 0);
        if (at == 0 && (n == 0 || (n < 0 && errno == ECONNRESET)))
            return false;
        assert_true(n > 0);
        at += (size_t)n;
    }
    return true;
}

bool receive(int fd, struct reply *ret)
{
    uint8_t head[GF_HEADER_SIZE];
    ret->payload = NULL;
    if (!receive_all(fd, head, sizeof head))
        return false;
    assert_int_equal(gf_header_decode(head, &ret->h, NULL), GF_OK);
    if (ret->h.body_len > 0)
        assert_true(receive_all(fd, ret->body, ret->h.body_len));
    if (ret->h.payload_len > 0) {
        ret->payload = malloc(ret->h.payload_len);
        assert_non_null(ret->payload);
        assert_true(receive_all(fd, ret->payload, ret->h.payload_len));
    }
    return true;
}

void expect_error(int fd, uint64_t id, enum gf_status status, const char *part)
{
    static struct reply reply;
    struct gf_error error;
    uint32_t retry;
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_ERROR);
    assert_int_equal(reply.h.id, id);
    assert_int_equal(gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL), GF_OK);
    assert_string_equal(gf_status_name(error.status), gf_status_name(status));
    if (!strstr(error.text, part))
        assert_string_equal(error.text, part);
}

void expect_kind(int fd, uint16_t kind, uint64_t id)
{
    static struct reply reply;
    assert_true(receive(fd, &reply));
    assert_string_equal(gf_frame_kind_name(reply.h.kind), gf_frame_kind_name(kind));
    assert_int_equal(reply.h.id, id);
    free(reply.payload);
}

void expect_end(int fd)
{
    static struct reply reply;
    assert_false(receive(fd, &reply));
    close(fd);
}

void request_init(struct request *r, uint32_t width, uint32_t height, const char *device)
{
    struct gf_program *p = &r->program;
    memset(p, 0, sizeof *p);
    snprintf(p->device, sizeof p->device, "%s", device);
    p->n_operands = p->n_steps = p->n_results = 1;
    p->operands[0] = (struct gf_operand){.way = GF_WAY_INLINE, .view = gf_view_tight(GF_U8, width, height, 1)};
    p->operands[0].length = gf_view_bytes(&p->operands[0].view);
    p->steps[0].op = gf_op_by_name("box");
    gf_op_params_default(p->steps[0].op, &p->steps[0].params);
    p->results[0] = (struct gf_result){.way = GF_WAY_INLINE, .view = p->operands[0].view};
}

void request_send(struct request *r, int fd, uint64_t id, uint8_t value)
{
    struct gf_error error = {0};
    if (gf_program_check(&r->program, true, &error) != GF_OK)
        assert_string_equal(error.text, "");
    gf_writer_init(&r->w, r->frame, sizeof r->frame);
    gf_program_encode(&r->w, &r->program);
    size_t size = r->program.payload_in;
    uint8_t *payload = malloc(size + 1);
    assert_non_null(payload);
    memset(payload, value, size);
    send_frame(fd, &r->w, GF_FRAME_RUN, id, payload, size, -1);
    free(payload);
}

void run_send(int fd, uint64_t id, uint8_t value)
{
    static struct request r;
    request_init(&r, 16, 16, "auto");
    request_send(&r, fd, id, value);
}

void handle_send(int fd, uint64_t id, uint32_t read, uint32_t make, const char *device, uint8_t value)
{
    static struct request r;
    request_init(&r, 16, 16, device);
    if (read != INLINE)
        r.program.operands[0] =
            (struct gf_operand){.way = GF_WAY_HANDLE, .id = read, .view = r.program.operands[0].view};
    if (make != INLINE)
        r.program.results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .id = make};
    request_send(&r, fd, id, value);
}

void free_send(int fd, uint64_t id, uint32_t handle)
{
    uint8_t frame[256];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_free_request_encode(&w, handle);
    send_frame(fd, &w, GF_FRAME_FREE, id, NULL, 0, -1);
}

uint64_t result_expect(int fd, uint8_t value)
{
    static struct reply reply;
    static struct gf_run_reply run;
    struct gf_error error = {0};
    uint32_t retry;
    assert_true(receive(fd, &reply));
    if (reply.h.kind == GF_FRAME_ERROR) {
        gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL);
        assert_string_equal(error.text, "");
    }
    assert_int_equal(reply.h.kind, GF_FRAME_RESULT);
    assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
    assert_int_equal(run.n_outputs, 1);
    assert_int_equal(run.outputs[0].offset, 0);
    for (uint64_t i = 0; i < run.outputs[0].length; i++)
        assert_int_equal(reply.payload[i], (uint8_t)(value + 1));
    free(reply.payload);
    return reply.h.id;
}

uint32_t health_of(int fd, char text[GF_ERROR_TEXT])
{
    uint8_t frame[256];
    struct gf_writer w;
    static struct reply reply;
    static struct gf_info_reply info;
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_HEALTH});
    send_frame(fd, &w, GF_FRAME_INFO, 900, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_INFO_REPLY);
    assert_int_equal(gf_info_reply_decode(reply.body, reply.h.body_len, &info, NULL), GF_OK);
    memcpy(text, info.text, sizeof info.text);
    return info.health;
}

void health_await(int fd, uint32_t state, const char *part)
{
    char text[GF_ERROR_TEXT];
    while (health_of(fd, text) != state || !strstr(text, part))
        ;
}

int memfd_of(size_t size, unsigned seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(posix_fallocate(fd, 0, (off_t)size), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

void arena_send(int fd, uint64_t id, uint32_t arena, uint64_t size, int pass)
{
    uint8_t frame[256];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_arena_request_encode(&w, &(struct gf_arena_request){arena, size});
    send_frame(fd, &w, GF_FRAME_ARENA, id, NULL, 0, pass);
}

int fds_of(pid_t pid)
{
    int n = gf_fd_count_of(pid);
    assert_true(n >= 0);
    return n;
}
