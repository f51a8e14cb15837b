/* SPDX-License-Identifier: MIT */
/* The form of convolve1d and correlate1d, and the integers that they refuse. Called by every backend. */
#include "conv1d.h"

#include <inttypes.h>
#include <math.h>

#include "matmul.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/convolve1d.h"
#include "protocol/ops/params/correlate1d.h"

/* The parameters that both ops have. */
struct conv1d_params {
    uint32_t mode, axis, border, overflow;
    double border_value;
    struct gf_u32v anchor;
};

static struct conv1d_params params_of(const struct gf_step *step)
{
    const struct gf_convolve1d_params v = gf_convolve1d_params_get(&step->params);
    const struct gf_correlate1d_params r = gf_correlate1d_params_get(&step->params);
    if (step->op->index == GF_INDEX_convolve1d)
        return (struct conv1d_params){v.mode, v.axis, v.border, v.overflow, v.border_value, v.anchor};
    return (struct conv1d_params){r.mode, r.axis, r.border, r.overflow, r.border_value, r.anchor};
}

/* Whether sums of integers of a dtype may exceed i64. */
static bool may_overflow(uint32_t dtype, uint64_t taps)
{
    unsigned bits = (unsigned)gf_dtype_size(dtype) * 8;
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    uint64_t max = is_signed ? 1ull << (bits - 1) : (1ull << bits) - 1;
    return max * max > gf_matmul_limit(taps);
}

struct gf_conv1d gf_conv1d_init(const struct gf_step *step, const struct gf_view *src, const struct gf_view *kernel)
{
    struct conv1d_params p = params_of(step);
    uint32_t taps = (uint32_t)kernel->width;
    uint32_t anchor = p.anchor.n > 0 ? p.anchor.v[0] : taps / 2;
    struct gf_conv1d conv1d = {.taps = taps,
                               .flip = step->op->index == GF_INDEX_convolve1d,
                               .cols = p.axis == GF_AXIS_COLS,
                               .bounded = p.mode == GF_CONVOLUTION_FULL,
                               .border = p.border,
                               .value = p.border_value};
    if (p.mode == GF_CONVOLUTION_SAME)
        conv1d.shift = conv1d.flip ? taps - 1 - anchor : anchor;
    else if (p.mode == GF_CONVOLUTION_FULL)
        conv1d.shift = taps - 1;
    if (p.mode != GF_CONVOLUTION_SAME)
        conv1d.border = GF_BORDER_REPLICATE; /* positions outside are never read */
    conv1d.checked =
        gf_dtype_kind(src->dtype) != GF_KIND_FLOAT && p.overflow == GF_OVERFLOW_ERROR && may_overflow(src->dtype, taps);
    return conv1d;
}

uint64_t gf_conv1d_max_magnitude(const struct gf_conv1d *conv1d, uint64_t magnitude)
{
    uint64_t outside = conv1d->border == GF_BORDER_CONSTANT ? (uint64_t)fabs(conv1d->value) : 0;
    return outside > magnitude ? outside : magnitude;
}

enum gf_status gf_conv1d_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err)
{
    return gf_error_set(err, GF_E_RESULT_OVERFLOW,
                        "%s: the greatest |element| times the greatest |tap| is %" PRIu64
                        "; that times the number of taps must be at most 2^63-1; overflow=wrap computes modulo "
                        "2^64",
                        step->op->name, product);
}
