/* SPDX-License-Identifier: MIT */
/* erode, dilate and what is made of them, docs/numerics.md 19. Called by the reference of each of the seven ops, which
 * have the parameters of erode. */
#ifndef GF_TESTS_REFERENCE_MORPHOLOGY_H
#define GF_TESTS_REFERENCE_MORPHOLOGY_H

#include "reference_image.h"

/* The picture after passes, 'e' eroding and 'd' dilating, each as often as `iterations` says; "" is the picture. What
 * ret_image holds is not freed before; the caller calls gf_reference_image_deinit, also after an error. */
enum gf_status gf_reference_extrema(const struct gf_op *op, const struct gf_erode_params *p, const char *passes,
                                    const struct gf_reference_buf *in, struct gf_reference_image *ret_image,
                                    struct gf_error *err);
/* a - b, or a alone where b is NULL; alpha is that of the picture unless it is a channel like any other. */
void gf_reference_store_extrema(const struct gf_reference_image *a, const struct gf_reference_image *b,
                                const struct gf_erode_params *p, const struct gf_reference_buf *in,
                                struct gf_reference_buf *out);

#endif
