/* SPDX-License-Identifier: MIT */
/*
 * The inner loops that turn channels into others, compiled once per instruction set (simd_colour.c, simd_planes.c).
 * Called by colour.c. A plane holds one channel of a chunk of pixels.
 */
#ifndef GF_KERNELS_CPU_SIMD_COLOUR_H
#define GF_KERNELS_CPU_SIMD_COLOUR_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/colour/colour.h"

/* How groups of pixels, 16 bytes of each channel, become others, or planes, or planes become pixels: vector i of those
 * that are made has, or-ed, the bytes of vectors j of those that are read at mask[i][j], none where bit 7 is set. */
struct gf_cpu_shuffle {
    uint32_t size;         /* bytes of a sample */
    uint32_t n_from, n_to; /* vectors of 16 bytes of a group: channels */
    bool floats;           /* every NaN becomes the one that is stored */
    bool apart; /* three to three of pixels, and no byte goes to the same place of two: one order of each is enough */
    uint8_t mask[GF_MAX_CHANNELS][GF_MAX_CHANNELS][16];
};

/* Where rows of YCbCr 4:2:0 are: two of pixels and of luma, which are the same one at an odd end, and one of chroma;
 * of NV12 Cb and Cr are pairs at cb. */
struct gf_yuv420_rows {
    void *rgb[2], *luma[2], *cb, *cr;
    bool apart; /* Cb and Cr have a plane each */
};

struct gf_simd_colour {
    /* n pixels at any address to a plane for each channel, and back; `stream`: past the caches. */
    void (*split)(const struct gf_cpu_shuffle *shuffle, const void *src, void *const *planes, size_t n);
    void (*join)(const struct gf_cpu_shuffle *shuffle, const void *const *planes, void *dst, size_t n, bool stream);
    /* Pixels to pixels of the samples that the shuffle picks: as many of n as whole vectors take; how many. */
    size_t (*pick)(const struct gf_cpu_shuffle *shuffle, const void *src, void *dst, size_t n, bool stream);
    /* Pixels of three samples of u8 or f32 straight to those of one or three of the same type, where k is one that is
     * known here: as many of n as whole vectors take; how many. `stream`: past the caches. */
    size_t (*pixels)(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream);
    /* Of u8, as many of n pixels as whole vectors take, which are even; how many. k[0] gives luma, k[1] chroma. */
    size_t (*to_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n);
    /* Likewise the first row of pixels, from the first of luma; `stream`: past the caches. */
    size_t (*from_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n, bool stream);
    /* LUMA and OVER: planes of k->channels samples of u8 or u16 to planes of k->colours, at any address. */
    void (*whole)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
    /* LINEAR of u8 to u8, planes likewise; no sum is beyond 2^30. */
    void (*linear_u8)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n);
    /* The others but PASS, on lines of floats, which have room up to a multiple of GF_LINE_ALIGN; none is both read and
     * written. */
    void (*real)(const struct gf_colour *k, float *const *from, float *const *to, size_t n);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
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
