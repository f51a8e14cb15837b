/* SPDX-License-Identifier: MIT */
/* Cost estimates: what they grow with, data that is not copied, and how answers correct them. */
#include "server/front/resource/cost.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/params/gaussian.h"
#include "tests/unit/unit.h"

/* The work of one step, whose needs it has itself. */
struct one {
    struct gf_program program;
    struct gf_step_cost needs[2];
    struct gf_work work;
};

static void describe(struct one *one, const char *op, uint32_t side, uint8_t way)
{
    struct gf_program *p = &one->program;
    memset(p, 0, sizeof *p);
    strcpy(p->device, "auto");
    p->n_operands = p->n_steps = p->n_results = 1;
    p->operands[0] = (struct gf_operand){.way = way, .view = gf_view_tight(GF_F32, side, side, 1)};
    p->operands[0].length = way == GF_WAY_HANDLE ? 0 : gf_view_bytes(&p->operands[0].view);
    p->steps[0].op = gf_op_by_name(op);
    for (uint32_t i = 1; i < GF_MAX_INPUTS; i++)
        p->steps[0].in[i].from = GF_FROM_NOTHING;
    gf_op_params_default(p->steps[0].op, &p->steps[0].params);
    p->results[0] = (struct gf_result){.way = way, .view = p->operands[0].view};
    one->work.needs = one->needs;
}

static const struct gf_work *finish(struct one *one)
{
    struct gf_error error = {0};
    if (gf_program_check(&one->program, true, &error) != GF_OK)
        assert_string_equal(error.text, "");
    gf_work_describe(&one->program, &one->work);
    return &one->work;
}

static const struct gf_work *simple(struct one *one, const char *op, uint32_t side, uint8_t way)
{
    describe(one, op, side, way);
    return finish(one);
}

static const struct gf_work *blur(struct one *one, uint32_t side, float sigma)
{
    describe(one, "gaussian", side, GF_WAY_INLINE);
    GF_SET_PARAM(&one->program.steps[0].params, gaussian, sigma, (struct gf_f32v){.n = 1, .v = {sigma}});
    return finish(one);
}

static void work_is_what_the_program_says(void **state)
{
    UNUSED(state);
    static struct one one;
    const struct gf_work *work = simple(&one, "copy", 100, GF_WAY_INLINE);
    assert_int_equal(work->n_needs, 1);
    assert_int_equal(work->in, 40000);
    assert_int_equal(work->out, 40000);
    assert_int_equal(one.needs[0].index, GF_INDEX_copy);
    assert_int_equal(one.needs[0].dtypes, GF_DT(GF_F32));
    assert_true(one.needs[0].touched == 80000);
    assert_true(one.needs[0].taps == 10000);
    work = simple(&one, "copy", 100, GF_WAY_HANDLE);
    assert_int_equal(work->in + work->out, 0);
    assert_true(one.needs[0].touched == 80000);
    /* Radius 4, both axes: along all rows that are read, then along columns. */
    blur(&one, 100, 1);
    assert_true(one.needs[0].taps == 100.0 * (100 * (1 + 9) + 101 * 9));
    /* Each of 100 x 100 sums has 100 products. */
    describe(&one, "matmul", 100, GF_WAY_INLINE);
    one.program.n_operands = 2;
    one.program.operands[1] = one.program.operands[0];
    one.program.steps[0].in[1] = (struct gf_ref){.index = 1};
    finish(&one);
    assert_true(one.needs[0].taps == 1e6);
    /* 9 taps each. */
    describe(&one, "correlate", 100, GF_WAY_INLINE);
    one.program.n_operands = 2;
    one.program.operands[1] = (struct gf_operand){.way = GF_WAY_INLINE, .view = gf_view_tight(GF_F32, 3, 3, 1)};
    one.program.operands[1].length = 36;
    one.program.steps[0].in[1] = (struct gf_ref){.index = 1};
    finish(&one);
    assert_true(one.needs[0].taps == (10000 + 200) * 9); /* and the mask is prepared */
}

