/* SPDX-License-Identifier: MIT */
/*
 * What fusing the steps of a program saves: programs of two to four steps on a large picture, alternately fused and
 * step by step, on one device, without the daemon. On a GPU pictures are resident and times are kernel times. usage:
 * bench_fuse [DEVICE [SIDE [THREADS]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_device.h"
#include "kernels/registry.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/op_codec.h"

#define STEPS 4u
#define RUNS 9

/* An op and up to two parameters, as name, value. */
struct step {
    const char *op, *words[4];
};

static const struct {
    const char *name;
    struct step steps[STEPS];
} programs[] = {
    {"four maps",
     {{"map", {"scale", "1.1", "offset", "-3"}},
      {"map", {"scale", "0.9", "offset", "7"}},
      {"map", {"scale", "1.2", "offset", "-9"}},
      {"map", {"scale", "-1", "offset", "255"}}}},
    {"map, expr, map, threshold",
     {{"map", {"scale", "1.2", "offset", "-10"}},
      {"expr", {"expression", "clamp(a*0.9 + 4, 0, 255)"}},
      {"map", {"scale", "-1", "offset", "255"}},
      {"threshold", {"value", "120", "channels", "each"}}}},
    {"four expressions",
     {{"expr", {"expression", "a*0.9 + 4"}},
      {"expr", {"expression", "max(a, 10)"}},
      {"expr", {"expression", "min(a, 200)"}},
      {"expr", {"expression", "255 - a"}}}},
    {"by way of f32",
     {{"map", {"dtype", "f32"}},
      {"expr", {"expression", "sqrt(a)*16"}},
      {"expr", {"expression", "select(a > 100, a, 0)"}},
      {"map", {"dtype", "u8"}}}},
    {"gaussian, sobel, threshold",
     {{"gaussian", {"sigma", "2"}}, {"sobel", {NULL}}, {"threshold", {"value", "100", "channels", "each"}}}},
    {"gaussian, expr, threshold",
     {{"gaussian", {"sigma", "2"}},
      {"expr", {"expression", "clamp(a*1.2 - 20, 0, 255)"}},
      {"threshold", {"value", "120", "channels", "each"}}}},
    {"map, gaussian", {{"map", {"scale", "1.2", "offset", "-10"}}, {"gaussian", {"sigma", "2"}}}},
    {"sobel, map", {{"sobel", {NULL}}, {"map", {"scale", "0.5", "dtype", "u8"}}}},
    {"box, threshold", {{"box", {"size", "5"}}, {"threshold", {"value", "120", "channels", "each"}}}},
    {"gaussian sigma 10, map", {{"gaussian", {"sigma", "10"}}, {"map", {"scale", "2"}}}},
};

struct bench {
    struct bench_device on;
    uint32_t threads;
    struct gf_program programs[2]; /* step by step, fused */
    struct place {
        struct gf_buf buf;
        bool resident;
    } from, to[2]; /* in host memory */
};

static void build(struct bench *b, const struct step *steps, const struct gf_view *view)
{
    struct gf_program *p = &b->programs[0];
    struct gf_error err = {0};
    uint32_t n = 0;
    memset(p, 0, sizeof(*p));
    memcpy(p->device, "auto", sizeof("auto"));
    p->operands[p->n_operands++] =
        (struct gf_operand){.way = GF_WAY_ARENA, .id = 1, .length = gf_view_bytes(view), .view = *view};
    for (uint32_t s = 0; s < STEPS && steps[s].op != NULL; s++, n++) {
        struct gf_step *step = &p->steps[p->n_steps++];
        step->op = gf_op_by_name(steps[s].op);
        gf_op_params_default(step->op, &step->params);
        for (uint32_t i = 0; i < GF_MAX_INPUTS; i++)
            step->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
        step->in[0] = s == 0 ? (struct gf_ref){.index = 0} : (struct gf_ref){GF_FROM_STEP, 0, (uint16_t)(s - 1)};
        for (uint32_t i = 0; i < 4 && steps[s].words[i] != NULL; i += 2)
            if (gf_op_param_parse(step->op, gf_op_param(step->op, steps[s].words[i]), steps[s].words[i + 1],
                                  &step->params, &err) != GF_OK)
                bench_end(steps[s].op, &err);
    }
    p->results[p->n_results++] = (struct gf_result){.step = (uint16_t)(n - 1), .way = GF_WAY_INLINE};
    if (gf_program_check(p, true, &err) != GF_OK)
        bench_end("program", &err);
    b->programs[1] = *p;
}

/* Runs the steps on a picture in host memory or on the device. */
static struct gf_times run_steps(const struct bench *b, const struct gf_step *steps, uint32_t n, bool unfused,
                                 const struct place *from, const struct place *to, uint64_t *ret_carried)
{
    const struct gf_sink sink = {.step = (uint16_t)(n - 1), .buf = to->buf};
    const bool cancel = false;
    struct gf_error err = {0};
    struct gf_job job = {.steps = steps,
                         .operands = &from->buf,
                         .sinks = &sink,
                         .n_steps = n,
                         .n_operands = 1,
                         .n_sinks = 1,
                         .resident_operands = from->resident,
                         .resident_sinks = to->resident,
                         .unfused = unfused,
                         .carried = ret_carried,
                         .cancel = &cancel};
    if (b->on.backend->run(b->on.exec, &job, &err) != GF_OK)
        bench_end("run", &err);
    return job.times;
}

