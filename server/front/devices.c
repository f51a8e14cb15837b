/* SPDX-License-Identifier: MIT */
/* The list of devices and the worker program's path; see devices.h. */
#include "devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/machine.h"
#include "protocol/base/visible.h"
#include "protocol/service/notify.h"
#include "server/front/base/log.h"

#define AUTO "auto"
#define NONE "none"
/* What systemctl enable gpufilterd-worker@cuda0 makes. */
#define UNITS_WANTED "/etc/systemd/system/gpufilterd.service.wants"
#define UNIT_BEGIN "gpufilterd-worker@"
#define UNIT_END ".service"

/* The number of GPUs: those named by CUDA_VISIBLE_DEVICES if it is set (cuda:N is then the N-th of them), otherwise one
 * per /dev/nvidiaN. The worker finds out whether a GPU is usable. */
static uint32_t count_gpus(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    uint32_t n = gf_machine_gpus("");
    if (visible && n > 0) {
        gf_log(GF_LOG_INFO, "devices auto: GPUs named by CUDA_VISIBLE_DEVICES=%s: %u of %u", visible,
               gf_visible_count(visible), n);
        n = gf_visible_count(visible);
    }
    return n < GF_MAX_DEVICES - 1 ? n : GF_MAX_DEVICES - 1;
}

/* Adds a device that somebody means to be served. */
static enum gf_status add_listed(struct gf_workers *workers, const char *name, bool units, struct gf_error *err)
{
    enum gf_status status = gf_workers_add(workers, name, err);
    if (status != GF_OK)
        return status;
    struct gf_worker *w = workers->list[workers->n - 1];
    w->listed = true;
    w->elsewhere = units && !gf_worker_is_cpu(w);
    return GF_OK;
}

static int is_worker_unit(const struct dirent *entry)
{
    size_t begin = strlen(UNIT_BEGIN), end = strlen(UNIT_END), n = strlen(entry->d_name);
    return n > begin + end && n - begin - end <= GF_MAX_DEVICE_NAME && strncmp(entry->d_name, UNIT_BEGIN, begin) == 0 &&
           strcmp(entry->d_name + n - end, UNIT_END) == 0;
}

/* Adds the device of an enabled unit, or marks it if it is there. One for which there is no room is left out, with a
 * warning. */
static void add_unit(struct gf_workers *workers, const char *unit)
{
    char instance[GF_MAX_DEVICE_NAME + 1], buffer[GF_MAX_DEVICE_NAME + 8];
    struct gf_error error = {0};
    const char *begin = unit + strlen(UNIT_BEGIN);
    snprintf(instance, sizeof(instance), "%.*s", (int)(strlen(begin) - strlen(UNIT_END)), begin);
    const char *name = gf_instance_device(instance, buffer, sizeof(buffer));
    struct gf_worker *w = gf_workers_find(workers, name);
    if (w)
        w->listed = true;
    else if (gf_device_name_check(name, &error) != GF_OK || add_listed(workers, name, true, &error) != GF_OK)
        gf_log(GF_LOG_WARNING, "unit %s left out: %s", unit, error.text);
}

/* A link leads nowhere when the package of the worker was removed, and systemd ignores it, too. */
static void add_enabled(struct gf_workers *workers, const char *root)
{
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    struct dirent **entries;
    snprintf(folder, sizeof(folder), "%s" UNITS_WANTED, root);
    int n = scandir(folder, &entries, is_worker_unit, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (access(path, F_OK) == 0)
            add_unit(workers, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* The CPU and every GPU node. Their GPUs may be of no use to this build, so none is listed. */
static enum gf_status add_nodes(struct gf_workers *workers, struct gf_error *err)
{
    enum gf_status status = gf_workers_add(workers, GF_CPU, err);
    uint32_t n = count_gpus();
    for (uint32_t i = 0; i < n && status == GF_OK; i++) {
        char name[32];
        snprintf(name, sizeof(name), "cuda:%u", i);
        status = gf_workers_add(workers, name, err);
    }
    return status;
}

enum gf_status gf_devices_add(struct gf_workers *workers, const struct gf_devices *devices, struct gf_error *err)
{
    const char *text = devices->text;
    enum gf_status status = GF_OK;
    if (strcmp(text, NONE) == 0)
        return GF_OK;
    if (strcmp(text, AUTO) == 0 && !devices->units)
        return add_nodes(workers, err);
    if (strcmp(text, AUTO) == 0) {
        status = add_listed(workers, GF_CPU, true, err);
        if (status == GF_OK)
            add_enabled(workers, devices->root);
        return status;
    }
    while (*text && status == GF_OK) {
        char name[GF_MAX_DEVICE_NAME + 1];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof(name), "%.*s", (int)length, text);
        status = add_listed(workers, name, devices->units, err);
        text += length + (text[length] == ',');
    }
    return status;
}

void gf_devices_look_again(struct gf_workers *workers, const struct gf_devices *devices)
{
    uint32_t n = workers->n;
    if (strcmp(devices->text, AUTO) != 0 || !devices->units || workers->stopping)
        return;
    for (uint32_t i = 0; i < n; i++)
        workers->list[i]->listed = gf_worker_is_cpu(workers->list[i]);
    add_enabled(workers, devices->root);
    for (uint32_t i = n; i < workers->n; i++)
        gf_worker_start(workers->list[i]);
}

/* The path of an installed program: beside this one, as it is installed, or where this build installs. errno of reading
 * this program's own path; 0. */
static int find_program(const char *name, char *ret_path, size_t size)
{
    static const char *const folders[] = {"", GF_PROGRAMS_FROM_HERE};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int unread = n >= 0 ? 0 : errno;
    snprintf(ret_path, size, GF_PROGRAMS_PATH "%s", name);
    for (size_t i = 0; n > 0 && i < GF_ARRAY_LEN(folders); i++) {
        self[n] = '\0';
        char near[PATH_MAX + 64];
        snprintf(near, sizeof(near), "%.*s/%s%s", (int)(strrchr(self, '/') - self), self, folders[i], name);
        if (strlen(near) < size && access(near, X_OK) == 0) {
            memcpy(ret_path, near, strlen(near) + 1);
            break;
        }
    }
    return unread;
}

enum gf_status gf_worker_program(const char *option, char *ret_path, size_t size, struct gf_error *err)
{
    char path[PATH_MAX + 64];
    int unread = 0;
    if (*option)
        snprintf(path, sizeof(path), "%s", option);
    else
        unread = find_program("gpufilterd-worker", path, sizeof(path));
    if (access(path, X_OK) < 0 && unread)
        return gf_error_set(err, GF_E_START_FAILED,
                            "cannot look for the worker beside this program: /proc/self/exe: %s; mount /proc, or "
                            "name the worker by --worker",
                            strerror(unread));
    if (access(path, X_OK) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "no worker program at %s: %s", path, strerror(errno));
    int length = snprintf(ret_path, size, "%s", path);
    if (length < 0 || (size_t)length >= size)
        return gf_error_set(err, GF_E_START_FAILED, "the worker's path is too long");
    return GF_OK;
}

enum gf_status gf_metrics_program(char *ret_path, size_t size, struct gf_error *err)
{
    find_program("gpufilterd-metrics", ret_path, size);
    if (access(ret_path, X_OK) < 0)
        return gf_error_set(err, GF_E_START_FAILED,
                            "metrics cannot be served: no program at %s: %s; builds without libmicrohttpd have none",
                            ret_path, strerror(errno));
    return GF_OK;
}
