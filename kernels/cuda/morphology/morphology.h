/* SPDX-License-Identifier: MIT */
/* The interface between the host part of erode, dilate and the ops made from them (morphology.c) and the kernels
 * (rectangle.cu, small_rectangle.cu, runs.cu). */
#ifndef GF_CUDA_MORPHOLOGY_H
#define GF_CUDA_MORPHOLOGY_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/morphology/morphology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A picture. Pointer and pitch are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_plane {
    const char *data;
    uint64_t pitch;
};

/* Rows `first` to `end` - 1 of one pass. Column x of the result depends on source columns x - anchor_x to x - anchor_x
 * + width - 1, and rows accordingly. */
struct gf_cuda_morphology {
    struct gf_cuda_plane src, other, alpha; /* other: second operand of `last`; alpha: source of the alpha channel */
    char *dst;
    uint64_t dst_pitch;
    uint32_t dtype, channels;
    int32_t picture_width, picture_height; /* pixels */
    int32_t first, end;
    int32_t width, height, anchor_x, anchor_y; /* of the element, or of a part, which need not contain its anchor */
    bool dilate;
    bool goes_on;     /* combine with the result of the element's earlier parts */
    bool copy_alpha;  /* in this launch */
    bool whole_words; /* store the last word of a row whole: the result is temp storage, which is read by words */
    enum gf_morphology_end last;
    uint32_t border;
    uint32_t outside[GF_MAX_CHANNELS]; /* as stored, in the low bytes */
    /* rectangle.cu: the size of a tile in pixels and rows, and the lines of rows that its threads take. */
    int32_t tile_width, tile_height, groups;
    /* small_rectangle.cu: segments per line of a tile, words per line, 65536 / segments. */
    int32_t segments, line, reciprocal;
    /* runs.cu: the element's runs, in device memory. Runs of 2^k to 2^(k + 1) - 1 rows begin at runs[level[k]]. */
    const uint32_t *runs; /* column, first row and number of rows, 8 bits each */
    uint32_t level[9];
};

/* Plans the rectangle of a pass. Returns true, and sets the tiles, if one kernel handles both axes; otherwise the pass
 * must be split by axis. */
bool gf_cuda_rectangle_plan(struct gf_cuda_morphology *m);
cudaError_t gf_cuda_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* The largest sides for small_rectangle.cu. Called by the two functions above alone. The plan returns whether shared
 * memory has room for the tiles. */
#define GF_CUDA_SMALL_RECTANGLE 16
bool gf_cuda_small_rectangle_plan(struct gf_cuda_morphology *m);
cudaError_t gf_cuda_small_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* Returns the largest side of an element, or of a part, that runs.cu handles at once: 64, or 32 where shared memory is
 * too small. */
uint32_t gf_cuda_runs_side(void);
cudaError_t gf_cuda_runs(const struct gf_cuda_morphology *m, cudaStream_t stream);

/* Set the limits of dynamic shared memory. Must be called once per device. */
cudaError_t gf_cuda_rectangle_prepare(void);
cudaError_t gf_cuda_small_rectangle_prepare(void);
cudaError_t gf_cuda_runs_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
