/* SPDX-License-Identifier: MIT */
/* Worker processes, watched through pidfds; see worker_process.h. */
#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct gf_worker_process {
    uv_poll_t poll;
    gf_worker_exited *exited;
    void *data;
    pid_t pid;
    int pidfd;
};

static void on_exit_event(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct gf_worker_process *p = poll->data;
    uv_poll_stop(poll);
    siginfo_t info = {0};
    char how[64] = "ended";
    int code = GF_EXIT_UNKNOWN;
    if (waitid((idtype_t)P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0) {
        if (info.si_code == CLD_EXITED) {
            code = info.si_status;
            snprintf(how, sizeof(how), "exit code %d", code);
        } else {
            code = GF_EXIT_SIGNAL + info.si_status;
            snprintf(how, sizeof(how), "signal %d (%s)", info.si_status, strsignal(info.si_status));
        }
    }
    p->exited(p->data, code, how);
}

static enum gf_status watch(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                            struct gf_worker_process **ret_process, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_worker_process *p = calloc(1, sizeof(*p));
    if (!p)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *p = (struct gf_worker_process){.exited = exited, .data = data, .pid = pid};
    gf_cleanup(gf_closep) int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot watch process %d: %s", (int)pid, strerror(errno));
    int rc = uv_poll_init(loop, &p->poll, pidfd);
    if (rc < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot watch process %d: %s", (int)pid, uv_strerror(rc));
    p->poll.data = p;
    p->pidfd = gf_steal_fd(&pidfd);
    uv_poll_start(&p->poll, UV_READABLE, on_exit_event);
    *ret_process = gf_steal_ptr(&p);
    return GF_OK;
}

enum gf_status gf_worker_process_start_with(uv_loop_t *loop, struct gf_spawner *spawner,
                                            const struct gf_spawner_request *request, int more,
                                            gf_worker_exited *exited, void *data,
                                            struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot create a socket for a process: %s", strerror(errno));
    gf_cleanup(gf_closep) int ours = pair[0];
    gf_cleanup(gf_closep) int theirs = pair[1];
    /* The worker blocks while it waits for messages. */
    int flags = fcntl(theirs, F_GETFL);
    fcntl(theirs, F_SETFL, flags & ~O_NONBLOCK);
    pid_t pid;
    int rc = gf_spawner_run(spawner, request, (const int[]){theirs, more}, more >= 0 ? 2 : 1, &pid);
    if (rc != 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot start %s: %s",
                            gf_spawner_path(spawner, (enum gf_spawner_program)request->program), strerror(rc));
    enum gf_status status = watch(loop, pid, exited, data, ret_process, err);
    if (status != GF_OK) {
        /* Without a pidfd the sandbox forbids the front to send a signal. The closed socket then ends the worker, and
         * the front does not wait for it. */
        if (kill(pid, SIGKILL) == 0)
            waitpid(pid, NULL, 0);
        return status;
    }
    *ret_fd = gf_steal_fd(&ours);
    return GF_OK;
}

enum gf_status gf_worker_process_start(uv_loop_t *loop, struct gf_spawner *spawner,
                                       const struct gf_spawner_request *request, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    return gf_worker_process_start_with(loop, spawner, request, -1, exited, data, ret_process, ret_fd, err);
}

enum gf_status gf_worker_process_join(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                                      struct gf_worker_process **ret_process, struct gf_error *err)
{
    return watch(loop, pid, exited, data, ret_process, err);
}

void gf_worker_process_kill(struct gf_worker_process *process)
{
    syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
}

static void on_closed(uv_handle_t *handle)
{
    struct gf_worker_process *p = handle->data;
    close(p->pidfd);
    free(p);
}

struct gf_worker_process *gf_worker_process_free(struct gf_worker_process *process)
{
    if (!process)
        return NULL;
    uv_poll_stop(&process->poll);
    uv_close((uv_handle_t *)&process->poll, on_closed);
    return NULL;
}
