/* SPDX-License-Identifier: MIT */
/* Reads limits from /proc and control groups; see machine.h. */
#include "machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of an unlimited version 1 group: INT64_MAX rounded down to pages of at most 64 KiB. */
#define V1_UNLIMITED ((uint64_t)INT64_MAX / 65536 * 65536)

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

/* The lowest limit of a group and its ancestors, which are folders of `mount`; shortens the group's path. */
static uint64_t lowest_limit(const char *root, const char *mount, char *group, const char *name)
{
    char path[PATH_MAX], text[32];
    uint64_t lowest = UINT64_MAX;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
        if (gf_machine_line(root, path, "", text, sizeof text) && *text >= '0' && *text <= '9') {
            uint64_t limit = strtoull(text, NULL, 10);
            lowest = limit < lowest ? limit : lowest;
        }
    }
    return lowest;
}

uint64_t gf_machine_group_memory(const char *root)
{
    char full[PATH_MAX], line[PATH_MAX - 64];
    uint64_t lowest = UINT64_MAX;
    snprintf(full, sizeof full, "%s/proc/self/cgroup", root);
    FILE *file = fopen(full, "re");
    /* "0::/a/b" in version 2, "4:memory:/a/b" in version 1. */
    while (file && fgets(line, sizeof line, file)) {
        uint64_t limit = UINT64_MAX;
        line[strcspn(line, "\n")] = '\0';
        char *kind = strchr(line, ':'), *group = strchr(line, '/');
        if (kind && group && strncmp(kind, "::/", 3) == 0)
            limit = lowest_limit(root, "/sys/fs/cgroup", group, "memory.max");
        else if (kind && group && strncmp(kind, ":memory:/", 9) == 0)
            limit = lowest_limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        lowest = limit < lowest ? limit : lowest;
    }
    if (file)
        fclose(file);
    return lowest >= V1_UNLIMITED ? UINT64_MAX : lowest;
}

uint64_t gf_machine_memory(const char *root)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t group = gf_machine_group_memory(root), all = UINT64_MAX;
    if (pages > 0 && page > 0)
        all = (uint64_t)pages * (uint64_t)page;
    return group < all ? group : all;
}
