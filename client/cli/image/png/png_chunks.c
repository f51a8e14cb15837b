/* SPDX-License-Identifier: MIT */
/* Walks the chunks of a PNG file; see png_chunks.h. */
#include "png_chunks.h"

#include <string.h>

size_t gf_png_find_chunk(const uint8_t *file, size_t size, const char *type, uint32_t *ret_length)
{
    return gf_png_find_chunk_from(file, size, 8, type, ret_length);
}

size_t gf_png_find_chunk_from(const uint8_t *file, size_t size, size_t from, const char *type, uint32_t *ret_length)
{
    for (size_t pos = from; size - pos >= 12;) {
        const uint8_t *chunk = file + pos;
        uint32_t length = gf_png_get32(chunk);
        if (length > size - pos - 12)
            break;
        if (memcmp(chunk + 4, type, 4) == 0) {
            *ret_length = length;
            return pos;
        }
        if (memcmp(chunk + 4, "IEND", 4) == 0)
            break; /* chunks after IEND are ignored */
        pos += 12 + (size_t)length;
    }
    return size;
}
