/* SPDX-License-Identifier: MIT */
/* `devices`: the devices of the daemon. Called by main.c. */
#include <inttypes.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/lib/text/json.h"
#include "metrics.h"
#include "protocol/base/limits.h"

static void print_json(const gpufilter_device *devices, uint32_t n)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_array(&json, "devices");
    for (uint32_t i = 0; i < n; i++) {
        gf_json_object(&json, NULL);
        gf_json_text(&json, "name", devices[i].name);
        gf_json_text(&json, "state", gf_device_state_word(devices[i].state));
        gf_json_text(&json, "title", devices[i].title);
        gf_json_text(&json, "uuid", devices[i].uuid);
        gf_json_text(&json, "detail", devices[i].detail);
        gf_json_u64(&json, "units", devices[i].units);
        gf_json_u64(&json, "memory", devices[i].memory);
        gf_json_object_end(&json);
    }
    gf_json_array_end(&json);
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

/* Prints columns as wide as their widest word. The name comes first, for scripts. */
static void print_table(const gpufilter_device *devices, uint32_t n)
{
    int name = 6, title = 5;
    for (uint32_t i = 0; i < n; i++) {
        name = (int)strlen(devices[i].name) > name ? (int)strlen(devices[i].name) : name;
        title = (int)strlen(devices[i].title) > title ? (int)strlen(devices[i].title) : title;
    }
    printf("%-*s  %-10s  %-*s  %5s  %10s  %s\n", name, "device", "state", title, "title", "units", "memory", "detail");
    for (uint32_t i = 0; i < n; i++)
        printf("%-*s  %-10s  %-*s  %5" PRIu32 "  %6.1f GiB  %s\n", name, devices[i].name,
               gf_device_state_word(devices[i].state), title, devices[i].title, devices[i].units,
               (double)devices[i].memory / (1 << 30), devices[i].detail);
}

int gf_cmd_devices(struct gf_cli *cli, struct gf_args *args)
{
    static const struct gf_help help = {
        .synopsis = "devices [options]",
        .about =
            "Lists the devices of the daemon by the names that --device takes, and their states: ready, starting,\n"
            "restarting, idle (the next request starts it), aside (it died too often, or the system is not ready) or\n"
            "absent.",
        .example = "devices --json"};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_device devices[GF_MAX_DEVICES];
    uint32_t n;
    gpufilter_error err;
    if (gpufilter_devices(client, devices, sizeof(devices[0]), GF_MAX_DEVICES, &n, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    n = n < GF_MAX_DEVICES ? n : GF_MAX_DEVICES;
    if (cli->json)
        print_json(devices, n);
    else if (!cli->quiet)
        print_table(devices, n);
    return GF_EXIT_OK;
}
