/* SPDX-License-Identifier: MIT */
/* This process as a machine: kernels are emulated, so their times mean nothing. See machine.h. */
#include "machine.h"

#include <stdlib.h>
#include <time.h>

#include "emulate.h"

static const char *name_cpu(void)
{
    return "kernels emulated on the CPU";
}

static size_t free_memory_cpu(void)
{
    return (size_t)1 << 30;
}

static void *take_cpu(size_t size)
{
    return malloc(size > 0 ? size : 1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_cpu(void (*rung)(struct call *), struct call *call)
{
    double begin = seconds();
    rung(call);
    return seconds() - begin;
}

const struct machine g_machine_cpu = {.name = name_cpu,
                                      .device = "cpu",
                                      .free_memory = free_memory_cpu,
                                      .take = take_cpu,
                                      .give = free,
                                      .put = copy_from_host,
                                      .get = copy_to_host,
                                      .set = set_bytes,
                                      .time = time_cpu,
                                      .order = emulate_order};
