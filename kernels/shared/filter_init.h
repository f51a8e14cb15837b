/* SPDX-License-Identifier: MIT */
/* Shared by the files that prepare linear filters: filter.c, which has the table, and filter_named.c. */
#ifndef GF_KERNELS_FILTER_INIT_H
#define GF_KERNELS_FILTER_INIT_H

#include "filter.h"

/* The parameters that the ops have in common, whatever their parameter structs are called. */
struct gf_filter_params {
    float scale, offset;
    uint32_t border, alpha, light, dtype;
    const struct gf_f32v *border_value;
};

/* gf_filter_init for one op. */
typedef enum gf_status gf_filter_init_fn(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                         const struct gf_buf *mask, struct gf_error *err);

/* Sets border, light and the role of alpha; `mean`: the filter is a weighted mean. BAD_PARAM. */
enum gf_status gf_filter_init_common(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                     const struct gf_filter_params *p, bool mean, struct gf_error *err);
/* Makes the taps of a Gaussian for both axes, for a filter that has none yet. NO_MEMORY. */
enum gf_status gf_filter_init_gaussian(struct gf_filter *f, const struct gf_step *step, const struct gf_f32v *sigma,
                                       float truncate, struct gf_error *err);

/* In filter_named.c. */
gf_filter_init_fn gf_filter_init_sharpen, gf_filter_init_unsharp, gf_filter_init_sobel, gf_filter_init_scharr,
    gf_filter_init_prewitt, gf_filter_init_laplacian, gf_filter_init_log, gf_filter_init_emboss,
    gf_filter_init_bilateral;

#endif
