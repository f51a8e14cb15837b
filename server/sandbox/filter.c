/* SPDX-License-Identifier: MIT */
/*
 * The seccomp filters, built from calls.def; see sandbox.h. A filter is a sequence of comparisons with the call's
 * number, each with its action; for ARGS calls it also compares arguments. Only the lower 32 bits are compared: the
 * kernel reads no more of these arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol/base/base.h"
#include "sandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* unknown, so nothing is filtered */
#endif

#ifndef UFFD_USER_MODE_ONLY /* missing in headers before Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef SYS_futex_waitv /* missing in headers before Linux 5.16, such as Ubuntu 22.04's */
#define SYS_futex_waitv 449
#endif
#ifndef SYS_cachestat /* missing in headers before Linux 6.5 */
#define SYS_cachestat 451
#endif

#define X32_BIT 0x40000000u /* x86-64's second set of numbers (x32), which nothing here uses */
#define MAX_INSTRUCTIONS 1024u
#define MAX_VALUES 8u
#define REFUSED (SECCOMP_RET_ERRNO | ENOSYS)

#define CLONE_NEW                                                                                                      \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
#define PIDFD_GET_INFO 0xff0bu /* without its size */
#define SET_VMA 0x53564d41u    /* names a mapping, which newer libcs do */

enum verdict { YES, ARGS, NO, KILL };

/* Compares one argument, under a mask, with values: if one is equal, the first action applies, otherwise the second. */
struct rule {
    uint32_t argument, mask, equal, other;
    uint32_t n_values, values[MAX_VALUES];
};

struct call {
    uint32_t number;
    enum verdict of[4]; /* indexed by gf_sandbox_kind */
};

#ifdef SYS_open
#define GF_OLD GF_CALL
#else
#define GF_OLD(...)
#endif
static const struct call g_calls[] = {
#define GF_CALL(name, front, cpu, cuda, start)                                                                         \
    {SYS_##name,                                                                                                       \
     {[GF_SANDBOX_FRONT] = front,                                                                                      \
      [GF_SANDBOX_CPU_WORKER] = cpu,                                                                                   \
      [GF_SANDBOX_CUDA_WORKER] = cuda,                                                                                 \
      [GF_SANDBOX_START] = start}},
#include "calls.def"
#undef GF_CALL
};

struct filter {
    struct sock_filter code[MAX_INSTRUCTIONS];
    uint32_t n;
};

static void put(struct filter *f, uint32_t code, uint32_t k, uint32_t jump_true, uint32_t jump_false)
{
    if (f->n < MAX_INSTRUCTIONS)
        f->code[f->n] = (struct sock_filter){(uint16_t)code, (uint8_t)jump_true, (uint8_t)jump_false, k};
    f->n++;
}

static void put_load(struct filter *f, size_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Returns `action` if the loaded value equals `value`. */
static void put_case(struct filter *f, uint32_t value, uint32_t action)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    put(f, BPF_RET | BPF_K, action, 0, 0);
}

static void put_rule(struct filter *f, uint32_t number, const struct rule *r)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 2 * r->n_values + 3);
    put_load(f, offsetof(struct seccomp_data, args) + r->argument * sizeof(uint64_t));
    put(f, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
    for (uint32_t i = 0; i < r->n_values; i++)
        put_case(f, r->values[i], r->equal);
    put(f, BPF_RET | BPF_K, r->other, 0, 0);
}

/* Whether every call without a row is refused. */
static bool is_listed(enum gf_sandbox_kind kind)
{
    return kind == GF_SANDBOX_FRONT || kind == GF_SANDBOX_CPU_WORKER;
}

/* Processes and threads without new namespaces; for the CPU worker only threads. */
static struct rule clone_rule(enum gf_sandbox_kind kind)
{
    if (kind == GF_SANDBOX_CPU_WORKER)
        return (struct rule){0, CLONE_THREAD | CLONE_NEW, SECCOMP_RET_ALLOW, REFUSED, 1, {CLONE_THREAD}};
    return (struct rule){0, CLONE_NEW, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM, 1, {0}};
}

/* No process uses the network; a driver may listen to the kernel. */
static struct rule socket_rule(enum gf_sandbox_kind kind)
{
    return (struct rule){
        0, ~0u, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EAFNOSUPPORT, is_listed(kind) ? 1 : 2, {AF_UNIX, AF_NETLINK}};
}

