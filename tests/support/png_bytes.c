/* SPDX-License-Identifier: MIT */
/* Checksums and numbers of PNG; see png_bytes.h. */
#include "png_bytes.h"

uint32_t png_crc(const uint8_t *bytes, size_t size)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        c ^= bytes[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    return ~c;
}

uint32_t png_get32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

void png_put32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> (24 - 8 * i));
}
