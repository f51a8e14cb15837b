/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of point ops, compiled once per instruction set (simd_point.c, simd_intensity.c,
 * simd_clahe.c). Called by point.c, intensity.c and clahe.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_POINT_H
#define GF_KERNELS_CPU_SIMD_POINT_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/tone/clahe.h"

/* A row of one channel of clahe, by the tables of the tiles of two rows. */
struct gf_cpu_clahe_row {
    const uint32_t *cells;          /* of 8 bits: gf_simd_point.clahe_cells */
    const uint16_t *above, *below;  /* of 16 bits: the tables of the rows of tiles */
    const uint32_t *before, *after; /* where the tables begin of the tiles before and after each pixel; of 8 bits, where
                                       its cell does */
    const float *weight;            /* of the tile after */
    float y, max;                   /* the weight of the row below; the greatest result */
};

/* One formula for every sample, numerics.md 11: v = fmaf(x, scale, offset), its power, times or by a factor. */
struct gf_cpu_formula {
    float scale, offset;
    float gamma;            /* 1: no power */
    float multiply, divide; /* one of them is 1, which changes nothing */
};

union gf_cpu_pattern {
    uint8_t u8[GF_PATTERN];
    uint16_t u16[GF_PATTERN];
    int16_t i16[GF_PATTERN];
    uint32_t u32[GF_PATTERN];
    float f32[GF_PATTERN];
};

/* A sample not below `threshold` becomes `high`, others 0; of all, the bits in `keep` stay. */
struct gf_cpu_limit {
    union gf_cpu_pattern threshold, high, keep;
    bool keeps;  /* some bit of keep is set */
    bool same;   /* all samples are alike, and none keeps a bit */
    bool stream; /* such of f32 go past the caches */
};

/* A sample x becomes (x - lo) * slope; where all bits of `keep` are set it stays. f32. */
struct gf_cpu_ramp {
    float lo[GF_PATTERN], slope[GF_PATTERN];
    uint32_t keep[GF_PATTERN];
};

struct gf_simd_point {
    /* Applies a formula in place. */
    void (*formula)(const struct gf_cpu_formula *formula, float *line, size_t n);
    /* a[i] = a[i] and b[i] by a mode GF_COMBINE_*, with the factors a, b, c for the linear one. */
    void (*combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n);
    /* combine from samples to stored samples of the same dtype, u8 or f32, at any address. `stream`: f32 go past the
     * caches. */
    void (*blend)(uint32_t dtype, uint32_t mode, const float factors[3], const void *a, const void *b, void *dst,
                  size_t n, bool stream);
    /* dst[i] = fmaf(src[i], scale, offset) as stored f32, likewise. */
    void (*scale)(float scale, float offset, const void *src, void *dst, size_t n, bool stream);
    /* n samples of u8, u16, i16 or f32 by a limit; n of f32 by a ramp; all start with channel 0. */
    void (*limit)(uint32_t dtype, const struct gf_cpu_limit *limit, const void *src, void *dst, size_t n);
    void (*ramp)(const struct gf_cpu_ramp *ramp, const void *src, void *dst, size_t n);
    /* n bytes, pixels of so many channels, each channel by its table of 256. */
    void (*look_up)(const uint8_t *const *tables, uint32_t channels, const void *src, void *dst, size_t n);
    /* The table of a tile from the counts of its values in their order, which change. */
    void (*clahe_table)(const struct gf_clahe *clahe, uint32_t *counts, void *table);
    /* Tables of 8 bits of two rows of tiles as cells of 256 words with four entries of a value: the first cell is
     * before the middle of the first tile, the last one after that of the last. */
    void (*clahe_cells)(uint32_t tiles, const uint8_t *above, const uint8_t *below, uint32_t *cells);
    /* n samples of 8 or 16 bits, `step` samples apart, the first being that of pixel 0: gf_clahe_mean. */
    void (*clahe)(uint32_t dtype, const struct gf_cpu_clahe_row *row, const void *src, void *dst, size_t n,
                  size_t step);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_formula)(const struct gf_cpu_formula *formula, float *line, size_t n);
void GF_ISA_NAME(gf_simd_combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n);
void GF_ISA_NAME(gf_simd_blend)(uint32_t dtype, uint32_t mode, const float factors[3], const void *a, const void *b,
                                void *dst, size_t n, bool stream);
void GF_ISA_NAME(gf_simd_scale)(float scale, float offset, const void *src, void *dst, size_t n, bool stream);
void GF_ISA_NAME(gf_simd_limit)(uint32_t dtype, const struct gf_cpu_limit *limit, const void *src, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_ramp)(const struct gf_cpu_ramp *ramp, const void *src, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_clahe_table)(const struct gf_clahe *clahe, uint32_t *counts, void *table);
void GF_ISA_NAME(gf_simd_clahe_cells)(uint32_t tiles, const uint8_t *above, const uint8_t *below, uint32_t *cells);
void GF_ISA_NAME(gf_simd_clahe)(uint32_t dtype, const struct gf_cpu_clahe_row *row, const void *src, void *dst,
                                size_t n, size_t step);
void GF_ISA_NAME(gf_simd_look_up)(const uint8_t *const *tables, uint32_t channels, const void *src, void *dst,
                                  size_t n);
#endif

#endif
