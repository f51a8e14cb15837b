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

/* Parameters of scan. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_scan_params {
    uint32_t struct_size;
    /* What combines the elements; enum gpufilter_scan_op. Default GPUFILTER_SCAN_OP_SUM. */
    uint32_t op;
    /* What one sequence is; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
    uint32_t axis;
    /* 1: each result leaves out its own element; 0 to 1. Default 0. */
    uint32_t exclusive;
    /* 1: from the last element to the first; 0 to 1. Default 0. */
    uint32_t reverse;
    /* Stands before the first element, with start=initial; finite. Default 0. */
    double initial;
    /* Type of the result; same is 64 bits for sums and products of integers; enum gpufilter_result_dtype. Default GPUFILTER_RESULT_DTYPE_SAME. */
    uint32_t dtype;
    /* What an integer result that does not fit its type does; enum gpufilter_overflow. Default GPUFILTER_OVERFLOW_ERROR. */
    uint32_t overflow;
    /* What a sequence starts from; enum gpufilter_start. Default GPUFILTER_START_FIRST. */
    uint32_t start;
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
        GPUFILTER_START_FIRST \
    }

/* Running sum, product, minimum or maximum; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * dst: the results so far, one per element; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_scan(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_scan_params *params, gpufilter_error *err)
{
    gpufilter_scan_params p = GPUFILTER_SCAN_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_SCAN_OP, 1, &p.op},
        {GPUFILTER_SCAN_AXIS, 1, &p.axis},
        {GPUFILTER_SCAN_EXCLUSIVE, 1, &p.exclusive},
        {GPUFILTER_SCAN_REVERSE, 1, &p.reverse},
        {GPUFILTER_SCAN_INITIAL, 1, &p.initial},
        {GPUFILTER_SCAN_DTYPE, 1, &p.dtype},
        {GPUFILTER_SCAN_OVERFLOW, 1, &p.overflow},
        {GPUFILTER_SCAN_START, 1, &p.start},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_SCAN, 1, inputs, values, 8};
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

/* Parameters of recurrence. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_recurrence_params {
    uint32_t struct_size;
    /* Factor of the result before; above 1 in magnitude it may overflow; finite. Default 1. */
    double a;
    /* Factor of the element; finite. Default 1. */
    double b;
    /* The result before the first element, with start=initial; finite. Default 0. */
    double initial;
    /* What a sequence starts from; enum gpufilter_start. Default GPUFILTER_START_FIRST. */
    uint32_t start;
    /* What one sequence is; enum gpufilter_axis. Default GPUFILTER_AXIS_ALL. */
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
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_RECURRENCE_A, 1, &p.a},
        {GPUFILTER_RECURRENCE_B, 1, &p.b},
        {GPUFILTER_RECURRENCE_INITIAL, 1, &p.initial},
        {GPUFILTER_RECURRENCE_START, 1, &p.start},
        {GPUFILTER_RECURRENCE_AXIS, 1, &p.axis},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_RECURRENCE, 1, inputs, values, 5};
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

/* Parameters of integral. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_integral_params {
    uint32_t struct_size;
    /* 1: of the samples' squares; 0 to 1. Default 0. */
    uint32_t square;
    /* 1: a row and a column of zeros come first; 0 to 1. Default 0. */
    uint32_t pad;
    /* Type of the sums; same holds every sum: u32 or u64, f64 for f32; enum gpufilter_result_dtype. Default GPUFILTER_RESULT_DTYPE_SAME. */
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
 * dst: sums, each with its own pixel; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_integral(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_integral_params *params, gpufilter_error *err)
{
    gpufilter_integral_params p = GPUFILTER_INTEGRAL_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_INTEGRAL_SQUARE, 1, &p.square},
        {GPUFILTER_INTEGRAL_PAD, 1, &p.pad},
        {GPUFILTER_INTEGRAL_DTYPE, 1, &p.dtype},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_INTEGRAL, 1, inputs, values, 3};
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
