/* SPDX-License-Identifier: MIT */
/* kernels/cpu/rows: the inner loops of every instruction set that runs here give the same bits. */
#include "kernels/cpu/simd/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/cpu/filter/simd_filter.h"
#include "kernels/cpu/linalg/simd_linalg.h"
#include "kernels/cpu/select/simd_select.h"
#include "kernels/cpu/simd/light_estimate.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/params/select.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define PIXELS 83u
#define FLOATS 512u

struct line {
    _Alignas(64) float v[FLOATS];
};

static float random_sample(struct gf_prng *prng)
{
    static const float special[] = {INFINITY, -INFINITY, NAN, -0.0f, 0.5f, 254.5f, 255.5f, 65534.5f, 1e-42f, 70000.0f};
    uint32_t k = gf_prng_below(prng, 40);
    return k < GF_ARRAY_LEN(special) ? special[k] : (gf_prng_unit(prng) - 0.2f) * 300.0f;
}

static void random_line(struct gf_prng *prng, struct line *line)
{
    for (size_t i = 0; i < FLOATS; i++)
        line->v[i] = random_sample(prng);
}

/* Equal bits, any NaN being like any other. */
static void assert_same(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof(a[i])) != 0 && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("float %zu: %a is not %a", i, (double)a[i], (double)b[i]);
}

static void check_fir(const struct gf_simd *simd, struct gf_prng *prng)
{
    static struct line lines[6], out[4];
    const float *starts[6];
    float coefs[25];
    for (size_t i = 0; i < 6; i++) {
        random_line(prng, &lines[i]);
        starts[i] = lines[i].v;
    }
    for (size_t i = 0; i < 25; i++)
        coefs[i] = gf_prng_unit(prng) - 0.5f;
    for (uint32_t n = 1; n < 330; n += 7) {
        gf_simd_generic.filter->fir2(starts, 5, 5, 3, coefs, n, out[0].v, out[1].v);
        simd->filter->fir2(starts, 5, 5, 3, coefs, n, out[2].v, out[3].v);
        assert_same(out[2].v, out[0].v, n);
        assert_same(out[3].v, out[1].v, n);
        simd->filter->fir(starts + 1, 5, 5, 3, coefs, n, out[3].v);
        assert_same(out[3].v, out[1].v, n);
    }
}

static void check_store(const struct gf_simd *simd, struct gf_prng *prng)
{
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    static struct line acc, work;
    static unsigned char src[PIXELS * 16 + 1], expected[sizeof(src)], dst[sizeof(src)];
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++) {
        for (uint32_t mode = 0; mode < 3; mode++) {
            struct gf_cpu_target target = {.dtype = dtypes[d], .channels = 4, .scale = 1.25f, .offset = -0.5f};
            target.max = d == 0 ? 255.0f : d == 1 ? 65535.0f : 1.0f;
            target.unpremultiply = mode == 1;
            target.copy_alpha = mode == 2;
            random_line(prng, &acc);
            for (size_t i = 0; i < sizeof(src); i++)
                src[i] = (unsigned char)gf_prng_below(prng, 256);
            work = acc;
            gf_simd_generic.samples->store(&target, work.v, src + 1, expected + 1, PIXELS);
            work = acc;
            simd->samples->store(&target, work.v, src + 1, dst + 1, PIXELS);
            assert_memory_equal(dst, expected, sizeof(dst));
        }
    }
}

static void check_load(const struct gf_simd *simd, struct gf_prng *prng)
{
    static struct line a, b;
    static unsigned char src[PIXELS * 16 + 1];
    for (size_t i = 0; i < sizeof(src); i++)
        src[i] = (unsigned char)gf_prng_below(prng, 256);
    for (uint32_t channels = 2; channels <= 4; channels += 2) {
        struct gf_cpu_source source = {.dtype = GF_U16, .channels = channels};
        gf_simd_generic.samples->load(&source, src + 1, a.v, PIXELS);
        simd->samples->load(&source, src + 1, b.v, PIXELS);
        assert_memory_equal(a.v, b.v, PIXELS * channels * sizeof(float));
        gf_simd_generic.samples->premultiply(a.v, PIXELS, channels);
        simd->samples->premultiply(b.v, PIXELS, channels);
        assert_memory_equal(a.v, b.v, PIXELS * channels * sizeof(float));
    }
}

#define TILE (GF_MATMUL_ROWS * GF_MATMUL_COLS)

/* Operands of every kind for the inner loops of matmul; integers are within 32 bits. */
static void random_matrix(uint32_t kind, struct gf_prng *prng, void *to, size_t n)
{
    float *f = to;
    double *d = to;
    int64_t *w = to;
    for (size_t i = 0; i < n; i++)
        if (kind == GF_MATMUL_F32)
            f[i] = random_sample(prng);
        else if (kind == GF_MATMUL_F64)
            d[i] = (double)random_sample(prng) / 3.0;
        else
            w[i] = (int32_t)gf_prng_next(prng);
}

