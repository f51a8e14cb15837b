/* SPDX-License-Identifier: MIT */
/*
 * Medians of 3 x 3, in strips, two rows at a time. Integer samples are read in place. Floats are read in place too
 * until one is negative or NaN; from then on the strip's rows are converted to keys, each row once. The first and the
 * last column, whose windows reach outside the picture, are computed pixel by pixel. Called by rank_filter.c.
 */
#include "median3.h"

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/rank/simd_rank.h"
#include "kernels/shared/filter.h"

#define RING GF_RANK_RING

struct medians {
    const struct gf_cpu_call *call;
    const struct gf_rank *rank;
    struct gf_buf src, dst;
    int64_t width, height;
    uint32_t channels, dtype;
    size_t sample, pixel; /* bytes */
    bool in_keys;
    size_t line_bytes;
};

/* A strip of columns and rows, and its lines. */
struct strip {
    int64_t x0, x1, y0, y1;
    unsigned char *lines;
    bool plain;         /* no float so far was negative or NaN, so the samples are their own keys */
    int64_t held[RING]; /* the source row in each line; -1: none */
};

#define RANK_T int32_t
#define RANK_FN static inline
#define RANK_NAME(name) scalar_##name
#define RANK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RANK_MAX(a, b) ((a) < (b) ? (b) : (a))
#include "kernels/shared/rank/rank_network.def"

static const unsigned char *source_at(const struct medians *m, int64_t y, int64_t x)
{
    return (const unsigned char *)m->src.data + (size_t)y * m->src.view.pitch + (size_t)x * m->pixel;
}

static int32_t key_at(const struct medians *m, int64_t y, int64_t x, uint32_t c)
{
    if (y < 0 || x < 0)
        return m->rank->outside[c];
    const unsigned char *at = source_at(m, y, x) + c * m->sample;
    uint16_t u16;
    float f32;
    if (m->dtype == GF_U8)
        return *at - 128;
    if (m->dtype == GF_F32) {
        memcpy(&f32, at, sizeof f32);
        return gf_rank_float_key(f32);
    }
    memcpy(&u16, at, sizeof u16);
    return m->dtype == GF_F16 ? gf_rank_half_key(u16) : m->dtype == GF_I16 ? (int16_t)u16 : u16 - 32768;
}

/* Stores the sample of a key. */
static void put_key(const struct medians *m, int64_t y, int64_t x, uint32_t c, int32_t key)
{
    unsigned char *at = (unsigned char *)m->dst.data + (size_t)y * m->dst.view.pitch + (size_t)x * m->pixel;
    m->call->simd->rank->from_keys(m->dtype, &key, at + c * m->sample, 1); /* little-endian: the low bytes come first */
}

/* Computes columns x0 .. x1 - 1 of a row pixel by pixel, for columns near an edge. */
static void make_pixels(const struct medians *m, int64_t y, int64_t x0, int64_t x1)
{
    int64_t ys[3], xs[3];
    for (int k = 0; k < 3; k++)
        ys[k] = gf_border_index(m->rank->border, y + k - 1, m->height);
    for (int64_t x = x0; x < x1; x++) {
        for (int k = 0; k < 3; k++)
            xs[k] = gf_border_index(m->rank->border, x + k - 1, m->width);
        for (uint32_t c = 0; c < m->channels; c++) {
            int32_t sorted[3][3];
            for (int j = 0; j < 3; j++) {
                int32_t v[3];
                for (int k = 0; k < 3; k++)
                    v[k] = key_at(m, ys[k], xs[j], c);
                scalar_sort3(v);
                for (int k = 0; k < 3; k++)
                    sorted[k][j] = v[k];
            }
            put_key(m, y, x, c, scalar_median9(sorted[0], sorted[1], sorted[2]));
        }
    }
}

