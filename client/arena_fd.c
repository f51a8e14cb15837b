/* SPDX-License-Identifier: MIT */
/* Makes memfds. Called by memory.c and connect.c. */
#include "arena_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "protocol/base.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* Linux 6.3 */
#endif

/* Never executable where the kernel knows how to say so. */
static int memfd_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

int gf_arena_fd_open(uint64_t size)
{
    gf_cleanup(gf_closep) int fd = memfd_open("gpufilter-arena");
    if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
        return -1;
    while (fallocate(fd, 0, 0, (off_t)size) < 0)
        if (errno != EINTR)
            return -1;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -1;
    return gf_steal_fd(&fd);
}

int gf_probe_fd_open(void)
{
    return memfd_open("gpufilter-probe");
}
