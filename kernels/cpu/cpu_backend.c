/* SPDX-License-Identifier: MIT */
/* The CPU as a device: its threads, its description and its exec contexts. The worker calls it through the vtable. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu_device.h"
#include "kernels/registry.h"
#include "kernels/shared/filter.h"
#include "protocol/base/machine.h"

#define MAX_THREADS 1024u

/* Processors this process may use. */
static uint32_t online_threads(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > (long)MAX_THREADS ? MAX_THREADS : (uint32_t)n;
}

static void cpu_close(struct gf_device *device)
{
    if (!device)
        return;
    gf_cpu_pool_free(device->pool);
    gf_cpu_pages_deinit(&device->pages);
    free(device);
}

static enum gf_status cpu_open(const struct gf_device_options *options, struct gf_device **ret_device,
                               struct gf_error *err)
{
    uint32_t threads = options->threads == 0 ? online_threads() : options->threads;
    if (threads > MAX_THREADS)
        return gf_error_set(err, GF_E_BAD_PARAM, "threads=%u; at most %u are allowed", threads, MAX_THREADS);
    const struct gf_simd *simd = options->instructions ? gf_simd_by_name(options->instructions) : gf_simd_best();
    if (!simd)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "instructions=%s: this processor lacks them, or there is no such name; its fastest are %s",
                            options->instructions, gf_simd_best()->name);
    struct gf_device *device = calloc(1, sizeof(*device));
    if (!device)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the CPU device");
    gf_cpu_pages_init(&device->pages);
    device->simd = simd;
    enum gf_status status = gf_cpu_pool_new(threads, &device->pool, err);
    if (status != GF_OK) {
        cpu_close(device);
        return status;
    }
    (void)gf_light_tables(255);
    *ret_device = device;
    return GF_OK;
}

/* The processor's name from /proc/cpuinfo, or "CPU" where the file names none. */
static void model_name(char *title, size_t size)
{
    char line[256];
    snprintf(title, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    while (fgets(line, sizeof(line), file)) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!colon)
            continue;
        char *name = colon + 1 + strspn(colon + 1, " \t");
        name[strcspn(name, "\n")] = '\0';
        snprintf(title, size, "%.*s", (int)size - 1, name);
        break;
    }
    fclose(file);
}

static void cpu_info(const struct gf_device *device, struct gf_device_info *ret_info)
{
    *ret_info = (struct gf_device_info){.units = gf_cpu_pool_threads(device->pool)};
    snprintf(ret_info->name, sizeof(ret_info->name), "cpu");
    model_name(ret_info->title, sizeof(ret_info->title));
    snprintf(ret_info->detail, sizeof(ret_info->detail), "%s", device->simd->name);
    ret_info->memory = gf_machine_memory("");
}

static bool cpu_supports(const struct gf_device *device, const struct gf_op *op, uint32_t dtype)
{
    (void)device;
    const struct gf_cpu_op_row *row = &gf_cpu_ops[op->index];
    return row->run && dtype < 32 && (row->dtypes[0] & GF_DT(dtype));
}

/* Nothing to do: the CPU reads host memory directly. */
static enum gf_status cpu_pin(struct gf_device *device, void *data, size_t size, struct gf_error *err)
{
    (void)device;
    (void)data;
    (void)size;
    (void)err;
    return GF_OK;
}

static void cpu_unpin(struct gf_device *device, void *data)
{
    (void)device;
    (void)data;
}

static enum gf_status cpu_buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                     struct gf_error *err)
{
    uint64_t size = gf_view_bytes(view);
    void *data = gf_cpu_pages_alloc(&device->pages, size, true); /* cleared: it may hold another user's bytes */
    if (!data)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a resident buffer of %llu bytes",
                            (unsigned long long)size);
    *ret_buf = (struct gf_buf){.data = data, .view = *view};
    return GF_OK;
}

static void cpu_buffer_free(struct gf_device *device, struct gf_buf *buf)
{
    gf_cpu_pages_free(&device->pages, buf->data, gf_view_bytes(&buf->view));
    *buf = (struct gf_buf){.data = NULL};
}

static enum gf_status cpu_exec_open(struct gf_device *device, struct gf_exec **ret_exec, struct gf_error *err)
{
    struct gf_exec *exec = calloc(1, sizeof(*exec));
    if (!exec)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for an exec context");
    exec->device = device;
    *ret_exec = exec;
    return GF_OK;
}

static void cpu_exec_close(struct gf_exec *exec)
{
    if (!exec)
        return;
    free(exec->scratch.data);
    free(exec);
}

const struct gf_backend gf_cpu_backend = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .info = cpu_info,
    .supports = cpu_supports,
    .pin = cpu_pin,
    .unpin = cpu_unpin,
    .buffer_new = cpu_buffer_new,
    .buffer_free = cpu_buffer_free,
    .exec_open = cpu_exec_open,
    .exec_close = cpu_exec_close,
    .run = gf_cpu_run,
};
