/* SPDX-License-Identifier: MIT */
/* Several clients at once: throughput, the link to the device, and fairness between clients. Called by cmd_bench.c. */
#include <string.h>

#include "bench.h"
#include "client/cli/base/exit_code.h"
#include "protocol/base/dtype.h"

#define CPU "cpu"
#define FLOODS 2u /* connections of the flooding client, so that one request always waits */
#define EQUALS 8u

#define FROM_TO(a, b) .from = GF_BENCH_##a, .to = GF_BENCH_##b

static const struct gf_bench_work picture = {"1080p RGB", 1920, 1080, 3, GF_U8, FROM_TO(ARENA, ARENA), .filters = 1};
static const struct gf_bench_work there = {"1080p RGB", 1920, 1080, 3, GF_U8, FROM_TO(RESIDENT, RESIDENT),
                                           .filters = 1};
static const struct gf_bench_work upload = {"upload", 8192, 8192, 1, GF_U8, FROM_TO(ARENA, RESIDENT), .filters = 0};
static const struct gf_bench_work download = {"download", 8192, 8192, 1, GF_U8, FROM_TO(RESIDENT, ARENA), .filters = 0};
static const struct gf_bench_work light = {"light", 256, 256, 1, GF_U8, FROM_TO(ARENA, ARENA), .filters = 1};
static const struct gf_bench_work flood_gpu = {"flood", 32768, 32768, 1, GF_U8, FROM_TO(ARENA, ARENA), .filters = 1};
static const struct gf_bench_work flood_cpu = {"flood", 8192, 8192, 1, GF_U8, FROM_TO(ARENA, ARENA), .filters = 1};

/* Runs `n` clients with the same work and adds a row to `part`; *ret_row is NULL if nothing was measured. */
static int run_equal(struct gf_bench *b, enum gf_bench_part part, const struct gf_bench_work *work, uint32_t n,
                     struct gf_bench_client **ret_clients, struct gf_bench_row **ret_row)
{
    struct gf_bench_work works[GF_BENCH_CLIENTS];
    for (uint32_t i = 0; i < n; i++)
        works[i] = *work;
    int code = gf_bench_group_run(b, works, n, ret_clients);
    *ret_row = code == GF_EXIT_OK ? gf_bench_add(b, part, *ret_clients, n) : NULL;
    return code;
}

/* Bytes per second that both directions of the link carry at once; 0 if that was not measured. */
static double duplex(const struct gf_bench *b)
{
    double highest = 0;
    for (uint32_t i = 0; i < b->n_rows[GF_BENCH_LINK]; i++) {
        const struct gf_bench_row *row = &b->rows[GF_BENCH_LINK][i];
        if (row->clients > 1)
            highest = row->in_per_second + row->out_per_second;
    }
    return highest;
}

/* The number of devices that share the work if the daemon chooses. */
static uint32_t n_devices(const struct gf_bench *b)
{
    return b->n_gpus > 0 ? b->n_gpus : 1;
}

/* The bound of throughput: on the CPU one copy of each picture; otherwise the link, or for resident pictures the
 * fastest kernel on every device. */
static void set_bound(const struct gf_bench *b, struct gf_bench_row *row, double copy_ns)
{
    if (strcmp(row->devices, CPU) == 0) {
        row->floor = 1e9 / copy_ns;
        row->floor_text = "copy";
    } else if (row->bytes_in > 0) {
        row->floor = duplex(b) / (double)(row->bytes_in + row->bytes_out);
        row->floor_text = row->floor > 0 ? "link, both ways" : "";
    } else {
        row->floor = n_devices(b) * 1e9 / (double)row->fastest_kernel;
        row->floor_text = "fastest kernel";
    }
}

int gf_bench_throughput(struct gf_bench *b)
{
    const struct gf_bench_work *const works[] = {&picture, &there};
    const double copy_ns = (double)gf_bench_copy_ns(gf_bench_bytes(&picture));
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < 2 * b->n_groups && code == GF_EXIT_OK && !gf_bench_stopped(); i++) {
        uint32_t n = b->groups[i % b->n_groups];
        struct gf_bench_client *clients;
        struct gf_bench_row *row;
        code = run_equal(b, GF_BENCH_THROUGHPUT, works[i / b->n_groups], n, &clients, &row);
        if (row)
            set_bound(b, row, copy_ns);
        gf_bench_group_deinit(&clients, n);
    }
    return code;
}

/* Measures one direction. Its bound is its own copy stage, on the CPU a copy of the bytes. */
static int link_one(struct gf_bench *b, const struct gf_bench_work *work)
{
    struct gf_bench_client *clients;
    struct gf_bench_row *row;
    int code = run_equal(b, GF_BENCH_LINK, work, 1, &clients, &row);
    if (row) {
        bool cpu = strcmp(row->devices, CPU) == 0;
        uint64_t ns = cpu ? gf_bench_copy_ns(gf_bench_bytes(work)) : row->median.copy_in + row->median.copy_out;
        row->floor = ns > 0 ? 1e9 * (double)gf_bench_bytes(work) / (double)ns : 0;
        row->floor_text = cpu ? "copy" : "its stage alone";
    }
    gf_bench_group_deinit(&clients, 1);
    return code;
}

/* Measures both directions of every GPU at once. The bound is the sum of the directions measured alone. */
static int link_both(struct gf_bench *b)
{
    struct gf_bench_work works[2 * GF_BENCH_GPUS];
    const uint32_t pairs = n_devices(b), n = 2 * pairs;
    for (uint32_t i = 0; i < n; i++) {
        works[i] = i % 2 == 0 ? upload : download;
        works[i].device = b->n_gpus > 0 ? b->gpus[i / 2] : NULL;
    }
    struct gf_bench_client *clients;
    int code = gf_bench_group_run(b, works, n, &clients);
    struct gf_bench_row *row = code == GF_EXIT_OK ? gf_bench_add(b, GF_BENCH_LINK, clients, n) : NULL;
    if (row) {
        row->name = "both at once";
        for (struct gf_bench_row *one = b->rows[GF_BENCH_LINK]; one < row; one++)
            row->floor += pairs * (one->in_per_second + one->out_per_second);
        row->floor_text = "each way alone";
    }
    gf_bench_group_deinit(&clients, n);
    return code;
}

int gf_bench_link(struct gf_bench *b)
{
    int code = link_one(b, &upload);
    if (code == GF_EXIT_OK && !gf_bench_stopped())
        code = link_one(b, &download);
    return code == GF_EXIT_OK && !gf_bench_stopped() ? link_both(b) : code;
}

/* Measures a client with small requests alone, then beside a client that floods the device. */
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
        works[1 + i] = strcmp(alone->devices, CPU) == 0 ? flood_cpu : flood_gpu;
    code = gf_bench_group_run(b, works, 1 + FLOODS, &clients);
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

/* Jain's index of the clients' rates: 1 if all rates are equal, 1/n if one client got everything. */
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
