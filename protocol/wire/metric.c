/* SPDX-License-Identifier: MIT */
/* Metrics between structs and attributes; see metric.h. */
#include "metric.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ATTR_HEAD 8u
#define WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
#define N_DIGITS 10u /* the last ones of WORD */

#define GF_FAMILY(name, kind, labels, panel, help)                                                                     \
    [GF_FAMILY_##name] = {"gpufilter_" #name, GF_METRIC_##kind, labels, panel, help},
const struct gf_family_row gf_families[GF_N_FAMILIES] = {
#include "metrics.def"
};
#undef GF_FAMILY

static size_t attr_size(size_t length)
{
    return ATTR_HEAD + (length + 7) / 8 * 8;
}

static size_t family_size(const char *name, const char *help)
{
    return attr_size(strlen(name)) + attr_size(sizeof(uint32_t)) + attr_size(strlen(help));
}

static size_t value_size(const char *labels, size_t n)
{
    return (labels[0] != '\0' ? attr_size(strlen(labels)) : 0) + attr_size(8 * n);
}

static void put_f64s(struct gf_writer *w, const double *values, size_t n)
{
    uint8_t bytes[(2 + GF_MAX_METRIC_BINS) * 8];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        gf_store_u64(bytes + 8 * i, bits);
    }
    gf_put(w, GF_ATTR_METRIC_VALUE, GF_TYPE_F64, bytes, 8 * n);
}

