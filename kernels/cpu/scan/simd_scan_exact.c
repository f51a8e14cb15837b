/* SPDX-License-Identifier: MIT */
/*
 * Scans whose result does not depend on the order: integers modulo 2^64, minimum and maximum. Each result is computed
 * from the previous one. Called through struct gf_simd_scan.
 */
#include "simd_scan.h"

#include "kernels/cpu/simd/simd_isa.h"

/* The member of union gf_scan_value that holds a dtype's values. */
enum held { HELD_F, HELD_I, HELD_U };

GF_ALWAYS bool less(enum held held, union gf_scan_value l, union gf_scan_value r)
{
    return held == HELD_F ? l.f < r.f : held == HELD_I ? l.i < r.i : l.u < r.u;
}

/* IEEE 754-2019 minimum and maximum: NaN wins, and -0 is below +0. */
GF_ALWAYS union gf_scan_value extreme(bool min, enum held held, union gf_scan_value l, union gf_scan_value r)
{
    bool left = min ? less(held, l, r) : less(held, r, l);
    if (held == HELD_F)
        left = left | (l.f != l.f) | ((l.f == r.f) & ((l.i < 0) == min));
    return left ? l : r;
}

/* Combines l with r. *fits becomes false if an integer result does not fit in 64 bits. */
GF_ALWAYS union gf_scan_value next(uint32_t what, enum held held, union gf_scan_value l, union gf_scan_value r,
                                   bool *fits)
{
    union gf_scan_value v = {.u = 0};
    bool over = false;
    if (what == GF_SCAN_MIN || what == GF_SCAN_MAX)
        return extreme(what == GF_SCAN_MIN, held, l, r);
    if (what == GF_SCAN_SUM)
        over = held == HELD_I ? __builtin_add_overflow(l.i, r.i, &v.i) : __builtin_add_overflow(l.u, r.u, &v.u);
    else
        over = held == HELD_I ? __builtin_mul_overflow(l.i, r.i, &v.i) : __builtin_mul_overflow(l.u, r.u, &v.u);
    *fits = !over;
    return v;
}

GF_ALWAYS bool inside(enum held held, const struct gf_scan_limits *limits, union gf_scan_value v)
{
    return held == HELD_I ? v.i >= limits->lo && (v.i < 0 || v.u <= limits->hi) : v.u <= limits->hi;
}

GF_ALWAYS size_t run(uint32_t what, enum held held, const struct gf_scan_limits *limits, union gf_scan_value *carry,
                     union gf_scan_value *x, size_t n)
{
    union gf_scan_value acc = *carry;
    bool checked = limits->checked;
    for (size_t i = 0; i < n; i++) {
        bool fits = true;
        acc = next(what, held, acc, x[i], &fits);
        if (checked && !(fits && inside(held, limits, acc)))
            return i;
        x[i] = acc;
    }
    *carry = acc;
    return n;
}

GF_ALWAYS union gf_scan_value fold(uint32_t what, enum held held, union gf_scan_value carry,
                                   const union gf_scan_value *x, size_t n)
{
    bool fits;
    for (size_t i = 0; i < n; i++)
        carry = next(what, held, carry, x[i], &fits);
    return carry;
}

GF_ALWAYS size_t run_across(uint32_t what, enum held held, const struct gf_scan_limits *limits,
                            union gf_scan_value *restrict carries, union gf_scan_value *restrict x, size_t n)
{
    size_t first = n;
    if (!limits->checked) {
        for (size_t i = 0; i < n; i++) {
            bool fits;
            carries[i] = x[i] = next(what, held, carries[i], x[i], &fits);
        }
        return n;
    }
    for (size_t i = n; i-- > 0;) {
        bool fits = true;
        carries[i] = x[i] = next(what, held, carries[i], x[i], &fits);
        if (!(fits && inside(held, limits, x[i])))
            first = i;
    }
    return first;
}

static enum held held_as(uint32_t number)
{
    return gf_dtype_kind(number) == GF_KIND_FLOAT ? HELD_F : gf_dtype_kind(number) == GF_KIND_SINT ? HELD_I : HELD_U;
}

/* One case label per operator and held type. */
#define CASE(what, held) ((what)*4u + (unsigned)(held))

