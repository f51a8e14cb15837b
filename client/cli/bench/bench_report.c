/* SPDX-License-Identifier: MIT */
/*
 * The rows of the command bench: collected from clients, printed as tables and as JSON. Called by the other files of
 * bench.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "client/cli/base/exit_code.h"
#include "client/io/number.h"
#include "client/lib/text/json.h"
#include "protocol/base/text.h"

const char *gf_bench_part_word(enum gf_bench_part part)
{
    static const char *const words[] = {[GF_BENCH_LATENCY] = "latency",
                                        [GF_BENCH_LINK] = "link",
                                        [GF_BENCH_THROUGHPUT] = "throughput",
                                        [GF_BENCH_FAIRNESS] = "fairness"};
    return words[part];
}

const char *gf_bench_way_word(enum gf_bench_way way)
{
    static const char *const words[] = {
        [GF_BENCH_PLAIN] = "plain", [GF_BENCH_ARENA] = "arena", [GF_BENCH_RESIDENT] = "resident"};
    return words[way];
}

static bool has(const char *devices, const char *name, size_t length)
{
    for (const char *at = devices; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

void gf_bench_add_devices(char devices[GF_BENCH_DEVICE], const char *names)
{
    if (strcmp(devices, names) == 0)
        return;
    for (size_t n; (n = strcspn(names, ",")) > 0; names += n, names += *names == ',')
        if (!has(devices, names, n))
            gf_text_append(devices, GF_BENCH_DEVICE, "%s%.*s", devices[0] ? "," : "", (int)n, names);
}

/* Adds one client to a row. */
static void count(struct gf_bench_row *row, struct gf_samples *all, const struct gf_bench_client *c)
{
    const struct gf_bench_work *w = &c->work;
    uint64_t bytes = gf_bench_bytes(w);
    uint64_t in = w->from != GF_BENCH_RESIDENT ? bytes : 0, out = w->to != GF_BENCH_RESIDENT ? bytes : 0;
    double rate = c->busy_ns > 0 ? 1e9 * (double)c->n / (double)c->busy_ns : 0;
    row->bytes_in = in > row->bytes_in ? in : row->bytes_in;
    row->bytes_out = out > row->bytes_out ? out : row->bytes_out;
    row->n += c->n;
    row->per_second += rate;
    row->in_per_second += rate * (double)in;
    row->out_per_second += rate * (double)out;
    for (uint32_t i = 0; i < c->samples.n; i++) {
        const struct gf_sample *sample = &c->samples.rows[i];
        gf_samples_add(all, sample);
        if (row->fastest_kernel == 0 || sample->kernel < row->fastest_kernel)
            row->fastest_kernel = sample->kernel;
    }
    gf_bench_add_devices(row->devices, c->devices);
}

struct gf_bench_row *gf_bench_add(struct gf_bench *b, enum gf_bench_part part, const struct gf_bench_client *clients,
                                  uint32_t n)
{
    gf_cleanup(gf_samples_deinit) struct gf_samples all = {.rows = NULL};
    struct gf_bench_row *row = &b->rows[part][b->n_rows[part]];
    const struct gf_bench_work *w = &clients[0].work;
    *row = (struct gf_bench_row){
        .name = w->name, .way = w->width > 0 ? gf_bench_way_word(w->from) : "", .clients = n, .floor_text = ""};
    for (uint32_t i = 0; i < n; i++)
        count(row, &all, &clients[i]);
    row->front_ns = clients[0].front_ns;
    gf_samples_sort(&all);
    row->median = gf_samples_percentile(&all, 50);
    row->p50_ns = row->median.wall;
    row->p99_ns = gf_samples_percentile(&all, 99).wall;
    if (all.n == 0 || b->n_rows[part] + 1 == GF_BENCH_ROWS)
        return NULL;
    b->n_rows[part]++;
    return row;
}

static double us(double ns)
{
    return ns / 1e3;
}

/* Prints a floor, the ratio of the figure to it, and its source. */
static void print_floor(double floor, double ratio, const char *text)
{
    if (floor > 0)
        printf(" %10.1f %6.2f  %s", floor, ratio, text);
    putchar('\n');
}

static void print_latency(const struct gf_bench_row *r)
{
    const struct gf_sample *m = &r->median;
    printf("%-13s %-8s %-7s %7" PRIu64 " %9.1f %9.1f %6.1f %8.1f %8.1f %8.1f %8.1f %8.1f", r->name, r->way, r->devices,
           r->n, us((double)r->p50_ns), us((double)r->p99_ns), us((double)r->front_ns), us((double)m->queue),
           us((double)m->copy_in), us((double)m->kernel), us((double)m->copy_out), us((double)m->total));
    print_floor(us(r->floor), (double)r->p50_ns / r->floor, r->floor_text);
}

static void print_link(const struct gf_bench_row *r)
{
    double both = r->in_per_second + r->out_per_second;
    printf("%-13s %-7s %7" PRIu64 " %9.1f %9.1f %8.2f %8.2f", r->name, r->devices, r->n, us((double)r->p50_ns),
           us((double)r->p99_ns), r->in_per_second / 1e9, r->out_per_second / 1e9);
    print_floor(r->floor / 1e9, both / r->floor, r->floor_text);
}

