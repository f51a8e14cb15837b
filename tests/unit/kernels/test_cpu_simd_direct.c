/* SPDX-License-Identifier: MIT */
/* kernels/cpu/rows: loops that work on samples in place give the same bits with every instruction set, at any address,
 * and with streaming stores, too. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/filter/simd_filter.h"
#include "kernels/cpu/histogram/simd_histogram.h"
#include "kernels/cpu/point/simd_point.h"
#include "kernels/cpu/reduce/simd_reduce.h"
#include "kernels/cpu/scan/simd_scan.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define SAMPLES 1237u /* several patterns and a rest */
#define BYTES (SAMPLES * 8 + 64)

struct data {
    _Alignas(64) unsigned char a[BYTES], b[BYTES];
    float whole_nan[SAMPLES];
};

static struct data data;
static _Alignas(64) unsigned char expected[BYTES], found[BYTES];

static void fill(struct gf_prng *prng)
{
    for (size_t i = 0; i + sizeof(float) <= BYTES; i += sizeof(float)) {
        float a = gf_prng_below(prng, 2) ? gf_prng_float_bits(prng) : gf_prng_unit(prng) * 300.0f - 20.0f;
        float b = gf_prng_below(prng, 2) ? gf_prng_float_bits(prng) : gf_prng_unit(prng) * 300.0f - 20.0f;
        if (i % 52 == 0) { /* zeros of every pair of signs, and equal numbers */
            a = i % 8 ? 0.0f : -0.0f;
            b = i % 16 < 8 ? -a : i % 3 ? a : b;
        }
        memcpy(data.a + i, &a, sizeof(a));
        memcpy(data.b + i, &b, sizeof(b));
    }
}

static void check_blend(const struct gf_simd *simd)
{
    static const float factors[3] = {0.25f, 0.5f, 3.0f};
    for (uint32_t mode = GF_COMBINE_LINEAR; mode <= GF_COMBINE_MAGNITUDE; mode++)
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t dtype = k < 2 ? GF_U8 : GF_F32;
            size_t n = SAMPLES - 17 * k, at = k % 2 ? 4 : 1;
            const void *b = k % 3 ? data.b : data.b + at; /* pairs as they were made, and others */
            gf_simd_generic.point->blend(dtype, mode, factors, data.a + at, b, expected + at, n, false);
            simd->point->blend(dtype, mode, factors, data.a + at, b, found + at, n, k >= 4);
            assert_memory_equal(found + at, expected + at, n * gf_dtype_size(dtype));
        }
}

static void check_scale(const struct gf_simd *simd)
{
    for (size_t at = 0; at < 24; at += at < 4 ? 1 : 4)
        for (int stream = 0; stream < 2; stream++) {
            gf_simd_generic.point->scale(1.5f, -2.0f, data.a + at, expected + at, SAMPLES, false);
            simd->point->scale(1.5f, -2.0f, data.a + at, found + at, SAMPLES, stream);
            assert_memory_equal(found + at, expected + at, SAMPLES * sizeof(float));
        }
}

static void check_store(const struct gf_simd *simd)
{
    _Alignas(64) static float acc[SAMPLES + 64];
    memcpy(acc, data.a, SAMPLES * sizeof(*acc));
    struct gf_cpu_target target = {.dtype = GF_F32, .channels = 1, .scale = 1.5f, .offset = 2.0f};
    for (size_t at = 0; at < 72; at += 4) {
        target.stream = false;
        gf_simd_generic.samples->store(&target, acc, NULL, expected + at, SAMPLES - at);
        target.stream = true;
        simd->samples->store(&target, acc, NULL, found + at, SAMPLES - at);
        assert_memory_equal(found + at, expected + at, (SAMPLES - at) * sizeof(float));
    }
}