size_t GF_ISA_NAME(gf_simd_run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                union gf_scan_value *carry, union gf_scan_value *x, size_t n)
{
    switch (CASE(what, held_as(dtype))) {
    case CASE(GF_SCAN_SUM, HELD_I):
        return run(GF_SCAN_SUM, HELD_I, limits, carry, x, n);
    case CASE(GF_SCAN_SUM, HELD_U):
        return run(GF_SCAN_SUM, HELD_U, limits, carry, x, n);
    case CASE(GF_SCAN_PRODUCT, HELD_I):
        return run(GF_SCAN_PRODUCT, HELD_I, limits, carry, x, n);
    case CASE(GF_SCAN_PRODUCT, HELD_U):
        return run(GF_SCAN_PRODUCT, HELD_U, limits, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_F):
        return run(GF_SCAN_MIN, HELD_F, limits, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_I):
        return run(GF_SCAN_MIN, HELD_I, limits, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_U):
        return run(GF_SCAN_MIN, HELD_U, limits, carry, x, n);
    case CASE(GF_SCAN_MAX, HELD_F):
        return run(GF_SCAN_MAX, HELD_F, limits, carry, x, n);
    case CASE(GF_SCAN_MAX, HELD_I):
        return run(GF_SCAN_MAX, HELD_I, limits, carry, x, n);
    default:
        return run(GF_SCAN_MAX, HELD_U, limits, carry, x, n);
    }
}

union gf_scan_value GF_ISA_NAME(gf_simd_fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry,
                                              const union gf_scan_value *x, size_t n)
{
    switch (CASE(what, held_as(dtype))) {
    case CASE(GF_SCAN_SUM, HELD_I):
    case CASE(GF_SCAN_SUM, HELD_U):
        return fold(GF_SCAN_SUM, HELD_U, carry, x, n);
    case CASE(GF_SCAN_PRODUCT, HELD_I):
    case CASE(GF_SCAN_PRODUCT, HELD_U):
        return fold(GF_SCAN_PRODUCT, HELD_U, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_F):
        return fold(GF_SCAN_MIN, HELD_F, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_I):
        return fold(GF_SCAN_MIN, HELD_I, carry, x, n);
    case CASE(GF_SCAN_MIN, HELD_U):
        return fold(GF_SCAN_MIN, HELD_U, carry, x, n);
    case CASE(GF_SCAN_MAX, HELD_F):
        return fold(GF_SCAN_MAX, HELD_F, carry, x, n);
    case CASE(GF_SCAN_MAX, HELD_I):
        return fold(GF_SCAN_MAX, HELD_I, carry, x, n);
    default:
        return fold(GF_SCAN_MAX, HELD_U, carry, x, n);
    }
}

size_t GF_ISA_NAME(gf_simd_run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                       union gf_scan_value *carries, union gf_scan_value *x, size_t n)
{
    switch (CASE(what, held_as(dtype))) {
    case CASE(GF_SCAN_SUM, HELD_I):
        return run_across(GF_SCAN_SUM, HELD_I, limits, carries, x, n);
    case CASE(GF_SCAN_SUM, HELD_U):
        return run_across(GF_SCAN_SUM, HELD_U, limits, carries, x, n);
    case CASE(GF_SCAN_PRODUCT, HELD_I):
        return run_across(GF_SCAN_PRODUCT, HELD_I, limits, carries, x, n);
    case CASE(GF_SCAN_PRODUCT, HELD_U):
        return run_across(GF_SCAN_PRODUCT, HELD_U, limits, carries, x, n);
    case CASE(GF_SCAN_MIN, HELD_F):
        return run_across(GF_SCAN_MIN, HELD_F, limits, carries, x, n);
    case CASE(GF_SCAN_MIN, HELD_I):
        return run_across(GF_SCAN_MIN, HELD_I, limits, carries, x, n);
    case CASE(GF_SCAN_MIN, HELD_U):
        return run_across(GF_SCAN_MIN, HELD_U, limits, carries, x, n);
    case CASE(GF_SCAN_MAX, HELD_F):
        return run_across(GF_SCAN_MAX, HELD_F, limits, carries, x, n);
    case CASE(GF_SCAN_MAX, HELD_I):
        return run_across(GF_SCAN_MAX, HELD_I, limits, carries, x, n);
    default:
        return run_across(GF_SCAN_MAX, HELD_U, limits, carries, x, n);
    }
}
