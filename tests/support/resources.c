/* SPDX-License-Identifier: MIT */
/* Descriptor counts and temporary directories. Called by any test. */
#include "resources.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int gf_fd_count_of(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return -1;
    int n = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

int gf_fd_count(void)
{
    int n = gf_fd_count_of(getpid());
    return n < 0 ? n : n - 1; /* without the directory's own */
}

char *gf_temp_dir_new(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/gf-test-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp") < 0)
        return NULL;
    if (mkdtemp(path) == NULL) {
        free(path);
        return NULL;
    }
    return path;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

char *gf_temp_dir_free(char *path)
{
    if (path != NULL)
        nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(path);
    return NULL;
}

void gf_temp_dir_freep(char **path)
{
    *path = gf_temp_dir_free(*path);
}
