/* SPDX-License-Identifier: MIT */
/* Many clients at once: throughput, the link to the device, and what they leave each other. Called by cmd_bench.c. */
#include <string.h>

#include "bench.h"
#include "exit_code.h"
#include "protocol/dtype.h"

#define CPU "cpu"
#define FLOODS 2u /* connections of the client that floods, so that one request always waits */
#define EQUALS 8u

static const struct gf_bench_work picture = {"1080p RGB", 1920, 1080, 3, GF_U8, GF_BENCH_ARENA, GF_BENCH_ARENA, 1};
static const struct gf_bench_work upload = {"upload", 8192, 8192, 1, GF_U8, GF_BENCH_ARENA, GF_BENCH_RESIDENT, 0};
static const struct gf_bench_work download = {"download", 8192, 8192, 1, GF_U8, GF_BENCH_RESIDENT, GF_BENCH_ARENA, 0};
static const struct gf_bench_work light = {"light", 256, 256, 1, GF_U8, GF_BENCH_ARENA, GF_BENCH_ARENA, 1};
static const struct gf_bench_work flood_gpu = {"flood", 32768, 32768, 1, GF_U8, GF_BENCH_ARENA, GF_BENCH_ARENA, 1};
static const struct gf_bench_work flood_cpu = {"flood", 8192, 8192, 1, GF_U8, GF_BENCH_ARENA, GF_BENCH_ARENA, 1};

/* Runs so many clients with the same work, and gives the row of `part`, NULL where nothing was measured. */
static int run_equal(struct gf_bench *b, enum gf_bench_part part, const struct gf_bench_work *work, uint32_t n,
                     struct gf_bench_client **ret_clients, struct gf_bench_row **ret_row)
{
    struct gf_bench_work works[GF_BENCH_CLIENTS];
    for (uint32_t i = 0; i < n; i++)
        works[i] = *work;
    int code = gf_bench_group_run(b->cli, works, n, b->seconds, ret_clients);
    *ret_row = code == GF_EXIT_OK ? gf_bench_add(b, part, *ret_clients, n) : NULL;
    return code;
}

/* What both directions of the link carry at once, bytes a second; 0 where that was not measured. */
static double duplex(const struct gf_bench *b)
{
    double most = 0;
    for (uint32_t i = 0; i < b->n_rows[GF_BENCH_LINK]; i++) {
        const struct gf_bench_row *row = &b->rows[GF_BENCH_LINK][i];
        if (row->clients > 1)
            most = row->in_per_second + row->out_per_second;
    }
    return most;
}

/* On the CPU no more pictures can pass than could be copied; else no more than the link carries. */
static void set_bound(const struct gf_bench *b, struct gf_bench_row *row, double copy_ns)
{
    bool cpu = strcmp(row->device, CPU) == 0;
    row->floor = cpu ? 1e9 / copy_ns : duplex(b) / (double)(row->bytes_in + row->bytes_out);
    row->floor_text = cpu ? "copy" : "link, both ways";
}

int gf_bench_throughput(struct gf_bench *b)
{
    const double copy_ns = (double)gf_bench_copy_ns(gf_bench_bytes(&picture));
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < b->n_groups && code == GF_EXIT_OK && !gf_bench_stopped(); i++) {
        struct gf_bench_client *clients;
        struct gf_bench_row *row;
        code = run_equal(b, GF_BENCH_THROUGHPUT, &picture, b->groups[i], &clients, &row);
        if (row)
            set_bound(b, row, copy_ns);
        gf_bench_group_deinit(&clients, b->groups[i]);
    }
    return code;
}

/* One direction can take no less than its own stage, on the CPU than a copy of the bytes. */
static int link_one(struct gf_bench *b, const struct gf_bench_work *work)
{
    struct gf_bench_client *clients;
    struct gf_bench_row *row;
    int code = run_equal(b, GF_BENCH_LINK, work, 1, &clients, &row);
    if (row) {
        bool cpu = strcmp(row->device, CPU) == 0;
        uint64_t ns = cpu ? gf_bench_copy_ns(gf_bench_bytes(work)) : row->median.copy_in + row->median.copy_out;
        row->floor = ns > 0 ? 1e9 * (double)gf_bench_bytes(work) / (double)ns : 0;
        row->floor_text = cpu ? "copy" : "its stage alone";
    }
    gf_bench_group_deinit(&clients, 1);
    return code;
}

/* A client in each direction can do no more than each alone. */
static int link_both(struct gf_bench *b)
{
    const struct gf_bench_work works[] = {upload, download};
    struct gf_bench_client *clients;
    int code = gf_bench_group_run(b->cli, works, GF_ARRAY_LEN(works), b->seconds, &clients);
    struct gf_bench_row *row = code == GF_EXIT_OK ? gf_bench_add(b, GF_BENCH_LINK, clients, GF_ARRAY_LEN(works)) : NULL;
    if (row) {
        row->name = "both at once";
        for (struct gf_bench_row *one = b->rows[GF_BENCH_LINK]; one < row; one++)
            row->floor += one->in_per_second + one->out_per_second;
        row->floor_text = "each way alone";
    }
    gf_bench_group_deinit(&clients, GF_ARRAY_LEN(works));
    return code;
}

int gf_bench_link(struct gf_bench *b)
{
    int code = link_one(b, &upload);
    if (code == GF_EXIT_OK && !gf_bench_stopped())
        code = link_one(b, &download);
    return code == GF_EXIT_OK && !gf_bench_stopped() ? link_both(b) : code;
}

/* A client with small requests alone, then beside one that floods the device. */
static int light_and_flood(struct gf_bench *b)
{
    struct gf_bench_client *clients;
    struct gf_bench_row *alone, *beside;
    int code = run_equal(b, GF_BENCH_FAIRNESS, &light, 1, &clients, &alone);
    gf_bench_group_deinit(&clients, 1);
    if (!alone || gf_bench_stopped())
        return code;
    alone->name = "light alone";
    struct gf_bench_work works[1 + FLOODS] = {light};
    for (uint32_t i = 0; i < FLOODS; i++)
        works[1 + i] = strcmp(alone->device, CPU) == 0 ? flood_cpu : flood_gpu;
    code = gf_bench_group_run(b->cli, works, 1 + FLOODS, b->seconds, &clients);
    beside = code == GF_EXIT_OK ? gf_bench_add(b, GF_BENCH_FAIRNESS, clients, 1) : NULL;
    if (beside) {
        beside->name = "light beside a flood";
        beside->floor = (double)alone->p99_ns;
        beside->floor_text = "alone";
        b->p99_ratio = (double)beside->p99_ns / (double)alone->p99_ns;
        gf_bench_add(b, GF_BENCH_FAIRNESS, clients + 1, FLOODS);
    }
    gf_bench_group_deinit(&clients, 1 + FLOODS);
    return code;
}

/* Jain's index of what each client got: 1 where all got the same, 1/n where one got all. */
static double jain(const struct gf_bench_client *clients, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        double rate = (double)clients[i].n / (double)clients[i].busy_ns;
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / (n * squares);
}

int gf_bench_fairness(struct gf_bench *b)
{
    struct gf_bench_client *clients;
    struct gf_bench_row *row;
    int code = light_and_flood(b);
    if (code != GF_EXIT_OK || gf_bench_stopped())
        return code;
    code = run_equal(b, GF_BENCH_FAIRNESS, &picture, EQUALS, &clients, &row);
    if (row) {
        row->name = "8 equal floods";
        b->jain = jain(clients, EQUALS);
    }
    gf_bench_group_deinit(&clients, EQUALS);
    return code;
}
