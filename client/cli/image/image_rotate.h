/* SPDX-License-Identifier: MIT */
/* Applies the EXIF orientation to a picture. Called by image.c for formats that cannot store it. */
#ifndef GF_CLI_IMAGE_ROTATE_H
#define GF_CLI_IMAGE_ROTATE_H

#include "image_data.h"

/* Makes the picture that a viewer shows of a tight one: orientation 2 to 8; from 5 on its sides change places.
 * ret_image->data has room for the samples, its view is set. */
void gf_image_rotate(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image);

#endif
