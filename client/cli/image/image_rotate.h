/* SPDX-License-Identifier: MIT */
/* Applies the EXIF orientation to a picture. Called by image.c for formats that cannot store it. */
#ifndef GF_CLI_IMAGE_ROTATE_H
#define GF_CLI_IMAGE_ROTATE_H

#include "image_data.h"

/* Rotates a tight picture as viewers show it, with orientation 2 to 8; from 5 on width and height are exchanged.
 * ret_image->data must have room for the samples; its view is set. */
void gf_image_rotate(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image);

#endif
