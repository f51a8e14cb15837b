/* SPDX-License-Identifier: MIT */
/*
 * Maps over pictures: by table, by limit, by ramp. Limits and ramps are patterns that repeat along a row, so that the
 * inner loops are the same for any number of channels. Called by threshold, equalize and autocontrast.
 */
#include "intensity.h"

#include "kernels/cpu/device/tiles.h"
#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"
#include "simd_point.h"

#define TASK_SAMPLES (1u << 18) /* samples per task, about */

/* Maps one row of samples. */
typedef void row_fn(const void *context, const void *in, void *out, size_t samples, uint32_t channels);

struct intensity {
    const struct gf_cpu_call *call;
    row_fn *fn;
    const void *context;
};

static void run_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct intensity *t = context;
    const struct gf_buf *in = &t->call->in[0], *out = &t->call->out[0];
    uint64_t rows = gf_cpu_rows_are_one(t->call) ? tile->height : 1;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y += rows)
        t->fn(t->context, (const char *)in->data + y * in->view.pitch, (char *)out->data + y * out->view.pitch,
              (size_t)(rows * tile->width), in->view.channels);
}

static enum gf_status run(const struct gf_cpu_call *call, row_fn *fn, const void *context, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    const struct gf_tiles tiles = gf_whole_rows(view->width * view->channels, view->height, TASK_SAMPLES);
    struct intensity t = {.call = call, .fn = fn, .context = context};
    return gf_cpu_tiles_run(call, &tiles, run_rows, &t, err);
}

struct lookup {
    const struct gf_simd *simd;
    const uint8_t *tables[GF_MAX_CHANNELS];
};

static void table_row_8(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct lookup *lookup = context;
    lookup->simd->point->look_up(lookup->tables, channels, in, out, samples);
}

/* One channel at a time; the row stays in the cache. */
static void table_row_16(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    uint16_t *const *tables = context;
    const uint16_t *from = in;
    uint16_t *to = out;
    for (uint32_t c = 0; c < channels; c++) {
        const uint16_t *table = tables[c];
        for (size_t i = c; i < samples; i += channels)
            to[i] = table != NULL ? table[from[i]] : from[i];
    }
}

static enum gf_status by_table_of_bytes(const struct gf_cpu_call *call, uint16_t *const tables[GF_MAX_CHANNELS],
                                        struct gf_error *err)
{
    uint8_t bytes[GF_MAX_CHANNELS][256];
    struct lookup lookup = {.simd = call->simd};
    for (uint32_t c = 0; c < call->in[0].view.channels; c++) {
        for (uint32_t v = 0; v < 256; v++)
            bytes[c][v] = (uint8_t)(tables[c] != NULL ? tables[c][v] : v);
        lookup.tables[c] = bytes[c];
    }
    return run(call, table_row_8, &lookup, err);
}

enum gf_status gf_cpu_intensity_by_table(const struct gf_cpu_call *call, uint16_t *const tables[GF_MAX_CHANNELS],
                                         struct gf_error *err)
{
    if (call->in[0].view.dtype == GF_U8)
        return by_table_of_bytes(call, tables, err);
    return run(call, table_row_16, tables, err);
}

struct limit {
    const struct gf_simd *simd;
    uint32_t dtype;
    struct gf_cpu_limit pattern;
};

static void limit_row(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct limit *limit = context;
    (void)channels;
    limit->simd->point->limit(limit->dtype, &limit->pattern, in, out, samples);
}

/* Computes brightness (and alpha where the row has it) in blocks that stay in the cache, and applies the limit. */
static void brightness_row(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct limit *limit = context;
    const size_t size = gf_dtype_size(limit->dtype), pixels = samples / channels, made = channels == 4 ? 2 : 1;
    union gf_cpu_pattern block[8];
    const size_t max_pixels = sizeof(block) / (made * size);
    for (size_t done = 0, n; done < pixels; done += n) {
        n = pixels - done < max_pixels ? pixels - done : max_pixels;
        limit->simd->samples->brightness(limit->dtype, channels, (const char *)in + done * channels * size, block, n);
        limit->simd->point->limit(limit->dtype, &limit->pattern, block, (char *)out + done * made * size, n * made);
    }
}

enum gf_status gf_cpu_intensity_by_limit(const struct gf_cpu_call *call, const struct gf_cpu_limits *limits,
                                         struct gf_error *err)
{
    const struct gf_view *view = &call->out[0].view;
    struct limit limit = {.simd = call->simd, .dtype = view->dtype};
    struct gf_cpu_limit *p = &limit.pattern;
    p->keeps = limits->n < view->channels;
    p->stream = gf_view_bytes(&call->out[0].view) >= GF_STREAM_BYTES;
    p->same = !p->keeps;
    for (uint32_t c = 1; c < limits->n; c++)
        p->same = p->same && limits->limit[c] == limits->limit[0];
    const float min = gf_sample_min(view->dtype), max = gf_sample_max(view->dtype);
    for (uint32_t i = 0; i < GF_PATTERN; i++) {
        uint32_t c = i % view->channels;
        bool kept = c >= limits->n, reachable = !kept && limits->limit[c] <= max;
        float threshold = reachable && limits->limit[c] > min ? ceilf(limits->limit[c]) : min;
        if (view->dtype == GF_U8) {
            p->threshold.u8[i] = (uint8_t)threshold;
            p->high.u8[i] = reachable ? 255 : 0;
            p->keep.u8[i] = kept ? 255 : 0;
        } else if (view->dtype == GF_U16) {
            p->threshold.u16[i] = (uint16_t)threshold;
            p->high.u16[i] = reachable ? 65535 : 0;
            p->keep.u16[i] = kept ? 65535 : 0;
        } else if (view->dtype == GF_I16) {
            p->threshold.i16[i] = (int16_t)threshold;
            p->high.i16[i] = reachable ? INT16_MAX : 0;
            p->keep.i16[i] = kept ? -1 : 0;
        } else {
            p->threshold.f32[i] = kept ? 0.0f : limits->limit[c];
            p->high.u32[i] = kept ? 0 : 0x3F800000u;
            p->keep.u32[i] = kept ? UINT32_MAX : 0;
        }
    }
    return run(call, view->channels != call->in[0].view.channels ? brightness_row : limit_row, &limit, err);
}

struct ramp {
    const struct gf_simd *simd;
    struct gf_cpu_ramp pattern;
};

static void ramp_row(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct ramp *ramp = context;
    (void)channels;
    ramp->simd->point->ramp(&ramp->pattern, in, out, samples);
}

enum gf_status gf_cpu_intensity_by_ramp(const struct gf_cpu_call *call, const struct gf_cpu_ramps *ramps,
                                        struct gf_error *err)
{
    struct ramp ramp = {.simd = call->simd};
    for (uint32_t i = 0; i < GF_PATTERN; i++) {
        uint32_t c = i % call->in[0].view.channels;
        ramp.pattern.lo[i] = ramps->lo[c];
        ramp.pattern.slope[i] = ramps->slope[c];
        ramp.pattern.keep[i] = ramps->change[c] ? 0 : UINT32_MAX;
    }
    return run(call, ramp_row, &ramp, err);
}
