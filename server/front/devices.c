/* SPDX-License-Identifier: MIT */
/* The list of devices and the worker program's path; see devices.h. */
#include "devices.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/machine.h"
#include "protocol/base/visible.h"
#include "server/front/base/log.h"

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

static enum gf_status add_auto(struct gf_workers *workers, struct gf_error *err)
{
    enum gf_status status = gf_workers_add(workers, "cpu", err);
    uint32_t n = count_gpus();
    for (uint32_t i = 0; i < n && status == GF_OK; i++) {
        char name[32];
        snprintf(name, sizeof(name), "cuda:%u", i);
        status = gf_workers_add(workers, name, err);
    }
    return status;
}

enum gf_status gf_devices_add(struct gf_workers *workers, const char *text, struct gf_error *err)
{
    if (strcmp(text, "auto") == 0)
        return add_auto(workers, err);
    if (strcmp(text, "none") == 0)
        return GF_OK;
    while (*text) {
        char name[GF_MAX_DEVICE_NAME + 1];
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof(name))
            return gf_error_set(err, GF_E_BAD_PARAM, "devices: the name at '%.32s' must have 1..%u characters", text,
                                GF_MAX_DEVICE_NAME);
        memcpy(name, text, length);
        name[length] = '\0';
        enum gf_status status = gf_device_name_check(name, err);
        if (status == GF_OK)
            status = gf_workers_add(workers, name, err);
        if (status != GF_OK)
            return status;
        text += length + (text[length] == ',');
    }
    if (workers->n == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "devices: empty; allowed: auto, none, or a list of cpu, cuda:0, ...");
    return GF_OK;
}

enum gf_status gf_worker_program(const char *option, char *ret_path, size_t size, struct gf_error *err)
{
    static const char *const beside[] = {"gpufilterd-worker", GF_WORKER_FROM_HERE};
    char self[PATH_MAX], path[PATH_MAX + 64];
    snprintf(path, sizeof(path), "%s", *option ? option : GF_WORKER_PATH);
    ssize_t n = *option ? -1 : readlink("/proc/self/exe", self, sizeof(self) - 1);
    int unread = *option || n >= 0 ? 0 : errno;
    for (size_t i = 0; n > 0 && i < GF_ARRAY_LEN(beside); i++) {
        self[n] = '\0';
        char near[sizeof(path)];
        snprintf(near, sizeof(near), "%.*s/%s", (int)(strrchr(self, '/') - self), self, beside[i]);
        if (access(near, X_OK) == 0) {
            memcpy(path, near, sizeof(path));
            break;
        }
    }
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