static double load_f64(const uint8_t *p)
{
    uint64_t bits = gf_load_u64(p);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void gf_metric_writer_init(struct gf_metric_writer *m, struct gf_writer *w, uint32_t first)
{
    *m = (struct gf_metric_writer){.w = w, .name = "", .help = "", .page = w->size, .first = first};
}

void gf_metric_family(struct gf_metric_writer *m, const char *name, enum gf_metric_kind kind, const char *help)
{
    m->name = name;
    m->help = help;
    m->kind = kind;
    m->begun = false;
    m->number++;
    m->skips = m->number < m->first || m->next != 0;
    m->start = m->w->size;
    m->size = family_size(name, help);
}

/* Writes a value, preceded by the description of its family if it is the first one. */
static void put(struct gf_metric_writer *m, const char *labels, const double *values, size_t n)
{
    if (!m->begun) {
        gf_put_string(m->w, GF_ATTR_METRIC, m->name);
        gf_put_u32(m->w, GF_ATTR_METRIC_KIND, m->kind);
        gf_put_string(m->w, GF_ATTR_METRIC_HELP, m->help);
        m->begun = true;
    }
    if (labels[0] != '\0')
        gf_put_string(m->w, GF_ATTR_METRIC_LABELS, labels);
    put_f64s(m->w, values, n);
}

/* Whether the family fits as far as it is known, if it begins at this size of the body. Room is left for the last
 * family. */
static bool fits(const struct gf_metric_writer *m, size_t start)
{
    const struct gf_family_row *left_out = &gf_families[GF_FAMILY_metrics_left_out];
    size_t limit = m->w->capacity < GF_MAX_FRAME_HEAD ? m->w->capacity : GF_MAX_FRAME_HEAD;
    return m->size + family_size(left_out->name, left_out->help) + value_size("", 1) <= limit - start;
}

/* Leaves the family to the next page. */
static void leave(struct gf_metric_writer *m)
{
    m->w->size = m->start;
    m->begun = false;
    m->skips = true;
    m->next = m->number;
}

/* Writes a value if its family is on this page and fits. What no page has room for is counted on every page, because
 * only the last one tells the count. */
static void put_or_leave(struct gf_metric_writer *m, const char *labels, const double *values, size_t n)
{
    m->size += value_size(labels, n);
    if (!fits(m, m->page))
        m->left_out++;
    else if (m->skips)
        return;
    else if (fits(m, m->start))
        put(m, labels, values, n);
    else
        leave(m);
}

void gf_metric_put(struct gf_metric_writer *m, const char *labels, double value)
{
    put_or_leave(m, labels, &value, 1);
}

void gf_metric_put_bins(struct gf_metric_writer *m, const char *labels, double sum, double bound, const uint64_t *bins,
                        uint32_t n)
{
    double values[2 + GF_MAX_METRIC_BINS] = {sum, bound};
    for (uint32_t i = 0; i < n && i < GF_MAX_METRIC_BINS; i++)
        values[2 + i] = (double)bins[i];
    put_or_leave(m, labels, values, 2 + (n < GF_MAX_METRIC_BINS ? n : GF_MAX_METRIC_BINS));
}

void gf_metric_writer_finish(struct gf_metric_writer *m)
{
    double value = m->left_out;
    const struct gf_family_row *left_out = &gf_families[GF_FAMILY_metrics_left_out];
    if (m->next != 0) {
        gf_put_u32(m->w, GF_ATTR_NEXT, m->next);
        return;
    }
    gf_metric_family(m, left_out->name, left_out->kind, left_out->help);
    put(m, "", &value, 1);
}

/* Length of a word of letters, digits and '_' that does not begin with a digit. */
static size_t word_length(const char *text)
{
    return strchr(&WORD[sizeof(WORD) - 1 - N_DIGITS], text[0]) ? 0 : strspn(text, WORD);
}

/* Checks word="value",word="value"; a value contains no quote or backslash. */
static bool labels_are_fine(const char *text)
{
    for (;;) {
        size_t n = word_length(text);
        if (n == 0 || strncmp(text + n, "=\"", 2) != 0)
            return false;
        text += n + 2;
        text += strcspn(text, "\"\\");
        if (*text++ != '"')
            return false;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

/* The state of decoding a body. */
struct reading {
    struct gf_metric metric; /* of the current family, with the labels of the next value */
    bool begun, labelled, helped;
};

static enum gf_status begin_family(struct reading *r, const struct gf_attr *a, struct gf_error *err)
{
    *r = (struct reading){.begun = true};
    enum gf_status status = gf_attr_string(a, r->metric.name, sizeof r->metric.name, err);
    if (status == GF_OK && (r->metric.name[0] == '\0' || r->metric.name[word_length(r->metric.name)] != '\0'))
        return gf_error_set(err, GF_E_BAD_REPLY, "metric name '%s'; allowed: letters, digits and '_'", r->metric.name);
    return status;
}

static enum gf_status twice(const struct gf_attr *a, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_REPLY, "attribute %s (%u) is given twice", gf_attr_name(a->id), a->id);
}

static enum gf_status read_labels(struct reading *r, const struct gf_attr *a, struct gf_error *err)
{
    if (r->labelled)
        return twice(a, err);
    r->labelled = true;
    enum gf_status status = gf_attr_string(a, r->metric.labels, sizeof r->metric.labels, err);
    if (status == GF_OK && !labels_are_fine(r->metric.labels))
        return gf_error_set(err, GF_E_BAD_REPLY, "%s: labels '%s' must be of the form word=\"value\"", r->metric.name,
                            r->metric.labels);
    return status;
}

static enum gf_status check_histogram(const struct gf_metric *m, struct gf_error *err)
{
    if (!(m->bound > 0))
        return gf_error_set(err, GF_E_BAD_REPLY, "%s: the first bound is %g; must be positive", m->name, m->bound);
    for (uint32_t i = 0; i < m->n_bins; i++)
        if (!(m->bins[i] >= 0))
            return gf_error_set(err, GF_E_BAD_REPLY, "%s: bin %" PRIu32 " is %g; must not be negative", m->name, i,
                                m->bins[i]);
    return GF_OK;
}

/* Decodes the numbers of a value, which must all be finite. */
static enum gf_status read_value(struct reading *r, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_metric *m = &r->metric;
    uint32_t n = a->length / 8;
    bool histogram = m->kind == GF_METRIC_HISTOGRAM;
    if (a->type != GF_TYPE_F64)
        return gf_error_set(err, GF_E_BAD_REPLY, "%s: its value is not of type f64", m->name);
    if (histogram ? n < 4 || n > 2 + GF_MAX_METRIC_BINS : n != 1)
        return gf_error_set(err, GF_E_BAD_REPLY, "%s: a value of %" PRIu32 " numbers; allowed: %s", m->name, n,
                            histogram ? "4..34" : "1");
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(load_f64(a->value + 8 * i)))
            return gf_error_set(err, GF_E_BAD_REPLY, "%s: a value is not finite", m->name);
    m->value = load_f64(a->value);
    if (!histogram)
        return GF_OK;
    m->bound = load_f64(a->value + 8);
    m->n_bins = n - 2;
    for (uint32_t i = 0; i < m->n_bins; i++)
        m->bins[i] = load_f64(a->value + 16 + 8 * i);
    return check_histogram(m, err);
}

/* Decodes one attribute of a family; sets *ret_whole when a metric is complete. */
static enum gf_status read_attr(struct reading *r, const struct gf_attr *a, bool *ret_whole, struct gf_error *err)
{
    struct gf_metric *m = &r->metric;
    *ret_whole = false;
    if (a->id == GF_ATTR_METRIC)
        return begin_family(r, a, err);
    if (!r->begun)
        return gf_error_set(err, GF_E_BAD_REPLY, "attribute %s (%u) comes before any METRIC", gf_attr_name(a->id),
                            a->id);
    switch (a->id) {
    case GF_ATTR_METRIC_KIND:
        return m->kind != 0 ? twice(a, err) : gf_attr_u32(a, &m->kind, err);
    case GF_ATTR_METRIC_HELP:
        if (r->helped)
            return twice(a, err);
        r->helped = true;
        return gf_attr_string(a, m->help, sizeof m->help, err);
    case GF_ATTR_METRIC_LABELS:
        return read_labels(r, a, err);
    default:
        if (m->kind == 0)
            return gf_error_set(err, GF_E_BAD_REPLY, "%s: a value before METRIC_KIND, or kind 0", m->name);
        *ret_whole = m->kind <= GF_METRIC_HISTOGRAM;
        return *ret_whole ? read_value(r, a, err) : GF_OK;
    }
}

enum gf_status gf_metrics_decode(const uint8_t *body, size_t size,
                                 void (*take)(void *data, const struct gf_metric *metric), void *data,
                                 struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct reading r = {.begun = false};
    struct gf_attr a;
    int more;
    bool whole;
    while ((more = gf_attr_next(&reader, &a, err)) > 0) {
        if (a.id < GF_ATTR_METRIC || a.id > GF_ATTR_METRIC_VALUE)
            continue;
        if (read_attr(&r, &a, &whole, err) != GF_OK)
            break;
        if (a.id != GF_ATTR_METRIC_VALUE)
            continue;
        if (whole && take != NULL)
            take(data, &r.metric);
        r.labelled = false;
        r.metric.labels[0] = '\0';
    }
    if (more == 0)
        return GF_OK;
    if (err != NULL)
        err->status = GF_E_BAD_REPLY;
    return GF_E_BAD_REPLY;
}
