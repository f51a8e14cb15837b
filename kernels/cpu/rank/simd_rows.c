/* SPDX-License-Identifier: MIT */
/*
 * Medians of 3 x 3, two rows at once, which share the sorting of their two common rows. They take little longer than a
 * copy, so samples are read and written in place. Compiled once per instruction set.
 */
#include "kernels/shared/rank/rank.h"
#include "simd_keys.h"
#include "simd_rank.h"

#define SUFFIX u8
#define KEY uint8_t
#include "simd_rows.def"

#define SUFFIX u16
#define KEY uint16_t
#include "simd_rows.def"

#define SUFFIX i16
#define KEY int16_t
#include "simd_rows.def"

#define SUFFIX i32
#define KEY int32_t
#include "simd_rows.def"

bool GF_ISA_NAME(gf_rank_median3)(const struct gf_rank_rows *rows);

bool GF_ISA_NAME(gf_rank_median3)(const struct gf_rank_rows *rows)
{
    if (rows->dtype == GF_U8)
        return median3_u8(rows, 0, 0);
    if (rows->dtype == GF_U16)
        return median3_u16(rows, 0, 0);
    if (rows->dtype == GF_I16)
        return median3_i16(rows, 0, 0);
    if (rows->dtype == GF_F16)
        return median3_i16(rows, INT16_MAX, 0x7C00);
    return median3_i32(rows, INT32_MAX, 0x7F800000);
}
