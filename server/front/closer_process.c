/* SPDX-License-Identifier: MIT */
/* The keeper, those who close, and the front's ends of their pipes; see closer_process.h. */
#include "closer_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define NAME "gpufilter-close" /* as long as the kernel allows */
#define SPARE 2                /* who wait for something to close, at most */
#define RETRY_NS 10000000

/* Divides a page, so that nobody reads half of one. */
struct order {
    uint64_t token;
    int32_t fd, reserved;
};

/* Written by all of the processes. */
struct counts {
    atomic_int ready; /* processes that wait for an order, or look for a number */
    atomic_int next;  /* the number that is looked at next */
};

/* What a process does; each has a copy. */
struct job {
    struct counts *counts;
    int orders, answers; /* its ends of the pipes */
    int limit;           /* of numbers; 0: it reads orders */
};

static long process_clone(long flags)
{
    return syscall(SYS_clone, flags | CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

static void nap(void)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = RETRY_NS}, NULL);
}

/* The next descriptor to close; false when there will be none. */
static bool take(const struct job *job, struct order *ret)
{
    long n = -1;
    while (job->limit == 0) {
        n = syscall(SYS_read, job->orders, ret, sizeof(*ret));
        if (n >= 0 || errno != EINTR)
            return n == (long)sizeof(*ret);
    }
    *ret = (struct order){0};
    do
        ret->fd = atomic_fetch_add(&job->counts->next, 1);
    while (ret->fd < job->limit && syscall(SYS_fcntl, ret->fd, F_GETFD) < 0);
    return ret->fd < job->limit;
}

/* Returns when somebody else is ready: false in a process that was made for that. */
static bool stand_in(const struct job *job)
{
    while (atomic_fetch_sub(&job->counts->ready, 1) == 1) {
        atomic_fetch_add(&job->counts->ready, 1);
        long pid = process_clone(CLONE_PARENT);
        if (pid == 0)
            return false;
        if (pid > 0)
            return true; /* it is counted in place of this one */
        nap();
    }
    return true;
}

/* Closes until there is nothing to close, or others are ready for what comes. */
static void work(const struct job *job)
{
    struct order order;
    while (take(job, &order)) {
        if (!stand_in(job))
            continue;
        syscall(SYS_close, order.fd);
        if (order.token != 0)
            syscall(SYS_write, job->answers, &order.token, sizeof(order.token));
        if (atomic_fetch_add(&job->counts->ready, 1) >= SPARE)
            break;
    }
    /* It is ready no more; in vain where nothing is to be done by anybody. */
    atomic_fetch_sub(&job->counts->ready, 1);
}

static void start_work(const struct job *job)
{
    atomic_store(&job->counts->ready, 1);
    long pid;
    while ((pid = process_clone(0)) < 0)
        nap();
    if (pid == 0) {
        work(job);
        syscall(SYS_exit_group, 0);
    }
}

/* Of the keeper: its parent `front` has ended. All signals are blocked. */
static void await_end(pid_t front)
{
    uint64_t set = UINT64_C(1) << (SIGTERM - 1);
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    while (syscall(SYS_getppid) == front)
        syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, sizeof(set));
}

static void keep(struct job *job, pid_t front, int limit)
{
    syscall(SYS_setpgid, 0, 0);
    syscall(SYS_prctl, PR_SET_NAME, NAME, 0, 0, 0);
    start_work(job);
    await_end(front);
    job->counts++;
    job->limit = limit;
    start_work(job);
    while (syscall(SYS_wait4, -1, NULL, 0, NULL) >= 0 || errno == EINTR)
        ; /* SIGCHLD is ignored: it returns when all have ended */
    syscall(SYS_exit_group, 0);
}

/* The child waits for no signal and its children leave no zombies; here all is as before. */
static pid_t make_keeper(struct job *job, int limit)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, child;
    sigset_t all, mask;
    sigfillset(&all);
    sigaction(SIGCHLD, &ignore, &child);
    sigprocmask(SIG_SETMASK, &all, &mask);
    pid_t front = getpid(), pid = (pid_t)process_clone(0);
    if (pid == 0)
        keep(job, front, limit);
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGCHLD, &child, NULL);
    errno = error;
    return pid;
}

enum gf_status gf_closer_process_start(struct gf_closer_process *p, int limit, struct gf_error *err)
{
    struct counts *counts = mmap(NULL, 2 * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int orders[2] = {-1, -1}, answers[2] = {-1, -1};
    *p = GF_CLOSER_PROCESS_NULL;
    if (counts != MAP_FAILED && pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0) {
        struct job job = {.counts = counts, .orders = orders[0], .answers = answers[1]};
        fcntl(orders[1], F_SETFL, O_NONBLOCK);
        fcntl(answers[0], F_SETFL, O_NONBLOCK);
        p->pid = make_keeper(&job, limit);
        p->pidfd = p->pid > 0 ? (int)syscall(SYS_pidfd_open, p->pid, 0) : -1;
    }
    int error = errno;
    if (counts != MAP_FAILED)
        munmap(counts, 2 * sizeof(*counts)); /* the processes have it */
    p->orders = orders[1];
    p->answers = answers[0];
    p->theirs[0] = orders[0];
    p->theirs[1] = answers[1];
    if (p->pidfd >= 0)
        return GF_OK;
    gf_closer_process_stop(p, true);
    return gf_error_set(err, GF_E_START_FAILED, "cannot start the process that closes descriptors: %s",
                        strerror(error));
}

bool gf_closer_process_send(const struct gf_closer_process *p, int fd, uint64_t token)
{
    struct order order = {.token = token, .fd = fd};
    ssize_t n;
    do
        n = write(p->orders, &order, sizeof(order));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(order);
}

size_t gf_closer_process_receive(const struct gf_closer_process *p, uint64_t *tokens, size_t room)
{
    ssize_t n = read(p->answers, tokens, room * sizeof(*tokens));
    return n < 0 ? 0 : (size_t)n / sizeof(*tokens);
}

void gf_closer_process_stop(struct gf_closer_process *p, bool idle)
{
    if (idle && p->pid > 0) {
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL); /* where it has no group yet */
        waitpid(p->pid, NULL, 0);
        gf_closep(&p->theirs[0]);
        gf_closep(&p->theirs[1]);
    }
    gf_closep(&p->pidfd);
    gf_closep(&p->orders);
    gf_closep(&p->answers);
    *p = GF_CLOSER_PROCESS_NULL;
}
