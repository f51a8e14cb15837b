/* SPDX-License-Identifier: MIT */
/*
 * Converts elements of any dtype to f64 values and to keys in their order. Compiled once per instruction set; the
 * reductions call it through gf_simd_samples.
 */
#include "simd_samples.h"

#include "kernels/shared/reduce_partial.h"
#include "simd_isa.h"

/* Element i as a value. The dtype is a compile-time constant wherever this function is inlined. */
GF_ALWAYS double value_at(uint32_t dtype, const void *src, size_t i)
{
    return dtype == GF_U8    ? (double)((const uint8_t *)src)[i]
           : dtype == GF_I8  ? (double)((const int8_t *)src)[i]
           : dtype == GF_U16 ? (double)((const gf_u16_any *)src)[i]
           : dtype == GF_I16 ? (double)((const gf_i16_any *)src)[i]
           : dtype == GF_U32 ? (double)((const gf_u32_any *)src)[i]
           : dtype == GF_I32 ? (double)((const gf_i32_any *)src)[i]
           : dtype == GF_U64 ? (double)((const gf_u64_any *)src)[i]
           : dtype == GF_I64 ? (double)((const gf_i64_any *)src)[i]
           : dtype == GF_F32 ? (double)((const gf_f32_any *)src)[i]
                             : ((const gf_f64_any *)src)[i];
}

GF_ALWAYS int64_t key_at(uint32_t dtype, const void *src, size_t i)
{
    return dtype == GF_U8    ? (int64_t)((const uint8_t *)src)[i]
           : dtype == GF_I8  ? (int64_t)((const int8_t *)src)[i]
           : dtype == GF_U16 ? (int64_t)((const gf_u16_any *)src)[i]
           : dtype == GF_I16 ? (int64_t)((const gf_i16_any *)src)[i]
           : dtype == GF_U32 ? (int64_t)((const gf_u32_any *)src)[i]
           : dtype == GF_I32 ? (int64_t)((const gf_i32_any *)src)[i]
           : dtype == GF_U64 ? gf_key_u64(((const gf_u64_any *)src)[i])
           : dtype == GF_I64 ? ((const gf_i64_any *)src)[i]
           : dtype == GF_F32 ? (int64_t)gf_key_f32(((const gf_f32_any *)src)[i])
                             : gf_key_f64(((const gf_f64_any *)src)[i]);
}

GF_ALWAYS void widen_by(uint32_t dtype, const void *src, size_t stride, size_t n, double *restrict x,
                        int64_t *restrict keys)
{
    for (size_t i = 0; x && i < n; i++)
        x[i] = value_at(dtype, src, i * stride);
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = key_at(dtype, src, i * stride);
}

/* Contiguous elements are the common case and have their own loop for the vectoriser. */
GF_ALWAYS void widen(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys)
{
    if (stride == 1)
        widen_by(dtype, src, 1, n, x, keys);
    else
        widen_by(dtype, src, stride, n, x, keys);
}

void GF_ISA_NAME(gf_simd_widen)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys)
{
    if (dtype == GF_U8)
        widen(GF_U8, src, stride, n, x, keys);
    else if (dtype == GF_I8)
        widen(GF_I8, src, stride, n, x, keys);
    else if (dtype == GF_U16)
        widen(GF_U16, src, stride, n, x, keys);
    else if (dtype == GF_I16)
        widen(GF_I16, src, stride, n, x, keys);
    else if (dtype == GF_U32)
        widen(GF_U32, src, stride, n, x, keys);
    else if (dtype == GF_I32)
        widen(GF_I32, src, stride, n, x, keys);
    else if (dtype == GF_U64)
        widen(GF_U64, src, stride, n, x, keys);
    else if (dtype == GF_I64)
        widen(GF_I64, src, stride, n, x, keys);
    else if (dtype == GF_F32)
        widen(GF_F32, src, stride, n, x, keys);
    else
        widen(GF_F64, src, stride, n, x, keys);
}
