/* SPDX-License-Identifier: MIT */
/* kernels/cpu/expr/simd_expr: every instruction, load and store of every instruction set that runs here gives the bits
 * of the host's functions, and of the contract in plain loops. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/expr/simd_expr.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/shared/expr/lower.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "protocol/base/half.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define ROUNDS 60u

/* Room for whole vectors at any place. */
struct row {
    _Alignas(64) unsigned char bytes[(GF_EXPR_ROW_MAX + 16) * sizeof(int64_t)];
};

static const int64_t whole[] = {
    0,
    1,
    -1,
    2,
    -2,
    7,
    -7,
    31,
    32,
    63,
    64,
    127,
    128,
    255,
    256,
    32767,
    -32768,
    65535,
    INT32_MAX,
    INT32_MIN,
    UINT32_MAX,
    INT64_MAX,
    INT64_MIN,
    INT64_C(1) << 53,
    (INT64_C(1) << 53) + 1,
    16777217,
    -1000000007,
};
static const double real[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.7,
    254.5,
    255.5,
    32767.5,
    65504,
    65520,
    0x1p24,
    0x1p31,
    0x1p32,
    -0x1p31,
    0x1p63,
    -0x1p63,
    0x1p64,
    1e10,
    -1e10,
    1e19,
    1e-40,
    1e-310,
    1e30,
    1e300,
    -1e300,
    0x1p-149,
    0x1p-24,
    0x1p-25,
    1.2e5,
    1.4e5,
    3.3e9,
    88.8,
    -104.5,
    (double)INFINITY,
    -(double)INFINITY,
    (double)NAN,
};

static union gf_expr_value random_value(struct gf_prng *prng, uint32_t machine)
{
    union gf_expr_value v = {.i64 = 0};
    int64_t i = whole[gf_prng_below(prng, GF_ARRAY_LEN(whole))];
    double f = real[gf_prng_below(prng, GF_ARRAY_LEN(real))];
    if (gf_prng_below(prng, 3) == 0) {
        i = (int64_t)gf_prng_below(prng, 1u << 20) - (1 << 19);
        f = ((double)gf_prng_unit(prng) - 0.5) * 1000.0;
    }
    if (machine == GF_EXPR_M_I32)
        v.i32 = (int32_t)i;
    else if (machine == GF_EXPR_M_F32)
        v.f32 = (float)f;
    else if (machine == GF_EXPR_M_F64)
        v.f64 = f;
    else
        v.i64 = i;
    return v;
}

static size_t size_of(uint32_t machine)
{
    return machine == GF_EXPR_M_I32 || machine == GF_EXPR_M_F32 ? 4 : 8;
}

static union gf_expr_value value_at(const struct row *row, uint32_t machine, size_t i)
{
    union gf_expr_value v = {.i64 = 0};
    memcpy(&v, row->bytes + i * size_of(machine), size_of(machine));
    return v;
}

static bool is_nan(uint32_t machine, union gf_expr_value v)
{
    return (machine == GF_EXPR_M_F32 && isnan(v.f32)) || (machine == GF_EXPR_M_F64 && isnan(v.f64));
}

static void fill(struct gf_prng *prng, struct row *row, uint32_t machine, bool condition)
{
    for (size_t i = 0; i < GF_EXPR_ROW_MAX; i++) {
        union gf_expr_value v = random_value(prng, machine);
        if (condition)
            v.i32 &= 1;
        memcpy(row->bytes + i * size_of(machine), &v, size_of(machine));
    }
}

static void check_insn(const struct gf_simd *simd, uint32_t op, struct gf_prng *prng)
{
    static struct row in[3], out;
    const struct gf_expr_insn_info *info = gf_expr_insn_info(op);
    for (uint32_t k = 0; k < 3; k++)
        fill(prng, &in[k], k == 0 ? info->first : info->others, k == 0 && info->first != info->others);
    size_t n = GF_EXPR_ROW_STEP * (1 + gf_prng_below(prng, GF_EXPR_ROW_MAX / GF_EXPR_ROW_STEP));
    simd->expr->loops[op](out.bytes, in[0].bytes, in[1].bytes, in[2].bytes, n);
    for (size_t i = 0; i < n; i++) {
        union gf_expr_value v[3], got = value_at(&out, info->result, i);
        for (uint32_t k = 0; k < 3; k++)
            v[k] = value_at(&in[k], k == 0 ? info->first : info->others, i);
        union gf_expr_value expected = gf_expr_fold(op, v);
        if (memcmp(&got, &expected, sizeof(got)) != 0 && !(is_nan(info->result, got) && is_nan(info->result, expected)))
            fail_msg("%s: %s.%u of %llx %llx %llx is %llx, not %llx", simd->name, info->name, info->others,
                     (unsigned long long)v[0].u64, (unsigned long long)v[1].u64, (unsigned long long)v[2].u64,
                     (unsigned long long)got.u64, (unsigned long long)expected.u64);
    }
}

