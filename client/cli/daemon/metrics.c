/* SPDX-License-Identifier: MIT */
/*
 * Fetches figures, reads their labels, and prints them as tables; see metrics.h. Titles, units and groups of tables are
 * derived from names and labels, so that figures of later daemons are shown, too.
 */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "protocol/wire/exposition.h"

#define MAX_METRICS 16384u
#define PREFIX "gpufilter_"
#define TEXT 64

bool gf_metrics_fetch(gpufilter_client *client, struct gf_metrics_list *ret, gpufilter_error *err)
{
    struct gf_metrics_list list = {.rows = calloc(MAX_METRICS, sizeof(*list.rows))};
    if (!list.rows) {
        *err = (gpufilter_error){.status = GPUFILTER_E_NO_MEMORY, .text = "out of memory"};
        return false;
    }
    if (gpufilter_metrics(client, list.rows, sizeof(list.rows[0]), MAX_METRICS, &list.n, err) != GPUFILTER_OK) {
        gf_metrics_list_deinit(&list);
        return false;
    }
    list.n = list.n < MAX_METRICS ? list.n : MAX_METRICS;
    *ret = list;
    return true;
}

void gf_metrics_list_deinit(struct gf_metrics_list *list)
{
    free(list->rows);
    *list = (struct gf_metrics_list){.rows = NULL};
}

/* Copies the text before `end` and skips `end`. Without `end` takes the rest; a text that does not fit becomes
 * empty. */
static void take_until(const char **text, char end, char *to, size_t capacity)
{
    size_t n = 0;
    while ((*text)[n] != '\0' && (*text)[n] != end)
        n++;
    size_t kept = n < capacity ? n : 0;
    memcpy(to, *text, kept);
    to[kept] = '\0';
    *text += (*text)[n] == end ? n + 1 : n;
}

bool gf_label_next(const char **labels, struct gf_label *ret)
{
    if (**labels == '\0')
        return false;
    *labels += **labels == ',';
    take_until(labels, '=', ret->key, sizeof(ret->key));
    *labels += **labels == '"';
    take_until(labels, '"', ret->value, sizeof(ret->value));
    return true;
}

bool gf_label_find(const gpufilter_metric *m, const char *key, struct gf_label *ret)
{
    const char *at = m->labels;
    while (gf_label_next(&at, ret))
        if (strcmp(ret->key, key) == 0)
            return true;
    return false;
}

void gf_metrics_prometheus(FILE *out, const struct gf_metrics_list *list)
{
    struct gf_exposition exposition;
    gf_exposition_begin(&exposition, out, GF_EXPOSITION_TEXT);
    for (uint32_t i = 0; i < list->n; i++) {
        const gpufilter_metric *from = &list->rows[i];
        struct gf_metric m = {.kind = from->kind, .n_bins = from->n_bins, .value = from->value, .bound = from->bound};
        memcpy(m.name, from->name, sizeof(m.name));
        memcpy(m.labels, from->labels, sizeof(m.labels));
        memcpy(m.help, from->help, sizeof(m.help));
        memcpy(m.bins, from->bins, sizeof(m.bins));
        gf_exposition_put(&exposition, &m);
    }
    gf_exposition_end(&exposition);
}

const char *gf_device_state_word(uint32_t state)
{
    switch (state) {
    case GPUFILTER_DEVICE_STARTING:
        return "starting";
    case GPUFILTER_DEVICE_READY:
        return "ready";
    case GPUFILTER_DEVICE_RESTARTING:
        return "restarting";
    case GPUFILTER_DEVICE_ASIDE:
        return "aside";
    case GPUFILTER_DEVICE_ABSENT:
        return "absent";
    case GPUFILTER_DEVICE_IDLE:
        return "idle";
    default:
        return "unknown";
    }
}

enum unit { UNIT_NONE, UNIT_BYTES, UNIT_SECONDS };

/* The title and unit of a table row. */
struct row {
    char title[3 * TEXT];
    enum unit unit;
};

static bool cut_end(char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    if (n <= k || strcmp(text + n - k, end) != 0)
        return false;
    text[n - k] = '\0';
    return true;
}

/* The text after `beginning`; the whole text if it does not begin so. */
static const char *behind(const char *text, const char *beginning)
{
    size_t n = strlen(beginning);
    return strncmp(text, beginning, n) == 0 ? text + n : text;
}

/* Derives a title from the metric's name without what the group and the unit already say. Returns the unit in the
 * name. */
static enum unit name_of(const gpufilter_metric *m, const char *group, char name[128], bool *ret_total)
{
    char head[16];
    snprintf(head, sizeof(head), "%s_", strcmp(group, "uid") == 0 ? "user" : group);
    snprintf(name, 128, "%s", behind(behind(m->name, PREFIX), head));
    *ret_total = cut_end(name, "_total");
    enum unit unit = UNIT_NONE;
    if (strcmp(name, "bytes") == 0 || cut_end(name, "_bytes"))
        unit = UNIT_BYTES;
    else if (cut_end(name, "_seconds"))
        unit = UNIT_SECONDS;
    for (char *p = name; *p; p++)
        if (*p == '_')
            *p = ' ';
    return unit;
}