/* Work on 100 x 80 samples, with a second input if the op has one. */
static const struct {
    const char *op;
    uint32_t dtype;
    uint64_t width, height; /* of input 1; 0: none */
    uint32_t dtype1;        /* 0: that of input 0 */
    double taps;
} counts[] = {
    {"correlate", GF_U8, 5, 3, GF_F32, 8200 * 15},
    {"convolve", GF_F32, 7, 1, 0, 8200 * 7},
    {"gaussian", GF_U8, 0, 0, 0, 100 * (80 * (1 + 17) + 81 * 17)}, /* radius 8 */
    {"unsharp", GF_U8, 0, 0, 0, 100 * (80 * (1 + 9) + 81 * 9)},    /* radius 4 */
    {"log", GF_U8, 0, 0, 0, 100 * (80 * (1 + 2 * 17) + 81 * 2 * 17)},
    {"box", GF_U8, 0, 0, 0, 2 * (82 * (102 + 200) * (1 + 2) + 82 * (100 + 200) * (1 + 2))}, /* 3 is two bits */
    {"median", GF_U8, 0, 0, 0, 8 * 8000},
    {"sharpen", GF_U8, 0, 0, 0, 8000 * 5},
    {"sobel", GF_U8, 0, 0, 0, 8000 * 12}, /* two masks of six */
    {"scharr", GF_U8, 0, 0, 0, 8000 * 12},
    {"prewitt", GF_U8, 0, 0, 0, 8000 * 12},
    {"laplacian", GF_U8, 0, 0, 0, 8000 * 9},
    {"emboss", GF_U8, 0, 0, 0, 8000 * 7},
    {"map", GF_U8, 0, 0, 0, 8000},
    {"map", GF_U8, 256, 1, 0, 8000 + 256}, /* a table */
    {"combine", GF_U8, 100, 80, 0, 8000},
    {"compare", GF_U8, 100, 80, 0, 8000},
    {"dot", GF_F32, 100, 80, 0, 8000},
    {"threshold", GF_U8, 0, 0, 0, 8 * 8000 + 96 * 256}, /* counts, then compares */
    {"equalize", GF_U8, 0, 0, 0, 8 * 8000 + 96 * 256},
    {"autocontrast", GF_U16, 0, 0, 0, 8 * 8000 + 96 * 65536},
    {"clahe", GF_U8, 0, 0, 0, 24 * 8000 + 256 * (96 * 64 + 16 * 9 * 16)},
    {"bilateral", GF_U8, 0, 0, 0, 8000 * (1 + M_PI * 3 * 3) * 8}, /* radius 3 */
    {"copy", GF_U8, 0, 0, 0, 8000},
    {"expr", GF_U8, 0, 0, 0, 8000 * (1 + 6 * 7)}, /* of seven characters */
    {"histogram", GF_U8, 0, 0, 0, 8 * 8000 + 96 * 256},
    {"histogram", GF_U8, 20001, 1, GF_F64, 8 * 20001 + 96 * 20000 + 20001}, /* edges in, and edges out */
    {"reduce", GF_U8, 0, 0, 0, 3 * (8000 + 1)},
    {"reduce", GF_U16, 11, 1, GF_U32, 3 * 2 * (8000 + 10) + 2000 * 11},
    {"stats", GF_U8, 0, 0, 0, 8000},
    {"scan", GF_U8, 0, 0, 0, 16 * 8000},
    {"scan", GF_U8, 11, 1, GF_U32, 16 * 8000 + 2000 * 11},
    {"recurrence", GF_F32, 0, 0, 0, 8000},
    {"integral", GF_U8, 0, 0, 0, 2 * 8000},                                  /* rows, then columns */
    {"select", GF_U8, 0, 0, 0, 2 * 8000},                                    /* counts, then moves */
    {"erode", GF_U8, 0, 0, 0, 102 * 82 * (1 + 2) + 8000 * 2 + 82 * 2 * 200}, /* 3 x 3 by its bits */
    {"opening", GF_U8, 5, 3, GF_F32,
     2 * (104 * 82 * (1 + 2) + 8000 * 2 * 5 + 80 * 2 * 5 * 200)}, /* a mask by its columns */
    {"convolve1d", GF_U8, 7, 1, 0, 8000 * 7},
    {"correlate1d", GF_F32, 9, 1, 0, 8000 * 9},
    {"matmul", GF_F32, 50, 100, 0, 80 * 50 * 100},
    {"matmul", GF_F32, 1, 100, 0, 80 * 1 * 100},
};

