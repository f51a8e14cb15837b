/* SPDX-License-Identifier: MIT */
/*
 * How clients of a running daemon share a device: the latency of a light client beside a client that floods the daemon
 * with large requests, and how equally eight floods of different requests share the device. usage: bench_fairness
 * [--device NAME] [--mib N] [--sigma S] [--seconds S] [--uid FIRST] (the socket as for every client:
 * $GPUFILTER_SOCKET). --sigma sets how much a flood computes per copied byte. With --uid, as root, each flood is a user
 * of its own, from number FIRST on; otherwise all floods are connections of one user.
 */
#include <gpufilter/client.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/base/clock.h"

#define FLOODS 8u
#define CLIENTS 3u /* per flood, so that a flood always has a request waiting */
#define WIDTH 32768u
#define MAX_SAMPLES 100000u

static struct {
    const char *device;
    uint64_t mib, ns;
    unsigned sigma; /* of the blur in the flood beside the light client */
    unsigned uid;   /* 0: do not change the user */
} g = {"auto", 1024, 5 * GF_NS_PER_S, 1, 0};

/* Memory that the processes share. */
struct board {
    uint64_t served[FLOODS]; /* nanoseconds of device time */
    uint32_t flooding;       /* clients that have received an answer */
    uint32_t stop;
};

struct client {
    gpufilter_client *client;
    gpufilter_view in, out;
};

static void fail(const gpufilter_error *err)
{
    fprintf(stderr, "bench_fairness: %s\n", err->text);
    _exit(70);
}

static void become(unsigned nth)
{
    if (g.uid != 0 && setuid(g.uid + nth) != 0) {
        perror("bench_fairness: --uid");
        _exit(77);
    }
}

static void client_open(struct client *c, uint64_t width, uint64_t height)
{
    gpufilter_error err;
    void *in, *out;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.device = g.device;
    if (gpufilter_open(&options, &c->client, &err) != GPUFILTER_OK ||
        gpufilter_alloc(c->client, width * height, &in, &err) != GPUFILTER_OK ||
        gpufilter_alloc(c->client, width * height, &out, &err) != GPUFILTER_OK)
        fail(&err);
    memset(in, 7, width * height);
    c->in = gpufilter_tight_view(in, width, height, GPUFILTER_U8, 1);
    c->out = gpufilter_tight_view(out, width, height, GPUFILTER_U8, 1);
}

static gpufilter_times client_run(struct client *c, unsigned sigma)
{
    gpufilter_error err;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    char text[64];
    snprintf(text, sizeof text, "gaussian sigma=%u", sigma);
    result.view = c->out;
    if (gpufilter_run_text(c->client, text, &c->in, 1, &result, 1, NULL, &err) != GPUFILTER_OK ||
        gpufilter_last_times(c->client, &times, &err) != GPUFILTER_OK)
        fail(&err);
    return times;
}

/* Starts the clients of flood `nth`. Their requests have `rows` rows. */
static void flood(struct board *board, unsigned nth, uint64_t rows, unsigned sigma)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        if (fork() != 0)
            continue;
        struct client c;
        become(nth);
        client_open(&c, WIDTH, rows);
        client_run(&c, sigma);
        __atomic_add_fetch(&board->flooding, 1, __ATOMIC_SEQ_CST);
        while (!__atomic_load_n(&board->stop, __ATOMIC_SEQ_CST)) {
            gpufilter_times t = client_run(&c, sigma);
            __atomic_add_fetch(&board->served[nth], t.copy_in_ns + t.kernel_ns + t.copy_out_ns, __ATOMIC_SEQ_CST);
        }
        _exit(0);
    }
}

/* Waits until `n` clients have received an answer. A client that failed ends the program. */
static void await(const struct board *board, unsigned n)
{
    int status;
    while (__atomic_load_n(&board->flooding, __ATOMIC_SEQ_CST) < n) {
        if (waitpid(-1, &status, WNOHANG) > 0)
            exit(70);
        usleep(1000);
    }
}

