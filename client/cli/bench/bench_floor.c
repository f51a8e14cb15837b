/* SPDX-License-Identifier: MIT */
/*
 * Floors that no daemon could beat, measured without one: a wake-up with its answer, and a copy in memory. Called by
 * bench_latency.c and bench_load.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bench.h"
#include "protocol/base/clock.h"

#define ECHOES 2000u
#define COPIES 15u

/* Sends back each byte until the other end is closed. */
static void *echo_main(void *arg)
{
    const int *fd = arg;
    char byte;
    while (recv(*fd, &byte, 1, 0) == 1 && send(*fd, &byte, 1, MSG_NOSIGNAL) == 1)
        ;
    return NULL;
}

static uint64_t median(struct gf_samples *samples)
{
    gf_samples_sort(samples);
    return gf_samples_percentile(samples, 50).wall;
}

uint64_t gf_bench_echo_ns(void)
{
    gf_cleanup(gf_samples_deinit) struct gf_samples samples = {.rows = NULL};
    pthread_t thread;
    int fds[2];
    char byte = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return 0;
    const bool started = pthread_create(&thread, NULL, echo_main, &fds[1]) == 0;
    bool good = started;
    for (uint32_t i = 0; i < ECHOES && good && !gf_bench_stopped(); i++) {
        uint64_t start = gf_now_ns();
        good = send(fds[0], &byte, 1, MSG_NOSIGNAL) == 1 && recv(fds[0], &byte, 1, 0) == 1;
        struct gf_sample sample = {.wall = gf_now_ns() - start};
        good = good && gf_samples_add(&samples, &sample);
    }
    shutdown(fds[0], SHUT_RDWR);
    if (started)
        pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    return median(&samples);
}

uint64_t gf_bench_copy_ns(uint64_t bytes)
{
    gf_cleanup(gf_samples_deinit) struct gf_samples samples = {.rows = NULL};
    gf_cleanup(gf_freep) char *from = malloc(bytes);
    gf_cleanup(gf_freep) char *to = malloc(bytes);
    if (!from || !to)
        return 0;
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (uint32_t i = 0; i < COPIES; i++) {
        uint64_t start = gf_now_ns();
        memcpy(to, from, bytes);
        struct gf_sample sample = {.wall = gf_now_ns() - start};
        __asm__ volatile("" : : "r"(to) : "memory"); /* keeps the compiler from removing the copy */
        if (!gf_samples_add(&samples, &sample))
            return 0;
    }
    return median(&samples);
}