struct request {
    const char *op, *params;
    uint32_t dtype, channels, width, height;
    uint32_t mask; /* side of input 1; 0: none */
};

/* Requests whose parameters ask for far more than one look at each sample: what is done, counted apart from the model,
 * and the taps that each of it takes. */
static const struct {
    struct request request;
    double counted, each;
} heavy[] = {
    /* products: a chain for each column and row, then one for each pixel */
    {{"resize", "size=1x65535 filter=lanczos3", GF_U8, 1, 65535, 4, 0}, 65535.0 * 65535 * (4 + 1), 1},
    {{"resize", "size=16x16384 filter=lanczos3", GF_U8, 1, 16384, 16, 0}, 16384.0 * (16384 * 6 + 16 * 6144), 1},
    {{"resize", "size=65534x1 filter=lanczos3", GF_U8, 1, 65535, 1, 0}, 65534.0 * 7, 400}, /* weights */
    /* lists of one sample each, a lookup in four of 64 samples, bins of tables */
    {{"clahe", "tiles=32", GF_U16, 4, 32, 32, 0}, 4 * 1024, 6000},
    {{"clahe", "tiles=32", GF_U16, 1, 256, 256, 0}, 256.0 * 256 * 4 * 6, 100},
    {{"clahe", "tiles=8", GF_U16, 1, 512, 512, 0}, 64.0 * 65536, 100},
    {{"clahe", "tiles=32", GF_U8, 4, 32, 32, 0}, 4.0 * 1024 * 256, 100},
    /* twelve doublings and as many additions, of the picture's rows and then of all columns */
    {{"box", "size=4095", GF_F32, 4, 256, 256, 0}, 4 * 24.0 * (256 * 2 * 4350 + 4350 * 256), 1},
    {{"box", "size=4095", GF_U8, 1, 1, 1, 0}, 2 * 12.0 * 4095, 200}, /* lines of one sample */
    /* keys that are exchanged, or sorted */
    {{"median", "size=255", GF_F32, 1, 256, 256, 0}, 256.0 * 256 * 2 * 255 + 256 * 65025, 64},
    {{"median", "size=1x255", GF_F32, 1, 256, 256, 0}, 256.0 * 256, 1500},
    {{"median", "size=255", GF_F32, 1, 1, 1, 0}, 255.0 * 255, 250},
    {{"rank", "size=7 index=3", GF_F32, 1, 256, 256, 0}, 256.0 * 256 * 49 * 32, 2},
    /* members of a mask, of which 24 are expected to share a line, and lines; rows of a wide gaussian, and columns that
       are far */
    {{"erode", "", GF_U8, 1, 256, 256, 255}, 256.0 * 256 * 255 * 255, 1 / 12.0},
    {{"gaussian", "sigma=60 truncate=32", GF_U8, 1, 256, 256, 0}, 256.0 * 256 * 3841 * (1 + 4), 1},
    {{"correlate", "", GF_F32, 1, 1, 1, 255}, 255.0 * 255, 200},
    {{"histogram", "bins=1000000 lo=0 hi=1", GF_F32, 1, 16, 1, 0}, 1e6, 100},
};