static void check_matmul(const struct gf_simd *simd, struct gf_prng *prng)
{
    static _Alignas(64) double a[GF_MATMUL_DEPTH * GF_MATMUL_ROWS], b[GF_MATMUL_DEPTH * GF_MATMUL_COLS];
    static _Alignas(64) double expected[TILE], acc[TILE];
    for (uint32_t kind = GF_MATMUL_F32; kind <= GF_MATMUL_INT; kind++) {
        struct gf_cpu_matmul tile = {.acc = expected, .a = a, .b = b, .rows = 64, .cols = 96, .depth = 9};
        memset(expected, 0, sizeof(expected));
        memset(acc, 0, sizeof(acc));
        random_matrix(kind, prng, a, GF_ARRAY_LEN(a));
        random_matrix(kind, prng, b, GF_ARRAY_LEN(b));
        gf_simd_generic.linalg->matmul(kind, &tile);
        tile.acc = acc;
        simd->linalg->matmul(kind, &tile);
        const float *f = (const float *)acc, *g = (const float *)expected;
        for (size_t i = 0; i < TILE; i++)
            if (kind == GF_MATMUL_F32)
                assert_same(&f[i], &g[i], 1);
            else if (kind == GF_MATMUL_INT || !(isnan(acc[i]) && isnan(expected[i])))
                assert_memory_equal(&acc[i], &expected[i], sizeof(acc[i]));
    }
}

static void check_conv1d(const struct gf_simd *simd, struct gf_prng *prng)
{
    static _Alignas(64) double x[300], taps[20], expected[200], acc[200];
    for (uint32_t kind = GF_CONV1D_F32; kind <= GF_CONV1D_UNSIGNED; kind++) {
        struct gf_cpu_conv1d_tile conv1d = {.acc = expected, .x = x, .taps = taps, .n = 187, .step = 3, .depth = 20};
        uint32_t matrix = kind == GF_CONV1D_F32 ? GF_MATMUL_F32 : kind == GF_CONV1D_F64 ? GF_MATMUL_F64 : GF_MATMUL_INT;
        memset(expected, 0, sizeof(expected));
        memset(acc, 0, sizeof(acc));
        random_matrix(matrix, prng, x, GF_ARRAY_LEN(x));
        random_matrix(matrix, prng, taps, GF_ARRAY_LEN(taps));
        for (size_t i = 0; kind == GF_CONV1D_UNSIGNED && i < GF_ARRAY_LEN(x); i++)
            memset((char *)&x[i] + 4, 0, 4);
        for (size_t i = 0; kind == GF_CONV1D_UNSIGNED && i < GF_ARRAY_LEN(taps); i++)
            memset((char *)&taps[i] + 4, 0, 4);
        gf_simd_generic.linalg->conv1d(kind, &conv1d);
        conv1d.acc = acc;
        simd->linalg->conv1d(kind, &conv1d);
        const float *f = (const float *)acc, *g = (const float *)expected;
        for (size_t i = 0; i < GF_ARRAY_LEN(acc); i++)
            if (kind == GF_CONV1D_F32)
                assert_same(&f[i], &g[i], 1);
            else if (kind != GF_CONV1D_F64 || !(isnan(acc[i]) && isnan(expected[i])))
                assert_memory_equal(&acc[i], &expected[i], sizeof(acc[i]));
    }
}

/* For every dtype, with random bytes: flags equal the generic set's, and positions are where the flags are set. */
static void check_select(const struct gf_simd *simd, struct gf_prng *prng)
{
    static struct line src;
    uint8_t flags[2][150];
    uint32_t at[150 + GF_LINE_ALIGN];
    random_line(prng, &src);
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (size_t n = 0; n < 150; n += 7) {
            const struct gf_select_params params = {.lo = -40.0, .hi = 90.0};
            struct gf_select_range range = gf_select_range(&params, dtype);
            const char *from = (const char *)src.v + n;
            size_t stride = 1 + n % 2, k = 0;
            size_t count = gf_simd_generic.select->between(dtype, from, stride, n / stride, &range, flags[0]);
            assert_int_equal(simd->select->between(dtype, from, stride, n / stride, &range, flags[1]), count);
            assert_memory_equal(flags[0], flags[1], n / stride);
            assert_int_equal(simd->select->positions(flags[0], n / stride, at), count);
            for (uint32_t i = 0; i < n / stride; i++)
                if (flags[0][i] == 1)
                    assert_int_equal(at[k++], i);
            assert_int_equal(k, count);
        }
}

