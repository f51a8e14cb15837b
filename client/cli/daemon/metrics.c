/* SPDX-License-Identifier: MIT */
/* Fetches figures, reads their labels, and prints the Prometheus format. See metrics.h. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/image/number.h"

#define MAX_METRICS 4096u

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

static void put_help(FILE *out, const char *text)
{
    for (; *text; text++)
        fputs(*text == '\\' ? "\\\\" : (char[2]){*text, '\0'}, out);
}

static void put_sample(FILE *out, const gpufilter_metric *m, const char *suffix, const char *le, double value)
{
    char text[GF_NUMBER_TEXT];
    bool labels = m->labels[0] != '\0';
    fprintf(out, "%s%s", m->name, suffix);
    if (labels || le)
        fprintf(out, "{%s%s", m->labels, labels && le ? "," : "");
    if (le)
        fprintf(out, "le=\"%s\"", le);
    fprintf(out, "%s %s\n", labels || le ? "}" : "", gf_number_text(GF_F64, &value, 0, text));
}

static void put_histogram(FILE *out, const gpufilter_metric *m)
{
    char le[GF_NUMBER_TEXT];
    double bound = m->bound, n = 0;
    for (uint32_t i = 0; i < m->n_bins; i++, bound *= 2) {
        n += m->bins[i];
        put_sample(out, m, "_bucket", i + 1 < m->n_bins ? gf_number_text(GF_F64, &bound, 0, le) : "+Inf", n);
    }
    put_sample(out, m, "_sum", NULL, m->value);
    put_sample(out, m, "_count", NULL, n);
}

void gf_metrics_prometheus(FILE *out, const struct gf_metrics_list *list)
{
    static const char *const kinds[] = {[GPUFILTER_METRIC_COUNTER] = "counter",
                                        [GPUFILTER_METRIC_GAUGE] = "gauge",
                                        [GPUFILTER_METRIC_HISTOGRAM] = "histogram"};
    const char *family = "";
    for (uint32_t i = 0; i < list->n; i++) {
        const gpufilter_metric *m = &list->rows[i];
        if (strcmp(family, m->name) != 0) {
            family = m->name;
            fprintf(out, "# HELP %s ", m->name);
            put_help(out, m->help);
            fprintf(out, "\n# TYPE %s %s\n", m->name, kinds[m->kind]);
        }
        if (m->kind == GPUFILTER_METRIC_HISTOGRAM)
            put_histogram(out, m);
        else
            put_sample(out, m, "", NULL, m->value);
    }
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