static void taps_of_every_op_are_what_they_are(void **state)
{
    UNUSED(state);
    static struct one one;
    bool seen[GF_WORK_EXPRESSION + 1] = {false};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct gf_program *p = &one.program;
        describe(&one, counts[i].op, 100, GF_WAY_INLINE);
        if (p->steps[0].op->index == GF_INDEX_expr)
            GF_SET_PARAM(&p->steps[0].params, expr, expression, (struct gf_text){.size = 7, .chars = "a*2 + 1"});
        p->operands[0].view = gf_view_tight(counts[i].dtype, 100, 80, 1);
        p->operands[0].length = gf_view_bytes(&p->operands[0].view);
        if (counts[i].width > 0) {
            uint32_t dtype = counts[i].dtype1 ? counts[i].dtype1 : counts[i].dtype;
            struct gf_view view = gf_view_tight(dtype, counts[i].width, counts[i].height, 1);
            p->n_operands = 2;
            p->operands[1] = (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&view), .view = view};
            p->steps[0].in[1] = (struct gf_ref){.index = 1};
        }
        p->results[0].view = (struct gf_view){0};
        finish(&one);
        seen[p->steps[0].op->work.kind] = true;
        if (one.needs[0].taps < counts[i].taps || one.needs[0].taps > counts[i].taps)
            fail_msg("%s (row %zu): %.0f taps, not %.0f", counts[i].op, i, one.needs[0].taps, counts[i].taps);
    }
    for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++)
        seen[gf_op_by_name(heavy[i].request.op)->work.kind] = true;
    /* Every op says its kind of work, or does not compile. */
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        if (gf_ops[i].work.kind > GF_WORK_EXPRESSION || !seen[gf_ops[i].work.kind])
            fail_msg("%s: its kind of work, %d, is not counted here", gf_ops[i].name, (int)gf_ops[i].work.kind);
}

static const struct gf_step_cost *ask(struct one *one, const struct request *request)
{
    struct gf_program *p = &one->program;
    char words[64], *rest = words;
    describe(one, request->op, 1, GF_WAY_INLINE);
    strcpy(words, request->params);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_int_equal(
            gf_op_param_parse(p->steps[0].op, gf_op_param(p->steps[0].op, word), value, &p->steps[0].params, NULL),
            GF_OK);
    }
    p->operands[0].view = gf_view_tight(request->dtype, request->width, request->height, request->channels);
    p->operands[0].length = gf_view_bytes(&p->operands[0].view);
    if (request->mask > 0) {
        struct gf_view view = gf_view_tight(GF_F32, request->mask, request->mask, 1);
        p->n_operands = 2;
        p->operands[1] = (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&view), .view = view};
        p->steps[0].in[1] = (struct gf_ref){.index = 1};
    }
    p->results[0].view = (struct gf_view){0};
    finish(one);
    return &one->needs[0];
}

static void heavy_parameters_are_counted(void **state)
{
    UNUSED(state);
    static struct one one;
    for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++) {
        const double taps = ask(&one, &heavy[i].request)->taps, ratio = taps / (heavy[i].counted * heavy[i].each);
        if (ratio < 0.5 || ratio > 2)
            fail_msg("%s %s (row %zu): %.0f taps for %.0f", heavy[i].request.op, heavy[i].request.params, i, taps,
                     heavy[i].counted * heavy[i].each);
    }
}

