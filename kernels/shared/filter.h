/* SPDX-License-Identifier: MIT */
/*
 * A prepared linear filter: mask, weights, anchors, factors, border values, the role of alpha, the light tables. Made
 * once per step on the host by kernels/shared/filter.c, alike for both backends, so that nothing a result depends on is
 * computed twice. docs/numerics.md has the formulas.
 */
#ifndef GF_KERNELS_FILTER_H
#define GF_KERNELS_FILTER_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gf_filter_kind {
    GF_FILTER_MASK,      /* width x height coefficients, row by row, in the order of correlation */
    GF_FILTER_SEPARABLE, /* rows of width taps, then columns of height taps */
    GF_FILTER_BOX,       /* means over width x height; no coefficients */
    GF_FILTER_STENCIL,   /* built-in 3 x 3 masks without their zeros */
    GF_FILTER_DISC       /* bilateral: pixels of a disc, with weights that depend on the pixels; not linear */
};

/* The computation between the columns of a SEPARABLE filter and its scale, numerics.md, "Filters". */
enum gf_filter_after {
    GF_AFTER_NOTHING,
    GF_AFTER_UNSHARP, /* acc = |d| < threshold ? x : fmaf(amount, d, x), d = x - acc, where x is the filtered pixel
                       * itself */
    GF_AFTER_SUM      /* acc += the result of rows of second_x and columns of second_y */
};

/* The distance between the two places of a difference: across a row, or down a column. */
#define GF_STENCIL_ACROSS 2
#define GF_STENCIL_DOWN 6

/* One chain of a STENCIL. The term of a place is its sample or, in a gradient, its sample less the one at
 * place - apart. */
struct gf_stencil {
    uint32_t n;
    uint32_t place[9]; /* 3 * ky + kx, ascending */
    float weight[9];   /* never 0 */
    uint32_t apart;    /* 0: terms are samples; otherwise GF_STENCIL_* */
};

/* The weights of a bilateral filter, numerics.md, "bilateral". 2^f for |f| <= 1/2, to 1e-7: 1 + f * (C1 + f * (C2 +
 * ...)). */
#define GF_EXP2_C1 0x1.62e42ap-1f
#define GF_EXP2_C2 0x1.ebf9bcp-3f
#define GF_EXP2_C3 0x1.c6b752p-5f
#define GF_EXP2_C4 0x1.3cea88p-7f
#define GF_EXP2_C5 0x1.5bba14p-10f
/* Pixels with a smaller exponent do not count, so all weights are normal numbers. */
#define GF_EXP2_MIN (-125.0f)
/* Adding it rounds a number of small magnitude to an integer, which is then in the low bits. */
#define GF_EXP2_WHOLE 0x1.8p23f

/* A pixel of the disc other than its centre; (0, 0) is the top left of the square around the disc. */
struct gf_disc_tap {
    float space; /* the base 2 logarithm of its weight */
    uint16_t row, column;
};

struct gf_filter {
    enum gf_filter_kind kind;
    uint32_t width, height; /* of the mask, or taps per axis */
    uint32_t anchor_x, anchor_y;
    uint32_t origin_x, origin_y;         /* pixel (0,0) of the result in the source: 0, or the anchor for size=valid;
                                          * tap kx of result x reads source x + origin_x + kx - anchor_x */
    float *coefs;                        /* MASK: width*height; owned */
    float *taps_x, *taps_y;              /* SEPARABLE; owned */
    enum gf_filter_after after;          /* SEPARABLE */
    float *second_x, *second_y;          /* AFTER_SUM: as many as in taps_x and taps_y; owned */
    float amount, threshold;             /* AFTER_UNSHARP */
    struct gf_stencil stencils[2];       /* STENCIL; acc is the first chain; with two chains gx and gy it is the */
    uint32_t n_stencils;                 /* gradient sqrtf(fmaf(gx, gx, gy * gy)) */
    struct gf_disc_tap *disc;            /* DISC: its pixels, row by row, without pixels too far away to count; owned */
    uint32_t n_disc;                     /* the exponent of a pixel is fmaf(square of its difference, range, space) */
    float range;                         /* DISC */
    float scale, offset;                 /* v = fmaf(acc, scale, offset) */
    uint32_t border;                     /* GF_BORDER_* */
    float border_value[GF_MAX_CHANNELS]; /* per channel, in sample units before decoding, alpha included */
    uint32_t alpha;     /* GF_ALPHA_PREMULTIPLIED, STRAIGHT or IGNORE; STRAIGHT without alpha. PREMULTIPLIED only if the
                         * result has the type of the input */
    bool linear;        /* decode, filter, encode; u8, u16 only */
    bool integer_exact; /* only for u8, u16, i16. MASK: the exactness rule of numerics.md holds, so any evaluation
                         * order is allowed; the mask is then int_coefs * 2^exponent. BOX: the exact sum of integer
                         * samples is converted once; without the flag the rule for f32 applies. If it is set, the
                         * border values of filtered channels are integer samples, and nothing is decoded or
                         * premultiplied */
    int32_t *int_coefs; /* owned, NULL unless MASK and integer_exact */
    int exponent;
};

#define GF_FILTER_NULL ((struct gf_filter){0})

/* How many samples a stencil reads: at most nine. */
static inline uint32_t gf_stencil_samples(const struct gf_stencil *s)
{
    return s->apart == 0 ? s->n : 2 * s->n;
}

/* Prepares the filter of a step whose op is a linear filter, or a named filter made of linear ones. `mask` is a private
 * copy with its view, NULL for ops without a mask. BAD_PARAM: a mask that is not finite, a zero sum to divide by, a
 * constant border that linear light cannot decode. NO_MEMORY. On success the caller must call gf_filter_deinit. */
enum gf_status gf_filter_init(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *mask, struct gf_error *err);
void gf_filter_deinit(struct gf_filter *f);

/* The greatest sample of an image: 255, 65535, 32767, or 1 for floats (alpha's upper bound); the least sample of
 * integers; the greatest magnitude of integers. */
float gf_sample_max(uint32_t dtype);
float gf_sample_min(uint32_t dtype);
float gf_sample_magnitude(uint32_t dtype);
/* Whether a channel is alpha by its position: the last of 2 or 4. */
bool gf_is_alpha(uint32_t channels, uint32_t channel);

/* The tables of linear light, numerics.md, "Linear light", made at first use, thread-safe, in light.c: dec[v] for v =
 * 0..M, and T[k] for k = 1..M (T[0] is unused). `max` is 255 or 65535. Static memory. */
struct gf_light_tables {
    const float *decode;
    const float *encode;
};
struct gf_light_tables gf_light_tables(uint32_t max);

/* The index that a border maps i to, for any i and n >= 1; -1 for a constant border. */
int64_t gf_border_index(uint32_t border, int64_t i, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
