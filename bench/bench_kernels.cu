/* SPDX-License-Identifier: MIT */
/*
 * bench_kernels: how fast the CUDA kernels are on data that lies on the device, beside a device-to-device copy of the
 * same run. Prints one line per case: median time between events, Gpix/s, TB/s that have to move, share of the copy.
 * Options: --side N (pictures of N x N, 16384 by default), --runs N (15 by default), --only TEXT (cases whose name
 * contains it).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda_ops.h"
#include "kernels/registry.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"

#define MAX_RUNS 101
#define BLOCK_BYTES (64u << 20)
#define PHOTO_WIDTH 6000u /* 24 MP */
#define PHOTO_HEIGHT 4000u
#define LARGE_SIDE 10000u /* 100 MP */
#define SMALL_SIDE 4096u  /* 16 MP */

enum bench_size { SIDE, PHOTO, LARGE, SMALL };

struct bench_case {
    const char *op;
    uint32_t dtype, channels;
    uint32_t mask;             /* side of a full mask, 0: none */
    const char *param, *value; /* NULL: defaults */
    enum bench_size size;
    bool whole; /* a mask of small whole numbers */
};

static const struct bench_case cases[] = {
    {"correlate", GF_F32, 1, 3, NULL, NULL, SIDE, false},     {"correlate", GF_F32, 1, 5, NULL, NULL, SIDE, false},
    {"correlate", GF_F32, 1, 7, NULL, NULL, SIDE, false},     {"correlate", GF_F32, 1, 11, NULL, NULL, SIDE, false},
    {"correlate", GF_F32, 1, 31, NULL, NULL, SIDE, false},    {"correlate", GF_U8, 1, 3, NULL, NULL, SIDE, false},
    {"correlate", GF_U8, 1, 5, NULL, NULL, SIDE, false},      {"correlate", GF_U8, 1, 11, NULL, NULL, SIDE, false},
    {"correlate", GF_U8, 3, 3, NULL, NULL, PHOTO, false},     {"correlate", GF_U16, 1, 3, NULL, NULL, SIDE, false},
    {"correlate", GF_U8, 1, 7, NULL, NULL, SIDE, false},      {"correlate", GF_U16, 1, 5, NULL, NULL, SIDE, false},
    {"correlate", GF_U16, 3, 3, NULL, NULL, PHOTO, false},    {"correlate", GF_U8, 1, 3, NULL, NULL, SIDE, true},
    {"correlate", GF_U8, 1, 5, NULL, NULL, SIDE, true},       {"correlate", GF_U8, 1, 7, NULL, NULL, SIDE, true},
    {"correlate", GF_U8, 1, 11, NULL, NULL, SIDE, true},      {"correlate", GF_U8, 3, 3, NULL, NULL, PHOTO, true},
    {"sharpen", GF_U8, 1, 0, NULL, NULL, SIDE, false},        {"sharpen", GF_U8, 3, 0, NULL, NULL, PHOTO, false},
    {"emboss", GF_U8, 1, 0, NULL, NULL, SIDE, false},         {"laplacian", GF_U8, 1, 0, NULL, NULL, SIDE, false},
    {"sobel", GF_U8, 1, 0, "output", "dx", SIDE, false},      {"sobel", GF_U8, 1, 0, NULL, NULL, SIDE, false},
    {"gaussian", GF_F32, 1, 0, "sigma", "2", SIDE, false},    {"gaussian", GF_F32, 1, 0, "sigma", "10", SIDE, false},
    {"gaussian", GF_U8, 3, 0, "sigma", "2", PHOTO, false},    {"gaussian", GF_U8, 3, 0, "sigma", "10", PHOTO, false},
    {"gaussian", GF_U8, 4, 0, "sigma", "2", PHOTO, false},    {"box", GF_F32, 1, 0, "size", "15", SIDE, false},
    {"box", GF_U8, 1, 0, "size", "15", SIDE, false},          {"box", GF_U8, 3, 0, "size", "15", PHOTO, false},
    {"gaussian", GF_U8, 1, 0, "sigma", "2", SIDE, false},     {"gaussian", GF_F32, 1, 0, "sigma", "1.5", SIDE, false},
    {"gaussian", GF_F32, 1, 0, "sigma", "20", SIDE, false},   {"unsharp", GF_U8, 3, 0, "sigma", "2", PHOTO, false},
    {"unsharp", GF_F32, 1, 0, "sigma", "2", SIDE, false},     {"log", GF_F32, 1, 0, "sigma", "2", SIDE, false},
    {"integral", GF_F32, 1, 0, "dtype", "f32", LARGE, false}, {"integral", GF_F32, 1, 0, "dtype", "f64", LARGE, false},
    {"integral", GF_U8, 1, 0, "dtype", "u64", LARGE, false},  {"integral", GF_U8, 1, 0, "dtype", "u32", LARGE, false},
    {"integral", GF_U8, 1, 0, "dtype", "u32", SMALL, false},
};

