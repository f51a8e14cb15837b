/* SPDX-License-Identifier: MIT */
/* Puts a colour behind a picture with alpha. Called by image.c. */
#ifndef GF_CLI_IMAGE_FLATTEN_H
#define GF_CLI_IMAGE_FLATTEN_H

#include "image_data.h"

/* Makes the picture without alpha of a tight one of u8, u16 or f32 with 2 or 4 channels. ret_image->data has room for
 * its samples, its view is set. The colour is that of `save`. */
void gf_image_flatten(const struct gf_image *image, const struct gf_image_save *save, struct gf_image *ret_image);

#endif