/* Two requests on equal data, and how many times the work of the second the first one is: at least, and at most. */
static const struct {
    const char *dear, *its, *cheap, *others; /* ops and their parameters */
    uint32_t dtype, channels, width, height;
    uint32_t mask; /* of the first */
    double least, most;
} pairs[] = {
    /* one sequence of up to 2^18 is sorted by one thread; columns and rows are shared; a long one leaves the cache */
    {"sort", "", "sort", "axis=cols", GF_F64, 1, 512, 256, 0, 16, 16},
    {"sort", "", "sort", "axis=rows", GF_F64, 1, 1024, 4096, 0, 2, 2},
    {"argsort", "", "sort", "", GF_F64, 1, 131072, 1, 0, 1.4, 2},
    {"topk", "k=131072", "argsort", "", GF_F64, 1, 131072, 1, 0, 1, 1},
    {"topk", "k=65536", "topk", "k=10", GF_F32, 1, 262144, 1, 0, 3, 5},
    {"quantile", "", "quantile", "axis=cols", GF_F64, 1, 256, 256, 0, 12, 16},
    /* functions, but not names that contain theirs */
    {"expr", "expression=sin(a)", "expr", "expression=a*a+1", GF_F32, 1, 65536, 1, 0, 3, 5},
    {"expr", "expression=a%7%6%5", "expr", "expression=a+7+6+5", GF_I64, 1, 65536, 1, 0, 2, 4},
    {"expr", "expression=a//7//6", "expr", "expression=a+a+7+6", GF_I64, 1, 65536, 1, 0, 2, 4},
    {"expr", "expression=sin9=a;sin9", "expr", "expression=name=a;name", GF_F32, 1, 65536, 1, 0, 1, 1},
    {"scan", "op=user combine=pow(a0,b0)", "scan", "op=user combine=a0+1+1+b0", GF_F64, 1, 65536, 1, 0, 2, 4},
    {"scan", "op=user combine=a0+b0", "scan", "op=user combine=a0+b0 axis=cols", GF_F32, 1, 512, 512, 0, 1.5, 4},
    {"canny", "aperture=7", "canny", "", GF_U8, 1, 512, 512, 0, 1.5, 3},
    {"distance", "", "copy", "", GF_U8, 1, 512, 512, 0, 200, 400},
    {"label", "", "copy", "", GF_U8, 1, 512, 512, 0, 100, 200},
    /* weights that are 0 are not looked at */
    {"bilateral", "radius=127", "bilateral", "radius=26", GF_U8, 1, 64, 64, 0, 1, 1.1},
    {"bilateral", "radius=127 sigma_space=60", "bilateral", "radius=127", GF_U8, 1, 64, 64, 0, 20, 25},
    /* bins that are only cleared, and counters of each thread, which are summed up */
    {"histogram2d", "bins=4096", "histogram2d", "bins=64", GF_U8, 2, 256, 256, 0, 20, 40},
    {"erode", "", "erode", "size=255 shape=ellipse", GF_U8, 1, 256, 256, 255, 1.5, 6},
};

/* By a processor of sixteen threads. */
static void dear_requests_are_told_from_cheap_ones(void **state)
{
    UNUSED(state);
    static struct one one;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct request requests[] = {
            {pairs[i].dear, pairs[i].its, pairs[i].dtype, pairs[i].channels, pairs[i].width, pairs[i].height,
             pairs[i].mask},
            {pairs[i].cheap, pairs[i].others, pairs[i].dtype, pairs[i].channels, pairs[i].width, pairs[i].height, 0}};
        double work[2];
        for (uint32_t k = 0; k < 2; k++) {
            const struct gf_step_cost *need = ask(&one, &requests[k]);
            work[k] = (need->taps + need->cpu_taps) / (need->parts < 16 ? need->parts : 16);
        }
        const double ratio = work[0] / work[1];
        if (ratio < pairs[i].least || ratio > pairs[i].most)
            fail_msg("%s %s (row %zu): %.2f times the work of %s %s", pairs[i].dear, pairs[i].its, i, ratio,
                     pairs[i].cheap, pairs[i].others);
    }
}

/* Functions whose rare values are slow on a CPU, and digits that a CPU moves outside its cache, are neither on a GPU.
 */
