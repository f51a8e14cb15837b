/* SPDX-License-Identifier: MIT */
/*
 * What a drawing is made of: rectangles, areas of steps, and text. Written as SVG (canvas_svg.c) or painted as PNG
 * (canvas_png.c). Used by plot.c.
 */
#ifndef GF_CLI_CANVAS_H
#define GF_CLI_CANVAS_H

#include "client/cli/io/io_error.h"

#define GF_CANVAS_WIDTH 960
#define GF_CANVAS_HEIGHT 540

/* Text has one of two sizes; a character of the smaller one takes this much of a line, the larger one half more. */
#define GF_CANVAS_CHARACTER 12

enum gf_text_size { GF_TEXT_LABEL, GF_TEXT_TITLE };
enum gf_text_anchor { GF_TEXT_START, GF_TEXT_MIDDLE, GF_TEXT_END };

enum gf_area_style { GF_AREA_OUTLINED, GF_AREA_FILLED, GF_AREA_LINE };

/* A part of an area: from x0 to x1, as high as y says, which grows downwards. */
struct gf_canvas_step {
    double x0, x1, y;
};

struct gf_canvas;

struct gf_canvas_kind {
    /* All of one colour, 0xRRGGBB. */
    void (*rectangle)(struct gf_canvas *c, double x, double y, double width, double height, uint32_t colour);
    /* From the line `base` up to the steps, in order of x; what is filled is transparent. */
    void (*area)(struct gf_canvas *c, const struct gf_canvas_step *steps, size_t n, double base,
                 enum gf_area_style style, uint32_t colour);
    /* `y` is the base line of the letters. */
    void (*text)(struct gf_canvas *c, double x, double y, enum gf_text_size size, enum gf_text_anchor anchor,
                 uint32_t colour, const char *text);
    /* Puts the file in place, and frees; also where something failed before. */
    enum gf_io_status (*finish)(struct gf_canvas *c, struct gf_io_error *err);
};

/* The first member of each kind's own struct. */
struct gf_canvas {
    const struct gf_canvas_kind *kind;
};

/* An empty white drawing, which ends by its kind's `finish`. `title` names it for programs that read drawings out. */
enum gf_io_status gf_canvas_svg_open(const char *path, const char *title, struct gf_canvas **ret,
                                     struct gf_io_error *err);
enum gf_io_status gf_canvas_png_open(const char *path, struct gf_canvas **ret, struct gf_io_error *err);

#endif
