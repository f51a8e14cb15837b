/* SPDX-License-Identifier: MIT */
/* Opens the client of a command; called by every command that talks to the daemon. */
#include "connect.h"

#include "cli.h"
#include "exit_code.h"
#include "protocol/base/clock.h"
#include "protocol/base/shared_memory.h"
#include "timeline.h"

static bool open_client(const struct gf_cli *cli, gpufilter_client **ret_client, gpufilter_error *err)
{
    uint64_t begin = gf_now_ns();
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = cli->socket;
    options.only_private = cli->only_private != NULL;
    options.autostart = cli->works && !cli->no_autostart;
    options.device = cli->device;
    options.connect_timeout_ms = cli->timeout_ms;
    options.deadline_ms = cli->timeout_ms;
    options.wait_ms = cli->wait_ms;
    if (gpufilter_open(&options, ret_client, err) != GPUFILTER_OK)
        return false;
    gf_timeline_add(cli->timeline, "connect", gpufilter_socket(*ret_client), begin);
    if (cli->verbose)
        fprintf(cli->err, GF_CLI_NAME ": %s: connected to %s%s%s at %s\n", cli->command, gpufilter_server(*ret_client),
                gpufilter_node(*ret_client)[0] ? " on " : "", gpufilter_node(*ret_client),
                gpufilter_socket(*ret_client));
    return true;
}

int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client)
{
    gpufilter_error err;
    return open_client(cli, ret_client, &err) ? GF_EXIT_OK : gf_cli_fail_client(cli, &err);
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

static bool connect_once(struct gf_cli_once *once)
{
    uint64_t begin = gf_now_ns();
    if (once->tried)
        return once->client != NULL;
    once->tried = true;
    bool done = open_client(once->cli, &once->client, &once->err);
    once->connect_ns = gf_now_ns() - begin;
    return done;
}

int gf_cli_once_connect(struct gf_cli_once *once)
{
    return connect_once(once) ? GF_EXIT_OK : gf_cli_fail_client(once->cli, &once->err);
}

/* The kernel may wait for busy processors before it makes huge pages; sending a smaller picture takes less. */
#define LEAST_SHARED (8ull << 20)

static void *take_once(void *user, uint64_t size)
{
    struct gf_cli_once *once = user;
    if (size < LEAST_SHARED || !gf_shared_memory_is_huge() || !connect_once(once))
        return NULL;
    return take(once->client, size);
}

static void give_back_once(void *user, void *data)
{
    give_back(((struct gf_cli_once *)user)->client, data);
}

struct gf_image_memory gf_cli_once_memory(struct gf_cli_once *once)
{
    return (struct gf_image_memory){.take = take_once, .give_back = give_back_once, .user = once};
}

void gf_cli_once_deinit(struct gf_cli_once *once)
{
    once->client = gpufilter_close(once->client);
}

void gf_cli_disconnectp(gpufilter_client **client)
{
    *client = gpufilter_close(*client);
}
