/* SPDX-License-Identifier: MIT */
/* Weights of a mask for sums of samples as they are stored. Called by the launches of raw_mask.cuh. */
#ifndef GF_CUDA_MASK_WEIGHTS_H
#define GF_CUDA_MASK_WEIGHTS_H

#include "filter_args.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUDA_MAX_WEIGHTS 225u /* of a mask that travels in the launch */

/* No light, no alpha that is more than a colour: every sum is made of samples of one channel as they are stored, and
 * stored after one fma. A constant border has to be a value that a sample can have. */
bool gf_cuda_is_stored(const struct gf_cuda_source *src, const struct gf_cuda_target *dst);

/* The chain of samples * 2^-sample_bits with weights * 2^(sample_bits - 64): all terms and sums are those of the chain
 * itself times 2^-64, none too large or too small for that, so that the target's scale times 2^64 gives the same bits.
 * False where the weights or the scale are too far from 1. */
bool gf_cuda_shifted_weights(const struct gf_cuda_mask *mask, float scale, int sample_bits, float *weights,
                             float *ret_scale);

/* The mask as whole numbers of 8 bits times a power of two, which goes to the scale. False where it is not that, or
 * where sums of 8-bit samples may reach 2^22: below, every order of summation gives the bits of the chain. */
bool gf_cuda_byte_weights(const struct gf_cuda_mask *mask, float scale, int8_t *weights, float *ret_scale);

#ifdef __cplusplus
}
#endif
#endif
