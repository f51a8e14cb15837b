/* SPDX-License-Identifier: MIT */
/* Joins the tables of one instruction set. Compiled once per instruction set; simd.c chooses one. */
#include "simd.h"

#include "simd_isa.h"
#include "simd_samples.h"

const struct gf_simd_samples GF_ISA_NAME(gf_simd_samples) = {
    .load = GF_ISA_NAME(gf_simd_load),
    .premultiply = GF_ISA_NAME(gf_simd_premultiply),
    .store = GF_ISA_NAME(gf_simd_store),
    .brightness = GF_ISA_NAME(gf_simd_brightness),
    .widen = GF_ISA_NAME(gf_simd_widen),
    .load_values = GF_ISA_NAME(gf_simd_load_values),
    .store_values = GF_ISA_NAME(gf_simd_store_values),
};

extern const struct gf_simd_colour GF_ISA_NAME(gf_simd_colour);
extern const struct gf_simd_filter GF_ISA_NAME(gf_simd_filter);
extern const struct gf_simd_point GF_ISA_NAME(gf_simd_point);
extern const struct gf_simd_expr GF_ISA_NAME(gf_simd_expr);
extern const struct gf_simd_geometry GF_ISA_NAME(gf_simd_geometry);
extern const struct gf_simd_histogram GF_ISA_NAME(gf_simd_histogram);
extern const struct gf_simd_rank GF_ISA_NAME(gf_simd_rank);
extern const struct gf_simd_reduce GF_ISA_NAME(gf_simd_reduce);
extern const struct gf_simd_scan GF_ISA_NAME(gf_simd_scan);
extern const struct gf_simd_pyramid GF_ISA_NAME(gf_simd_pyramid);
extern const struct gf_simd_resize GF_ISA_NAME(gf_simd_resize);
extern const struct gf_simd_distance GF_ISA_NAME(gf_simd_distance);
extern const struct gf_simd_canny GF_ISA_NAME(gf_simd_canny);
extern const struct gf_simd_match GF_ISA_NAME(gf_simd_match);
extern const struct gf_simd_region GF_ISA_NAME(gf_simd_region);
extern const struct gf_simd_select GF_ISA_NAME(gf_simd_select);
extern const struct gf_simd_linalg GF_ISA_NAME(gf_simd_linalg);
extern const struct gf_simd_order GF_ISA_NAME(gf_simd_order);
extern const struct gf_simd_morphology GF_ISA_NAME(gf_simd_morphology);

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* clang-format off */
/* The tables of this instruction set; match may come from another one. */
#define TABLES(set_name, match_table) { \
    .name = set_name, \
    .samples = &GF_ISA_NAME(gf_simd_samples), \
    .colour = &GF_ISA_NAME(gf_simd_colour), \
    .filter = &GF_ISA_NAME(gf_simd_filter), \
    .point = &GF_ISA_NAME(gf_simd_point), \
    .expr = &GF_ISA_NAME(gf_simd_expr), \
    .geometry = &GF_ISA_NAME(gf_simd_geometry), \
    .histogram = &GF_ISA_NAME(gf_simd_histogram), \
    .rank = &GF_ISA_NAME(gf_simd_rank), \
    .reduce = &GF_ISA_NAME(gf_simd_reduce), \
    .scan = &GF_ISA_NAME(gf_simd_scan), \
    .pyramid = &GF_ISA_NAME(gf_simd_pyramid), \
    .resize = &GF_ISA_NAME(gf_simd_resize), \
    .distance = &GF_ISA_NAME(gf_simd_distance), \
    .canny = &GF_ISA_NAME(gf_simd_canny), \
    .match = &match_table, \
    .region = &GF_ISA_NAME(gf_simd_region), \
    .select = &GF_ISA_NAME(gf_simd_select), \
    .linalg = &GF_ISA_NAME(gf_simd_linalg), \
    .order = &GF_ISA_NAME(gf_simd_order), \
    .morphology = &GF_ISA_NAME(gf_simd_morphology), \
}
/* clang-format on */

const struct gf_simd GF_ISA_NAME(gf_simd) = TABLES(TEXT(GF_ISA), GF_ISA_NAME(gf_simd_match));
#if GF_LANES == 16
extern const struct gf_simd_match gf_simd_match_avx512vnni; /* match for AVX-512 processors with VNNI */
const struct gf_simd gf_simd_avx512vnni = TABLES("avx512vnni", gf_simd_match_avx512vnni);
#endif
