/* SPDX-License-Identifier: MIT */
/* The chunks of a PNG file in memory. Used by the PNG codec. */
#ifndef GF_CLI_PNG_CHUNKS_H
#define GF_CLI_PNG_CHUNKS_H

#include "protocol/base/base.h"

/* Reads a big-endian number. */
static inline uint32_t gf_png_get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The offset of the first chunk of a type, up to IEND; `size` if there is none. Only chunks that lie inside the file
 * (of at least 8 bytes) count. Checksums are not checked. */
size_t gf_png_find_chunk(const uint8_t *file, size_t size, const char *type, uint32_t *ret_length);
/* The same from the chunk at `from` on. */
size_t gf_png_find_chunk_from(const uint8_t *file, size_t size, size_t from, const char *type, uint32_t *ret_length);

#endif