static void check_taps(const struct gf_simd *simd)
{
    struct gf_stencil stencil = {.n = 3, .weight = {-1.0f, 0.3f, 2.0f}};
    const float *line = (const float *)(const void *)data.a;
    const float *const at[6] = {line, line + 1, line + 7, line + 3, line, line + 8};
    for (uint32_t k = 0; k < 40; k++) {
        struct gf_cpu_taps taps = {&stencil, 0.5f, 1.0f, false};
        stencil.apart = k % 3 == 0 ? GF_STENCIL_ACROSS : 0;
        size_t n = 600 - 7 * k, offset = k % 4 * 3;
        gf_simd_generic.filter->taps_f32(at, &taps, n, expected + offset);
        taps.stream = k % 2 == 0;
        simd->filter->taps_f32(at, &taps, n, found + offset);
        assert_memory_equal(found + offset, expected + offset, n * sizeof(float));
    }
}

/* If all samples are equal the pattern need not be checked. */
static void check_same_limit(const struct gf_simd *simd)
{
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    struct gf_cpu_limit limit = {.keeps = false};
    for (uint32_t k = 0; k < 36; k++) {
        uint32_t dtype = dtypes[k % 3];
        size_t at = dtype == GF_U8 ? k : k / 3 * 4, n = SAMPLES - at;
        for (uint32_t i = 0; i < GF_PATTERN; i++) {
            if (dtype == GF_U8)
                limit.threshold.u8[i] = 7, limit.high.u8[i] = 255;
            else if (dtype == GF_U16)
                limit.threshold.u16[i] = 700, limit.high.u16[i] = 65535;
            else
                limit.threshold.f32[i] = 0.5f, limit.high.f32[i] = 1.0f;
        }
        limit.same = limit.stream = false;
        gf_simd_generic.point->limit(dtype, &limit, data.a + at, expected + at, n);
        limit.same = true;
        limit.stream = k % 2 == 0;
        simd->point->limit(dtype, &limit, data.a + at, found + at, n);
        assert_memory_equal(found + at, expected + at, n * gf_dtype_size(dtype));
    }
}

static void check_intensity(const struct gf_simd *simd, struct gf_prng *prng)
{
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    struct gf_cpu_limit limit;
    struct gf_cpu_ramp line;
    uint8_t bytes[2][256];
    for (uint32_t i = 0; i < 512; i++)
        bytes[i / 256][i % 256] = (uint8_t)gf_prng_below(prng, 256);
    memcpy(&limit, data.b, sizeof(limit));
    for (uint32_t i = 0; i < GF_PATTERN; i++) {
        line.lo[i] = gf_prng_unit(prng);
        line.slope[i] = gf_prng_unit(prng) * 3.0f;
        line.keep[i] = gf_prng_below(prng, 2) ? UINT32_MAX : 0;
    }
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t dtype = dtypes[k % 3];
        const uint8_t *const tables[4] = {bytes[0], bytes[k % 2], bytes[0], bytes[1]};
        limit.keeps = k > 2;
        limit.same = limit.stream = false;
        gf_simd_generic.point->limit(dtype, &limit, data.a + k, expected, SAMPLES);
        simd->point->limit(dtype, &limit, data.a + k, found, SAMPLES);
        assert_memory_equal(found, expected, SAMPLES * gf_dtype_size(dtype));
        gf_simd_generic.point->ramp(&line, data.a + k, expected, SAMPLES);
        simd->point->ramp(&line, data.a + k, found, SAMPLES);
        assert_memory_equal(found, expected, SAMPLES * sizeof(float));
        gf_simd_generic.point->look_up(tables, k % 4 + 1, data.a + k, expected, 1200);
        simd->point->look_up(tables, k % 4 + 1, data.a + k, found, 1200);
        assert_memory_equal(found, expected, 1200);
        gf_simd_generic.samples->brightness(dtype, 3 + k % 2, data.a + k, expected, 1200);
        simd->samples->brightness(dtype, 3 + k % 2, data.a + k, found, 1200);
        assert_memory_equal(found, expected, 1200 * (1 + k % 2) * gf_dtype_size(dtype));
        struct gf_cpu_range a = {.channels = k % 4 + 1}, b = a;
        gf_simd_generic.histogram->range(dtype, data.a + k, SAMPLES, k > 2, &a);
        simd->histogram->range(dtype, data.a + k, SAMPLES, k > 2, &b);
        assert_memory_equal(a.lo, b.lo, sizeof(a.lo));
        assert_memory_equal(a.hi, b.hi, sizeof(a.hi));
        assert_memory_equal(a.nan, b.nan, sizeof(a.nan));
    }
}

