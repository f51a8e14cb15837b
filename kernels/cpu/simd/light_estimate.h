/* SPDX-License-Identifier: MIT */
/* A short cut into the table that encodes linear light: which entries can matter for a value. */
#ifndef GF_KERNELS_CPU_LIGHT_ESTIMATE_H
#define GF_KERNELS_CPU_LIGHT_ESTIMATE_H

#include <math.h>
#include <stdint.h>

/* Buckets of equal width in the square root of the value, two per sample: fine enough that none holds two entries of
 * the table. NaN and what lies outside 0..max falls into the first or last bucket. */
static inline int32_t gf_cpu_light_bucket(float x, float max)
{
    x = x > 0.0f ? x : 0.0f;
    x = x < max ? x : max;
    return (int32_t)(sqrtf(x) * (2.0f * sqrtf(max)));
}

/* For bucket b: how many entries of the encoding table lie in buckets below b. max is 255 or 65535; 2 * max + 2
 * buckets. Made at first use, thread-safe. Static memory. */
const int32_t *gf_cpu_light_estimate(uint32_t max);

#endif
