/* SPDX-License-Identifier: MIT */
/*
 * Finds the elements in a range and their positions. Compiled once per instruction set; select.c calls it through
 * gf_simd_select.
 */
#include "simd_select.h"

#include "kernels/cpu/simd/simd_isa.h"

/* The bounds are numbers of the element's type. Contiguous elements are the common case and have their own loop for the
 * vectoriser. */
#define FLAGS_OF(name, type, any, member)                                                                              \
    static void name(const void *src, size_t stride, size_t n, const struct gf_select_range *range,                    \
                     uint8_t *restrict flags)                                                                          \
    {                                                                                                                  \
        const any *x = src;                                                                                            \
        const type lo = (type)range->lo.member, hi = (type)range->hi.member;                                           \
        for (size_t i = 0; stride == 1 && i < n; i++)                                                                  \
            flags[i] = (uint8_t)((x[i] >= lo) & (x[i] <= hi));                                                         \
        for (size_t i = 0; stride != 1 && i < n; i++)                                                                  \
            flags[i] = (uint8_t)((x[i * stride] >= lo) & (x[i * stride] <= hi));                                       \
    }

FLAGS_OF(flags_u8, uint8_t, uint8_t, u)
FLAGS_OF(flags_i8, int8_t, int8_t, i)
FLAGS_OF(flags_u16, uint16_t, gf_u16_any, u)
FLAGS_OF(flags_i16, int16_t, gf_i16_any, i)
FLAGS_OF(flags_u32, uint32_t, gf_u32_any, u)
FLAGS_OF(flags_i32, int32_t, gf_i32_any, i)
FLAGS_OF(flags_u64, uint64_t, gf_u64_any, u)
FLAGS_OF(flags_i64, int64_t, gf_i64_any, i)
FLAGS_OF(flags_f32, float, gf_f32_any, f)
FLAGS_OF(flags_f64, double, gf_f64_any, f)

size_t GF_ISA_NAME(gf_simd_between)(uint32_t dtype, const void *src, size_t stride, size_t n,
                                    const struct gf_select_range *range, uint8_t *flags)
{
    static void (*const of[])(const void *, size_t, size_t, const struct gf_select_range *, uint8_t *) = {
        [GF_U8] = flags_u8,   [GF_I8] = flags_i8,   [GF_U16] = flags_u16, [GF_I16] = flags_i16, [GF_U32] = flags_u32,
        [GF_I32] = flags_i32, [GF_U64] = flags_u64, [GF_I64] = flags_i64, [GF_F32] = flags_f32, [GF_F64] = flags_f64};
    uint32_t count = 0;
    of[dtype](src, stride, n, range, flags);
    for (size_t i = 0; i < n; i++)
        count += flags[i];
    return count;
}

/* Has no branch on single flags, because they are unpredictable. Groups of eight zeros are skipped. */
GF_ALWAYS size_t scalar_positions(const uint8_t *flags, size_t i, size_t n, uint32_t *at, size_t k)
{
    for (; i + 8 <= n; i += 8) {
        if (*(const gf_u64_any *)(const void *)(flags + i) == 0)
            continue;
        for (size_t j = i; j < i + 8; j++) {
            at[k] = (uint32_t)j;
            k += flags[j];
        }
    }
    for (; i < n; i++) {
        at[k] = (uint32_t)i;
        k += flags[i];
    }
    return k;
}

size_t GF_ISA_NAME(gf_simd_positions)(const uint8_t *flags, size_t n, uint32_t *at)
{
    size_t i = 0, k = 0;
#if GF_LANES == 16
    __m512i own = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; i + 16 <= n; i += 16) {
        __m128i f = _mm_loadu_si128((const __m128i_u *)(const void *)(flags + i));
        __mmask16 set = _mm_test_epi8_mask(f, f);
        _mm512_storeu_si512(at + k, _mm512_maskz_compress_epi32(set, own));
        k += (size_t)__builtin_popcount(set);
        own = _mm512_add_epi32(own, _mm512_set1_epi32(16));
    }
#endif
    return scalar_positions(flags, i, n, at, k);
}

const struct gf_simd_select GF_ISA_NAME(gf_simd_select) = {
    .between = GF_ISA_NAME(gf_simd_between),
    .positions = GF_ISA_NAME(gf_simd_positions),
};
