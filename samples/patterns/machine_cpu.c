/* SPDX-License-Identifier: MIT */
/* This process as a machine: kernels are emulated, so their times mean nothing. See machine.h. */
#include "machine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emulate.h"

static bool open_cpu(char *ret_why, size_t size)
{
    (void)ret_why, (void)size;
    return true;
}

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

static void copy_cpu(void *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
}

static void set_cpu(void *to, int value, size_t size)
{
    memset(to, value, size);
}

static bool lock_cpu(void *memory, size_t size)
{
    (void)memory, (void)size;
    return true;
}

static void unlock_cpu(void *memory)
{
    (void)memory;
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

static double copy_rate_cpu(void)
{
    return 0;
}

static bool facts_cpu(const struct call *call, struct kernel_facts *ret_facts)
{
    (void)call, (void)ret_facts;
    return false;
}

const struct machine g_machine_cpu = {.open = open_cpu,
                                      .name = name_cpu,
                                      .device = "cpu",
                                      .free_memory = free_memory_cpu,
                                      .take = take_cpu,
                                      .give = free,
                                      .put = copy_cpu,
                                      .get = copy_cpu,
                                      .set = set_cpu,
                                      .lock = lock_cpu,
                                      .unlock = unlock_cpu,
                                      .time = time_cpu,
                                      .order = emulate_order,
                                      .copy_rate = copy_rate_cpu,
                                      .facts = facts_cpu};
