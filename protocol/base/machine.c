/* SPDX-License-Identifier: MIT */
/* Reads limits from /proc and control groups; see machine.h. */
#include "machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of an unlimited version 1 group: INT64_MAX rounded down to pages of at most 64 KiB. */
#define V1_UNLIMITED ((uint64_t)INT64_MAX / 65536 * 65536)
/* GPU workers together may take this fraction of the memory for images in host memory. */
#define HOST_MAPPED_FRACTION 4u

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

struct limit {
    uint64_t bytes;
    char where[PATH_MAX]; /* the file that has it */
};

/* Lowers the limit to those of a group and its ancestors, which are folders of `mount`; shortens the group's path. */
static void take_limits(const char *root, const char *mount, char *group, const char *name, struct limit *lowest)
{
    char path[PATH_MAX], text[32];
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
        if (!gf_machine_line(root, path, "", text, sizeof text) || *text < '0' || *text > '9')
            continue;
        uint64_t bytes = strtoull(text, NULL, 10);
        if (bytes >= lowest->bytes)
            continue;
        lowest->bytes = bytes;
        snprintf(lowest->where, sizeof lowest->where, "%s", path);
    }
}

/* Whether "4:cpu,memory:/a" names the controller of memory; one folder may have several controllers. */
static bool has_memory(const char *line)
{
    const char *at = strchr(line, ':'), *end = at ? strchr(at + 1, ':') : NULL;
    while (end && at < end) {
        size_t length = strcspn(++at, ",:");
        if (length == strlen("memory") && strncmp(at, "memory", length) == 0)
            return true;
        at += length;
    }
    return false;
}

static FILE *open_groups(const char *root, const char *process)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
    return fopen(path, "re");
}

/* Returns the next control group of the process that counts memory, "/a/b": "0::/a/b" in version 2, "4:memory:/a/b" in
 * version 1. NULL: there is none, or no file. */
static char *next_group(FILE *file, char *line, size_t size, bool *ret_unified)
{
    while (file && fgets(line, (int)size, file)) {
        line[strcspn(line, "\n")] = '\0';
        *ret_unified = strncmp(line, "0::/", 4) == 0;
        char *group = strchr(line, '/');
        if (group && (*ret_unified || has_memory(line)))
            return group;
    }
    return NULL;
}

uint64_t gf_machine_group_memory(const char *root, const char *process, char *where, size_t size)
{
    char line[PATH_MAX - 64];
    struct limit lowest = {.bytes = V1_UNLIMITED};
    bool unified;
    FILE *file = open_groups(root, process);
    for (char *group; (group = next_group(file, line, sizeof line, &unified));)
        if (unified)
            take_limits(root, "/sys/fs/cgroup", group, "memory.max", &lowest);
        else
            take_limits(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", &lowest);
    if (file)
        fclose(file);
    if (where)
        snprintf(where, size, "%s", lowest.where);
    return lowest.bytes == V1_UNLIMITED ? UINT64_MAX : lowest.bytes;
}

int gf_machine_oom_open(const char *root)
{
    char line[PATH_MAX - 64], path[PATH_MAX + 64];
    int fd = -1;
    bool unified;
    FILE *file = open_groups(root, "self");
    for (char *group; fd < 0 && (group = next_group(file, line, sizeof line, &unified));) {
        snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s/%s", root, unified ? "" : "/memory", group,
                 unified ? "memory.events" : "memory.oom_control");
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (file)
        fclose(file);
    return fd;
}

uint64_t gf_machine_oom_kills(int fd)
{
    char text[512] = "\n";
    ssize_t n = pread(fd, text + 1, sizeof text - 2, 0);
    text[n > 0 ? n + 1 : 1] = '\0';
    const char *line = strstr(text, "\noom_kill ");
    return line ? strtoull(line + strlen("\noom_kill "), NULL, 10) : 0;
}

uint64_t gf_machine_memory(const char *root)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t group = gf_machine_group_memory(root, "self", NULL, 0), all = UINT64_MAX;
    if (pages > 0 && page > 0)
        all = (uint64_t)pages * (uint64_t)page;
    return group < all ? group : all;
}

uint32_t gf_machine_gpus(const char *root)
{
    char path[PATH_MAX];
    uint32_t n = 0;
    snprintf(path, sizeof path, "%s/dev", root);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *digits = e->d_name + strlen("nvidia");
        if (strncmp(e->d_name, "nvidia", strlen("nvidia")) == 0 && *digits &&
            strspn(digits, "0123456789") == strlen(digits))
            n++;
    }
    if (dir)
        closedir(dir);
    return n;
}

uint64_t gf_machine_host_mapped(const char *root, uint32_t n)
{
    return gf_machine_memory(root) / HOST_MAPPED_FRACTION / (n > 0 ? n : 1);
}
