/* SPDX-License-Identifier: MIT */
/* `health`: whether the daemon can do work, as exit code and text. Called by cli.c. */
#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/base/json.h"

static const char *state_word(uint32_t state)
{
    switch (state) {
    case GPUFILTER_HEALTH_STARTING:
        return "starting";
    case GPUFILTER_HEALTH_READY:
        return "ready";
    case GPUFILTER_HEALTH_DEGRADED:
        return "degraded";
    default:
        return "unknown";
    }
}

static void print_json(const gpufilter_client *client, const gpufilter_health_info *info)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "state", state_word(info->state));
    gf_json_text(&json, "text", info->text);
    gf_json_text(&json, "server", gpufilter_server(client));
    gf_json_text(&json, "socket", gpufilter_socket(client));
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

int gf_cmd_health(struct gf_cli *cli, struct gf_args *args)
{
    static const struct gf_help help = {
        .synopsis = "health [options]",
        .about =
            "Reports whether the daemon can do work. Exit code 0: ready, or degraded (a device is missing, the others\n"
            "serve); 75: starting, or silent; 69: no daemon. With --quiet the exit code alone.",
        .example = "health --json"};
    int code = gf_cli_parse(cli, args, NULL, NULL, 0, NULL);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_health_info info = GPUFILTER_HEALTH_INFO_INIT;
    gpufilter_error err;
    if (gpufilter_health(client, &info, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    if (cli->json)
        print_json(client, &info);
    else if (!cli->quiet)
        printf("%s%s%s\n", state_word(info.state), info.text[0] ? ": " : "", info.text);
    return info.state == GPUFILTER_HEALTH_STARTING ? GF_EXIT_TRY_AGAIN : GF_EXIT_OK;
}
