/* SPDX-License-Identifier: MIT */
/* What the reference of the ops shares that only move pixels. Called by geometry.c, pad, resize and order.c. */
#ifndef GF_TESTS_REFERENCE_GEOMETRY_H
#define GF_TESTS_REFERENCE_GEOMETRY_H

#include "reference.h"

/* Copies one sample of a dtype as it is, any NaN as the one that is stored. */
void gf_reference_copy_sample(void *to, const void *from, uint32_t dtype);

/* Copies a pixel of one buffer to a pixel of another of the same dtype and channels. */
void gf_reference_copy_pixel(const struct gf_reference_buf *out, uint64_t to_x, uint64_t to_y,
                             const struct gf_reference_buf *in, uint64_t from_x, uint64_t from_y);

#endif