static const char *const sets[] = {"generic", "avx2", "avx512", "avx512vnni"};

static void instructions_are_those_of_the_host(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {26};
    for (size_t s = 0; s < GF_ARRAY_LEN(sets); s++) {
        const struct gf_simd *simd = gf_simd_by_name(sets[s]);
        for (uint32_t op = GF_EXPR_I_PLACE_F64 + 1; simd && op < GF_EXPR_N_INSNS; op++)
            for (uint32_t round = 0; round < ROUNDS; round++)
                check_insn(simd, op, &prng);
    }
}

/* An element as the widest of its kind. */
static long double element(uint32_t dtype, const void *p)
{
    switch (dtype) {
#define GF_DTYPE(NAME, number, word, ctype, bytes, kind)                                                               \
    case GF_##NAME: {                                                                                                  \
        ctype v;                                                                                                       \
        memcpy(&v, p, sizeof(v));                                                                                      \
        return GF_##NAME == GF_F16 ? (long double)gf_half_to_f32((uint16_t)v) : (long double)v;                        \
    }
#include "protocol/base/dtype.def"
#undef GF_DTYPE
    default:
        return 0;
    }
}

static long double as_number(uint32_t machine, union gf_expr_value v)
{
    return machine == GF_EXPR_M_I32   ? (long double)v.i32
           : machine == GF_EXPR_M_I64 ? (long double)v.i64
           : machine == GF_EXPR_M_U64 ? (long double)v.u64
           : machine == GF_EXPR_M_F32 ? (long double)v.f32
                                      : (long double)v.f64;
}

/* The stored value by docs/numerics.md, "Store". All numbers here are exact in 64 bits of mantissa. */
static long double stored(uint32_t dtype, long double v)
{
    static const long double least[] = {
        [GF_I8] = INT8_MIN, [GF_I16] = INT16_MIN, [GF_I32] = INT32_MIN, [GF_I64] = INT64_MIN, [GF_F16] = 0};
    static const long double most[] = {
        [GF_U8] = UINT8_MAX,   [GF_I8] = INT8_MAX,   [GF_U16] = UINT16_MAX, [GF_I16] = INT16_MAX,
        [GF_U32] = UINT32_MAX, [GF_I32] = INT32_MAX, [GF_U64] = UINT64_MAX, [GF_I64] = INT64_MAX};
    if (dtype == GF_F64)
        return (long double)(double)v;
    if (dtype == GF_F32)
        return (long double)(float)v;
    if (dtype == GF_F16)
        return (long double)gf_half_to_f32(gf_half_from_f32((float)v));
    v = isnan(v) ? 0 : rintl(v) + 0.0L; /* no -0 */
    return v < least[dtype] ? least[dtype] : v > most[dtype] ? most[dtype] : v;
}

static void check_store(const struct gf_simd *simd, uint32_t machine, uint32_t dtype, struct gf_prng *prng)
{
    static struct row row, out;
    size_t size = gf_dtype_size(dtype), n = 1 + gf_prng_below(prng, GF_EXPR_ROW_MAX), skip = gf_prng_below(prng, 16);
    fill(prng, &row, machine, false);
    memset(&out, 0x5A, sizeof(out));
    simd->expr->store(machine, dtype, row.bytes, out.bytes + skip, n, skip % 2 == 0);
    for (size_t i = 0; i < n; i++) {
        long double v = as_number(machine, value_at(&row, machine, i)), expected = stored(dtype, v);
        const unsigned char *p = out.bytes + skip + i * size;
        long double got = element(dtype, p);
        if ((got != expected || signbit(got) != signbit(expected)) && !(isnan(got) && isnan(expected)))
            fail_msg("%s: %Lg from %u as %s is %Lg, not %Lg", simd->name, v, machine, gf_dtype_word(dtype), got,
                     expected);
        if (isnan(got)) {
            uint64_t bits = 0, one = dtype == GF_F16 ? 0x7E00 : dtype == GF_F32 ? 0x7FC00000 : UINT64_C(0x7FF8) << 48;
            memcpy(&bits, p, size);
            assert_true(bits == one);
        }
    }
    for (size_t i = skip + n * size; i < skip + n * size + 16; i++)
        assert_int_equal(out.bytes[i], 0x5A);
}

