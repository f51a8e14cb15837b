/* SPDX-License-Identifier: MIT */
/*
 * Small windows, a vector of windows at a time: medians of 5 x 5 by sorting networks, other ranks and windows by
 * counting. Compiled once per instruction set.
 */
#include "simd_keys.h"
#include "simd_rank.h"

/* Keys per row of results. */
static size_t results_of(const struct gf_rank_tile *t)
{
    return (size_t)t->columns * t->channels;
}

/* Bytes from one line of sorted columns to the next. */
static size_t line_of(const struct gf_rank_tile *t, size_t key)
{
    return gf_round_up((results_of(t) + (t->width - 1) * (size_t)t->channels) * key + GF_RANK_SLACK, 64);
}

/* simd_windows.def defines median5_i8 and counting_i8, and the same for the other types. */
#define SUFFIX i8
#define KEY int8_t
#include "simd_windows.def"

#define SUFFIX i16
#define KEY int16_t
#include "simd_windows.def"

#define SUFFIX i32
#define KEY int32_t
#include "simd_windows.def"

void GF_ISA_NAME(gf_rank_to_keys)(uint32_t dtype, const void *src, void *keys, size_t n);
void GF_ISA_NAME(gf_rank_from_keys)(uint32_t dtype, const void *keys, void *dst, size_t n);
gf_rank_tile_fn GF_ISA_NAME(gf_rank_columns), GF_ISA_NAME(gf_rank_ordered_i16), GF_ISA_NAME(gf_rank_ordered_i32);
bool GF_ISA_NAME(gf_rank_median3)(const struct gf_rank_rows *rows);
extern const struct gf_simd_rank GF_ISA_NAME(gf_simd_rank);

const struct gf_simd_rank GF_ISA_NAME(gf_simd_rank) = {
    .to_keys = GF_ISA_NAME(gf_rank_to_keys),
    .from_keys = GF_ISA_NAME(gf_rank_from_keys),
    .median3 = GF_ISA_NAME(gf_rank_median3),
    .median5 = {median5_i8, median5_i16, median5_i32},
    .counting = {counting_i8, counting_i16, counting_i32},
    .sliding = {GF_ISA_NAME(gf_rank_columns), GF_ISA_NAME(gf_rank_ordered_i16), GF_ISA_NAME(gf_rank_ordered_i32)},
};
