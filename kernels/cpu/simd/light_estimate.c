/* SPDX-License-Identifier: MIT */
/* Computes the tables of light_estimate.h. Called when a filter in linear light is set up. */
#include "light_estimate.h"

#include <pthread.h>

#include "kernels/shared/filter.h"

static int32_t estimate_u8[2 * 255 + 2], estimate_u16[2 * 65535 + 2];

static void fill(int32_t *estimate, uint32_t max)
{
    const float *table = gf_light_tables(max).encode;
    uint32_t k = 0;
    for (uint32_t b = 0; b < 2 * max + 2; b++) {
        while (k < max && gf_cpu_light_bucket(table[k + 1], (float)max) < (int32_t)b)
            k++;
        estimate[b] = (int32_t)k;
    }
}

static void fill_u8(void)
{
    fill(estimate_u8, 255);
}

static void fill_u16(void)
{
    fill(estimate_u16, 65535);
}

const int32_t *gf_cpu_light_estimate(uint32_t max)
{
    static pthread_once_t once_u8 = PTHREAD_ONCE_INIT, once_u16 = PTHREAD_ONCE_INIT;
    (void)pthread_once(max == 255 ? &once_u8 : &once_u16, max == 255 ? fill_u8 : fill_u16);
    return max == 255 ? estimate_u8 : estimate_u16;
}
