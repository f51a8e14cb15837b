/* SPDX-License-Identifier: MIT */
/*
 * One parameter struct and one call per operation, made of gpufilter_run: an operation adds no symbol.
 * Lists (sigma, border_value, ...) have as many values as are set, from the first on; the macros leave
 * the others GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F64 or GPUFILTER_UNSET_U32. Texts are read while the call runs.
 * Printed by client/tools/gen_ops.c from the tables in protocol/; do not edit.
 */
#ifndef GPUFILTER_OPS_H
#define GPUFILTER_OPS_H

#include <string.h>

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Characters of a parameter that is a text; NULL has none. */
static inline uint32_t gpufilter_text_size(const char *text)
{
    const size_t size = text == NULL ? 0 : strlen(text);
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

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
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
    /* Type of the result; same: f32; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
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

/* Parameters of bilateral. Begin with GPUFILTER_BILATERAL_INIT. */
typedef struct gpufilter_bilateral_params {
    uint32_t struct_size;
    /* Radius of the disc in pixels; 0: 1.5 sigma_space, at least 1; 0..127. Default 0. */
    uint32_t radius;
    /* Standard deviation of differences, in sample units; default: a tenth of MAX; 1e-18 or more. Default GPUFILTER_UNSET_F32: not given. */
    float sigma_colour;
    /* Standard deviation of distances in pixels; 0.01..2047. Default 2. */
    float sigma_space;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_bilateral_params;

#define GPUFILTER_BILATERAL_INIT \
    { \
        sizeof(gpufilter_bilateral_params), \
        0, \
        GPUFILTER_UNSET_F32, \
        2.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Bilateral filter, which smooths and keeps edges; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: smoothed picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_bilateral(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_bilateral_params *params, gpufilter_error *err)
{
    gpufilter_bilateral_params p = GPUFILTER_BILATERAL_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_bilateral_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_BILATERAL_RADIUS, 1, &p.radius},
        {GPUFILTER_BILATERAL_SIGMA_COLOUR, 1, &p.sigma_colour},
        {GPUFILTER_BILATERAL_SIGMA_SPACE, 1, &p.sigma_space},
        {GPUFILTER_BILATERAL_BORDER, 1, &p.border},
        {GPUFILTER_BILATERAL_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_BILATERAL_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_BILATERAL, 1, inputs, settings, 6};
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
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *table; /* lookup table for u8, u16 or i16, in place of the formula; NULL: left out */
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
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->table: lookup table for u8, u16 or i16, in place of the formula; u8, u16, i16 or f32, one row, one channel.
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
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * src: first picture, A; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * other: second picture, B, of the same shape and type; u8, u16, i16, f32 or f16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16 or f32, 1 to 4 channels.
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
 * src: picture; u8, u16 or i16, 1 to 4 channels.
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
 * src: picture; u8, u16, i16 or f32, 1 to 4 channels.
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
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
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

/* Parameters of clahe. Begin with GPUFILTER_CLAHE_INIT. */
typedef struct gpufilter_clahe_params {
    uint32_t struct_size;
    /* Most samples of one value, in means over all values; 0: no limit; 0..65536. Default 2. */
    double clip;
    /* Tiles along each axis, one number or WxH; 1..32. Default 8. */
    uint32_t tiles[2];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_clahe_params;

#define GPUFILTER_CLAHE_INIT \
    { \
        sizeof(gpufilter_clahe_params), \
        2.0, \
        {8, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Equalize each colour tile by tile, with limited contrast; docs/numerics.md has the formula.
 * src: picture; u8, u16 or i16, 1 to 4 channels.
 * dst: equalized picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_clahe(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_clahe_params *params, gpufilter_error *err)
{
    gpufilter_clahe_params p = GPUFILTER_CLAHE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_clahe_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CLAHE_CLIP, 1, &p.clip},
        {GPUFILTER_CLAHE_TILES, 2, p.tiles},
        {GPUFILTER_CLAHE_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_CLAHE, 1, inputs, settings, 3};
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

/* Parameters of expr. Begin with GPUFILTER_EXPR_INIT. */
typedef struct gpufilter_expr_params {
    uint32_t struct_size;
    /* What each sample becomes, as in clamp(a*1.2 - b, 0, 255); at most 2048 characters. NULL or "": not given. */
    const char *expression;
    /* Values of parameters that the expression declares, as in gain=1.5, level=3; at most 256 characters. NULL or "": not given. */
    const char *set;
    /* Type of the result; same: as a; enum gpufilter_result_dtype. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* Use of the alpha channel; enum gpufilter_alpha: auto, straight or ignore. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *b; /* picture or array b, of the same sides, with as many channels or one; NULL: left out */
    const gpufilter_view *c; /* picture or array c, likewise; NULL: left out */
    const gpufilter_view *d; /* picture or array d, likewise; NULL: left out */
} gpufilter_expr_params;

#define GPUFILTER_EXPR_INIT \
    { \
        sizeof(gpufilter_expr_params), \
        NULL, \
        NULL, \
        GPUFILTER_RESULT_DTYPE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        NULL, \
        NULL, \
        NULL \
    }

/* Compute every sample by an expression; docs/numerics.md has the formula.
 * a: picture or array a; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * params->b: picture or array b, of the same sides, with as many channels or one; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * params->c: picture or array c, likewise; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * params->d: picture or array d, likewise; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: computed picture or array; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_expr(gpufilter_client *client, const gpufilter_view *a,
    gpufilter_view *dst, const gpufilter_expr_params *params, gpufilter_error *err)
{
    gpufilter_expr_params p = GPUFILTER_EXPR_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_expr_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_EXPR_EXPRESSION, gpufilter_text_size(p.expression), p.expression},
        {GPUFILTER_EXPR_SET, gpufilter_text_size(p.set), p.set},
        {GPUFILTER_EXPR_DTYPE, 1, &p.dtype},
        {GPUFILTER_EXPR_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[4] = {*a};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.b != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.b;
    }
    if (p.c != NULL) {
        inputs[2].from = GPUFILTER_FROM_OPERAND;
        inputs[2].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.c;
    }
    if (p.d != NULL) {
        inputs[3].from = GPUFILTER_FROM_OPERAND;
        inputs[3].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.d;
    }
    const gpufilter_step step = {GPUFILTER_OP_EXPR, 4, inputs, settings, 4};
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

/* Parameters of histogram2d. Begin with GPUFILTER_HISTOGRAM2D_INIT. */
typedef struct gpufilter_histogram2d_params {
    uint32_t struct_size;
    /* Number of bins of each; 0: one per value of u8 and u16; 0..16777216. Default 0. */
    uint32_t bins[2];
    /* Lower edge of the first bin of each; finite. Default 0. */
    double lo[2];
    /* Upper edge of the last bin of each; finite. Default 0. */
    double hi[2];
    /* Range of the bins; auto without lo and hi: all of u8, u16, else data; enum gpufilter_hist_range. Default GPUFILTER_HIST_RANGE_AUTO. */
    uint32_t range;
    /* Channel of each, from 1; default: 1,2 of one picture, 1,1 of two; 1..4. */
    uint32_t channels[2];
    /* 1: the last bin of each includes hi; 0..1. Default 0. */
    uint32_t last_closed;
    const gpufilter_view *src2; /* picture or array of the same size with the second; default: src; NULL: left out */
} gpufilter_histogram2d_params;

#define GPUFILTER_HISTOGRAM2D_INIT \
    { \
        sizeof(gpufilter_histogram2d_params), \
        {0, GPUFILTER_UNSET_U32}, \
        {0.0, GPUFILTER_UNSET_F64}, \
        {0.0, GPUFILTER_UNSET_F64}, \
        GPUFILTER_HIST_RANGE_AUTO, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        0, \
        NULL \
    }

/* Count pairs of samples, of two channels or pictures, by value; docs/numerics.md has the formula.
 * src: picture or array with the first of each pair; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * params->src2: picture or array of the same size with the second; default: src; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * counts: a row per bin of the first, with a count per bin of the second, u64; data NULL: allocated by the library.
 * outside: pairs beyond the bins, pairs with NaN, u64; data NULL: allocated by the library.
 * edges: edges of the bins of the first, f64; data NULL: allocated by the library.
 * edges2: edges of the bins of the second, f64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_histogram2d(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *counts, gpufilter_view *outside, gpufilter_view *edges, gpufilter_view *edges2, const gpufilter_histogram2d_params *params, gpufilter_error *err)
{
    gpufilter_histogram2d_params p = GPUFILTER_HISTOGRAM2D_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_histogram2d_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_HISTOGRAM2D_BINS, 2, p.bins},
        {GPUFILTER_HISTOGRAM2D_LO, 2, p.lo},
        {GPUFILTER_HISTOGRAM2D_HI, 2, p.hi},
        {GPUFILTER_HISTOGRAM2D_RANGE, 1, &p.range},
        {GPUFILTER_HISTOGRAM2D_CHANNELS, 2, p.channels},
        {GPUFILTER_HISTOGRAM2D_LAST_CLOSED, 1, &p.last_closed},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.src2 != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.src2;
    }
    const gpufilter_step step = {GPUFILTER_OP_HISTOGRAM2D, 2, inputs, settings, 6};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*counts, 0, 0}, {*outside, 0, 1}, {*edges, 0, 2}, {*edges2, 0, 3}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 4, err);
    if (status != GPUFILTER_OK)
        return status;
    *counts = results[0].view;
    *outside = results[1].view;
    *edges = results[2].view;
    *edges2 = results[3].view;
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
    /* With op=user: 1 to 4 values that an element becomes, its state; none: a; at most 2048 characters. NULL or "": not given. */
    const char *lift;
    /* With op=user: the state of two that follow each other, as in a0 + b0; at most 2048 characters. NULL or "": not given. */
    const char *combine;
    /* With op=user: the state where there are no elements, as in 0; at most 2048 characters. NULL or "": not given. */
    const char *identity;
    /* With op=user: what a state becomes in the result; none: the state; at most 2048 characters. NULL or "": not given. */
    const char *finish;
    /* With op=user: values of parameters that texts declare, as in gain=1.5, level=3; at most 256 characters. NULL or "": not given. */
    const char *set;
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
        NULL, \
        NULL, \
        NULL, \
        NULL, \
        NULL, \
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
        {GPUFILTER_REDUCE_LIFT, gpufilter_text_size(p.lift), p.lift},
        {GPUFILTER_REDUCE_COMBINE, gpufilter_text_size(p.combine), p.combine},
        {GPUFILTER_REDUCE_IDENTITY, gpufilter_text_size(p.identity), p.identity},
        {GPUFILTER_REDUCE_FINISH, gpufilter_text_size(p.finish), p.finish},
        {GPUFILTER_REDUCE_SET, gpufilter_text_size(p.set), p.set},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.segments != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.segments;
    }
    const gpufilter_step step = {GPUFILTER_OP_REDUCE, 2, inputs, settings, 10};
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
    /* With op=user: 1 to 4 values that an element becomes, its state; none: a; at most 2048 characters. NULL or "": not given. */
    const char *lift;
    /* With op=user: the state of two that follow each other, as in a0 + b0; at most 2048 characters. NULL or "": not given. */
    const char *combine;
    /* With op=user: the state where there are no elements, as in 0; at most 2048 characters. NULL or "": not given. */
    const char *identity;
    /* With op=user: what a state becomes in the result; none: the state; at most 2048 characters. NULL or "": not given. */
    const char *finish;
    /* With op=user: values of parameters that texts declare, as in gain=1.5, level=3; at most 256 characters. NULL or "": not given. */
    const char *set;
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
        NULL, \
        NULL, \
        NULL, \
        NULL, \
        NULL, \
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
        {GPUFILTER_SCAN_LIFT, gpufilter_text_size(p.lift), p.lift},
        {GPUFILTER_SCAN_COMBINE, gpufilter_text_size(p.combine), p.combine},
        {GPUFILTER_SCAN_IDENTITY, gpufilter_text_size(p.identity), p.identity},
        {GPUFILTER_SCAN_FINISH, gpufilter_text_size(p.finish), p.finish},
        {GPUFILTER_SCAN_SET, gpufilter_text_size(p.set), p.set},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.segments != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.segments;
    }
    const gpufilter_step step = {GPUFILTER_OP_SCAN, 2, inputs, settings, 13};
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

/* Parameters of crop. Begin with GPUFILTER_CROP_INIT. */
typedef struct gpufilter_crop_params {
    uint32_t struct_size;
    /* Sides of the window, one or WxH; default: all to the right and below; 1..4294967294. */
    uint32_t size[2];
    /* Its first column and row, one or x,y; from 0; 0..4294967294. Default 0. */
    uint32_t at[2];
} gpufilter_crop_params;

#define GPUFILTER_CROP_INIT \
    { \
        sizeof(gpufilter_crop_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        {0, GPUFILTER_UNSET_U32} \
    }

/* Cut out a window; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: the window; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_crop(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_crop_params *params, gpufilter_error *err)
{
    gpufilter_crop_params p = GPUFILTER_CROP_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_crop_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CROP_SIZE, 2, p.size},
        {GPUFILTER_CROP_AT, 2, p.at},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_CROP, 1, inputs, settings, 2};
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

/* Parameters of pad. Begin with GPUFILTER_PAD_INIT. */
typedef struct gpufilter_pad_params {
    uint32_t struct_size;
    /* Pixels added: one number, x,y or left,top,right,bottom; must be given; 0..4294967294. */
    uint32_t margin[4];
    /* Pixels of the margin; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    double border_value[4];
} gpufilter_pad_params;

#define GPUFILTER_PAD_INIT \
    { \
        sizeof(gpufilter_pad_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_BORDER_CONSTANT, \
        {0.0, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64} \
    }

/* Put a margin around a picture; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: the picture with its margin; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_pad(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_pad_params *params, gpufilter_error *err)
{
    gpufilter_pad_params p = GPUFILTER_PAD_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_pad_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_PAD_MARGIN, 4, p.margin},
        {GPUFILTER_PAD_BORDER, 1, &p.border},
        {GPUFILTER_PAD_BORDER_VALUE, 4, p.border_value},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_PAD, 1, inputs, settings, 3};
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

/* Parameters of flip. Begin with GPUFILTER_FLIP_INIT. */
typedef struct gpufilter_flip_params {
    uint32_t struct_size;
    /* Along which the pixels change places; enum gpufilter_flip_axis. Default GPUFILTER_FLIP_AXIS_X. */
    uint32_t axis;
} gpufilter_flip_params;

#define GPUFILTER_FLIP_INIT \
    { \
        sizeof(gpufilter_flip_params), \
        GPUFILTER_FLIP_AXIS_X \
    }

/* Mirror a picture; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: mirrored picture; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_flip(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_flip_params *params, gpufilter_error *err)
{
    gpufilter_flip_params p = GPUFILTER_FLIP_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_flip_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_FLIP_AXIS, 1, &p.axis},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_FLIP, 1, inputs, settings, 1};
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

/* Parameters of rotate. Begin with GPUFILTER_ROTATE_INIT. */
typedef struct gpufilter_rotate_params {
    uint32_t struct_size;
    /* Degrees, clockwise; enum gpufilter_rotate_angle. Default GPUFILTER_ROTATE_ANGLE_90. */
    uint32_t angle;
} gpufilter_rotate_params;

#define GPUFILTER_ROTATE_INIT \
    { \
        sizeof(gpufilter_rotate_params), \
        GPUFILTER_ROTATE_ANGLE_90 \
    }

/* Rotate clockwise by 90, 180 or 270 degrees; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: rotated picture; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_rotate(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_rotate_params *params, gpufilter_error *err)
{
    gpufilter_rotate_params p = GPUFILTER_ROTATE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_rotate_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_ROTATE_ANGLE, 1, &p.angle},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_ROTATE, 1, inputs, settings, 1};
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

/* Parameters of transpose. Begin with GPUFILTER_TRANSPOSE_INIT. */
typedef struct gpufilter_transpose_params {
    uint32_t struct_size;
    /* Pixels of which stay where they are; enum gpufilter_transpose_diagonal. Default GPUFILTER_TRANSPOSE_DIAGONAL_MAIN. */
    uint32_t diagonal;
} gpufilter_transpose_params;

#define GPUFILTER_TRANSPOSE_INIT \
    { \
        sizeof(gpufilter_transpose_params), \
        GPUFILTER_TRANSPOSE_DIAGONAL_MAIN \
    }

/* Make rows of columns; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: transposed picture; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_transpose(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_transpose_params *params, gpufilter_error *err)
{
    gpufilter_transpose_params p = GPUFILTER_TRANSPOSE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_transpose_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_TRANSPOSE_DIAGONAL, 1, &p.diagonal},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_TRANSPOSE, 1, inputs, settings, 1};
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

/* Parameters of resize. Begin with GPUFILTER_RESIZE_INIT. */
typedef struct gpufilter_resize_params {
    uint32_t struct_size;
    /* Sides of the result, one or WxH; 400x and x300 keep the shape; 0..65535. */
    uint32_t size[2];
    /* Sides of the result in those of the picture, one or x,y; 1e-05..65535. */
    double scale[2];
    /* The largest result of the same shape within WxH; 1..65535. */
    uint32_t fit[2];
    /* WxH, from the largest part of that shape in the middle; 1..65535. */
    uint32_t fill[2];
    /* What pixels a pixel of the result is made of; enum gpufilter_resize_filter. Default GPUFILTER_RESIZE_FILTER_CUBIC. */
    uint32_t filter;
    /* 1: wider filters where the picture shrinks, so that no pixel is left out; 0..1. Default 1. */
    uint32_t antialias;
    /* Part of the picture that is seen, x,y,width,height; default: all; 0..65535. */
    double box[4];
    /* Use of the alpha channel; enum gpufilter_alpha: auto, premultiplied or straight. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_resize_params;

#define GPUFILTER_RESIZE_INIT \
    { \
        sizeof(gpufilter_resize_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        {GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64}, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_RESIZE_FILTER_CUBIC, \
        1, \
        {GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64}, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Change the size of a picture; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: picture of the new size; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_resize(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_resize_params *params, gpufilter_error *err)
{
    gpufilter_resize_params p = GPUFILTER_RESIZE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_resize_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_RESIZE_SIZE, 2, p.size},
        {GPUFILTER_RESIZE_SCALE, 2, p.scale},
        {GPUFILTER_RESIZE_FIT, 2, p.fit},
        {GPUFILTER_RESIZE_FILL, 2, p.fill},
        {GPUFILTER_RESIZE_FILTER, 1, &p.filter},
        {GPUFILTER_RESIZE_ANTIALIAS, 1, &p.antialias},
        {GPUFILTER_RESIZE_BOX, 4, p.box},
        {GPUFILTER_RESIZE_ALPHA, 1, &p.alpha},
        {GPUFILTER_RESIZE_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_RESIZE, 1, inputs, settings, 9};
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

/* Parameters of gray. Begin with GPUFILTER_GRAY_INIT. */
typedef struct gpufilter_gray_params {
    uint32_t struct_size;
    /* Weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Other weights of red, green and blue; default: those of standard; finite. */
    float weights[3];
    /* Whether alpha stays; enum gpufilter_kept_alpha. Default GPUFILTER_KEPT_ALPHA_KEEP. */
    uint32_t alpha;
} gpufilter_gray_params;

#define GPUFILTER_GRAY_INIT \
    { \
        sizeof(gpufilter_gray_params), \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_KEPT_ALPHA_KEEP \
    }

/* Make a picture grey by the brightness of its colours; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16 or f32, 1 to 4 channels.
 * dst: one channel, and alpha where the picture has it; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_gray(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_gray_params *params, gpufilter_error *err)
{
    gpufilter_gray_params p = GPUFILTER_GRAY_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_gray_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_GRAY_STANDARD, 1, &p.standard},
        {GPUFILTER_GRAY_WEIGHTS, 3, p.weights},
        {GPUFILTER_GRAY_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_GRAY, 1, inputs, settings, 3};
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

/* Parameters of matrix. Begin with GPUFILTER_MATRIX_INIT. */
typedef struct gpufilter_matrix_params {
    uint32_t struct_size;
    /* Type of the result; same: as the picture; enum gpufilter_result_dtype: same, u8, u16, i16, f32 or f16. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
} gpufilter_matrix_params;

#define GPUFILTER_MATRIX_INIT \
    { \
        sizeof(gpufilter_matrix_params), \
        GPUFILTER_RESULT_DTYPE_SAME \
    }

/* Multiply every pixel by a matrix: channels to channels; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16 or f32, 1 to 4 channels.
 * coefs: a row per channel of dst; a column per channel of src, and one for offsets; f32, one channel.
 * dst: a channel per row of coefs, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_matrix(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *coefs,
    gpufilter_view *dst, const gpufilter_matrix_params *params, gpufilter_error *err)
{
    gpufilter_matrix_params p = GPUFILTER_MATRIX_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_matrix_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MATRIX_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[2] = {*src, *coefs};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_MATRIX, 2, inputs, settings, 1};
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

/* Parameters of ycbcr. Begin with GPUFILTER_YCBCR_INIT. */
typedef struct gpufilter_ycbcr_params {
    uint32_t struct_size;
    /* Weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Numbers that stand for black and white; enum gpufilter_video_range. Default GPUFILTER_VIDEO_RANGE_FULL. */
    uint32_t range;
    /* Whether alpha stays; enum gpufilter_kept_alpha. Default GPUFILTER_KEPT_ALPHA_KEEP. */
    uint32_t alpha;
} gpufilter_ycbcr_params;

#define GPUFILTER_YCBCR_INIT \
    { \
        sizeof(gpufilter_ycbcr_params), \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        GPUFILTER_VIDEO_RANGE_FULL, \
        GPUFILTER_KEPT_ALPHA_KEEP \
    }

/* RGB to luma and two colour differences; docs/numerics.md has the formula.
 * src: picture of 3 or 4 channels: red, green, blue; u8, u16 or f32, 1 to 4 channels.
 * dst: Y, Cb, Cr, and alpha where the picture has it; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_ycbcr(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_ycbcr_params *params, gpufilter_error *err)
{
    gpufilter_ycbcr_params p = GPUFILTER_YCBCR_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_ycbcr_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_YCBCR_STANDARD, 1, &p.standard},
        {GPUFILTER_YCBCR_RANGE, 1, &p.range},
        {GPUFILTER_YCBCR_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_YCBCR, 1, inputs, settings, 3};
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

/* Parameters of hsv. Begin with GPUFILTER_HSV_INIT. */
typedef struct gpufilter_hsv_params {
    uint32_t struct_size;
    /* Hue of a full turn; 0: 180 for u8, 65536 for u16, 360 for f32; 0..65536. Default 0. */
    uint32_t turn;
    /* Whether alpha stays; enum gpufilter_kept_alpha. Default GPUFILTER_KEPT_ALPHA_KEEP. */
    uint32_t alpha;
} gpufilter_hsv_params;

#define GPUFILTER_HSV_INIT \
    { \
        sizeof(gpufilter_hsv_params), \
        0, \
        GPUFILTER_KEPT_ALPHA_KEEP \
    }

/* RGB to hue, saturation and value; docs/numerics.md has the formula.
 * src: picture of 3 or 4 channels: red, green, blue; u8, u16 or f32, 1 to 4 channels.
 * dst: hue, saturation, value, and alpha where the picture has it; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_hsv(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_hsv_params *params, gpufilter_error *err)
{
    gpufilter_hsv_params p = GPUFILTER_HSV_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_hsv_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_HSV_TURN, 1, &p.turn},
        {GPUFILTER_HSV_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_HSV, 1, inputs, settings, 2};
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

/* Parameters of rgb. Begin with GPUFILTER_RGB_INIT. */
typedef struct gpufilter_rgb_params {
    uint32_t struct_size;
    /* What the channels are; enum gpufilter_colour_model. Default GPUFILTER_COLOUR_MODEL_YCBCR. */
    uint32_t model;
    /* Of YCbCr: weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Of YCbCr: numbers that stand for black and white; enum gpufilter_video_range. Default GPUFILTER_VIDEO_RANGE_FULL. */
    uint32_t range;
    /* Of HSV: hue of a full turn; 0: 180 for u8, 65536 for u16, 360 for f32; 0..65536. Default 0. */
    uint32_t turn;
    /* Whether alpha stays; enum gpufilter_kept_alpha. Default GPUFILTER_KEPT_ALPHA_KEEP. */
    uint32_t alpha;
} gpufilter_rgb_params;

#define GPUFILTER_RGB_INIT \
    { \
        sizeof(gpufilter_rgb_params), \
        GPUFILTER_COLOUR_MODEL_YCBCR, \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        GPUFILTER_VIDEO_RANGE_FULL, \
        0, \
        GPUFILTER_KEPT_ALPHA_KEEP \
    }

/* YCbCr or HSV to RGB; docs/numerics.md has the formula.
 * src: picture of 3 or 4 channels, as ycbcr or hsv gives it; u8, u16 or f32, 1 to 4 channels.
 * dst: red, green, blue, and alpha where the picture has it; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_rgb(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_rgb_params *params, gpufilter_error *err)
{
    gpufilter_rgb_params p = GPUFILTER_RGB_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_rgb_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_RGB_MODEL, 1, &p.model},
        {GPUFILTER_RGB_STANDARD, 1, &p.standard},
        {GPUFILTER_RGB_RANGE, 1, &p.range},
        {GPUFILTER_RGB_TURN, 1, &p.turn},
        {GPUFILTER_RGB_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_RGB, 1, inputs, settings, 5};
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

/* Parameters of flatten. Begin with GPUFILTER_FLATTEN_INIT. */
typedef struct gpufilter_flatten_params {
    uint32_t struct_size;
    /* What is behind, in sample units: one number, or one per channel; finite. Default 0. */
    float colour[3];
} gpufilter_flatten_params;

#define GPUFILTER_FLATTEN_INIT \
    { \
        sizeof(gpufilter_flatten_params), \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32} \
    }

/* Put a colour behind a picture with alpha; docs/numerics.md has the formula.
 * src: picture; one without alpha stays as it is; u8, u16 or f32, 1 to 4 channels.
 * dst: the colours alone; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_flatten(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_flatten_params *params, gpufilter_error *err)
{
    gpufilter_flatten_params p = GPUFILTER_FLATTEN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_flatten_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_FLATTEN_COLOUR, 3, p.colour},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_FLATTEN, 1, inputs, settings, 1};
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

/* Parameters of merge. Begin with GPUFILTER_MERGE_INIT. */
typedef struct gpufilter_merge_params {
    uint32_t struct_size;
    /* Channels of the result, counted from 1; 0: the greatest sample; default: all; 0..4. */
    uint32_t order[4];
    const gpufilter_view *src2; /* picture with the next channels, of the same size and type; NULL: left out */
    const gpufilter_view *src3; /* picture with the next channels, likewise; NULL: left out */
    const gpufilter_view *src4; /* picture with the last channel, likewise; NULL: left out */
} gpufilter_merge_params;

#define GPUFILTER_MERGE_INIT \
    { \
        sizeof(gpufilter_merge_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        NULL, \
        NULL, \
        NULL \
    }

/* Join the channels of up to four pictures, in any order; docs/numerics.md has the formula.
 * src: picture with the first channels; u8, u16, i16 or f32, 1 to 4 channels.
 * params->src2: picture with the next channels, of the same size and type; u8, u16, i16 or f32, 1 to 4 channels.
 * params->src3: picture with the next channels, likewise; u8, u16, i16 or f32, 1 to 4 channels.
 * params->src4: picture with the last channel, likewise; u8, u16, i16 or f32, 1 to 4 channels.
 * dst: all channels in this order, at most 4; those that order names; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_merge(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_merge_params *params, gpufilter_error *err)
{
    gpufilter_merge_params p = GPUFILTER_MERGE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_merge_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MERGE_ORDER, 4, p.order},
    };
    gpufilter_view operands[4] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.src2 != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.src2;
    }
    if (p.src3 != NULL) {
        inputs[2].from = GPUFILTER_FROM_OPERAND;
        inputs[2].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.src3;
    }
    if (p.src4 != NULL) {
        inputs[3].from = GPUFILTER_FROM_OPERAND;
        inputs[3].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.src4;
    }
    const gpufilter_step step = {GPUFILTER_OP_MERGE, 4, inputs, settings, 1};
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

/* Parameters of normalize. Begin with GPUFILTER_NORMALIZE_INIT. */
typedef struct gpufilter_normalize_params {
    uint32_t struct_size;
    /* What is subtracted: one number, or one per channel; finite. Default 0. */
    float mean[4];
    /* What is divided by: one number, or one per channel; 1.1754944e-38 or more. Default 1. */
    float std[4];
    /* Full: samples of integers are first divided by their maximum; enum gpufilter_range. Default GPUFILTER_RANGE_VALUE. */
    uint32_t range;
} gpufilter_normalize_params;

#define GPUFILTER_NORMALIZE_INIT \
    { \
        sizeof(gpufilter_normalize_params), \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        {1.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_RANGE_VALUE \
    }

/* Subtract a mean from each channel and divide by a deviation; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16 or f32, 1 to 4 channels.
 * dst: f32, as many channels, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_normalize(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_normalize_params *params, gpufilter_error *err)
{
    gpufilter_normalize_params p = GPUFILTER_NORMALIZE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_normalize_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_NORMALIZE_MEAN, 4, p.mean},
        {GPUFILTER_NORMALIZE_STD, 4, p.std},
        {GPUFILTER_NORMALIZE_RANGE, 1, &p.range},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_NORMALIZE, 1, inputs, settings, 3};
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

/* Parameters of nv12. Begin with GPUFILTER_NV12_INIT. */
typedef struct gpufilter_nv12_params {
    uint32_t struct_size;
    /* Weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Numbers that stand for black and white; enum gpufilter_video_range. Default GPUFILTER_VIDEO_RANGE_VIDEO. */
    uint32_t range;
} gpufilter_nv12_params;

#define GPUFILTER_NV12_INIT \
    { \
        sizeof(gpufilter_nv12_params), \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        GPUFILTER_VIDEO_RANGE_VIDEO \
    }

/* RGB to the planes of NV12: Y, and of half the sides Cb and Cr; docs/numerics.md has the formula.
 * src: picture of 3 channels: red, green, blue; u8, u16 or f32, 1 to 4 channels.
 * y: luma, of the size and type of the picture, 1 channel; data NULL: allocated by the library.
 * uv: Cb and Cr, 2 channels, each of 2x2 pixels; odd sides are rounded up; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_nv12(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *y, gpufilter_view *uv, const gpufilter_nv12_params *params, gpufilter_error *err)
{
    gpufilter_nv12_params p = GPUFILTER_NV12_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_nv12_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_NV12_STANDARD, 1, &p.standard},
        {GPUFILTER_NV12_RANGE, 1, &p.range},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_NV12, 1, inputs, settings, 2};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*y, 0, 0}, {*uv, 0, 1}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 2, err);
    if (status != GPUFILTER_OK)
        return status;
    *y = results[0].view;
    *uv = results[1].view;
    return status;
}

/* Parameters of i420. Begin with GPUFILTER_I420_INIT. */
typedef struct gpufilter_i420_params {
    uint32_t struct_size;
    /* Weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Numbers that stand for black and white; enum gpufilter_video_range. Default GPUFILTER_VIDEO_RANGE_VIDEO. */
    uint32_t range;
} gpufilter_i420_params;

#define GPUFILTER_I420_INIT \
    { \
        sizeof(gpufilter_i420_params), \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        GPUFILTER_VIDEO_RANGE_VIDEO \
    }

/* RGB to the planes of I420: Y, and of half the sides Cb and Cr apart; docs/numerics.md has the formula.
 * src: picture of 3 channels: red, green, blue; u8, u16 or f32, 1 to 4 channels.
 * y: luma, of the size and type of the picture, 1 channel; data NULL: allocated by the library.
 * u: Cb, each of 2x2 pixels; odd sides are rounded up; data NULL: allocated by the library.
 * v: Cr, likewise; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_i420(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *y, gpufilter_view *u, gpufilter_view *v, const gpufilter_i420_params *params, gpufilter_error *err)
{
    gpufilter_i420_params p = GPUFILTER_I420_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_i420_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_I420_STANDARD, 1, &p.standard},
        {GPUFILTER_I420_RANGE, 1, &p.range},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_I420, 1, inputs, settings, 2};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*y, 0, 0}, {*u, 0, 1}, {*v, 0, 2}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 3, err);
    if (status != GPUFILTER_OK)
        return status;
    *y = results[0].view;
    *u = results[1].view;
    *v = results[2].view;
    return status;
}

/* Parameters of rgb420. Begin with GPUFILTER_RGB420_INIT. */
typedef struct gpufilter_rgb420_params {
    uint32_t struct_size;
    /* Weights of red, green and blue; enum gpufilter_colour_standard. Default GPUFILTER_COLOUR_STANDARD_BT601. */
    uint32_t standard;
    /* Numbers that stand for black and white; enum gpufilter_video_range. Default GPUFILTER_VIDEO_RANGE_VIDEO. */
    uint32_t range;
    const gpufilter_view *cr; /* of I420 Cr, like Cb; NULL: left out */
} gpufilter_rgb420_params;

#define GPUFILTER_RGB420_INIT \
    { \
        sizeof(gpufilter_rgb420_params), \
        GPUFILTER_COLOUR_STANDARD_BT601, \
        GPUFILTER_VIDEO_RANGE_VIDEO, \
        NULL \
    }

/* Planes of NV12 or I420 (YCbCr 4:2:0) to RGB; docs/numerics.md has the formula.
 * src: Y, 1 channel; u8, u16 or f32, 1 to 4 channels.
 * chroma: Cb and Cr, 2 channels, of half the sides rounded up; of I420 Cb; u8, u16 or f32, 1 to 4 channels.
 * params->cr: of I420 Cr, like Cb; u8, u16 or f32, 1 to 4 channels.
 * dst: red, green, blue, of the size of Y; type of src, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_rgb420(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *chroma,
    gpufilter_view *dst, const gpufilter_rgb420_params *params, gpufilter_error *err)
{
    gpufilter_rgb420_params p = GPUFILTER_RGB420_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_rgb420_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_RGB420_STANDARD, 1, &p.standard},
        {GPUFILTER_RGB420_RANGE, 1, &p.range},
    };
    gpufilter_view operands[3] = {*src, *chroma};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 2;
    if (p.cr != NULL) {
        inputs[2].from = GPUFILTER_FROM_OPERAND;
        inputs[2].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.cr;
    }
    const gpufilter_step step = {GPUFILTER_OP_RGB420, 3, inputs, settings, 2};
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

/* Parameters of median. Begin with GPUFILTER_MEDIAN_INIT. */
typedef struct gpufilter_median_params {
    uint32_t struct_size;
    /* Side of the window in pixels, one or WxH; 1..255. Default 3. */
    uint32_t size[2];
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
} gpufilter_median_params;

#define GPUFILTER_MEDIAN_INIT \
    { \
        sizeof(gpufilter_median_params), \
        {3, GPUFILTER_UNSET_U32}, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32} \
    }

/* Median of a window; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: the middle sample of each window; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_median(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_median_params *params, gpufilter_error *err)
{
    gpufilter_median_params p = GPUFILTER_MEDIAN_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_median_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MEDIAN_SIZE, 2, p.size},
        {GPUFILTER_MEDIAN_BORDER, 1, &p.border},
        {GPUFILTER_MEDIAN_BORDER_VALUE, 4, p.border_value},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_MEDIAN, 1, inputs, settings, 3};
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

/* Parameters of rank. Begin with GPUFILTER_RANK_INIT. */
typedef struct gpufilter_rank_params {
    uint32_t struct_size;
    /* Whole number: 0 is the least sample, -1 the greatest; must be given; -65025..65024. Default GPUFILTER_UNSET_F32: not given. */
    float index;
    /* Side of the window in pixels, one or WxH; 1..255. Default 3. */
    uint32_t size[2];
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
} gpufilter_rank_params;

#define GPUFILTER_RANK_INIT \
    { \
        sizeof(gpufilter_rank_params), \
        GPUFILTER_UNSET_F32, \
        {3, GPUFILTER_UNSET_U32}, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32} \
    }

/* Sample of a given rank in a window; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: the sample of that rank of each window; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_rank(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_rank_params *params, gpufilter_error *err)
{
    gpufilter_rank_params p = GPUFILTER_RANK_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_rank_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_RANK_INDEX, 1, &p.index},
        {GPUFILTER_RANK_SIZE, 2, p.size},
        {GPUFILTER_RANK_BORDER, 1, &p.border},
        {GPUFILTER_RANK_BORDER_VALUE, 4, p.border_value},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_RANK, 1, inputs, settings, 4};
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

/* Parameters of percentile. Begin with GPUFILTER_PERCENTILE_INIT. */
typedef struct gpufilter_percentile_params {
    uint32_t struct_size;
    /* 0 is the least sample, 100 the greatest; must be given; 0..100. Default GPUFILTER_UNSET_F64: not given. */
    double percent;
    /* Side of the window in pixels, one or WxH; 1..255. Default 3. */
    uint32_t size[2];
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    float border_value[4];
} gpufilter_percentile_params;

#define GPUFILTER_PERCENTILE_INIT \
    { \
        sizeof(gpufilter_percentile_params), \
        GPUFILTER_UNSET_F64, \
        {3, GPUFILTER_UNSET_U32}, \
        GPUFILTER_BORDER_REPLICATE, \
        {0.0f, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32} \
    }

/* Percentile of a window; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: the sample at that percentile of each window; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_percentile(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_percentile_params *params, gpufilter_error *err)
{
    gpufilter_percentile_params p = GPUFILTER_PERCENTILE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_percentile_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_PERCENTILE_PERCENT, 1, &p.percent},
        {GPUFILTER_PERCENTILE_SIZE, 2, p.size},
        {GPUFILTER_PERCENTILE_BORDER, 1, &p.border},
        {GPUFILTER_PERCENTILE_BORDER_VALUE, 4, p.border_value},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_PERCENTILE, 1, inputs, settings, 4};
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

/* Parameters of sort. Begin with GPUFILTER_SORT_INIT. */
typedef struct gpufilter_sort_params {
    uint32_t struct_size;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* 1: from the largest to the smallest; 0..1. Default 0. */
    uint32_t descending;
} gpufilter_sort_params;

#define GPUFILTER_SORT_INIT \
    { \
        sizeof(gpufilter_sort_params), \
        GPUFILTER_AXIS_ALL, \
        0 \
    }

/* Sort every channel, row or column; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * dst: the samples in order; NaN last; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_sort(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_sort_params *params, gpufilter_error *err)
{
    gpufilter_sort_params p = GPUFILTER_SORT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_sort_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_SORT_AXIS, 1, &p.axis},
        {GPUFILTER_SORT_DESCENDING, 1, &p.descending},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SORT, 1, inputs, settings, 2};
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

/* Parameters of topk. Begin with GPUFILTER_TOPK_INIT. */
typedef struct gpufilter_topk_params {
    uint32_t struct_size;
    /* How many of each sequence; 1..4294967295. Default 1. */
    uint32_t k;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* 1: the smallest, ascending, not the largest, descending; 0..1. Default 0. */
    uint32_t smallest;
} gpufilter_topk_params;

#define GPUFILTER_TOPK_INIT \
    { \
        sizeof(gpufilter_topk_params), \
        1, \
        GPUFILTER_AXIS_ALL, \
        0 \
    }

/* The k largest or smallest of every channel, row or column; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * values: per sequence k samples in order; NaN last; data NULL: allocated by the library.
 * indices: where they stand in their sequence, from 0, u64; equal ones ascend; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_topk(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *values, gpufilter_view *indices, const gpufilter_topk_params *params, gpufilter_error *err)
{
    gpufilter_topk_params p = GPUFILTER_TOPK_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_topk_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_TOPK_K, 1, &p.k},
        {GPUFILTER_TOPK_AXIS, 1, &p.axis},
        {GPUFILTER_TOPK_SMALLEST, 1, &p.smallest},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_TOPK, 1, inputs, settings, 3};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*values, 0, 0}, {*indices, 0, 1}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 2, err);
    if (status != GPUFILTER_OK)
        return status;
    *values = results[0].view;
    *indices = results[1].view;
    return status;
}

/* Parameters of quantile. Begin with GPUFILTER_QUANTILE_INIT. */
typedef struct gpufilter_quantile_params {
    uint32_t struct_size;
    /* Shares of the elements below, up to four; 0.5: the median; 0..1. Default 0.5. */
    double q[4];
    /* Value where q lies between two elements; enum gpufilter_quantile_method. Default GPUFILTER_QUANTILE_METHOD_LINEAR. */
    uint32_t method;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* Treatment of NaN; enum gpufilter_nan. Default GPUFILTER_NAN_PROPAGATE. */
    uint32_t nan;
    const gpufilter_view *segments; /* offsets: each segment of a channel is a sequence of its own; NULL: left out */
} gpufilter_quantile_params;

#define GPUFILTER_QUANTILE_INIT \
    { \
        sizeof(gpufilter_quantile_params), \
        {0.5, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64, GPUFILTER_UNSET_F64}, \
        GPUFILTER_QUANTILE_METHOD_LINEAR, \
        GPUFILTER_AXIS_ALL, \
        GPUFILTER_NAN_PROPAGATE, \
        NULL \
    }

/* Exact quantiles (percentiles) of every channel, row or column; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * params->segments: offsets: each segment of a channel is a sequence of its own; u32, i32, u64 or i64, one row, one channel.
 * values: f64; of all and of rows a row of one per q, else a row per q; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_quantile(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *values, const gpufilter_quantile_params *params, gpufilter_error *err)
{
    gpufilter_quantile_params p = GPUFILTER_QUANTILE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_quantile_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_QUANTILE_Q, 4, p.q},
        {GPUFILTER_QUANTILE_METHOD, 1, &p.method},
        {GPUFILTER_QUANTILE_AXIS, 1, &p.axis},
        {GPUFILTER_QUANTILE_NAN, 1, &p.nan},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.segments != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.segments;
    }
    const gpufilter_step step = {GPUFILTER_OP_QUANTILE, 2, inputs, settings, 4};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*values, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, n_operands, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *values = results[0].view;
    return status;
}

/* Parameters of argsort. Begin with GPUFILTER_ARGSORT_INIT. */
typedef struct gpufilter_argsort_params {
    uint32_t struct_size;
    /* What forms a sequence; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* 1: from the largest sample to the smallest; 0..1. Default 0. */
    uint32_t descending;
} gpufilter_argsort_params;

#define GPUFILTER_ARGSORT_INIT \
    { \
        sizeof(gpufilter_argsort_params), \
        GPUFILTER_AXIS_ALL, \
        0 \
    }

/* Indices that sort every channel, row or column; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16, 1 to 4 channels.
 * indices: of the samples in order, each in its sequence from 0, u64; equal ones ascend; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_argsort(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *indices, const gpufilter_argsort_params *params, gpufilter_error *err)
{
    gpufilter_argsort_params p = GPUFILTER_ARGSORT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_argsort_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_ARGSORT_AXIS, 1, &p.axis},
        {GPUFILTER_ARGSORT_DESCENDING, 1, &p.descending},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_ARGSORT, 1, inputs, settings, 2};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*indices, 0, 0}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 1, err);
    if (status != GPUFILTER_OK)
        return status;
    *indices = results[0].view;
    return status;
}

/* Parameters of erode. Begin with GPUFILTER_ERODE_INIT. */
typedef struct gpufilter_erode_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_erode_params;

#define GPUFILTER_ERODE_INIT \
    { \
        sizeof(gpufilter_erode_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Minimum under a structuring element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: eroded picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_erode(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_erode_params *params, gpufilter_error *err)
{
    gpufilter_erode_params p = GPUFILTER_ERODE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_erode_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_ERODE_SIZE, 2, p.size},
        {GPUFILTER_ERODE_SHAPE, 1, &p.shape},
        {GPUFILTER_ERODE_ANCHOR, 2, p.anchor},
        {GPUFILTER_ERODE_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_ERODE_BORDER, 1, &p.border},
        {GPUFILTER_ERODE_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_ERODE_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_ERODE, 2, inputs, settings, 7};
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

/* Parameters of dilate. Begin with GPUFILTER_DILATE_INIT. */
typedef struct gpufilter_dilate_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_dilate_params;

#define GPUFILTER_DILATE_INIT \
    { \
        sizeof(gpufilter_dilate_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Maximum under a structuring element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: dilated picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_dilate(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_dilate_params *params, gpufilter_error *err)
{
    gpufilter_dilate_params p = GPUFILTER_DILATE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_dilate_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_DILATE_SIZE, 2, p.size},
        {GPUFILTER_DILATE_SHAPE, 1, &p.shape},
        {GPUFILTER_DILATE_ANCHOR, 2, p.anchor},
        {GPUFILTER_DILATE_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_DILATE_BORDER, 1, &p.border},
        {GPUFILTER_DILATE_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_DILATE_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_DILATE, 2, inputs, settings, 7};
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

/* Parameters of opening. Begin with GPUFILTER_OPENING_INIT. */
typedef struct gpufilter_opening_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_opening_params;

#define GPUFILTER_OPENING_INIT \
    { \
        sizeof(gpufilter_opening_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Erode, then dilate: removes what is brighter and smaller than the element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: opened picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_opening(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_opening_params *params, gpufilter_error *err)
{
    gpufilter_opening_params p = GPUFILTER_OPENING_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_opening_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_OPENING_SIZE, 2, p.size},
        {GPUFILTER_OPENING_SHAPE, 1, &p.shape},
        {GPUFILTER_OPENING_ANCHOR, 2, p.anchor},
        {GPUFILTER_OPENING_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_OPENING_BORDER, 1, &p.border},
        {GPUFILTER_OPENING_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_OPENING_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_OPENING, 2, inputs, settings, 7};
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

/* Parameters of closing. Begin with GPUFILTER_CLOSING_INIT. */
typedef struct gpufilter_closing_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_closing_params;

#define GPUFILTER_CLOSING_INIT \
    { \
        sizeof(gpufilter_closing_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Dilate, then erode: fills what is darker and smaller than the element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: closed picture; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_closing(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_closing_params *params, gpufilter_error *err)
{
    gpufilter_closing_params p = GPUFILTER_CLOSING_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_closing_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CLOSING_SIZE, 2, p.size},
        {GPUFILTER_CLOSING_SHAPE, 1, &p.shape},
        {GPUFILTER_CLOSING_ANCHOR, 2, p.anchor},
        {GPUFILTER_CLOSING_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_CLOSING_BORDER, 1, &p.border},
        {GPUFILTER_CLOSING_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_CLOSING_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_CLOSING, 2, inputs, settings, 7};
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

/* Parameters of gradient. Begin with GPUFILTER_GRADIENT_INIT. */
typedef struct gpufilter_gradient_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_gradient_params;

#define GPUFILTER_GRADIENT_INIT \
    { \
        sizeof(gpufilter_gradient_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Dilated minus eroded picture: outlines; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: outlines; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_gradient(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_gradient_params *params, gpufilter_error *err)
{
    gpufilter_gradient_params p = GPUFILTER_GRADIENT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_gradient_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_GRADIENT_SIZE, 2, p.size},
        {GPUFILTER_GRADIENT_SHAPE, 1, &p.shape},
        {GPUFILTER_GRADIENT_ANCHOR, 2, p.anchor},
        {GPUFILTER_GRADIENT_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_GRADIENT_BORDER, 1, &p.border},
        {GPUFILTER_GRADIENT_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_GRADIENT_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_GRADIENT, 2, inputs, settings, 7};
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

/* Parameters of tophat. Begin with GPUFILTER_TOPHAT_INIT. */
typedef struct gpufilter_tophat_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_tophat_params;

#define GPUFILTER_TOPHAT_INIT \
    { \
        sizeof(gpufilter_tophat_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Picture minus its opening: what is brighter and smaller than the element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: what the opening removed; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_tophat(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_tophat_params *params, gpufilter_error *err)
{
    gpufilter_tophat_params p = GPUFILTER_TOPHAT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_tophat_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_TOPHAT_SIZE, 2, p.size},
        {GPUFILTER_TOPHAT_SHAPE, 1, &p.shape},
        {GPUFILTER_TOPHAT_ANCHOR, 2, p.anchor},
        {GPUFILTER_TOPHAT_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_TOPHAT_BORDER, 1, &p.border},
        {GPUFILTER_TOPHAT_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_TOPHAT_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_TOPHAT, 2, inputs, settings, 7};
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

/* Parameters of blackhat. Begin with GPUFILTER_BLACKHAT_INIT. */
typedef struct gpufilter_blackhat_params {
    uint32_t struct_size;
    /* Sides of the element in pixels, one or WxH; default: 3; 1..255. */
    uint32_t size[2];
    /* Form of the element; enum gpufilter_element_shape. Default GPUFILTER_ELEMENT_SHAPE_RECT. */
    uint32_t shape;
    /* X,y of the element's origin; default: the centre, rounded down; 0..254. */
    uint32_t anchor[2];
    /* How often in succession; 1..255. Default 1. */
    uint32_t iterations;
    /* Pixels outside the image; constant without a border_value: left out; enum gpufilter_border. Default GPUFILTER_BORDER_CONSTANT. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. */
    float border_value[4];
    /* Use of the alpha channel; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    const gpufilter_view *mask; /* element of any form, row by row: what is not 0 belongs to it; NULL: left out */
} gpufilter_blackhat_params;

#define GPUFILTER_BLACKHAT_INIT \
    { \
        sizeof(gpufilter_blackhat_params), \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        GPUFILTER_ELEMENT_SHAPE_RECT, \
        {GPUFILTER_UNSET_U32, GPUFILTER_UNSET_U32}, \
        1, \
        GPUFILTER_BORDER_CONSTANT, \
        {GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F32}, \
        GPUFILTER_ALPHA_AUTO, \
        NULL \
    }

/* Closing minus the picture: what is darker and smaller than the element; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * params->mask: element of any form, row by row: what is not 0 belongs to it; f32, one channel.
 * dst: what the closing filled; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_blackhat(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_blackhat_params *params, gpufilter_error *err)
{
    gpufilter_blackhat_params p = GPUFILTER_BLACKHAT_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_blackhat_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_BLACKHAT_SIZE, 2, p.size},
        {GPUFILTER_BLACKHAT_SHAPE, 1, &p.shape},
        {GPUFILTER_BLACKHAT_ANCHOR, 2, p.anchor},
        {GPUFILTER_BLACKHAT_ITERATIONS, 1, &p.iterations},
        {GPUFILTER_BLACKHAT_BORDER, 1, &p.border},
        {GPUFILTER_BLACKHAT_BORDER_VALUE, 4, p.border_value},
        {GPUFILTER_BLACKHAT_ALPHA, 1, &p.alpha},
    };
    gpufilter_view operands[2] = {*src};
    gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_NOTHING, 0, 0}};
    uint32_t n_operands = 1;
    if (p.mask != NULL) {
        inputs[1].from = GPUFILTER_FROM_OPERAND;
        inputs[1].index = (uint16_t)n_operands;
        operands[n_operands++] = *p.mask;
    }
    const gpufilter_step step = {GPUFILTER_OP_BLACKHAT, 2, inputs, settings, 7};
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

/* Parameters of label. Begin with GPUFILTER_LABEL_INIT. */
typedef struct gpufilter_label_params {
    uint32_t struct_size;
    /* Neighbours that are in the same part; enum gpufilter_connectivity. Default GPUFILTER_CONNECTIVITY_4. */
    uint32_t connectivity;
    /* Capacity of areas and boxes in parts; 0: all that there can be; 0..4294967295. Default 0. */
    uint32_t capacity;
} gpufilter_label_params;

#define GPUFILTER_LABEL_INIT \
    { \
        sizeof(gpufilter_label_params), \
        GPUFILTER_CONNECTIVITY_4, \
        0 \
    }

/* Number the connected parts of a picture; docs/numerics.md has the formula.
 * src: picture of one channel; what is not 0 is foreground; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * labels: the number of each pixel's part, from 1, u32; 0 for background; data NULL: allocated by the library.
 * areas: pixels of each part, u32; then 0; data NULL: allocated by the library.
 * boxes: least x, least y, width and height of each part, u32; then 0; data NULL: allocated by the library.
 * count: the number of parts, also beyond the capacity, u64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_label(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *labels, gpufilter_view *areas, gpufilter_view *boxes, gpufilter_view *count, const gpufilter_label_params *params, gpufilter_error *err)
{
    gpufilter_label_params p = GPUFILTER_LABEL_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_label_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_LABEL_CONNECTIVITY, 1, &p.connectivity},
        {GPUFILTER_LABEL_CAPACITY, 1, &p.capacity},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_LABEL, 1, inputs, settings, 2};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*labels, 0, 0}, {*areas, 0, 1}, {*boxes, 0, 2}, {*count, 0, 3}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 4, err);
    if (status != GPUFILTER_OK)
        return status;
    *labels = results[0].view;
    *areas = results[1].view;
    *boxes = results[2].view;
    *count = results[3].view;
    return status;
}

/* Parameters of distance. Begin with GPUFILTER_DISTANCE_INIT. */
typedef struct gpufilter_distance_params {
    uint32_t struct_size;
    /* 1: the square of the distance, a whole number; 0..1. Default 0. */
    uint32_t squared;
} gpufilter_distance_params;

#define GPUFILTER_DISTANCE_INIT \
    { \
        sizeof(gpufilter_distance_params), \
        0 \
    }

/* Distance of each pixel to the nearest 0; docs/numerics.md has the formula.
 * src: picture of one channel; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: Euclidean distance in pixels, f32; squared: u32; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_distance(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_distance_params *params, gpufilter_error *err)
{
    gpufilter_distance_params p = GPUFILTER_DISTANCE_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_distance_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_DISTANCE_SQUARED, 1, &p.squared},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_DISTANCE, 1, inputs, settings, 1};
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

/* Parameters of canny. Begin with GPUFILTER_CANNY_INIT. */
typedef struct gpufilter_canny_params {
    uint32_t struct_size;
    /* Magnitude above which what is connected to an edge is one; 0..1000000000. Default 100. */
    double low;
    /* Magnitude above which an edge begins, low or more; 0..1000000000. Default 200. */
    double high;
    /* Side of the Sobel masks; enum gpufilter_aperture. Default GPUFILTER_APERTURE_3. */
    uint32_t aperture;
    /* 1: magnitudes are lengths of gradients; 0: sums of both parts; 0..1. Default 0. */
    uint32_t l2;
} gpufilter_canny_params;

#define GPUFILTER_CANNY_INIT \
    { \
        sizeof(gpufilter_canny_params), \
        100.0, \
        200.0, \
        GPUFILTER_APERTURE_3, \
        0 \
    }

/* Find edges: thin lines of great gradients, and what is connected to them; docs/numerics.md has the formula.
 * src: picture; u8, u16 or i16, 1 to 4 channels.
 * dst: 255 on edges, else 0, one channel of u8, its width and height; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_canny(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_canny_params *params, gpufilter_error *err)
{
    gpufilter_canny_params p = GPUFILTER_CANNY_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_canny_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_CANNY_LOW, 1, &p.low},
        {GPUFILTER_CANNY_HIGH, 1, &p.high},
        {GPUFILTER_CANNY_APERTURE, 1, &p.aperture},
        {GPUFILTER_CANNY_L2, 1, &p.l2},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_CANNY, 1, inputs, settings, 4};
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

/* Parameters of match. Begin with GPUFILTER_MATCH_INIT. */
typedef struct gpufilter_match_params {
    uint32_t struct_size;
    /* What a score is; enum gpufilter_match_method. Default GPUFILTER_MATCH_METHOD_CCOEFF. */
    uint32_t method;
    /* Peaks that found has room for; 1..4096. Default 1. */
    uint32_t peaks;
    /* The worst score of a peak; default: any; -1..1. Default GPUFILTER_UNSET_F32: not given. */
    float threshold;
} gpufilter_match_params;

#define GPUFILTER_MATCH_INIT \
    { \
        sizeof(gpufilter_match_params), \
        GPUFILTER_MATCH_METHOD_CCOEFF, \
        1, \
        GPUFILTER_UNSET_F32 \
    }

/* Find a smaller picture in a picture; docs/numerics.md has the formula.
 * src: picture; u8, 1 to 4 channels.
 * templ: what is looked for, with as many channels, no larger than src; u8, 1 to 4 channels.
 * scores: how alike templ and the pixels under it are, its top left at each place, f32; data NULL: allocated by the library.
 * found: x, y and score of each of the best peaks, f64; then NaN; data NULL: allocated by the library.
 * count: the number of peaks, also beyond those in found, u64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_match(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *templ,
    gpufilter_view *scores, gpufilter_view *found, gpufilter_view *count, const gpufilter_match_params *params, gpufilter_error *err)
{
    gpufilter_match_params p = GPUFILTER_MATCH_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_match_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_MATCH_METHOD, 1, &p.method},
        {GPUFILTER_MATCH_PEAKS, 1, &p.peaks},
        {GPUFILTER_MATCH_THRESHOLD, 1, &p.threshold},
    };
    const gpufilter_view operands[2] = {*src, *templ};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}, {GPUFILTER_FROM_OPERAND, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_MATCH, 2, inputs, settings, 3};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*scores, 0, 0}, {*found, 0, 1}, {*count, 0, 2}};
    const int status = gpufilter_run(client, &program, operands, 2, results, 3, err);
    if (status != GPUFILTER_OK)
        return status;
    *scores = results[0].view;
    *found = results[1].view;
    *count = results[2].view;
    return status;
}

/* Parameters of pyramid. Begin with GPUFILTER_PYRAMID_INIT. */
typedef struct gpufilter_pyramid_params {
    uint32_t struct_size;
    /* How many times; each level is made of the one before as it is stored; 1..16. Default 1. */
    uint32_t level;
    /* Whether the picture becomes smaller or larger; enum gpufilter_pyramid_direction. Default GPUFILTER_PYRAMID_DIRECTION_DOWN. */
    uint32_t direction;
    /* Pixels outside the image; up: reflect101 alone; enum gpufilter_border: replicate, wrap, reflect or reflect101. Default GPUFILTER_BORDER_REFLECT101. */
    uint32_t border;
} gpufilter_pyramid_params;

#define GPUFILTER_PYRAMID_INIT \
    { \
        sizeof(gpufilter_pyramid_params), \
        1, \
        GPUFILTER_PYRAMID_DIRECTION_DOWN, \
        GPUFILTER_BORDER_REFLECT101 \
    }

/* Halve a picture, or double it, as pyramids of pictures do; docs/numerics.md has the formula.
 * src: picture; u8, u16, i16, f32 or f16, 1 to 4 channels.
 * dst: the level of the pyramid: sides halved, rounded up, or doubled, so many times; type of src; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_pyramid(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_pyramid_params *params, gpufilter_error *err)
{
    gpufilter_pyramid_params p = GPUFILTER_PYRAMID_INIT;
    if (params != NULL) {
        const int taken = gpufilter_take_params(&p, sizeof(p), params, "gpufilter_pyramid_params", err);
        if (taken != GPUFILTER_OK)
            return taken;
    }
    const gpufilter_param settings[] = {
        {GPUFILTER_PYRAMID_LEVEL, 1, &p.level},
        {GPUFILTER_PYRAMID_DIRECTION, 1, &p.direction},
        {GPUFILTER_PYRAMID_BORDER, 1, &p.border},
    };
    const gpufilter_view operands[1] = {*src};
    const gpufilter_ref inputs[] = {{GPUFILTER_FROM_OPERAND, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_PYRAMID, 1, inputs, settings, 3};
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

/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
