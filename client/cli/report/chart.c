/* SPDX-License-Identifier: MIT */
/* Histograms as bars. Called at the end of a run. */
#include "histogram.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_BARS 32u /* most rows in a terminal */
#define LABEL_WIDTH 14
#define VALUE_WIDTH 14
#define LEAST_BARS 8 /* columns for the bars at least */
#define DEFAULT_COLUMNS 80

static uint64_t first_bin(const struct gf_histogram *h, uint64_t group, uint64_t n_groups)
{
    return group * gf_histogram_n_bins(h) / n_groups;
}

static double group_value(const struct gf_histogram *h, uint64_t channel, uint64_t group, uint64_t n_groups)
{
    return gf_histogram_group(h, channel, first_bin(h, group, n_groups), first_bin(h, group + 1, n_groups));
}

static int terminal_columns(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
}

/* Reads the user's locale without setting it: the process must stay in the C locale, in which numbers have a decimal
 * point. */
static bool locale_is_utf8(void)
{
    locale_t user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (user == (locale_t)0)
        return false;
    bool is = strcmp(nl_langinfo_l(CODESET, user), "UTF-8") == 0;
    freelocale(user);
    return is;
}

/* Prints a bar that takes `share` of the columns, in eighths of a column. A bar above 0 is always visible. */
static void print_blocks(FILE *out, double share, uint32_t columns)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint32_t eighths = (uint32_t)(share * 8.0 * (double)columns + 0.5);
    if (eighths == 0 && share > 0)
        eighths = 1;
    for (uint32_t i = 0; i < eighths / 8; i++)
        fputs("█", out);
    fputs(parts[eighths % 8], out);
}

static void print_ascii(FILE *out, double share, uint32_t columns)
{
    uint32_t n = (uint32_t)(share * (double)columns + 0.5);
    for (uint32_t i = 0; i < n; i++)
        fputc('#', out);
    if (n == 0 && share > 0)
        fputc('.', out);
}

/* The label of a row is the lower edge of its first bin. */
static const char *label_of(const struct gf_histogram *h, uint64_t channel, uint64_t group, uint64_t n_groups,
                            char text[GF_NUMBER_TEXT])
{
    double edge = gf_histogram_edge(h, channel, first_bin(h, group, n_groups));
    return gf_histogram_edge_text(edge, gf_histogram_edge(h, channel, first_bin(h, group + 1, n_groups)) - edge, text);
}

/* The widths of the texts beside the bars, and the value of a full bar. */
struct layout {
    int label, value;
    double max;
};

static void measure(const struct gf_histogram *h, uint64_t n_groups, struct layout *ret)
{
    *ret = (struct layout){.label = LABEL_WIDTH, .value = VALUE_WIDTH};
    char text[GF_NUMBER_TEXT];
    for (uint64_t c = 0; c < gf_histogram_channels(h); c++)
        for (uint64_t i = 0; i < n_groups; i++) {
            double value = group_value(h, c, i, n_groups);
            int label_width = (int)strlen(label_of(h, c, i, n_groups, text));
            int value_width = (int)strlen(gf_text_from_f64(value, text, sizeof(text)));
            ret->label = label_width > ret->label ? label_width : ret->label;
            ret->value = value_width > ret->value ? value_width : ret->value;
            ret->max = value > ret->max ? value : ret->max;
        }
}

void gf_chart_print(FILE *out, const struct gf_histogram *h, bool colour)
{
    void (*print_bar)(FILE * out, double share, uint32_t columns) = locale_is_utf8() ? print_blocks : print_ascii;
    uint64_t n_channels = gf_histogram_channels(h), n = gf_histogram_n_bins(h);
    n = n < MAX_BARS ? n : MAX_BARS;
    struct layout layout;
    char label[GF_NUMBER_TEXT], text[GF_NUMBER_TEXT];
    measure(h, n, &layout);
    int left = terminal_columns(out) - layout.label - layout.value - 2;
    uint32_t columns = (uint32_t)(left > LEAST_BARS ? left : LEAST_BARS);
    for (uint64_t c = 0; c < n_channels; c++) {
        if (n_channels > 1)
            fprintf(out, "channel %" PRIu64 "\n", c + 1);
        for (uint64_t i = 0; i < n; i++) {
            double value = group_value(h, c, i, n);
            fprintf(out, "%*s %s", layout.label, label_of(h, c, i, n, label), colour ? "\x1b[36m" : "");
            print_bar(out, layout.max > 0 ? value / layout.max : 0, columns);
            fprintf(out, "%s %s\n", colour ? "\x1b[0m" : "", gf_text_from_f64(value, text, sizeof(text)));
        }
    }
}