static void ranges_are_those_of_the_dtype(void **state)
{
    UNUSED(state);
    struct gf_select_params params = {.lo = -DBL_MAX, .hi = DBL_MAX};
    struct gf_select_range range = gf_select_range(&params, GF_I64);
    assert_true(range.lo.i == INT64_MIN && range.hi.i == INT64_MAX);
    range = gf_select_range(&params, GF_U16);
    assert_true(range.lo.u == 0 && range.hi.u == UINT16_MAX);
    range = gf_select_range(&params, GF_F32);
    assert_true(isinf(range.lo.f) && isinf(range.hi.f));
    params = (struct gf_select_params){.lo = 0x1p64, .hi = 0x1p65};
    range = gf_select_range(&params, GF_U64);
    assert_true(range.lo.u > range.hi.u);
    params = (struct gf_select_params){.lo = -0x1p63, .hi = 0x1p63};
    range = gf_select_range(&params, GF_I64);
    assert_true(range.lo.i == INT64_MIN && range.hi.i == INT64_MAX);
    /* 0.1 lies below its nearest f32, 0.7 above it */
    params = (struct gf_select_params){.lo = 0.1, .hi = 1e300};
    range = gf_select_range(&params, GF_F32);
    assert_true(range.lo.f == (double)0.1f && range.hi.f == (double)FLT_MAX);
    params = (struct gf_select_params){.lo = -1e300, .hi = 0.1};
    range = gf_select_range(&params, GF_F32);
    assert_true(range.lo.f == -(double)FLT_MAX && range.hi.f == (double)nextafterf(0.1f, 0.0f));
    params = (struct gf_select_params){.lo = 0.7, .hi = 0.7};
    range = gf_select_range(&params, GF_F32);
    assert_true(range.lo.f == (double)nextafterf(0.7f, 1.0f) && range.hi.f == (double)0.7f);
}

static void instruction_sets_agree(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    struct gf_prng prng = {.state = 7};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        if (!simd)
            continue;
        assert_string_equal(simd->name, names[i]);
        check_fir(simd, &prng);
        check_store(simd, &prng);
        check_load(simd, &prng);
        check_matmul(simd, &prng);
        check_conv1d(simd, &prng);
        check_select(simd, &prng);
    }
}

static void best_table_runs_here(void **state)
{
    UNUSED(state);
    assert_ptr_equal(gf_simd_by_name(gf_simd_best()->name), gf_simd_best());
    assert_null(gf_simd_by_name("sse9"));
}

static void store_rounds_to_even_and_saturates(void **state)
{
    UNUSED(state);
    struct gf_cpu_target target = {.dtype = GF_U8, .channels = 1, .scale = 1.0f, .max = 255.0f};
    static const unsigned char expected[9] = {0, 2, 2, 255, 0, 0, 255, 254, 0};
    _Alignas(64) float acc[16] = {0.5f, 1.5f, 2.5f, 255.4f, -3.0f, NAN, INFINITY, 254.49999f, -INFINITY};
    unsigned char dst[9];
    gf_simd_best()->samples->store(&target, acc, NULL, dst, 9);
    assert_memory_equal(dst, expected, sizeof(expected));
}

static void stored_nan_is_canonical(void **state)
{
    UNUSED(state);
    struct gf_cpu_target target = {
        .dtype = GF_F32, .channels = 2, .alpha_dtype = GF_F32, .scale = 1.0f, .max = 1.0f, .copy_alpha = true};
    static const uint32_t nan_bits = 0xFFC12345, canonical = 0x7FC00000, zero = 0;
    _Alignas(64) float acc[16] = {0};
    float dst[4];
    memcpy(&acc[0], &nan_bits, sizeof(nan_bits));
    acc[2] = -0.0f;
    float alphas[4] = {0, 0, 0, 0.25f};
    memcpy(&alphas[1], &nan_bits, sizeof(nan_bits));
    gf_simd_best()->samples->store(&target, acc, alphas, dst, 2);
    assert_memory_equal(&dst[0], &canonical, sizeof(canonical));
    assert_memory_equal(&dst[1], &canonical, sizeof(canonical));
    assert_memory_equal(&dst[2], &zero, sizeof(zero)); /* -0 * 1 + 0 */
    assert_true(dst[3] == 0.25f);
}

static void no_bucket_of_light_holds_two_entries(void **state)
{
    UNUSED(state);
    for (uint32_t max = 255; max <= 65535; max += 65280) {
        const int32_t *guess = gf_cpu_light_estimate(max);
        const float *table = gf_light_tables(max).encode;
        for (uint32_t b = 0; b < 2 * max + 1; b++)
            assert_true(guess[b + 1] - guess[b] <= 1);
        for (uint32_t k = 1; k <= max; k++) {
            assert_int_equal(guess[gf_cpu_light_bucket(table[k], (float)max)], k - 1);
            assert_in_range(guess[gf_cpu_light_bucket(nextafterf(table[k], 0.0f), (float)max)], k < 2 ? 0 : k - 2,
                            k - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_those_of_the_dtype), cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(best_table_runs_here),          cmocka_unit_test(store_rounds_to_even_and_saturates),
        cmocka_unit_test(stored_nan_is_canonical),       cmocka_unit_test(no_bucket_of_light_holds_two_entries),
    };
    return cmocka_run_group_tests_name("cpu_simd", tests, NULL, NULL);
}