static void a_gpu_is_not_charged_for_what_a_cpu_alone_takes(void **state)
{
    UNUSED(state);
    static struct one one;
    static struct gf_cost cpu, gpu;
    gf_cost_init(&cpu, true, 1);
    gf_cost_init(&gpu, false, 100);
    struct gf_step_cost *need = &one.needs[0];
    ask(&one, &(struct request){"expr", "expression=sin(sin(sin(a)))", GF_F32, 1, 4096, 4096, 0});
    const uint64_t on_cpu = gf_cost_estimate(&cpu, &one.work), on_gpu = gf_cost_estimate(&gpu, &one.work);
    need->cpu_taps = 0;
    assert_true(gf_cost_estimate(&cpu, &one.work) < on_cpu / 2);
    assert_int_equal(gf_cost_estimate(&gpu, &one.work), on_gpu);
    /* Work that only one thread can do takes as long with any number of them. */
    gf_cost_init(&cpu, true, 16);
    const uint64_t shared = gf_cost_estimate(&cpu, &one.work);
    need->parts = 1;
    assert_true(gf_cost_estimate(&cpu, &one.work) > 4 * shared);
    assert_int_equal(gf_cost_estimate(&gpu, &one.work), on_gpu);
}

/* The outer product of m and n numbers takes m n products. */
static void an_outer_product_is_no_product_of_matrices(void **state)
{
    UNUSED(state);
    static struct one one;
    describe(&one, "matmul", 1, GF_WAY_INLINE);
    one.program.n_operands = 2;
    one.program.operands[0].view = gf_view_tight(GF_F32, 1, 8, 1);
    one.program.operands[0].length = 32;
    one.program.operands[1] = one.program.operands[0];
    one.program.operands[1].view = gf_view_tight(GF_F32, 1000, 1, 1);
    one.program.operands[1].length = 4000;
    one.program.steps[0].in[1] = (struct gf_ref){.index = 1};
    one.program.results[0].view = (struct gf_view){0};
    finish(&one);
    assert_true(one.needs[0].taps == 8000);
}

static void estimates_grow_with_the_work(void **state)
{
    UNUSED(state);
    static struct one small, big, wide, here;
    static struct gf_cost cpu, gpu;
    gf_cost_init(&cpu, true, 2);
    gf_cost_init(&gpu, false, 100);
    simple(&small, "copy", 64, GF_WAY_INLINE);
    simple(&big, "copy", 4096, GF_WAY_INLINE);
    simple(&here, "copy", 4096, GF_WAY_HANDLE);
    blur(&wide, 4096, 100);
    /* Copying to a GPU does not pay for small data; it pays for many taps. */
    assert_true(gf_cost_estimate(&cpu, &small.work) < gf_cost_estimate(&gpu, &small.work));
    assert_true(gf_cost_estimate(&gpu, &wide.work) < gf_cost_estimate(&cpu, &wide.work));
    assert_true(gf_cost_estimate(&cpu, &big.work) > 10 * gf_cost_estimate(&cpu, &small.work));
    assert_true(gf_cost_estimate(&cpu, &wide.work) > 10 * gf_cost_estimate(&cpu, &big.work));
    /* Data on the device is not copied; the CPU never copies. */
    assert_true(gf_cost_estimate(&gpu, &big.work) > 5 * gf_cost_estimate(&gpu, &here.work));
    assert_int_equal(gf_cost_estimate(&cpu, &big.work), gf_cost_estimate(&cpu, &here.work));
    /* The longest that there can be is an hour. */
    here.needs[0].taps = 1e30;
    assert_int_equal(gf_cost_estimate(&cpu, &here.work), UINT64_C(3600) * 1000000000);
}

/* The kernel alone, as an estimate sees it. */
static uint64_t kernel(const struct gf_cost *cost, const struct gf_work *work)
{
    struct gf_work alone = {.needs = work->needs, .n_needs = work->n_needs};
    return gf_cost_estimate(cost, &alone) - (uint64_t)cost->start_ns;
}