static struct rule rule_of(uint32_t number, enum gf_sandbox_kind kind)
{
    const uint32_t allow = SECCOMP_RET_ALLOW;
    switch (number) {
    case SYS_fcntl: /* none that has the kernel send signals, as F_SETOWN and F_SETSIG do */
        return (struct rule){
            1,     ~0u,
            allow, SECCOMP_RET_ERRNO | EPERM,
            8,     {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_ADD_SEALS, F_GET_SEALS}};
    case SYS_ioctl: /* requests of libuv and stdio, and those on pidfds and userfaultfds; without the size, which
                     * differs between kernels */
        return (struct rule){
            1,     0xffff,
            allow, REFUSED,
            7,     {FIONBIO, FIOCLEX, FIONREAD, TCGETS, PIDFD_GET_INFO, UFFDIO_API & 0xffff, UFFDIO_REGISTER & 0xffff}};
    case SYS_clone:
        return clone_rule(kind);
    case SYS_socket:
    case SYS_socketpair:
        return socket_rule(kind);
    case SYS_kill:
    case SYS_tgkill: /* only to itself */
        return (struct rule){0, ~0u, allow, SECCOMP_RET_ERRNO | EPERM, 1, {(uint32_t)getpid()}};
    case SYS_pidfd_send_signal:
        return (struct rule){1, ~0u, allow, SECCOMP_RET_ERRNO | EPERM, 2, {SIGKILL, SIGUSR1}};
    case SYS_userfaultfd: /* only faults in user mode, for holes in arenas */
        return (struct rule){0, UFFD_USER_MODE_ONLY, allow, SECCOMP_RET_KILL_PROCESS, 1, {UFFD_USER_MODE_ONLY}};
    case SYS_prctl:
        return (struct rule){
            0,
            ~0u,
            allow,
            REFUSED,
            7,
            {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, PR_SET_TIMERSLACK, SET_VMA}};
    case SYS_prlimit64: /* only its own */
        return (struct rule){0, ~0u, allow, SECCOMP_RET_ERRNO | EPERM, 1, {0}};
    case SYS_openat:
        return (struct rule){2, WRITING, allow, SECCOMP_RET_ERRNO | EACCES, 1, {0}};
#ifdef SYS_open
    case SYS_open:
        return (struct rule){1, WRITING, allow, SECCOMP_RET_ERRNO | EACCES, 1, {0}};
#endif
    default: /* mmap, mprotect: not executable */
        return (struct rule){2, PROT_EXEC, allow, SECCOMP_RET_ERRNO | EACCES, 1, {0}};
    }
}

static void put_call(struct filter *f, enum gf_sandbox_kind kind, const struct call *call)
{
    switch (call->of[kind]) {
    case YES:
        if (is_listed(kind))
            put_case(f, call->number, SECCOMP_RET_ALLOW);
        return;
    case NO:
        if (!is_listed(kind))
            put_case(f, call->number, REFUSED);
        return;
    case KILL:
        put_case(f, call->number, SECCOMP_RET_KILL_PROCESS);
        return;
    case ARGS:
        break;
    }
    const struct rule rule = rule_of(call->number, kind);
    put_rule(f, call->number, &rule);
}

static void build(struct filter *f, enum gf_sandbox_kind kind)
{
    f->n = 0;
    put_load(f, offsetof(struct seccomp_data, arch));
    put(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    put(f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put_load(f, offsetof(struct seccomp_data, nr));
    put(f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    put(f, BPF_RET | BPF_K, REFUSED, 0, 0);
    for (size_t i = 0; i < GF_ARRAY_LEN(g_calls); i++)
        put_call(f, kind, &g_calls[i]);
    put(f, BPF_RET | BPF_K, is_listed(kind) ? REFUSED : SECCOMP_RET_ALLOW, 0, 0);
}

enum gf_status gf_sandbox_filter(enum gf_sandbox_kind kind, struct gf_error *err)
{
    static struct filter f; /* too large for a stack; filters are made before threads start */
    if (!gf_sandbox_built())
        return GF_OK;
    if (ARCHITECTURE == 0)
        return gf_error_set(err, GF_E_START_FAILED,
                            "system calls are not filtered: no list for this processor architecture");
    build(&f, kind);
    if (f.n > MAX_INSTRUCTIONS)
        return gf_error_set(err, GF_E_START_FAILED, "system calls are not filtered: %u instructions, more than %u", f.n,
                            MAX_INSTRUCTIONS);
    const struct sock_fprog program = {(unsigned short)f.n, f.code};
    /* For all threads, and without the speculation mitigations that kernels before 5.16 would add: they slow memory
     * access down, and this process runs no foreign code. */
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    long rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    rc = rc == 0 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) : rc;
    if (rc == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_START_FAILED, "system calls are not filtered (seccomp): %s",
                        rc > 0 ? "a thread has another filter" : strerror(errno));
}
