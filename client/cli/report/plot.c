/* SPDX-License-Identifier: MIT */
/* Draws a histogram. Called at the end of a run. */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "axis.h"
#include "canvas.h"
#include "client/io/input.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/histogram.h"

#define MARGIN 32
#define TITLE_LINE 36 /* baselines */
#define ABOUT_LINE 64
#define Y_NAME_LINE 92
#define TOP 114
#define BOTTOM (GF_CANVAS_HEIGHT - 60)
#define X_TICK_LINE (BOTTOM + 24)
#define X_NAME_LINE (BOTTOM + 48)
#define X_TICKS 12
#define Y_TICKS 6
#define MAX_CHANNELS 4
#define NARROW 2.5 /* pixels per bin */
#define TEXT 256
#define NAME_MAX_CHARACTERS 30 /* of the file name in the title */
#define NAME_MAX_BYTES (4 * NAME_MAX_CHARACTERS)

#define INK 0x202020
#define GREY 0x606060
#define PALE 0xe0e0e0

/* Colours by number of channels: grey; grey and alpha; RGB; RGB and alpha. */
static const uint32_t g_colours[MAX_CHANNELS][MAX_CHANNELS] = {
    {0x3b6ea5},
    {0x3b6ea5, 0xb05cb0},
    {0xd03030, 0x209040, 0x3050d0},
    {0xd03030, 0x209040, 0x3050d0, 0x808080},
};

struct plot {
    struct gf_canvas *canvas;
    const struct gf_histogram *h;
    struct gf_axis x, y;
    double left, right;
    struct gf_canvas_step *steps; /* room for the steps of a channel */
};

static uint64_t n_channels(const struct gf_histogram *h)
{
    return gf_histogram_channels(h) < MAX_CHANNELS ? gf_histogram_channels(h) : MAX_CHANNELS;
}

static double x_of(const struct plot *p, double value)
{
    return p->left + gf_axis_share(&p->x, value) * (p->right - p->left);
}

static double y_of(const struct plot *p, double value)
{
    return BOTTOM - gf_axis_share(&p->y, value) * (BOTTOM - TOP);
}

static void put_label(const struct plot *p, double x, double y, enum gf_text_anchor anchor, uint32_t colour,
                      const char *text)
{
    p->canvas->kind->text(p->canvas, x, y, GF_TEXT_LABEL, anchor, colour, text);
}

/* Chooses the axis of the values, with as many ticks as have room for their labels. */
static void choose_x(struct plot *p)
{
    uint64_t n = gf_histogram_n_bins(p->h);
    double lo = gf_histogram_edge(p->h, 0, 0), hi = gf_histogram_edge(p->h, 0, n);
    for (uint64_t c = 1; c < n_channels(p->h); c++) {
        lo = fmin(lo, gf_histogram_edge(p->h, c, 0));
        hi = fmax(hi, gf_histogram_edge(p->h, c, n));
    }
    for (uint32_t ticks = X_TICKS; ticks > 1; ticks--) {
        gf_axis_init(&p->x, lo, hi, ticks);
        if (p->x.n > 1 && p->x.n * (gf_axis_text_length(&p->x) + 1) * GF_CANVAS_CHARACTER < p->right - p->left)
            return;
    }
    gf_axis_init_ends(&p->x, lo, hi);
}

static void choose_y(struct plot *p)
{
    double max = 0;
    for (uint64_t c = 0; c < n_channels(p->h); c++)
        for (uint64_t i = 0; i < gf_histogram_n_bins(p->h); i++)
            max = fmax(max, gf_histogram_value(p->h, c, i));
    gf_axis_init_from_zero(&p->y, max, Y_TICKS, !p->h->params.density);
}

