/* SPDX-License-Identifier: MIT */
/*
 * The seccomp filters, built from calls.def and rules.def; see sandbox.h. A filter is a sequence of comparisons with
 * the call's number, each with its action; for ARGS calls it also compares arguments. Only the lower 32 bits are
 * compared: the kernel reads no more of these arguments.
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
#ifndef PR_SET_VMA /* names a mapping, which newer libcs do; missing in headers before Linux 5.17 */
#define PR_SET_VMA 0x53564d41
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

/* Words of rules.def. */
#define ANY UINT32_MAX
#define ALL_BITS UINT32_MAX
#define LOW_16_BITS 0xffffu
#define ITSELF ((uint32_t)getpid())
#define NAMESPACES                                                                                                     \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
#define PIDFD_GET_INFO 0xff0bu /* without its size */

enum verdict { YES, ARGS, NO, KILL };

/* Allows a call to a process, a gf_sandbox_kind or ANY, if one argument has, under a mask, one of the values. */
struct rule {
    uint32_t call, process, argument, mask, error; /* error 0: ends the process */
    uint32_t n_values, values[MAX_VALUES];
};

struct call {
    uint32_t number;
    enum verdict of[7]; /* indexed by gf_sandbox_kind */
};

#ifdef SYS_open
#define GF_OLD GF_CALL
#else
#define GF_OLD(...)
#endif
static const struct call g_calls[] = {
#define GF_CALL(name, front, cpu, cuda, start, decoder, compiler, metrics)                                             \
    {SYS_##name,                                                                                                       \
     {[GF_SANDBOX_FRONT] = front,                                                                                      \
      [GF_SANDBOX_CPU_WORKER] = cpu,                                                                                   \
      [GF_SANDBOX_CUDA_WORKER] = cuda,                                                                                 \
      [GF_SANDBOX_START] = start,                                                                                      \
      [GF_SANDBOX_DECODER] = decoder,                                                                                  \
      [GF_SANDBOX_COMPILER] = compiler,                                                                                \
      [GF_SANDBOX_METRICS] = metrics}},
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

static void put_rule(struct filter *f, const struct rule *r)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, 2 * r->n_values + 3);
    put_load(f, offsetof(struct seccomp_data, args) + r->argument * sizeof(uint64_t));
    put(f, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
    for (uint32_t i = 0; i < r->n_values; i++)
        put_case(f, r->values[i] & r->mask, SECCOMP_RET_ALLOW);
    put(f, BPF_RET | BPF_K, r->error != 0 ? SECCOMP_RET_ERRNO | r->error : SECCOMP_RET_KILL_PROCESS, 0, 0);
}

/* Whether every call without a row is refused. */
static bool is_listed(enum gf_sandbox_kind kind)
{
    return kind != GF_SANDBOX_START && kind != GF_SANDBOX_CUDA_WORKER;
}

/* The rule of an ARGS call; without one the call is refused. */
static struct rule rule_of(uint32_t call, enum gf_sandbox_kind kind)
{
    const struct rule rules[] = {
#define GF_RULE(name, process, argument, mask, error, ...)                                                             \
    {SYS_##name, process, argument, mask, error, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), {__VA_ARGS__}},
#ifdef SYS_open
#define GF_OLD_RULE GF_RULE
#else
#define GF_OLD_RULE(...)
#endif
#include "rules.def"
#undef GF_RULE
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(rules); i++)
        if (rules[i].call == call && (rules[i].process == ANY || rules[i].process == kind))
            return rules[i];
    return (struct rule){.call = call, .error = ENOSYS};
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
    put_rule(f, &rule);
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
    /* For all threads. Kernels before 5.16 would add mitigations of speculation, which slow memory access down. Only
     * the decoder and the compiler may come to run foreign code. */
    const bool foreign = kind == GF_SANDBOX_DECODER || kind == GF_SANDBOX_COMPILER;
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | (foreign ? 0 : SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    long rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    rc = rc == 0 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) : rc;
    if (rc == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_START_FAILED, "system calls are not filtered (seccomp): %s",
                        rc > 0 ? "a thread has another filter" : strerror(errno));
}
