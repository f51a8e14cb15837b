/* SPDX-License-Identifier: MIT */
/* Between the host's part of erode, dilate and what is made of them (morphology.c) and the kernels: rectangle.cu,
 * small_rectangle.cu, runs.cu.
 */
#ifndef GF_CUDA_MORPHOLOGY_H
#define GF_CUDA_MORPHOLOGY_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/morphology/morphology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A picture; data and pitch are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_plane {
    const char *data;
    uint64_t pitch;
};

/* Rows first..end-1 of one pass. Result x is made of source x - anchor_x ... x - anchor_x + width - 1, y likewise. */
struct gf_cuda_morphology {
    struct gf_cuda_plane src, other, alpha; /* other: of the end; alpha: what its last channel is copied from */
    char *dst;
    uint64_t dst_pitch;
    uint32_t dtype, channels;
    int32_t picture_width, picture_height; /* pixels */
    int32_t first, end;
    int32_t width, height, anchor_x, anchor_y; /* of the element, or of a part of it, whose anchor may be outside */
    bool dilate;
    bool goes_on;     /* what the result has from other parts of the element counts too */
    bool copy_alpha;  /* in this launch */
    bool whole_words; /* also of the last word of a row all is stored: in temp storage, which is read by words */
    enum gf_morphology_end last;
    uint32_t border;
    uint32_t outside[GF_MAX_CHANNELS]; /* as stored, in the low bytes */
    /* Of a rectangle: pixels and rows of a tile, and the lines of rows that its threads take (rectangle.cu alone). */
    int32_t tile_width, tile_height, groups;
    /* Of a small one: segments of a line of a tile, words from line to line, 65536 / segments (small_rectangle.cu). */
    int32_t segments, line, reciprocal;
    /* Of other elements: runs in device memory; those of 2^k rows and more, but fewer than twice as many, begin at
     * level[k]. */
    const uint32_t *runs; /* column, first row and rows, of 8 bits each */
    uint32_t level[9];
};

/* Whether the rectangle of a pass is worked on in tiles along both axes; else along one after the other. Sets the tiles
 * of the pass where it is. */
bool gf_cuda_rectangle_plan(struct gf_cuda_morphology *m);
cudaError_t gf_cuda_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* Rectangles up to so many pixels and rows, by the two functions above alone. They always have tiles. */
#define GF_CUDA_SMALL_RECTANGLE 16
void gf_cuda_small_rectangle_plan(struct gf_cuda_morphology *m);
cudaError_t gf_cuda_small_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* Sides of an element, or a part of one, that runs.cu takes at once. */
#define GF_CUDA_RUNS_SIDE 64
cudaError_t gf_cuda_runs(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* Once per device. */
cudaError_t gf_cuda_rectangle_prepare(void);
cudaError_t gf_cuda_small_rectangle_prepare(void);
cudaError_t gf_cuda_runs_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