/* Shortens a name of more than `max` characters by cutting out its middle, between whole characters. */
static void shorten(char *text, size_t max)
{
    size_t n = 0, bytes, head = 0, tail = 0;
    for (const char *at = text; *at; at += bytes > 0 ? bytes : 1, n++)
        bytes = gf_text_utf8(at);
    if (n <= max)
        return;
    size_t i = 0, keep = (max - 3) / 2;
    for (const char *at = text; *at; at += bytes > 0 ? bytes : 1, i++) {
        bytes = gf_text_utf8(at);
        head = i == keep ? (size_t)(at - text) : head;
        tail = i == n - keep ? (size_t)(at - text) : tail;
    }
    memmove(text + head + 3, text + tail, strlen(text + tail) + 1);
    memcpy(text + head, "...", 3);
}

static void draw_legend(const struct plot *p)
{
    double x = p->right;
    for (uint64_t c = n_channels(p->h); c-- > 0 && n_channels(p->h) > 1;) {
        char text[32];
        snprintf(text, sizeof(text), "channel %" PRIu64, c + 1);
        x -= (double)strlen(text) * GF_CANVAS_CHARACTER;
        put_label(p, x, ABOUT_LINE, GF_TEXT_START, INK, text);
        x -= 20;
        p->canvas->kind->rectangle(p->canvas, x, ABOUT_LINE - 13, 14, 14, g_colours[n_channels(p->h) - 1][c]);
        x -= 14;
    }
}

static void draw_titles(const struct plot *p, const char *title)
{
    const struct gf_histogram_params *params = &p->h->params;
    uint64_t outside[3];
    char text[TEXT], view[64];
    p->canvas->kind->text(p->canvas, MARGIN, TITLE_LINE, GF_TEXT_TITLE, GF_TEXT_START, INK, title);
    snprintf(text, sizeof(text), "%s, %" PRIu64 " bin%s", gf_view_text(&p->h->in, view, sizeof(view)),
             gf_histogram_n_bins(p->h), gf_histogram_n_bins(p->h) == 1 ? "" : "s");
    put_label(p, MARGIN, ABOUT_LINE, GF_TEXT_START, GREY, text);
    put_label(p, MARGIN, Y_NAME_LINE, GF_TEXT_START, GREY,
              params->cumulative && params->density ? "share of samples below the upper edge of a bin"
              : params->cumulative                  ? "samples below the upper edge of a bin"
              : params->density                     ? "share of samples per unit of value"
                                                    : "samples in a bin");
    put_label(p, p->right, X_NAME_LINE, GF_TEXT_END, GREY,
              params->channels == GF_CHANNELS_LUMA ? "brightness" : "value");
    gf_histogram_outside(p->h, outside);
    snprintf(text, sizeof(text), "not drawn: %" PRIu64 " below, %" PRIu64 " above, %" PRIu64 " NaN", outside[0],
             outside[1], outside[2]);
    if (outside[0] + outside[1] + outside[2] > 0)
        put_label(p, MARGIN, X_NAME_LINE, GF_TEXT_START, GREY, text);
}

static void draw_axes(const struct plot *p)
{
    const struct gf_canvas_kind *kind = p->canvas->kind;
    for (uint32_t i = 0; i < p->y.n; i++) {
        double y = y_of(p, p->y.ticks[i]);
        kind->rectangle(p->canvas, p->left, y, p->right - p->left, 1, PALE);
        put_label(p, p->left - 12, y + 6, GF_TEXT_END, INK, p->y.texts[i]);
    }
    for (uint32_t i = 0; i < p->x.n; i++) {
        double x = x_of(p, p->x.ticks[i]);
        double half = (double)strlen(p->x.texts[i]) * GF_CANVAS_CHARACTER / 2;
        kind->rectangle(p->canvas, x, BOTTOM, 1, 6, INK);
        put_label(p, fmin(fmax(x, half + 4), GF_CANVAS_WIDTH - half - 4), X_TICK_LINE, GF_TEXT_MIDDLE, INK,
                  p->x.texts[i]);
    }
    kind->rectangle(p->canvas, p->left, BOTTOM, p->right - p->left, 1, INK);
    kind->rectangle(p->canvas, p->left, TOP, 1, BOTTOM - TOP, INK);
}

