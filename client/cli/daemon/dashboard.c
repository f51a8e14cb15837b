/* SPDX-License-Identifier: MIT */
/*
 * A Grafana dashboard from the table of figures: counters as rates, histograms as quantiles, in one section each for
 * the daemon, its devices and its users. The viewer chooses the data source and the machines. Called by cmd_metrics.c;
 * see metrics.h.
 */
#include "metrics.h"

#include <string.h>

#include "client/cli/base/cli.h"
#include "client/lib/text/json.h"
#include "gpufilter/client.h"
#include "protocol/wire/metric.h"

#define PANEL_WIDTH 8u /* of WIDTH */
#define PANEL_HEIGHT 7u
#define WIDTH 24u
#define EXPR 256

/* The position and the number of the next panel. */
struct page {
    struct gf_json json;
    uint32_t id, x, y;
};

static const struct {
    const char *title, *prefixes[2]; /* of names after "gpufilter_"; none: all names without another section */
} g_sections[] = {{"Daemon", {NULL}}, {"Devices", {"device_", "request_"}}, {"Users", {"user_"}}};

/* Units of gauges by the ends of their names. Joules per second are watts. */
static const struct {
    const char *end, *unit;
} g_units[] = {
    {"_ratio", "percentunit"}, {"_celsius", "celsius"}, {"_watts", "watt"}, {"_joules", "watt"}, {"_hertz", "hertz"}};

/* Resources are counted in bytes or in pieces, which cannot share a panel. */
enum part { PART_ALL, PART_BYTES, PART_PIECES };

static const char *short_name(const struct gf_family_row *row)
{
    return row->name + sizeof("gpufilter_") - 1;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static size_t section_of(const struct gf_family_row *row)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_sections); i++)
        for (size_t k = 0; k < 2 && g_sections[i].prefixes[k]; k++)
            if (strncmp(short_name(row), g_sections[i].prefixes[k], strlen(g_sections[i].prefixes[k])) == 0)
                return i;
    return 0;
}

static const char *unit_of(const struct gf_family_row *row, enum part part)
{
    bool rate = row->kind == GF_METRIC_COUNTER;
    if (part == PART_BYTES || has(row->name, "_bytes"))
        return rate ? "Bps" : "bytes";
    if (has(row->name, "_seconds"))
        return rate ? "percentunit" : "s"; /* seconds per second */
    for (size_t i = 0; i < GF_ARRAY_LEN(g_units); i++)
        if (has(row->name, g_units[i].end))
            return g_units[i].unit;
    return rate ? "cps" : "short";
}

static void put_datasource(struct gf_json *json)
{
    gf_json_object(json, "datasource");
    gf_json_text(json, "type", "prometheus");
    gf_json_text(json, "uid", "${datasource}");
    gf_json_object_end(json);
}

static void put_target(struct gf_json *json, char ref, const char *expr, const char *legend)
{
    gf_json_object(json, NULL);
    put_datasource(json);
    gf_json_text(json, "refId", (const char[2]){ref, '\0'});
    gf_json_text(json, "expr", expr);
    gf_json_text(json, "legendFormat", legend);
    gf_json_bool(json, "range", true);
    gf_json_object_end(json);
}

/* Makes a legend such as "{{instance}} {{device}} {{status}} answers": the machine, the labels, and the name if the
 * panel has several families. */
static void legend_of(const struct gf_family_row *row, bool alone, const char *more, char text[EXPR])
{
    size_t n = (size_t)snprintf(text, EXPR, "{{instance}}");
    for (const char *at = row->labels; *at;) {
        size_t length = strcspn(at, ",");
        n += (size_t)snprintf(text + n, EXPR - n, " {{%.*s}}", (int)length, at);
        at += length + (at[length] == ',');
    }
    if (!alone)
        n += (size_t)snprintf(text + n, EXPR - n, " %s", short_name(row));
    snprintf(text + n, EXPR - n, "%s", more);
}

