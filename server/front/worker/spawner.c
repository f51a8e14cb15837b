/* SPDX-License-Identifier: MIT */
/* The process that starts others, and the front's requests to it; see spawner.h. A request comes with the descriptors
 * of the new process; the reply says whether it was started. */
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "protocol/base/base.h"
#include "protocol/ops/program.h"

#define CHILD_FD 3
#define ABOVE_FDS 16 /* the spawner's own descriptors lie above those of a new process */

extern char **environ;

struct gf_spawner {
    uv_poll_t poll;
    gf_spawner_lost *lost;
    void *data;
    char *programs[GF_SPAWNER_PROGRAMS];
    pid_t pid;
    int fd;
};

/* What the spawner has been told at its start. */
struct rules {
    char *const *programs;
    bool sandbox;
};

struct reply {
    int32_t error;
    int32_t pid; /* of a child that must be waited for, whatever the error */
};

union fd_room {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(GF_SPAWNER_FDS * sizeof(int))];
};

/* A command line. */
struct command {
    char scratch[24], device_memory[24], host_mapped_max[24];
    char *argv[14];
};

static void make_worker(struct command *c, struct gf_spawner_request *r, const struct rules *rules)
{
    snprintf(c->scratch, sizeof(c->scratch), "%" PRIu64, r->scratch);
    snprintf(c->device_memory, sizeof(c->device_memory), "%" PRIu64, r->device_memory);
    snprintf(c->host_mapped_max, sizeof(c->host_mapped_max), "%" PRIu64, r->host_mapped_max);
    /* clang-format off */
    const char *const args[] = {
        rules->programs[GF_SPAWNER_WORKER], "--device", r->device, "--front", "fd:3", "--scratch", c->scratch,
        "--device-memory", c->device_memory, "--host-mapped-max", c->host_mapped_max,
        "--sandbox", rules->sandbox ? "1" : "0", NULL};
    /* clang-format on */
    _Static_assert(sizeof(args) == sizeof(c->argv), "room for every argument");
    memcpy(c->argv, args, sizeof(args));
}

/* Makes the command line for a request with this number of descriptors; false if the request is malformed. */
static bool make_command(struct command *c, struct gf_spawner_request *r, size_t size, size_t n_fds,
                         const struct rules *rules)
{
    if (size != sizeof(*r) || r->program >= GF_SPAWNER_PROGRAMS || !rules->programs[r->program])
        return false;
    if (r->program == GF_SPAWNER_METRICS) {
        const char *const args[] = {rules->programs[r->program], "--sandbox", rules->sandbox ? "1" : "0", NULL};
        memcpy(c->argv, args, sizeof(args));
        return n_fds == 2;
    }
    if (r->device[GF_MAX_DEVICE_NAME] != '\0' || gf_device_name_check(r->device, NULL) != GF_OK)
        return false;
    make_worker(c, r, rules);
    return n_fds == 1;
}

/* Moves the descriptors to CHILD_FD and the numbers after it. None of them lies there afterwards but in its place. */
static bool install(int *fds, size_t n_fds)
{
    for (size_t i = 0; i < n_fds; i++)
        if ((fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE_FDS)) < 0)
            return false;
    for (size_t i = 0; i < n_fds; i++)
        if (dup2(fds[i], CHILD_FD + (int)i) < 0)
            return false;
    return true;
}

/* In the child: installs the descriptors, makes a process group, so that terminal signals reach only the daemon, and
 * resets the signals. Exits if the program cannot be run. */
static _Noreturn void become(char *const *argv, int *fds, size_t n_fds, int told)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int tell = fcntl(told, F_DUPFD_CLOEXEC, ABOVE_FDS);
    if (tell >= 0 && install(fds, n_fds))
        execve(argv[0], argv, environ);
    int error = errno;
    while (write(tell >= 0 ? tell : told, &error, sizeof(error)) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* Like fork, exec and a pipe that reports exec's error, but the child's parent is the front. */
static struct reply start_child(char *const *argv, int *fds, size_t n_fds)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return (struct reply){.error = errno};
    gf_cleanup(gf_closep) int told = ends[0];
    gf_cleanup(gf_closep) int tell = ends[1];
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        become(argv, fds, n_fds, tell);
    if (pid < 0)
        return (struct reply){.error = errno};
    gf_closep(&tell);
    tell = -1;
    int error = 0;
    while (read(told, &error, sizeof(error)) < 0 && errno == EINTR)
        ;
    return (struct reply){.error = error, .pid = (int32_t)pid};
}

/* Takes the descriptors of a message; returns their number. */
static size_t take_fds(struct msghdr *message, int fds[GF_SPAWNER_FDS])
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return 0;
    size_t bytes = c->cmsg_len - CMSG_LEN(0);
    memcpy(fds, CMSG_DATA(c), bytes);
    return bytes / sizeof(int);
}

