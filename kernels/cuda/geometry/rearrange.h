/* SPDX-License-Identifier: MIT */
/* The interface between the host part of rearrange (rearrange.c) and its kernels (rearrange_rows.cu,
 * rearrange_columns.cu). */
#ifndef GF_CUDA_REARRANGE_H
#define GF_CUDA_REARRANGE_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source and a result of the same dtype. Pointers and pitches are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_rearranging {
    const char *src;
    char *dst;
    uint64_t src_pitch, dst_pitch;
    uint64_t width, height; /* of the source, pixels */
    uint64_t dst_width;
    uint64_t first, end; /* rows of the result to make; strips of them if transposed */
    uint32_t pixel;      /* bytes per pixel */
    uint32_t nan;        /* the size of a float whose NaNs must be made canonical; 0 for integers */
    struct gf_geometry g;
};

/* Makes rows `first` to `end` - 1 of a result that is not transposed. */
cudaError_t gf_cuda_rearrange_rows(const struct gf_cuda_rearranging *r, cudaStream_t stream);

/* The width in pixels of a strip: source columns become rows of the result strip by strip, from the first column on. */
uint32_t gf_cuda_strip_columns(uint32_t pixel);
/* Makes strips `first` to `end` - 1 of a transposed result. Strips are counted from the first column, or with
 * from_right backwards from the last strip, so that the rows of the result come in order. */
cudaError_t gf_cuda_rearrange_columns(const struct gf_cuda_rearranging *r, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
