/* SPDX-License-Identifier: MIT */
/* Linear light of the reference, docs/numerics.md 2. Called by reference_image.c. */
#include <math.h>

#include "reference_image.h"

static long double srgb(long double s)
{
    return s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L);
}

float gf_reference_decode(uint32_t v, uint32_t max)
{
    long double m = (long double)max;
    return (float)(m * srgb((long double)v / m));
}

/* T[k] for k = 1..max. */
static float threshold(uint32_t k, uint32_t max)
{
    long double m = (long double)max;
    return (float)(m * srgb(((long double)k - 0.5L) / m));
}

uint32_t gf_reference_encode(float x, uint32_t max)
{
    uint32_t below = 0, above = max + 1; /* T[below] <= x < T[above], with T[0] and T[max + 1] at the infinities */
    while (above - below > 1) {
        uint32_t k = below + (above - below) / 2;
        if (threshold(k, max) <= x)
            below = k;
        else
            above = k;
    }
    return below;
}
