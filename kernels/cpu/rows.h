/* SPDX-License-Identifier: MIT */
/*
 * The inner loops: lines of interleaved f32 samples. The same sources (row_*.c) are compiled once per instruction set
 * and give the same bits; rows.c picks a table at run time.
 */
#ifndef GF_KERNELS_CPU_ROWS_H
#define GF_KERNELS_CPU_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/limits.h"
#include "scan_rows.h"

/* Lines start at multiples of this many floats and have room for their samples rounded up to it. */
#define GF_LINE_ALIGN 16u

/* How source samples become f32. */
struct gf_cpu_source {
    uint32_t dtype, channels;
    const float *decode; /* linear light; NULL: values as they are */
    bool premultiply;
    float border[GF_MAX_CHANNELS]; /* a pixel of a constant border, decoded */
};

/* How sums become result samples. */
struct gf_cpu_target {
    uint32_t dtype, channels;
    float scale, offset;
    float max; /* greatest sample; alpha is clamped to it */
    bool unpremultiply;
    bool copy_alpha;
    const float *encode;         /* linear light; NULL: values as they are */
    const int32_t *encode_guess; /* light_guess.h, where encode is set */
};

struct gf_cpu_rows {
    const char *name; /* "avx512", "avx2", "generic" */
    const struct gf_cpu_scan_rows *scan;

    /* Converts and decodes pixels, at any address. */
    void (*load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
    /* Multiplies colours by alpha; channels is 2 or 4. The line has room for its samples rounded up. */
    void (*premultiply)(float *line, size_t pixels, uint32_t channels);
    /* out[i] = chain over ky, kx ascending of lines[ky][i + kx*step] * coefs[ky*width + kx], for i < n. Lines and out
     * are aligned; lines have room for n rounded up and (width-1)*step more, which is read; out for n rounded up. */
    void (*fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs, size_t n,
                float *out);
    /* fir for lines[0..height-1] into out0 and for lines[1..height] into out1. */
    void (*fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs,
                 size_t n, float *out0, float *out1);
    /* out[i] = a[i] + b[i]; out may be a. */
    void (*add)(const float *a, const float *b, float *out, size_t n);
    /* Scales, unpremultiplies, encodes, rounds and stores pixels at any address; acc, which has room for its samples
     * rounded up, is overwritten. `src` are the
     * source pixels whose alpha is copied where the target says so, else NULL. */
    void (*store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst, size_t pixels);
};

extern const struct gf_cpu_rows gf_cpu_rows_generic;
#ifdef GF_CPU_X86
extern const struct gf_cpu_rows gf_cpu_rows_avx2;
extern const struct gf_cpu_rows gf_cpu_rows_avx512;
#endif

/* The fastest table this processor runs. */
const struct gf_cpu_rows *gf_cpu_rows_best(void);
/* The table of that name if this processor runs it, else NULL. */
const struct gf_cpu_rows *gf_cpu_rows_by_name(const char *name);

#endif
