/* SPDX-License-Identifier: MIT */
/* Runs the same cases on several exec contexts of a device at once: the contexts must not affect each other. Called by
 * main.c. */
#include <pthread.h>
#include <stdio.h>

#include "runner.h"

#define EXECS 3u

struct exec_run {
    pthread_t thread;
    bool started;
    const struct gf_runner_case *cases;
    uint32_t n, first;              /* each exec context begins at another case */
    struct gf_runner_device device; /* the device with an exec context of its own and its own counts */
};

static void *exec_main(void *data)
{
    struct exec_run *run = data;
    for (uint32_t i = 0; i < run->n; i++)
        gf_runner_compare(&run->cases[(run->first + i) % run->n], &run->device);
    return NULL;
}

static bool start(struct exec_run *run)
{
    struct gf_error err = {0};
    if (run->device.backend->exec_open(run->device.device, &run->device.exec, &err) != GF_OK) {
        printf("FAILED to open another lane of %s: %s\n", run->device.name, err.text);
        return false;
    }
    run->started = pthread_create(&run->thread, NULL, exec_main, run) == 0;
    if (!run->started)
        run->device.backend->exec_close(run->device.exec);
    return run->started;
}

void gf_runner_execs(const struct gf_runner_case *cases, uint32_t n, struct gf_runner_device *device)
{
    struct exec_run runs[EXECS];
    for (uint32_t i = 0; i < EXECS; i++) {
        runs[i] = (struct exec_run){.cases = cases, .n = n, .first = i * n / EXECS, .device = *device};
        runs[i].device.passed = runs[i].device.failed = runs[i].device.skipped = 0;
        if (!start(&runs[i]))
            device->failed++;
    }
    for (uint32_t i = 0; i < EXECS; i++) {
        if (!runs[i].started)
            continue;
        pthread_join(runs[i].thread, NULL);
        device->backend->exec_close(runs[i].device.exec);
        device->passed += runs[i].device.passed;
        device->failed += runs[i].device.failed;
        device->skipped += runs[i].device.skipped;
    }
}
