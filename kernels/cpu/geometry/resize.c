/* SPDX-License-Identifier: MIT */
/*
 * resize on the CPU. A task computes a block of rows of the result, as many as a vector has lanes, in a strip of
 * columns. Chunks of source rows are converted to floats and added to the chains of the block's rows, so a window may
 * be of any height. Then the lines are transposed, and each column is a chain of transposed lines. Where a picture
 * grows by much, few source rows make the transposed lines at once. Wide windows are summed in parts that stay in the
 * cache. Windows of one or two pixels are taken directly from each line instead (pairs.h). Called through the op's row.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/geometry/pairs.h"
#include "kernels/cpu/geometry/simd_geometry.h"
#include "kernels/cpu/geometry/simd_resize.h"
#include "kernels/cpu/simd/light_estimate.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/geometry/resize.h"
#include "protocol/ops/outputs_geometry.h"

/* Source rows converted to floats at a time. */
#define CHUNK 16u
/* A strip's source is at least this many windows wide, because the next strip reads most of a window again. */
#define WINDOWS 4u
/* Samples of a line in a part of wide windows. */
#define PART 512u
/* Lines that make transposed lines at once may be this many more than those of a window: transposing costs as much. */
#define MORE_LINES 4u
/* Picking a pixel costs as much as reading this many pixels of a whole row. */
#define PICK_COST 4u
/* Samples of the result per task in whole rows, about. A remainder of less than half of this is added to another task,
 * because waking a thread would take longer. */
#define TASK_SAMPLES (64u * 1024u)

/* Pixels first .. end - 1 of an axis of the source; if pixels are skipped, indices into the list of those that are
 * read. */
struct span {
    uint32_t first, end;
};

struct resizing {
    const struct gf_cpu_call *call;
    const struct gf_simd_resize *simd;
    struct gf_resize r;
    struct gf_buf src, dst;
    struct gf_cpu_source source;
    struct gf_cpu_target target;
    bool stored; /* rows of f32 are stored in the result directly */
    uint32_t channels;
    size_t pixel;           /* bytes per pixel */
    uint32_t strip, strips; /* columns per strip of the result, and strips */
    struct span *spans;     /* the source pixels of each strip */
    uint32_t part;          /* source pixels of a strip at a time */
    size_t line, wide_line; /* floats per line of the result, and of a part of the source */
    size_t sums;            /* floats of the chains that go on from part to part; 0: all is one part */
    uint32_t *columns;      /* if windows skip pixels: the pixels that are read, window after window */
    uint32_t group;         /* consecutive pixels read from each entry of `columns` */
    bool in_pairs;          /* all windows are one or two pixels */
    struct gf_resize_pairs pairs;
};

/* A thread's lines. */
struct room {
    float *chunk, *block, *turned, *out, *sums;
    unsigned char *picked;
};

static const unsigned char *pixel_at(const struct gf_buf *buf, size_t pixel, uint64_t x, uint64_t y)
{
    return (const unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * pixel;
}

static size_t line_floats(uint64_t samples)
{
    /* The extra floats keep lines that are a power of two apart from mapping to the same L1 cache sets. */
    return (size_t)gf_round_up(samples, GF_LINE_ALIGN) + GF_LINE_ALIGN;
}

/* The source pixels of results first .. first + n - 1. */
static struct span span_of(const struct gf_resize_axis *axis, uint32_t first, uint32_t n)
{
    struct span s = {.first = UINT32_MAX};
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t end = axis->first[i] + (axis->at[i + 1] - axis->at[i]);
        s.first = axis->first[i] < s.first ? axis->first[i] : s.first;
        s.end = end > s.end ? end : s.end;
    }
    return s;
}

static struct span columns_of(const struct resizing *p, uint32_t first, uint32_t n)
{
    if (p->columns && p->in_pairs)
        return (struct span){2 * first, 2 * (first + n)};
    if (p->columns)
        return (struct span){p->r.x.at[first], p->r.x.at[first + n]};
    return span_of(&p->r.x, first, n);
}

/* Returns the row in place if its samples are floats that need no conversion, and if the whole vectors that will be
 * read lie within the picture; otherwise NULL. */
static const float *row_in_place(const struct resizing *p, uint32_t y, struct span columns)
{
    size_t n = (size_t)(columns.end - columns.first) * p->channels;
    const unsigned char *at = pixel_at(&p->src, p->pixel, columns.first, y),
                        *end = (const unsigned char *)p->src.data + gf_view_bytes(&p->src.view);
    if (p->source.dtype != GF_F32 || p->source.premultiply || p->columns || (uintptr_t)at % sizeof(float) != 0 ||
        (size_t)(end - at) / sizeof(float) < n + GF_LINE_ALIGN)
        return NULL;
    return (const float *)(const void *)at;
}