/* Serves requests until the front has ended. */
static _Noreturn void serve(int front, const struct rules *rules)
{
    struct gf_spawner_request request;
    struct command command;
    for (;;) {
        union fd_room room = {0};
        struct iovec part = {&request, sizeof(request)};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
        ssize_t n = recvmsg(front, &message, MSG_CMSG_CLOEXEC);
        if (n < 0)
            continue; /* a signal, or a momentary lack of memory: the front would end without its spawner */
        if (n == 0)
            _exit(0);
        struct reply reply = {.error = EINVAL};
        int fds[GF_SPAWNER_FDS];
        size_t n_fds = take_fds(&message, fds);
        if (make_command(&command, &request, (size_t)n, n_fds, rules))
            reply = start_child(command.argv, fds, n_fds);
        for (size_t i = 0; i < n_fds; i++)
            close(fds[i]);
        while (send(front, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
            if (errno != EINTR)
                _exit(0);
    }
}

/* In the spawner: keeps only its socket and the standard streams open, and ends when the front does. */
static _Noreturn void begin(pid_t front, int fd, const struct rules *rules)
{
    int mine = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_FDS);
    if (mine < 0)
        _exit(1);
    close_range(STDERR_FILENO + 1, (unsigned)mine - 1, 0);
    close_range((unsigned)mine + 1, ~0u, 0);
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < GF_ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
    prctl(PR_SET_NAME, "gf-spawner", 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != front)
        _exit(0);
    serve(mine, rules);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_spawner *s = poll->data;
    (void)status, (void)events;
    uv_poll_stop(poll);
    s->lost(s->data);
}

static void spawner_freep(struct gf_spawner **s)
{
    for (size_t i = 0; *s && i < GF_SPAWNER_PROGRAMS; i++)
        free((*s)->programs[i]);
    free(*s);
}

enum gf_status gf_spawner_start(uv_loop_t *loop, const char *const programs[GF_SPAWNER_PROGRAMS], bool sandbox,
                                gf_spawner_lost *lost, void *data, struct gf_spawner **ret_spawner,
                                struct gf_error *err)
{
    int pair[2];
    gf_cleanup(spawner_freep) struct gf_spawner *s = calloc(1, sizeof(*s));
    for (size_t i = 0; s && i < GF_SPAWNER_PROGRAMS; i++)
        if (programs[i] && !(s->programs[i] = strdup(programs[i])))
            return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (s == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot create a socket for the process that starts workers: %s",
                            strerror(errno));
    gf_cleanup(gf_closep) int ours = pair[0];
    gf_cleanup(gf_closep) int theirs = pair[1];
    int rc = uv_poll_init(loop, &s->poll, ours);
    if (rc < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot watch the process that starts workers: %s",
                            uv_strerror(rc));
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        begin(self, theirs, &(struct rules){s->programs, sandbox});
    int error = errno;
    s->poll.data = s;
    s->pid = pid;
    s->fd = gf_steal_fd(&ours);
    s->lost = lost;
    s->data = data;
    if (pid < 0) {
        gf_spawner_free(gf_steal_ptr(&s));
        return gf_error_set(err, GF_E_START_FAILED, "cannot fork the process that starts workers: %s", strerror(error));
    }
    fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK); /* uv_poll_init made the socket non-blocking */
    uv_poll_start(&s->poll, UV_READABLE, on_poll);
    *ret_spawner = gf_steal_ptr(&s);
    return GF_OK;
}

int gf_spawner_run(struct gf_spawner *spawner, const struct gf_spawner_request *request, const int *fds, size_t n_fds,
                   pid_t *ret_pid)
{
    union fd_room room = {0};
    struct iovec part = {(void *)(uintptr_t)request, sizeof(*request)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = CMSG_SPACE(n_fds * sizeof(int))};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(n_fds * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
    struct reply reply;
    ssize_t n;
    do
        n = sendmsg(spawner->fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    do
        n = n < 0 ? n : recv(spawner->fd, &reply, sizeof(reply), 0);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    if (n != sizeof(reply))
        return ESRCH;
    if (reply.error != 0 && reply.pid > 0)
        waitpid(reply.pid, NULL, 0);
    *ret_pid = reply.pid;
    return reply.error;
}

const char *gf_spawner_path(const struct gf_spawner *spawner, enum gf_spawner_program program)
{
    return spawner->programs[program];
}

static void on_closed(uv_handle_t *handle)
{
    struct gf_spawner *s = handle->data;
    close(s->fd);
    if (s->pid > 0)
        waitpid(s->pid, NULL, 0); /* closing the socket has ended it */
    spawner_freep(&s);
}

struct gf_spawner *gf_spawner_free(struct gf_spawner *spawner)
{
    if (spawner == NULL)
        return NULL;
    uv_poll_stop(&spawner->poll);
    uv_close((uv_handle_t *)&spawner->poll, on_closed);
    return NULL;
}
