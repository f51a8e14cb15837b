/* SPDX-License-Identifier: MIT */
/* Small BMP and TGA files; see picture_bytes.h. */
#include "picture_bytes.h"

#include <string.h>

void picture_put(uint8_t *file, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        file[at + i] = (uint8_t)(value >> 8 * i);
}

size_t bmp_make(uint8_t file[PICTURE_CAPACITY], const struct bmp_recipe *r)
{
    size_t side = r->header == 12 ? 2 : 4, entry = r->header == 12 ? 3 : 4, at = 14 + r->header;
    memset(file, 0, PICTURE_CAPACITY);
    memcpy(file, "BM", 2);
    picture_put(file, 14, r->header, 4);
    picture_put(file, 18, PICTURE_WIDTH, side);
    picture_put(file, 18 + side, (uint32_t)(r->height ? r->height : PICTURE_HEIGHT), side);
    picture_put(file, 18 + 2 * side, 1, 2);
    picture_put(file, 20 + 2 * side, r->bits, 2);
    if (r->header >= 40) {
        picture_put(file, 30, r->compression, 4);
        picture_put(file, 46, r->used, 4);
    }
    size_t n_masks = r->compression == BMP_FIELDS_RGBA || r->header >= 56 ? 4 : 3;
    for (size_t i = 0; i < n_masks && r->masks[0]; i++)
        picture_put(file, 54 + 4 * i, r->masks[i], 4);
    if (r->header == 40 && r->masks[0])
        at += 4 * n_masks;
    for (size_t i = 0; i < r->colours; i++, at += entry)
        picture_put(file, at, 3 * i | 2 * i << 8 | i << 16, 3);
    picture_put(file, 10, at, 4);
    memcpy(file + at, r->bytes, r->size);
    picture_put(file, 2, at + r->size, 4);
    return at + r->size;
}

size_t tga_make(uint8_t file[PICTURE_CAPACITY], const struct tga_recipe *r)
{
    const uint8_t head[18] = {r->id_bytes,
                              r->map_bits > 0,
                              r->type,
                              (uint8_t)r->map_first,
                              (uint8_t)(r->map_first >> 8),
                              (uint8_t)r->map_length,
                              (uint8_t)(r->map_length >> 8),
                              r->map_bits,
                              [12] = PICTURE_WIDTH,
                              [14] = PICTURE_HEIGHT,
                              [16] = r->bits,
                              [17] = r->descriptor};
    memset(file, 0xee, PICTURE_CAPACITY);
    memcpy(file, head, sizeof(head));
    memcpy(file + sizeof(head) + r->id_bytes, r->bytes, r->size);
    return sizeof(head) + r->id_bytes + r->size;
}