/* Row y of the extended picture from column x - 1 on, `pixels` of it, in the form that the loop reads. */
static const void *row_at(const struct medians *m, struct strip *s, int64_t y, int64_t x, int64_t pixels)
{
    int64_t sy = gf_border_index(m->rank->border, y, m->height);
    if (sy < 0)
        return s->lines + RING * m->line_bytes;
    if (!m->in_keys || s->plain)
        return source_at(m, sy, x - 1);
    /* Four consecutive rows of the extended picture have four different places. */
    size_t place = (size_t)(y + RING) % RING;
    unsigned char *line = s->lines + place * m->line_bytes;
    if (s->held[place] != sy)
        m->call->simd->rank->to_keys(m->dtype, source_at(m, sy, x - 1), line, (size_t)pixels * m->channels);
    s->held[place] = sy;
    return line;
}

/* Fills a line with the constant border in the form that the loop reads: samples of integers, keys of floats. */
static void fill_constant(const struct medians *m, unsigned char *line, int64_t pixels)
{
    for (int64_t x = 0; x < pixels; x++)
        for (uint32_t c = 0; c < m->channels; c++, line += m->sample) {
            if (m->in_keys)
                memcpy(line, &m->rank->outside[c], m->sample);
            else
                m->call->simd->rank->from_keys(m->dtype, &m->rank->outside[c], line, 1);
        }
}

/* Computes columns x0 .. x1 - 1 of one row or two, away from the edges. Returns false if floats were not their own
 * keys. */
static bool make_rows(const struct medians *m, struct strip *s, int64_t y, int n_rows, int64_t x0, int64_t x1)
{
    struct gf_rank_rows rows = {.n = (size_t)(x1 - x0) * m->channels, .step = m->channels, .dtype = m->dtype};
    for (int k = 0; k < n_rows + 2; k++)
        rows.in[k] = row_at(m, s, y + k - 1, x0, x1 - x0 + 2);
    for (int k = 0; k < n_rows; k++)
        rows.out[k] = (unsigned char *)m->dst.data + (size_t)(y + k) * m->dst.view.pitch + (size_t)x0 * m->pixel;
    return m->call->simd->rank->median3(&rows);
}

static void make_strip(const struct medians *m, struct strip *s)
{
    int64_t in0 = s->x0 == 0 ? 1 : s->x0, in1 = s->x1 == m->width ? s->x1 - 1 : s->x1, pixels = in1 - in0 + 2;
    size_t n = in1 > in0 ? (size_t)(in1 - in0) * m->channels : 0;
    if (n < GF_RANK_MIN) {
        for (int64_t y = s->y0; y < s->y1; y++)
            make_pixels(m, y, s->x0, s->x1);
        return;
    }
    if (m->rank->border == GF_BORDER_CONSTANT)
        fill_constant(m, s->lines + RING * m->line_bytes, pixels);
    for (int64_t y = s->y0; y < s->y1; y += 2) {
        int n_rows = y + 1 < s->y1 ? 2 : 1;
        for (int k = 0; k < n_rows; k++) {
            make_pixels(m, y + k, s->x0, in0);
            make_pixels(m, y + k, in1, s->x1);
        }
        if (!make_rows(m, s, y, n_rows, in0, in1) && s->plain) {
            s->plain = false;
            (void)make_rows(m, s, y, n_rows, in0, in1);
        }
    }
}

static void run_strip(void *context, const struct gf_cpu_tile *tile)
{
    struct strip s = {.x0 = (int64_t)tile->x,
                      .x1 = (int64_t)(tile->x + tile->width),
                      .y0 = (int64_t)tile->y,
                      .y1 = (int64_t)(tile->y + tile->height),
                      .lines = tile->room,
                      .plain = true,
                      .held = {-1, -1, -1, -1}};
    make_strip(context, &s);
}

enum gf_status gf_cpu_median3(const struct gf_cpu_call *call, const struct gf_rank *rank,
                              const struct gf_rank_plan *plan, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct medians m = {.call = call,
                        .rank = rank,
                        .src = call->in[0],
                        .dst = call->out[0],
                        .width = (int64_t)view->width,
                        .height = (int64_t)view->height,
                        .channels = view->channels,
                        .dtype = view->dtype,
                        .sample = gf_dtype_size(view->dtype),
                        .in_keys = gf_dtype_kind(view->dtype) == GF_KIND_FLOAT,
                        .line_bytes = plan->pitch};
    m.pixel = m.sample * m.channels;
    return gf_cpu_tiles_run(call, &plan->tiles, run_strip, &m, err);
}
