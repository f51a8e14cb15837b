/* SPDX-License-Identifier: MIT */
/*
 * An image or array as a run of 16-byte vectors for kernels that treat each sample by itself. Filled by samples.c;
 * read by the files of histogram/ and of the tone ops.
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

/* Rows without padding between them are one row. */
struct gf_cuda_samples {
    const void *data;
    size_t pitch; /* bytes from row to row */
    uint64_t rows;
    uint64_t row_samples; /* samples of a row */
    uint64_t row_vectors; /* vectors that have them */
    uint32_t channels, dtype;
    bool luma;       /* only the brightness of each pixel is looked at */
    uint32_t planes; /* channels that are looked at; 1 for luma */
};

struct gf_cuda_samples gf_cuda_samples(const struct gf_cuda_image *image, uint32_t planes, bool luma);
/* The samples of input 0 as rows that output 0 has too, which has the same shape, but may have another pitch. */
struct gf_cuda_samples gf_cuda_samples_both(const struct gf_cuda_call *call, uint32_t planes);
/* Pieces of GF_CUDA_WARP_TILE. */
uint64_t gf_cuda_samples_tiles(const struct gf_cuda_samples *s);
/* Blocks for so many pieces, at most `per_unit` on each multiprocessor. */
uint32_t gf_cuda_samples_blocks(const struct gf_cuda_call *call, uint64_t tiles, uint32_t per_unit);

/* Bins of every plane: the same for all, or made on the device, one per plane. */
struct gf_cuda_bins {
    struct gf_bins given;
    const struct gf_bins *made; /* NULL: given */
};

/* Extremes of a plane: the complement of the least key, the greatest key, whether there was a NaN; all 0 before. */
#define GF_CUDA_EXTREMES 3u

#ifdef __cplusplus
}
#endif
#endif
