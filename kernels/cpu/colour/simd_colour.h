/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of colour conversions, compiled once per instruction set (simd_colour.c, simd_planes.c,
 * simd_pixels.c, simd_yuv420.c). Called by colour.c and yuv420.c. A plane holds one channel of a chunk of pixels.
 */
#ifndef GF_KERNELS_CPU_SIMD_COLOUR_H
#define GF_KERNELS_CPU_SIMD_COLOUR_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/colour/colour.h"

/* A rearrangement of a group of pixels, 16 bytes per channel: pixels to pixels, pixels to planes, or planes to pixels.
 * Output vector i is the OR of all input vectors j, each shuffled by mask[i][j]; a mask byte with bit 7 set gives 0. */
struct gf_cpu_shuffle {
    uint32_t size;         /* bytes per sample */
    uint32_t n_from, n_to; /* 16-byte vectors per group, which is the number of channels */
    bool floats;           /* every NaN becomes the one that is stored */
    bool apart;            /* three planes are joined, and one shuffle of each input serves all outputs */
    uint8_t mask[GF_MAX_CHANNELS][GF_MAX_CHANNELS][16];
};

/* Rows of YCbCr 4:2:0: two rows of pixels and of luma, which are the same row at an odd end, and one row of chroma. In
 * NV12, Cb and Cr are pairs at cb. */
struct gf_yuv420_rows {
    void *rgb[2], *luma[2], *cb, *cr;
    bool apart; /* Cb and Cr have separate planes */
};

struct gf_simd_colour {
    /* Splits n pixels at any address into a plane per channel, and joins planes. `stream`: streaming stores. */
    void (*split)(const struct gf_cpu_shuffle *shuffle, const void *src, void *const *planes, size_t n);
    void (*join)(const struct gf_cpu_shuffle *shuffle, const void *const *planes, void *dst, size_t n, bool stream);
    /* Rearranges the samples of pixels. Returns how many of the n pixels were processed, in whole vectors. */
    size_t (*pick)(const struct gf_cpu_shuffle *shuffle, const void *src, void *dst, size_t n, bool stream);
    /* Converts pixels of three samples of u8 or f32 directly to pixels of one or three samples of the same type, for
     * formulas that this function supports. Returns how many of the n pixels were processed, in whole vectors.
     * `stream`: streaming stores. */
    size_t (*pixels)(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream);
    /* Converts u8 pixels; k[0] gives luma, k[1] chroma. Returns how many of the n pixels were processed, in whole
     * vectors, which is an even number. */
    size_t (*to_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n);
    /* Converts the first row of pixels from the first row of luma; returns the same. `stream`: streaming stores. */
    size_t (*from_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n, bool stream);
    /* LUMA and OVER: converts k->channels planes of u8 or u16 to k->colours planes, at any address. */
    void (*whole)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
    /* LINEAR from u8 to u8, on planes at any address. No sum may exceed 2^30. */
    void (*linear_u8)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
    /* All remaining kinds except PASS, on lines of floats with room up to a multiple of GF_LINE_ALIGN. Input and output
     * lines must not overlap. */
    void (*real)(const struct gf_colour *k, float *const *from, float *const *to, size_t n);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_split)(const struct gf_cpu_shuffle *shuffle, const void *src, void *const *planes, size_t n);
void GF_ISA_NAME(gf_simd_join)(const struct gf_cpu_shuffle *shuffle, const void *const *planes, void *dst, size_t n,
                               bool stream);
size_t GF_ISA_NAME(gf_simd_pick)(const struct gf_cpu_shuffle *shuffle, const void *src, void *dst, size_t n,
                                 bool stream);
size_t GF_ISA_NAME(gf_simd_pixels)(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream);
size_t GF_ISA_NAME(gf_simd_to_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n);
size_t GF_ISA_NAME(gf_simd_from_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n,
                                        bool stream);
void GF_ISA_NAME(gf_simd_whole)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
void GF_ISA_NAME(gf_simd_linear_u8)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
void GF_ISA_NAME(gf_simd_real)(const struct gf_colour *k, float *const *from, float *const *to, size_t n);
#endif

#endif
