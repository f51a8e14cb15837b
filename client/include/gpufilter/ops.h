/* SPDX-License-Identifier: MIT */
/*
 * One parameter struct and one call per operation, made of gpufilter_run: an operation adds no symbol.
 * Printed by client/gen_ops.c from the tables in protocol/; do not edit.
 */
#ifndef GPUFILTER_OPS_H
#define GPUFILTER_OPS_H

#include <string.h>

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* Parameters of correlate. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_correlate_params {
    uint32_t struct_size;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Added before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    uint32_t border_value_count; /* values given, 0 to 4 */
    float border_value[4];
    /* What the mask is divided by; enum gpufilter_normalize. Default GPUFILTER_NORMALIZE_NONE. */
    uint32_t normalize;
    /* X,y of the mask's origin; the centre, rounded down, if not given; 0 to 254. */
    uint32_t anchor_count; /* values given, 0 to 2 */
    uint32_t anchor[2];
    /* Size of the result; enum gpufilter_size. Default GPUFILTER_SIZE_SAME. */
    uint32_t size;
    /* What the alpha channel does; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_correlate_params;

#define GPUFILTER_CORRELATE_INIT \
    { \
        sizeof(gpufilter_correlate_params), \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        1, {0.0f, 0.0f, 0.0f, 0.0f}, \
        GPUFILTER_NORMALIZE_NONE, \
        0, {0, 0}, \
        GPUFILTER_SIZE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Correlate with a mask; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * mask: mask, row by row; f32, one channel.
 * dst: filtered picture; type of src, its shape, or less by the mask with size VALID; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_correlate(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *mask,
    gpufilter_view *dst, const gpufilter_correlate_params *params, gpufilter_error *err)
{
    gpufilter_correlate_params p = GPUFILTER_CORRELATE_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_CORRELATE_SCALE, 1, &p.scale},
        {GPUFILTER_CORRELATE_OFFSET, 1, &p.offset},
        {GPUFILTER_CORRELATE_BORDER, 1, &p.border},
        {GPUFILTER_CORRELATE_BORDER_VALUE, p.border_value_count, p.border_value},
        {GPUFILTER_CORRELATE_NORMALIZE, 1, &p.normalize},
        {GPUFILTER_CORRELATE_ANCHOR, p.anchor_count, p.anchor},
        {GPUFILTER_CORRELATE_SIZE, 1, &p.size},
        {GPUFILTER_CORRELATE_ALPHA, 1, &p.alpha},
        {GPUFILTER_CORRELATE_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[] = {*src, *mask};
    const gpufilter_ref inputs[] = {{0, 0, 0}, {0, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CORRELATE, 2, inputs, values, 9};
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

/* Parameters of convolve. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_convolve_params {
    uint32_t struct_size;
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Added before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    uint32_t border_value_count; /* values given, 0 to 4 */
    float border_value[4];
    /* What the mask is divided by; enum gpufilter_normalize. Default GPUFILTER_NORMALIZE_NONE. */
    uint32_t normalize;
    /* X,y of the mask's origin; the centre, rounded down, if not given; 0 to 254. */
    uint32_t anchor_count; /* values given, 0 to 2 */
    uint32_t anchor[2];
    /* Size of the result; enum gpufilter_size. Default GPUFILTER_SIZE_SAME. */
    uint32_t size;
    /* What the alpha channel does; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_convolve_params;

#define GPUFILTER_CONVOLVE_INIT \
    { \
        sizeof(gpufilter_convolve_params), \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        1, {0.0f, 0.0f, 0.0f, 0.0f}, \
        GPUFILTER_NORMALIZE_NONE, \
        0, {0, 0}, \
        GPUFILTER_SIZE_SAME, \
        GPUFILTER_ALPHA_AUTO, \
        GPUFILTER_LIGHT_ENCODED \
    }

/* Convolve with a mask; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * mask: mask, row by row; f32, one channel.
 * dst: filtered picture; type of src, its shape, or less by the mask with size VALID; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_convolve(gpufilter_client *client, const gpufilter_view *src, const gpufilter_view *mask,
    gpufilter_view *dst, const gpufilter_convolve_params *params, gpufilter_error *err)
{
    gpufilter_convolve_params p = GPUFILTER_CONVOLVE_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_CONVOLVE_SCALE, 1, &p.scale},
        {GPUFILTER_CONVOLVE_OFFSET, 1, &p.offset},
        {GPUFILTER_CONVOLVE_BORDER, 1, &p.border},
        {GPUFILTER_CONVOLVE_BORDER_VALUE, p.border_value_count, p.border_value},
        {GPUFILTER_CONVOLVE_NORMALIZE, 1, &p.normalize},
        {GPUFILTER_CONVOLVE_ANCHOR, p.anchor_count, p.anchor},
        {GPUFILTER_CONVOLVE_SIZE, 1, &p.size},
        {GPUFILTER_CONVOLVE_ALPHA, 1, &p.alpha},
        {GPUFILTER_CONVOLVE_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[] = {*src, *mask};
    const gpufilter_ref inputs[] = {{0, 0, 0}, {0, 0, 1}};
    const gpufilter_step step = {GPUFILTER_OP_CONVOLVE, 2, inputs, values, 9};
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

/* Parameters of gaussian. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_gaussian_params {
    uint32_t struct_size;
    /* Standard deviation in pixels, one or x,y; 0 to 2047. Default 2. */
    uint32_t sigma_count; /* values given, 0 to 2 */
    float sigma[2];
    /* Radius of the mask in standard deviations; 0 to 64. Default 4. */
    float truncate;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    uint32_t border_value_count; /* values given, 0 to 4 */
    float border_value[4];
    /* What the alpha channel does; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_gaussian_params;

#define GPUFILTER_GAUSSIAN_INIT \
    { \
        sizeof(gpufilter_gaussian_params), \
        1, {2.0f, 0.0f}, \
        4.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        1, {0.0f, 0.0f, 0.0f, 0.0f}, \
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
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_GAUSSIAN_SIGMA, p.sigma_count, p.sigma},
        {GPUFILTER_GAUSSIAN_TRUNCATE, 1, &p.truncate},
        {GPUFILTER_GAUSSIAN_BORDER, 1, &p.border},
        {GPUFILTER_GAUSSIAN_BORDER_VALUE, p.border_value_count, p.border_value},
        {GPUFILTER_GAUSSIAN_ALPHA, 1, &p.alpha},
        {GPUFILTER_GAUSSIAN_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_GAUSSIAN, 1, inputs, values, 6};
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

/* Parameters of box. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_box_params {
    uint32_t struct_size;
    /* Side of the rectangle in pixels, one or WxH; 1 to 4095. Default 3. */
    uint32_t size_count; /* values given, 0 to 2 */
    uint32_t size[2];
    /* Factor before rounding; finite. Default 1. */
    float scale;
    /* Added before rounding, in sample units; finite. Default 0. */
    float offset;
    /* Pixels outside the image; enum gpufilter_border. Default GPUFILTER_BORDER_REPLICATE. */
    uint32_t border;
    /* One value or one per channel, for border constant; finite. Default 0. */
    uint32_t border_value_count; /* values given, 0 to 4 */
    float border_value[4];
    /* What the alpha channel does; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
    /* Scale on which samples are averaged; enum gpufilter_light. Default GPUFILTER_LIGHT_ENCODED. */
    uint32_t light;
} gpufilter_box_params;

#define GPUFILTER_BOX_INIT \
    { \
        sizeof(gpufilter_box_params), \
        1, {3, 0}, \
        1.0f, \
        0.0f, \
        GPUFILTER_BORDER_REPLICATE, \
        1, {0.0f, 0.0f, 0.0f, 0.0f}, \
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
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_BOX_SIZE, p.size_count, p.size},
        {GPUFILTER_BOX_SCALE, 1, &p.scale},
        {GPUFILTER_BOX_OFFSET, 1, &p.offset},
        {GPUFILTER_BOX_BORDER, 1, &p.border},
        {GPUFILTER_BOX_BORDER_VALUE, p.border_value_count, p.border_value},
        {GPUFILTER_BOX_ALPHA, 1, &p.alpha},
        {GPUFILTER_BOX_LIGHT, 1, &p.light},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_BOX, 1, inputs, values, 7};
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
