/* SPDX-License-Identifier: MIT */
/*
 * The common form of scan, recurrence and integral, docs/numerics.md, "Reductions and scans": which elements form a
 * sequence, and the operator that combines them. scan.c makes it from a step; every backend computes it.
 */
#ifndef GF_KERNELS_SCAN_H
#define GF_KERNELS_SCAN_H

#include <stdbool.h>

#include "kernels/backend.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_SCAN_ROW 16u       /* elements that are folded sequentially */
#define GF_SCAN_GROUP 32u     /* rows, and at every further level its members */
#define GF_SCAN_GROUPS 8u     /* groups of a block */
#define GF_SCAN_BLOCK 4096u   /* elements */
#define GF_SCAN_ROW_CHUNK 64u /* image rows that a scan of columns folds sequentially */

#define GF_SCAN_AFFINE 4u /* besides GF_SCAN_SUM and so on: the recurrence */

/* Values are computed in f64, or as 64-bit integers modulo 2^64. */
union gf_scan_value {
    double f;
    int64_t i;
    uint64_t u;
};

/* One pass over data. Sequences are numbered y * channels + c along rows, x * channels + c along columns, c for whole
 * channels, s * channels + c in segments. */
struct gf_scan {
    const void *src;
    void *dst; /* may be src if both have the same shape and dtype */
    uint64_t src_pitch, dst_pitch;
    uint64_t width, height;
    uint32_t channels;
    uint32_t in, out; /* dtypes */
    uint32_t axis;    /* GF_AXIS_ALL and so on */
    uint32_t what;    /* GF_SCAN_SUM and so on, or GF_SCAN_AFFINE */
    bool exclusive, reverse;
    bool square;                /* square each element first */
    bool started;               /* `init` is given */
    bool checked;               /* report integers outside lo .. hi */
    union gf_scan_value init;   /* left of every result; for the recurrence the result before the first */
    union gf_scan_value first;  /* what an exclusive scan begins with */
    union gf_scan_value absent; /* absent combined with x on its right gives x */
    int64_t lo;
    uint64_t hi;
    double a, b;                   /* of the recurrence */
    const struct gf_buf *segments; /* offsets on the host; NULL: sequences are whole lines */
    uint64_t n_segments;
};

/* The number of sequences, and the elements of each. Segments have their own lengths, but are numbered as if each had a
 * whole channel. */
uint64_t gf_scan_sequences(const struct gf_scan *scan);
uint64_t gf_scan_length(const struct gf_scan *scan);

/* Makes the scan of a step of scan or recurrence, without its memory. */
struct gf_scan gf_scan_of_step(const struct gf_step *step, const struct gf_view *src);
/* Cuts a scan into segments. `list` is the worker's copy and must outlive the scan. The backend must check it before it
 * uses the offsets. */
void gf_scan_cut(struct gf_scan *scan, const struct gf_buf *list);
/* Makes the two passes of a step of integral, without their memory: rows of the picture into sums, then columns of
 * these sums. */
void gf_scan_of_integral(const struct gf_step *step, const struct gf_view *src, struct gf_scan *ret_rows,
                         struct gf_scan *ret_columns);

/* RESULT_OVERFLOW: result `at` of a step of scan, counted through all sequences, does not fit. */
enum gf_status gf_scan_overflow(const struct gf_step *step, uint64_t at, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
