/* SPDX-License-Identifier: MIT */
/* Loads the libraries of single formats; see library.h. */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Shared by all libraries: loading is rare and short. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Loads a library, which stays loaded until the process ends. */
static bool load(struct gf_library *library, const char **ret_missing)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    *ret_missing = NULL;
    if (!handle)
        return false;
    for (size_t i = 0; i < library->n; i++) {
        void *call = dlsym(handle, library->names[i]);
        if (!call) {
            *ret_missing = library->names[i];
            return false;
        }
        memcpy((char *)library->calls + i * sizeof(call), &call, sizeof(call));
    }
    return true;
}

static const char *advice(const struct gf_library_use *use)
{
    return use->instead ? use->instead : "use PNG";
}

enum gf_io_status gf_library_load(struct gf_library *library, const char *path, const struct gf_library_use *use,
                                  struct gf_io_error *err)
{
    const char *missing = NULL;
    pthread_mutex_lock(&lock);
    bool loaded = library->loaded = library->loaded || load(library, &missing);
    pthread_mutex_unlock(&lock);
    if (loaded)
        return GF_IO_OK;
    if (missing)
        return gf_io_fail(err, GF_IO_UNSUPPORTED,
                          "%s: needs %s for %s, but the installed one (%s) lacks %s; install a newer one", path,
                          library->name, use->formats, library->file, missing);
    return gf_io_fail(err, GF_IO_UNSUPPORTED, "%s: needs %s for %s, but %s is not installed; install it, or %s", path,
                      library->name, use->formats, library->file, advice(use));
}

enum gf_io_status gf_library_absent(const struct gf_library_use *use, const char *path, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_UNSUPPORTED, "%s: needs %s for %s, which this build does not include; %s", path,
                      use->name, use->formats, advice(use));
}
