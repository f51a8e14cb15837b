/* SPDX-License-Identifier: MIT */
/* `bench`: measures the daemon on this machine and compares it with floors. Called by main.c. */
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "bench.h"
#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "protocol/base/text.h"

#define SECONDS_MIN 0.001
#define SECONDS_MAX 3600.0
#define STARTING_MS 20 /* between two polls of devices that are starting */

static void on_stop(int number)
{
    (void)number;
    gf_bench_stop();
}

/* The first signal ends the measurement, the second one the command. */
static void catch_stop(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++)
        sigaction(numbers[i], &(struct sigaction){.sa_handler = on_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)},
                  NULL);
}

static int parse_parts(const struct gf_cli *cli, const char *const *words, struct gf_bench *b)
{
    for (size_t i = 0; i < GF_BENCH_N_PARTS && words[i]; i++) {
        enum gf_bench_part part = 0;
        while (part < GF_BENCH_N_PARTS && strcmp(words[i], gf_bench_part_word(part)) != 0)
            part++;
        if (part == GF_BENCH_N_PARTS)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "part %s: must be one of latency, link, throughput, fairness",
                               words[i]);
        b->wanted[part] = true;
    }
    for (enum gf_bench_part part = 0; part < GF_BENCH_N_PARTS && !words[0]; part++)
        b->wanted[part] = true;
    return GF_EXIT_OK;
}

static int parse_seconds(const struct gf_cli *cli, const char *text, struct gf_bench *b)
{
    b->seconds = 1;
    const char *end = text ? gf_text_to_f64(text, &b->seconds) : "";
    if (!end || *end || !(b->seconds >= SECONDS_MIN && b->seconds <= SECONDS_MAX))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--seconds %s; allowed: %g..%g", text, SECONDS_MIN, SECONDS_MAX);
    return GF_EXIT_OK;
}

static int parse_clients(const struct gf_cli *cli, const char *text, struct gf_bench *b)
{
    const char *at = text;
    do {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || (*end && *end != ',') || n < 1 || n > GF_BENCH_CLIENTS ||
            b->n_groups == GF_BENCH_GROUPS)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "--clients %s; allowed: up to %u numbers from 1 to %u, separated by commas", text,
                               GF_BENCH_GROUPS, GF_BENCH_CLIENTS);
        b->groups[b->n_groups++] = (uint32_t)n;
        at = *end ? end + 1 : NULL;
    } while (at);
    return GF_EXIT_OK;
}

/* Waits until no device is starting, because `auto` would pass over it. Collects the names of the ready GPUs if the
 * daemon may choose among them. */
static int take_devices(const struct gf_cli *cli, struct gf_bench *b, gpufilter_client *client)
{
    gpufilter_device devices[GF_BENCH_GPUS];
    gpufilter_error err;
    uint32_t n = 0;
    bool starting = true;
    while (starting && !gf_bench_stopped()) {
        if (gpufilter_devices(client, devices, sizeof(devices[0]), GF_BENCH_GPUS, &n, &err) != GPUFILTER_OK)
            return gf_cli_fail_client(cli, &err);
        starting = false;
        for (uint32_t i = 0; i < n && i < GF_BENCH_GPUS; i++)
            starting |= devices[i].state == GPUFILTER_DEVICE_STARTING;
        if (starting)
            poll(NULL, 0, STARTING_MS);
    }
    const char *device = cli->device;
    for (uint32_t i = 0; i < n && i < GF_BENCH_GPUS && (!device || strcmp(device, "auto") == 0); i++)
        if (devices[i].state == GPUFILTER_DEVICE_READY && strcmp(devices[i].name, "cpu") != 0)
            memcpy(b->gpus[b->n_gpus++], devices[i].name, sizeof(b->gpus[0]));
    return GF_EXIT_OK;
}

/* Connects, starting a daemon if there is none, and prints what is measured. */
static int greet(const struct gf_cli *cli, struct gf_bench *b)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    int code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    catch_stop();
    snprintf(b->server, sizeof(b->server), "%s", gpufilter_server(client));
    snprintf(b->socket, sizeof(b->socket), "%s", gpufilter_socket(client));
    if (!cli->json && !cli->quiet)
        printf("%s at %s, device %s, %g s for each row\n\n", b->server, b->socket, cli->device ? cli->device : "auto",
               b->seconds);
    fflush(stdout);
    return take_devices(cli, b, client);
}