static void answers_correct_estimates(void **state)
{
    UNUSED(state);
    static struct one one, other, small;
    static struct gf_cost cpu;
    gf_cost_init(&cpu, true, 1);
    simple(&one, "copy", 1024, GF_WAY_INLINE);
    simple(&other, "map", 1024, GF_WAY_INLINE);
    simple(&small, "copy", 8, GF_WAY_INLINE);
    uint64_t tiny = kernel(&cpu, &small.work), truth = 50 * kernel(&cpu, &one.work);
    struct gf_stage_times times = {.kernel = truth};
    for (uint32_t i = 0; i < 30; i++)
        gf_cost_learn(&cpu, &one.work, &times);
    assert_in_range(kernel(&cpu, &one.work), truth * 95 / 100, truth * 105 / 100);
    /* An op that never ran is estimated as equally slow; an op that ran at another size keeps its own figure. */
    assert_in_range(kernel(&cpu, &other.work), truth / 2, truth * 2);
    times.kernel = tiny;
    for (uint32_t i = 0; i < 40; i++)
        gf_cost_learn(&cpu, &small.work, &times);
    assert_in_range(kernel(&cpu, &small.work), tiny * 9 / 10, tiny * 11 / 10 + 1);
    assert_in_range(kernel(&cpu, &one.work), truth * 95 / 100, truth * 105 / 100);
}

static void one_answer_that_is_far_off_moves_little(void **state)
{
    UNUSED(state);
    static struct one one;
    static struct gf_cost cpu;
    gf_cost_init(&cpu, true, 1);
    simple(&one, "copy", 1024, GF_WAY_INLINE);
    uint64_t usual = kernel(&cpu, &one.work);
    struct gf_stage_times times = {.kernel = usual}, slow = {.kernel = 1000 * usual};
    gf_cost_learn(&cpu, &one.work, &slow); /* the first one of all */
    assert_in_range(kernel(&cpu, &one.work), usual, usual * 125 / 100);
    for (uint32_t i = 0; i < 20; i++)
        gf_cost_learn(&cpu, &one.work, &times);
    assert_in_range(kernel(&cpu, &one.work), usual * 98 / 100, usual * 102 / 100);
    times.kernel = usual * 99 / 100;
    gf_cost_learn(&cpu, &one.work, &times);
    gf_cost_learn(&cpu, &one.work, &slow);
    assert_in_range(kernel(&cpu, &one.work), usual, usual * 125 / 100);
}

static void copies_are_learned_apart_from_kernels(void **state)
{
    UNUSED(state);
    static struct one one, here;
    static struct gf_cost gpu;
    gf_cost_init(&gpu, false, 1);
    simple(&one, "copy", 4096, GF_WAY_INLINE);
    simple(&here, "copy", 4096, GF_WAY_HANDLE);
    uint64_t before = gf_cost_estimate(&gpu, &here.work);
    struct gf_stage_times times = {.copy_in = 10000000, .kernel = kernel(&gpu, &one.work), .copy_out = 20000000};
    for (uint32_t i = 0; i < 40; i++)
        gf_cost_learn(&gpu, &one.work, &times);
    assert_in_range(gf_cost_estimate(&gpu, &one.work), 28500000, 31500000);
    assert_in_range(gf_cost_estimate(&gpu, &here.work), before * 9 / 10, before * 11 / 10);
    assert_int_equal(gf_cost_measured(&gpu, &times),
                     times.copy_in + times.kernel + times.copy_out + (uint64_t)gpu.start_ns);
}

static void a_device_that_seemed_slow_is_tried_again(void **state)
{
    UNUSED(state);
    static struct one one;
    static struct gf_cost gpu;
    gf_cost_init(&gpu, false, 1);
    simple(&one, "copy", 4096, GF_WAY_INLINE);
    uint64_t usual = kernel(&gpu, &one.work);
    struct gf_stage_times slow = {.kernel = 100 * usual};
    for (uint32_t i = 0; i < 40; i++)
        gf_cost_learn(&gpu, &one.work, &slow);
    assert_true(kernel(&gpu, &one.work) > 90 * usual);
    for (uint32_t i = 0; i < 100; i++)
        gf_cost_pass(&gpu, &one.work);
    assert_true(kernel(&gpu, &one.work) > 80 * usual);
    for (uint32_t i = 0; i < 40000; i++)
        gf_cost_pass(&gpu, &one.work);
    assert_in_range(kernel(&gpu, &one.work), usual, 11 * usual / 10);
    /* What seemed quick stays so. */
    struct gf_stage_times quick = {.kernel = usual / 10};
    for (uint32_t i = 0; i < 40; i++)
        gf_cost_learn(&gpu, &one.work, &quick);
    for (uint32_t i = 0; i < 40000; i++)
        gf_cost_pass(&gpu, &one.work);
    assert_in_range(kernel(&gpu, &one.work), usual / 12, usual / 8);
}

