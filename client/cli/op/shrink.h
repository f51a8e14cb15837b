/* SPDX-License-Identifier: MIT */
/*
 * What the command resize changes in its step according to the picture. Shrinking on load: a JPEG that is resized to a
 * quarter of its sides or less is decoded at 1/2, 1/4 or 1/8, such that resize still reduces by a factor of at least 2.
 * Only shrinking: a picture that fits into `fit` keeps its size. Used by cmd_op.c and pipe.c.
 */
#ifndef GF_CLI_SHRINK_H
#define GF_CLI_SHRINK_H

#include "client/image/image.h"
#include "protocol/ops/program.h"

/* Whether the input of the step may be decoded smaller: true for resize with antialiasing. */
bool gf_shrink_may(const struct gf_step *step);
/* Returns 1, 2, 4 or 8. For gf_image_load.shrink; `user` is the step; width and height are as viewers show the
 * picture. */
uint32_t gf_shrink_choose(void *user, uint64_t width, uint64_t height);
/* Changes the step's parameters so that they give the same result from the smaller picture, which was turned upright
 * after decoding. `orientation` is the value in the file. */
void gf_shrink_fit(struct gf_step *step, const struct gf_image *image, uint32_t orientation);

/* Whether only shrinking has a meaning: the step is a resize with `fit`. */
bool gf_shrink_has_fit(const struct gf_step *step);
/* Changes the parameters of a step with `fit` so that a picture that fits keeps its size; if the step takes the whole
 * picture, every sample is kept. Returns false if the picture does not fit. */
bool gf_shrink_keep(struct gf_step *step, const struct gf_view *in);

#endif