struct bench {
    struct gf_device *device;
    struct gf_lane *lane;
    void *src, *dst; /* on the device, side * side * 4 bytes, at least the sums of the large picture */
    size_t bytes;
    uint32_t side, runs;
    const char *only;
    cudaEvent_t start, end;
    double copy_rate; /* bytes per second, read and written */
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_kernels: %s: %s\n", what, why);
    return 1;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Fills src with random samples: bytes, or floats in [0, 1). */
static cudaError_t fill(struct bench *b, bool floats)
{
    uint32_t *block = malloc(BLOCK_BYTES), state = 12345;
    if (!block)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < BLOCK_BYTES / sizeof(*block); i++) {
        uint32_t r = next_random(&state);
        float f = (float)(r >> 8) * 0x1p-24f;
        if (floats)
            memcpy(&r, &f, sizeof(r));
        block[i] = r;
    }
    cudaError_t error = cudaSuccess;
    for (size_t at = 0; at < b->bytes && error == cudaSuccess; at += BLOCK_BYTES) {
        size_t n = b->bytes - at < BLOCK_BYTES ? b->bytes - at : BLOCK_BYTES;
        error = cudaMemcpy((char *)b->src + at, block, n, cudaMemcpyHostToDevice);
    }
    free(block);
    return error;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median(float *ms, uint32_t n)
{
    qsort(ms, n, sizeof(*ms), by_value);
    return ms[n / 2];
}

static cudaError_t measure_copy(struct bench *b)
{
    float ms[MAX_RUNS];
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < b->runs + 2 && error == cudaSuccess; i++) {
        (void)cudaEventRecord(b->start, b->lane->main);
        (void)cudaMemcpyAsync(b->dst, b->src, b->bytes, cudaMemcpyDeviceToDevice, b->lane->main);
        (void)cudaEventRecord(b->end, b->lane->main);
        error = cudaEventSynchronize(b->end);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&ms[i < 2 ? 0 : i - 2], b->start, b->end);
    }
    if (error == cudaSuccess)
        b->copy_rate = 2.0 * (double)b->bytes / ((double)median(ms, b->runs) * 1e-3);
    return error;
}

/* Puts the case into the stream once, as cuda_run.c would with data that is there already. */
static enum gf_status start_once(struct bench *b, const struct gf_step *step, const struct gf_view *src,
                                 const struct gf_buf *mask, struct gf_error *err)
{
    struct gf_job job = {.steps = step, .n_steps = 1};
    struct gf_cuda_image in = {.data = b->src, .view = *src},
                         out[GF_MAX_OUTPUTS] = {{.data = b->dst, .view = step->out[0]}};
    struct gf_cuda_call call = {
        .lane = b->lane, .step = step, .job = &job, .image = {&in}, .coefs = {NULL, mask}, .out = out};
    gf_cuda_clock_reset(&b->lane->clock);
    return gf_cuda_ops[step->op->index].start(&call, err);
}

static enum gf_status measure(struct bench *b, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *mask, float *ret_ms, struct gf_error *err)
{
    float ms[MAX_RUNS];
    for (uint32_t i = 0; i < b->runs + 2; i++) {
        (void)cudaEventRecord(b->start, b->lane->main);
        enum gf_status status = start_once(b, step, src, mask, err);
        if (status != GF_OK)
            return status;
        (void)cudaEventRecord(b->end, b->lane->main);
        cudaError_t error = cudaEventSynchronize(b->end);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&ms[i < 2 ? 0 : i - 2], b->start, b->end);
        if (error != cudaSuccess)
            return gf_error_set(err, GF_E_DEVICE_LOST, "%s", cudaGetErrorString(error));
    }
    *ret_ms = median(ms, b->runs);
    return GF_OK;
}