static void move(const struct bench *b, const struct place *from, const struct place *to)
{
    struct gf_step step = {.op = gf_op_by_name("copy")};
    gf_op_params_default(step.op, &step.params);
    step.out[0] =
        gf_view_tight(from->buf.view.dtype, from->buf.view.width, from->buf.view.height, from->buf.view.channels);
    (void)run_steps(b, &step, 1, false, from, to, NULL);
}

static struct place place_of(const struct bench *b, const struct place *host)
{
    struct place place = *host;
    struct gf_error err = {0};
    place.resident = b->threads == 0;
    if (place.resident && b->on.backend->buffer_new(b->on.device, &host->buf.view, &place.buf, &err) != GF_OK)
        bench_end("buffer", &err);
    return place;
}

static void leave(const struct bench *b, struct place *place)
{
    if (place->resident)
        b->on.backend->buffer_free(b->on.device, &place->buf);
}

static void measure(struct bench *b, const char *name, const char *picture)
{
    struct gf_footprint work[2];
    struct gf_fused fused;
    double best[2] = {0};
    uint64_t carried = 0, begin = gf_now_ns();
    gf_fuse(&b->programs[1], b->threads, false, &fused);
    double planned = (double)(gf_now_ns() - begin) / 1e3;
    b->to[0].buf.view = b->to[1].buf.view = b->programs[0].results[0].view;
    struct place from = place_of(b, &b->from), to = place_of(b, &b->to[0]);
    move(b, &b->from, &from);
    for (uint32_t i = 0; i < 2 * RUNS; i++) {
        const struct gf_program *p = &b->programs[i % 2];
        begin = gf_now_ns();
        const struct gf_times times =
            run_steps(b, p->steps, p->n_steps, i % 2 == 0, &from, &to, i % 2 == 0 ? NULL : &carried);
        double ms = (double)(b->threads == 0 ? times.kernel : gf_now_ns() - begin) / 1e6;
        best[i % 2] = i < 2 || ms < best[i % 2] ? ms : best[i % 2];
        if (i >= 2 * RUNS - 2)
            move(b, &to, &b->to[i % 2]);
    }
    leave(b, &from);
    leave(b, &to);
    for (uint32_t i = 0; i < 2; i++)
        gf_footprint_find(&b->programs[i], b->threads, false, &work[i]);
    printf("| %s | %s | %.3f | %.3f | %.2f | %.0f | %.0f | %.0f |%s%s\n", picture, name, best[0], best[1],
           best[1] / best[0], (double)work[0].work / 1e6, (double)work[1].work / 1e6, planned,
           fused.n_runs == 0 && carried == 0 ? " not fused" : "",
           memcmp(b->to[0].buf.data, b->to[1].buf.data, (size_t)gf_view_bytes(&b->to[0].buf.view)) != 0
               ? " RESULTS DIFFER"
               : "");
    gf_fused_deinit(&fused);
}

static void fill(const struct gf_buf *buf)
{
    size_t n = (size_t)gf_view_samples(&buf->view);
    for (size_t i = 0; i < n; i++) {
        uint32_t v = (uint32_t)(i * 2654435761u) >> 24;
        if (buf->view.dtype == GF_F32)
            ((float *)buf->data)[i] = (float)v;
        else
            ((uint8_t *)buf->data)[i] = (uint8_t)v;
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint32_t dtype, channels;
    } pictures[] = {{"f32", GF_F32, 1}, {"u8", GF_U8, 1}, {"u8 RGB", GF_U8, 3}, {"u8 RGBA", GF_U8, 4}};
    int compiled = gf_cuda_compiler(argc, argv, NULL);
    if (compiled >= 0)
        return compiled;
    static struct bench b; /* too large for the stack */
    uint64_t side = argc > 2 ? strtoull(argv[2], NULL, 10) : 8192;
    struct gf_device_options options = {.device = argc > 1 ? argv[1] : "cpu", .compile = GF_COMPILE_ALL};
    options.threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 2;
    b.threads = strcmp(options.device, "cpu") == 0 ? options.threads : 0;
    bench_device_open(&b.on, &options);
    b.from.buf.data = bench_memory(&b.on, (size_t)(side * side * 4));
    b.to[0].buf.data = bench_memory(&b.on, (size_t)(side * side * 4));
    b.to[1].buf.data = bench_memory(&b.on, (size_t)(side * side * 4));
    puts("| picture | steps | unfused ms | fused ms | ratio | unfused MB | fused MB | planned in us |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < GF_ARRAY_LEN(pictures); i++)
        for (size_t k = 0; k < GF_ARRAY_LEN(programs); k++) {
            uint64_t width = pictures[i].dtype == GF_U8 ? side / pictures[i].channels : side;
            b.from.buf.view = gf_view_tight(pictures[i].dtype, width, side, pictures[i].channels);
            fill(&b.from.buf);
            build(&b, programs[k].steps, &b.from.buf.view);
            measure(&b, programs[k].name, pictures[i].name);
        }
    return EXIT_SUCCESS;
}