static void check_integral(const struct gf_simd *simd)
{
    for (uint32_t channels = 1; channels <= 4; channels++) {
        gf_simd_generic.scan->integral(data.a + 1, channels, 1200, data.b + 1, expected + 1);
        simd->scan->integral(data.a + 1, channels, 1200, data.b + 1, found + 1);
        assert_memory_equal(found, expected, 1200 * sizeof(uint32_t));
    }
}

/* Two lines, one below the other, also of squares; full and partial groups. */
static void check_integral_tree(const struct gf_simd *simd, struct gf_prng *prng)
{
    enum { GROUP = 512 };
    static _Alignas(64) double above[GROUP], sums[2][GROUP], out[2][GROUP];
    static float line[GROUP];
    const struct gf_simd *const tables[] = {&gf_simd_generic, simd};
    for (uint32_t k = 0; k < 40; k++) {
        size_t n = k < 2 ? GROUP : 1 + gf_prng_below(prng, GROUP);
        struct gf_cpu_line_sums ends[2][2];
        for (size_t i = 0; i < GROUP; i++) {
            sums[0][i] = sums[1][i] = above[i] = k % 2 ? 1.0 / 3.0 : -0.0;
            line[i] = k == 5 && i == n / 2 ? NAN : gf_prng_unit(prng) - 0.3f;
        }
        for (size_t t = 0; t < 2; t++)
            for (size_t y = 0; y < 2; y++) {
                ends[t][y] = k % 3 == 0 ? (struct gf_cpu_line_sums){-0.0, -0.0} : (struct gf_cpu_line_sums){0.7, 1e-9};
                struct gf_cpu_group group = {&ends[t][y], k % 4 == 3, above, sums[t], y == 0 && k == 7 ? NULL : out[t]};
                tables[t]->scan->add_group(&group, line, n);
            }
        if (n == GROUP)
            assert_memory_equal(ends[0], ends[1], sizeof(ends[0]));
        assert_memory_equal(out[0], out[1], n * sizeof(double));
        simd->scan->put(out[1], n, found + k % 24 * 4);
        assert_memory_equal(found + k % 24 * 4, out[1], n * sizeof(double));
    }
}

/* Every dtype, and floats with and without NaN. */
static void check_exact(const struct gf_simd *simd)
{
    for (size_t i = 0; i < SAMPLES; i++)
        data.whole_nan[i] = (float)((int)i - 600);
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++) {
        if (dtype == GF_U64 || dtype == GF_I64)
            continue;
        bool real = gf_dtype_kind(dtype) == GF_KIND_FLOAT;
        uint32_t want = real ? GF_WANT_EXTREMES : GF_WANT_EXTREMES | GF_WANT_SUM;
        for (uint32_t k = 0; k < 3; k++) {
            const void *src = dtype == GF_F32 && k == 0 ? (const void *)data.whole_nan : data.a + k;
            struct gf_cpu_exact a, b;
            if (gf_dtype_size(dtype) < 4)
                want |= GF_WANT_SQUARES;
            gf_simd_generic.reduce->exact(dtype, want, src, SAMPLES - 31 * k, &a);
            simd->reduce->exact(dtype, want, src, SAMPLES - 31 * k, &b);
            assert_memory_equal(&a, &b, sizeof(a));
            assert_int_equal(gf_simd_generic.reduce->find(dtype, src, SAMPLES, a.max_key),
                             simd->reduce->find(dtype, src, SAMPLES, a.max_key));
        }
    }
}

