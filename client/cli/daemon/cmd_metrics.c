/* SPDX-License-Identifier: MIT */
/* `metrics`: the daemon's figures. Called by main.c. */
#include <stdlib.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/io/number.h"
#include "client/io/output.h"
#include "client/lib/text/json.h"
#include "metrics.h"

static void put_f64(struct gf_json *json, const char *key, double value)
{
    char text[GF_NUMBER_TEXT];
    gf_json_number(json, key, gf_number_text(GF_F64, &value, 0, text));
}

static void put_metric(struct gf_json *json, const gpufilter_metric *m)
{
    static const char *const kinds[] = {[GPUFILTER_METRIC_COUNTER] = "counter",
                                        [GPUFILTER_METRIC_GAUGE] = "gauge",
                                        [GPUFILTER_METRIC_HISTOGRAM] = "histogram"};
    struct gf_label label;
    const char *at = m->labels;
    gf_json_object(json, NULL);
    gf_json_text(json, "name", m->name);
    gf_json_text(json, "kind", kinds[m->kind]);
    gf_json_object(json, "labels");
    while (gf_label_next(&at, &label))
        gf_json_text(json, label.key, label.value);
    gf_json_object_end(json);
    if (m->kind != GPUFILTER_METRIC_HISTOGRAM) {
        put_f64(json, "value", m->value);
    } else {
        put_f64(json, "sum", m->value);
        put_f64(json, "bound", m->bound);
        gf_json_array(json, "bins");
        for (uint32_t i = 0; i < m->n_bins; i++)
            put_f64(json, NULL, m->bins[i]);
        gf_json_array_end(json);
    }
    gf_json_object_end(json);
}

static void print_json(const gpufilter_client *client, const struct gf_metrics_list *list)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "server", gpufilter_server(client));
    gf_json_text(&json, "socket", gpufilter_socket(client));
    gf_json_array(&json, "metrics");
    for (uint32_t i = 0; i < list->n; i++)
        put_metric(&json, &list->rows[i]);
    gf_json_array_end(&json);
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

/* Replaces the file atomically: a collector may read it at any moment. */
static int print_prometheus(const struct gf_cli *cli, const struct gf_metrics_list *list, const char *path)
{
    gf_cleanup(gf_freep) char *text = NULL;
    struct gf_io_error err;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory)
        gf_metrics_prometheus(memory, list);
    if (!memory || fclose(memory) != 0)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    return gf_output_put(path, text, size, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
}

int gf_cmd_metrics(struct gf_cli *cli, struct gf_args *args)
{
    const char *prometheus = NULL, *output = NULL, *dashboard = NULL;
    const struct gf_option own[] = {
        {"prometheus", '\0', NULL, "print the text format 0.0.4 of Prometheus", &prometheus},
        {"output", 'o', "FILE", "with --prometheus: replace FILE atomically", &output},
        {"dashboard", '\0', NULL, "print a Grafana dashboard of the figures as JSON; needs no daemon", &dashboard}};
    const struct gf_help help = {
        .synopsis = "metrics [options]",
        .about =
            "Prints what the daemon is doing and has done since it started: for each device answers, bytes, time by "
            "stage and\n"
            "deaths; for each user requests, answers, bytes and held resources; connections and memory. Figures of\n"
            "other users are shown only to root and to the daemon's own user. (The command stats is an operation: it\n"
            "computes statistics of a picture.)",
        .example = "metrics --prometheus",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if ((cli->json != NULL) + (prometheus != NULL) + (dashboard != NULL) > 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json, --prometheus and --dashboard exclude each other");
    if (output && !prometheus)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--output %s: needs --prometheus; otherwise redirect standard output",
                           output);
    if (dashboard) {
        gf_dashboard_print();
        return GF_EXIT_OK;
    }
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list list = {.rows = NULL};
    gpufilter_error err;
    code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    if (!gf_metrics_fetch(client, &list, &err))
        return gf_cli_fail_client(cli, &err);
    if (cli->json)
        print_json(client, &list);
    else if (prometheus)
        return print_prometheus(cli, &list, output ? output : "-");
    else if (!cli->quiet)
        gf_metrics_table(stdout, &list);
    return GF_EXIT_OK;
}
