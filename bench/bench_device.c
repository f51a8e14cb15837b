/* SPDX-License-Identifier: MIT */
/* See bench_device.h. */
#include "bench_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"

void bench_end(const char *why, const struct gf_error *err)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, why, err->text);
    exit(EXIT_FAILURE);
}

void bench_device_open(struct bench_device *d, const struct gf_device_options *options)
{
    struct gf_error err = {0};
    d->backend = gf_backend_for_device(options->device);
    if (d->backend == NULL)
        (void)gf_error_set(&err, GF_E_NO_DEVICE, "this build does not support it");
    if (d->backend == NULL || d->backend->open(options, &d->device, &err) != GF_OK ||
        d->backend->exec_open(d->device, &d->exec, &err) != GF_OK)
        bench_end(options->device, &err);
}

void *bench_memory(const struct bench_device *d, size_t size)
{
    struct gf_error err = {0};
    void *data = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (data == NULL)
        (void)gf_error_set(&err, GF_E_NO_MEMORY, "%zu bytes", size);
    if (data == NULL || d->backend->pin(d->device, data, size, &err) != GF_OK)
        bench_end("memory", &err);
    memset(data, 0, size);
    return data;
}
