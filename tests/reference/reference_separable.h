/* SPDX-License-Identifier: MIT */
/* Rows, then columns: shared by gaussian, unsharp and log of the reference (docs/numerics.md, "Separable filters"). */
#ifndef GF_TESTS_REFERENCE_SEPARABLE_H
#define GF_TESTS_REFERENCE_SEPARABLE_H

#include "reference_image.h"

/* The taps of one axis; there is room for the largest radius, (GF_MAX_TAPS - 1) / 2. */
struct gf_reference_taps {
    int64_t radius;
    float w[GF_MAX_TAPS]; /* w[i + radius] */
};

/* The radius that sigma and truncate give. */
int64_t gf_reference_radius(float sigma, float truncate);
/* The weights of a gaussian, without ends that are 0. */
void gf_reference_gaussian_taps(float sigma, float truncate, struct gf_reference_taps *ret);
/* acc of the rows with `across` and the columns with `down`; frees nothing that ret_acc held. NO_MEMORY. */
enum gf_status gf_reference_separable(const struct gf_reference_image *image, const struct gf_reference_taps *across,
                                      const struct gf_reference_taps *down, struct gf_reference_image *ret_acc,
                                      struct gf_error *err);

#endif