static void print_throughput(const struct gf_bench_row *r)
{
    printf("%-8s %7" PRIu32 " %-7s %7" PRIu64 " %9.1f %8.2f %8.2f %9.1f %9.1f", r->way, r->clients, r->devices, r->n,
           r->per_second, r->in_per_second / 1e9, r->out_per_second / 1e9, us((double)r->p50_ns),
           us((double)r->p99_ns));
    print_floor(r->floor, r->per_second / r->floor, r->floor_text);
}

static void print_fairness(const struct gf_bench_row *r)
{
    printf("%-21s %7" PRIu32 " %-7s %10" PRIu64 " %7" PRIu64 " %9.1f %9.1f %9.1f", r->name, r->clients, r->devices,
           r->bytes_in, r->n, r->per_second, us((double)r->p50_ns), us((double)r->p99_ns));
    print_floor(us(r->floor), (double)r->p99_ns / r->floor, r->floor_text);
}

static void print_head(enum gf_bench_part part)
{
    if (part == GF_BENCH_LATENCY)
        printf("%-13s %-8s %-7s %7s %9s %9s %6s %8s %8s %8s %8s %8s %10s %6s\n", "latency, us", "way", "device", "n",
               "p50", "p99", "front", "queue", "copy in", "kernel", "copy out", "total", "floor", "p50/it");
    else if (part == GF_BENCH_LINK)
        printf("%-13s %-7s %7s %9s %9s %8s %8s %10s %6s\n", "link", "device", "n", "p50 us", "p99 us", "GB/s in",
               "GB/s out", "bound", "of it");
    else if (part == GF_BENCH_THROUGHPUT)
        printf("%-8s %7s %-7s %7s %9s %8s %8s %9s %9s %10s %6s\n", "1080p", "clients", "device", "n", "images/s",
               "GB/s in", "GB/s out", "p50 us", "p99 us", "bound", "of it");
    else
        printf("%-21s %7s %-7s %10s %7s %9s %9s %9s %10s %6s\n", "fairness", "clients", "device", "bytes", "n", "per s",
               "p50 us", "p99 us", "floor", "p99/it");
}

void gf_bench_print(const struct gf_bench *b, enum gf_bench_part part)
{
    static void (*const print[])(const struct gf_bench_row *) = {[GF_BENCH_LATENCY] = print_latency,
                                                                 [GF_BENCH_LINK] = print_link,
                                                                 [GF_BENCH_THROUGHPUT] = print_throughput,
                                                                 [GF_BENCH_FAIRNESS] = print_fairness};
    if (b->json || b->cli.quiet || b->n_rows[part] == 0)
        return;
    print_head(part);
    for (uint32_t i = 0; i < b->n_rows[part]; i++)
        print[part](&b->rows[part][i]);
    if (part == GF_BENCH_FAIRNESS && b->jain > 0)
        printf("Jain's index of the %s: %.4f\n", b->rows[part][b->n_rows[part] - 1].name, b->jain);
    putchar('\n');
    fflush(stdout);
}

static void put_f64(struct gf_json *json, const char *key, double value)
{
    char text[GF_NUMBER_TEXT];
    gf_json_number(json, key, gf_number_text(GF_F64, &value, 0, text));
}

static void put_row(struct gf_json *json, const struct gf_bench_row *r)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "name", r->name);
    gf_json_text(json, "way", r->way);
    gf_json_text(json, "device", r->devices);
    gf_json_u64(json, "clients", r->clients);
    gf_json_u64(json, "bytes_in", r->bytes_in);
    gf_json_u64(json, "bytes_out", r->bytes_out);
    gf_json_u64(json, "n", r->n);
    gf_json_u64(json, "p50_ns", r->p50_ns);
    gf_json_u64(json, "p99_ns", r->p99_ns);
    gf_json_object(json, "stages_ns");
    gf_json_u64(json, "queue", r->median.queue);
    gf_json_u64(json, "copy_in", r->median.copy_in);
    gf_json_u64(json, "kernel", r->median.kernel);
    gf_json_u64(json, "copy_out", r->median.copy_out);
    gf_json_u64(json, "total", r->median.total);
    gf_json_object_end(json);
    gf_json_u64(json, "front_cpu_ns", r->front_ns);
    put_f64(json, "per_second", r->per_second);
    put_f64(json, "in_per_second", r->in_per_second);
    put_f64(json, "out_per_second", r->out_per_second);
    put_f64(json, "floor", r->floor);
    gf_json_text(json, "floor_is", r->floor_text);
    gf_json_object_end(json);
}

void gf_bench_json(const struct gf_bench *b, int code)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "server", b->server);
    gf_json_text(&json, "socket", b->socket);
    put_f64(&json, "seconds", b->seconds);
    gf_json_bool(&json, "interrupted", gf_bench_stopped());
    for (enum gf_bench_part part = 0; part < GF_BENCH_N_PARTS; part++) {
        if (!b->wanted[part])
            continue;
        gf_json_array(&json, gf_bench_part_word(part));
        for (uint32_t i = 0; i < b->n_rows[part]; i++)
            put_row(&json, &b->rows[part][i]);
        gf_json_array_end(&json);
    }
    if (b->wanted[GF_BENCH_FAIRNESS]) {
        put_f64(&json, "p99_ratio", b->p99_ratio);
        put_f64(&json, "jain", b->jain);
    }
    if (code != GF_EXIT_OK) {
        gf_json_object(&json, "error");
        gf_json_text(&json, "status", gf_exit_word(code));
        gf_json_text(&json, "text", b->error);
        gf_json_object_end(&json);
    }
    gf_json_object_end(&json);
    fputc('\n', stdout);
}
