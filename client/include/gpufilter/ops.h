/* SPDX-License-Identifier: MIT */
/*
 * One parameter struct and one call per operation, made of gpufilter_run: an operation adds no symbol.
 * Lists (sigma, border_value, ...) have as many values as are set, from the first on; the macros leave
 * the others GPUFILTER_UNSET_F32 or GPUFILTER_UNSET_U32.
 * Printed by client/tools/gen_ops.c from the tables in protocol/; do not edit.
 */
#ifndef GPUFILTER_OPS_H
#define GPUFILTER_OPS_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* Parameters of correlate. Begin with GPUFILTER_CORRELATE_INIT. */
typedef struct gpufilter_correlate_params {
    uint32_t struct_size;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Divisor of the mask; enum gpufilter_normalize. Default GPUFILTER_NORMALIZE_NONE. */
    uint32_t normalize;
    /* X,y of the mask's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* Size of the result; enum gpufilter_size. Default GPUFILTER_SIZE_SAME. */
    uint32_t size;
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_correlate_params;

#define GPUFILTER_CORRELATE_INIT \
    { \
        sizeof(gpufilter_correlate_params), \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_NORMALIZE_NONE, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_SIZE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Correlate with a mask; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * mask: mask, row by row; f32, one channel.
 * dst: filtered picture, its shape, or less by the mask with size VALID; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_correlate(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *mask,
    gpufilter_view *dst, const gpufilter_correlate_params *params, gpufilter_error *err)
{
    gpufilter_correlate_params p = GPUFILTER_CORRELATE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_correlate_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CORRELATE_SCALE, 1, &p.scale},
        {GPUFILTER_CORRELATE_OFFSET, 1, &p.offset},
        {GPUFILTER_CORRELATE_BORDER, 1, &p.border},
        {GPUFILTER_CORRELATE_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_CORRELATE_NORMALIZE, 1, &p.normalize},
        {GPUFILTER_CORRELATE_ANCHOR, 2, p.anchor},
        {GPUFILTER_CORRELATE_SIZE, 1, &p.size},
        {GPUFILTER_CORRELATE_ALPHA, 1, &p.alpha},
        {GPUFILTER_CORRELATE_LIGHT, 1, &p.light},
        {GPUFILTER_CORRELATE_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[2] = {*src, *mask};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CORRELATE, 2, inputs, settings, 10};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of convolve. Begin with GPUFILTER_CONVOLVE_INIT. */
typedef struct gpufilter_convolve_params {
    uint32_t struct_size;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Divisor of the mask; enum gpufilter_normalize. Default GPUFILTER_NORMALIZE_NONE. */
    uint32_t normalize;
    /* X,y of the mask's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* Size of the result; enum gpufilter_size. Default GPUFILTER_SIZE_SAME. */
    uint32_t size;
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_convolve_params;

#define GPUFILTER_CONVOLVE_INIT \
    { \
        sizeof(gpufilter_convolve_params), \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_NORMALIZE_NONE, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_SIZE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Convolve with a mask; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * mask: mask, row by row; f32, one channel.
 * dst: filtered picture, its shape, or less by the mask with size VALID; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_convolve(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *mask,
    gpufilter_view *dst, const gpufilter_convolve_params *params, gpufilter_error *err)
{
    gpufilter_convolve_params p = GPUFILTER_CONVOLVE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_convolve_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CONVOLVE_SCALE, 1, &p.scale},
        {GPUFILTER_CONVOLVE_OFFSET, 1, &p.offset},
        {GPUFILTER_CONVOLVE_BORDER, 1, &p.border},
        {GPUFILTER_CONVOLVE_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_CONVOLVE_NORMALIZE, 1, &p.normalize},
        {GPUFILTER_CONVOLVE_ANCHOR, 2, p.anchor},
        {GPUFILTER_CONVOLVE_SIZE, 1, &p.size},
        {GPUFILTER_CONVOLVE_ALPHA, 1, &p.alpha},
        {GPUFILTER_CONVOLVE_LIGHT, 1, &p.light},
        {GPUFILTER_CONVOLVE_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[2] = {*src, *mask};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CONVOLVE, 2, inputs, settings, 10};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of gaussian. Begin with GPUFILTER_GAUSSIAN_INIT. */
typedef struct gpufilter_gaussian_params {
    uint32_t struct_size;
    /* Standard deviation in pixels, one or x,y; 0..2047. Default 2. */
    float sigma[2];
    /* Radius of the mask in standard deviations; 0..64. Default 4. */
    float truncate;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_gaussian_params;

#define GPUFILTER_GAUSSIAN_INIT \
    { \
        sizeof(gpufilter_gaussian_params), \
        {2.0f, GPUFILTER_UNSET_F32}, \
        4.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Gaussian blur; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: blurred picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_gaussian(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_gaussian_params *params, gpufilter_error *err)
{
    gpufilter_gaussian_params p = GPUFILTER_GAUSSIAN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_gaussian_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_GAUSSIAN_SIGMA, 2, p.sigma},
        {GPUFILTER_GAUSSIAN_TRUNCATE, 1, &p.truncate},
        {GPUFILTER_GAUSSIAN_BORDER, 1, &p.border},
        {GPUFILTER_GAUSSIAN_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_GAUSSIAN_ALPHA, 1, &p.alpha},
        {GPUFILTER_GAUSSIAN_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_GAUSSIAN, 1, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of box. Begin with GPUFILTER_BOX_INIT. */
typedef struct gpufilter_box_params {
    uint32_t struct_size;
    /* Side of the rectangle in pixels, one or WxH; 1..4095. Default 3. */
    uint32_t size[2];
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_box_params;

#define GPUFILTER_BOX_INIT \
    { \
        sizeof(gpufilter_box_params), \
        {3, GPUFILTER_UNSET_U32}, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Mean over a rectangle; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: blurred picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_box(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_box_params *params, gpufilter_error *err)
{
    gpufilter_box_params p = GPUFILTER_BOX_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_box_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_BOX_SIZE, 2, p.size},
        {GPUFILTER_BOX_SCALE, 1, &p.scale},
        {GPUFILTER_BOX_OFFSET, 1, &p.offset},
        {GPUFILTER_BOX_BORDER, 1, &p.border},
        {GPUFILTER_BOX_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_BOX_ALPHA, 1, &p.alpha},
        {GPUFILTER_BOX_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_BOX, 1, inputs, settings, 7};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of sharpen. Begin with GPUFILTER_SHARPEN_INIT. */
typedef struct gpufilter_sharpen_params {
    uint32_t struct_size;
    /* Strength; 0 changes nothing; -65536..65536. Default 1. */
    float amount;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_sharpen_params;

#define GPUFILTER_SHARPEN_INIT \
    { \
        sizeof(gpufilter_sharpen_params), \
        1.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Sharpen with a 3x3 mask; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: sharpened picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_sharpen(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_sharpen_params *params, gpufilter_error *err)
{
    gpufilter_sharpen_params p = GPUFILTER_SHARPEN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_sharpen_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SHARPEN_AMOUNT, 1, &p.amount},
        {GPUFILTER_SHARPEN_BORDER, 1, &p.border},
        {GPUFILTER_SHARPEN_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_SHARPEN_ALPHA, 1, &p.alpha},
        {GPUFILTER_SHARPEN_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SHARPEN, 1, inputs, settings, 5};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of unsharp. Begin with GPUFILTER_UNSHARP_INIT. */
typedef struct gpufilter_unsharp_params {
    uint32_t struct_size;
    /* Standard deviation in pixels, one or x,y; 0..2047. Default 1. */
    float sigma[2];
    /* Radius of the blur in standard deviations; 0..64. Default 4. */
    float truncate;
    /* Factor of the difference added; finite. Default 1. */
    float amount;
    /* Smaller differences are ignored, in sample units; 0 or more. Default 0. */
    float threshold;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_unsharp_params;

#define GPUFILTER_UNSHARP_INIT \
    { \
        sizeof(gpufilter_unsharp_params), \
        {1.0f, GPUFILTER_UNSET_F32}, \
        4.0f, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Sharpen by the difference from a Gaussian blur; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: sharpened picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_unsharp(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_unsharp_params *params, gpufilter_error *err)
{
    gpufilter_unsharp_params p = GPUFILTER_UNSHARP_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_unsharp_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_UNSHARP_SIGMA, 2, p.sigma},
        {GPUFILTER_UNSHARP_TRUNCATE, 1, &p.truncate},
        {GPUFILTER_UNSHARP_AMOUNT, 1, &p.amount},
        {GPUFILTER_UNSHARP_THRESHOLD, 1, &p.threshold},
        {GPUFILTER_UNSHARP_BORDER, 1, &p.border},
        {GPUFILTER_UNSHARP_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_UNSHARP_ALPHA, 1, &p.alpha},
        {GPUFILTER_UNSHARP_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_UNSHARP, 1, inputs, settings, 8};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of sobel. Begin with GPUFILTER_SOBEL_INIT. */
typedef struct gpufilter_sobel_params {
    uint32_t struct_size;
    /* Which gradient; enum gpufilter_gradient_output. Default GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE. */
    uint32_t output;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_sobel_params;

#define GPUFILTER_SOBEL_INIT \
    { \
        sizeof(gpufilter_sobel_params), \
        GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Gradient by the Sobel masks; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: gradient, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_sobel(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_sobel_params *params, gpufilter_error *err)
{
    gpufilter_sobel_params p = GPUFILTER_SOBEL_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_sobel_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SOBEL_OUTPUT, 1, &p.output},
        {GPUFILTER_SOBEL_SCALE, 1, &p.scale},
        {GPUFILTER_SOBEL_OFFSET, 1, &p.offset},
        {GPUFILTER_SOBEL_BORDER, 1, &p.border},
        {GPUFILTER_SOBEL_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_SOBEL_ALPHA, 1, &p.alpha},
        {GPUFILTER_SOBEL_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SOBEL, 1, inputs, settings, 7};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of scharr. Begin with GPUFILTER_SCHARR_INIT. */
typedef struct gpufilter_scharr_params {
    uint32_t struct_size;
    /* Which gradient; enum gpufilter_gradient_output. Default GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE. */
    uint32_t output;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_scharr_params;

#define GPUFILTER_SCHARR_INIT \
    { \
        sizeof(gpufilter_scharr_params), \
        GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Gradient by the Scharr masks; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: gradient, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_scharr(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_scharr_params *params, gpufilter_error *err)
{
    gpufilter_scharr_params p = GPUFILTER_SCHARR_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_scharr_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SCHARR_OUTPUT, 1, &p.output},
        {GPUFILTER_SCHARR_SCALE, 1, &p.scale},
        {GPUFILTER_SCHARR_OFFSET, 1, &p.offset},
        {GPUFILTER_SCHARR_BORDER, 1, &p.border},
        {GPUFILTER_SCHARR_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_SCHARR_ALPHA, 1, &p.alpha},
        {GPUFILTER_SCHARR_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SCHARR, 1, inputs, settings, 7};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of prewitt. Begin with GPUFILTER_PREWITT_INIT. */
typedef struct gpufilter_prewitt_params {
    uint32_t struct_size;
    /* Which gradient; enum gpufilter_gradient_output. Default GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE. */
    uint32_t output;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_prewitt_params;

#define GPUFILTER_PREWITT_INIT \
    { \
        sizeof(gpufilter_prewitt_params), \
        GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Gradient by the Prewitt masks; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: gradient, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_prewitt(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_prewitt_params *params, gpufilter_error *err)
{
    gpufilter_prewitt_params p = GPUFILTER_PREWITT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_prewitt_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_PREWITT_OUTPUT, 1, &p.output},
        {GPUFILTER_PREWITT_SCALE, 1, &p.scale},
        {GPUFILTER_PREWITT_OFFSET, 1, &p.offset},
        {GPUFILTER_PREWITT_BORDER, 1, &p.border},
        {GPUFILTER_PREWITT_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_PREWITT_ALPHA, 1, &p.alpha},
        {GPUFILTER_PREWITT_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_PREWITT, 1, inputs, settings, 7};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of laplacian. Begin with GPUFILTER_LAPLACIAN_INIT. */
typedef struct gpufilter_laplacian_params {
    uint32_t struct_size;
    /* Neighbours used; enum gpufilter_connectivity. Default GPUFILTER_CONNECTIVITY_4. */
    uint32_t connectivity;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_laplacian_params;

#define GPUFILTER_LAPLACIAN_INIT \
    { \
        sizeof(gpufilter_laplacian_params), \
        GPUFILTER_CONNECTIVITY_4, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Sum of the second differences; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: second differences, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_laplacian(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_laplacian_params *params, gpufilter_error *err)
{
    gpufilter_laplacian_params p = GPUFILTER_LAPLACIAN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_laplacian_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_LAPLACIAN_CONNECTIVITY, 1, &p.connectivity},
        {GPUFILTER_LAPLACIAN_SCALE, 1, &p.scale},
        {GPUFILTER_LAPLACIAN_OFFSET, 1, &p.offset},
        {GPUFILTER_LAPLACIAN_BORDER, 1, &p.border},
        {GPUFILTER_LAPLACIAN_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_LAPLACIAN_ALPHA, 1, &p.alpha},
        {GPUFILTER_LAPLACIAN_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_LAPLACIAN, 1, inputs, settings, 7};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of log. Begin with GPUFILTER_LOG_INIT. */
typedef struct gpufilter_log_params {
    uint32_t struct_size;
    /* Standard deviation in pixels, one or x,y; 0.125..2047. Default 2. */
    float sigma[2];
    /* Radius of the masks in standard deviations; 0..64. Default 4. */
    float truncate;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_log_params;

#define GPUFILTER_LOG_INIT \
    { \
        sizeof(gpufilter_log_params), \
        {2.0f, GPUFILTER_UNSET_F32}, \
        4.0f, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Laplacian of a Gaussian; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: filtered picture, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_log(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_log_params *params, gpufilter_error *err)
{
    gpufilter_log_params p = GPUFILTER_LOG_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_log_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_LOG_SIGMA, 2, p.sigma},
        {GPUFILTER_LOG_TRUNCATE, 1, &p.truncate},
        {GPUFILTER_LOG_SCALE, 1, &p.scale},
        {GPUFILTER_LOG_OFFSET, 1, &p.offset},
        {GPUFILTER_LOG_BORDER, 1, &p.border},
        {GPUFILTER_LOG_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_LOG_ALPHA, 1, &p.alpha},
        {GPUFILTER_LOG_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_LOG, 1, inputs, settings, 8};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of emboss. Begin with GPUFILTER_EMBOSS_INIT. */
typedef struct gpufilter_emboss_params {
    uint32_t struct_size;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Offset before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_emboss_params;

#define GPUFILTER_EMBOSS_INIT \
    { \
        sizeof(gpufilter_emboss_params), \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Relief lit from the lower right; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: embossed picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_emboss(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_emboss_params *params, gpufilter_error *err)
{
    gpufilter_emboss_params p = GPUFILTER_EMBOSS_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_emboss_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_EMBOSS_SCALE, 1, &p.scale},
        {GPUFILTER_EMBOSS_OFFSET, 1, &p.offset},
        {GPUFILTER_EMBOSS_BORDER, 1, &p.border},
        {GPUFILTER_EMBOSS_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_EMBOSS_ALPHA, 1, &p.alpha},
        {GPUFILTER_EMBOSS_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_EMBOSS, 1, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of map. Begin with GPUFILTER_MAP_INIT. */
typedef struct gpufilter_map_params {
    uint32_t struct_size;
    /* Factor; finite. Default 1. */
    float scale;
    /* Offset after the factor, in sample units; finite. Default 0. */
    float offset;
    /* Exponent on samples scaled to 0..1; 1 changes nothing; 0.0078125..128. Default 1. */
    float gamma;
    /* Conversion to another type; enum gpufilter_range. Default GPUFILTER_RANGE_VALUE. */
    uint32_t range;
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *table; /* lookup table for u8 or u16, in place of the formula; NULL: left out */
} gpufilter_map_params;

#define GPUFILTER_MAP_INIT \
    { \
        sizeof(gpufilter_map_params), \
        1.0f, \
        0.0f, \
        1.0f, \
        GPUFILTER_RANGE_VALUE, \
        GPUFILTER_RESULT_DTYPE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Apply one formula or table to every sample; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * params->table: lookup table for u8 or u16, in place of the formula; u8, u16, i16 or f32, one row, one channel.
 * dst: changed picture, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_map(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_map_params *params, gpufilter_error *err)
{
    gpufilter_map_params p = GPUFILTER_MAP_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_map_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MAP_SCALE, 1, &p.scale},
        {GPUFILTER_MAP_OFFSET, 1, &p.offset},
        {GPUFILTER_MAP_GAMMA, 1, &p.gamma},
        {GPUFILTER_MAP_RANGE, 1, &p.range},
        {GPUFILTER_MAP_DTYPE, 1, &p.dtype},
        {GPUFILTER_MAP_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.table != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.table;
    }
    const gpufilter_step step = {GPUFILTER_OP_MAP, 2, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of combine. Begin with GPUFILTER_COMBINE_INIT. */
typedef struct gpufilter_combine_params {
    uint32_t struct_size;
    /* How two samples are combined; enum gpufilter_combine_mode. Default GPUFILTER_COMBINE_MODE_LINEAR. */
    uint32_t mode;
    /* Factor of A, for mode linear; finite. Default 1. */
    float a;
    /* Factor of B, for mode linear; finite. Default 1. */
    float b;
    /* Constant, for mode linear, in sample units; finite. Default 0. */
    float c;
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16 or f32. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_combine_params;

#define GPUFILTER_COMBINE_INIT \
    { \
        sizeof(gpufilter_combine_params), \
        GPUFILTER_COMBINE_MODE_LINEAR, \
        1.0f, \
        1.0f, \
        0.0f, \
        GPUFILTER_RESULT_DTYPE_SAME, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Combine two pictures sample by sample; docs/numerics.md has the formula.
 * src: first picture, A; u8, u16 or f32, 1 to 4 channels.
 * other: second picture, B, of the same shape and type; u8, u16 or f32, 1 to 4 channels.
 * dst: combined picture, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_combine(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *other,
    gpufilter_view *dst, const gpufilter_combine_params *params, gpufilter_error *err)
{
    gpufilter_combine_params p = GPUFILTER_COMBINE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_combine_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_COMBINE_MODE, 1, &p.mode},
        {GPUFILTER_COMBINE_A, 1, &p.a},
        {GPUFILTER_COMBINE_B, 1, &p.b},
        {GPUFILTER_COMBINE_C, 1, &p.c},
        {GPUFILTER_COMBINE_DTYPE, 1, &p.dtype},
        {GPUFILTER_COMBINE_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[2] = {*src, *other};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_COMBINE, 2, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of compare. Begin with GPUFILTER_COMPARE_INIT. */
typedef struct gpufilter_compare_params {
    uint32_t struct_size;
    /* How a pair with one NaN affects the errors; enum gpufilter_nan. Default GPUFILTER_NAN_PROPAGATE. */
    uint32_t nan;
} gpufilter_compare_params;

#define GPUFILTER_COMPARE_INIT \
    { \
        sizeof(gpufilter_compare_params), \
        GPUFILTER_NAN_PROPAGATE \
    }

/* Measure how far two pictures or arrays differ; docs/numerics.md has the formula.
 * a: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * b: another of the same shape and dtype; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * counts: per channel a row of equal, different; data NULL: allocated by the library.
 * errors: per channel a row of max, mae, mse; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_compare(gpufilter_client *client, const gpufilter_view *a, const gpufilter_view *b,
    gpufilter_view *counts, gpufilter_view *errors, const gpufilter_compare_params *params, gpufilter_error *err)
{
    gpufilter_compare_params p = GPUFILTER_COMPARE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_compare_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_COMPARE_NAN, 1, &p.nan},
    };
    const gpufilter_view operands[2] = {*a, *b};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_COMPARE, 2, inputs, settings, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*counts, 0, 0}, {*errors, 0, 1}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 2, err);
    if (status != GPUFILTER_OK)
        return status;
    *counts = results[0].view;
    *errors = results[1].view;
    return status;
}

/* Parameters of threshold. Begin with GPUFILTER_THRESHOLD_INIT. */
typedef struct gpufilter_threshold_params {
    uint32_t struct_size;
    /* Source of the threshold; enum gpufilter_threshold_mode. Default GPUFILTER_THRESHOLD_MODE_AUTO. */
    uint32_t mode;
    /* Samples above it become white, in sample units; default: found by otsu; finite. Default GPUFILTER_UNSET_F32: not given. */
    float value;
    /* Bins over the range of the data, for otsu on f32; 2..65536. Default 256. */
    uint32_t bins;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* What becomes black or white; enum gpufilter_tone_channels. Default GPUFILTER_TONE_CHANNELS_LUMA. */
    uint32_t channels;
} gpufilter_threshold_params;

#define GPUFILTER_THRESHOLD_INIT \
    { \
        sizeof(gpufilter_threshold_params), \
        GPUFILTER_THRESHOLD_MODE_AUTO, \
        GPUFILTER_UNSET_F32, \
        256, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_TONE_CHANNELS_LUMA \
    }

/* Make samples black or white by a threshold; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: 0 or the largest sample (f32: 1); type of src, its shape, with channels LUMA one channel for its colours; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_threshold(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_threshold_params *params, gpufilter_error *err)
{
    gpufilter_threshold_params p = GPUFILTER_THRESHOLD_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_threshold_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_THRESHOLD_MODE, 1, &p.mode},
        {GPUFILTER_THRESHOLD_VALUE, 1, &p.value},
        {GPUFILTER_THRESHOLD_BINS, 1, &p.bins},
        {GPUFILTER_THRESHOLD_ALPHA, 1, &p.alpha},
        {GPUFILTER_THRESHOLD_CHANNELS, 1, &p.channels},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_THRESHOLD, 1, inputs, settings, 5};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of equalize. Begin with GPUFILTER_EQUALIZE_INIT. */
typedef struct gpufilter_equalize_params {
    uint32_t struct_size;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_equalize_params;

#define GPUFILTER_EQUALIZE_INIT \
    { \
        sizeof(gpufilter_equalize_params), \
        GPUFILTER_ALPHA_AUTO \
    }

/* Equalize the histogram of each colour; docs/numerics.md has the formula.
 * src: picture; u8 or u16, 1 to 4 channels.
 * dst: equalized picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_equalize(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_equalize_params *params, gpufilter_error *err)
{
    gpufilter_equalize_params p = GPUFILTER_EQUALIZE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_equalize_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_EQUALIZE_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_EQUALIZE, 1, inputs, settings, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of autocontrast. Begin with GPUFILTER_AUTOCONTRAST_INIT. */
typedef struct gpufilter_autocontrast_params {
    uint32_t struct_size;
    /* How NaN affects the range of its colour; enum gpufilter_nan. Default GPUFILTER_NAN_OMIT. */
    uint32_t nan;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_autocontrast_params;

#define GPUFILTER_AUTOCONTRAST_INIT \
    { \
        sizeof(gpufilter_autocontrast_params), \
        GPUFILTER_NAN_OMIT, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Stretch each colour over the full range; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: picture from 0 to the largest sample (f32: 1); type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_autocontrast(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_autocontrast_params *params, gpufilter_error *err)
{
    gpufilter_autocontrast_params p = GPUFILTER_AUTOCONTRAST_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_autocontrast_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_AUTOCONTRAST_NAN, 1, &p.nan},
        {GPUFILTER_AUTOCONTRAST_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_AUTOCONTRAST, 1, inputs, settings, 2};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of copy. Begin with GPUFILTER_COPY_INIT. */
typedef struct gpufilter_copy_params {
    uint32_t struct_size;
    /* Channel to copy, from 1; 0: all channels; 0..4. Default 0. */
    uint32_t channel;
} gpufilter_copy_params;

#define GPUFILTER_COPY_INIT \
    { \
        sizeof(gpufilter_copy_params), \
        0 \
    }

/* Copy samples of all channels or of one; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * dst: the same samples; one channel if channel is given; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_copy(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_copy_params *params, gpufilter_error *err)
{
    gpufilter_copy_params p = GPUFILTER_COPY_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_copy_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_COPY_CHANNEL, 1, &p.channel},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_COPY, 1, inputs, settings, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of histogram. Begin with GPUFILTER_HISTOGRAM_INIT. */
typedef struct gpufilter_histogram_params {
    uint32_t struct_size;
    /* Number of bins; 0: one per value of u8 and u16; 0..16777216. Default 0. */
    uint32_t bins;
    /* Lower edge of the first bin; finite. Default 0. */
    double lo;
    /* Upper edge of the last bin; finite. Default 0. */
    double hi;
    /* Range of the bins; auto without lo and hi: all of u8, u16, else data; enum gpufilter_hist_range. Default GPUFILTER_HIST_RANGE_AUTO. */
    uint32_t range;
    /* Channels counted; enum gpufilter_channels. Default GPUFILTER_CHANNELS_EACH. */
    uint32_t channels;
    /* 1: the last bin includes hi; 0..1. Default 0. */
    uint32_t last_closed;
    /* 1: each bin includes those before it; 0..1. Default 0. */
    uint32_t cumulative;
    /* 1: fractions per sample unit; cumulative: fractions; 0..1. Default 0. */
    uint32_t density;
    const gpufilter_view *edges; /* edges of the bins, in order; excludes bins, lo, hi and range; NULL: left out */
} gpufilter_histogram_params;

#define GPUFILTER_HISTOGRAM_INIT \
    { \
        sizeof(gpufilter_histogram_params), \
        0, \
        0.0, \
        0.0, \
        GPUFILTER_HIST_RANGE_AUTO, \
        GPUFILTER_CHANNELS_EACH, \
        0, \
        0, \
        0, \
        NULL \
    }

/* Count samples by value; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * params->edges: edges of the bins, in order; excludes bins, lo, hi and range; u8, i8, u16, i16, u32, i32, f32 or f64, one row, one channel.
 * counts: a row of bins per channel, u64; with density f64; data NULL: allocated by the library.
 * outside: a row per channel: samples below, above, and NaN, u64; data NULL: allocated by the library.
 * edges: edges of the bins, f64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_histogram(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *counts, gpufilter_view *outside, gpufilter_view *edges, const gpufilter_histogram_params *params, gpufilter_error *err)
{
    gpufilter_histogram_params p = GPUFILTER_HISTOGRAM_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_histogram_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_HISTOGRAM_BINS, 1, &p.bins},
        {GPUFILTER_HISTOGRAM_LO, 1, &p.lo},
        {GPUFILTER_HISTOGRAM_HI, 1, &p.hi},
        {GPUFILTER_HISTOGRAM_RANGE, 1, &p.range},
        {GPUFILTER_HISTOGRAM_CHANNELS, 1, &p.channels},
        {GPUFILTER_HISTOGRAM_LAST_CLOSED, 1, &p.last_closed},
        {GPUFILTER_HISTOGRAM_CUMULATIVE, 1, &p.cumulative},
        {GPUFILTER_HISTOGRAM_DENSITY, 1, &p.density},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.edges != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.edges;
    }
    const gpufilter_step step = {GPUFILTER_OP_HISTOGRAM, 2, inputs, settings, 8};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*counts, 0, 0}, {*outside, 0, 1}, {*edges, 0, 2}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 3, err);
    if (status != GPUFILTER_OK)
        return status;
    *counts = results[0].view;
    *outside = results[1].view;
    *edges = results[2].view;
    return status;
}

/* Parameters of reduce. Begin with GPUFILTER_REDUCE_INIT. */
typedef struct gpufilter_reduce_params {
    uint32_t struct_size;
    /* Reduction of each sequence; enum gpufilter_reduce_op. Default GPUFILTER_REDUCE_OP_SUM. */
    uint32_t op;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* Var and std divide by the number of elements minus this; 0..4294967295. Default 0. */
    uint32_t ddof;
    /* Treatment of NaN; enum gpufilter_nan. Default GPUFILTER_NAN_PROPAGATE. */
    uint32_t nan;
    /* Treatment of integer sums and products beyond 64 bits; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
    const gpufilter_view *segments; /* offsets: each segment of a channel is a sequence of its own; NULL: left out */
} gpufilter_reduce_params;

#define GPUFILTER_REDUCE_INIT \
    { \
        sizeof(gpufilter_reduce_params), \
        GPUFILTER_REDUCE_OP_SUM, \
        GPUFILTER_AXIS_ALL, \
        0, \
        GPUFILTER_NAN_PROPAGATE, \
        GPUFILTER_OVERFLOW_ERROR, \
        NULL \
    }

/* Reduce every channel, row or column to one value; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * params->segments: offsets: each segment of a channel is a sequence of its own; u32, i32, u64 or i64, one row, one channel.
 * reduced: one value per sequence; reduced sides become 1; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_reduce(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *reduced, const gpufilter_reduce_params *params, gpufilter_error *err)
{
    gpufilter_reduce_params p = GPUFILTER_REDUCE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_reduce_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_REDUCE_OP, 1, &p.op},
        {GPUFILTER_REDUCE_AXIS, 1, &p.axis},
        {GPUFILTER_REDUCE_DDOF, 1, &p.ddof},
        {GPUFILTER_REDUCE_NAN, 1, &p.nan},
        {GPUFILTER_REDUCE_OVERFLOW, 1, &p.overflow},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.segments != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.segments;
    }
    const gpufilter_step step = {GPUFILTER_OP_REDUCE, 2, inputs, settings, 5};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*reduced, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *reduced = results[0].view;
    return status;
}

/* Parameters of stats. Begin with GPUFILTER_STATS_INIT. */
typedef struct gpufilter_stats_params {
    uint32_t struct_size;
    /* Var and std divide by the number of elements minus this; 0..4294967295. Default 0. */
    uint32_t ddof;
    /* Treatment of NaN; enum gpufilter_nan. Default GPUFILTER_NAN_PROPAGATE. */
    uint32_t nan;
    /* Treatment of integer sums beyond 64 bits; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
} gpufilter_stats_params;

#define GPUFILTER_STATS_INIT \
    { \
        sizeof(gpufilter_stats_params), \
        0, \
        GPUFILTER_NAN_PROPAGATE, \
        GPUFILTER_OVERFLOW_ERROR \
    }

/* Statistics of every channel in one pass; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * counts: per channel a row of count, argmin, argmax, nan; data NULL: allocated by the library.
 * range: per channel a row of min, max; data NULL: allocated by the library.
 * sums: per channel the sum; data NULL: allocated by the library.
 * reals: per channel a row of mean, var, std, l1, l2, linf; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_stats(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *counts, gpufilter_view *range, gpufilter_view *sums, gpufilter_view *reals, const gpufilter_stats_params *params, gpufilter_error *err)
{
    gpufilter_stats_params p = GPUFILTER_STATS_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_stats_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_STATS_DDOF, 1, &p.ddof},
        {GPUFILTER_STATS_NAN, 1, &p.nan},
        {GPUFILTER_STATS_OVERFLOW, 1, &p.overflow},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_STATS, 1, inputs, settings, 3};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*counts, 0, 0}, {*range, 0, 1}, {*sums, 0, 2}, {*reals, 0, 3}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 4, err);
    if (status != GPUFILTER_OK)
        return status;
    *counts = results[0].view;
    *range = results[1].view;
    *sums = results[2].view;
    *reals = results[3].view;
    return status;
}

/* Parameters of dot. Begin with GPUFILTER_DOT_INIT. */
typedef struct gpufilter_dot_params {
    uint32_t struct_size;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
} gpufilter_dot_params;

#define GPUFILTER_DOT_INIT \
    { \
        sizeof(gpufilter_dot_params), \
        GPUFILTER_AXIS_ALL \
    }

/* Dot product of every channel, row or column; docs/numerics.md has the formula.
 * a: picture or array; f32 or f64, 1 to 4 channels.
 * b: another of the same shape and dtype; f32 or f64, 1 to 4 channels.
 * reduced: one f64 per sequence; reduced sides become 1; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_dot(gpufilter_client *client, const gpufilter_view *a, const gpufilter_view *b,
    gpufilter_view *reduced, const gpufilter_dot_params *params, gpufilter_error *err)
{
    gpufilter_dot_params p = GPUFILTER_DOT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_dot_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_DOT_AXIS, 1, &p.axis},
    };
    const gpufilter_view operands[2] = {*a, *b};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_DOT, 2, inputs, settings, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*reduced, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *reduced = results[0].view;
    return status;
}

/* Parameters of scan. Begin with GPUFILTER_SCAN_INIT. */
typedef struct gpufilter_scan_params {
    uint32_t struct_size;
    /* Operator; enum gpufilter_scan_op. Default GPUFILTER_SCAN_OP_SUM. */
    uint32_t op;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* 1: each result leaves out its own element; 0..1. Default 0. */
    uint32_t exclusive;
    /* 1: from the last element to the first; 0..1. Default 0. */
    uint32_t reverse;
    /* Value before the first element, with start=initial; finite. Default 0. */
    double initial;
    /* Type of the result; same: 64 bits for sums and products of integers; enum gpufilter_result_dtype: same, u32, i32, u64, i64, f32 or f64. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* Treatment of integer results that do not fit their type; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
    /* Start of a sequence; enum gpufilter_start. Default GPUFILTER_START_FIRST. */
    uint32_t start;
    const gpufilter_view *segments; /* offsets: each segment of a channel is a sequence of its own; NULL: left out */
} gpufilter_scan_params;

#define GPUFILTER_SCAN_INIT \
    { \
        sizeof(gpufilter_scan_params), \
        GPUFILTER_SCAN_OP_SUM, \
        GPUFILTER_AXIS_ALL, \
        0, \
        0, \
        0.0, \
        GPUFILTER_RESULT_DTYPE_SAME, \
        GPUFILTER_OVERFLOW_ERROR, \
        GPUFILTER_START_FIRST, \
        NULL \
    }

/* Running sum, product, minimum or maximum; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * params->segments: offsets: each segment of a channel is a sequence of its own; u32, i32, u64 or i64, one row, one channel.
 * dst: running results, one per element; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_scan(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_scan_params *params, gpufilter_error *err)
{
    gpufilter_scan_params p = GPUFILTER_SCAN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_scan_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SCAN_OP, 1, &p.op},
        {GPUFILTER_SCAN_AXIS, 1, &p.axis},
        {GPUFILTER_SCAN_EXCLUSIVE, 1, &p.exclusive},
        {GPUFILTER_SCAN_REVERSE, 1, &p.reverse},
        {GPUFILTER_SCAN_INITIAL, 1, &p.initial},
        {GPUFILTER_SCAN_DTYPE, 1, &p.dtype},
        {GPUFILTER_SCAN_OVERFLOW, 1, &p.overflow},
        {GPUFILTER_SCAN_START, 1, &p.start},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.segments != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.segments;
    }
    const gpufilter_step step = {GPUFILTER_OP_SCAN, 2, inputs, settings, 8};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of recurrence. Begin with GPUFILTER_RECURRENCE_INIT. */
typedef struct gpufilter_recurrence_params {
    uint32_t struct_size;
    /* Factor of the previous result; above 1 in magnitude it may overflow; finite. Default 1. */
    double a;
    /* Factor of the element; finite. Default 1. */
    double b;
    /* The result before the first element, with start=initial; finite. Default 0. */
    double initial;
    /* Start of a sequence; enum gpufilter_start. Default GPUFILTER_START_FIRST. */
    uint32_t start;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
} gpufilter_recurrence_params;

#define GPUFILTER_RECURRENCE_INIT \
    { \
        sizeof(gpufilter_recurrence_params), \
        1.0, \
        1.0, \
        0.0, \
        GPUFILTER_START_FIRST, \
        GPUFILTER_AXIS_ALL \
    }

/* First-order recurrence y[i] = a*y[i-1] + b*x[i]; docs/numerics.md has the formula.
 * src: picture or array x; f32 or f64, 1 to 4 channels.
 * dst: y; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_recurrence(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_recurrence_params *params, gpufilter_error *err)
{
    gpufilter_recurrence_params p = GPUFILTER_RECURRENCE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_recurrence_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_RECURRENCE_A, 1, &p.a},
        {GPUFILTER_RECURRENCE_B, 1, &p.b},
        {GPUFILTER_RECURRENCE_INITIAL, 1, &p.initial},
        {GPUFILTER_RECURRENCE_START, 1, &p.start},
        {GPUFILTER_RECURRENCE_AXIS, 1, &p.axis},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_RECURRENCE, 1, inputs, settings, 5};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of integral. Begin with GPUFILTER_INTEGRAL_INIT. */
typedef struct gpufilter_integral_params {
    uint32_t struct_size;
    /* 1: sums of the squared samples; 0..1. Default 0. */
    uint32_t square;
    /* 1: prepend a row and a column of zeros; 0..1. Default 0. */
    uint32_t pad;
    /* Type of the sums; same: one that holds them, u32 or u64, f64 for f32; enum gpufilter_result_dtype: same, u32, u64, f32 or f64. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_integral_params;

#define GPUFILTER_INTEGRAL_INIT \
    { \
        sizeof(gpufilter_integral_params), \
        0, \
        0, \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Sums over all pixels above and to the left; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: sums that include their own pixel; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_integral(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_integral_params *params, gpufilter_error *err)
{
    gpufilter_integral_params p = GPUFILTER_INTEGRAL_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_integral_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_INTEGRAL_SQUARE, 1, &p.square},
        {GPUFILTER_INTEGRAL_PAD, 1, &p.pad},
        {GPUFILTER_INTEGRAL_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_INTEGRAL, 1, inputs, settings, 3};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of select. Begin with GPUFILTER_SELECT_INIT. */
typedef struct gpufilter_select_params {
    uint32_t struct_size;
    /* Smallest value selected; default: no bound; finite. Default -1.7976931348623157e+308. */
    double lo;
    /* Largest value selected; default: no bound; finite. Default 1.7976931348623157e+308. */
    double hi;
    /* Capacity of a row in samples; 0: all of a channel; 0..4294967295. Default 0. */
    uint32_t capacity;
} gpufilter_select_params;

#define GPUFILTER_SELECT_INIT \
    { \
        sizeof(gpufilter_select_params), \
        -1.7976931348623157e+308, \
        1.7976931348623157e+308, \
        0 \
    }

/* Select the samples in a range, in order; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * values: per channel a row of the selected samples; then 0, for floats NaN; data NULL: allocated by the library.
 * indices: per channel a row of their indices, u64; then 2^64-1; data NULL: allocated by the library.
 * count: per channel the number selected, also beyond the capacity, u64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_select(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *values, gpufilter_view *indices, gpufilter_view *count, const gpufilter_select_params *params, gpufilter_error *err)
{
    gpufilter_select_params p = GPUFILTER_SELECT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_select_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SELECT_LO, 1, &p.lo},
        {GPUFILTER_SELECT_HI, 1, &p.hi},
        {GPUFILTER_SELECT_CAPACITY, 1, &p.capacity},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SELECT, 1, inputs, settings, 3};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*values, 0, 0}, {*indices, 0, 1}, {*count, 0, 2}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 3, err);
    if (status != GPUFILTER_OK)
        return status;
    *values = results[0].view;
    *indices = results[1].view;
    *count = results[2].view;
    return status;
}

/* Parameters of convolve1d. Begin with GPUFILTER_CONVOLVE1D_INIT. */
typedef struct gpufilter_convolve1d_params {
    uint32_t struct_size;
    /* Which results are computed; enum gpufilter_convolution_mode. Default GPUFILTER_CONVOLUTION_MODE_SAME. */
    uint32_t mode;
    /* What forms a sequence: rows or cols; enum gpufilter_axis. Default GPUFILTER_AXIS_ROWS. */
    uint32_t axis;
    /* Elements outside, with mode=same; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* Elements outside, with border=constant; finite. Default 0. */
    double border_value;
    /* The kernel's origin; default: the middle, rounded down; 0..65534. Default GPUFILTER_UNSET_U32: not given. */
    uint32_t anchor;
    /* Treatment of integers whose sums may exceed 64 bits; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
} gpufilter_convolve1d_params;

#define GPUFILTER_CONVOLVE1D_INIT \
    { \
        sizeof(gpufilter_convolve1d_params), \
        GPUFILTER_CONVOLUTION_MODE_SAME, \
        GPUFILTER_AXIS_ROWS, \
        GPUFILTER_BORDER_REPLICATE, \
        0.0, \
        GPUFILTER_UNSET_U32, \
        GPUFILTER_OVERFLOW_ERROR \
    }

/* Convolve rows or columns with a kernel; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, f32 or f64, 1 to 4 channels.
 * kernel: one row of 1 to 65535 taps, dtype of src; flipped; u8, i8, u16, i16, u32, i32, f32 or f64, one channel.
 * dst: filtered picture or array; i64 for integers; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_convolve1d(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *kernel,
    gpufilter_view *dst, const gpufilter_convolve1d_params *params, gpufilter_error *err)
{
    gpufilter_convolve1d_params p = GPUFILTER_CONVOLVE1D_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_convolve1d_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CONVOLVE1D_MODE, 1, &p.mode},
        {GPUFILTER_CONVOLVE1D_AXIS, 1, &p.axis},
        {GPUFILTER_CONVOLVE1D_BORDER, 1, &p.border},
        {GPUFILTER_CONVOLVE1D_BORDER_VALUE, 1, &p.border_value},
        {GPUFILTER_CONVOLVE1D_ANCHOR, 1, &p.anchor},
        {GPUFILTER_CONVOLVE1D_OVERFLOW, 1, &p.overflow},
    };
    const gpufilter_view operands[2] = {*src, *kernel};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CONVOLVE1D, 2, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of correlate1d. Begin with GPUFILTER_CORRELATE1D_INIT. */
typedef struct gpufilter_correlate1d_params {
    uint32_t struct_size;
    /* Which results are computed; enum gpufilter_convolution_mode. Default GPUFILTER_CONVOLUTION_MODE_SAME. */
    uint32_t mode;
    /* What forms a sequence: rows or cols; enum gpufilter_axis. Default GPUFILTER_AXIS_ROWS. */
    uint32_t axis;
    /* Elements outside, with mode=same; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* Elements outside, with border=constant; finite. Default 0. */
    double border_value;
    /* The kernel's origin; default: the middle, rounded down; 0..65534. Default GPUFILTER_UNSET_U32: not given. */
    uint32_t anchor;
    /* Treatment of integers whose sums may exceed 64 bits; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
} gpufilter_correlate1d_params;

#define GPUFILTER_CORRELATE1D_INIT \
    { \
        sizeof(gpufilter_correlate1d_params), \
        GPUFILTER_CONVOLUTION_MODE_SAME, \
        GPUFILTER_AXIS_ROWS, \
        GPUFILTER_BORDER_REPLICATE, \
        0.0, \
        GPUFILTER_UNSET_U32, \
        GPUFILTER_OVERFLOW_ERROR \
    }

/* Correlate rows or columns with a kernel; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, f32 or f64, 1 to 4 channels.
 * kernel: one row of 1 to 65535 taps, dtype of src; u8, i8, u16, i16, u32, i32, f32 or f64, one channel.
 * dst: filtered picture or array; i64 for integers; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_correlate1d(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *kernel,
    gpufilter_view *dst, const gpufilter_correlate1d_params *params, gpufilter_error *err)
{
    gpufilter_correlate1d_params p = GPUFILTER_CORRELATE1D_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_correlate1d_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CORRELATE1D_MODE, 1, &p.mode},
        {GPUFILTER_CORRELATE1D_AXIS, 1, &p.axis},
        {GPUFILTER_CORRELATE1D_BORDER, 1, &p.border},
        {GPUFILTER_CORRELATE1D_BORDER_VALUE, 1, &p.border_value},
        {GPUFILTER_CORRELATE1D_ANCHOR, 1, &p.anchor},
        {GPUFILTER_CORRELATE1D_OVERFLOW, 1, &p.overflow},
    };
    const gpufilter_view operands[2] = {*src, *kernel};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CORRELATE1D, 2, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*dst, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *dst = results[0].view;
    return status;
}

/* Parameters of matmul. Begin with GPUFILTER_MATMUL_INIT. */
typedef struct gpufilter_matmul_params {
    uint32_t struct_size;
    /* Treatment of integers whose sums may exceed 64 bits; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
} gpufilter_matmul_params;

#define GPUFILTER_MATMUL_INIT \
    { \
        sizeof(gpufilter_matmul_params), \
        GPUFILTER_OVERFLOW_ERROR \
    }

/* Product of two matrices; docs/numerics.md has the formula.
 * a: matrix, as many columns as b has rows; i8, i16, i32, f32 or f64, one channel.
 * b: matrix of the same dtype; i8, i16, i32, f32 or f64, one channel.
 * product: as many rows as a, as many columns as b; i64 for integers; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_matmul(gpufilter_client *client, const gpufilter_view *a, const gpufilter_view *b,
    gpufilter_view *product, const gpufilter_matmul_params *params, gpufilter_error *err)
{
    gpufilter_matmul_params p = GPUFILTER_MATMUL_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_matmul_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MATMUL_OVERFLOW, 1, &p.overflow},
    };
    const gpufilter_view operands[2] = {*a, *b};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_MATMUL, 2, inputs, settings, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*product, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *product = results[0].view;
    return status;
}

/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
