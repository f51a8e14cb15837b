/* SPDX-License-Identifier: MIT */
/* Turns pictures; see image_turn.h. The numbers are those of EXIF 2.3, tag 0112: where the first row and the first
 * column of the samples are in the picture. */
#include "image_turn.h"

#include <string.h>

#include "protocol/dtype.h"

void gf_image_turn(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image)
{
    const struct gf_view *v = &image->view;
    bool sideways = orientation >= 5;
    bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    uint64_t width = sideways ? v->height : v->width, height = sideways ? v->width : v->height;
    size_t pixel = v->channels * gf_dtype_size(v->dtype);
    uint8_t *to = ret_image->data;
    for (uint64_t y = 0; y < height; y++)
        for (uint64_t x = 0; x < width; x++, to += pixel) {
            uint64_t column = sideways ? y : x, row = sideways ? x : y;
            column = from_right ? v->width - 1 - column : column;
            row = from_bottom ? v->height - 1 - row : row;
            memcpy(to, (const uint8_t *)image->data + row * v->pitch + column * pixel, pixel);
        }
    ret_image->view = gf_view_tight(v->dtype, width, height, v->channels);
}