/* The top of a bin. Any value above 0 is visible. */
static double top_of(const struct plot *p, double value)
{
    return value > 0 ? fmin(y_of(p, value), BOTTOM - 2) : BOTTOM;
}

/* Makes a step for each bin; if there are more bins than pixel columns, a step for each column, as high as its highest
 * bin. */
static size_t make_steps(const struct plot *p, uint64_t channel)
{
    uint64_t n = gf_histogram_n_bins(p->h), columns = (uint64_t)(p->right - p->left),
             n_steps = n < columns ? n : columns;
    for (uint64_t i = 0; i < n_steps; i++)
        p->steps[i] = (struct gf_canvas_step){p->left + (double)i, p->left + (double)(i + 1), BOTTOM};
    for (uint64_t i = 0; i < n; i++) {
        double x0 = x_of(p, gf_histogram_edge(p->h, channel, i));
        double x1 = x_of(p, gf_histogram_edge(p->h, channel, i + 1));
        double y = top_of(p, gf_histogram_value(p->h, channel, i));
        if (n_steps == n) {
            p->steps[i] = (struct gf_canvas_step){x0, fmax(x1, x0 + 1), y};
            continue;
        }
        uint64_t from = (uint64_t)fmin(fmax(x0 - p->left, 0), (double)(columns - 1));
        uint64_t to = (uint64_t)fmin(fmax(x1 - p->left, 0), (double)columns);
        for (uint64_t k = from; k == from || k < to; k++)
            p->steps[k].y = fmin(p->steps[k].y, y);
    }
    return (size_t)n_steps;
}

/* Lines are clearer than areas if several cumulative channels overlap; filled areas are clearer if bins are narrow. */
static enum gf_area_style style_of(const struct plot *p)
{
    if (p->h->params.cumulative && n_channels(p->h) > 1)
        return GF_AREA_LINE;
    return (double)gf_histogram_n_bins(p->h) * NARROW > p->right - p->left ? GF_AREA_FILLED : GF_AREA_OUTLINED;
}

static void draw(struct plot *p, const char *title)
{
    choose_y(p);
    p->left = fmax(MARGIN, 24 + gf_axis_text_length(&p->y) * GF_CANVAS_CHARACTER);
    p->right = GF_CANVAS_WIDTH - MARGIN;
    choose_x(p);
    draw_titles(p, title);
    draw_legend(p);
    draw_axes(p);
    for (uint64_t c = 0; c < n_channels(p->h); c++)
        p->canvas->kind->area(p->canvas, p->steps, make_steps(p, c), BOTTOM, style_of(p),
                              g_colours[n_channels(p->h) - 1][c]);
}

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

enum gf_io_status gf_plot_can(const char *path, struct gf_io_error *err)
{
    if (has_extension(path, ".svg") || has_extension(path, ".png"))
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_USAGE, "%s: a histogram can be drawn only as .svg or .png", path);
}

enum gf_io_status gf_plot_write(const char *path, const struct gf_histogram *h, struct gf_io_error *err)
{
    struct plot p = {.h = h};
    gf_cleanup(gf_freep) struct gf_canvas_step *steps = p.steps = calloc(GF_CANVAS_WIDTH, sizeof(*steps));
    char title[TEXT], name[GF_PATH_TEXT];
    enum gf_io_status r = gf_plot_can(path, err);
    if (r == GF_IO_OK && !steps)
        r = gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    if (r != GF_IO_OK)
        return r;
    gf_path_text(gf_input_name(h->name), name, sizeof(name));
    shorten(name, NAME_MAX_CHARACTERS);
    snprintf(title, sizeof(title), "Histogram of %.*s", NAME_MAX_BYTES, name);
    if (h->step > 0)
        gf_text_append(title, sizeof(title), ", step %" PRIu32, h->step);
    r = has_extension(path, ".svg") ? gf_canvas_svg_open(path, title, &p.canvas, err)
                                    : gf_canvas_png_open(path, &p.canvas, err);
    if (r != GF_IO_OK)
        return r;
    draw(&p, title);
    return p.canvas->kind->finish(p.canvas, err);
}
