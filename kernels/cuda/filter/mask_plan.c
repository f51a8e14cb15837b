/* SPDX-License-Identifier: MIT */
/* Chooses the kernel of a mask or a stencil and sets its weights. Called by filter_plan.c. */
#include <math.h>
#include <string.h>

#include "filter_pass.h"
#include "kernels/shared/filter.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"

/* With weights and scale zero or between these bounds, every sum of 225 terms keeps all its bits. */
#define MIN_WEIGHT 0x1p-32f
#define MAX_WEIGHT 0x1p32f
#define SUM_BITS 64        /* the chain is scaled by 2^-SUM_BITS */
#define BYTE_SUM (1 << 22) /* integer sums stay below this */
#define SMALL_SIDE 7       /* largest side of an unrolled mask */

static bool integer_sample(float v, float max)
{
    return v >= 0.0f && v <= max && v == rintf(v);
}

/* Whether sums can be made of the stored samples of one channel and stored after one fma: no light, no alpha other than
 * as a colour, and a constant border that a sample can represent. */
static bool is_stored(const struct gf_cuda_source *src, const struct gf_cuda_target *dst)
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

/* Scales the chain: samples * 2^-sample_bits with weights * 2^(sample_bits - 64). All terms and sums are the chain's
 * times 2^-64, none too large or too small for it, so that the target's scale times 2^64 gives the same bits. Returns
 * false where a weight or the scale is too far from 1. */
static bool shifted_weights(const float *coefs, int32_t n, int sample_bits, float *weights, float *scale)
{
    bool fits = is_middling(*scale);
    for (int32_t i = 0; i < n; i++) {
        fits = fits && is_middling(coefs[i]);
        weights[i] = ldexpf(coefs[i], sample_bits - SUM_BITS);
    }
    if (fits)
        *scale = ldexpf(*scale, SUM_BITS);
    return fits;
}

/* Writes the mask as 8-bit integers times a power of two, and moves the power into the scale. Returns false where the
 * mask has no such form, or where sums of 8-bit samples may reach 2^22. Below 2^22, every order of summation gives the
 * bits of the chain. */
static bool byte_weights(const float *coefs, int32_t n, int8_t *weights, float *scale)
{
    float max_weight = 0.0f, sum = 0.0f;
    bool fits = is_middling(*scale);
    for (int32_t i = 0; i < n; i++) {
        fits = fits && is_middling(coefs[i]);
        max_weight = fmaxf(max_weight, fabsf(coefs[i]));
    }
    if (!fits)
        return false;
    int exponent = 0; /* the largest weight lies in [64, 128) * 2^exponent */
    (void)frexpf(max_weight, &exponent);
    exponent -= 7;
    for (int32_t i = 0; i < n; i++) {
        float w = ldexpf(coefs[i], -exponent);
        fits = fits && w == rintf(w);
        weights[i] = (int8_t)w;
        sum += fabsf(w);
    }
    fits = fits && sum * 255.0f < (float)BYTE_SUM;
    if (fits)
        *scale = ldexpf(*scale, exponent);
    return fits;
}

/* Whether mask_u8.cu, mask_u16.cu or mask_f32.cu has a kernel over stored samples. Kernels exist for one and three
 * channels, since alpha is rarely filtered as one more colour. With the result in the source's type: small masks; large
 * masks except over 16 bits, and except integer sums of three channels. With another result type: 3 x 3 masks to the
 * default types of the named filters. */
static bool has_raw_kernel(const struct gf_cuda_filter_pass *pass, int32_t side, bool bytes)
{
    uint32_t from = pass->src.dtype, to = pass->dst.dtype;
    if (pass->src.channels % 2 == 0)
        return false;
    if (from != to)
        return side == 3 && (bytes ? to == GF_F32 || to == GF_I16 : from == GF_U16 && to == GF_F32);
    return side <= SMALL_SIDE || (from != GF_U16 && (pass->src.channels == 1 || !bytes));
}

/* Whether a kernel takes the mask's coefficients as kernel arguments: square, anchored in the centre, with one of the
 * usual sides; with two channels only the small sides. */
static bool is_in_launch(const struct gf_cuda_any_mask *mask, int32_t channels)
{
    int32_t side = mask->width, max = channels == 2 ? 5 : 15;
    return side % 2 == 1 && side >= 3 && side <= max && side != 13 && mask->height == side &&
           mask->shift_x == -(side / 2) && mask->shift_y == -(side / 2);
}

