/* SPDX-License-Identifier: MIT */
/*
 * erode, dilate and what is made of them after their parameters have been worked out: the structuring element, the
 * passes over the picture, what lies outside it, and what is subtracted at the end. docs/numerics.md, "Morphology".
 * Made once per step on the host by morphology.c, alike for both backends.
 */
#ifndef GF_KERNELS_MORPHOLOGY_H
#define GF_KERNELS_MORPHOLOGY_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MORPHOLOGY_MAX_PASSES 510u /* twice 255 iterations */
#define GF_MORPHOLOGY_MAX_SIDE 255u   /* of a pass, also of one that stands for several */
#define GF_MORPHOLOGY_MAX_PIXEL 16u   /* bytes */

/* Members of an element below each other, from row y of its column x on. */
struct gf_element_run {
    uint8_t x, y, length;
};

/* The extremum at pixel (x, y) is that of the picture at (x + kx - anchor_x, y + ky - anchor_y), (kx, ky) all members.
 */
struct gf_element {
    uint32_t width, height, anchor_x, anchor_y;
    bool full;                   /* a rectangle: `runs` is not used */
    struct gf_element_run *runs; /* owned; by columns */
    uint32_t n_runs;
};

/* One pass over the whole picture; the next one reads what it made. */
struct gf_morphology_pass {
    bool dilate;
    uint8_t width, height, anchor_x, anchor_y; /* of a full element; of another those of the element */
};

enum gf_morphology_end {
    GF_END_RESULT,      /* what the last pass made */
    GF_END_FROM_SOURCE, /* source minus that */
    GF_END_LESS_SOURCE, /* that minus source */
    GF_END_FROM_DILATED /* that of the first half of the passes minus that of the others, which read the source too */
};

struct gf_morphology {
    struct gf_element element;
    struct gf_morphology_pass *passes; /* owned */
    uint32_t n_passes;
    enum gf_morphology_end end;
    uint32_t border;                                   /* GF_BORDER_* */
    unsigned char outside[2][GF_MORPHOLOGY_MAX_PIXEL]; /* of a constant border, as stored: when eroding, dilating */
    bool copy_alpha;                                   /* the last channel is that of the source */
};

#define GF_MORPHOLOGY_NULL ((struct gf_morphology){0})

/* Works out a step of one of the seven ops; `mask` is a private copy with its view, without data where none is given.
 * BAD_PARAM for a mask that is not finite or has no member. NO_MEMORY. On success the caller calls
 * gf_morphology_deinit. */
enum gf_status gf_morphology_init(struct gf_morphology *m, const struct gf_step *step, const struct gf_view *src,
                                  const struct gf_buf *mask, struct gf_error *err);
void gf_morphology_deinit(struct gf_morphology *m);

/* Makes two passes of each of a rectangle, along rows and along columns: the same, since borders map both axes by
 * themselves. NO_MEMORY. */
enum gf_status gf_morphology_split(struct gf_morphology *m, struct gf_error *err);

/* A part of an element, from column x and row y on, and its runs. */
struct gf_element_part {
    uint32_t x, y, width, height;
    uint32_t first_run;
    uint32_t level[9]; /* of those, runs of 2^k rows and more, but fewer than twice as many, begin at level[k] */
};

#define GF_ELEMENT_MAX_PARTS 16u

struct gf_element_parts {
    struct gf_element_part part[GF_ELEMENT_MAX_PARTS];
    uint32_t n;
    uint32_t *runs; /* owned; column, first row and rows in the part, of 8 bits each, the column lowest */
    uint32_t n_runs;
};

/* Cuts an element into parts of at most side x side, 64 or more; those without a run are left out. NO_MEMORY. On
 * success the caller calls gf_element_parts_deinit, which takes zeros too. */
enum gf_status gf_element_cut(const struct gf_element *e, uint32_t side, struct gf_element_parts *ret,
                              struct gf_error *err);
void gf_element_parts_deinit(struct gf_element_parts *parts);

/* Pictures that the passes need beside source and result. */
uint32_t gf_morphology_temps(const struct gf_morphology *m);

/* Where each pass reads and writes: the source (0), the result (1), a picture beside them (2, 3). `other` is the
 * picture that takes part in the end, where one does. */
enum gf_morphology_place { GF_AT_SOURCE, GF_AT_RESULT, GF_AT_TEMP, GF_AT_TEMP2 };

struct gf_morphology_route {
    enum gf_morphology_place from, to, other;
    bool last; /* the end is made here */
};

struct gf_morphology_route gf_morphology_route(const struct gf_morphology *m, uint32_t pass);

#ifdef __cplusplus
}
#endif
#endif
