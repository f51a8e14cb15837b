/* SPDX-License-Identifier: MIT */
/* What the kernels of resize are given, and their launches. Filled by resize.c. */
#ifndef GF_CUDA_RESIZE_H
#define GF_CUDA_RESIZE_H

#include "kernels/cuda/filter/filter_args.h"
#include "kernels/shared/geometry/resize_by_two.h"
#include "kernels/shared/geometry/resize_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Group g of an axis is made of pixels from first[g] on, with weights[at[g]] to weights[at[g + 1]] - 1. On the device.
 */
struct gf_resize_groups {
    int32_t n;
    const int32_t *first, *at;
    const struct gf_resize_weights *weights;
};

struct gf_cuda_resizing {
    struct gf_cuda_source src;
    struct gf_cuda_target dst;
    struct gf_resize_groups x, y;
    int32_t first, end; /* groups of rows of a row chunk */
    /* Of tiles of both axes in one kernel: groups of columns of a tile, quads of the widest; 0: none fits. */
    int32_t tile_groups, quads;
    const struct gf_resize_span *spans;
    /* Of two kernels: columns' sums of a row chunk, from its first row on. */
    float *sums;
    size_t sums_pitch;
    struct gf_resize_by_two by_two;
    bool halves;                   /* samples are means of two by two */
    const int32_t *columns, *rows; /* of nearest: the pixel of the source of each; else NULL */
};

/* Start on the row chunk. Asynchronous, allocate nothing; return the launch error. */
cudaError_t gf_cuda_resize_tiles(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_by_two(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_by_two_bytes(const struct gf_cuda_resizing *r, cudaStream_t stream); /* by_two.whole */
cudaError_t gf_cuda_resize_passes(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_pixels(const struct gf_cuda_resizing *r, cudaStream_t stream); /* nearest, halves */

#ifdef __cplusplus
}
#endif
#endif