/* Example: "gpufilter_device_bytes_total" with direction "in" becomes "bytes in", in bytes, in the group of its
 * device. */
static void describe(const gpufilter_metric *m, const char *group, struct row *ret)
{
    char name[128];
    struct gf_label label;
    const char *at = m->labels;
    bool total, more = false;
    ret->unit = name_of(m, group, name, &total);
    size_t n = (size_t)snprintf(ret->title, sizeof(ret->title), "%s", name);
    while (gf_label_next(&at, &label)) {
        if (strcmp(label.key, group) == 0)
            continue;
        if (cut_end(label.value, "_bytes"))
            ret->unit = UNIT_BYTES;
        more = true;
        if (n < sizeof(ret->title))
            n += (size_t)snprintf(ret->title + n, sizeof(ret->title) - n, " %s", label.value);
    }
    if (total && !more && n < sizeof(ret->title))
        snprintf(ret->title + n, sizeof(ret->title) - n, " total");
}

static const char *put_value(char text[TEXT], double value, enum unit unit)
{
    static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t k = 0;
    if (unit == UNIT_BYTES) {
        for (; value >= 1024 && k + 1 < GF_ARRAY_LEN(bytes); k++)
            value /= 1024;
        snprintf(text, TEXT, "%.*f %s", k > 0, value, bytes[k]);
    } else if (unit == UNIT_NONE)
        snprintf(text, TEXT, "%.10g", value);
    else if (value >= 1e4)
        snprintf(text, TEXT, "%.0f s", value);
    else if (value == 0 || value >= 1)
        snprintf(text, TEXT, "%.4g s", value);
    else if (value >= 1e-3)
        snprintf(text, TEXT, "%.4g ms", value * 1e3);
    else
        snprintf(text, TEXT, "%.4g us", value * 1e6);
    return text;
}

/* Writes a bound that `share` of the values do not exceed, as precisely as the bins allow: "<= 2 ms". */
static const char *put_quantile(char text[TEXT], const gpufilter_metric *m, double n, double share, enum unit unit)
{
    double bound = m->bound, seen = m->bins[0];
    uint32_t bin = 0;
    for (; bin + 2 < m->n_bins && seen < share * n; bound *= 2)
        seen += m->bins[++bin];
    char value[TEXT];
    put_value(value, bound, unit);
    snprintf(text, TEXT, "%s %.40s", seen < share * n ? ">" : "<=", value);
    return text;
}

static void print_histogram(FILE *out, const gpufilter_metric *m, const struct row *row)
{
    char mean[TEXT], p50[TEXT], p99[TEXT];
    double n = 0;
    for (uint32_t i = 0; i < m->n_bins; i++)
        n += m->bins[i];
    fprintf(out, "  %-28s %14.10g", row->title, n);
    if (n > 0)
        fprintf(out, "   mean %s, p50 %s, p99 %s", put_value(mean, m->value / n, row->unit),
                put_quantile(p50, m, n, 0.50, row->unit), put_quantile(p99, m, n, 0.99, row->unit));
    fputc('\n', out);
}

static void print_row(FILE *out, const gpufilter_metric *m, const char *group)
{
    struct row row;
    char text[TEXT];
    describe(m, group, &row);
    if (m->kind == GPUFILTER_METRIC_HISTOGRAM) {
        print_histogram(out, m, &row);
        return;
    }
    if (strcmp(m->name, PREFIX "device_state") == 0)
        snprintf(text, sizeof(text), "%s", gf_device_state_word((uint32_t)m->value));
    else
        put_value(text, m->value, row.unit);
    fprintf(out, "  %-28s %14s\n", row.title, text);
}

/* Prints the rows whose label `group` has this value; for the group "daemon", the rows without a group. */
static void print_group(FILE *out, const struct gf_metrics_list *list, const char *group, const char *value)
{
    struct gf_label label;
    fprintf(out, "%s%s%s\n", strcmp(group, "uid") == 0 ? "user" : group, *value ? " " : "", value);
    for (uint32_t i = 0; i < list->n; i++) {
        const gpufilter_metric *m = &list->rows[i];
        bool mine = *value ? gf_label_find(m, group, &label) && strcmp(label.value, value) == 0
                           : !gf_label_find(m, "device", &label) && !gf_label_find(m, "uid", &label);
        if (mine)
            print_row(out, m, group);
    }
}

/* Whether an earlier metric has the same value of the label. */
static bool seen_before(const struct gf_metrics_list *list, uint32_t at, const char *key, const char *value)
{
    struct gf_label label;
    for (uint32_t i = 0; i < at; i++)
        if (gf_label_find(&list->rows[i], key, &label) && strcmp(label.value, value) == 0)
            return true;
    return false;
}

void gf_metrics_table(FILE *out, const struct gf_metrics_list *list)
{
    static const char *const groups[] = {"device", "uid"};
    struct gf_label label;
    print_group(out, list, "daemon", "");
    for (size_t g = 0; g < GF_ARRAY_LEN(groups); g++)
        for (uint32_t i = 0; i < list->n; i++)
            if (gf_label_find(&list->rows[i], groups[g], &label) && *label.value &&
                !seen_before(list, i, groups[g], label.value))
                print_group(out, list, groups[g], label.value);
}
