/* SPDX-License-Identifier: MIT */
/* splitmix64 and the random values that tests draw from it. */
#include "prng.h"

#include <math.h>
#include <string.h>

uint64_t gf_prng_next(struct gf_prng *prng)
{
    uint64_t z = (prng->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint32_t gf_prng_below(struct gf_prng *prng, uint32_t n)
{
    return (uint32_t)(((gf_prng_next(prng) >> 32) * n) >> 32);
}

int64_t gf_prng_range(struct gf_prng *prng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(gf_prng_next(prng) % (uint64_t)(hi - lo + 1));
}

float gf_prng_unit(struct gf_prng *prng)
{
    return (float)(gf_prng_next(prng) >> 40) * 0x1p-24f;
}

float gf_prng_float_bits(struct gf_prng *prng)
{
    for (;;) {
        uint32_t bits = (uint32_t)(gf_prng_next(prng) >> 32);
        float f;
        memcpy(&f, &bits, sizeof(f));
        if (isfinite(f))
            return f;
    }
}
