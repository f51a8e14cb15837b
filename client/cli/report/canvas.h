/* SPDX-License-Identifier: MIT */
/*
 * The elements of a drawing: rectangles, areas under steps, and text. Written as SVG (canvas_svg.c) or painted as PNG
 * (canvas_png.c). Used by plot.c.
 */
#ifndef GF_CLI_CANVAS_H
#define GF_CLI_CANVAS_H

#include "client/io/io_error.h"

#define GF_CANVAS_WIDTH 960
#define GF_CANVAS_HEIGHT 540

/* Text has one of two sizes. A character of the smaller size takes this many pixels of a line, one of the larger size
 * half as many again. */
#define GF_CANVAS_CHARACTER 12

enum gf_text_size { GF_TEXT_LABEL, GF_TEXT_TITLE };
enum gf_text_anchor { GF_TEXT_START, GF_TEXT_MIDDLE, GF_TEXT_END };

enum gf_area_style { GF_AREA_OUTLINED, GF_AREA_FILLED, GF_AREA_LINE };

/* One step of an area: from x0 to x1, with its upper edge at y, which grows downwards. */
struct gf_canvas_step {
    double x0, x1, y;
};

struct gf_canvas;

struct gf_canvas_kind {
    /* Fills a rectangle with one colour, 0xRRGGBB. */
    void (*rectangle)(struct gf_canvas *c, double x, double y, double width, double height, uint32_t colour);
    /* Draws an area between the line `base` and the steps, which are in ascending order of x. The filling is
     * translucent. */
    void (*area)(struct gf_canvas *c, const struct gf_canvas_step *steps, size_t n, double base,
                 enum gf_area_style style, uint32_t colour);
    /* Writes a text. `y` is the baseline. */
    void (*text)(struct gf_canvas *c, double x, double y, enum gf_text_size size, enum gf_text_anchor anchor,
                 uint32_t colour, const char *text);
    /* Puts the file in place and frees the canvas, also after an earlier failure. */
    enum gf_io_status (*finish)(struct gf_canvas *c, struct gf_io_error *err);
};

/* The first member of each implementation's struct. */
struct gf_canvas {
    const struct gf_canvas_kind *kind;
};

/* Open an empty white drawing, which must be ended by its `finish`. Screen readers read `title` aloud. */
enum gf_io_status gf_canvas_svg_open(const char *path, const char *title, struct gf_canvas **ret,
                                     struct gf_io_error *err);
enum gf_io_status gf_canvas_png_open(const char *path, struct gf_canvas **ret, struct gf_io_error *err);

#endif
