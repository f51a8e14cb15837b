/* SPDX-License-Identifier: MIT */
/* Converts samples to keys and back. Compiled once per instruction set. */
#include "kernels/cpu/simd/simd_isa.h"
#include "kernels/shared/rank/rank.h"
#include "simd_rank.h"

void GF_ISA_NAME(gf_rank_to_keys)(uint32_t dtype, const void *src, void *keys, size_t n);
void GF_ISA_NAME(gf_rank_from_keys)(uint32_t dtype, const void *keys, void *dst, size_t n);

GF_ALWAYS int32_t key_of_bits(int32_t bits)
{
    int32_t key = bits ^ ((bits >> 31) & 0x7FFFFFFF);
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : key;
}

GF_ALWAYS int16_t key_of_half(int16_t bits)
{
    int16_t key = (int16_t)(bits ^ ((bits >> 15) & 0x7FFF));
    return (bits & 0x7FFF) > 0x7C00 ? 0x7E00 : key;
}

void GF_ISA_NAME(gf_rank_to_keys)(uint32_t dtype, const void *src, void *keys, size_t n)
{
    if (dtype == GF_U8)
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)keys)[i] = ((const uint8_t *)src)[i] ^ 0x80;
    else if (dtype == GF_U16)
        for (size_t i = 0; i < n; i++)
            ((gf_u16_any *)keys)[i] = ((const gf_u16_any *)src)[i] ^ 0x8000;
    else if (dtype == GF_I16)
        memcpy(keys, src, n * sizeof(int16_t));
    else if (dtype == GF_F16)
        for (size_t i = 0; i < n; i++)
            ((gf_i16_any *)keys)[i] = key_of_half(((const gf_i16_any *)src)[i]);
    else
        for (size_t i = 0; i < n; i++)
            ((gf_i32_any *)keys)[i] = key_of_bits(((const gf_i32_any *)src)[i]);
}

void GF_ISA_NAME(gf_rank_from_keys)(uint32_t dtype, const void *keys, void *dst, size_t n)
{
    if (dtype == GF_F16) {
        for (size_t i = 0; i < n; i++) {
            int16_t key = ((const gf_i16_any *)keys)[i];
            ((gf_i16_any *)dst)[i] = (int16_t)(key ^ ((key >> 15) & 0x7FFF));
        }
    } else if (dtype == GF_F32) {
        for (size_t i = 0; i < n; i++) {
            int32_t key = ((const gf_i32_any *)keys)[i];
            ((gf_i32_any *)dst)[i] = key ^ ((key >> 31) & 0x7FFFFFFF);
        }
    } else { /* for integers the conversion is its own inverse */
        GF_ISA_NAME(gf_rank_to_keys)(dtype, keys, dst, n);
    }
}
