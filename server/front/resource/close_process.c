/* SPDX-License-Identifier: MIT */
/* The keeper, the closer processes and the front's ends of their pipes; see close_process.h. */
#include "close_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define NAME "gpufilter-close" /* the longest process name that the kernel allows */
#define SPARE 2                /* most processes that are ready at once */
#define RETRY_NS 10000000
#define SOCKET_US 50000 /* period of the signal that interrupts the close of a socket */
#define END_MS 1000

/* The size divides a page, so that a read never returns part of an order. */
struct order {
    uint64_t token;
    int32_t fd, reserved;
};

/* Shared memory of the front and the processes. */
struct gf_fd_closer_shared {
    atomic_int ready; /* processes that are waiting for an order or searching for an open descriptor */
    atomic_int next;  /* the next descriptor number to check */
    atomic_int below; /* end of the range of numbers to check */
};

/* The state of one process; each process has its own copy. */
struct job {
    struct gf_fd_closer_shared *shared;
    int orders, answers; /* the processes' ends of the pipes */
    pid_t keeper;
    bool last; /* the front has ended: every descriptor is closed */
};

static long process_clone(long flags)
{
    return syscall(SYS_clone, flags | CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

static void pause_briefly(void)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = RETRY_NS}, NULL);
}

/* A closer process dies with the keeper: if it outlived the keeper, its share of the descriptor table would keep open
 * what no process is left to close. */
static void end_with_keeper(const struct job *job)
{
    uint64_t blocked = ~(UINT64_C(1) << (SIGALRM - 1));
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, NULL, sizeof(blocked));
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (syscall(SYS_getppid) != job->keeper)
        syscall(SYS_exit_group, 0);
}

/* Waits for the next descriptor to close; false if there will be no more. */
static bool take(const struct job *job, struct order *ret)
{
    long n = -1;
    while (!job->last) {
        n = syscall(SYS_read, job->orders, ret, sizeof(*ret));
        if (n >= 0 || errno != EINTR)
            return n == (long)sizeof(*ret);
    }
    *ret = (struct order){0};
    int below = atomic_load(&job->shared->below);
    do
        ret->fd = atomic_fetch_add(&job->shared->next, 1);
    while (ret->fd < below && syscall(SYS_fcntl, ret->fd, F_GETFD) < 0);
    return ret->fd < below;
}

/* Returns true once another process is ready; false in a process that was forked for that. */
static bool stand_in(const struct job *job)
{
    while (atomic_fetch_sub(&job->shared->ready, 1) == 1) {
        atomic_fetch_add(&job->shared->ready, 1);
        long pid = process_clone(CLONE_PARENT);
        if (pid == 0) {
            end_with_keeper(job);
            return false;
        }
        if (pid > 0)
            return true; /* the new process is counted in place of this one */
        pause_briefly();
    }
    return true;
}

/* Closes a descriptor. The close of a socket lingers for as long as its sender has set, until a
 * signal interrupts it. */
static void close_it(int fd)
{
    const struct timeval soon = {.tv_usec = SOCKET_US};
    int type;
    socklen_t size = sizeof(type);
    bool socket = syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    if (socket)
        syscall(SYS_setitimer, ITIMER_REAL, &(struct itimerval){.it_interval = soon, .it_value = soon}, NULL);
    syscall(SYS_close, fd);
    if (socket)
        syscall(SYS_setitimer, ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Counts this process as ready again if fewer than SPARE processes are. A process counted as ready
 * must take an order. */
static bool is_needed(struct gf_fd_closer_shared *shared)
{
    int n = atomic_load(&shared->ready);
    while (n < SPARE)
        if (atomic_compare_exchange_weak(&shared->ready, &n, n + 1))
            return true;
    return false;
}

/* Closes descriptors until none is left or enough other processes are ready. */
static void work(const struct job *job)
{
    struct order order;
    while (take(job, &order)) {
        if (!stand_in(job))
            continue;
        close_it(order.fd);
        if (order.token != 0)
            syscall(SYS_write, job->answers, &order.token, sizeof(order.token));
        if (!is_needed(job->shared))
            break;
    }
}

static void start_work(const struct job *job)
{
    atomic_store(&job->shared->ready, 1);
    long pid;
    while ((pid = process_clone(0)) < 0)
        pause_briefly();
    if (pid == 0) {
        end_with_keeper(job);
        work(job);
        syscall(SYS_exit_group, 0);
    }
}

/* In the keeper: waits until its parent `front` has ended; false if the front says that nothing is left to close. All
 * signals are blocked. */
static bool await_end(pid_t front)
{
    uint64_t set = UINT64_C(1) << (SIGTERM - 1) | UINT64_C(1) << (SIGUSR1 - 1);
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    long got = 0;
    while (got != SIGUSR1 && syscall(SYS_getppid) == front)
        got = syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, sizeof(set));
    return got != SIGUSR1;
}

static void keep(struct job *job, pid_t front)
{
    syscall(SYS_setpgid, 0, 0);
    job->keeper = (pid_t)syscall(SYS_getpid);
    start_work(job);
    if (await_end(front)) {
        job->last = true;
        job->shared++; /* separate counters: processes whose close has not returned are counted in the first ones */
        atomic_store(&job->shared->below, atomic_load(&job->shared[-1].below));
        start_work(job);
    }
    while (syscall(SYS_wait4, -1, NULL, 0, NULL) >= 0 || errno == EINTR)
        ; /* SIGCHLD is ignored, so that wait4 fails with ECHILD once all children have ended */
    syscall(SYS_exit_group, 0);
}

/* Forks the keeper. It has its own name, blocks all signals and its children leave no zombies; the front's own name,
 * mask and handlers are restored. */
static pid_t make_keeper(struct job *job)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt = {.sa_handler = on_alarm}, child, alarm;
    sigset_t all, mask;
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, NAME);
    sigfillset(&all);
    sigaction(SIGCHLD, &ignore, &child);
    sigaction(SIGALRM, &interrupt, &alarm);
    sigprocmask(SIG_SETMASK, &all, &mask);
    pid_t front = getpid(), pid = (pid_t)process_clone(0);
    if (pid == 0)
        keep(job, front);
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGCHLD, &child, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    prctl(PR_SET_NAME, name);
    errno = error;
    return pid;
}

