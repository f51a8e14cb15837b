/* SPDX-License-Identifier: MIT */
/*
 * The inner loops that all families share: they convert samples and elements of any dtype between memory and the types
 * of computation. Compiled once per instruction set (simd_load.c, simd_store.c, simd_values.c, simd_widen.c,
 * simd_brightness.c).
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

/* Results of at least this many bytes do not stay in the caches, so f32 is stored with streaming stores. */
#define GF_STREAM_BYTES ((uint64_t)32 << 20)

/* Whether an op that only moves samples uses streaming stores. What it reads competes for the caches too. */
static inline bool gf_cpu_streams(const struct gf_view *src, const struct gf_view *dst)
{
    return gf_view_bytes(src) + gf_view_bytes(dst) >= GF_STREAM_BYTES;
}

/* How source samples are converted to f32. */
struct gf_cpu_source {
    uint32_t dtype, channels;
    const float
        *decode; /* a table indexed by integer samples: linear light, or the table of map; NULL: values unchanged */
    bool premultiply;
    float border[GF_MAX_CHANNELS]; /* a converted pixel of a constant border */
};

/* How sums are converted to result samples. */
struct gf_cpu_target {
    uint32_t dtype, channels;
    uint32_t alpha_dtype; /* dtype of the samples that alpha is copied from */
    float scale, offset;
    float max; /* the greatest sample; alpha is clamped to it */
    bool unpremultiply;
    bool copy_alpha;
    bool stream;                    /* use streaming stores for f32 */
    const float *encode;            /* the table of linear light; NULL: values unchanged */
    const int32_t *encode_estimate; /* see light_estimate.h; set if encode is set */
};

/* The period of a pattern by channel, in samples: a multiple of 1, 2, 3 and 4 channels and of all vectors. */
#define GF_PATTERN 192u

struct gf_simd_samples {
    /* Converts and decodes pixels, at any address. */
    void (*load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
    /* Multiplies colours by alpha; channels is 2 or 4. The line must have room for its samples rounded up. */
    void (*premultiply)(float *line, size_t pixels, uint32_t channels);
    /* Scales, unpremultiplies, encodes, rounds and stores pixels at any address. Overwrites acc, which must have room
     * for its samples rounded up. `src` is the source pixels if the target copies alpha, otherwise NULL. */
    void (*store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst, size_t pixels);
    /* The brightness of n pixels of u8, u16, i16 or f32 at any address. With 4 channels, each is followed by its
     * alpha. */
    void (*brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n);
    /* Loads n elements `stride` elements apart, at any address, as values (x) and as keys; either may be NULL. */
    void (*widen)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys);
    /* Loads n elements of a dtype as values, and stores values as elements; they are `stride` elements apart (negative:
     * backwards), at any address. */
    void (*load_values)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to);
    void (*store_values)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at, ptrdiff_t stride);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
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
