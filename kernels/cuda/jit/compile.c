/* SPDX-License-Identifier: MIT */
/* Compiles in another process; see compile.h. */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "compiler_msg.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"

#define END_MS 500u /* the time that a process has to end, after its answer or killed */
#define STEP_MS 5   /* the interval of checks whether it has ended */

/* A request in progress: request head and source to send, then answer head and data to receive. */
struct exchange {
    int fd, stop;
    uint64_t deadline;
    struct gf_jit_request_head request;
    const char *source;
    size_t sent; /* of request and source together */
    struct gf_jit_answer_head head;
    char *data;
    size_t received; /* of head and data together */
};

void gf_jit_code_deinit(struct gf_jit_code *code)
{
    free(code->data);
    *code = (struct gf_jit_code){.data = NULL};
}

static int left_ms(uint64_t deadline)
{
    uint64_t now = gf_now_ns();
    return now >= deadline ? 0 : (int)((deadline - now + 999999) / 1000000);
}

/* Starts the process, with the socket as its standard input and output and with default signal handling. */
static int spawn(const char *program, int fd, pid_t *ret_pid)
{
    char argument[] = GF_JIT_COMPILER_ARGUMENT, name[] = "gpufilterd-worker";
    char *const argv[] = {name, argument, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    (void)sigemptyset(&none);
    (void)sigfillset(&standard);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &standard);
    int rc = posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn(ret_pid, program, &actions, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* Waits until the process has ended. Returns false at the deadline, or if the caller must stop. */
static bool await_end(struct gf_jit_compiler *c, pid_t pid, uint64_t deadline, int *ret_status)
{
    struct pollfd stop = {.fd = c->stop, .events = POLLIN};
    for (;;) {
        pid_t ended = waitpid(pid, ret_status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (left_ms(deadline) == 0 || poll(&stop, 1, STEP_MS) > 0)
            return false;
    }
}

/* Sends as much as the socket takes. Returns false if the peer is gone. */
static bool send_some(struct exchange *x)
{
    const size_t head = sizeof(x->request);
    const char *from = x->sent < head ? (const char *)&x->request + x->sent : x->source + (x->sent - head);
    size_t size = x->sent < head ? head - x->sent : head + x->request.size - x->sent;
    ssize_t n = send(x->fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    x->sent += (size_t)n;
    return true;
}

static size_t most(const struct gf_jit_answer_head *head)
{
    return head->answer == GF_JIT_MADE ? GF_JIT_CODE_MAX : GF_JIT_REASON_MAX - 1;
}

/* Receives what is available. Returns false if the peer is gone or its answer is invalid. */
static bool receive_some(struct exchange *x)
{
    const size_t head = sizeof(x->head);
    bool in_head = x->received < head;
    char *to = in_head ? (char *)&x->head + x->received : x->data + (x->received - head);
    size_t size = in_head ? head - x->received : head + x->head.size - x->received;
    ssize_t n = recv(x->fd, to, size, MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    x->received += (size_t)n;
    if (!in_head || x->received < head)
        return true;
    if (x->head.magic != GF_JIT_MAGIC || x->head.answer < GF_JIT_MADE || x->head.answer > GF_JIT_REFUSED ||
        x->head.size > most(&x->head))
        return false;
    x->data = calloc(1, (size_t)x->head.size + 1);
    return x->data != NULL;
}

static bool is_complete(const struct exchange *x)
{
    return x->received >= sizeof(x->head) && x->data && x->received == sizeof(x->head) + x->head.size;
}

/* Sends the request and receives the answer. */
static enum gf_jit_outcome talk(struct exchange *x)
{
    while (!is_complete(x)) {
        bool sending = x->sent < sizeof(x->request) + x->request.size;
        struct pollfd fds[2] = {{.fd = x->fd, .events = (short)(POLLIN | (sending ? POLLOUT : 0))},
                                {.fd = x->stop, .events = POLLIN}};
        int n = poll(fds, 2, left_ms(x->deadline));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return GF_JIT_BROKEN;
        if (fds[1].revents != 0)
            return GF_JIT_STOPPED;
        if ((fds[0].revents & POLLOUT) != 0 && sending && !send_some(x))
            return GF_JIT_BROKEN;
        if ((fds[0].revents & ~POLLOUT) != 0 && !receive_some(x))
            return GF_JIT_BROKEN;
    }
    return GF_JIT_COMPILED;
}

static void set_death(int status, bool ended, struct gf_error *err)
{
    if (!ended)
        (void)gf_error_set(err, GF_E_INTERNAL, "the compiler did not answer in time");
    else if (WIFSIGNALED(status))
        (void)gf_error_set(err, GF_E_INTERNAL, "the compiler ended by signal %d", WTERMSIG(status));
    else
        (void)gf_error_set(err, GF_E_INTERNAL, "the compiler ended with code %d and no answer", WEXITSTATUS(status));
}

/* Interprets a complete answer. */
static enum gf_jit_outcome judge(struct exchange *x, struct gf_jit_code *ret_code, struct gf_error *err)
{
    bool wanted = x->request.size > 0;
    if (x->head.answer != GF_JIT_MADE) {
        gf_text_clean(x->data); /* it goes into messages and logs */
        (void)gf_error_set(err, GF_E_UNSUPPORTED, "%s", x->data);
        if (x->head.answer != GF_JIT_NO_NVRTC)
            return GF_JIT_WRONG;
        return wanted ? GF_JIT_BROKEN : GF_JIT_NO_COMPILER; /* a source may have made it say so */
    }
    if (wanted != (x->head.size > 0)) {
        (void)gf_error_set(err, GF_E_INTERNAL, "the compiler answered with %u bytes of code", x->head.size);
        return GF_JIT_BROKEN;
    }
    *ret_code = (struct gf_jit_code){wanted ? gf_steal_ptr(&x->data) : NULL, x->head.size, x->head.version};
    return GF_JIT_COMPILED;
}

enum gf_jit_outcome gf_jit_compile(struct gf_jit_compiler *c, const char *source, uint32_t arch,
                                   struct gf_jit_code *ret_code, struct gf_error *err)
{
    int pair[2], status = 0;
    pid_t pid;
    uint64_t deadline = gf_now_ns() + (uint64_t)c->timeout_ms * 1000000;
    if (c->left != 0 && !await_end(c, c->left, deadline, &status)) {
        (void)gf_error_set(err, GF_E_INTERNAL, "an earlier compiler did not end");
        return GF_JIT_LATER;
    }
    c->left = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        (void)gf_error_set(err, GF_E_INTERNAL, "cannot create a socket for the compiler: %s", strerror(errno));
        return GF_JIT_LATER;
    }
    int rc = spawn(c->program, pair[1], &pid);
    (void)close(pair[1]);
    if (rc != 0) {
        (void)close(pair[0]);
        (void)gf_error_set(err, GF_E_INTERNAL, "cannot start the compiler: %s", strerror(rc));
        return GF_JIT_LATER;
    }
    struct exchange x = {.fd = pair[0], .stop = c->stop, .deadline = deadline, .source = source};
    x.request = (struct gf_jit_request_head){GF_JIT_MAGIC, arch, (uint32_t)strlen(source)};
    enum gf_jit_outcome outcome = talk(&x);
    (void)close(pair[0]); /* SIGPIPE ends a process that still writes */
    bool ended = await_end(c, pid, gf_now_ns() + END_MS * GF_NS_PER_MS, &status);
    c->left = ended ? 0 : pid;
    if (outcome == GF_JIT_COMPILED)
        outcome = judge(&x, ret_code, err);
    else
        set_death(status, ended, err);
    free(x.data);
    return outcome;
}

void gf_jit_compiler_deinit(struct gf_jit_compiler *c)
{
    int status;
    c->stop = -1;
    if (c->left != 0) {
        (void)kill(c->left, SIGKILL); /* a sandbox may forbid it */
        (void)await_end(c, c->left, gf_now_ns() + END_MS * GF_NS_PER_MS, &status);
    }
    c->left = 0;
}
