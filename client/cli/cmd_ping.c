/* SPDX-License-Identifier: MIT */
/* `ping`: round trips without work. Called by cli.c. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"
#include "connect.h"
#include "exit_code.h"
#include "fail.h"
#include "json.h"
#include "protocol/text.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX 1000000

/* Round trips, ascending. */
struct times {
    uint64_t *ns;
    uint32_t n;
};

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The smallest time that `percent` of all do not exceed. */
static uint64_t percentile(const struct times *times, uint32_t percent)
{
    uint64_t rank = ((uint64_t)times->n * percent + 99) / 100;
    return times->ns[rank - 1];
}

static void print_json(const struct gf_cli *cli, const gpufilter_client *client, const struct times *times)
{
    struct gf_json json = {.out = stdout};
    if (!cli->json)
        return;
    gf_json_object(&json, NULL);
    gf_json_text(&json, "server", gpufilter_server(client));
    gf_json_text(&json, "socket", gpufilter_socket(client));
    gf_json_u64(&json, "count", times->n);
    gf_json_u64(&json, "min_ns", times->ns[0]);
    gf_json_u64(&json, "p50_ns", percentile(times, 50));
    gf_json_u64(&json, "p99_ns", percentile(times, 99));
    gf_json_u64(&json, "max_ns", times->ns[times->n - 1]);
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
    int code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gf_cleanup(gf_freep) uint64_t *ns = calloc(count, sizeof(*ns));
    if (!ns)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "no memory for %" PRIu32 " times", count);
    gpufilter_error err;
    for (uint32_t i = 0; i < count; i++)
        if (gpufilter_ping(client, &ns[i], &err) != GPUFILTER_OK)
            return gf_cli_fail_client(cli, &err);
    qsort(ns, count, sizeof(*ns), compare);
    struct times times = {.ns = ns, .n = count};
    print_json(cli, client, &times);
    if (!cli->json && !cli->quiet)
        printf("%s: %" PRIu32 " round trips, p50 %.1f us, p99 %.1f us (min %.1f, max %.1f)\n", gpufilter_socket(client),
               count, us(percentile(&times, 50)), us(percentile(&times, 99)), us(ns[0]), us(ns[count - 1]));
    return GF_EXIT_OK;
}

int gf_cmd_ping(struct gf_cli *cli, struct gf_args *args)
{
    const char *count = NULL;
    const struct gf_option own[] = {{"count", 'c', "N", "round trips, 1..1000000 (100)", &count}};
    const struct gf_help help = {.synopsis = "ping [options]",
                                 .about = "Sends empty requests one after another and tells how long the answers took.",
                                 .example = "ping -c 1000",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help.own, NULL, 0, NULL);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    double n = COUNT_DEFAULT;
    const char *end = count ? gf_text_to_f64(count, &n) : "";
    if (!end || *end || !(n >= 1 && n <= COUNT_MAX) || n != (double)(uint32_t)n)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--count %s: whole numbers 1..%d are allowed", count, COUNT_MAX);
    return ping(cli, (uint32_t)n);
}
