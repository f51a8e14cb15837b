/* SPDX-License-Identifier: MIT */
/*
 * Colour conversions on the CPU, one runner for gray, matrix, ycbcr, hsv, rgb, flatten, merge and normalize. Threads
 * take pieces of rows and process them in chunks of pixels that stay in the L1 cache. While a chunk is computed, each
 * channel is a plane of its own. Called through the ops' rows.
 */
#include "kernels/shared/colour/colour.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "shuffles.h"

/* Pixels per chunk, and per task. */
#define CHUNK 512u
#define TASK_PIXELS (32u * 1024u)
#define MAX_SAMPLE 4u /* bytes */

/* How pixels are computed. */
enum way {
    PLANES,   /* through planes */
    STRAIGHT, /* directly, by simd.pixels */
    PICK,     /* samples of one picture only change places */
    JOIN,     /* pictures of one channel are joined */
};

struct colouring {
    const struct gf_cpu_call *call;
    struct gf_colour k;
    struct gf_cpu_source source; /* for one plane */
    struct gf_cpu_target target;
    const struct gf_buf *inputs[GF_MAX_INPUTS]; /* the pictures that are given */
    uint32_t n_inputs;
    struct gf_cpu_shuffle split[GF_MAX_CHANNELS], join; /* for each input, and for the result */
    struct gf_cpu_shuffle pick; /* from pixels to pixels, if samples of one picture only change places */
    enum way way;
    bool bytes;  /* a matrix from u8 to u8 whose sums are at most 2^30 */
    bool stream; /* sources and result are too large for the caches */
};

/* A thread's workspace: planes as stored, and as floats before and after the computation. */
struct workspace {
    _Alignas(64) unsigned char from[GF_MAX_CHANNELS][CHUNK * MAX_SAMPLE], to[GF_MAX_CHANNELS][CHUNK * MAX_SAMPLE];
    _Alignas(64) float x[GF_MAX_CHANNELS][CHUNK], v[GF_MAX_CHANNELS][CHUNK];
};

