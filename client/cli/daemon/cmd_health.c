/* SPDX-License-Identifier: MIT */
/*
 * `health`: reports by exit code and text whether the daemon can do work, and prints the same check as lines for
 * HAProxy, which runs it on every node of a cluster; and the load of a node for HAProxy. Called by main.c.
 */
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/lib/text/json.h"
#include "metrics.h"
#include "protocol/wire/request.h"
#include "protocol/wire/response.h"

#define HALF_SECONDS 0.1 /* of work, with which a node gets half of its share of new connections */

static void print_json(const gpufilter_client *client, const gpufilter_health_info *info)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "state", gf_health_word(info->state));
    gf_json_text(&json, "text", info->text);
    gf_json_text(&json, "server", gpufilter_server(client));
    gf_json_text(&json, "node", gpufilter_node(client));
    gf_json_text(&json, "socket", gpufilter_socket(client));
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

/* Prints upper-case hex digits, the form in which HAProxy compares an answer with a pattern. */
static void print_hex(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        printf("%02X", data[i]);
}

/* Prints the attribute of an answer that reports the state. */
static void print_state(uint32_t state)
{
    uint8_t frame[GF_HEADER_SIZE + 16];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof(frame));
    gf_put_u32(&w, GF_ATTR_HEALTH, state);
    print_hex(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE);
}

/* Prints the rules of a check that passes whenever `health` would exit with 0. */
static void print_haproxy(void)
{
    const struct gf_hello hello = {.version_min = GF_VERSION_MIN, .version_max = GF_VERSION, .software = "haproxy"};
    uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_writer w;
    fputs("    option tcp-check\n    tcp-check send-binary ", stdout);
    gf_writer_init(&w, frame, sizeof(frame));
    gf_hello_encode(&w, &hello);
    if (gf_writer_finish(&w, GF_FRAME_HELLO, 1, 0, 0))
        print_hex(frame, w.size);
    fputs("\n    tcp-check send-binary ", stdout);
    gf_writer_init(&w, frame, sizeof(frame));
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_HEALTH});
    if (gf_writer_finish(&w, GF_FRAME_INFO, 2, 0, 0))
        print_hex(frame, w.size);
    fputs("\n    tcp-check expect rbinary (", stdout);
    print_state(GF_HEALTH_READY);
    putchar('|');
    print_state(GF_HEALTH_DEGRADED);
    puts(") comment \"gpufilterd is not ready, or of another version\"");
}

/* The sum of a figure's values, such as "gpufilter_device_jobs". */
static double sum_of(const struct gf_metrics_list *list, const char *name)
{
    double sum = 0;
    for (uint32_t i = 0; i < list->n; i++)
        sum += strcmp(list->rows[i].name, name) == 0 ? list->rows[i].value : 0;
    return sum;
}

static double devices_that_serve(const struct gf_metrics_list *list)
{
    double n = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->rows[i].name, "gpufilter_device_state") == 0)
            n += list->rows[i].value == GF_DEVICE_READY || list->rows[i].value == GF_DEVICE_IDLE;
    return n;
}

/* The estimated time that a new request waits: that of the requests in workers, and as much for each one that waits for
 * a worker, shared by the devices. */
static double wait_seconds(const struct gf_metrics_list *list)
{
    double jobs = sum_of(list, "gpufilter_device_jobs"), queued = sum_of(list, "gpufilter_requests_queued");
    double load = sum_of(list, "gpufilter_device_load_seconds");
    return jobs > 0 ? load * (1 + queued / jobs) / devices_that_serve(list) : 0;
}

/* Prints the answer to HAProxy's agent-check: which part of its weight the node should have. */
static int print_agent(const struct gf_cli *cli, gpufilter_client *client)
{
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list list = {.rows = NULL};
    gpufilter_error err;
    if (!gf_metrics_fetch(client, &list, &err))
        return gf_cli_fail_client(cli, &err);
    double share = devices_that_serve(&list) > 0 ? HALF_SECONDS / (HALF_SECONDS + wait_seconds(&list)) : 0;
    printf("%.0f%%\n", share > 0.01 ? 100 * share : 1); /* with 0 it would get no connection at all */
    return GF_EXIT_OK;
}

int gf_cmd_health(struct gf_cli *cli, struct gf_args *args)
{
    const char *haproxy = NULL, *agent = NULL;
    const struct gf_option own[] = {
        {"haproxy", '\0', NULL, "print the HAProxy rules that check a node this way; needs no daemon", &haproxy},
        {"haproxy-agent", '\0', NULL,
         "print the daemon's share of new connections for HAProxy's agent-check: 100% idle, 50% "
         "with 0.1 s of work",
         &agent}};
    const struct gf_help help = {
        .synopsis = "health [options]",
        .about = "Reports whether the daemon can do work. Exit code 0: ready, or degraded (a device is missing, the "
                 "remaining\n"
                 "ones serve); 75: starting, or silent; 69: no daemon. With --quiet only the exit code tells.",
        .example = "health --json",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if (!!haproxy + !!agent + !!cli->json > 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json, --haproxy and --haproxy-agent exclude each other");
    if (haproxy) {
        print_haproxy();
        return GF_EXIT_OK;
    }
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    if (agent)
        return print_agent(cli, client);
    gpufilter_health_info info = GPUFILTER_HEALTH_INFO_INIT;
    gpufilter_error err;
    if (gpufilter_health(client, &info, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    if (cli->json)
        print_json(client, &info);
    else if (!cli->quiet)
        printf("%s%s%s\n", gf_health_word(info.state), info.text[0] ? ": " : "", info.text);
    return info.state == GPUFILTER_HEALTH_STARTING ? GF_EXIT_TRY_AGAIN : GF_EXIT_OK;
}