/* Row y as floats, in `line` or in place. `picked` must have room for its pixels. */
static const float *load_row(const struct resizing *p, uint32_t y, struct span columns, unsigned char *picked,
                             float *line)
{
    const float *row = row_in_place(p, y, columns);
    size_t pixels = columns.end - columns.first;
    if (row != NULL)
        return row;
    const unsigned char *from = pixel_at(&p->src, p->pixel, p->columns ? 0 : columns.first, y);
    const bool floats = p->source.dtype == GF_F32;
    if (p->columns) {
        picked = floats ? (unsigned char *)line : picked;
        p->simd->pick(p->pixel, p->group, from, p->columns + columns.first / p->group, pixels / p->group, picked);
        from = picked;
    }
    if (!floats || !p->columns)
        p->call->simd->samples->load(&p->source, from, line, pixels);
    if (p->source.premultiply)
        p->call->simd->samples->premultiply(line, pixels, p->channels);
    return line;
}

/* Runs the column chains of `n` rows of the result from row y on. */
static void go_down(const struct resizing *p, const struct room *room, uint32_t y, uint32_t n, struct span columns)
{
    const struct gf_resize_axis *axis = &p->r.y;
    struct span rows = span_of(axis, y, n);
    const float *lines[CHUNK];
    size_t samples = (size_t)(columns.end - columns.first) * p->channels;
    for (uint32_t from = rows.first; from < rows.end; from += CHUNK) {
        uint32_t end = rows.end - from < CHUNK ? rows.end : from + CHUNK;
        memset(lines, 0, sizeof lines);
        for (uint32_t i = y; i < y + n; i++) {
            uint32_t first = axis->first[i], last = first + (axis->at[i + 1] - axis->at[i]);
            uint32_t a = first > from ? first : from, b = last < end ? last : end;
            for (uint32_t k = a; k < b; k++)
                if (lines[k - from] == NULL)
                    lines[k - from] = load_row(p, k, columns, room->picked, room->chunk + (k - from) * p->wide_line);
            if (a < b)
                p->simd->down(lines + (a - from), axis->weights + axis->at[i] + (a - first), b - a, a == first, samples,
                              room->block + (i - y) * p->wide_line);
        }
    }
}

/* The same column chains, transposed. */
static void go_down_turned(const struct resizing *p, const struct room *room, uint32_t y, uint32_t n,
                           struct span columns)
{
    const struct gf_resize_axis *axis = &p->r.y;
    const struct span rows = span_of(axis, y, n);
    const size_t samples = (size_t)(columns.end - columns.first) * p->channels;
    const float *lines[CHUNK];
    float weights[CHUNK * GF_RESIZE_ROWS];
    bool whole = true;
    if (rows.end - rows.first > gf_min_u64(axis->most + MORE_LINES, CHUNK)) {
        go_down(p, room, y, n, columns);
        p->simd->turn(room->block, p->wide_line, samples, room->turned);
        return;
    }
    for (uint32_t k = rows.first; k < rows.end; k++) {
        lines[k - rows.first] = load_row(p, k, columns, room->picked, room->chunk + (k - rows.first) * p->wide_line);
        for (uint32_t r = 0; r < p->simd->rows; r++) {
            const uint32_t i = y + (r < n ? r : n - 1), tap = k - axis->first[i]; /* wraps before the window */
            const bool is_tap = k >= axis->first[i] && tap < axis->at[i + 1] - axis->at[i];
            weights[(k - rows.first) * p->simd->rows + r] = is_tap ? axis->weights[axis->at[i] + tap] : nanf("");
            whole = whole && is_tap;
        }
    }
    p->simd->down_turned(lines, weights, rows.end - rows.first, whole, samples, room->turned);
}

/* Computes `strip`, whose source is `columns`. */
static void make_strip(const struct resizing *p, const struct room *room, uint32_t y, struct gf_resize_strip *strip,
                       struct span columns, unsigned char *out, size_t pitch)
{
    if (p->in_pairs) {
        go_down(p, room, y, strip->rows, columns);
        p->simd->pairs(&p->pairs, strip, strip->first / p->strip, room->block, p->wide_line, p->stored, out, pitch);
        return;
    }
    if (p->sums == 0) {
        go_down_turned(p, room, y, strip->rows, columns);
        p->simd->across(strip, room->turned, p->stored, out, pitch);
        return;
    }
    for (struct span part = columns; part.first < columns.end; part.first = part.end) {
        part.end = columns.end - part.first < p->part ? columns.end : part.first + p->part;
        go_down_turned(p, room, y, strip->rows, part);
        strip->source = part.first;
        p->simd->across_part(strip, room->turned, part.end, room->sums);
    }
    p->simd->finish(strip, room->sums, p->stored, out, pitch);
}

