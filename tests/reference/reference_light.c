/* SPDX-License-Identifier: MIT */
/* Linear light of the reference, docs/numerics.md, "Linear light". Called by reference_image.c. */
#include <math.h>

#include "reference_image.h"

static long double srgb(long double s)
{
    return s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L);
}

/* Of half steps from 0 to 2 * max: D[v] is that of 2 * v, T[k] that of 2 * k - 1 for k = 1..max. A power takes long, so
 * each is computed once. */
static float light(uint32_t half_steps, uint32_t max)
{
    static float of_8_bits[2 * 255 + 1], of_16_bits[2 * 65535 + 1]; /* 0: not yet */
    float *known = max == 255 ? &of_8_bits[half_steps] : &of_16_bits[half_steps];
    long double m = (long double)max;
    if (*known == 0.0f)
        *known = (float)(m * srgb((long double)half_steps / 2.0L / m));
    return *known;
}

float gf_reference_decode(uint32_t v, uint32_t max)
{
    return light(2 * v, max);
}

uint32_t gf_reference_encode(float x, uint32_t max)
{
    uint32_t below = 0, above = max + 1; /* T[below] <= x < T[above], with T[0] and T[max + 1] at the infinities */
    while (above - below > 1) {
        uint32_t k = below + (above - below) / 2;
        if (light(2 * k - 1, max) <= x) /* T[k] */
            below = k;
        else
            above = k;
    }
    return below;
}
