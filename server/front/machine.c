/* SPDX-License-Identifier: MIT */
/* Memory of the machine and of the control group; see machine.h. */
#include "machine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool gf_machine_line(const char *root, const char *path, char *ret, size_t size)
{
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%s%s", root, path);
    gf_cleanup(gf_closep) int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);
    if (n < 0)
        return false;
    ret[n] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
    return true;
}

uint64_t gf_machine_cgroup_limit(const char *root)
{
    char line[PATH_MAX - 64], path[PATH_MAX], text[32];
    uint64_t least = UINT64_MAX;
    if (!gf_machine_line(root, "/proc/self/cgroup", line, sizeof(line)) || strncmp(line, "0::/", 4) != 0)
        return least;
    for (char *group = line + 3; *group; *strrchr(group, '/') = '\0') {
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
        if (gf_machine_line(root, path, text, sizeof(text)) && *text >= '0' && *text <= '9') {
            uint64_t limit = strtoull(text, NULL, 10);
            least = limit < least ? limit : least;
        }
    }
    return least;
}

uint64_t gf_machine_memory(const char *root)
{
    uint64_t limit = gf_machine_cgroup_limit(root);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : limit;
    return memory < limit ? memory : limit;
}
