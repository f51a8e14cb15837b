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

/* Parameters of threshold. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_threshold_params {
    uint32_t struct_size;
    /* Where the limit comes from; enum gpufilter_threshold_mode. Default GPUFILTER_THRESHOLD_MODE_FIXED. */
    uint32_t mode;
    /* Samples above it become white, in sample units, for mode fixed; finite. Default 0. */
    float value;
    /* Bins over the range of the data, for mode otsu on f32; 2 to 65536. Default 256. */
    uint32_t bins;
    /* What the alpha channel does: auto and ignore copy it, or straight; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_threshold_params;

#define GPUFILTER_THRESHOLD_INIT \
    { \
        sizeof(gpufilter_threshold_params), \
        GPUFILTER_THRESHOLD_MODE_FIXED, \
        0.0f, \
        256, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Black or white by a limit; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: colours of 0 or the greatest sample (f32: 1); type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_threshold(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_threshold_params *params, gpufilter_error *err)
{
    gpufilter_threshold_params p = GPUFILTER_THRESHOLD_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_THRESHOLD_MODE, 1, &p.mode},
        {GPUFILTER_THRESHOLD_VALUE, 1, &p.value},
        {GPUFILTER_THRESHOLD_BINS, 1, &p.bins},
        {GPUFILTER_THRESHOLD_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_THRESHOLD, 1, inputs, values, 4};
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

/* Parameters of equalize. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_equalize_params {
    uint32_t struct_size;
    /* What the alpha channel does: auto and ignore copy it, or straight; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_equalize_params;

#define GPUFILTER_EQUALIZE_INIT \
    { \
        sizeof(gpufilter_equalize_params), \
        GPUFILTER_ALPHA_AUTO \
    }

/* Equalize the histogram of each colour; docs/numerics.md has the formula.
 * src: picture; u8 or u16, 1 to 4 channels.
 * dst: picture of even tones; type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_equalize(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_equalize_params *params, gpufilter_error *err)
{
    gpufilter_equalize_params p = GPUFILTER_EQUALIZE_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_EQUALIZE_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_EQUALIZE, 1, inputs, values, 1};
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

/* Parameters of autocontrast. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_autocontrast_params {
    uint32_t struct_size;
    /* What NaN does to the range of its colour; enum gpufilter_nan. Default GPUFILTER_NAN_OMIT. */
    uint32_t nan;
    /* What the alpha channel does: auto and ignore copy it, or straight; enum gpufilter_alpha. Default GPUFILTER_ALPHA_AUTO. */
    uint32_t alpha;
} gpufilter_autocontrast_params;

#define GPUFILTER_AUTOCONTRAST_INIT \
    { \
        sizeof(gpufilter_autocontrast_params), \
        GPUFILTER_NAN_OMIT, \
        GPUFILTER_ALPHA_AUTO \
    }

/* Stretch each colour over the whole range; docs/numerics.md has the formula.
 * src: picture; u8, u16 or f32, 1 to 4 channels.
 * dst: picture from 0 to the greatest sample (f32: 1); type of src, its shape; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_autocontrast(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *dst, const gpufilter_autocontrast_params *params, gpufilter_error *err)
{
    gpufilter_autocontrast_params p = GPUFILTER_AUTOCONTRAST_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_AUTOCONTRAST_NAN, 1, &p.nan},
        {GPUFILTER_AUTOCONTRAST_ALPHA, 1, &p.alpha},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_AUTOCONTRAST, 1, inputs, values, 2};
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

/* Parameters of histogram. Begin with GPUFILTER_..._INIT. */
typedef struct gpufilter_histogram_params {
    uint32_t struct_size;
    /* Number of bins; 0: one per value of u8 and u16; 0 to 16777216. Default 0. */
    uint32_t bins;
    /* Where the first bin begins; finite. Default 0. */
    double lo;
    /* Where the last bin ends; finite. Default 0. */
    double hi;
    /* What the bins cover; enum gpufilter_hist_range. Default GPUFILTER_HIST_RANGE_AUTO. */
    uint32_t range;
    /* What is counted; enum gpufilter_channels. Default GPUFILTER_CHANNELS_EACH. */
    uint32_t channels;
    /* 1: the last bin takes hi itself; 0 to 1. Default 0. */
    uint32_t last_closed;
    /* 1: each bin counts those before it too; 0 to 1. Default 0. */
    uint32_t cumulative;
    /* 1: shares per unit of the sample; cumulative: shares; 0 to 1. Default 0. */
    uint32_t density;
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
        0 \
    }

/* Count samples by value; docs/numerics.md has the formula.
 * src: picture or array; u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64, 1 to 4 channels.
 * counts: a row of bins per channel, u64; with density f64; data NULL: allocated by the library.
 * outside: a row per channel: samples below, above, and NaN, u64; data NULL: allocated by the library.
 * edges: where bins begin and the last one ends, f64; data NULL: allocated by the library.
 * params: NULL takes every default. Returns, errors and err: as gpufilter_run. */
static inline int gpufilter_histogram(gpufilter_client *client, const gpufilter_view *src,
    gpufilter_view *counts, gpufilter_view *outside, gpufilter_view *edges, const gpufilter_histogram_params *params, gpufilter_error *err)
{
    gpufilter_histogram_params p = GPUFILTER_HISTOGRAM_INIT;
    if (params != NULL)
        memcpy(&p, params, params->struct_size < sizeof(p) ? params->struct_size : sizeof(p));
    const gpufilter_param values[] = {
        {GPUFILTER_HISTOGRAM_BINS, 1, &p.bins},
        {GPUFILTER_HISTOGRAM_LO, 1, &p.lo},
        {GPUFILTER_HISTOGRAM_HI, 1, &p.hi},
        {GPUFILTER_HISTOGRAM_RANGE, 1, &p.range},
        {GPUFILTER_HISTOGRAM_CHANNELS, 1, &p.channels},
        {GPUFILTER_HISTOGRAM_LAST_CLOSED, 1, &p.last_closed},
        {GPUFILTER_HISTOGRAM_CUMULATIVE, 1, &p.cumulative},
        {GPUFILTER_HISTOGRAM_DENSITY, 1, &p.density},
    };
    const gpufilter_view operands[] = {*src};
    const gpufilter_ref inputs[] = {{0, 0, 0}};
    const gpufilter_step step = {GPUFILTER_OP_HISTOGRAM, 1, inputs, values, 8};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    gpufilter_result results[] = {{*counts, 0, 0}, {*outside, 0, 1}, {*edges, 0, 2}};
    const int status = gpufilter_run(client, &program, operands, 1, results, 3, err);
    if (status != GPUFILTER_OK)
        return status;
    *counts = results[0].view;
    *outside = results[1].view;
    *edges = results[2].view;
    return status;
}

/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
