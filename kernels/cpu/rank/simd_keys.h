/* SPDX-License-Identifier: MIT */
/*
 * Vectors of keys, for simd_windows.c and simd_rows.c: gf_keys_i8, gf_keys_i16, gf_keys_i32 and so on, the same at any
 * address, and the lesser and the greater of two.
 */
#ifndef GF_KERNELS_CPU_SIMD_KEYS_H
#define GF_KERNELS_CPU_SIMD_KEYS_H

#include "kernels/cpu/simd/simd_isa.h"

#define GF_KEYS_BYTES (GF_LANES * 4)

typedef int8_t gf_keys_i8 __attribute__((vector_size(GF_KEYS_BYTES)));
typedef int16_t gf_keys_i16 __attribute__((vector_size(GF_KEYS_BYTES)));
typedef int32_t gf_keys_i32 __attribute__((vector_size(GF_KEYS_BYTES)));
typedef int8_t gf_keys_any_i8 __attribute__((vector_size(GF_KEYS_BYTES), aligned(1), may_alias));
typedef int16_t gf_keys_any_i16 __attribute__((vector_size(GF_KEYS_BYTES), aligned(1), may_alias));
typedef int32_t gf_keys_any_i32 __attribute__((vector_size(GF_KEYS_BYTES), aligned(1), may_alias));

typedef uint8_t gf_keys_u8 __attribute__((vector_size(GF_KEYS_BYTES)));
typedef uint16_t gf_keys_u16 __attribute__((vector_size(GF_KEYS_BYTES)));
typedef uint8_t gf_keys_any_u8 __attribute__((vector_size(GF_KEYS_BYTES), aligned(1), may_alias));
typedef uint16_t gf_keys_any_u16 __attribute__((vector_size(GF_KEYS_BYTES), aligned(1), may_alias));

#if GF_LANES == 16
#define GF_KEYS_MIN(type, bits, a, b) (type) _mm512_min_ep##bits((__m512i)(a), (__m512i)(b))
#define GF_KEYS_MAX(type, bits, a, b) (type) _mm512_max_ep##bits((__m512i)(a), (__m512i)(b))
#elif GF_LANES == 8
#define GF_KEYS_MIN(type, bits, a, b) (type) _mm256_min_ep##bits((__m256i)(a), (__m256i)(b))
#define GF_KEYS_MAX(type, bits, a, b) (type) _mm256_max_ep##bits((__m256i)(a), (__m256i)(b))
#else
#define GF_KEYS_MIN(type, bits, a, b) ((a) & (type)((a) < (b))) | ((b) & ~(type)((a) < (b)))
#define GF_KEYS_MAX(type, bits, a, b) ((b) & (type)((a) < (b))) | ((a) & ~(type)((a) < (b)))
#endif

#define GF_KEYS_EXTREMES(bits)                                                                                         \
    GF_ALWAYS gf_keys_##bits gf_keys_min_##bits(gf_keys_##bits a, gf_keys_##bits b)                                    \
    {                                                                                                                  \
        return GF_KEYS_MIN(gf_keys_##bits, bits, a, b);                                                                \
    }                                                                                                                  \
    GF_ALWAYS gf_keys_##bits gf_keys_max_##bits(gf_keys_##bits a, gf_keys_##bits b)                                    \
    {                                                                                                                  \
        return GF_KEYS_MAX(gf_keys_##bits, bits, a, b);                                                                \
    }

GF_KEYS_EXTREMES(i8)
GF_KEYS_EXTREMES(i16)
GF_KEYS_EXTREMES(i32)
GF_KEYS_EXTREMES(u8)
GF_KEYS_EXTREMES(u16)

#endif