/* Runs the parts. A part that fails does not stop the others; the exit code is that of the first failure. */
static int run(const struct gf_cli *cli, struct gf_bench *b)
{
    static int (*const parts[])(struct gf_bench *) = {[GF_BENCH_LATENCY] = gf_bench_latency,
                                                      [GF_BENCH_LINK] = gf_bench_link,
                                                      [GF_BENCH_THROUGHPUT] = gf_bench_throughput,
                                                      [GF_BENCH_FAIRNESS] = gf_bench_fairness};
    int code = greet(cli, b);
    if (code != GF_EXIT_OK)
        return code;
    for (enum gf_bench_part part = 0; part < GF_BENCH_N_PARTS; part++) {
        if (!b->wanted[part] || gf_bench_stopped())
            continue;
        int failed = parts[part](b);
        code = code == GF_EXIT_OK ? failed : code;
        gf_bench_print(b, part);
    }
    if (b->json)
        gf_bench_json(b, code);
    if (gf_bench_stopped() && !cli->quiet)
        fprintf(stderr, GF_CLI_NAME ": bench: interrupted\n");
    return code;
}

int gf_cmd_bench(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[GF_BENCH_N_PARTS] = {"[PART]", "[PART]", "[PART]", "[PART]"};
    const char *words[GF_BENCH_N_PARTS] = {NULL}, *seconds = NULL, *clients = NULL;
    const struct gf_option own[] = {
        {"seconds", '\0', "SECONDS", "measuring time of each row (1)", &seconds},
        {"clients", '\0', "N[,N...]", "concurrent clients in the part throughput (1,2,4,8,16)", &clients},
    };
    const struct gf_help help = {
        .synopsis = "bench [options] [latency] [link] [throughput] [fairness]",
        .about =
            "Measures the daemon and compares each figure with a floor that no daemon could beat. Runs the named\n"
            "parts, or all.\n"
            "  latency      one request at a time, by size; the picture is in memory of the program (plain), shared\n"
            "               with the daemon (arena) or on the device (resident); f32 x5 is five filters in a row\n"
            "  link         64 MiB to the device, from it, and both at once on every GPU that the daemon may choose\n"
            "  throughput   1080p RGB pictures from concurrent clients, each with a thread and a connection,\n"
            "               in shared memory and on the device\n"
            "  fairness     a client with small requests, alone and beside one that floods the device; 8 floods\n"
            "The filter is 3x3; front is the processor time of the daemon's front per request. An echo sends a byte\n"
            "to another thread and back over a socket pair; a copy copies the picture's bytes in memory.\n"
            "A bound has the unit of its figure: images/s, or GB/s of both directions together.\n"
            "Ctrl-C stops the measurement; the rows measured so far are printed.",
        .example = "bench latency throughput --device cpu --seconds 3",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, names, GF_ARRAY_LEN(names), words);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if (cli->timing || cli->explain || cli->hash || cli->verify || cli->timeline || cli->page || cli->bands ||
        cli->quality || cli->subsampling || cli->progressive || cli->png_level || cli->compression || cli->srgb ||
        cli->keep || cli->strip || cli->strict)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "does not take --quality, --subsampling, --progressive, --png-level, --compression, --srgb, "
                           "--keep, --strip, --strict, --bands, --page, --timing, --explain, --hash, --verify, "
                           "--trace or --otlp");
    gf_cleanup(gf_freep) struct gf_bench *b = calloc(1, sizeof(*b));
    if (!b)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    b->cli = *cli;
    b->cli.json = NULL;
    b->json = cli->json;
    code = parse_parts(cli, words, b);
    if (code == GF_EXIT_OK)
        code = parse_seconds(cli, seconds, b);
    if (code == GF_EXIT_OK)
        code = parse_clients(cli, clients ? clients : "1,2,4,8,16", b);
    return code == GF_EXIT_OK ? run(cli, b) : code;
}
