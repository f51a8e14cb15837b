/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of one instruction set: one table per family, declared in the family's folder (simd_<family>.h). The
 * same sources (simd_*.c) are compiled once per instruction set and give the same bits. The device chooses one set when
 * it opens; ops reach their table through their call.
 */
#ifndef GF_KERNELS_CPU_SIMD_H
#define GF_KERNELS_CPU_SIMD_H

struct gf_simd {
    const char *name; /* "avx512vnni", "avx512", "avx2", "generic" */
    const struct gf_simd_samples *samples;
    const struct gf_simd_colour *colour;
    const struct gf_simd_filter *filter;
    const struct gf_simd_point *point;
    const struct gf_simd_expr *expr;
    const struct gf_simd_geometry *geometry;
    const struct gf_simd_histogram *histogram;
    const struct gf_simd_rank *rank;
    const struct gf_simd_reduce *reduce;
    const struct gf_simd_pyramid *pyramid;
    const struct gf_simd_resize *resize;
    const struct gf_simd_scan *scan;
    const struct gf_simd_region *region;
    const struct gf_simd_distance *distance;
    const struct gf_simd_canny *canny;
    const struct gf_simd_match *match;
    const struct gf_simd_select *select;
    const struct gf_simd_linalg *linalg;
    const struct gf_simd_order *order;
    const struct gf_simd_morphology *morphology;
};

extern const struct gf_simd gf_simd_generic;
#ifdef GF_CPU_X86
extern const struct gf_simd gf_simd_avx2;
extern const struct gf_simd gf_simd_avx512;
extern const struct gf_simd gf_simd_avx512vnni; /* with VNNI, which multiplies four bytes at once, for match */
#endif

/* The fastest set that this processor runs. */
const struct gf_simd *gf_simd_best(void);
/* The set with this name if this processor runs it, otherwise NULL. */
const struct gf_simd *gf_simd_by_name(const char *name);

#endif