/* Plans a mask passed as a kernel argument over stored samples. Returns false where no kernel exists for the case. */
static bool plan_raw_mask(struct gf_cuda_filter_pass *pass, const float *coefs, int32_t side)
{
    struct gf_cuda_mask *mask = &pass->mask;
    uint32_t from = pass->src.dtype;
    int32_t n = side * side;
    mask->side = side;
    if (from == GF_I16 || from == GF_F16 || !is_stored(&pass->src, &pass->dst))
        return false;
    if (from == GF_U8 && has_raw_kernel(pass, side, true) &&
        byte_weights(coefs, n, mask->weights.bytes, &pass->dst.scale)) {
        pass->launch = gf_cuda_mask_bytes_launch;
        return true;
    }
    if (!has_raw_kernel(pass, side, false))
        return false;
    if (from == GF_F32) {
        memcpy(mask->weights.chain, coefs, (size_t)n * sizeof(*coefs));
        pass->launch = gf_cuda_mask_f32_launch;
        return true;
    }
    pass->launch = from == GF_U8 ? gf_cuda_mask_u8_launch : gf_cuda_mask_u16_launch;
    return shifted_weights(coefs, n, from == GF_U8 ? GF_CUDA_BYTE_BITS : GF_CUDA_SHORT_BITS, mask->weights.chain,
                           &pass->dst.scale);
}

void gf_cuda_mask_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f)
{
    const struct gf_cuda_source *src = &pass->src;
    const struct gf_cuda_target *dst = &pass->dst;
    struct gf_cuda_any_mask any = {.width = (int32_t)f->width, .height = (int32_t)f->height};
    any.shift_x = dst->samples == src->width * src->channels ? -(int32_t)f->anchor_x : 0;
    any.shift_y = dst->height == src->height ? -(int32_t)f->anchor_y : 0;
    if (!is_in_launch(&any, src->channels)) {
        pass->any_mask = any;
        pass->launch = gf_cuda_any_mask_launch;
    } else if (!plan_raw_mask(pass, f->coefs, any.width)) {
        memcpy(pass->mask.weights.chain, f->coefs, (size_t)f->width * f->height * sizeof(*f->coefs));
        pass->launch = gf_cuda_mask_launch;
    }
}

/* Plans the magnitude of two stencils over stored bytes. Returns false where no kernel exists for the case. */
static bool plan_raw_magnitude(struct gf_cuda_filter_pass *pass, struct gf_cuda_stencil *stencil)
{
    bool fits = pass->src.dtype == GF_U8 && (pass->dst.dtype == GF_F32 || pass->dst.dtype == GF_U8) &&
                pass->src.channels % 2 != 0 && is_stored(&pass->src, &pass->dst);
    for (uint32_t i = 0; i < 18 && fits; i++) {
        float weight = stencil->chains[i / 9].weight[i % 9];
        stencil->bytes[i / 9][i % 9] = (int8_t)weight;
        fits = (float)stencil->bytes[i / 9][i % 9] == weight;
    }
    return fits;
}

/* The weights of the three differences are the outer, the middle and the outer one. */
struct gf_cuda_gradient gf_cuda_gradient_of(const struct gf_filter *f)
{
    return (struct gf_cuda_gradient){f->stencils[0].weight[0], f->stencils[0].weight[1]};
}

static enum gf_cuda_stencil_what result_of(const struct gf_filter *f)
{
    if (f->n_stencils == 2)
        return GF_CUDA_MAGNITUDE;
    if (f->stencils[0].apart == 0)
        return GF_CUDA_TAPS;
    return f->stencils[0].apart == GF_STENCIL_ACROSS ? GF_CUDA_ACROSS : GF_CUDA_DOWN;
}

/* The mask of a stencil. Sums of its taps are sums of differences where both are exact, as over integers. */
static struct gf_cuda_chain chain_of(const struct gf_stencil *s)
{
    struct gf_cuda_chain chain = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        chain.present |= 1u << s->place[i];
        chain.weight[s->place[i]] = s->weight[i];
        if (s->apart > 0)
            chain.weight[s->place[i] - s->apart] = -s->weight[i];
    }
    return chain;
}

/* For a single chain over integers, zero taps do not change the sum, so the full mask kernel serves where it exists. */
void gf_cuda_stencil_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f, bool inexact_roots)
{
    struct gf_cuda_stencil stencil = {.what = result_of(f), .gradient = gf_cuda_gradient_of(f)};
    for (uint32_t n = 0; n < f->n_stencils; n++)
        stencil.chains[n] = chain_of(&f->stencils[n]);
    const bool single = stencil.what != GF_CUDA_MAGNITUDE;
    if (single && pass->src.dtype != GF_F32 && plan_raw_mask(pass, stencil.chains[0].weight, 3))
        return;
    if (single)
        pass->launch = gf_cuda_stencil_launch;
    else if (inexact_roots)
        pass->launch = gf_cuda_whole_roots_launch;
    else
        pass->launch = plan_raw_magnitude(pass, &stencil) ? gf_cuda_raw_magnitude_launch : gf_cuda_stencil_launch;
    pass->stencil = stencil;
}
