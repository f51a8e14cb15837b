/* SPDX-License-Identifier: MIT */
/* Weights of a mask for sums of samples as they are stored. Called by the launches of raw_mask.cuh. */
#include "mask_weights.h"

#include <math.h>

#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"

/* Weights and scales between these, or zero, leave room for every sum of 225 terms and all its bits. */
#define MIN_WEIGHT 0x1p-32f
#define MAX_WEIGHT 0x1p32f
#define SUM_BITS 64        /* by how many the chain is shifted down */
#define BYTE_SUM (1 << 22) /* what sums of bytes stay below */

static bool integer_sample(float v, float max)
{
    return v >= 0.0f && v <= max && v == rintf(v);
}

bool gf_cuda_is_stored(const struct gf_cuda_source *src, const struct gf_cuda_target *dst)
{
    bool plain = !src->decode && !src->premultiply && !dst->encode &&
                 (dst->alpha_period == 0 || dst->alpha == GF_ALPHA_STRAIGHT);
    if (src->dtype == GF_F32 || src->border != GF_BORDER_CONSTANT)
        return plain;
    for (int32_t c = 0; c < src->channels; c++)
        plain = plain && integer_sample(src->outside[c], src->dtype == GF_U8 ? 255.0f : 65535.0f);
    return plain;
}

static bool is_middling(float v)
{
    return v == 0.0f || (fabsf(v) >= MIN_WEIGHT && fabsf(v) <= MAX_WEIGHT);
}

bool gf_cuda_shifted_weights(const struct gf_cuda_mask *mask, float scale, int sample_bits, float *weights,
                             float *ret_scale)
{
    bool fits = is_middling(scale);
    for (int32_t i = 0; i < mask->width * mask->height; i++) {
        fits = fits && is_middling(mask->coefs[i]);
        weights[i] = ldexpf(mask->coefs[i], sample_bits - SUM_BITS);
    }
    *ret_scale = ldexpf(scale, SUM_BITS);
    return fits;
}

bool gf_cuda_byte_weights(const struct gf_cuda_mask *mask, float scale, int8_t *weights, float *ret_scale)
{
    float max_weight = 0.0f, sum = 0.0f;
    bool fits = is_middling(scale);
    for (int32_t i = 0; i < mask->width * mask->height; i++) {
        fits = fits && is_middling(mask->coefs[i]);
        max_weight = fmaxf(max_weight, fabsf(mask->coefs[i]));
    }
    if (!fits)
        return false;
    int exponent = 0; /* the greatest is in [64, 128) times 2^exponent */
    (void)frexpf(max_weight, &exponent);
    exponent -= 7;
    for (int32_t i = 0; i < mask->width * mask->height; i++) {
        float w = ldexpf(mask->coefs[i], -exponent);
        fits = fits && w == rintf(w);
        weights[i] = (int8_t)w;
        sum += fabsf(w);
    }
    *ret_scale = ldexpf(scale, exponent);
    return fits && sum * 255.0f < (float)BYTE_SUM;
}