static enum gf_status run_case(struct bench *b, const struct bench_case *c, struct gf_error *err)
{
    static float coefs[31 * 31];
    char name[96];
    struct gf_step step = {.op = gf_op_by_name(c->op)};
    const uint32_t sizes[][2] = {[SIDE] = {b->side, b->side},
                                 [PHOTO] = {PHOTO_WIDTH, PHOTO_HEIGHT},
                                 [LARGE] = {LARGE_SIDE, LARGE_SIDE},
                                 [SMALL] = {SMALL_SIDE, SMALL_SIDE}};
    uint32_t width = sizes[c->size][0], height = sizes[c->size][1];
    struct gf_view views[2] = {gf_view_tight(c->dtype, width, height, c->channels),
                               gf_view_tight(GF_F32, c->mask, c->mask, 1)};
    struct gf_buf mask = {coefs, views[1]};
    for (uint32_t i = 0; i < GF_ARRAY_LEN(coefs); i++)
        coefs[i] = c->whole ? (float)(i % 5) - 1.0f : 0.001f * (float)(i % 17) + 0.01f;
    gf_op_params_default(step.op, &step.params);
    enum gf_status status = GF_OK;
    if (c->param)
        status = gf_op_param_parse(step.op, gf_op_param(step.op, c->param), c->value, &step.params, err);
    if (status == GF_OK)
        status = gf_op_infer(step.op, views, c->mask > 0 ? 2 : 1, &step.params, step.out, err);
    char what[32];
    if (c->param)
        (void)snprintf(what, sizeof(what), "%s %s", c->param, c->value);
    else
        (void)snprintf(what, sizeof(what), "%" PRIu32 "x%" PRIu32 "%s", c->mask, c->mask, c->whole ? " whole" : "");
    (void)snprintf(name, sizeof(name), "%s %s %s, %" PRIu32 "x%" PRIu32 "x%" PRIu32, c->op, gf_dtype_word(c->dtype),
                   what, width, height, c->channels);
    if (status != GF_OK || (b->only && !strstr(name, b->only)))
        return status;

    float ms = 0.0f;
    if (fill(b, c->dtype == GF_F32) != cudaSuccess)
        return gf_error_set(err, GF_E_INTERNAL, "the picture could not be copied to the device");
    status = measure(b, &step, &views[0], c->mask > 0 ? &mask : NULL, &ms, err);
    if (status != GF_OK)
        return status;
    double pixels = (double)width * (double)height, seconds = (double)ms * 1e-3;
    double bytes = (double)gf_view_bytes(&views[0]) + (double)gf_view_bytes(&step.out[0]);
    printf("%-44s %9.4f ms %8.1f Gpix/s %6.2f TB/s %5.1f %% of a copy\n", name, (double)ms, pixels / seconds * 1e-9,
           bytes / seconds * 1e-12, 100.0 * bytes / seconds / b->copy_rate);
    return GF_OK;
}

static bool parse(int argc, char **argv, struct bench *b)
{
    static const struct option options[] = {{"side", required_argument, NULL, 's'},
                                            {"runs", required_argument, NULL, 'r'},
                                            {"only", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's')
            b->side = (uint32_t)strtoul(optarg, NULL, 10) / 64 * 64;
        else if (c == 'r')
            b->runs = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'o')
            b->only = optarg;
        else
            return false;
    }
    return b->side >= 64 && b->side <= 40960 && b->runs >= 1 && b->runs <= MAX_RUNS;
}

int main(int argc, char **argv)
{
    struct bench b = {.side = 16384, .runs = 15};
    struct gf_device_info info;
    struct gf_error err;
    if (!parse(argc, argv, &b))
        return fail("options", "--side 64..40960, --runs 1..101, --only TEXT");
    struct gf_device_options options = {.device = "cuda:0"};
    enum gf_status status = gf_cuda_backend.open(&options, &b.device, &err);
    if (status == GF_OK)
        status = gf_cuda_backend.lane_open(b.device, &b.lane, &err);
    if (status != GF_OK)
        return fail("opening cuda:0", err.text);

    b.bytes = (size_t)b.side * b.side * sizeof(float);
    if (b.bytes < (size_t)LARGE_SIDE * LARGE_SIDE * sizeof(double))
        b.bytes = (size_t)LARGE_SIDE * LARGE_SIDE * sizeof(double);
    cudaError_t error = cudaMalloc(&b.src, b.bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&b.dst, b.bytes);
    if (error == cudaSuccess)
        error = cudaEventCreate(&b.start);
    if (error == cudaSuccess)
        error = cudaEventCreate(&b.end);
    if (error == cudaSuccess)
        error = fill(&b, false);
    if (error == cudaSuccess)
        error = measure_copy(&b);
    if (error != cudaSuccess)
        return fail("setting up", cudaGetErrorString(error));
    gf_cuda_backend.info(b.device, &info);
    printf("%s, %s; copy on the device %.2f TB/s (read and written), medians of %" PRIu32 "\n", info.title, info.detail,
           b.copy_rate * 1e-12, b.runs);
    for (size_t i = 0; i < GF_ARRAY_LEN(cases) && status == GF_OK; i++)
        status = run_case(&b, &cases[i], &err);
    if (status != GF_OK)
        return fail("a case", err.text);
    (void)cudaFree(b.src);
    (void)cudaFree(b.dst);
    gf_cuda_backend.lane_close(b.lane);
    gf_cuda_backend.close(b.device);
    return 0;
}
