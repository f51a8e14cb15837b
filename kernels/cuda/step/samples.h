/* SPDX-License-Identifier: MIT */
/*
 * An image or array as a run of 16-byte vectors, for kernels that treat each sample on its own. Filled by samples.c;
 * read by the files of histogram/ and the tone ops.
 */
#ifndef GF_CUDA_SAMPLES_H
#define GF_CUDA_SAMPLES_H

#include "cuda_call.h"
#include "kernels/shared/bins.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUDA_VECTOR 16u     /* bytes */
#define GF_CUDA_WARP_TILE 128u /* vectors, or pixels, that a warp takes at a time */

/* Contiguous rows count as one row. */
struct gf_cuda_samples {
    const void *data;
    size_t pitch; /* bytes from row to row */
    uint64_t rows;
    uint64_t row_samples; /* samples per row */
    uint64_t row_vectors; /* vectors per row */
    uint32_t channels, dtype;
    bool luma;       /* only the luma of each pixel is read */
    uint32_t planes; /* channels that are read; 1 with luma */
};

struct gf_cuda_samples gf_cuda_samples(const struct gf_cuda_image *image, uint32_t planes, bool luma);
/* Returns the samples of input 0, in rows that match output 0. The output has the same shape but may have another
 * pitch. */
struct gf_cuda_samples gf_cuda_samples_both(const struct gf_cuda_call *call, uint32_t planes);
/* Returns the number of tiles of GF_CUDA_WARP_TILE. */
uint64_t gf_cuda_samples_tiles(const struct gf_cuda_samples *s);
/* Returns the number of blocks for `tiles` tiles, at most `per_unit` per multiprocessor. */
uint32_t gf_cuda_samples_blocks(const struct gf_cuda_call *call, uint64_t tiles, uint32_t per_unit);

/* The bins of every plane: the same for all planes, or computed on the device, one set per plane. */
struct gf_cuda_bins {
    struct gf_bins given;
    const struct gf_bins *made; /* NULL: use `given` */
};

/* Extremes of a plane: the complement of the least key, the greatest key, whether there was a NaN. All must be 0 at
 * first. */
#define GF_CUDA_EXTREMES 3u

#ifdef __cplusplus
}
#endif
#endif
