/* SPDX-License-Identifier: MIT */
/*
 * The worker with a stand-in device that computes like the CPU, one request at a time, under the name of any device. A
 * request takes at least $GF_DEVICE_MS milliseconds, and the wait needs no processor, so a machine with few cores can
 * simulate several nodes with a GPU each. This file replaces kernels/registry.c and defines its only function. Started
 * by nodes.py and tests/lab; never installed.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/registry.h"
#include "protocol/base/clock.h"

static pthread_mutex_t g_device = PTHREAD_MUTEX_INITIALIZER;
static uint64_t g_ms;
static const char *g_name;

static enum gf_status run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    pthread_mutex_lock(&g_device);
    uint64_t end = gf_now_ns() + g_ms * GF_NS_PER_MS;
    enum gf_status status = gf_cpu_backend.run(exec, job, err);
    for (uint64_t now = gf_now_ns(); now < end; now = gf_now_ns()) {
        uint64_t left = end - now;
        struct timespec rest = {.tv_sec = (time_t)(left / GF_NS_PER_S), .tv_nsec = (long)(left % GF_NS_PER_S)};
        (void)ppoll(NULL, 0, &rest, NULL);
    }
    job->times = (struct gf_times){.kernel = g_ms * GF_NS_PER_MS}; /* what the user pays for: the device's time */
    pthread_mutex_unlock(&g_device);
    return status;
}

static void info(const struct gf_device *device, struct gf_device_info *ret_info)
{
    gf_cpu_backend.info(device, ret_info);
    snprintf(ret_info->name, sizeof(ret_info->name), "%s", g_name);
}

const struct gf_backend *gf_backend_for_device(const char *device)
{
    static struct gf_backend timed;
    const char *ms = getenv("GF_DEVICE_MS");
    g_name = device;
    g_ms = ms != NULL ? strtoul(ms, NULL, 10) : 0;
    timed = gf_cpu_backend;
    timed.info = info;
    timed.run = run;
    return &timed;
}
