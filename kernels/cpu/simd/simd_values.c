/* SPDX-License-Identifier: MIT */
/* Converts elements of every dtype to 64-bit values and back, for scans. Called through struct gf_simd_samples. */
#include "simd_samples.h"

#include "simd_isa.h"

/* Replaces every NaN by the one that is stored. */
static double one_nan(double v)
{
    return v != v ? (double)NAN : v;
}

#define AS_IT_IS(v) (v)

/* Defines the load and the store of one element type T. `member` of a value has type W; `stored` is applied before a
 * store. Contiguous elements have their own loops. */
#define DEFINE(name, T, member, W, stored)                                                                             \
    static void load_##name(const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to)                       \
    {                                                                                                                  \
        const gf_##name##_any *p = at;                                                                                 \
        if (stride == 1)                                                                                               \
            for (size_t i = 0; i < n; i++)                                                                             \
                to[i].member = (W)p[i];                                                                                \
        else                                                                                                           \
            for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)                                                               \
                to[i].member = (W)p[i * stride];                                                                       \
    }                                                                                                                  \
    static void store_##name(const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride)                    \
    {                                                                                                                  \
        gf_##name##_any *p = at;                                                                                       \
        if (stride == 1)                                                                                               \
            for (size_t i = 0; i < n; i++)                                                                             \
                p[i] = (T)stored(from[i].member);                                                                      \
        else                                                                                                           \
            for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)                                                               \
                p[i * stride] = (T)stored(from[i].member);                                                             \
    }

DEFINE(u8, uint8_t, u, uint64_t, AS_IT_IS)
DEFINE(i8, int8_t, i, int64_t, AS_IT_IS)
DEFINE(u16, uint16_t, u, uint64_t, AS_IT_IS)
DEFINE(i16, int16_t, i, int64_t, AS_IT_IS)
DEFINE(u32, uint32_t, u, uint64_t, AS_IT_IS)
DEFINE(i32, int32_t, i, int64_t, AS_IT_IS)
DEFINE(u64, uint64_t, u, uint64_t, AS_IT_IS)
DEFINE(i64, int64_t, i, int64_t, AS_IT_IS)
DEFINE(f32, float, f, double, one_nan)
DEFINE(f64, double, f, double, one_nan)

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

void GF_ISA_NAME(gf_simd_load_values)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n,
                                      union gf_scan_value *to)
{
    loads[dtype](at, stride, n, to);
}

void GF_ISA_NAME(gf_simd_store_values)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at,
                                       ptrdiff_t stride)
{
    stores[dtype](from, n, at, stride);
}
