/* SPDX-License-Identifier: MIT */
/* Drawings as SVG. The output remembers a failed write, and finish reports it. Called by plot.c. */
#include "canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/io/output.h"
#include "protocol/base/text.h"

struct svg {
    struct gf_canvas canvas;
    struct gf_output_file *out;
};

static void put(struct svg *svg, const char *fmt, ...) gf_printf(2, 3);

static void put(struct svg *svg, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    (void)gf_output_write(svg->out, text, (size_t)n, NULL);
}

/* Omits characters that XML does not allow. */
static void put_text(struct svg *svg, const char *text)
{
    for (size_t n; *text; text += n) {
        n = gf_text_utf8(text);
        bool none = n == 0 || (unsigned char)*text < ' ' ||
                    (n == 3 && memcmp(text, "\xef\xbf\xbe", 3) >= 0 && memcmp(text, "\xef\xbf\xbf", 3) <= 0);
        n = n > 0 ? n : 1;
        if (!none && strchr("<>&\"", *text))
            put(svg, "&#%d;", *text);
        else if (!none)
            (void)gf_output_write(svg->out, text, n, NULL);
    }
}

static void rectangle(struct gf_canvas *c, double x, double y, double width, double height, uint32_t colour)
{
    put((struct svg *)c, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n", x, y, width,
        height, colour);
}

static void area(struct gf_canvas *c, const struct gf_canvas_step *steps, size_t n, double base,
                 enum gf_area_style style, uint32_t colour)
{
    struct svg *svg = (struct svg *)c;
    static const char *const fills[] = {[GF_AREA_OUTLINED] = "0.3", [GF_AREA_FILLED] = "0.5", [GF_AREA_LINE] = "0"};
    put(svg,
        "<path fill=\"#%06x\" fill-opacity=\"%s\" stroke=\"#%06x\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
        "d=\"",
        colour, fills[style], colour, style == GF_AREA_FILLED ? "0" : "1.5");
    for (size_t i = 0; i < n; i++) {
        bool begins = i == 0 || steps[i].x0 != steps[i - 1].x1, ends = i + 1 == n || steps[i + 1].x0 != steps[i].x1;
        if (begins)
            put(svg, "M%.2f %.2f", steps[i].x0, base);
        put(svg, "V%.2fH%.2f", steps[i].y, steps[i].x1);
        if (ends)
            put(svg, "V%.2f", base);
    }
    put(svg, "\"/>\n");
}

static void text(struct gf_canvas *c, double x, double y, enum gf_text_size size, enum gf_text_anchor anchor,
                 uint32_t colour, const char *words)
{
    static const char *const sizes[] = {[GF_TEXT_LABEL] = "16\"", [GF_TEXT_TITLE] = "22\" font-weight=\"bold\""};
    static const char *const anchors[] = {
        [GF_TEXT_START] = "start", [GF_TEXT_MIDDLE] = "middle", [GF_TEXT_END] = "end"};
    struct svg *svg = (struct svg *)c;
    put(svg, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%s text-anchor=\"%s\" fill=\"#%06x\">", x, y, sizes[size],
        anchors[anchor], colour);
    put_text(svg, words);
    put(svg, "</text>\n");
}

static enum gf_io_status finish(struct gf_canvas *c, struct gf_io_error *err)
{
    struct svg *svg = (struct svg *)c;
    put(svg, "</svg>\n");
    enum gf_io_status r = gf_output_commit(&svg->out, err);
    free(svg);
    return r;
}

static const struct gf_canvas_kind g_svg = {rectangle, area, text, finish};

enum gf_io_status gf_canvas_svg_open(const char *path, const char *title, struct gf_canvas **ret,
                                     struct gf_io_error *err)
{
    gf_cleanup(gf_freep) struct svg *svg = malloc(sizeof(*svg));
    if (!svg)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    svg->canvas.kind = &g_svg;
    enum gf_io_status r = gf_output_open(path, true, &svg->out, err);
    if (r != GF_IO_OK)
        return r;
    put(svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
        "font-family=\"sans-serif\">\n<title>",
        GF_CANVAS_WIDTH, GF_CANVAS_HEIGHT, GF_CANVAS_WIDTH, GF_CANVAS_HEIGHT);
    put_text(svg, title);
    put(svg, "</title>\n");
    rectangle(&svg->canvas, 0, 0, GF_CANVAS_WIDTH, GF_CANVAS_HEIGHT, 0xffffff);
    *ret = &gf_steal_ptr(&svg)->canvas;
    return GF_IO_OK;
}
