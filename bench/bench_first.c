/* SPDX-License-Identifier: MIT */
/*
 * The cost of the first use of an expression or an operator beside the second use, on one device, without the daemon:
 * TEXTS texts, each new to the device, run twice on a small picture. As by default, a GPU compiles repeated texts while
 * jobs go on. usage: bench_first [DEVICE [SIDE]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_device.h"
#include "kernels/registry.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define TEXTS 100
#define ROOM 128

/* The parameters of a text. "%03d" in a parameter becomes a different number each time. */
static const struct {
    const char *name, *op, *words[6];
} rows[] = {
    {"expr, two operations", "expr", {"expression", "a*1.%03d + 1"}},
    {"expr, ten", "expr", {"expression", "clamp((a - 0.%03d)*1.25, 0, 1)*a + select(a > 0.5, a, 1 - a)"}},
    {"expr, functions", "expr", {"expression", "exp(-a*a*1.%03d) + sin(a)*cos(a)"}},
    {"reduce op=user", "reduce", {"op", "user", "lift", "a*1.%03d", "combine", "a0 + b0"}},
    {"scan op=user", "scan", {"op", "user", "lift", "a*1.%03d", "combine", "max(a0, b0)"}},
};

struct bench {
    struct bench_device on;
    struct gf_buf from, to;
};

static double run(const struct bench *b, const struct gf_step *step)
{
    struct gf_sink sink = {.buf = {b->to.data, step->out[0]}};
    const bool cancel = false;
    struct gf_error err = {0};
    struct gf_job job = {.steps = step,
                         .operands = &b->from,
                         .sinks = &sink,
                         .n_steps = 1,
                         .n_operands = 1,
                         .n_sinks = 1,
                         .cancel = &cancel};
    uint64_t begin = gf_now_ns();
    if (b->on.backend->run(b->on.exec, &job, &err) != GF_OK)
        bench_end("run", &err);
    return (double)(gf_now_ns() - begin) / 1e3;
}

/* Makes the step of text `number` of a row. The step points into `texts`. */
static void make(const struct bench *b, size_t row, int number, char texts[3][ROOM], struct gf_step *ret_step)
{
    struct gf_view in[GF_MAX_INPUTS] = {b->from.view};
    struct gf_error err = {0};
    *ret_step = (struct gf_step){.op = gf_op_by_name(rows[row].op)};
    gf_op_params_default(ret_step->op, &ret_step->params);
    for (uint32_t i = 1; i < GF_MAX_INPUTS; i++)
        ret_step->in[i].from = GF_FROM_NOTHING;
    for (uint32_t i = 0; i < 6 && rows[row].words[i] != NULL; i += 2) {
        const char *word = rows[row].words[i + 1], *at = strstr(word, "%03d");
        if (at == NULL)
            (void)snprintf(texts[i / 2], ROOM, "%s", word);
        else
            (void)snprintf(texts[i / 2], ROOM, "%.*s%03d%s", (int)(at - word), word, number, at + 4);
        if (gf_op_param_parse(ret_step->op, gf_op_param(ret_step->op, rows[row].words[i]), texts[i / 2],
                              &ret_step->params, &err) != GF_OK)
            bench_end(rows[row].name, &err);
    }
    if (gf_op_infer(ret_step->op, in, ret_step->op->n_inputs, &ret_step->params, ret_step->out, &err) != GF_OK)
        bench_end(rows[row].name, &err);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct bench *b, size_t row)
{
    double first[TEXTS], second[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        char texts[3][ROOM];
        struct gf_step step;
        make(b, row, i, texts, &step);
        first[i] = run(b, &step);
        second[i] = run(b, &step);
    }
    qsort(first, TEXTS, sizeof(first[0]), by_size);
    qsort(second, TEXTS, sizeof(second[0]), by_size);
    printf("| %s | %.0f | %.0f | %.0f | %.0f |\n", rows[row].name, first[TEXTS / 2], second[TEXTS / 2],
           first[TEXTS * 9 / 10], second[TEXTS * 9 / 10]);
}

int main(int argc, char **argv)
{
    int compiled = gf_cuda_compiler(argc, argv, NULL);
    if (compiled >= 0)
        return compiled;
    struct bench b = {0};
    const struct gf_device_options options = {.device = argc > 1 ? argv[1] : "cpu", .threads = 2};
    uint64_t side = argc > 2 ? strtoull(argv[2], NULL, 10) : 512;
    bench_device_open(&b.on, &options);
    b.from.view = gf_view_tight(GF_F32, side, side, 1);
    b.from.data = bench_memory(&b.on, (size_t)gf_view_bytes(&b.from.view));
    b.to.data = bench_memory(&b.on, (size_t)(side * side * 8));
    puts("| text | first us | second us | first, 90 % | second, 90 % |\n| --- | --- | --- | --- | --- |");
    for (size_t row = 0; row < GF_ARRAY_LEN(rows); row++)
        measure(&b, row);
    b.on.backend->exec_close(b.on.exec);
    b.on.backend->close(b.on.device);
    return EXIT_SUCCESS;
}
