/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of point ops, compiled once per instruction set (simd_point.c, simd_intensity.c,
 * simd_clahe.c). Called by point.c, intensity.c and clahe.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_POINT_H
#define GF_KERNELS_CPU_SIMD_POINT_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/tone/clahe.h"

/* A row of one channel of clahe, between two rows of tiles. */
struct gf_cpu_clahe_row {
    const uint32_t *cells;                /* 8 bits: the result of gf_simd_point.clahe_cells */
    const uint16_t *above, *below;        /* 16 bits: the tables of the two rows of tiles */
    const struct gf_clahe_list *lists[2]; /* or the lists of these tiles; NULL: tables */
    const uint16_t *values;               /* of all lists */
    const uint32_t *sums;
    uint32_t sign;
    float scale;                    /* from sums to results */
    const uint32_t *before, *after; /* per pixel the start of the tables of the tiles to its left and right, or the
                                       number of their lists; with 8 bits, `before` is the start of its cell */
    const float *weight;            /* per pixel the weight of the tile to its right */
    float y, max;                   /* the weight of the lower row of tiles; the greatest result */
};

/* One formula for every sample, docs/numerics.md, "Point operations": v = fmaf(x, scale, offset), raised to a power,
 * then multiplied or divided by a factor. */
struct gf_cpu_formula {
    float scale, offset;
    float gamma;            /* 1: no power */
    float multiply, divide; /* one of them is 1 and changes nothing */
};

union gf_cpu_pattern {
    uint8_t u8[GF_PATTERN];
    uint16_t u16[GF_PATTERN];
    int16_t i16[GF_PATTERN];
    uint32_t u32[GF_PATTERN];
    float f32[GF_PATTERN];
};

/* A sample of at least `threshold` becomes `high`, any other 0. The bits of a sample under `keep` stay. */
struct gf_cpu_limit {
    union gf_cpu_pattern threshold, high, keep;
    bool keeps;  /* some bit of `keep` is set */
    bool same;   /* all samples have one threshold, and `keep` is 0 */
    bool stream; /* use streaming stores; for f32 with `same` */
};

/* f32: a sample x becomes (x - lo) * slope, or is unchanged where all bits of `keep` are set. */
struct gf_cpu_ramp {
    float lo[GF_PATTERN], slope[GF_PATTERN];
    uint32_t keep[GF_PATTERN];
};

struct gf_simd_point {
    /* Applies a formula in place. */
    void (*formula)(const struct gf_cpu_formula *formula, float *line, size_t n);
    /* Combines a[i] and b[i] into a[i] by a mode GF_COMBINE_*; `factors` are a, b, c of the linear mode. */
    void (*combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n);
    /* combine from samples to stored samples of the same dtype, u8 or f32, at any address. `stream`: streaming stores
     * for f32. */
    void (*blend)(uint32_t dtype, uint32_t mode, const float factors[3], const void *a, const void *b, void *dst,
                  size_t n, bool stream);
    /* dst[i] = fmaf(src[i], scale, offset) as stored f32, at any address; `stream` as in blend. */
    void (*scale)(float scale, float offset, const void *src, void *dst, size_t n, bool stream);
    /* limit maps n samples of u8, u16, i16 or f32, ramp maps n samples of f32. The first sample must be of channel
     * 0. */
    void (*limit)(uint32_t dtype, const struct gf_cpu_limit *limit, const void *src, void *dst, size_t n);
    void (*ramp)(const struct gf_cpu_ramp *ramp, const void *src, void *dst, size_t n);
    /* Maps n bytes, which are pixels of `channels` channels; each channel has a table of 256 bytes. */
    void (*look_up)(const uint8_t *const *tables, uint32_t channels, const void *src, void *dst, size_t n);
    /* Makes the table of a tile from the counts of its values, in the order of the values. Overwrites the counts. */
    void (*clahe_table)(const struct gf_clahe *clahe, uint32_t *counts, void *table);
    /* Combines the 8-bit tables of two rows of tiles into tiles + 1 cells. A cell is 256 words; word v holds the four
     * entries of value v. The first cell lies before the centre of the first tile, the last one after the centre of the
     * last tile. */
    void (*clahe_cells)(uint32_t tiles, const uint8_t *above, const uint8_t *below, uint32_t *cells);
    /* Maps n samples of 8 or 16 bits, `step` samples apart, from pixel 0 on, by gf_clahe_mean. */
    void (*clahe)(uint32_t dtype, const struct gf_cpu_clahe_row *row, const void *src, void *dst, size_t n,
                  size_t step);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
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
