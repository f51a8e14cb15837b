/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of linear filters over lines of interleaved f32 samples, compiled once per instruction set
 * (simd_fir.c, simd_named.c, simd_box.c, simd_bilateral.c). Called by the files that compute tiles: fir_lines.c,
 * box_lines.c, box_bytes.c, bilateral_lines.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_FILTER_H
#define GF_KERNELS_CPU_SIMD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/filter.h"

/* At most nine taps, and how their chain becomes a stored f32 sample. */
struct gf_cpu_taps {
    const struct gf_stencil *stencil;
    float scale, offset;
    bool stream; /* with streaming stores */
};

/* A bilateral filter over lines of planes. A line consists of one plane per channel, `plane` floats apart; lines[0] is
 * the line of the disc's first row. */
struct gf_cpu_disc {
    const struct gf_disc_tap *taps;
    uint32_t n_taps;
    float range;
    const float *const *lines;
    size_t plane;
    uint32_t channels; /* channels that are compared and filtered */
    uint32_t centre;   /* the line and the column of the disc's centre */
    bool floats;       /* samples may be NaN or infinite */
};

struct gf_simd_filter {
    /* out[i] = chain over ky, kx ascending of lines[ky][i + kx*step] * coefs[ky*width + kx], for i < n. Lines and out
     * are aligned. A line must have room for n rounded up plus (width-1)*step samples, all of which are read; out must
     * have room for n rounded up. */
    void (*fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs, size_t n,
                float *out);
    /* fir for lines[0..height-1] into out0 and for lines[1..height] into out1. */
    void (*fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs,
                 size_t n, float *out0, float *out1);
    /* out[i] = a[i] + b[i]; out may be a. */
    void (*add)(const float *a, const float *b, float *out, size_t n);
    /* out[i] = chain over t ascending of at[t][i] * weight[t], for i < n, where a stencil of differences has
     * at[t][i] - at[s->n + t][i] in place of at[t][i]. Reads and writes n rounded up. */
    void (*taps)(const float *const *at, const struct gf_stencil *s, size_t n, float *out);
    /* As taps(), with at least one tap; stores fmaf(chain, scale, offset) as f32 at any address. */
    void (*taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst);
    /* gx[i] = sqrtf(fmaf(gx[i], gx[i], gy[i] * gy[i])), for n rounded up. */
    void (*magnitude)(float *gx, const float *gy, size_t n);
    /* With d = x[i] - acc[i]: acc[i] = |d| < threshold ? x[i] : fmaf(amount, d, x[i]), for n rounded up. */
    void (*unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
    /* Filters n pixels of each channel into planes disc->plane floats apart. Reads and writes up to 2 vectors past
     * n. */
    void (*disc)(const struct gf_cpu_disc *disc, size_t n, float *out);
    /* plane[i] = from[i * step]; the second is its inverse, to[i * step] = plane[i]. */
    void (*plane_of)(const float *from, uint32_t step, float *plane, size_t n);
    void (*plane_to)(const float *plane, size_t n, float *to, uint32_t step);
    /* For boxes over bytes: sums[i] += in[i] - out[i], modulo 2^16. */
    void (*box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n);
    /* out[i] = the sum of `width` terms columns[i], columns[i + step], ..., modulo 2^16. Overwrites spare, which must
     * have room for 2 * (n + width * step). */
    void (*box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n, uint16_t *out);
    /* Stores fmaf(sums[i], scale, offset) as bytes at any address. Reads n rounded up. */
    void (*box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                              const float *coefs, size_t n, float *out);
void GF_ISA_NAME(gf_simd_fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                               const float *coefs, size_t n, float *out0, float *out1);
void GF_ISA_NAME(gf_simd_add)(const float *a, const float *b, float *out, size_t n);
void GF_ISA_NAME(gf_simd_taps)(const float *const *at, const struct gf_stencil *s, size_t n, float *out);
void GF_ISA_NAME(gf_simd_taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst);
void GF_ISA_NAME(gf_simd_magnitude)(float *gx, const float *gy, size_t n);
void GF_ISA_NAME(gf_simd_unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
void GF_ISA_NAME(gf_simd_disc)(const struct gf_cpu_disc *disc, size_t n, float *out);
void GF_ISA_NAME(gf_simd_plane_of)(const float *from, uint32_t step, float *plane, size_t n);
void GF_ISA_NAME(gf_simd_plane_to)(const float *plane, size_t n, float *to, uint32_t step);
void GF_ISA_NAME(gf_simd_box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n);
void GF_ISA_NAME(gf_simd_box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n,
                                     uint16_t *out);
void GF_ISA_NAME(gf_simd_box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n);
#endif

#endif
