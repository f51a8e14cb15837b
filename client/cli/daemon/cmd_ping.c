/* SPDX-License-Identifier: MIT */
/* `ping`: measures round trips without work. Called by main.c. */
#include <inttypes.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/report/samples.h"
#include "client/lib/text/json.h"
#include "protocol/base/text.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX ((int)GF_SAMPLES_MAX)

static void print_json(const gpufilter_client *client, const struct gf_samples *times)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "server", gpufilter_server(client));
    gf_json_text(&json, "node", gpufilter_node(client));
    gf_json_text(&json, "socket", gpufilter_socket(client));
    gf_json_u64(&json, "count", times->n);
    gf_json_u64(&json, "min_ns", times->rows[0].wall);
    gf_json_u64(&json, "p50_ns", gf_samples_percentile(times, 50).wall);
    gf_json_u64(&json, "p99_ns", gf_samples_percentile(times, 99).wall);
    gf_json_u64(&json, "max_ns", times->rows[times->n - 1].wall);
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

static int ping(const struct gf_cli *cli, uint32_t count)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    gf_cleanup(gf_samples_deinit) struct gf_samples times = {.rows = NULL};
    int code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_error err;
    for (uint32_t i = 0; i < count; i++) {
        struct gf_sample sample = {.wall = 0};
        if (gpufilter_ping(client, &sample.wall, &err) != GPUFILTER_OK)
            return gf_cli_fail_client(cli, &err);
        if (!gf_samples_add(&times, &sample))
            return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "no memory for %" PRIu32 " times", count);
    }
    gf_samples_sort(&times);
    if (cli->json)
        print_json(client, &times);
    else if (!cli->quiet)
        printf("%s: %" PRIu32 " round trips, p50 %.1f us, p99 %.1f us (min %.1f, max %.1f)\n", gpufilter_socket(client),
               count, us(gf_samples_percentile(&times, 50).wall), us(gf_samples_percentile(&times, 99).wall),
               us(times.rows[0].wall), us(times.rows[count - 1].wall));
    return GF_EXIT_OK;
}

int gf_cmd_ping(struct gf_cli *cli, struct gf_args *args)
{
    const char *count = NULL;
    const struct gf_option own[] = {{"count", 'c', "N", "round trips, 1..1000000 (100)", &count}};
    const struct gf_help help = {.synopsis = "ping [options]",
                                 .about =
                                     "Sends empty requests one after another and reports how long the answers took.",
                                 .example = "ping -c 1000",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    double n = COUNT_DEFAULT;
    const char *end = count ? gf_text_to_f64(count, &n) : "";
    if (!end || *end || !(n >= 1 && n <= COUNT_MAX) || n != (double)(uint32_t)n)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--count %s; allowed: 1..%d", count, COUNT_MAX);
    return ping(cli, (uint32_t)n);
}
