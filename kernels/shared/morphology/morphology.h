/* SPDX-License-Identifier: MIT */
/*
 * erode, dilate and the operations made of them, prepared: the structuring element, the passes over the picture, the
 * values outside it, and the subtraction at the end. docs/numerics.md, "Morphology". Made once per step on the host by
 * morphology.c, alike for both backends.
 */
#ifndef GF_KERNELS_MORPHOLOGY_H
#define GF_KERNELS_MORPHOLOGY_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MORPHOLOGY_MAX_PASSES 510u /* twice 255 iterations */
#define GF_MORPHOLOGY_MAX_SIDE 255u   /* side of a pass, also of one that replaces several */
#define GF_MORPHOLOGY_MAX_PIXEL 16u   /* bytes */

/* Adjacent members in column x of an element, from row y down. */
struct gf_element_run {
    uint8_t x, y, length;
};

/* The extremum at pixel (x, y) is taken over the picture at (x + kx - anchor_x, y + ky - anchor_y) for all members (kx,
 * ky). */
struct gf_element {
    uint32_t width, height, anchor_x, anchor_y;
    bool full;                   /* a rectangle: `runs` is not used */
    struct gf_element_run *runs; /* owned; by columns */
    uint32_t n_runs;
};

/* One pass over the whole picture. The next pass reads its result. */
struct gf_morphology_pass {
    bool dilate;
    uint8_t width, height, anchor_x, anchor_y; /* of a full element; otherwise as in `element` */
};

enum gf_morphology_end {
    GF_END_RESULT,      /* the result of the last pass */
    GF_END_FROM_SOURCE, /* source minus the last pass */
    GF_END_LESS_SOURCE, /* the last pass minus source */
    GF_END_FROM_DILATED /* the first half of the passes minus the second half; both read the source */
};

struct gf_morphology {
    struct gf_element element;
    struct gf_morphology_pass *passes; /* owned */
    uint32_t n_passes;
    enum gf_morphology_end end;
    uint32_t border;                                   /* GF_BORDER_* */
    unsigned char outside[2][GF_MORPHOLOGY_MAX_PIXEL]; /* of a constant border, as stored: for erosion, for dilation */
    bool copy_alpha;                                   /* the last channel is copied from the source */
};

#define GF_MORPHOLOGY_NULL ((struct gf_morphology){0})

/* Prepares a step of one of the seven ops. `mask` is a private copy with its view, without data if none is given.
 * BAD_PARAM: the mask is not finite or has no member. NO_MEMORY. On success the caller must call
 * gf_morphology_deinit. */
enum gf_status gf_morphology_init(struct gf_morphology *m, const struct gf_step *step, const struct gf_view *src,
                                  const struct gf_buf *mask, struct gf_error *err);
void gf_morphology_deinit(struct gf_morphology *m);

/* Splits each pass of a rectangle into two, along rows and along columns. The result is the same, because borders map
 * both axes independently. NO_MEMORY. */
enum gf_status gf_morphology_split(struct gf_morphology *m, struct gf_error *err);

/* A part of an element, from column x and row y on, and its runs. */
struct gf_element_part {
    uint32_t x, y, width, height;
    uint32_t first_run;
    uint32_t level[9]; /* runs of at least 2^k and fewer than 2^(k+1) rows begin at level[k], counted from first_run */
};

#define GF_ELEMENT_MAX_PARTS 64u

struct gf_element_parts {
    struct gf_element_part part[GF_ELEMENT_MAX_PARTS];
    uint32_t n;
    uint32_t *runs; /* owned; column, first row and rows inside the part, 8 bits each, the column lowest */
    uint32_t n_runs;
};

/* Cuts an element into parts of at most side x side, where side is at least 32. Parts without a run are left out.
 * NO_MEMORY. On success the caller must call gf_element_parts_deinit, which accepts zeros. */
enum gf_status gf_element_cut(const struct gf_element *e, uint32_t side, struct gf_element_parts *ret,
                              struct gf_error *err);
void gf_element_parts_deinit(struct gf_element_parts *parts);

/* The number of temporary pictures that the passes need besides source and result. */
uint32_t gf_morphology_temps(const struct gf_morphology *m);

/* Where a pass reads and writes: the source (0), the result (1), a temporary picture (2, 3). `other` is the second
 * operand of the subtraction at the end, if there is one. */
enum gf_morphology_place { GF_AT_SOURCE, GF_AT_RESULT, GF_AT_TEMP, GF_AT_TEMP2 };

struct gf_morphology_route {
    enum gf_morphology_place from, to, other;
    bool last; /* the subtraction at the end is done in this pass */
};

struct gf_morphology_route gf_morphology_route(const struct gf_morphology *m, uint32_t pass);

#ifdef __cplusplus
}
#endif
#endif
