/* SPDX-License-Identifier: MIT */
/* Watched mappings and the SIGBUS handler; see holes.h. */
#include "holes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol/base/base.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

#define MAX_WATCHES 16384u
#define FILL_FRACTION 256u

/* Read by the signal handler without a lock: `begin` is 0 while the other fields change, and no field changes while a
 * job uses the mapping. */
struct watch {
    uintptr_t begin;
    uint64_t size;
    int state; /* of the memory: WHOLE is the arena itself */
};

enum { WHOLE, REPLACING, REPLACED };

static struct watch g_watches[MAX_WATCHES];
static uint32_t g_next; /* where the search for a free entry begins */
static int g_uffd = -1;
static struct sigaction g_before;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t whole_pages(uint64_t size)
{
    return gf_round_up(size, (uint64_t)sysconf(_SC_PAGESIZE));
}

static struct watch *find(uintptr_t address)
{
    for (uint32_t i = 0; i < MAX_WATCHES; i++) {
        struct watch *w = &g_watches[i];
        uintptr_t begin = __atomic_load_n(&w->begin, __ATOMIC_ACQUIRE);
        if (begin != 0 && address >= begin && address - begin < __atomic_load_n(&w->size, __ATOMIC_ACQUIRE) &&
            __atomic_load_n(&w->begin, __ATOMIC_ACQUIRE) == begin)
            return w;
    }
    return NULL;
}

/* Maps a piece of new memory repeatedly over the whole mapping, by system calls only, because a signal handler calls
 * it. If the process has too many mappings, the rest becomes one private mapping. */
static bool replace(const struct watch *w)
{
    char *data = (char *)w->begin;
    uint64_t size = w->size, fill = whole_pages(size / FILL_FRACTION);
    fill = fill < GF_HOLE_FILL_BYTES ? GF_HOLE_FILL_BYTES : fill;
    fill = fill < size ? fill : size;
    bool made = mmap(data, fill, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    uint64_t at = made ? fill : 0;
    while (made && at < size) {
        uint64_t n = size - at < fill ? size - at : fill;
        made = mremap(data, 0, n, MREMAP_MAYMOVE | MREMAP_FIXED, data + at) != MAP_FAILED;
        at += made ? n : 0;
    }
    return at == size || mmap(data + at, size - at, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    int before = errno;
    struct watch *w = info->si_code == BUS_ADRERR ? find((uintptr_t)info->si_addr) : NULL;
    int whole = WHOLE;
    if (!w)
        sigaction(SIGBUS, &g_before, NULL); /* not watched: the fault repeats and goes to the previous handler */
    else if (__atomic_compare_exchange_n(&w->state, &whole, REPLACING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (!replace(w))
            sigaction(SIGBUS, &g_before, NULL); /* no memory: the worker ends */
        __atomic_store_n(&w->state, REPLACED, __ATOMIC_RELEASE);
    } /* otherwise another thread replaces it, and this thread faults again until that is done */
    errno = before;
}

/* Only for faults in user mode, which an unprivileged process may ask for. */
static int open_uffd(void)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_MISSING_SHMEM};
    if (fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0)
        return fd;
    gf_closep(&fd);
    return -1;
}

bool gf_holes_init(void)
{
    struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    pthread_mutex_lock(&g_lock);
    if (g_uffd < 0) {
        gf_cleanup(gf_closep) int fd = open_uffd();
        if (fd >= 0 && sigaction(SIGBUS, &action, &g_before) == 0)
            g_uffd = gf_steal_fd(&fd);
    }
    bool ready = g_uffd >= 0;
    pthread_mutex_unlock(&g_lock);
    return ready;
}

bool gf_holes_watch(void *data, uint64_t size, uint32_t *ret_watch)
{
    uint64_t pages = whole_pages(size);
    struct uffdio_register what = {.range = {.start = (uintptr_t)data, .len = pages},
                                   .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (ioctl(g_uffd, UFFDIO_REGISTER, &what) < 0)
        return false;
    pthread_mutex_lock(&g_lock);
    uint32_t n = 0;
    while (n < MAX_WATCHES && g_watches[(g_next + n) % MAX_WATCHES].begin != 0)
        n++;
    uint32_t i = (g_next + n) % MAX_WATCHES;
    if (n < MAX_WATCHES) {
        struct watch *w = &g_watches[i];
        __atomic_store_n(&w->size, pages, __ATOMIC_RELAXED);
        __atomic_store_n(&w->state, WHOLE, __ATOMIC_RELAXED);
        __atomic_store_n(&w->begin, (uintptr_t)data, __ATOMIC_RELEASE);
        g_next = i + 1;
        *ret_watch = i;
    }
    pthread_mutex_unlock(&g_lock);
    return n < MAX_WATCHES;
}

void gf_holes_unwatch(uint32_t watch)
{
    if (watch != GF_NO_WATCH)
        __atomic_store_n(&g_watches[watch].begin, 0, __ATOMIC_RELEASE);
}

bool gf_holes_found(uint32_t watch)
{
    return watch != GF_NO_WATCH && __atomic_load_n(&g_watches[watch].state, __ATOMIC_ACQUIRE) != WHOLE;
}
