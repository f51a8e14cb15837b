/* SPDX-License-Identifier: MIT */
/*
 * Makes the n-th call of a kind, and some calls after it, fail in a daemon, a worker or a command that runs with this
 * library in LD_PRELOAD. The file named by $GF_FAULT_FILE has one struct fault for each program; faults.py writes it
 * before the process starts or while it runs. Never installed.
 *
 * No header that declares the wrapped functions is included: their names differ with the size of off_t.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

enum call {
    CALL_NONE,
#define CALL(name) CALL_##name,
#include "calls.def"
#undef CALL
};

struct fault {
    uint32_t call; /* enum call; none of it fails while this is CALL_NONE */
    int32_t error; /* its errno */
    int32_t left;  /* the call that makes this 0 fails */
    int32_t fired; /* how many failed */
    int32_t times; /* how many fail, one after the other */
};

#define N_PROGRAMS 3
#define EXPORT __attribute__((visibility("default")))
#define PROT_READ_WRITE 3
#define MAP_SHARED_FILE 1
#define O_READ_WRITE 2

extern char *program_invocation_short_name;
extern char *getenv(const char *name);
extern int strcmp(const char *a, const char *b);
extern int open(const char *path, int flags, ...);
extern int close(int fd);
extern void *mmap(void *at, size_t size, int prot, int flags, int fd, long offset);

static struct fault *g_fault;
static _Thread_local int g_spared; /* calls of this thread do not count */

__attribute__((constructor)) static void map_faults(void)
{
    static const char *const programs[N_PROGRAMS] = {"gpufilterd", "gpufilterd-worker", "gpufilter-client"};
    const char *path = getenv("GF_FAULT_FILE");
    int fd = path ? open(path, O_READ_WRITE) : -1;
    if (fd < 0)
        return;
    struct fault *all = mmap(NULL, N_PROGRAMS * sizeof(*all), PROT_READ_WRITE, MAP_SHARED_FILE, fd, 0);
    close(fd);
    for (int i = 0; all != (void *)-1 && i < N_PROGRAMS; i++)
        if (strcmp(program_invocation_short_name, programs[i]) == 0)
            g_fault = &all[i];
}

/* Whether this call is the one; errno is set then. */
static int fails(enum call call)
{
    struct fault *f = g_fault;
    if (!f || g_spared || __atomic_load_n(&f->call, __ATOMIC_ACQUIRE) != call)
        return 0;
    int32_t left = __atomic_sub_fetch(&f->left, 1, __ATOMIC_ACQ_REL);
    if (left > 0 || left <= -f->times)
        return 0;
    __atomic_add_fetch(&f->fired, 1, __ATOMIC_ACQ_REL);
    errno = f->error;
    return 1;
}

/* The next function of this name, which the program would have called without this library. */
#define REAL(name, ...)                                                                                                \
    static __typeof__(&name) real;                                                                                     \
    if (!real)                                                                                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                     \
    return real(__VA_ARGS__)

