/* SPDX-License-Identifier: MIT */
/* A shortcut into the table that encodes linear light: it tells which entries a value must be compared with. */
#ifndef GF_KERNELS_CPU_LIGHT_ESTIMATE_H
#define GF_KERNELS_CPU_LIGHT_ESTIMATE_H

#include <math.h>
#include <stdint.h>

/* Buckets of equal width in the square root of the value, two per sample: fine enough that no bucket holds two entries
 * of the table. NaN and values below 0 fall into the first bucket, values above max into the last. */
static inline int32_t gf_cpu_light_bucket(float x, float max)
{
    x = x > 0.0f ? x : 0.0f;
    x = x < max ? x : max;
    return (int32_t)(sqrtf(x) * (2.0f * sqrtf(max)));
}

/* For each bucket b, the number of encoding table entries in buckets below b. max must be 255 or 65535; there are 2 *
 * max + 2 buckets. Computed at first use; thread-safe; static memory. */
const int32_t *gf_cpu_light_estimate(uint32_t max);

#endif
