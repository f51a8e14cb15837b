/* SPDX-License-Identifier: MIT */
/* Opens the client of a command; called by every command that talks to the daemon. */
#include "connect.h"

#include "exit_code.h"
#include "fail.h"
#include "protocol/clock.h"
#include "timeline.h"

int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client)
{
    uint64_t begin = gf_now_ns();
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_error err;
    options.socket = cli->socket;
    options.autostart = cli->works && !cli->no_autostart;
    options.device = cli->device;
    options.connect_timeout_ms = cli->timeout_ms;
    options.deadline_ms = cli->timeout_ms;
    if (gpufilter_open(&options, ret_client, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    if (cli->timeline)
        gpufilter_trace(*ret_client, 1, NULL);
    gf_timeline_add(cli->timeline, "connect", gpufilter_socket(*ret_client), begin);
    if (cli->verbose)
        fprintf(cli->err, GF_CLI_NAME ": %s: connected to %s at %s\n", cli->command, gpufilter_server(*ret_client),
                gpufilter_socket(*ret_client));
    return GF_EXIT_OK;
}

static void *take(void *user, uint64_t size)
{
    void *data = NULL;
    return gpufilter_alloc(user, size, &data, NULL) == GPUFILTER_OK ? data : NULL;
}

static void give_back(void *user, void *data)
{
    gpufilter_free(user, data);
}

struct gf_image_memory gf_cli_memory(gpufilter_client *client)
{
    return (struct gf_image_memory){.take = take, .give_back = give_back, .user = client};
}

void gf_cli_disconnectp(gpufilter_client **client)
{
    *client = gpufilter_close(*client);
}
