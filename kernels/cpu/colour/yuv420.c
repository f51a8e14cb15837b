/* SPDX-License-Identifier: MIT */
/*
 * Converts RGB to planes of YCbCr 4:2:0 and back on the CPU: nv12, i420 and rgb420. A task is a piece of pairs of rows;
 * a pair shares a row of chroma. Bytes are converted in registers (simd_yuv420.c). Other types, and the pixels after
 * the last whole vector, are converted as one line of floats per channel, a chunk at a time. Called through the ops'
 * rows.
 */
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "shuffles.h"

/* Pixels per chunk, and per row of a task; both are even. */
#define CHUNK 512u
#define PIECE (16u * 1024u)
#define MAX_SAMPLE 4u /* bytes */

struct converting {
    const struct gf_cpu_call *call;
    struct gf_colour k[2];       /* for luma and for chroma; or [0] for RGB */
    struct gf_cpu_source source; /* for one plane */
    struct gf_cpu_target target;
    struct gf_cpu_shuffle split, join;             /* for pixels */
    struct gf_cpu_shuffle split_pairs, join_pairs; /* for chroma */
    const struct gf_buf *rgb, *luma, *cb, *cr;     /* cr is NULL if Cb and Cr are pairs */
    size_t size;                                   /* bytes per sample */
    bool stream;                                   /* source and result are too large for the caches */
    void (*convert)(const struct converting *c, const struct gf_yuv420_rows *at, size_t n);
};

/* A line of floats of a chunk, with room for one more so that the last column can count twice. */
typedef float line[CHUNK + GF_LINE_ALIGN];

