/* SPDX-License-Identifier: MIT */
/*
 * The inner loops that all families share: samples and elements of any dtype between memory and what is computed with.
 * Compiled once per instruction set (simd_load.c, simd_store.c, simd_values.c, simd_widen.c, simd_brightness.c).
 */
#ifndef GF_KERNELS_CPU_SIMD_SAMPLES_H
#define GF_KERNELS_CPU_SIMD_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/scan.h"
#include "protocol/base/limits.h"
#include "protocol/base/view.h"
#include "protocol/ops/plan/tiles.h"

/* Results from so many bytes on do not stay in the caches: their f32 are stored past them. */
#define GF_STREAM_BYTES ((uint64_t)32 << 20)

/* Whether those of an op that does no more than move samples go past the caches: what is read takes its place in them
 * too. */
static inline bool gf_cpu_streams(const struct gf_view *src, const struct gf_view *dst)
{
    return gf_view_bytes(src) + gf_view_bytes(dst) >= GF_STREAM_BYTES;
}

/* How source samples become f32. */
struct gf_cpu_source {
    uint32_t dtype, channels;
    const float *decode; /* of integers: linear light or a table of map, by the sample; NULL: values as they are */
    bool premultiply;
    float border[GF_MAX_CHANNELS]; /* a pixel of a constant border, decoded */
};

/* How sums become result samples. */
struct gf_cpu_target {
    uint32_t dtype, channels;
    uint32_t alpha_dtype; /* of the samples that alpha is copied from */
    float scale, offset;
    float max; /* greatest sample; alpha is clamped to it */
    bool unpremultiply;
    bool copy_alpha;
    bool stream;                    /* f32 go past the caches */
    const float *encode;            /* linear light; NULL: values as they are */
    const int32_t *encode_estimate; /* light_estimate.h, where encode is set */
};

/* Samples after which what differs by channel repeats: a multiple of 1, 2, 3 and 4, and of vectors. */
#define GF_PATTERN 192u

struct gf_simd_samples {
    /* Converts and decodes pixels, at any address. */
    void (*load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
    /* Multiplies colours by alpha; channels is 2 or 4. The line has room for its samples rounded up. */
    void (*premultiply)(float *line, size_t pixels, uint32_t channels);
    /* Scales, unpremultiplies, encodes, rounds and stores pixels at any address; acc, which has room for its samples
     * rounded up, is overwritten. `src` are the source pixels whose alpha is copied where the target says so, else
     * NULL. */
    void (*store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst, size_t pixels);
    /* The brightness of n pixels of 3 channels of u8, u16, i16 or f32 at any address; of 4 channels alpha after each.
     */
    void (*brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n);
    /* n elements `stride` elements apart, at any address, as values (x) and as keys; either may be NULL. */
    void (*widen)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys);
    /* n elements of a dtype, `stride` elements apart (negative: backwards), at any address, to values and back. */
    void (*load_values)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to);
    void (*store_values)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "simd_isa.h"

void GF_ISA_NAME(gf_simd_load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
void GF_ISA_NAME(gf_simd_premultiply)(float *line, size_t pixels, uint32_t channels);
void GF_ISA_NAME(gf_simd_store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst,
                                size_t pixels);
void GF_ISA_NAME(gf_simd_brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n);
void GF_ISA_NAME(gf_simd_widen)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys);
void GF_ISA_NAME(gf_simd_load_values)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n,
                                      union gf_scan_value *to);
void GF_ISA_NAME(gf_simd_store_values)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at,
                                       ptrdiff_t stride);
#endif

#endif