/* Writes the queries of a family. Returns the letter of the next query. */
static char put_queries(struct gf_json *json, const struct gf_family_row *row, enum part part, bool alone, char ref)
{
    static const char *const parts[] = {
        [PART_ALL] = "", [PART_BYTES] = ",resource=~\".*_bytes\"", [PART_PIECES] = ",resource!~\".*_bytes\""};
    char expr[EXPR], legend[EXPR];
    if (row->kind == GF_METRIC_HISTOGRAM) {
        for (int percent = 50; percent <= 99; percent += 49) {
            snprintf(expr, EXPR,
                     "histogram_quantile(0.%d, sum by (le,instance%s%s) "
                     "(rate(%s_bucket{instance=~\"$instance\"}[$__rate_interval])))",
                     percent, row->labels[0] != '\0' ? "," : "", row->labels, row->name);
            legend_of(row, alone, percent == 50 ? " median" : " 99 %", legend);
            put_target(json, ref++, expr, legend);
        }
        return ref;
    }
    bool rate = row->kind == GF_METRIC_COUNTER;
    snprintf(expr, EXPR, "%s%s{instance=~\"$instance\"%s}%s", rate ? "rate(" : "", row->name, parts[part],
             rate ? "[$__rate_interval])" : "");
    legend_of(row, alone, "", legend);
    put_target(json, ref, expr, legend);
    return (char)(ref + 1);
}

/* Maps the numbers of device states to words. */
static void put_states(struct gf_json *json)
{
    gf_json_array(json, "mappings");
    gf_json_object(json, NULL);
    gf_json_text(json, "type", "value");
    gf_json_object(json, "options");
    for (uint32_t state = GPUFILTER_DEVICE_STARTING; state <= GPUFILTER_DEVICE_IDLE; state++) {
        gf_json_object(json, (const char[2]){(char)('0' + state), '\0'});
        gf_json_text(json, "text", gf_device_state_word(state));
        gf_json_u64(json, "index", state);
        gf_json_object_end(json);
    }
    gf_json_object_end(json);
    gf_json_object_end(json);
    gf_json_array_end(json);
}

static void put_place(struct page *page, uint32_t width, uint32_t height)
{
    gf_json_u64(&page->json, "id", ++page->id);
    gf_json_object(&page->json, "gridPos");
    gf_json_u64(&page->json, "x", page->x);
    gf_json_u64(&page->json, "y", page->y);
    gf_json_u64(&page->json, "w", width);
    gf_json_u64(&page->json, "h", height);
    gf_json_object_end(&page->json);
    page->x += width;
    if (page->x >= WIDTH) {
        page->x = 0;
        page->y += height;
    }
}

static void put_look(struct gf_json *json, const struct gf_family_row *row, enum part part, bool states)
{
    gf_json_object(json, "fieldConfig");
    gf_json_object(json, "defaults");
    gf_json_text(json, "unit", states ? "short" : unit_of(row, part));
    if (states)
        put_states(json);
    else
        gf_json_u64(json, "min", 0);
    gf_json_object_end(json);
    gf_json_array(json, "overrides");
    gf_json_array_end(json);
    gf_json_object_end(json);
    gf_json_object(json, "options");
    gf_json_object(json, "legend");
    gf_json_text(json, "displayMode", "list");
    gf_json_text(json, "placement", "bottom");
    gf_json_bool(json, "showLegend", true);
    gf_json_object_end(json);
    gf_json_object(json, "tooltip");
    gf_json_text(json, "mode", "multi");
    gf_json_text(json, "sort", "desc");
    gf_json_object_end(json);
    gf_json_object_end(json);
}