static void stores_saturate(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {27};
    for (size_t s = 0; s < GF_ARRAY_LEN(sets); s++) {
        const struct gf_simd *simd = gf_simd_by_name(sets[s]);
        for (uint32_t machine = GF_EXPR_M_I32; simd && machine <= GF_EXPR_M_F64; machine++)
            for (uint32_t dtype = GF_U8; dtype <= GF_F16; dtype++)
                for (uint32_t round = 0; round < ROUNDS; round++)
                    check_store(simd, machine, dtype, &prng);
    }
}

/* The types that a dtype is loaded as. */
static bool loads(uint32_t dtype, uint32_t machine)
{
    bool whole_number = gf_dtype_kind(dtype) != GF_KIND_FLOAT;
    if (machine == GF_EXPR_M_I32)
        return whole_number && dtype != GF_U32 && dtype != GF_U64 && dtype != GF_I64;
    if (machine == GF_EXPR_M_I64)
        return whole_number && dtype != GF_U64;
    return machine == GF_EXPR_M_U64 ? dtype == GF_U64 : true;
}

static void check_load(const struct gf_simd *simd, uint32_t dtype, uint32_t machine, struct gf_prng *prng)
{
    static struct row from, row;
    size_t size = gf_dtype_size(dtype), n = 1 + gf_prng_below(prng, GF_EXPR_ROW_MAX), skip = gf_prng_below(prng, 16);
    for (size_t i = 0; i < sizeof(from.bytes); i++)
        from.bytes[i] = (unsigned char)gf_prng_below(prng, 256);
    simd->expr->load(dtype, machine, from.bytes + skip, row.bytes, n);
    for (size_t i = 0; i < n; i++) {
        long double v = element(dtype, from.bytes + skip + i * size),
                    got = as_number(machine, value_at(&row, machine, i));
        long double expected = machine == GF_EXPR_M_F32   ? (long double)(float)v
                               : machine == GF_EXPR_M_F64 ? (long double)(double)v
                                                          : v;
        if ((got != expected || signbit(got) != signbit(expected)) && !(isnan(got) && isnan(expected)))
            fail_msg("%s: %Lg of %s as %u is %Lg", simd->name, v, gf_dtype_word(dtype), machine, got);
    }
}

static void loads_are_exact(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {28};
    for (size_t s = 0; s < GF_ARRAY_LEN(sets); s++) {
        const struct gf_simd *simd = gf_simd_by_name(sets[s]);
        for (uint32_t machine = GF_EXPR_M_I32; simd && machine <= GF_EXPR_M_F64; machine++)
            for (uint32_t dtype = GF_U8; dtype <= GF_F16; dtype++)
                for (uint32_t round = 0; round < ROUNDS && loads(dtype, machine); round++)
                    check_load(simd, dtype, machine, &prng);
    }
}

static void rows_move(void **state)
{
    UNUSED(state);
    static const size_t sizes[] = {1, 2, 4, 8};
    static unsigned char pixels[60 * 4 * 8], picked[60 * 8], again[sizeof(pixels)];
    for (size_t i = 0; i < sizeof(pixels); i++)
        pixels[i] = (unsigned char)(i * 2654435761u >> 11);
    for (size_t s = 0; s < GF_ARRAY_LEN(sets); s++) {
        const struct gf_simd *simd = gf_simd_by_name(sets[s]);
        for (size_t k = 0; simd && k < GF_ARRAY_LEN(sizes); k++)
            for (size_t step = 2; step <= 4; step++) {
                size_t size = sizes[k], n = 59;
                for (size_t channel = 0; channel < step; channel++) {
                    simd->expr->pick(size, step, pixels + channel * size, picked, n);
                    simd->expr->spread(size, step, picked, again + channel * size, n);
                }
                assert_memory_equal(again, pixels, n * step * size);
                static unsigned char rows[4][60 * 8];
                const void *starts[4] = {rows[0], rows[1], rows[2], rows[3]};
                for (size_t channel = 0; channel < step; channel++)
                    simd->expr->pick(size, step, pixels + channel * size, rows[channel], n);
                memset(again, 0, sizeof(again));
                simd->expr->interleave(size, step, starts, again, n);
                assert_memory_equal(again, pixels, n * step * size);
                simd->expr->repeat(size, step, picked, again, n * step);
                for (size_t i = 0; i < n * step; i++)
                    assert_memory_equal(again + i * size, picked + i / step * size, size);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_those_of_the_host),
        cmocka_unit_test(stores_saturate),
        cmocka_unit_test(loads_are_exact),
        cmocka_unit_test(rows_move),
    };
    return cmocka_run_group_tests_name("expr_loops", tests, NULL, NULL);
}