/* A function that fails with `failed` and errno. */
#define WRAP(type, failed, name, params, ...)                                                                          \
    EXPORT type name params;                                                                                           \
    EXPORT type name params                                                                                            \
    {                                                                                                                  \
        if (fails(CALL_##name))                                                                                        \
            return failed;                                                                                             \
        REAL(name, __VA_ARGS__);                                                                                       \
    }

/* The same with one more argument, which may be absent. */
#define WRAP_OPTIONAL(name, params, last, ...)                                                                         \
    EXPORT int name params;                                                                                            \
    EXPORT int name params                                                                                             \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, last);                                                                                          \
        long more = va_arg(rest, long);                                                                                \
        va_end(rest);                                                                                                  \
        if (fails(CALL_##name))                                                                                        \
            return -1;                                                                                                 \
        REAL(name, __VA_ARGS__, more);                                                                                 \
    }

WRAP(void *, NULL, malloc, (size_t size), size)
WRAP(void *, NULL, calloc, (size_t n, size_t size), n, size)
WRAP(void *, NULL, realloc, (void *old, size_t size), old, size)
WRAP(void *, NULL, aligned_alloc, (size_t align, size_t size), align, size)
WRAP(void *, (void *)-1, mmap64, (void *at, size_t size, int prot, int flags, int fd, long offset), at, size, prot,
     flags, fd, offset)
WRAP(int, -1, memfd_create, (const char *name, unsigned flags), name, flags)
WRAP(int, -1, ftruncate64, (int fd, long size), fd, size)
WRAP(int, -1, fallocate64, (int fd, int mode, long offset, long size), fd, mode, offset, size)
WRAP_OPTIONAL(open64, (const char *path, int flags, ...), flags, path, flags)
WRAP_OPTIONAL(fcntl64, (int fd, int command, ...), command, fd, command)
WRAP(int, -1, fstat64, (int fd, void *st), fd, st)
WRAP(int, -1, fstatfs64, (int fd, void *fs), fd, fs)
WRAP_OPTIONAL(openat64, (int directory, const char *path, int flags, ...), flags, directory, path, flags)
WRAP(int, -1, renameat, (int from, const char *old, int to, const char *name), from, old, to, name)
WRAP(int, -1, fchmod, (int fd, unsigned mode), fd, mode)
WRAP(long, -1, write, (int fd, const void *from, size_t size), fd, from, size)
WRAP(long, -1, pread64, (int fd, void *to, size_t size, long offset), fd, to, size, offset)
WRAP(long, -1, read, (int fd, void *to, size_t size), fd, to, size)
WRAP(int, -1, poll, (void *fds, unsigned long n, int timeout), fds, n, timeout)
WRAP(int, -1, ppoll, (void *fds, unsigned long n, const void *timeout, const void *mask), fds, n, timeout, mask)
WRAP(int, -1, connect, (int fd, const void *address, unsigned size), fd, address, size)
WRAP(long, -1, recv, (int fd, void *to, size_t size, int flags), fd, to, size, flags)
WRAP(int, -1, timerfd_create, (int clock, int flags), clock, flags)
WRAP(int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
WRAP(int, -1, socketpair, (int domain, int type, int protocol, int *pair), domain, type, protocol, pair)
WRAP(int, -1, bind, (int fd, const void *address, unsigned size), fd, address, size)
WRAP(int, -1, listen, (int fd, int backlog), fd, backlog)
WRAP(int, -1, accept4, (int fd, void *address, unsigned *size, int flags), fd, address, size, flags)
WRAP(int, -1, getsockopt, (int fd, int level, int name, void *value, unsigned *size), fd, level, name, value, size)
WRAP(long, -1, recvmsg, (int fd, void *msg, int flags), fd, msg, flags)
WRAP(long, -1, sendmsg, (int fd, const void *msg, int flags), fd, msg, flags)
WRAP(long, -1, send, (int fd, const void *from, size_t size, int flags), fd, from, size, flags)
WRAP(int, -1, epoll_create1, (int flags), flags)
WRAP(int, -1, epoll_ctl, (int epoll, int command, int fd, void *event), epoll, command, fd, event)
WRAP(int, -1, eventfd, (unsigned value, int flags), value, flags)
WRAP(int, -1, pipe2, (int *ends, int flags), ends, flags)
WRAP(int, -1, waitid, (int kind, unsigned id, void *info, int options), kind, id, info, options)
WRAP(int, errno, posix_memalign, (void **ret, size_t align, size_t size), ret, align, size)
WRAP(int, errno, posix_spawn,
     (void *pid, const char *path, const void *actions, const void *attr, char *const *argv, char *const *envp), pid,
     path, actions, attr, argv, envp)
WRAP(int, errno, pthread_create, (void *thread, const void *attr, void *(*run)(void *), void *data), thread, attr, run,
     data)

/* Takes six arguments, whatever the caller passed, as libc's own does: AddressSanitizer would call that an overrun. */
EXPORT long syscall(long number, ...);
__attribute__((no_sanitize("address"))) EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if ((number == SYS_pidfd_open && fails(CALL_pidfd_open)) || (number == SYS_clone && fails(CALL_clone)))
        return -1;
    REAL(syscall, number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A sanitizer calls this function in every new thread and ends the process if libc has no memory for the answer. Our
 * programs do not call it. */
EXPORT int pthread_getattr_np(unsigned long thread, void *attributes);
EXPORT int pthread_getattr_np(unsigned long thread, void *attributes)
{
    static __typeof__(&pthread_getattr_np) real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_getattr_np");
    g_spared++;
    int error = real(thread, attributes);
    g_spared--;
    return error;
}