/* Writes the panel that begins with this row, with all rows of the same title. */
static void put_panel(struct page *page, const struct gf_family_row *first, enum part part)
{
    static const char *const suffixes[] = {[PART_ALL] = "", [PART_BYTES] = ", bytes", [PART_PIECES] = ", pieces"};
    struct gf_json *json = &page->json;
    char title[EXPR], description[4 * EXPR];
    size_t n = 0, families = 0;
    bool states = first == &gf_families[GF_FAMILY_device_state];
    for (const struct gf_family_row *row = first; row < gf_families + GF_N_FAMILIES; row++)
        if (strcmp(row->panel, first->panel) == 0 && n < sizeof(description)) {
            families++;
            n += (size_t)snprintf(description + n, sizeof(description) - n, "%s%s: %s", n > 0 ? "\n\n" : "", row->name,
                                  row->help);
        }
    gf_json_object(json, NULL);
    snprintf(title, sizeof(title), "%s%s", first->panel, suffixes[part]);
    gf_json_text(json, "type", states ? "state-timeline" : "timeseries");
    gf_json_text(json, "title", title);
    gf_json_text(json, "description", description);
    put_datasource(json);
    put_place(page, PANEL_WIDTH, PANEL_HEIGHT);
    put_look(json, first, part, states);
    gf_json_array(json, "targets");
    char ref = 'A';
    for (const struct gf_family_row *row = first; row < gf_families + GF_N_FAMILIES; row++)
        if (strcmp(row->panel, first->panel) == 0)
            ref = put_queries(json, row, part, families == 1, ref);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static bool is_first(const struct gf_family_row *row)
{
    const struct gf_family_row *first = gf_families;
    while (strcmp(first->panel, row->panel) != 0)
        first++;
    return row->panel[0] != '\0' && first == row;
}

static void put_section(struct page *page, size_t section)
{
    if (page->x > 0)
        page->y += PANEL_HEIGHT;
    page->x = 0;
    gf_json_object(&page->json, NULL);
    gf_json_text(&page->json, "type", "row");
    gf_json_text(&page->json, "title", g_sections[section].title);
    gf_json_bool(&page->json, "collapsed", false);
    put_place(page, WIDTH, 1);
    gf_json_array(&page->json, "panels");
    gf_json_array_end(&page->json);
    gf_json_object_end(&page->json);
    for (size_t i = 0; i < GF_N_FAMILIES; i++) {
        const struct gf_family_row *row = &gf_families[i];
        if (!is_first(row) || section_of(row) != section)
            continue;
        if (has(row->labels, "resource")) {
            put_panel(page, row, PART_BYTES);
            put_panel(page, row, PART_PIECES);
        } else
            put_panel(page, row, PART_ALL);
    }
}

/* Writes the viewer's choices: the data source and the machines. */
static void put_variables(struct gf_json *json)
{
    gf_json_object(json, "templating");
    gf_json_array(json, "list");
    gf_json_object(json, NULL);
    gf_json_text(json, "type", "datasource");
    gf_json_text(json, "name", "datasource");
    gf_json_text(json, "label", "Data source");
    gf_json_text(json, "query", "prometheus");
    gf_json_object_end(json);
    gf_json_object(json, NULL);
    gf_json_text(json, "type", "query");
    gf_json_text(json, "name", "instance");
    gf_json_text(json, "label", "Machine");
    put_datasource(json);
    gf_json_text(json, "query", "label_values(gpufilter_info, instance)");
    gf_json_bool(json, "includeAll", true);
    gf_json_bool(json, "multi", true);
    gf_json_text(json, "allValue", ".*");
    gf_json_u64(json, "refresh", 2); /* when the time range changes */
    gf_json_object_end(json);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

void gf_dashboard_print(void)
{
    struct page page = {.json = {.out = stdout}};
    struct gf_json *json = &page.json;
    gf_json_object(json, NULL);
    gf_json_text(json, "title", "gpufilterd");
    gf_json_text(json, "uid", "gpufilterd");
    gf_json_text(json, "description", "Figures of gpufilterd, the GPU image filter daemon.");
    gf_json_u64(json, "schemaVersion", 38); /* Grafana 10 and later */
    gf_json_bool(json, "editable", true);
    gf_json_text(json, "refresh", "30s");
    gf_json_object(json, "time");
    gf_json_text(json, "from", "now-1h");
    gf_json_text(json, "to", "now");
    gf_json_object_end(json);
    put_variables(json);
    gf_json_array(json, "panels");
    for (size_t i = 0; i < GF_ARRAY_LEN(g_sections); i++)
        put_section(&page, i);
    gf_json_array_end(json);
    gf_json_object_end(json);
    putchar('\n');
}
