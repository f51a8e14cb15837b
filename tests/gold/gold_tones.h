/* SPDX-License-Identifier: MIT */
/* What the ops share that change tones by a histogram: samples of u8, u16 and f32 pictures as f64. */
#ifndef GF_TESTS_GOLD_TONES_H
#define GF_TESTS_GOLD_TONES_H

#include "gold.h"

/* A new value for a sample of channel c. */
typedef double gf_gold_tone_fn(const void *context, uint32_t c, double v);

double gf_gold_tone_at(const struct gf_gold_buf *buf, uint64_t y, uint64_t x, uint32_t c);
/* How many samples of channel c have each value 0..MAX of u8 or u16. NO_MEMORY; the caller frees. */
enum gf_status gf_gold_tone_counts(const struct gf_gold_buf *in, uint32_t c, uint64_t **ret, struct gf_error *err);
/* Every colour through fn; alpha copied unless `alpha` says straight. */
void gf_gold_tones(const struct gf_gold_buf *in, const struct gf_gold_buf *out, uint32_t alpha, gf_gold_tone_fn *fn,
                   const void *context);

#endif
