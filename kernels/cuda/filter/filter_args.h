/* SPDX-License-Identifier: MIT */
/*
 * Images as kernels read and write them, passed by value, and the launches of map and combine. Filled by filter_plan.c
 * and map_combine.c; read through tile.cuh.
 */
#ifndef GF_CUDA_FILTER_ARGS_H
#define GF_CUDA_FILTER_ARGS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pointwise.h"
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
    int32_t copy_dx, copy_dy;          /* flat samples, rows */
    struct gf_cuda_pointwise epilogue; /* on values before the store; of no alpha and light */
};

/* Rows first..end-1 of a target: a row chunk. */
struct gf_cuda_row_chunk {
    int32_t first, end;
};

/* One formula for every sample, kernels/shared/point.h. */
struct gf_cuda_formula {
    float scale, offset, gamma, multiply, divide;
    const float *table; /* device; in place of the rest, indexed by the sample, which may be negative; NULL: none */
};

#ifdef __cplusplus
}
#endif
#endif
