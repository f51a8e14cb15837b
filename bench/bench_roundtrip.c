/* SPDX-License-Identifier: MIT */
/*
 * Latency of whole requests through a running daemon, as a program that uses the library sees it: ping, a small
 * picture, a 1080p RGB 3x3 in shared memory and inline. Prints median and 99th percentile and what the daemon says of
 * its stages; with the daemon's process id also the processor time that it takes per request. usage: bench_roundtrip
 * [--device NAME] [--runs N] [--pid PID] (socket as for every client: $GPUFILTER_SOCKET)
 */
#include <gpufilter/client.h>
#include <gpufilter/ops.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/clock.h"

#define MAX_RUNS 100000u

struct sample {
    uint64_t wall, queue, copy_in, kernel, copy_out, total;
};

static int by_wall(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return x->wall < y->wall ? -1 : x->wall > y->wall;
}

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

static unsigned long g_pid;

/* Processor time of the daemon so far, its workers not counted; 0 where it is not known. */
static uint64_t daemon_ns(void)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%lu/schedstat", g_pid);
    FILE *file = g_pid != 0 ? fopen(path, "r") : NULL;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu", &ns) != 1)
        ns = 0;
    fclose(file);
    return ns;
}

/* `spent`: of the daemon's processor time by all n. */
static void print_row(const char *what, struct sample *s, size_t n, uint64_t spent)
{
    qsort(s, n, sizeof *s, by_wall);
    const struct sample *m = &s[n / 2];
    printf("%-34s %9.1f %9.1f %8.1f   %8.1f %8.1f %8.1f %8.1f %8.1f\n", what, us(m->wall), us(s[n - 1 - n / 100].wall),
           us(spent) / (double)n, us(m->queue), us(m->copy_in), us(m->kernel), us(m->copy_out), us(m->total));
}

static bool bench_ping(gpufilter_client *client, struct sample *s, size_t runs)
{
    gpufilter_error err;
    uint64_t before = daemon_ns();
    for (size_t i = 0; i < runs; i++) {
        memset(&s[i], 0, sizeof s[i]);
        if (gpufilter_ping(client, &s[i].wall, &err) != GPUFILTER_OK) {
            fprintf(stderr, "bench_roundtrip: ping: %s\n", err.text);
            return false;
        }
    }
    print_row("ping", s, runs, daemon_ns() - before);
    return true;
}

/* A 3x3 mean over a picture of noise; `shared`: in memory of gpufilter_alloc. */
static bool bench_filter(gpufilter_client *client, const char *what, const char *device, uint64_t width,
                         uint64_t height, uint32_t channels, bool shared, struct sample *s, size_t runs)
{
    gpufilter_error err = {0};
    size_t size = (size_t)(width * height * channels);
    void *in = NULL, *out = NULL;
    if (shared) {
        if (gpufilter_alloc(client, size, &in, &err) != GPUFILTER_OK ||
            gpufilter_alloc(client, size, &out, &err) != GPUFILTER_OK) {
            fprintf(stderr, "bench_roundtrip: %s: %s\n", what, err.text);
            return false;
        }
    } else {
        in = malloc(size);
        out = malloc(size);
        if (in == NULL || out == NULL)
            return false;
    }
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)in)[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    static const float ninth[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    const uint32_t sum = GPUFILTER_NORMALIZE_SUM;
    const gpufilter_ref inputs[] = {{0, 0, 0}, {0, 0, 1}};
    const gpufilter_param params[] = {{GPUFILTER_CORRELATE_NORMALIZE, 1, &sum}};
    const gpufilter_step step = {GPUFILTER_OP_CORRELATE, 2, inputs, params, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    program.device = device;
    const gpufilter_view operands[] = {{in, width, height, 0, GPUFILTER_U8, channels},
                                       {(void *)ninth, 3, 3, 0, GPUFILTER_F32, 1}};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    result.view = operands[0];
    result.view.data = out;
    bool ok = true;
    uint64_t before = 0;
    for (size_t i = 0, warm = 20; ok && i < runs + warm; i++) {
        if (i == warm)
            before = daemon_ns();
        struct sample *row = &s[i < warm ? 0 : i - warm];
        uint64_t start = gf_now_ns();
        ok = gpufilter_run(client, &program, operands, 2, &result, 1, &err) == GPUFILTER_OK;
        row->wall = gf_now_ns() - start;
        gpufilter_times t = GPUFILTER_TIMES_INIT;
        if (ok && gpufilter_last_times(client, &t, &err) == GPUFILTER_OK) {
            row->queue = t.queue_ns;
            row->copy_in = t.copy_in_ns;
            row->kernel = t.kernel_ns;
            row->copy_out = t.copy_out_ns;
            row->total = t.total_ns;
        }
    }
    if (ok)
        print_row(what, s, runs, daemon_ns() - before);
    else
        fprintf(stderr, "bench_roundtrip: %s: %s\n", what, err.text);
    if (shared) {
        gpufilter_free(client, in);
        gpufilter_free(client, out);
    } else {
        free(in);
        free(out);
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *device = "auto";
    unsigned long runs = 500;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            device = argv[i + 1];
        else if (strcmp(argv[i], "--runs") == 0)
            runs = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--pid") == 0)
            g_pid = strtoul(argv[i + 1], NULL, 10);
    }
    if (argc % 2 == 0 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_roundtrip [--device NAME] [--runs 1..%u] [--pid PID]\n", MAX_RUNS);
        return 64;
    }
    gpufilter_client *client;
    gpufilter_error err;
    struct sample *s = calloc(runs, sizeof *s);
    if (s == NULL || gpufilter_open(NULL, &client, &err) != GPUFILTER_OK) {
        fprintf(stderr, "bench_roundtrip: %s\n", s == NULL ? "no memory" : err.text);
        free(s);
        return 69;
    }
    printf("device %s, %lu runs each; microseconds; daemon: its processor time; then stages of the median run\n",
           device, runs);
    printf("%-34s %9s %9s %8s   %8s %8s %8s %8s %8s\n", "", "p50", "p99", "daemon", "queue", "copy in", "kernel",
           "copy out", "total");
    bool ok = bench_ping(client, s, runs) &&
              bench_filter(client, "64 KiB u8 3x3, shared", device, 256, 256, 1, true, s, runs) &&
              bench_filter(client, "64 KiB u8 3x3, inline", device, 256, 256, 1, false, s, runs) &&
              bench_filter(client, "1080p RGB u8 3x3, shared", device, 1920, 1080, 3, true, s, runs) &&
              bench_filter(client, "1080p RGB u8 3x3, copied", device, 1920, 1080, 3, false, s, runs);
    gpufilter_close(client);
    free(s);
    return ok ? 0 : 70;
}
