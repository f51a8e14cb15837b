/* SPDX-License-Identifier: MIT */
/* Writes metrics as text for Prometheus; see exposition.h. */
#include "exposition.h"

#include <string.h>

#include "protocol/base/text.h"

#define TOTAL "_total"

void gf_exposition_begin(struct gf_exposition *e, FILE *out, enum gf_exposition_format format)
{
    *e = (struct gf_exposition){.out = out, .format = format};
}

/* OpenMetrics also escapes quotes. A help text has no line feed. */
static void put_help(const struct gf_exposition *e, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || (*text == '"' && e->format == GF_EXPOSITION_OPENMETRICS))
            fputc('\\', e->out);
        fputc(*text, e->out);
    }
}

/* Bytes of the family's name. In OpenMetrics the values of a counter, but not its family, end in _total. */
static int name_length(const struct gf_exposition *e, const struct gf_metric *m)
{
    size_t n = strlen(m->name), end = sizeof(TOTAL) - 1;
    bool counts = m->kind == GF_METRIC_COUNTER && n > end && strcmp(m->name + n - end, TOTAL) == 0;
    return (int)(counts && e->format == GF_EXPOSITION_OPENMETRICS ? n - end : n);
}

static void put_family(const struct gf_exposition *e, const struct gf_metric *m)
{
    static const char *const kinds[] = {
        [GF_METRIC_COUNTER] = "counter", [GF_METRIC_GAUGE] = "gauge", [GF_METRIC_HISTOGRAM] = "histogram"};
    int n = name_length(e, m);
    /* A counter without _total, perhaps of a later daemon, is no counter of OpenMetrics. */
    bool odd = e->format == GF_EXPOSITION_OPENMETRICS && m->kind == GF_METRIC_COUNTER && m->name[n] == '\0';
    fprintf(e->out, "# HELP %.*s ", n, m->name);
    put_help(e, m->help);
    fprintf(e->out, "\n# TYPE %.*s %s\n", n, m->name, odd ? "unknown" : kinds[m->kind]);
}

static void put_sample(const struct gf_exposition *e, const struct gf_metric *m, const char *suffix, const char *le,
                       double value)
{
    char text[GF_NUMBER_TEXT];
    bool labels = m->labels[0] != '\0';
    fprintf(e->out, "%s%s", m->name, suffix);
    if (labels || le)
        fprintf(e->out, "{%s%s", m->labels, labels && le ? "," : "");
    if (le)
        fprintf(e->out, "le=\"%s\"", le);
    fprintf(e->out, "%s %s\n", labels || le ? "}" : "", gf_text_from_f64(value, text, sizeof(text)));
}

static void put_histogram(const struct gf_exposition *e, const struct gf_metric *m)
{
    char le[GF_NUMBER_TEXT];
    double bound = m->bound, n = 0;
    for (uint32_t i = 0; i < m->n_bins; i++, bound *= 2) {
        n += m->bins[i];
        put_sample(e, m, "_bucket", i + 1 < m->n_bins ? gf_text_from_f64(bound, le, sizeof(le)) : "+Inf", n);
    }
    put_sample(e, m, "_sum", NULL, m->value);
    put_sample(e, m, "_count", NULL, n);
}

void gf_exposition_put(void *exposition, const struct gf_metric *m)
{
    struct gf_exposition *e = exposition;
    if (strcmp(e->family, m->name) != 0) {
        memcpy(e->family, m->name, sizeof(e->family));
        put_family(e, m);
    }
    if (m->kind == GF_METRIC_HISTOGRAM)
        put_histogram(e, m);
    else
        put_sample(e, m, "", NULL, m->value);
}

void gf_exposition_end(struct gf_exposition *e)
{
    if (e->format == GF_EXPOSITION_OPENMETRICS)
        fputs("# EOF\n", e->out);
}
