/* SPDX-License-Identifier: MIT */
/* Finds or makes the kernel cache; see kernel_cache.h. */
#include "kernel_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An absolute path from the environment, otherwise NULL. */
static const char *path_of(const char *variable)
{
    const char *path = getenv(variable);
    return path != NULL && path[0] == '/' ? path : NULL;
}

/* Makes a folder that only the user can access; its parent must exist. */
static bool make(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool gf_kernel_cache_folder(char *ret_path, size_t size)
{
    const char *chosen = getenv("GPUFILTER_KERNEL_CACHE"), *of_unit = path_of("CACHE_DIRECTORY");
    const char *of_user = path_of("XDG_CACHE_HOME"), *home = path_of("HOME");
    int n;
    if (chosen != NULL && chosen[0] != '\0')
        n = snprintf(ret_path, size, "%s", chosen[0] == '/' ? chosen : "");
    else if (of_unit != NULL) /* the first folder of the unit */
        n = snprintf(ret_path, size, "%.*s", (int)strcspn(of_unit, ":"), of_unit);
    else if (of_user != NULL)
        n = snprintf(ret_path, size, "%s/gpufilter", of_user);
    else
        n = snprintf(ret_path, size, "%s/.cache/gpufilter", home != NULL ? home : "");
    if (n <= 0 || (size_t)n >= size || (home == NULL && chosen == NULL && of_unit == NULL && of_user == NULL))
        return false;
    char *name = strrchr(ret_path, '/');
    *name = '\0'; /* ~/.cache may be missing too */
    bool made = ret_path[0] == '\0' || make(ret_path);
    *name = '/';
    return made && make(ret_path);
}
