/* SPDX-License-Identifier: MIT */
/* Makes memfds and maps them, with huge pages; see shared_memory.h. */
#include "shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* Linux 6.3 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

int gf_fd_raise(int fd, int least)
{
    if (fd < 0 || fd >= least)
        return fd;
    int raised = fcntl(fd, F_DUPFD_CLOEXEC, least), why = errno;
    close(fd);
    errno = why;
    return raised;
}

int gf_memfd_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return gf_fd_raise(fd, GF_FIRST_FD);
}

/* Gives an empty memfd its size. Beyond the limit of file sizes the kernel would end the process by SIGXFSZ. */
static bool set_size(int fd, uint64_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    return ftruncate(fd, (off_t)size) == 0;
}

static bool allocate(int fd, uint64_t at, uint64_t size)
{
    int failed;
    do
        failed = fallocate(fd, 0, (off_t)at, (off_t)size);
    while (failed && errno == EINTR);
    return !failed;
}

/* Maps at the boundary of a huge page; elsewhere the kernel would have to use small pages. */
static void *map_at_border(int fd, uint64_t bytes, int flags)
{
    if (bytes > SIZE_MAX - GF_HUGE_PAGE) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    const size_t size = (size_t)bytes, capacity = size + GF_HUGE_PAGE;
    char *all = mmap(NULL, capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return MAP_FAILED;
    const size_t before = (GF_HUGE_PAGE - (uintptr_t)all % GF_HUGE_PAGE) % GF_HUGE_PAGE;
    void *data = mmap(all + before, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | flags, fd, 0);
    if (data == MAP_FAILED) {
        int why = errno;
        munmap(all, capacity);
        errno = why;
        return MAP_FAILED;
    }
    if (before > 0)
        munmap(all, before);
    munmap(all + before + size, GF_HUGE_PAGE - before);
    return data;
}

/* Gives an empty file huge pages as far as whole ones fit. MADV_COLLAPSE makes one from any range with at least one
 * small page, whatever the kernel's setting for shared memory is. False if huge pages are not available everywhere. */
static bool make_huge(int fd, uint64_t size)
{
    bool made = true;
    size -= size % GF_HUGE_PAGE;
    volatile char *data = size > 0 ? map_at_border(fd, size, 0) : MAP_FAILED;
    if (data == MAP_FAILED)
        return false;
    for (uint64_t at = 0; at < size && made; at += GF_HUGE_PAGE) {
        made = allocate(fd, at, 1);
        if (made)
            data[at] = 0;
    }
    made = made && madvise((void *)(uintptr_t)data, (size_t)size, MADV_COLLAPSE) == 0;
    munmap((void *)(uintptr_t)data, (size_t)size);
    return made;
}

int gf_shared_memory_open(const char *name, uint64_t size)
{
    gf_cleanup(gf_closep) int fd = gf_memfd_open(name);
    if (fd < 0 || !set_size(fd, size))
        return -1;
    (void)make_huge(fd, size);
    if (!allocate(fd, 0, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -1;
    return gf_steal_fd(&fd);
}

void *gf_shared_memory_map(int fd, uint64_t size, bool all_at_once)
{
    int flags = all_at_once ? MAP_POPULATE : 0;
    void *data = size < GF_HUGE_PAGE ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0)
                                     : map_at_border(fd, size, flags);
    return data == MAP_FAILED ? NULL : data;
}

bool gf_shared_memory_is_huge(void)
{
    /* Of no pages; with pages it first waits for a kernel thread on every processor, up to 150 ms if they are busy. */
    return madvise(NULL, 0, MADV_COLLAPSE) == 0;
}
