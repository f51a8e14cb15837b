/* SPDX-License-Identifier: MIT */
/*
 * The cost of idle connections: memory of the front per connection, and the latency that they add for other clients.
 * usage: bench_idle [--connections N] [--rounds N]. The daemon is the one at $GPUFILTER_SOCKET, on this machine, and
 * must allow N connections of one user (--max-connections, --user-connections). In each round one busy client is
 * measured alone, beside connections that have only sent HELLO, and beside the same connections after one request each.
 */
#include <gpufilter/client.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol/base/clock.h"

#define SIDE 256u /* 64 KiB of u8 */
#define CALLS 500u
#define MAX_CONNECTIONS 20000u
#define MAX_ROUNDS 99u

enum state { ALONE, SILENT, SERVED, N_STATES };

struct row {
    double ping_us, request_us, front_kib; /* medians; private memory of the front */
};

static gpufilter_client *idle[MAX_CONNECTIONS];
static struct row rows[MAX_ROUNDS][N_STATES];

static void check(int status, const gpufilter_error *err)
{
    if (status == GPUFILTER_OK)
        return;
    fprintf(stderr, "bench_idle: %s\n", err->text);
    exit(70);
}

/* The process that listens on the socket. */
static pid_t front_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer = {.pid = 0};
    socklen_t size = sizeof peer;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
        perror("bench_idle: socket");
        exit(71);
    }
    close(fd);
    return peer.pid;
}

/* Private dirty memory of a process. The memory that the front shares with workers is the staging of all clients. */
static double private_kib(pid_t pid)
{
    char path[64], line[256];
    double kib = -1;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Dirty: %lf", &kib) == 1)
            break;
    if (file)
        fclose(file);
    if (kib < 0) {
        fprintf(stderr, "bench_idle: cannot read %s\n", path);
        exit(77);
    }
    return kib;
}

static void request(gpufilter_client *client, const gpufilter_view *in, const gpufilter_view *out)
{
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    result.view = *out;
    check(gpufilter_run_text(client, "gaussian sigma=1", in, 1, &result, 1, NULL, &err), &err);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static void measure(gpufilter_client *busy, const gpufilter_view *in, const gpufilter_view *out, pid_t front,
                    struct row *ret)
{
    static double ping[CALLS], run[CALLS];
    gpufilter_error err;
    for (unsigned i = 0; i < CALLS + CALLS / 4; i++) { /* the first quarter only wakes the processor up */
        uint64_t ns;
        check(gpufilter_ping(busy, &ns, &err), &err);
        ping[i % CALLS] = (double)ns / 1e3;
        uint64_t start = gf_now_ns();
        request(busy, in, out);
        run[i % CALLS] = (double)(gf_now_ns() - start) / 1e3;
    }
    *ret = (struct row){median(ping, CALLS), median(run, CALLS), private_kib(front)};
}

static void run_round(gpufilter_client *busy, const gpufilter_view *in, const gpufilter_view *out, pid_t front,
                      unsigned n, struct row *ret)
{
    static uint8_t plain[SIDE * SIDE], result[SIDE * SIDE];
    const gpufilter_view mine = gpufilter_tight_view(plain, SIDE, SIDE, GPUFILTER_U8, 1),
                         back = gpufilter_tight_view(result, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_error err;
    measure(busy, in, out, front, &ret[ALONE]);
    for (unsigned i = 0; i < n; i++)
        check(gpufilter_open(NULL, &idle[i], &err), &err);
    measure(busy, in, out, front, &ret[SILENT]);
    for (unsigned i = 0; i < n; i++)
        request(idle[i], &mine, &back);
    measure(busy, in, out, front, &ret[SERVED]);
    for (unsigned i = 0; i < n; i++)
        idle[i] = gpufilter_close(idle[i]);
}

/* Prints a state: memory per connection beyond the memory before the first connection, the maximum of all rounds;
 * median times; and the medians of their ratios to the times alone in the same round. */
static void print(const char *what, enum state state, unsigned n, unsigned rounds)
{
    double kib[MAX_ROUNDS], ping[MAX_ROUNDS], request_us[MAX_ROUNDS], ping_ratio[MAX_ROUNDS], ratio[MAX_ROUNDS];
    for (unsigned i = 0; i < rounds; i++) {
        const struct row *alone = &rows[i][ALONE], *row = &rows[i][state];
        kib[i] = (row->front_kib - rows[0][ALONE].front_kib) / n;
        ping[i] = row->ping_us;
        request_us[i] = row->request_us;
        ping_ratio[i] = row->ping_us / alone->ping_us;
        ratio[i] = row->request_us / alone->request_us;
    }
    qsort(kib, rounds, sizeof *kib, by_size);
    printf("%-18s %9.1f %9.1f %7.3f %9.1f %7.3f\n", what, kib[rounds - 1], median(ping, rounds),
           median(ping_ratio, rounds), median(request_us, rounds), median(ratio, rounds));
}

int main(int argc, char **argv)
{
    unsigned n = 1000, rounds = 31;
    bool ok = argc % 2 == 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--connections") == 0)
            n = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else
            ok = false;
    }
    if (!ok || n < 1 || n > MAX_CONNECTIONS || rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: bench_idle [--connections 1..%u] [--rounds 1..%u]\n", MAX_CONNECTIONS, MAX_ROUNDS);
        return 64;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    gpufilter_error err;
    gpufilter_client *busy;
    void *in, *out;
    check(gpufilter_open(NULL, &busy, &err), &err);
    check(gpufilter_alloc(busy, SIDE * SIDE, &in, &err), &err);
    check(gpufilter_alloc(busy, SIDE * SIDE, &out, &err), &err);
    const gpufilter_view from = gpufilter_tight_view(in, SIDE, SIDE, GPUFILTER_U8, 1),
                         to = gpufilter_tight_view(out, SIDE, SIDE, GPUFILTER_U8, 1);
    pid_t front = front_of(gpufilter_socket(busy));
    for (unsigned i = 0; i < rounds; i++)
        run_round(busy, &from, &to, front, n, rows[i]);
    printf("%u connections       KiB each   ping us   ratio    64 KiB   ratio\n", n);
    print("alone", ALONE, n, rounds);
    print("silent", SILENT, n, rounds);
    print("after a request", SERVED, n, rounds);
    gpufilter_close(busy);
    return 0;
}
