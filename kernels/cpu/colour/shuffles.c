/* SPDX-License-Identifier: MIT */
/* Makes the byte shuffles between pixels and planes. Called by colour.c and yuv420.c. */
#include "shuffles.h"

#include "protocol/base/dtype.h"

/* Byte `b` of output vector `i` is taken from byte `at` of the input vectors, counted across them. */
static void put_byte(struct gf_cpu_shuffle *s, uint32_t i, uint32_t b, uint32_t at)
{
    for (uint32_t j = 0; j < s->n_from; j++)
        s->mask[i][j][b] = at / 16 == j ? (uint8_t)(at % 16) : 0x80;
}

/* The offset of byte `b` of 16 bytes of channel c in a group of pixels. */
static uint32_t in_pixels(uint32_t size, uint32_t channels, uint32_t c, uint32_t b)
{
    return (b / size * channels + c) * size + b % size;
}

struct gf_cpu_shuffle gf_cpu_split_of(uint32_t dtype, uint32_t channels)
{
    uint32_t size = (uint32_t)gf_dtype_size(dtype);
    struct gf_cpu_shuffle s = {.size = size, .n_from = channels, .n_to = channels};
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t b = 0; b < 16; b++)
            put_byte(&s, c, b, in_pixels(size, channels, c, b));
    return s;
}

/* Whether three vectors become three, and no two outputs take a byte at the same position from the same input, as when
 * planes of three channels are joined. One shuffle of each input then serves all outputs. */
static bool is_apart(const struct gf_cpu_shuffle *s)
{
    bool apart = s->n_from == 3 && s->n_to == 3;
    for (uint32_t j = 0; j < s->n_from; j++)
        for (uint32_t b = 0; b < 16; b++) {
            uint32_t taken = 0;
            for (uint32_t i = 0; i < s->n_to; i++)
                taken += s->mask[i][j][b] != 0x80;
            apart = apart && taken <= 1;
        }
    return apart;
}

struct gf_cpu_shuffle gf_cpu_join_of(uint32_t dtype, uint32_t channels, bool planes, uint32_t made,
                                     const uint32_t *picked)
{
    uint32_t size = (uint32_t)gf_dtype_size(dtype);
    struct gf_cpu_shuffle s = {.size = size, .n_from = channels, .n_to = made, .floats = dtype == GF_F32};
    for (uint32_t r = 0; r < made; r++)
        for (uint32_t b = 0; b < 16; b++) {
            uint32_t at = in_pixels(size, made, r, b);
            put_byte(&s, at / 16, at % 16, planes ? 16 * picked[r] + b : in_pixels(size, channels, picked[r], b));
        }
    s.apart = is_apart(&s);
    return s;
}