enum gf_status gf_close_process_start(struct gf_close_process *p, struct gf_error *err)
{
    struct gf_fd_closer_shared *shared =
        mmap(NULL, 2 * sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int orders[2] = {-1, -1}, answers[2] = {-1, -1};
    *p = GF_CLOSE_PROCESS_NULL;
    if (shared != MAP_FAILED && pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0) {
        struct job job = {.shared = shared, .orders = orders[0], .answers = answers[1]};
        fcntl(orders[1], F_SETFL, O_NONBLOCK);
        fcntl(answers[0], F_SETFL, O_NONBLOCK);
        p->pid = make_keeper(&job);
        p->pidfd = p->pid > 0 ? (int)syscall(SYS_pidfd_open, p->pid, 0) : -1;
    }
    int error = errno;
    p->shared = shared != MAP_FAILED ? shared : NULL;
    p->orders = orders[1];
    p->answers = answers[0];
    p->theirs[0] = orders[0];
    p->theirs[1] = answers[1];
    if (p->pidfd >= 0)
        return GF_OK;
    gf_close_process_stop(p, true);
    return gf_error_set(err, GF_E_START_FAILED, "cannot start the process that closes descriptors: %s",
                        strerror(error));
}

void gf_close_process_below(const struct gf_close_process *p, int number)
{
    if (number > atomic_load_explicit(&p->shared->below, memory_order_relaxed))
        atomic_store(&p->shared->below, number);
}

bool gf_close_process_send(const struct gf_close_process *p, int fd, uint64_t token)
{
    struct order order = {.token = token, .fd = fd};
    ssize_t n;
    do
        n = write(p->orders, &order, sizeof(order));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(order);
}

size_t gf_close_process_receive(const struct gf_close_process *p, uint64_t *tokens, size_t capacity)
{
    ssize_t n = read(p->answers, tokens, capacity * sizeof(*tokens));
    return n < 0 ? 0 : (size_t)n / sizeof(*tokens);
}

bool gf_close_process_take_back(const struct gf_close_process *p, uint64_t *ret_token)
{
    struct order order;
    fcntl(p->theirs[0], F_SETFL, O_NONBLOCK);
    if (read(p->theirs[0], &order, sizeof(order)) != (ssize_t)sizeof(order))
        return false;
    *ret_token = order.token;
    return true;
}

void gf_close_process_stop(struct gf_close_process *p, bool idle)
{
    gf_closep(&p->orders); /* the readers see the end of the pipe */
    if (idle && p->pid > 0) {
        if (p->pidfd < 0 || syscall(SYS_pidfd_send_signal, p->pidfd, SIGUSR1, NULL, 0) < 0)
            kill(p->pid, SIGUSR1);
        if (p->pidfd >= 0)
            poll(&(struct pollfd){.fd = p->pidfd, .events = POLLIN}, 1, END_MS);
        waitpid(p->pid, NULL, WNOHANG);
    }
    if (idle) {
        gf_closep(&p->theirs[0]);
        gf_closep(&p->theirs[1]);
    }
    gf_closep(&p->pidfd);
    gf_closep(&p->answers);
    if (p->shared)
        munmap(p->shared, 2 * sizeof(*p->shared)); /* the processes keep their mapping */
    *p = GF_CLOSE_PROCESS_NULL;
}
