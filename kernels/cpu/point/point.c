/* SPDX-License-Identifier: MIT */
/*
 * Applies one formula to all samples: tiles of rows for the threads, and chunks of a row that stay in the L1 cache.
 * Called by map.c and combine.c.
 */
#include "point.h"

#include "kernels/cpu/device/tiles.h"

/* Samples per chunk, and per task. */
#define CHUNK_SAMPLES 2048u
#define TASK_SAMPLES (128u * 1024u)

void gf_cpu_point_init(struct gf_cpu_point *p, const struct gf_cpu_call *call, bool copies_alpha)
{
    const struct gf_view *src = &call->in[0].view, *dst = &call->out[0].view;
    uint32_t channels = copies_alpha ? src->channels : 1;
    uint64_t samples = src->width * src->channels;
    *p = (struct gf_cpu_point){.call = call, .pixels = samples / channels};
    p->source = (struct gf_cpu_source){.dtype = src->dtype, .channels = channels};
    /* x * 1 + -0 is x, for both zeros. */
    p->target = (struct gf_cpu_target){.dtype = dst->dtype,
                                       .channels = channels,
                                       .alpha_dtype = src->dtype,
                                       .scale = 1.0f,
                                       .offset = -0.0f,
                                       .copy_alpha = copies_alpha,
                                       .stream = !copies_alpha && gf_view_bytes(dst) >= GF_STREAM_BYTES};
}

static const unsigned char *row_of(const struct gf_buf *buf, uint64_t y)
{
    return (const unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch;
}

/* Whether a second picture is read. A table does not count as a picture. */
static bool has_other(const struct gf_cpu_call *call)
{
    return call->in[1].data != NULL && !gf_input_is_copied(&call->step->op->inputs[1]);
}

/* Computes `rows` rows from y on directly from samples to samples, if the types and the formula allow it; otherwise
 * returns false and does nothing. */
static bool run_at_once(const struct gf_cpu_point *p, uint64_t y, uint64_t rows)
{
    const struct gf_cpu_call *call = p->call;
    uint32_t dtype = p->source.dtype;
    bool two = has_other(call);
    unsigned char *dst = (unsigned char *)call->out[0].data + (size_t)y * (size_t)call->out[0].view.pitch;
    size_t n = (size_t)(rows * p->pixels) * p->source.channels;
    if (p->tables[0])
        call->simd->point->look_up(p->tables, p->source.channels, row_of(&call->in[0], y), dst, n);
    else if (dtype != p->target.dtype || p->target.copy_alpha || p->formula)
        return false;
    else if (two && (dtype == GF_U8 || dtype == GF_F32))
        call->simd->point->blend(dtype, p->mode, p->factors, row_of(&call->in[0], y), row_of(&call->in[1], y), dst, n,
                                 p->target.stream);
    else if (!two && dtype == GF_F32)
        call->simd->point->scale(p->target.scale, p->target.offset, row_of(&call->in[0], y), dst, n, p->target.stream);
    else
        return false;
    return true;
}

static void run_row(const struct gf_cpu_point *p, uint64_t y)
{
    _Alignas(64) float a[CHUNK_SAMPLES], b[CHUNK_SAMPLES];
    const struct gf_cpu_call *call = p->call;
    const struct gf_simd *simd = call->simd;
    size_t from = p->source.channels * gf_dtype_size(p->source.dtype);
    size_t to = p->target.channels * gf_dtype_size(p->target.dtype);
    unsigned char *dst = (unsigned char *)call->out[0].data + (size_t)y * (size_t)call->out[0].view.pitch;
    bool two = has_other(call);
    for (uint64_t x = 0; x < p->pixels; x += CHUNK_SAMPLES / p->source.channels) {
        uint64_t left = p->pixels - x;
        size_t n = left < CHUNK_SAMPLES / p->source.channels ? (size_t)left : CHUNK_SAMPLES / p->source.channels;
        const unsigned char *src = row_of(&call->in[0], y) + x * from;
        simd->samples->load(&p->source, src, a, n);
        if (two) {
            simd->samples->load(&p->source, row_of(&call->in[1], y) + x * from, b, n);
            simd->point->combine(p->mode, p->factors, a, b, n * p->source.channels);
        }
        if (p->formula)
            simd->point->formula(p->formula, a, n * p->source.channels);
        simd->samples->store(&p->target, a, src, dst + x * to, n);
    }
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_point *p = context;
    uint64_t step = gf_cpu_rows_are_one(p->call) ? tile->height : 1;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y += step)
        if (!run_at_once(p, y, step))
            for (uint64_t row = y; row < y + step; row++)
                run_row(p, row);
}

enum gf_status gf_cpu_point_run(struct gf_cpu_point *p, struct gf_error *err)
{
    const struct gf_view *view = &p->call->in[0].view;
    const struct gf_tiles tiles = gf_whole_rows(view->width * view->channels, view->height, TASK_SAMPLES);
    return gf_cpu_tiles_run(p->call, &tiles, run_tile, p, err);
}
