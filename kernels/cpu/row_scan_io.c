/* SPDX-License-Identifier: MIT */
/* Elements of every dtype to 64-bit values and back, for scans. Reached through struct gf_cpu_scan_rows. */
#include "row_isa.h"
#include "row_scan.h"

typedef uint8_t gf_u8_at __attribute__((aligned(1), may_alias));
typedef int8_t gf_i8_at __attribute__((aligned(1), may_alias));
typedef uint16_t gf_u16_at __attribute__((aligned(1), may_alias));
typedef int16_t gf_i16_at __attribute__((aligned(1), may_alias));
typedef uint32_t gf_u32_at __attribute__((aligned(1), may_alias));
typedef int32_t gf_i32_at __attribute__((aligned(1), may_alias));
typedef uint64_t gf_u64_at __attribute__((aligned(1), may_alias));
typedef int64_t gf_i64_at __attribute__((aligned(1), may_alias));
typedef float gf_f32_at __attribute__((aligned(1), may_alias));
typedef double gf_f64_at __attribute__((aligned(1), may_alias));

/* The one NaN that is stored. */
static double one_nan(double v)
{
    return v != v ? (double)NAN : v;
}

static void load_u8(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_u8_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].u = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].u = p[i * stride];
}

static void load_i8(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_i8_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].i = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].i = p[i * stride];
}

static void load_u16(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_u16_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].u = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].u = p[i * stride];
}

static void load_i16(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_i16_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].i = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].i = p[i * stride];
}

static void load_u32(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_u32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].u = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].u = p[i * stride];
}

static void load_i32(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_i32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].i = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].i = p[i * stride];
}

static void load_u64(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_u64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].u = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].u = p[i * stride];
}

static void load_i64(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_i64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].i = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].i = p[i * stride];
}

static void load_f32(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_f32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].f = (double)p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].f = (double)p[i * stride];
}

static void load_f64(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    const gf_f64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i].f = p[i];
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            to[i].f = p[i * stride];
}

static void store_u8(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_u8_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (uint8_t)from[i].u;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (uint8_t)from[i].u;
}

static void store_i8(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_i8_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (int8_t)from[i].i;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (int8_t)from[i].i;
}

static void store_u16(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_u16_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (uint16_t)from[i].u;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (uint16_t)from[i].u;
}

static void store_i16(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_i16_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (int16_t)from[i].i;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (int16_t)from[i].i;
}

static void store_u32(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_u32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (uint32_t)from[i].u;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (uint32_t)from[i].u;
}

static void store_i32(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_i32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (int32_t)from[i].i;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (int32_t)from[i].i;
}

static void store_u64(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_u64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = from[i].u;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = from[i].u;
}

static void store_i64(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_i64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = from[i].i;
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = from[i].i;
}

static void store_f32(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_f32_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = (float)one_nan(from[i].f);
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = (float)one_nan(from[i].f);
}

static void store_f64(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)
{
    gf_f64_at *p = at;
    if (stride == 1)
        for (size_t i = 0; i < n; i++)
            p[i] = one_nan(from[i].f);
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
            p[i * stride] = one_nan(from[i].f);
}

typedef void load_fn(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to);
typedef void store_fn(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride);

static load_fn *const loads[] = {
    [GF_U8] = load_u8,   [GF_I8] = load_i8,   [GF_U16] = load_u16, [GF_I16] = load_i16, [GF_U32] = load_u32,
    [GF_I32] = load_i32, [GF_U64] = load_u64, [GF_I64] = load_i64, [GF_F32] = load_f32, [GF_F64] = load_f64,
};
static store_fn *const stores[] = {
    [GF_U8] = store_u8,   [GF_I8] = store_i8,   [GF_U16] = store_u16, [GF_I16] = store_i16, [GF_U32] = store_u32,
    [GF_I32] = store_i32, [GF_U64] = store_u64, [GF_I64] = store_i64, [GF_F32] = store_f32, [GF_F64] = store_f64,
};

void GF_ISA_NAME(gf_cpu_scan_load)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)
{
    loads[dtype](at, stride, n, to);
}

void GF_ISA_NAME(gf_cpu_scan_store)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at,
                                    ptrdiff_t stride)
{
    stores[dtype](from, n, at, stride);
}
