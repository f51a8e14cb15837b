/* SPDX-License-Identifier: MIT */
/* Between the host's part of rearrange (rearrange.c) and its kernels: rearrange_rows.cu, rearrange_columns.cu. */
#ifndef GF_CUDA_REARRANGE_H
#define GF_CUDA_REARRANGE_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source and a result of one dtype; data and pitches are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_rearranging {
    const char *src;
    char *dst;
    uint64_t src_pitch, dst_pitch;
    uint64_t width, height; /* of the source, pixels */
    uint64_t dst_width;
    uint64_t first, end; /* rows of the result that are made, or, transposed, strips of them */
    uint32_t pixel;      /* bytes */
    uint32_t nan;        /* of what there may be NaN: the bytes of a float, 0 of an integer */
    struct gf_geometry g;
};

/* Rows first..end-1 of what is not transposed. */
cudaError_t gf_cuda_rearrange_rows(const struct gf_cuda_rearranging *r, cudaStream_t stream);

/* Columns of the source become rows by strips of so many, from the first column on. */
uint32_t gf_cuda_strip_columns(uint32_t pixel);
/* Strips first..end-1 of what is transposed: counted from the first column, from_right from the last strip back, so
 * that the rows of the result follow each other. */
cudaError_t gf_cuda_rearrange_columns(const struct gf_cuda_rearranging *r, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
