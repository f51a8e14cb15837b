/* SPDX-License-Identifier: MIT */
/* The tables of linear light: sRGB samples to linear values and back. Read by both backends through filter.h. */
#include "filter.h"

#include <math.h>
#include <pthread.h>

static float decode_u8[256], encode_u8[256];
static float decode_u16[65536], encode_u16[65536];

static long double srgb_to_linear(long double s)
{
    return s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L);
}

static void fill(float *decode, float *encode, uint32_t max)
{
    long double m = (long double)max;
    for (uint32_t v = 0; v <= max; v++) {
        decode[v] = (float)(m * srgb_to_linear((long double)v / m));
        encode[v] = (float)(m * srgb_to_linear(((long double)v - 0.5L) / m));
    }
}

static void fill_u8(void)
{
    fill(decode_u8, encode_u8, 255);
}

static void fill_u16(void)
{
    fill(decode_u16, encode_u16, 65535);
}

struct gf_light_tables gf_light_tables(uint32_t max)
{
    static pthread_once_t once_u8 = PTHREAD_ONCE_INIT, once_u16 = PTHREAD_ONCE_INIT;
    if (max == 255) {
        (void)pthread_once(&once_u8, fill_u8);
        return (struct gf_light_tables){decode_u8, encode_u8};
    }
    (void)pthread_once(&once_u16, fill_u16);
    return (struct gf_light_tables){decode_u16, encode_u16};
}
