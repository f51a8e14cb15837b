/* SPDX-License-Identifier: MIT */
/* Shuffles for gf_simd_colour, worked out once for a step. */
#ifndef GF_KERNELS_CPU_SHUFFLES_H
#define GF_KERNELS_CPU_SHUFFLES_H

#include "simd_colour.h"

/* Pixels to planes. */
struct gf_cpu_shuffle gf_cpu_split_of(uint32_t dtype, uint32_t channels);
/* Pixels of `made` samples, sample r of which is picked[r] of those of `channels`, or in plane picked[r]. */
struct gf_cpu_shuffle gf_cpu_join_of(uint32_t dtype, uint32_t channels, bool planes, uint32_t made,
                                     const uint32_t *picked);

#endif
