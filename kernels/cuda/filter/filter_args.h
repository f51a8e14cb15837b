/* SPDX-License-Identifier: MIT */
/*
 * What the filter kernels are told, as plain structs passed by value, and the functions that launch them. Filled by
 * linear_filter.c from a gf_filter; read by the mask files, stencil.cu, separable.cu,
 * separable_fused.cu and box.cu, through tile.cuh.
 */
#ifndef GF_CUDA_FILTER_ARGS_H
#define GF_CUDA_FILTER_ARGS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image as a filter reads it: samples become f32, decoded and premultiplied as asked. A "flat" index counts samples
 * of a row, channels interleaved. Pitches are multiples of GF_CUDA_ALIGN, and so are data pointers. */
struct gf_cuda_source {
    const void *data;
    size_t pitch;
    int32_t width, height, channels;
    uint32_t dtype;
    uint32_t border;
    bool premultiply;               /* 2 or 4 channels only */
    const float *decode;            /* light table on the device, NULL: values as they are */
    float outside[GF_MAX_CHANNELS]; /* constant border, decoded and premultiplied */
};

/* An image as a filter writes it: from accumulated values to stored samples. */
struct gf_cuda_target {
    void *data;
    size_t pitch;
    int32_t samples, height; /* samples of a row */
    uint32_t dtype;
    float scale, offset;
    int32_t alpha_period; /* 2 or 4: every such sample is alpha that is not filtered like a colour, or not encoded */
    uint32_t alpha;       /* GF_ALPHA_PREMULTIPLIED, STRAIGHT, IGNORE */
    float alpha_max;
    const float *encode; /* light table on the device, NULL: values as they are */
    int32_t encode_max;
    const void *copy_data; /* where ignored alpha comes from: the source, moved by whole pixels */
    size_t copy_pitch;
    uint32_t copy_dtype;
    int32_t copy_dx, copy_dy; /* flat samples, rows */
};

/* Rows first..end-1 of a target: a row chunk. */
struct gf_cuda_row_chunk {
    int32_t first, end;
};

/* A full mask. Output (y, x) reads input (y + ky + shift_y, x + kx + shift_x), in pixels. */
struct gf_cuda_mask {
    int32_t width, height, shift_x, shift_y;
    const float *coefs;        /* host, row by row */
    const float *device_coefs; /* the same on the device; not needed where gf_cuda_mask_in_launch */
};

/* True where the mask travels in the launch itself: square, 3 to 15 odd, anchored in the centre. */
bool gf_cuda_mask_in_launch(const struct gf_cuda_mask *mask);
/* Starts the chain of a full mask for the rows of a row chunk; reads source rows row_chunk.first + shift_y onwards only
 * (as far as the border leaves them there). Asynchronous, allocates nothing; returns the launch error. */
cudaError_t gf_cuda_mask_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                cudaStream_t stream);
/* The same for masks of the launch where samples have neither light nor alpha; false, and nothing started, where there
 * is no kernel for the case. gf_cuda_raw_mask_launch calls that of the source's type. */
bool gf_cuda_raw_mask_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                             const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream,
                             cudaError_t *ret_error);
bool gf_cuda_mask_u8_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                            const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream,
                            cudaError_t *ret_error);
bool gf_cuda_mask_u16_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                             const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream,
                             cudaError_t *ret_error);
bool gf_cuda_mask_f32_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                             const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream,
                             cudaError_t *ret_error);
/* The same for all other masks; called by gf_cuda_mask_launch. */
cudaError_t gf_cuda_any_mask_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                    const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                    cudaStream_t stream);

/* One chain of a 3 x 3 mask: which of its places are taps, bit 3 * ky + kx, and their weights. */
struct gf_cuda_chain {
    uint32_t present;
    float weight[9];
};

/* Starts one chain, or the magnitude of two, for the rows of a row chunk; reads source rows row_chunk.first - 1 onwards
 * only (as far as the border leaves them there). Asynchronous, allocates nothing; returns the launch error. */
cudaError_t gf_cuda_stencil_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                   const struct gf_cuda_chain *chains, uint32_t n_chains,
                                   struct gf_cuda_row_chunk row_chunk, cudaStream_t stream);

/* The magnitude of two chains over bytes that have no alpha; false, and nothing started, where there is no kernel for
 * the case. Called by gf_cuda_stencil_launch. */
bool gf_cuda_raw_magnitude_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                  const struct gf_cuda_chain *chains, struct gf_cuda_row_chunk row_chunk,
                                  cudaStream_t stream, cudaError_t *ret_error);