static void check_sums(const struct gf_simd *simd, struct gf_prng *prng)
{
    static double x[GF_TREE_CHUNK], y[GF_TREE_CHUNK];
    static float x32[GF_TREE_CHUNK], y32[GF_TREE_CHUNK];
    for (size_t i = 0; i < GF_TREE_CHUNK; i++) {
        x[i] = (double)gf_prng_unit(prng) / 3.0 - 0.1;
        y[i] = (double)gf_prng_unit(prng) * 1e6;
        x32[i] = (float)x[i];
        y32[i] = (float)y[i];
    }
    for (uint32_t dtype = GF_F32; dtype <= GF_F64; dtype++) {
        const void *a = dtype == GF_F32 ? (const void *)x32 : x, *b = dtype == GF_F32 ? (const void *)y32 : y;
        double sums[2][64] = {{0}};
        assert_true(gf_simd_generic.reduce->chunk_sum(dtype, a) == simd->reduce->chunk_sum(dtype, a));
        assert_true(gf_simd_generic.reduce->chunk_dot(dtype, a, b) == simd->reduce->chunk_dot(dtype, a, b));
        for (size_t n = 1; n <= GF_CPU_FEW_ROWS; n++) {
            size_t size = gf_dtype_size(dtype);
            const struct gf_cpu_few_rows few = {(const char *)b + 3 * size, 67 * size, n, n % 2 == 0};
            gf_simd_generic.reduce->add_rows(dtype, &few, 61, sums[0]);
            simd->reduce->add_rows(dtype, &few, 61, sums[1]);
        }
        assert_memory_equal(sums[0], sums[1], sizeof(sums[0]));
    }
}

/* An estimate is right, or asks. */
static void check_bins(const struct gf_simd *simd, struct gf_prng *prng)
{
    double v[100];
    int64_t guess[100];
    uint32_t guessed = 0;
    const struct gf_bins bins = gf_bins_make(-1.0, 2.0, 17, false, true);
    for (size_t i = 0; i < 100; i++)
        v[i] = i % 10 == 0 ? gf_bins_edge(&bins, (uint32_t)i % 18) : (double)gf_prng_unit(prng) * 5.0 - 2.0;
    v[7] = NAN;
    simd->histogram->bins(&bins, v, 100, guess);
    for (size_t i = 0; i < 100; i++) {
        guessed += guess[i] >= 0;
        if (guess[i] >= 0)
            assert_int_equal(guess[i], gf_bins_find(&bins, GF_BINS_FLOAT, v[i], 0));
    }
    assert_in_range(guessed, 30, 90);
}

static void check_box(const struct gf_simd *simd)
{
    enum { N = 301, STEP = 3, WIDEST = 16, CAPACITY = 1024 };
    static uint16_t a[CAPACITY], b[CAPACITY], spare[2 * CAPACITY], out[2][CAPACITY];
    for (uint32_t width = 1; width <= WIDEST; width++) {
        gf_simd_generic.filter->box_columns(a, data.a, data.b, N + WIDEST * STEP);
        simd->filter->box_columns(b, data.a, data.b, N + WIDEST * STEP);
        assert_memory_equal(a, b, sizeof(a));
        gf_simd_generic.filter->box_window(a, width, STEP, spare, N, out[0]);
        simd->filter->box_window(b, width, STEP, spare, N, out[1]);
        assert_memory_equal(out[0], out[1], N * sizeof(out[0][0]));
        for (size_t i = 0; i < N; i++) {
            uint16_t sum = 0;
            for (uint32_t k = 0; k < width; k++)
                sum = (uint16_t)(sum + a[i + k * STEP]);
            assert_int_equal(out[0][i], sum);
        }
        gf_simd_generic.filter->box_store(out[0], 0.01f, -3.0f, expected, N);
        simd->filter->box_store(out[1], 0.01f, -3.0f, found, N);
        assert_memory_equal(found, expected, N);
    }
}

static void instruction_sets_agree(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    struct gf_prng prng = {.state = 11};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        if (!simd)
            continue;
        fill(&prng);
        check_blend(simd);
        check_scale(simd);
        check_store(simd);
        check_taps(simd);
        check_intensity(simd, &prng);
        check_same_limit(simd);
        check_integral(simd);
        check_integral_tree(simd, &prng);
        check_exact(simd);
        check_sums(simd, &prng);
        check_bins(simd, &prng);
        check_box(simd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests_name("cpu_simd_direct", tests, NULL, NULL);
}
