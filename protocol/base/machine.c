/* SPDX-License-Identifier: MIT */
/* See machine.h. */
#include "machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gf_machine_line(const char *root, const char *path, const char *begin, char *line, size_t size)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", root, path);
    FILE *file = fopen(full, "re");
    bool found = false;
    while (file && !found && fgets(line, (int)size, file)) {
        line[strcspn(line, "\n")] = '\0';
        found = strncmp(line, begin, strlen(begin)) == 0;
    }
    if (file)
        fclose(file);
    return found;
}

uint64_t gf_machine_group_memory(const char *root)
{
    char line[PATH_MAX - 64], path[PATH_MAX], text[32];
    uint64_t lowest = UINT64_MAX;
    if (!gf_machine_line(root, "/proc/self/cgroup", "0::/", line, sizeof line))
        return lowest;
    for (char *group = line + 3; *group; *strrchr(group, '/') = '\0') {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
        if (gf_machine_line(root, path, "", text, sizeof text) && *text >= '0' && *text <= '9') {
            uint64_t limit = strtoull(text, NULL, 10);
            lowest = limit < lowest ? limit : lowest;
        }
    }
    return lowest;
}

uint64_t gf_machine_memory(const char *root)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t group = gf_machine_group_memory(root), all = UINT64_MAX;
    if (pages > 0 && page > 0)
        all = (uint64_t)pages * (uint64_t)page;
    return group < all ? group : all;
}