/* What comes between the columns and the target, enum gf_filter_after. */
struct gf_cuda_after {
    uint32_t what;
    float amount, threshold; /* AFTER_UNSHARP */
    const float *add;        /* AFTER_SUM: an f32 image, flat like the target */
    size_t add_pitch;
};

/* Two passes of one-dimensional taps through an f32 image `rows` (pitch rows_pitch, flat like the source). */
struct gf_cuda_separable {
    const float *host_x, *host_y; /* the taps */
    const float *taps_x, *taps_y; /* the same on the device; not needed with gf_cuda_separable_is_fused, nor is rows */
    int32_t n_x, n_y, anchor_x, anchor_y;
    float *rows;
    size_t rows_pitch;
    float rows_outside[GF_MAX_CHANNELS]; /* the row chain of a constant border */
    struct gf_cuda_after after;
};

/* Starts the pass over the source rows of `rows`, then the one that makes the rows of `row_chunk`; all rows that it
 * reads have been in `rows` of this call or an earlier one. Asynchronous, allocates nothing; returns the launch error.
 */
cudaError_t gf_cuda_separable_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                     const struct gf_cuda_separable *sep, struct gf_cuda_row_chunk rows,
                                     struct gf_cuda_row_chunk row_chunk, cudaStream_t stream);

/* True where both passes are one kernel, in separable_fused.cu. */
bool gf_cuda_separable_is_fused(const struct gf_cuda_source *src, const struct gf_cuda_separable *sep);
/* From the source to the rows of `row_chunk`; called by gf_cuda_separable_launch. */
cudaError_t gf_cuda_separable_fused_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                           const struct gf_cuda_separable *sep, struct gf_cuda_row_chunk row_chunk,
                                           cudaStream_t stream);

/* Window sums along both axes. planes holds 4-byte sums, gf_cuda_box_plane_bytes(width, height) per channel; turned, as
 * many, is not needed with gf_cuda_box_has_columns. */
struct gf_cuda_box {
    int32_t n_x, n_y, anchor_x, anchor_y;
    bool integers; /* exact sums; else the doubling rule in f32 */
    void *planes, *transposed;
    float rows_outside[GF_MAX_CHANNELS];        /* row sums of a constant border, doubling rule */
    uint32_t outside_int[GF_MAX_CHANNELS];      /* the constant border, where sums are integers */
    uint32_t rows_outside_int[GF_MAX_CHANNELS]; /* and its row sums */
};

/* Bytes of one plane that serves both orientations. */
size_t gf_cuda_box_plane_bytes(int32_t width, int32_t height);
/* Starts all passes; the target takes the sums of its height from row `skip` of the source on. Asynchronous, allocates
 * nothing; returns the launch error. */
cudaError_t gf_cuda_box_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                               const struct gf_cuda_box *box, int32_t skip, cudaStream_t stream);

/* True where sums down the columns need no transposed planes, in box_columns.cu. */
bool gf_cuda_box_has_columns(const struct gf_cuda_box *box);
/* From flat sums of rows at box->planes to the target; called by gf_cuda_box_launch. */
cudaError_t gf_cuda_box_columns_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                       const struct gf_cuda_box *box, size_t pitch, int32_t skip, cudaStream_t stream);

/* One formula for every sample, kernels/shared/point.h. */
struct gf_cuda_formula {
    float scale, offset, gamma, multiply, divide;
    const float *table; /* device; in place of the rest, indexed by the sample; NULL: none */
};

/* Starts the formula on a whole image, or one of two images of the same shape by a mode GF_COMBINE_*. Source and target
 * have the same shape. Asynchronous, allocate nothing; return the launch error. */
cudaError_t gf_cuda_map_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                               const struct gf_cuda_formula *formula, cudaStream_t stream);
cudaError_t gf_cuda_combine_launch(const struct gf_cuda_source *a, const struct gf_cuda_source *b,
                                   const struct gf_cuda_target *dst, uint32_t mode, const float factors[3],
                                   cudaStream_t stream);

/* Raises the shared-memory limits of the kernels that need it; once per device, before the first launch. */
cudaError_t gf_cuda_mask_prepare(void);
cudaError_t gf_cuda_any_mask_prepare(void); /* called by gf_cuda_mask_prepare */
cudaError_t gf_cuda_separable_fused_prepare(void);
cudaError_t gf_cuda_box_prepare(void);
cudaError_t gf_cuda_box_columns_prepare(void); /* called by gf_cuda_box_prepare */

#ifdef __cplusplus
}
#endif
#endif
