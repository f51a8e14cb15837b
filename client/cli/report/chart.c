/* SPDX-License-Identifier: MIT */
/* Histograms as charts; called at the end of a run. */
#include "chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client/cli/image/image.h"
#include "client/cli/image/number.h"
#include "client/cli/io/output.h"

#define MAX_BARS 32u /* rows in a terminal */
#define LABEL_WIDTH 14u
#define COUNT_WIDTH 14u
#define DEFAULT_COLUMNS 80u
#define PLOT_WIDTH 640u
#define PLOT_HEIGHT 320u

/* What a channel takes away from white, and the same as text. */
static const struct {
    uint8_t tint[3];
    const char *name;
} colours[2][4] = {
    {{{96, 96, 96}, "#606060"}, {{160, 160, 96}, "#a0a060"}, {{96, 160, 160}, "#60a0a0"}, {{160, 96, 160}, "#a060a0"}},
    {{{255, 96, 96}, "#ff6060"}, {{96, 224, 96}, "#60e060"}, {{96, 96, 255}, "#6060ff"}, {{160, 160, 160}, "#a0a0a0"}},
};

/* Bins of a channel from one group's first to the next one's. */
static double group_sum(const gpufilter_view *counts, uint64_t channel, uint64_t group, uint64_t n_groups)
{
    uint64_t from = group * counts->width / n_groups, to = (group + 1) * counts->width / n_groups;
    const char *row = (const char *)counts->data + channel * counts->pitch;
    double sum = 0;
    for (uint64_t i = from; i < to; i++)
        sum += gf_number_value(counts->dtype, row, i);
    return isnan(sum) ? 0 : sum; /* a share of nothing */
}

static double greatest_group(const gpufilter_view *counts, uint64_t n_groups)
{
    double max = 0;
    for (uint64_t c = 0; c < counts->height; c++)
        for (uint64_t i = 0; i < n_groups; i++) {
            double sum = group_sum(counts, c, i, n_groups);
            max = sum > max ? sum : max;
        }
    return max;
}

static uint32_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > LABEL_WIDTH + COUNT_WIDTH + 8)
        return size.ws_col;
    return DEFAULT_COLUMNS;
}

/* A bar in eighths of a column. */
static void print_bar(FILE *out, uint32_t eighths)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (uint32_t i = 0; i < eighths / 8; i++)
        fputs("█", out);
    fputs(parts[eighths % 8], out);
}

void gf_chart_print(FILE *out, const gpufilter_result *results, bool colour)
{
    const gpufilter_view *counts = &results[0].view, *edges = &results[2].view;
    uint64_t n = counts->width < MAX_BARS ? counts->width : MAX_BARS;
    uint32_t columns_left = terminal_columns() - LABEL_WIDTH - COUNT_WIDTH - 2;
    double max = greatest_group(counts, n);
    char text[GF_NUMBER_TEXT];
    for (uint64_t c = 0; c < counts->height; c++) {
        uint64_t edge_row = c < edges->height ? c : 0;
        if (counts->height > 1)
            fprintf(out, "channel %" PRIu64 "\n", c);
        for (uint64_t i = 0; i < n; i++) {
            double sum = group_sum(counts, c, i, n);
            gf_number_text(edges->dtype, (const char *)edges->data + edge_row * edges->pitch, i * counts->width / n,
                           text);
            fprintf(out, "%*.*s %s", (int)LABEL_WIDTH, (int)LABEL_WIDTH, text, colour ? "\x1b[36m" : "");
            print_bar(out, max > 0 ? (uint32_t)(sum / max * 8.0 * (double)columns_left + 0.5) : 0);
            fprintf(out, "%s %.15g\n", colour ? "\x1b[0m" : "", sum);
        }
    }
}

static enum gf_io_status plot_png(const char *path, const gpufilter_view *counts, struct gf_io_error *err)
{
    static uint8_t pixels[PLOT_HEIGHT][PLOT_WIDTH][3];
    uint64_t n = counts->width < PLOT_WIDTH ? counts->width : PLOT_WIDTH;
    double max = greatest_group(counts, n);
    memset(pixels, 255, sizeof(pixels));
    for (uint64_t c = 0; c < counts->height && c < 4; c++)
        for (uint32_t x = 0; x < PLOT_WIDTH && max > 0; x++) {
            double share = group_sum(counts, c, x * n / PLOT_WIDTH, n) / max;
            for (uint32_t y = 0; y < (uint32_t)(share * PLOT_HEIGHT + 0.5); y++)
                for (uint32_t k = 0; k < 3; k++) {
                    uint8_t *p = &pixels[PLOT_HEIGHT - 1 - y][x][k];
                    *p = (uint8_t)(*p * colours[counts->height > 1][c].tint[k] / 255);
                }
        }
    struct gf_view view = gf_view_tight(GF_U8, PLOT_WIDTH, PLOT_HEIGHT, 3);
    return gf_image_write(path, GF_FORMAT_PNG, &view, pixels, NULL, err);
}

static enum gf_io_status put(struct gf_output_file *out, struct gf_io_error *err, const char *fmt, ...) gf_printf(3, 4);

static enum gf_io_status put(struct gf_output_file *out, struct gf_io_error *err, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return gf_output_write(out, text, (size_t)n, err);
}

static enum gf_io_status plot_svg(const char *path, const gpufilter_view *counts, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    uint64_t n = counts->width < 2 * PLOT_WIDTH ? counts->width : 2 * PLOT_WIDTH;
    double max = greatest_group(counts, n);
    enum gf_io_status r = gf_output_open(path, true, &out, err);
    if (r == GF_IO_OK)
        r = put(out, err,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PRIu64 " 1000\" width=\"%u\" height=\"%u\" "
                "preserveAspectRatio=\"none\">\n",
                n, PLOT_WIDTH, PLOT_HEIGHT);
    for (uint64_t c = 0; c < counts->height && c < 4 && r == GF_IO_OK; c++) {
        r = put(out, err, "<path fill=\"%s\" fill-opacity=\"0.6\" d=\"M0 1000", colours[counts->height > 1][c].name);
        for (uint64_t i = 0; i < n && r == GF_IO_OK; i++) {
            double share = max > 0 ? group_sum(counts, c, i, n) / max : 0;
            r = put(out, err, "V%d H%" PRIu64, 1000 - (int)(share * 1000 + 0.5), i + 1);
        }
        if (r == GF_IO_OK)
            r = put(out, err, "V1000Z\"/>\n");
    }
    if (r == GF_IO_OK)
        r = put(out, err, "</svg>\n");
    return r == GF_IO_OK ? gf_output_commit(&out, err) : r;
}

enum gf_io_status gf_chart_can_plot(const char *path, struct gf_io_error *err)
{
    const char *dot = strrchr(path, '.');
    if (dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".png") == 0))
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_USAGE, "%s: a histogram is drawn as .svg or .png", path);
}

enum gf_io_status gf_chart_plot(const char *path, const gpufilter_result *results, struct gf_io_error *err)
{
    enum gf_io_status r = gf_chart_can_plot(path, err);
    if (r != GF_IO_OK)
        return r;
    bool svg = strcasecmp(strrchr(path, '.'), ".svg") == 0;
    return svg ? plot_svg(path, &results[0].view, err) : plot_png(path, &results[0].view, err);
}
