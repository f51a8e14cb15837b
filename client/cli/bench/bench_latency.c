/* SPDX-License-Identifier: MIT */
/* Latency of single requests, by size and by the place of the data. Called by cmd_bench.c. */
#include <string.h>

#include "bench.h"
#include "client/cli/base/exit_code.h"
#include "protocol/base/dtype.h"

#define CPU "cpu"

#define SAME(way) .from = GF_BENCH_##way, .to = GF_BENCH_##way

static const struct gf_bench_work works[] = {
    {.name = "ping"},
    {"64 KiB", 256, 256, 1, GF_U8, SAME(PLAIN), .filters = 1},
    {"64 KiB", 256, 256, 1, GF_U8, SAME(ARENA), .filters = 1},
    {"64 KiB", 256, 256, 1, GF_U8, SAME(RESIDENT), .filters = 1},
    {"1080p RGB", 1920, 1080, 3, GF_U8, SAME(PLAIN), .filters = 1},
    {"1080p RGB", 1920, 1080, 3, GF_U8, SAME(ARENA), .filters = 1},
    {"1080p RGB", 1920, 1080, 3, GF_U8, SAME(RESIDENT), .filters = 1},
    {"24 MP", 6000, 4000, 1, GF_U8, SAME(PLAIN), .filters = 1},
    {"24 MP", 6000, 4000, 1, GF_U8, SAME(ARENA), .filters = 1},
    {"24 MP", 6000, 4000, 1, GF_U8, SAME(RESIDENT), .filters = 1},
    {"24 MP f32 x5", 6000, 4000, 1, GF_F32, SAME(RESIDENT), .filters = GF_BENCH_FILTERS},
};

static uint64_t longest_stage(const struct gf_sample *s)
{
    uint64_t ns = s->copy_in > s->kernel ? s->copy_in : s->kernel;
    return s->copy_out > ns ? s->copy_out : ns;
}

/* A daemon must at least be woken up and answer. On the CPU the picture must also be read and the result written once.
 * Any other device can at best hide all stages behind the longest one. */
static void set_floor(struct gf_bench_row *row, const struct gf_bench_work *w, uint64_t echo)
{
    const bool cpu = strcmp(row->devices, CPU) == 0;
    if (w->width == 0) {
        row->floor = (double)echo;
        row->floor_text = "echo";
    } else if (w->from == GF_BENCH_RESIDENT) {
        row->floor = (double)(echo + row->median.kernel);
        row->floor_text = "echo + kernel";
    } else {
        row->floor = (double)(echo + (cpu ? gf_bench_copy_ns(gf_bench_bytes(w)) : longest_stage(&row->median)));
        row->floor_text = cpu ? "echo + copy" : "echo + longest stage";
    }
}

int gf_bench_latency(struct gf_bench *b)
{
    const uint64_t echo = gf_bench_echo_ns();
    int code = GF_EXIT_OK;
    for (size_t i = 0; i < GF_ARRAY_LEN(works) && code == GF_EXIT_OK && !gf_bench_stopped(); i++) {
        struct gf_bench_client *client;
        code = gf_bench_group_run(b, &works[i], 1, &client);
        struct gf_bench_row *row = code == GF_EXIT_OK ? gf_bench_add(b, GF_BENCH_LATENCY, client, 1) : NULL;
        if (row)
            set_floor(row, &works[i], echo);
        gf_bench_group_deinit(&client, 1);
    }
    return code;
}