static void make_block(void *context, const struct gf_cpu_tile *tile)
{
    const struct resizing *p = context;
    const uint32_t x = (uint32_t)tile->x, y = (uint32_t)tile->y;
    const uint32_t width = (uint32_t)tile->width, height = (uint32_t)tile->height;
    const struct span columns = p->spans[x / p->strip];
    float *at = (void *)tile->room;
    struct room room = {.chunk = at, .block = at + CHUNK * p->wide_line};
    room.turned = room.block + p->simd->rows * p->wide_line;
    room.out = room.turned + p->simd->rows * p->wide_line;
    room.sums = room.out + p->simd->rows * p->line;
    room.picked = (unsigned char *)(room.sums + p->sums);
    struct gf_resize_strip strip = {&p->r.x, p->channels, x, width, columns.first, height, p->columns != NULL};
    unsigned char *dst = (unsigned char *)(uintptr_t)pixel_at(&p->dst, p->pixel, x, y);
    size_t pitch = (size_t)p->dst.view.pitch;
    if (p->stored) {
        make_strip(p, &room, y, &strip, columns, dst, pitch);
        return;
    }
    make_strip(p, &room, y, &strip, columns, (unsigned char *)room.out, p->line * sizeof(float));
    for (uint32_t i = 0; i < height; i++)
        p->call->simd->samples->store(&p->target, room.out + i * p->line, NULL, dst + i * pitch, width);
}

/* Rows of nearest. A row with the same source row as the previous one is copied from it. */
static void make_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct resizing *p = context;
    size_t bytes = p->r.x.n * p->pixel;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        unsigned char *to = (unsigned char *)(uintptr_t)pixel_at(&p->dst, p->pixel, 0, y);
        if (y > tile->y && p->r.y.first[y] == p->r.y.first[y - 1]) {
            p->call->simd->geometry->copy(GF_U8, to - p->dst.view.pitch, to, bytes, false);
            continue;
        }
        p->simd->pick(p->pixel, 1, pixel_at(&p->src, p->pixel, 0, p->r.y.first[y]), p->r.x.first, p->r.x.n, to);
        p->call->simd->geometry->make_canonical(p->src.view.dtype, to, bytes);
    }
}

/* Rows of a picture halved on both axes. */
static void make_halves(void *context, const struct gf_cpu_tile *tile)
{
    const struct resizing *p = context;
    const struct gf_resize_map *across = &p->r.across, *down = &p->r.down;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        const unsigned char *a = pixel_at(&p->src, p->pixel, (uint64_t)across->origin, (uint64_t)down->origin + 2 * y);
        const unsigned char *b = a + p->src.view.pitch;
        unsigned char *to = (unsigned char *)(uintptr_t)pixel_at(&p->dst, p->pixel, 0, y);
        if (p->source.dtype == GF_U8)
            p->simd->halve_u8(a, b, p->channels, across->n, to);
        else
            p->simd->halve_f32(a, b, across->n, to);
    }
}

/* Whether the fast path for halving applies. Means of bytes are exact in any order; f32 is added in the order of the
 * chains. */
static bool are_halves(const struct resizing *p)
{
    bool takes = p->source.dtype == GF_U8 || (p->source.dtype == GF_F32 && p->channels == 1);
    return takes && p->r.halves && !p->r.premultiply && !p->r.linear;
}

static void init_ends(struct resizing *p)
{
    uint32_t dtype = p->src.view.dtype;
    float max = gf_sample_max(dtype);
    p->source = (struct gf_cpu_source){.dtype = dtype, .channels = p->channels, .premultiply = p->r.premultiply};
    p->target = (struct gf_cpu_target){.dtype = dtype,
                                       .channels = p->channels,
                                       .alpha_dtype = dtype,
                                       .scale = 1.0f,
                                       .offset = 0.0f,
                                       .max = max,
                                       .unpremultiply = p->r.premultiply,
                                       .stream = gf_view_bytes(&p->dst.view) >= GF_STREAM_BYTES};
    p->stored = dtype == GF_F32 && !p->r.premultiply;
    if (!p->r.linear)
        return;
    struct gf_light_tables tables = gf_light_tables((uint32_t)max);
    p->source.decode = tables.decode;
    p->target.encode = tables.encode;
    p->target.encode_estimate = gf_cpu_light_estimate((uint32_t)max);
}

