/* SPDX-License-Identifier: MIT */
/* Blends a picture with alpha and a background colour. Called by image.c. */
#ifndef GF_CLI_IMAGE_FLATTEN_H
#define GF_CLI_IMAGE_FLATTEN_H

#include "image_data.h"

/* Flattens a tight picture of u8, u16 or f32 with 2 or 4 channels. ret_image->data must have room for the samples; its
 * view is set. The colour is save->background. */
void gf_image_flatten(const struct gf_image *image, const struct gf_image_save *save, struct gf_image *ret_image);

#endif
