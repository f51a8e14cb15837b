/* SPDX-License-Identifier: MIT */
/* Shuffles for gf_simd_colour, made once per step. */
#ifndef GF_KERNELS_CPU_SHUFFLES_H
#define GF_KERNELS_CPU_SHUFFLES_H

#include "simd_colour.h"

/* Pixels to planes. */
struct gf_cpu_shuffle gf_cpu_split_of(uint32_t dtype, uint32_t channels);
/* Pixels of `made` samples. Sample r is sample picked[r] of source pixels of `channels` samples, or comes from plane
 * picked[r]. */
struct gf_cpu_shuffle gf_cpu_join_of(uint32_t dtype, uint32_t channels, bool planes, uint32_t made,
                                     const uint32_t *picked);

#endif
