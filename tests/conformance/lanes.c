/* SPDX-License-Identifier: MIT */
/* The same cases on several lanes of a device at once: lanes must not see each other. Called by main.c. */
#include <pthread.h>
#include <stdio.h>

#include "runner.h"

#define LANES 3u

struct lane_run {
    pthread_t thread;
    bool started;
    const struct gf_runner_case *cases;
    uint32_t n, first;              /* each lane begins at another case */
    struct gf_runner_device device; /* the device with a lane of its own and its own counts */
};

static void *lane_main(void *data)
{
    struct lane_run *run = data;
    for (uint32_t i = 0; i < run->n; i++)
        gf_runner_compare(&run->cases[(run->first + i) % run->n], &run->device);
    return NULL;
}

static bool start(struct lane_run *run)
{
    struct gf_error err = {0};
    if (run->device.backend->lane_open(run->device.device, &run->device.lane, &err) != GF_OK) {
        printf("FAILED to open another lane of %s: %s\n", run->device.name, err.text);
        return false;
    }
    run->started = pthread_create(&run->thread, NULL, lane_main, run) == 0;
    if (!run->started)
        run->device.backend->lane_close(run->device.lane);
    return run->started;
}

void gf_runner_lanes(const struct gf_runner_case *cases, uint32_t n, struct gf_runner_device *device)
{
    struct lane_run runs[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        runs[i] = (struct lane_run){.cases = cases, .n = n, .first = i * n / LANES, .device = *device};
        runs[i].device.passed = runs[i].device.failed = runs[i].device.skipped = 0;
        if (!start(&runs[i]))
            device->failed++;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        if (!runs[i].started)
            continue;
        pthread_join(runs[i].thread, NULL);
        device->backend->lane_close(runs[i].device.lane);
        device->passed += runs[i].device.passed;
        device->failed += runs[i].device.failed;
        device->skipped += runs[i].device.skipped;
    }
}
