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

/* An image as a filter reads it: samples are converted to f32, decoded and premultiplied where requested. A "flat"
 * index counts the samples of a row, channels interleaved. Pitches and data pointers are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_source {
    const void *data;
    size_t pitch;
    int32_t width, height, channels;
    uint32_t dtype;
    uint32_t border;
    bool premultiply;               /* with 2 or 4 channels only */
    const float *decode;            /* light table on the device; NULL: samples are not decoded */
    float outside[GF_MAX_CHANNELS]; /* the constant border, decoded and premultiplied */
};

/* An image as a filter writes it: how accumulated values become stored samples. */
struct gf_cuda_target {
    void *data;
    size_t pitch;
    int32_t samples, height; /* samples per row */
    uint32_t dtype;
    float scale, offset;
    int32_t alpha_period; /* 2 or 4: every alpha_period-th sample is alpha that is not filtered like a colour or not
                             encoded; 0: none */
    uint32_t alpha;       /* GF_ALPHA_PREMULTIPLIED, STRAIGHT or IGNORE */
    float alpha_max;
    const float *encode; /* light table on the device; NULL: values are not encoded */
    int32_t encode_max;
    const void *copy_data; /* the source of ignored alpha, shifted by whole pixels */
    size_t copy_pitch;
    uint32_t copy_dtype;
    int32_t copy_dx, copy_dy;          /* in flat samples, in rows */
    struct gf_cuda_pointwise epilogue; /* applied before the store; unused with alpha or light */
};

/* A row chunk: rows first to end - 1 of a target. */
struct gf_cuda_row_chunk {
    int32_t first, end;
};

/* A formula for every sample, kernels/shared/point.h. */
struct gf_cuda_formula {
    float scale, offset, gamma, multiply, divide;
    const float *table; /* device; replaces the formula, indexed by the sample, which may be negative; or NULL */
};

#ifdef __cplusplus
}
#endif
#endif