static void end_floods(struct board *board)
{
    __atomic_store_n(&board->stop, 1, __ATOMIC_SEQ_CST);
    while (wait(NULL) > 0)
        continue;
    memset(board, 0, sizeof *board);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* Runs a light client, 1 megapixel some hundred times a second, as the calling user. Returns its 99th percentile. */
static uint64_t light(const char *what)
{
    static uint64_t wall[MAX_SAMPLES], queue[MAX_SAMPLES], work[MAX_SAMPLES];
    struct client c;
    size_t n = 0;
    client_open(&c, 1024, 1024);
    for (int i = 0; i < 20; i++)
        client_run(&c, 1);
    for (uint64_t end = gf_now_ns() + g.ns; gf_now_ns() < end && n < MAX_SAMPLES; n++) {
        uint64_t start = gf_now_ns();
        gpufilter_times t = client_run(&c, 1);
        wall[n] = gf_now_ns() - start;
        queue[n] = t.queue_ns;
        work[n] = t.copy_in_ns + t.kernel_ns + t.copy_out_ns;
        usleep(3000);
    }
    qsort(wall, n, sizeof *wall, by_size);
    qsort(queue, n, sizeof *queue, by_size);
    qsort(work, n, sizeof *work, by_size);
    size_t last = n - 1 - n / 100;
    printf("%-28s %8.3f %8.3f   of it queue %8.3f, device %8.3f\n", what, ms(wall[n / 2]), ms(wall[last]),
           ms(queue[last]), ms(work[last]));
    gpufilter_close(c.client);
    return wall[last];
}

static void bench_light(struct board *board)
{
    printf("light client, 1 MP        ms      p50      p99\n");
    uint64_t alone = light("alone");
    flood(board, 0, g.mib * 1048576 / WIDTH, g.sigma);
    await(board, CLIENTS);
    char what[64];
    snprintf(what, sizeof what, "beside a flood of %llu MiB", (unsigned long long)g.mib);
    uint64_t beside = light(what);
    end_floods(board);
    double limit = 2 * ms(alone) + 10;
    printf("p99 beside %.3f ms, 2 x p99 alone + 10 ms is %.3f: %s\n\n", ms(beside), limit,
           ms(beside) <= limit ? "reached" : "missed");
}

static void bench_floods(struct board *board)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < FLOODS; i++)
        flood(board, i, 128 * (1 + i), 1 + i % 3); /* 4 to 32 MiB */
    await(board, FLOODS * CLIENTS);
    memset(board->served, 0, sizeof board->served);
    usleep((useconds_t)(g.ns / 1000));
    printf("%u floods, device seconds:", FLOODS);
    for (unsigned i = 0; i < FLOODS; i++) {
        double s = ms(__atomic_load_n(&board->served[i], __ATOMIC_SEQ_CST)) / 1000;
        printf(" %.2f", s);
        sum += s;
        squares += s * s;
    }
    double jain = sum * sum / (FLOODS * squares);
    printf("\nJain's index %.4f, wanted 0.95: %s\n", jain, jain >= 0.95 ? "reached" : "missed");
    end_floods(board);
}

int main(int argc, char **argv)
{
    bool ok = argc % 2 == 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            g.device = argv[i + 1];
        else if (strcmp(argv[i], "--mib") == 0)
            g.mib = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--sigma") == 0)
            g.sigma = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            g.ns = strtoull(argv[i + 1], NULL, 10) * GF_NS_PER_S;
        else if (strcmp(argv[i], "--uid") == 0)
            g.uid = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else
            ok = false;
    }
    struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!ok || g.mib < 1 || g.mib > 1024 || g.ns == 0 || board == MAP_FAILED) {
        fprintf(stderr,
                "usage: bench_fairness [--device NAME] [--mib 1..1024] [--sigma S] [--seconds S] [--uid FIRST]\n");
        return 64;
    }
    setlinebuf(stdout);
    bench_light(board);
    bench_floods(board);
    return 0;
}
