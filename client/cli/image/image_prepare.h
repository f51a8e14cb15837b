/* SPDX-License-Identifier: MIT */
/*
 * Changes of a picture before it is stored: alpha blended with a background, and the EXIF orientation applied for
 * formats that cannot store it. Called by image.c.
 */
#ifndef GF_CLI_IMAGE_PREPARE_H
#define GF_CLI_IMAGE_PREPARE_H

#include "image_data.h"

/* Flattens a tight picture of u8, u16 or f32 with 2 or 4 channels. ret_image->data must have room for the samples; its
 * view is set. The colour is save->background. */
void gf_image_flatten(const struct gf_image *image, const struct gf_image_save *save, struct gf_image *ret_image);

/* Makes alpha straight in a tight picture whose colours are premultiplied by alpha (associated), and says so in the
 * picture's warning. A colour c with alpha a becomes c*MAX/a, for integers rounded to the nearest and at most MAX; 0
 * where a is 0. Samples of other types than u8, u16 and f32 stay as they are, without alpha. */
void gf_image_divide_by_alpha(struct gf_image *image, const char *name);

/* Rotates a tight picture as viewers show it, with orientation 2 to 8; from 5 on width and height are exchanged.
 * ret_image->data must have room for the samples; its view is set. */
void gf_image_rotate(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image);

#endif