static const unsigned char *pixel_of(const struct gf_buf *buf, uint64_t y, uint64_t x)
{
    size_t pixel = buf->view.channels * gf_dtype_size(buf->view.dtype);
    return (const unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * pixel;
}

/* Splits n pixels into planes. A picture with one channel is its own plane. */
static void split_pixels(const struct colouring *c, struct workspace *w, uint64_t y, uint64_t x, size_t n,
                         const void **ret_planes)
{
    uint32_t plane = 0;
    for (uint32_t i = 0; i < c->n_inputs; i++) {
        const struct gf_buf *in = c->inputs[i];
        const unsigned char *at = pixel_of(in, y, x);
        void *to[GF_MAX_CHANNELS];
        for (uint32_t p = 0; p < in->view.channels; p++)
            ret_planes[plane + p] = to[p] = w->from[plane + p];
        if (in->view.channels == 1)
            ret_planes[plane] = at;
        else
            c->call->simd->colour->split(&c->split[i], at, to, n);
        plane += in->view.channels;
    }
}

/* Stores a plane of floats as a plane of the result. */
static const void *store_plane(const struct colouring *c, float *values, void *to, size_t n)
{
    c->call->simd->samples->store(&c->target, values, NULL, to, n);
    return to;
}

/* Returns a plane that passes unchanged. NaN in floats becomes the stored NaN: here if the result has one channel,
 * otherwise when planes are joined. */
static const void *pass_plane(const struct colouring *c, struct workspace *w, const void *from, uint32_t plane,
                              void *to, size_t n)
{
    if (c->k.from != GF_F32 || c->k.made > 1)
        return from;
    memcpy(w->v[plane], from, n * sizeof(float));
    return store_plane(c, w->v[plane], to, n);
}

static const void *fill_plane(const struct colouring *c, float *values, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = c->k.unit;
    return store_plane(c, values, to, n);
}

/* Computes planes of floats. Floats that are in the workspace already are read there, and float results are joined from
 * there, without conversion. */
static void compute_real(const struct colouring *c, struct workspace *w, const void *const *from, void *const *to,
                         const void **ret_made, size_t n)
{
    float *x[GF_MAX_CHANNELS], *v[GF_MAX_CHANNELS];
    for (uint32_t p = 0; p < GF_MAX_CHANNELS; p++) {
        x[p] = w->x[p];
        v[p] = w->v[p];
    }
    for (uint32_t p = 0; p < c->k.channels; p++)
        if (c->k.from == GF_F32 && from[p] == w->from[p])
            x[p] = (float *)(void *)w->from[p];
        else
            c->call->simd->samples->load(&c->source, from[p], x[p], n);
    c->call->simd->colour->real(&c->k, x, v, n);
    for (uint32_t p = 0; p < c->k.colours; p++)
        ret_made[p] = c->k.to == GF_F32 && c->k.made > 1 ? v[p] : store_plane(c, v[p], to[p], n);
}

/* Computes n pixels from (y, x) on, plane by plane. */
static void run_planes(const struct colouring *c, struct workspace *w, uint64_t y, uint64_t x, size_t n)
{
    const struct gf_colour *k = &c->k;
    const void *from[GF_MAX_CHANNELS], *made[GF_MAX_CHANNELS];
    unsigned char *dst = (unsigned char *)(uintptr_t)pixel_of(&c->call->out[0], y, x);
    void *to[GF_MAX_CHANNELS];
    for (uint32_t p = 0; p < GF_MAX_CHANNELS; p++)
        made[p] = to[p] = k->made == 1 ? dst : w->to[p];
    split_pixels(c, w, y, x, n, from);
    if (k->kind == GF_COLOUR_LUMA || k->kind == GF_COLOUR_OVER)
        c->call->simd->colour->whole(k, from, to, n);
    else if (c->bytes)
        c->call->simd->colour->linear_u8(k, from, to, n);
    else if (k->kind != GF_COLOUR_PASS)
        compute_real(c, w, from, to, made, n);
    else
        for (uint32_t p = 0; p < k->colours; p++)
            made[p] = k->pick[p] == GF_COLOUR_FULL ? fill_plane(c, w->v[p], to[p], n)
                                                   : pass_plane(c, w, from[k->pick[p]], p, to[p], n);
    if (k->made > k->colours)
        made[k->colours] = pass_plane(c, w, from[k->channels - 1], k->colours, to[k->colours], n);
    if (k->made > 1)
        c->call->simd->colour->join(&c->join, made, dst, n, false);
    else if (made[0] != dst)
        memcpy(dst, made[0], n * gf_dtype_size(k->to));
}

/* Computes up to n pixels from (y, x) on without planes. Returns how many were computed. */
static size_t run_straight(const struct colouring *c, uint64_t y, uint64_t x, size_t n)
{
    const struct gf_simd_colour *simd = c->call->simd->colour;
    unsigned char *made = (unsigned char *)(uintptr_t)pixel_of(&c->call->out[0], y, x);
    const void *planes[GF_MAX_CHANNELS] = {NULL};
    switch (c->way) {
    case STRAIGHT:
        return simd->pixels(&c->k, pixel_of(c->inputs[0], y, x), made, n, c->stream);
    case PICK:
        return simd->pick(&c->pick, pixel_of(c->inputs[0], y, x), made, n, c->stream);
    case JOIN:
        for (uint32_t r = 0; r < c->k.made; r++)
            planes[r] = pixel_of(c->inputs[c->k.pick[r]], y, x);
        simd->join(&c->join, planes, made, n, c->stream);
        return n;
    default:
        return 0;
    }
}

static void run_pixels(const struct colouring *c, struct workspace *w, uint64_t y, uint64_t x, size_t n)
{
    for (size_t i = run_straight(c, y, x, n); i < n; i += CHUNK)
        run_planes(c, w, y, x + i, n - i < CHUNK ? n - i : CHUNK);
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    struct workspace w;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        run_pixels(context, &w, y, tile->x, (size_t)tile->width);
}

/* Whether all sums of a matrix over bytes fit in 32 bits. */
static bool is_small(const struct gf_colour *k)
{
    for (uint32_t r = 0; r < k->colours; r++) {
        double sum = fabs((double)k->after[r]);
        for (uint32_t c = 0; c < k->channels; c++)
            sum += fabs((double)k->matrix[r][c]) * (255.0 + fabs((double)k->before[c]));
        if (sum > 0x1p30)
            return false;
    }
    return true;
}

static enum way way_of(const struct colouring *c)
{
    const struct gf_colour *k = &c->k;
    bool one = c->n_inputs == 1, whole = true, single = true;
    if (k->kind != GF_COLOUR_PASS) {
        bool known =
            k->kind == GF_COLOUR_LUMA || k->kind == GF_COLOUR_TO_HSV || k->kind == GF_COLOUR_FROM_HSV ||
            (k->kind == GF_COLOUR_LINEAR && (k->colours == 1 || k->colours == 3) && (c->bytes || k->from == GF_F32));
        bool same = k->from == k->to && (k->from == GF_U8 || k->from == GF_F32);
        return known && same && k->channels == 3 && k->made == k->colours ? STRAIGHT : PLANES;
    }
    for (uint32_t r = 0; r < k->colours; r++)
        whole = whole && k->pick[r] != GF_COLOUR_FULL;
    for (uint32_t i = 0; i < c->n_inputs; i++)
        single = single && c->inputs[i]->view.channels == 1;
    return !whole ? PLANES : one ? PICK : single && k->made > 1 ? JOIN : PLANES;
}

/* Sets how the result's pixels are assembled: from planes, or from pixels if samples of one picture only change
 * places. */
static void init_result(struct colouring *c)
{
    static const uint32_t in_order[GF_MAX_CHANNELS] = {0, 1, 2, 3};
    uint32_t picked[GF_MAX_CHANNELS] = {0}, channels = c->inputs[0]->view.channels;
    c->join = gf_cpu_join_of(c->k.to, c->k.made, true, c->k.made, in_order);
    c->way = way_of(c);
    for (uint32_t r = 0; r < c->k.made; r++)
        picked[r] = r < c->k.colours ? c->k.pick[r] : channels - 1;
    if (c->way == PICK)
        c->pick = gf_cpu_join_of(c->k.to, channels, false, c->k.made, picked);
}

/* Collects the inputs and returns the tiles. */
static struct gf_tiles lay_out(struct colouring *c, const struct gf_cpu_call *call)
{
    const struct gf_op *op = call->step->op;
    const struct gf_view *dst = &call->out[0].view;
    uint64_t bytes = gf_view_bytes(dst);
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        if (call->in[i].data == NULL || gf_input_is_copied(&op->inputs[i]))
            continue;
        c->split[c->n_inputs] = gf_cpu_split_of(c->k.from, call->in[i].view.channels);
        c->inputs[c->n_inputs++] = &call->in[i];
        bytes += gf_view_bytes(&call->in[i].view);
    }
    c->stream = bytes >= GF_STREAM_BYTES;
    init_result(c);
    return gf_cpu_cut_rows(gf_cpu_rows_are_one(call), dst->width, dst->height, TASK_PIXELS);
}

enum gf_status gf_cpu_colour(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct colouring c = {.call = call};
    const struct gf_buf *coefs = call->step->op->index == GF_INDEX_matrix ? &call->in[1] : NULL;
    enum gf_status status = gf_colour_init(&c.k, call->step, &call->in[0].view, coefs, err);
    if (status != GF_OK)
        return status;
    /* x * 1 + -0 is x, for both zeros. */
    c.source = (struct gf_cpu_source){.dtype = c.k.from, .channels = 1};
    c.target = (struct gf_cpu_target){.dtype = c.k.to, .channels = 1, .scale = 1.0f, .offset = -0.0f};
    c.bytes = c.k.kind == GF_COLOUR_LINEAR && c.k.from == GF_U8 && c.k.to == GF_U8 && is_small(&c.k);
    const struct gf_tiles tiles = lay_out(&c, call);
    return gf_cpu_tiles_run(call, &tiles, run_tile, &c, err);
}
