/* SPDX-License-Identifier: MIT */
/* Processes behind pidfds; see worker_process.h. */
#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CHILD_FD 3
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

extern char **environ;

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
        } else
            snprintf(how, sizeof(how), "signal %d (%s)", info.si_status, strsignal(info.si_status));
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

/* Starts the program with `fd` as its descriptor 3; 0 or errno. */
static int spawn(const char *program, const char *device, uint64_t scratch, uint64_t device_memory, int fd,
                 pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attr);
    if (rc != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return rc;
    }
    posix_spawn_file_actions_adddup2(&actions, fd, CHILD_FD);
    /* A group of its own: what the terminal sends to the daemon's group is the daemon's to decide about. */
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setpgroup(&attr, 0);
    char front[16], room[24], memory[24];
    snprintf(front, sizeof(front), "fd:%d", CHILD_FD);
    snprintf(room, sizeof(room), "%" PRIu64, scratch);
    snprintf(memory, sizeof(memory), "%" PRIu64, device_memory);
    char *argv[] = {(char *)(uintptr_t)program,
                    (char *)(uintptr_t) "--device",
                    (char *)(uintptr_t)device,
                    (char *)(uintptr_t) "--front",
                    front,
                    (char *)(uintptr_t) "--scratch",
                    room,
                    device_memory > 0 ? (char *)(uintptr_t) "--device-memory" : NULL,
                    memory,
                    NULL};
    rc = posix_spawn(ret_pid, program, &actions, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return rc;
}

enum gf_status gf_worker_process_start(uv_loop_t *loop, const char *program, const char *device, uint64_t scratch,
                                       uint64_t device_memory, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "no socket for a worker: %s", strerror(errno));
    gf_cleanup(gf_closep) int ours = pair[0];
    gf_cleanup(gf_closep) int theirs = pair[1];
    /* The worker waits for messages without polling. */
    int flags = fcntl(theirs, F_GETFL);
    fcntl(theirs, F_SETFL, flags & ~O_NONBLOCK);
    pid_t pid;
    int rc = spawn(program, device, scratch, device_memory, theirs, &pid);
    if (rc != 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot start %s: %s", program, strerror(rc));
    enum gf_status status = watch(loop, pid, exited, data, ret_process, err);
    if (status != GF_OK) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return status;
    }
    *ret_fd = gf_steal_fd(&ours);
    return GF_OK;
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
