/* SPDX-License-Identifier: MIT */
/* Drawings as PNG. Coordinates are rounded to whole pixels. Called by plot.c. */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/image/image.h"
#include "font.h"
#include "protocol/base/dtype.h"
#include "protocol/base/text.h"

#define LINE 2 /* width of an outline in pixels */

struct png {
    struct gf_canvas canvas;
    const char *path;
    uint8_t pixels[GF_CANVAS_HEIGHT][GF_CANVAS_WIDTH][3];
};

static int clamp(double value, int max)
{
    return (int)fmin(fmax(rint(value), 0), max);
}

/* Blends the colour into a rectangle: 10 tenths replace it. */
static void paint(struct png *png, double x0, double y0, double x1, double y1, uint32_t colour, uint32_t tenths)
{
    for (int y = clamp(y0, GF_CANVAS_HEIGHT); y < clamp(y1, GF_CANVAS_HEIGHT); y++)
        for (int x = clamp(x0, GF_CANVAS_WIDTH); x < clamp(x1, GF_CANVAS_WIDTH); x++)
            for (int k = 0; k < 3; k++) {
                uint8_t *p = &png->pixels[y][x][k];
                *p = (uint8_t)((*p * (10 - tenths) + (colour >> (16 - 8 * k) & 0xff) * tenths + 5) / 10);
            }
}

static void rectangle(struct gf_canvas *c, double x, double y, double width, double height, uint32_t colour)
{
    paint((struct png *)c, x, y, x + fmax(width, 1), y + fmax(height, 1), colour, 10);
}

static void outline(struct png *png, const struct gf_canvas_step *steps, size_t n, double base, uint32_t colour)
{
    for (size_t i = 0; i < n; i++) {
        bool follows = i > 0 && steps[i].x0 == steps[i - 1].x1, last = i + 1 == n || steps[i + 1].x0 != steps[i].x1;
        double before = follows ? steps[i - 1].y : base, x = rint(steps[i].x0);
        paint(png, x, fmin(steps[i].y, before), x + LINE, fmax(steps[i].y, before), colour, 10);
        paint(png, x, steps[i].y, steps[i].x1, steps[i].y + LINE, colour, 10);
        if (last)
            paint(png, rint(steps[i].x1) - LINE, steps[i].y, steps[i].x1, base, colour, 10);
    }
}

static void area(struct gf_canvas *c, const struct gf_canvas_step *steps, size_t n, double base,
                 enum gf_area_style style, uint32_t colour)
{
    static const uint32_t fills[] = {[GF_AREA_OUTLINED] = 3, [GF_AREA_FILLED] = 5, [GF_AREA_LINE] = 0};
    struct png *png = (struct png *)c;
    for (size_t i = 0; i < n; i++)
        paint(png, steps[i].x0, steps[i].y, steps[i].x1, base, colour, fills[style]);
    if (style != GF_AREA_FILLED)
        outline(png, steps, n, base, colour);
}

static void letter(struct png *png, double x, double y, int scale, uint32_t colour, char character)
{
    for (int column = 0; column < GF_FONT_COLUMNS; column++)
        for (int row = 0; row < GF_FONT_ROWS; row++) {
            double px = x + column * scale, py = y + (row - GF_FONT_BASE) * scale;
            if (gf_font_column(character, column) >> row & 1)
                paint(png, px, py, px + scale, py + scale, colour, 10);
        }
}

static void text(struct gf_canvas *c, double x, double y, enum gf_text_size size, enum gf_text_anchor anchor,
                 uint32_t colour, const char *words)
{
    int scale = size == GF_TEXT_TITLE ? 3 : 2;
    size_t length = 0, bytes;
    for (const char *p = words; *p; p += bytes > 0 ? bytes : 1, length++)
        bytes = gf_text_utf8(p);
    double width = (double)length * scale * (GF_FONT_COLUMNS + 1) - scale;
    x = rint(x - (anchor == GF_TEXT_MIDDLE ? width / 2 : anchor == GF_TEXT_END ? width : 0));
    for (const char *p = words; *p; p += bytes > 0 ? bytes : 1, x += scale * (GF_FONT_COLUMNS + 1)) {
        bytes = gf_text_utf8(p);
        letter((struct png *)c, x, rint(y), scale, colour, bytes == 1 ? *p : '?');
    }
}

static enum gf_io_status finish(struct gf_canvas *c, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) struct png *png = (struct png *)c;
    struct gf_view view = gf_view_tight(GF_U8, GF_CANVAS_WIDTH, GF_CANVAS_HEIGHT, 3);
    return gf_image_write(png->path, GF_FORMAT_PNG, &view, png->pixels, NULL, err);
}

static const struct gf_canvas_kind g_png = {rectangle, area, text, finish};

enum gf_io_status gf_canvas_png_open(const char *path, struct gf_canvas **ret, struct gf_io_error *err)
{
    struct png *png = malloc(sizeof(*png));
    if (!png)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", path);
    png->canvas.kind = &g_png;
    png->path = path;
    memset(png->pixels, 255, sizeof(png->pixels));
    *ret = &png->canvas;
    return GF_IO_OK;
}