static unsigned char *sample_of(const struct gf_buf *buf, uint64_t y, uint64_t x)
{
    size_t pixel = buf->view.channels * gf_dtype_size(buf->view.dtype);
    return (unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * pixel;
}

static void *behind(const struct converting *c, void *at, size_t samples)
{
    return at == NULL ? NULL : (char *)at + samples * c->size;
}

/* The rows n pixels further on; n must be even. */
static struct gf_yuv420_rows rows_behind(const struct converting *c, const struct gf_yuv420_rows *at, size_t n)
{
    size_t chroma = at->apart ? n / 2 : n;
    return (struct gf_yuv420_rows){.rgb = {behind(c, at->rgb[0], 3 * n), behind(c, at->rgb[1], 3 * n)},
                                   .luma = {behind(c, at->luma[0], n), behind(c, at->luma[1], n)},
                                   .cb = behind(c, at->cb, chroma),
                                   .cr = behind(c, at->cr, chroma),
                                   .apart = at->apart};
}

/* Loads n pixels of a row as floats. */
static void load_pixels(const struct converting *c, const void *rgb, line *to, size_t n)
{
    _Alignas(64) unsigned char planes[3][CHUNK * MAX_SAMPLE];
    void *plane[3] = {planes[0], planes[1], planes[2]};
    c->call->simd->colour->split(&c->split, rgb, plane, n);
    for (size_t i = 0; i < 3; i++)
        c->call->simd->samples->load(&c->source, planes[i], to[i], n);
}

/* Computes the means of 2 x 2 pixels from n columns. The last column of an odd number counts twice. */
static void halve(float *a, float *b, float *restrict to, size_t n)
{
    a[n] = a[n - 1];
    b[n] = b[n - 1];
    for (size_t i = 0; i < (n + 1) / 2; i++)
        to[i] = ((a[2 * i] + b[2 * i]) + (a[2 * i + 1] + b[2 * i + 1])) * 0.25f;
}

static void store_chroma(const struct converting *c, const struct gf_yuv420_rows *at, float *const *v, size_t n)
{
    _Alignas(64) unsigned char planes[2][CHUNK / 2 * MAX_SAMPLE];
    const void *made[2] = {planes[0], planes[1]};
    void *to[2] = {at->apart ? at->cb : planes[0], at->apart ? at->cr : planes[1]};
    for (size_t i = 0; i < 2; i++)
        c->call->simd->samples->store(&c->target, v[i], NULL, to[i], n);
    if (!at->apart)
        c->call->simd->colour->join(&c->join_pairs, made, at->cb, n, false);
}

static void chunk_to_yuv420(const struct converting *c, const struct gf_yuv420_rows *at, size_t n)
{
    _Alignas(64) line x[2][3], made[2], mean[3];
    float *to[2] = {made[0], made[1]}, *from[3] = {mean[0], mean[1], mean[2]};
    for (size_t r = 0; r < 2; r++) {
        float *row[3] = {x[r][0], x[r][1], x[r][2]};
        load_pixels(c, at->rgb[r], x[r], n);
        c->call->simd->colour->real(&c->k[0], row, to, n);
        c->call->simd->samples->store(&c->target, made[0], NULL, at->luma[r], n);
    }
    for (size_t i = 0; i < 3; i++)
        halve(x[0][i], x[1][i], mean[i], n);
    c->call->simd->colour->real(&c->k[1], from, to, (n + 1) / 2);
    store_chroma(c, at, to, (n + 1) / 2);
}

static void to_yuv420(const struct converting *c, const struct gf_yuv420_rows *at, size_t n)
{
    size_t done = c->size == 1 ? c->call->simd->colour->to_yuv420(c->k, at, n) : 0;
    for (; done < n; done += CHUNK) {
        struct gf_yuv420_rows rest = rows_behind(c, at, done);
        chunk_to_yuv420(c, &rest, n - done < CHUNK ? n - done : CHUNK);
    }
}

/* Loads chroma for n pixels as floats, each sample twice. */
static void load_chroma(const struct converting *c, const struct gf_yuv420_rows *at, line *to, size_t n)
{
    _Alignas(64) unsigned char planes[2][CHUNK / 2 * MAX_SAMPLE];
    _Alignas(64) line half;
    void *plane[2] = {planes[0], planes[1]};
    const void *from[2] = {at->apart ? at->cb : planes[0], at->apart ? at->cr : planes[1]};
    if (!at->apart)
        c->call->simd->colour->split(&c->split_pairs, at->cb, plane, (n + 1) / 2);
    for (size_t i = 0; i < 2; i++) {
        c->call->simd->samples->load(&c->source, from[i], half, (n + 1) / 2);
        for (size_t k = 0; k < (n + 1) / 2; k++)
            to[i][2 * k] = to[i][2 * k + 1] = half[k];
    }
}

static void chunk_from_yuv420(const struct converting *c, void *rgb, const void *luma, line *ycbcr, size_t n)
{
    _Alignas(64) line made[3];
    _Alignas(64) unsigned char planes[3][CHUNK * MAX_SAMPLE];
    float *from[3] = {ycbcr[0], ycbcr[1], ycbcr[2]}, *to[3] = {made[0], made[1], made[2]};
    const void *stored[3] = {planes[0], planes[1], planes[2]};
    c->call->simd->samples->load(&c->source, luma, ycbcr[0], n);
    c->call->simd->colour->real(&c->k[0], from, to, n);
    for (size_t i = 0; i < 3; i++)
        c->call->simd->samples->store(&c->target, made[i], NULL, planes[i], n);
    c->call->simd->colour->join(&c->join, stored, rgb, n, false);
}

static void from_yuv420(const struct converting *c, const struct gf_yuv420_rows *at, size_t n)
{
    _Alignas(64) line ycbcr[3];
    size_t done = 0;
    for (size_t r = 0; r < 2 && c->size == 1; r++) {
        struct gf_yuv420_rows row = *at;
        row.rgb[0] = at->rgb[r];
        row.luma[0] = at->luma[r];
        done = c->call->simd->colour->from_yuv420(c->k, &row, n, c->stream);
    }
    for (size_t i = done; i < n; i += CHUNK) {
        struct gf_yuv420_rows rest = rows_behind(c, at, i);
        size_t some = n - i < CHUNK ? n - i : CHUNK;
        load_chroma(c, &rest, &ycbcr[1], some);
        for (size_t r = 0; r < 2; r++)
            chunk_from_yuv420(c, rest.rgb[r], rest.luma[r], ycbcr, some);
    }
}

/* Rows 2 * pair and the next one, from column x on, which must be even. */
static struct gf_yuv420_rows rows_of(const struct converting *c, uint64_t pair, uint64_t x)
{
    uint64_t y = 2 * pair, next = y + 1 < c->luma->view.height ? y + 1 : y;
    return (struct gf_yuv420_rows){.rgb = {sample_of(c->rgb, y, x), sample_of(c->rgb, next, x)},
                                   .luma = {sample_of(c->luma, y, x), sample_of(c->luma, next, x)},
                                   .cb = sample_of(c->cb, pair, x / 2),
                                   .cr = c->cr == NULL ? NULL : sample_of(c->cr, pair, x / 2),
                                   .apart = c->cr != NULL};
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct converting *c = context;
    for (uint64_t pair = tile->y; pair < tile->y + tile->height; pair++) {
        struct gf_yuv420_rows at = rows_of(c, pair, tile->x);
        c->convert(c, &at, (size_t)tile->width);
    }
}

static enum gf_status run(struct converting *c, struct gf_error *err)
{
    static const uint32_t in_order[GF_MAX_CHANNELS] = {0, 1, 2, 3};
    const uint32_t dtype = c->luma->view.dtype;
    c->size = gf_dtype_size(dtype);
    /* x * 1 + -0 is x, for both zeros. */
    c->source = (struct gf_cpu_source){.dtype = dtype, .channels = 1};
    c->target = (struct gf_cpu_target){.dtype = dtype, .channels = 1, .scale = 1.0f, .offset = -0.0f};
    c->stream = gf_cpu_streams(&c->luma->view, &c->rgb->view);
    c->split = gf_cpu_split_of(dtype, 3);
    c->join = gf_cpu_join_of(dtype, 3, true, 3, in_order);
    c->split_pairs = gf_cpu_split_of(dtype, 2);
    c->join_pairs = gf_cpu_join_of(dtype, 2, true, 2, in_order);
    gf_yuv420_init(c->call->step, dtype, c->k);
    const struct gf_tiles tiles = gf_cut_rows(c->luma->view.width, (c->luma->view.height + 1) / 2, PIECE);
    return gf_cpu_tiles_run(c->call, &tiles, run_tile, c, err);
}

enum gf_status gf_cpu_to_yuv420(const struct gf_cpu_call *call, struct gf_error *err)
{
    bool apart = call->step->op->n_outputs == 3;
    struct converting c = {.call = call,
                           .rgb = &call->in[0],
                           .luma = &call->out[0],
                           .cb = &call->out[1],
                           .cr = apart ? &call->out[2] : NULL,
                           .convert = to_yuv420};
    return run(&c, err);
}

enum gf_status gf_cpu_from_yuv420(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct converting c = {.call = call,
                           .rgb = &call->out[0],
                           .luma = &call->in[0],
                           .cb = &call->in[1],
                           .cr = call->in[2].data == NULL ? NULL : &call->in[2],
                           .convert = from_yuv420};
    return run(&c, err);
}
