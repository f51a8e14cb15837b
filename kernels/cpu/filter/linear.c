/* SPDX-License-Identifier: MIT */
/*
 * Linear filters on the CPU: resolves the filter and lets the pool compute the tiles of its plan. The tiling changes no
 * bit: every output is a chain of its own.
 */
#include "linear.h"

#include "kernels/cpu/simd/light_estimate.h"
#include "protocol/ops/enums.h"

/* In the order of enum gf_filter_engine. */
static gf_cpu_tile_fn *const g_engines[] = {gf_cpu_fir_tile, gf_cpu_box_tile, gf_cpu_box_sum_tile,
                                            gf_cpu_box_bytes_tile, gf_cpu_bilateral_tile};

static enum gf_filter_engine choose_engine(const struct gf_cpu_linear *p)
{
    if (p->f->kind == GF_FILTER_DISC)
        return GF_ENGINE_DISC;
    if (p->f->kind != GF_FILTER_BOX)
        return GF_ENGINE_TAPS;
    if (gf_cpu_box_of_bytes(p->f, p))
        return GF_ENGINE_BOX_BYTES;
    return gf_cpu_box_in_integers(p->f, p->src.view.dtype) ? GF_ENGINE_BOX_SUMS : GF_ENGINE_BOX;
}

static void load_pixels(const void *context, const void *from, void *to, size_t pixels)
{
    const struct gf_cpu_linear *p = context;
    p->simd->samples->load(&p->source, from, to, pixels);
}

static void init_ends(struct gf_cpu_linear *p)
{
    const struct gf_filter *f = p->f;
    uint32_t dtype = p->src.view.dtype;
    float max = gf_sample_max(dtype);
    bool premultiplied = f->alpha == GF_ALPHA_PREMULTIPLIED;
    p->source = (struct gf_cpu_source){.dtype = dtype, .channels = p->channels, .premultiply = premultiplied};
    p->target = (struct gf_cpu_target){.dtype = p->dst.view.dtype,
                                       .channels = p->channels,
                                       .alpha_dtype = dtype,
                                       .scale = f->scale,
                                       .offset = f->offset,
                                       .max = max,
                                       .unpremultiply = premultiplied,
                                       .copy_alpha = f->alpha == GF_ALPHA_IGNORE};
    p->target.stream = !p->target.copy_alpha && gf_view_bytes(&p->dst.view) >= GF_STREAM_BYTES;
    if (f->linear) {
        struct gf_light_tables tables = gf_light_tables((uint32_t)max);
        p->source.decode = tables.decode;
        p->target.encode = tables.encode;
        p->target.encode_estimate = gf_cpu_light_estimate((uint32_t)max);
    }
    for (uint32_t c = 0; c < p->channels; c++) {
        float v = f->border_value[c];
        bool decode = f->linear && f->border == GF_BORDER_CONSTANT && !gf_is_alpha(p->channels, c);
        p->source.border[c] = decode ? p->source.decode[(uint32_t)v] : v;
    }
    p->border =
        (struct gf_cpu_border){f->border, &p->src, load_pixels, p, p->channels * sizeof(float), p->source.border};
}

static enum gf_status run_filter(const struct gf_cpu_call *call, const struct gf_filter *f, struct gf_error *err)
{
    struct gf_cpu_linear p = {.f = f,
                              .simd = call->simd,
                              .src = call->in[0],
                              .dst = call->out[0],
                              .channels = call->in[0].view.channels,
                              .plan = gf_filter_plan(call->step, &call->in[1].view, gf_cpu_pool_threads(call->pool))};
    init_ends(&p);
    const enum gf_filter_engine engine = choose_engine(&p);
    p.plan.tiles.room = gf_filter_scratch(&p.plan, engine, p.channels - (f->alpha == GF_ALPHA_IGNORE ? 1 : 0));
    return gf_cpu_tiles_run(call, &p.plan.tiles, g_engines[engine], &p, err);
}

enum gf_status gf_cpu_filter_step(const struct gf_cpu_call *call, struct gf_error *err)
{
    gf_cleanup(gf_filter_deinit) struct gf_filter f = GF_FILTER_NULL;
    const struct gf_buf *mask = call->step->op->n_inputs > 1 ? &call->in[1] : NULL;
    enum gf_status status = gf_filter_init(&f, call->step, &call->in[0].view, mask, err);
    if (status != GF_OK)
        return status;
    return run_filter(call, &f, err);
}
