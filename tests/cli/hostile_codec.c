/* SPDX-License-Identifier: MIT */
/*
 * Stands in for a codec that a file has taken over: in LD_PRELOAD it gets each PNG before libspng does, and does what
 * the last byte of the file says. What a decoder has no right to do must fail; otherwise the process ends at once,
 * without an answer. Never installed.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GIB ((size_t)1 << 30)

static void must_fail(long result)
{
    if (result >= 0)
        _exit(3);
}

static void try_everything(void)
{
    const struct rlimit more = {2000, 2000};
    must_fail(open("/etc/passwd", O_RDONLY));
    must_fail(open(".", O_RDONLY | O_DIRECTORY));
    must_fail(open("stolen", O_WRONLY | O_CREAT, 0600));
    must_fail(access("/etc/passwd", F_OK));
    must_fail(unlink("a.png"));
    must_fail(kill(getppid(), 0));
    must_fail(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    must_fail(syscall(SYS_memfd_create, "code", 0));
    must_fail(prctl(PR_SET_PDEATHSIG, 0));
    must_fail(setrlimit(RLIMIT_CPU, &more));
    must_fail(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
    must_fail(mmap(NULL, 9 * GIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED ? -1
                                                                                                               : 0);
    must_fail(getenv("HOME") ? 0 : -1);
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
        must_fail(close(fd));
}

static void act(uint8_t what)
{
    const struct sockaddr nobody = {.sa_family = AF_UNIX};
    uint8_t nonsense[64];
    switch (what) {
    case 's':
        (void)socket(AF_INET, SOCK_STREAM, 0);
        break;
    case 'c':
        (void)connect(STDIN_FILENO, &nobody, sizeof(nobody));
        break;
    case 'x':
        (void)execl("/bin/true", "true", (char *)NULL);
        break;
    case 'd':
        (void)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
        break;
    case 'f':
        (void)raise(SIGSEGV);
        break;
    case 'e':
        _exit(0);
    case 'n':
        memset(nonsense, 0xff, sizeof(nonsense));
        (void)!write(STDIN_FILENO, nonsense, sizeof(nonsense));
        break;
    case 't':
        for (volatile uint64_t n = 0;; n++)
            continue;
    case 'r':
        try_everything();
        break;
    default:
        break;
    }
}

__attribute__((visibility("default"))) int spng_set_png_buffer(void *ctx, const void *buffer, size_t size);

int spng_set_png_buffer(void *ctx, const void *buffer, size_t size)
{
    int (*real)(void *, const void *, size_t);
    void *found = dlsym(RTLD_NEXT, "spng_set_png_buffer");
    memcpy(&real, &found, sizeof(real));
    act(size > 0 ? ((const uint8_t *)buffer)[size - 1] : 0);
    return real(ctx, buffer, size);
}