/* Chooses strips whose lines stay in the L2 cache; strips are longer if windows are wide. */
static enum gf_status choose_strips(struct resizing *p, struct gf_error *err)
{
    uint32_t n = p->r.x.n, line = GF_RESIZE_LINE / p->channels, wanted = line;
    double step = p->columns ? p->r.x.most : (double)p->src.view.width / (double)n;
    if (wanted < WINDOWS * (uint64_t)p->r.x.most)
        wanted = WINDOWS * p->r.x.most;
    double columns = floor((double)(wanted - p->r.x.most) / step);
    p->strip = columns < 1.0 ? 1 : columns < (double)line ? (uint32_t)columns : line;
    p->strip = p->strip < n ? p->strip : n;
    p->strips = (n + p->strip - 1) / p->strip;
    p->strip = (n + p->strips - 1) / p->strips;
    p->strips = (n + p->strip - 1) / p->strip;
    uint32_t widest = 0;
    p->spans = malloc(p->strips * sizeof *p->spans);
    if (!p->spans)
        return gf_error_no_memory(err, p->call->step->op->name, p->strips * sizeof *p->spans);
    for (uint32_t x = 0, i = 0; x < n; x += p->strip, i++) {
        struct span s = columns_of(p, x, n - x < p->strip ? n - x : p->strip);
        widest = s.end - s.first > widest ? s.end - s.first : widest;
        p->spans[i] = s;
    }
    p->part = widest;
    if (wanted > line && !p->columns && !p->in_pairs) {
        p->part = PART / p->channels;
        p->sums = (size_t)p->strip * p->channels * p->simd->rows;
    }
    p->wide_line = line_floats((uint64_t)p->part * p->channels);
    p->line = line_floats(((uint64_t)p->strip + p->simd->rows) * p->channels);
    return GF_OK;
}

/* Lists the columns to read, if windows skip most pixels, or if pairs are not near each other. */
static enum gf_status list_columns(struct resizing *p, struct gf_error *err)
{
    const struct gf_resize_axis *x = &p->r.x;
    const uint32_t width = (uint32_t)p->src.view.width, n = p->in_pairs ? x->n : x->at[x->n];
    p->group = p->in_pairs ? 2 : 1;
    if (p->in_pairs ? gf_resize_pairs_are_near(x, p->channels, p->simd->rows) : n > width / PICK_COST)
        return GF_OK;
    p->columns = malloc(n * sizeof *p->columns);
    if (!p->columns)
        return gf_error_no_memory(err, p->call->step->op->name, n * sizeof *p->columns);
    for (uint32_t i = 0; i < x->n && p->in_pairs; i++)
        p->columns[i] = x->first[i] < width - 1 ? x->first[i] : width - 2;
    for (uint32_t i = 0; i < x->n && !p->in_pairs; i++)
        for (uint32_t k = x->at[i]; k < x->at[i + 1]; k++)
            p->columns[k] = x->first[i] + (k - x->at[i]);
    return GF_OK;
}

static enum gf_status run_blocks(struct resizing *p, struct gf_error *err)
{
    p->in_pairs = p->r.x.most <= 2 && p->src.view.width > 1;
    enum gf_status status = list_columns(p, err);
    if (status == GF_OK)
        status = choose_strips(p, err);
    const struct gf_resize_strips strips = {&p->r.x, p->channels, p->strip, p->strips, p->columns};
    if (status == GF_OK && p->in_pairs)
        status = gf_resize_pairs_init(&p->pairs, &strips, p->simd->rows, err);
    if (status != GF_OK)
        return status;
    const size_t floats = (CHUNK + 1 + 2 * p->simd->rows) * p->wide_line + p->simd->rows * p->line + p->sums;
    const struct gf_tiles tiles = {p->r.x.n, p->r.y.n, p->strip, p->simd->rows, floats * sizeof(float)};
    return gf_cpu_tiles_run(p->call, &tiles, make_block, p, err);
}

static struct gf_tiles whole_rows(const struct resizing *p)
{
    const uint64_t width = p->r.across.n, height = p->r.down.n;
    const uint64_t tasks = gf_max_u64(1, (width * p->channels * height + TASK_SAMPLES / 2) / TASK_SAMPLES);
    return (struct gf_tiles){width, height, width, (height + tasks - 1) / tasks, 0};
}

enum gf_status gf_cpu_resize(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *src = &call->in[0].view;
    struct resizing p = {.call = call,
                         .simd = call->simd->resize,
                         .src = call->in[0],
                         .dst = call->out[0],
                         .channels = src->channels,
                         .pixel = src->channels * gf_dtype_size(src->dtype)};
    gf_resize_plan(&p.r, call->step, src);
    init_ends(&p);
    const struct gf_tiles tiles = whole_rows(&p);
    if (are_halves(&p))
        return gf_cpu_tiles_run(call, &tiles, make_halves, &p, err);
    enum gf_status status = gf_resize_axes_init(&p.r, err);
    if (status != GF_OK)
        return status;
    if (p.r.nearest) {
        status = gf_cpu_tiles_run(call, &tiles, make_rows, &p, err);
    } else {
        status = run_blocks(&p, err);
        gf_resize_pairs_deinit(&p.pairs);
        free(p.spans);
        free(p.columns);
    }
    gf_resize_deinit(&p.r);
    return status;
}
