/* SPDX-License-Identifier: MIT */
/*
 * Maps over pictures: by table, by limit, by a line. Limits and lines go by patterns that repeat along a row, so that
 * the inner loops are the same for any number of channels. Called by threshold, equalize, autocontrast.
 */
#include "tones.h"

#include "protocol/enums.h"

#define PIECE_SAMPLES (1u << 18) /* of one task, about */
#define PATTERN 48u              /* samples: a multiple of 1, 2, 3 and 4, and of vectors */

/* One row of samples. */
typedef void row_fn(const void *context, const void *in, void *out, size_t samples, uint32_t channels);

struct tones {
    const struct gf_cpu_call *call;
    row_fn *fn;
    const void *context;
    uint64_t rows; /* of one task */
    uint32_t stopped;
};

uint32_t gf_cpu_tone_channels(uint32_t channels, uint32_t alpha)
{
    return channels % 2 == 0 && alpha != GF_ALPHA_STRAIGHT ? channels - 1 : channels;
}

static void run_rows(void *context, uint32_t task, uint32_t thread)
{
    struct tones *t = context;
    const struct gf_buf *in = &t->call->in[0], *out = &t->call->out[0];
    uint64_t first = task * t->rows, end = first + t->rows;
    enum gf_status status = gf_cpu_stop_reason(t->call->job);
    (void)thread;
    if (status != GF_OK) {
        __atomic_store_n(&t->stopped, (uint32_t)status, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t y = first; y < end && y < in->view.height; y++)
        t->fn(t->context, (const char *)in->data + y * in->view.pitch, (char *)out->data + y * out->view.pitch,
              (size_t)in->view.width * in->view.channels, in->view.channels);
}

static enum gf_status run(const struct gf_cpu_call *call, row_fn *fn, const void *context, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    uint64_t samples = view->width * view->channels;
    struct tones t = {.call = call, .fn = fn, .context = context};
    t.rows = samples < PIECE_SAMPLES ? PIECE_SAMPLES / samples : 1;
    gf_cpu_pool_run(call->pool, run_rows, &t, (uint32_t)((view->height + t.rows - 1) / t.rows));
    if (t.stopped == GF_OK)
        return GF_OK;
    return gf_error_set(err, (enum gf_status)t.stopped, "%s while tones were changed",
                        t.stopped == GF_E_CANCELLED ? "cancelled" : "the deadline passed");
}

/* Channels one by one: the row stays in the cache. */
static void table_row_8(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    uint16_t *const *tables = context;
    const uint8_t *from = in;
    uint8_t *to = out;
    for (uint32_t c = 0; c < channels; c++) {
        const uint16_t *table = tables[c];
        for (size_t i = c; i < samples; i += channels)
            to[i] = table != NULL ? (uint8_t)table[from[i]] : from[i];
    }
}

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

enum gf_status gf_cpu_tones_by_table(const struct gf_cpu_call *call, uint16_t *const tables[GF_MAX_CHANNELS],
                                     struct gf_error *err)
{
    return run(call, call->in[0].view.dtype == GF_U8 ? table_row_8 : table_row_16, tables, err);
}

/* From `least` on a sample becomes `high`; what `keep` covers stays. */
struct pattern_8 {
    uint8_t least[PATTERN], high[PATTERN], keep[PATTERN];
};
struct pattern_16 {
    uint16_t least[PATTERN], high[PATTERN], keep[PATTERN];
};
struct pattern_f32 {
    float least[PATTERN];
    uint32_t high[PATTERN], keep[PATTERN];
};

static void limit_row_8(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct pattern_8 *p = context;
    const uint8_t *from = in;
    uint8_t *to = out;
    (void)channels;
    for (size_t at = 0; at < samples; at += PATTERN) {
        size_t n = samples - at < PATTERN ? samples - at : PATTERN;
        for (size_t i = 0; i < n; i++) {
            uint8_t v = from[at + i];
            to[at + i] = (uint8_t)((v >= p->least[i] ? p->high[i] : 0) | (v & p->keep[i]));
        }
    }
}

static void limit_row_16(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct pattern_16 *p = context;
    const uint16_t *from = in;
    uint16_t *to = out;
    (void)channels;
    for (size_t at = 0; at < samples; at += PATTERN) {
        size_t n = samples - at < PATTERN ? samples - at : PATTERN;
        for (size_t i = 0; i < n; i++) {
            uint16_t v = from[at + i];
            to[at + i] = (uint16_t)((v >= p->least[i] ? p->high[i] : 0) | (v & p->keep[i]));
        }
    }
}

/* The bits of a float as they are stored: one NaN only. */
static uint32_t stored_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return v != v ? 0x7FC00000u : bits;
}

static void limit_row_f32(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct pattern_f32 *p = context;
    const float *from = in;
    uint32_t *to = out;
    (void)channels;
    for (size_t at = 0; at < samples; at += PATTERN) {
        size_t n = samples - at < PATTERN ? samples - at : PATTERN;
        for (size_t i = 0; i < n; i++) {
            float v = from[at + i];
            to[at + i] = (v >= p->least[i] ? p->high[i] : 0) | (stored_bits(v) & p->keep[i]);
        }
    }
}

enum gf_status gf_cpu_tones_by_limit(const struct gf_cpu_call *call, const struct gf_cpu_limits *limits,
                                     struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct pattern_8 p8 = {0};
    struct pattern_16 p16 = {0};
    struct pattern_f32 p32 = {0};
    float max = view->dtype == GF_U8 ? 255.0f : 65535.0f;
    for (uint32_t i = 0; i < PATTERN; i++) {
        uint32_t c = i % view->channels;
        bool kept = c >= limits->n, reachable = !kept && limits->limit[c] <= max;
        float least = reachable && limits->limit[c] > 0.0f ? ceilf(limits->limit[c]) : 0.0f;
        p8.least[i] = (uint8_t)(view->dtype == GF_U8 ? least : 0.0f);
        p8.high[i] = reachable ? 255 : 0;
        p8.keep[i] = kept ? 255 : 0;
        p16.least[i] = (uint16_t)least;
        p16.high[i] = reachable ? 65535 : 0;
        p16.keep[i] = kept ? 65535 : 0;
        p32.least[i] = kept ? 0.0f : limits->limit[c];
        p32.high[i] = kept ? 0 : 0x3F800000u;
        p32.keep[i] = kept ? UINT32_MAX : 0;
    }
    if (view->dtype == GF_U8)
        return run(call, limit_row_8, &p8, err);
    if (view->dtype == GF_U16)
        return run(call, limit_row_16, &p16, err);
    return run(call, limit_row_f32, &p32, err);
}

static void line_row(const void *context, const void *in, void *out, size_t samples, uint32_t channels)
{
    const struct gf_cpu_lines *lines = context;
    const float *from = in;
    uint32_t *to = out;
    for (uint32_t c = 0; c < channels; c++) {
        bool change = lines->change[c];
        float lo = lines->lo[c], slope = lines->slope[c];
        for (size_t i = c; i < samples; i += channels)
            to[i] = stored_bits(change ? (from[i] - lo) * slope : from[i]);
    }
}

enum gf_status gf_cpu_tones_by_line(const struct gf_cpu_call *call, const struct gf_cpu_lines *lines,
                                    struct gf_error *err)
{
    return run(call, line_row, lines, err);
}
