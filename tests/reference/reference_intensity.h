/* SPDX-License-Identifier: MIT */
/* Shared by the ops that change tones by a histogram: samples of u8, u16, i16 and f32 pictures as f64. */
#ifndef GF_TESTS_REFERENCE_INTENSITY_H
#define GF_TESTS_REFERENCE_INTENSITY_H

#include "reference.h"

/* A new value for a sample of channel c. */
typedef double gf_reference_intensity_fn(const void *context, uint32_t c, double v);

double gf_reference_intensity_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c);
/* How many samples of channel c have each value 0..MAX of u8 or u16. NO_MEMORY; the caller frees. */
enum gf_status gf_reference_intensity_counts(const struct gf_reference_buf *in, uint32_t c, uint64_t **ret,
                                             struct gf_error *err);
/* Every colour through fn; alpha copied unless `alpha` says straight. */
void gf_reference_intensity(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t alpha,
                            gf_reference_intensity_fn *fn, const void *context);

#endif