static uint64_t kernel_of(const struct gf_cost *cost, const struct gf_work *work, uid_t uid)
{
    struct gf_work alone = {.needs = work->needs, .n_needs = work->n_needs, .user = uid};
    return gf_cost_estimate(cost, &alone) - (uint64_t)cost->start_ns;
}

/* One user's answers move another user's estimates within bounds, and not at all once the other has its own answers. */
static void users_do_not_teach_each_other_lies(void **state)
{
    UNUSED(state);
    static struct one one;
    static struct gf_cost cpu;
    gf_cost_init(&cpu, true, 1);
    simple(&one, "copy", 1024, GF_WAY_INLINE);
    uint64_t usual = kernel_of(&cpu, &one.work, 1);
    struct gf_stage_times quick = {.kernel = 1}, slow = {.kernel = 10000 * usual}, right = {.kernel = usual};
    one.work.user = 65001;
    for (uint32_t i = 0; i < 200; i++)
        gf_cost_learn(&cpu, &one.work, &quick);
    assert_in_range(kernel_of(&cpu, &one.work, 65001), usual / 8 - 1, usual / 8 + 1); /* an eighth is the least */
    assert_in_range(kernel_of(&cpu, &one.work, 1), usual / 8 - 1, usual / 8 + 1);
    for (uint32_t i = 0; i < 200; i++)
        gf_cost_learn(&cpu, &one.work, &slow);
    assert_true(kernel_of(&cpu, &one.work, 65001) > 5000 * usual);
    assert_in_range(kernel_of(&cpu, &one.work, 1), usual, 4 * usual + 4);
    one.work.user = 1;
    for (uint32_t i = 0; i < 20; i++)
        gf_cost_learn(&cpu, &one.work, &right);
    assert_in_range(kernel_of(&cpu, &one.work, 1), usual * 95 / 100, usual * 105 / 100);
    one.work.user = 65001;
    for (uint32_t i = 0; i < 200; i++)
        gf_cost_learn(&cpu, &one.work, &slow);
    assert_in_range(kernel_of(&cpu, &one.work, 1), usual * 95 / 100, usual * 105 / 100);
    /* If there are more users than places, the most recent users are kept. */
    for (uid_t uid = 70000; uid < 70000 + 2 * GF_COST_USERS; uid++) {
        one.work.user = uid;
        gf_cost_learn(&cpu, &one.work, &right);
    }
    assert_in_range(kernel_of(&cpu, &one.work, 65001), usual / 8 - 1, 4 * usual + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_what_the_program_says),
        cmocka_unit_test(taps_of_every_op_are_what_they_are),
        cmocka_unit_test(heavy_parameters_are_counted),
        cmocka_unit_test(dear_requests_are_told_from_cheap_ones),
        cmocka_unit_test(a_gpu_is_not_charged_for_what_a_cpu_alone_takes),
        cmocka_unit_test(an_outer_product_is_no_product_of_matrices),
        cmocka_unit_test(estimates_grow_with_the_work),
        cmocka_unit_test(answers_correct_estimates),
        cmocka_unit_test(one_answer_that_is_far_off_moves_little),
        cmocka_unit_test(copies_are_learned_apart_from_kernels),
        cmocka_unit_test(a_device_that_seemed_slow_is_tried_again),
        cmocka_unit_test(users_do_not_teach_each_other_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
