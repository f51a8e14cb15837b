/* SPDX-License-Identifier: MIT */
/* The launch arguments of the resize kernels, which resize.c fills in. */
#ifndef GF_CUDA_RESIZE_H
#define GF_CUDA_RESIZE_H

#include "kernels/cuda/filter/filter_args.h"
#include "kernels/shared/geometry/resize_by_two.h"
#include "kernels/shared/geometry/resize_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The groups of an axis, on the device. Group g has the source pixels from first[g] on, with weights[at[g]] to
 * weights[at[g + 1]] - 1. */
struct gf_resize_groups {
    int32_t n;
    const int32_t *first, *at;
    const struct gf_resize_weights *weights;
};

struct gf_cuda_resizing {
    struct gf_cuda_source src;
    struct gf_cuda_target dst;
    struct gf_resize_groups x, y;
    int32_t first, end; /* the row chunk, in groups of rows */
    /* Tiles, for one kernel over both axes: groups of columns per tile, quads of the widest tile; 0 if none fits. */
    int32_t tile_groups, quads;
    const struct gf_resize_span *spans;
    /* Column sums of the row chunk, for two kernels. */
    float *sums;
    size_t sums_pitch;
    struct gf_resize_by_two by_two;
    bool halves;                   /* each result is the mean of 2 x 2 pixels */
    const int32_t *columns, *rows; /* nearest: the source pixel of each column and row; otherwise NULL */
};

/* Start a row chunk. Asynchronous; allocate nothing; return the launch error. */
cudaError_t gf_cuda_resize_tiles(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_by_two(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_by_two_bytes(const struct gf_cuda_resizing *r, cudaStream_t stream); /* by_two.whole only */
cudaError_t gf_cuda_resize_passes(const struct gf_cuda_resizing *r, cudaStream_t stream);
cudaError_t gf_cuda_resize_pixels(const struct gf_cuda_resizing *r, cudaStream_t stream); /* nearest and halves */

#ifdef __cplusplus
}
#endif
#endif
