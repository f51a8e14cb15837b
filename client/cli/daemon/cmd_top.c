/* SPDX-License-Identifier: MIT */
/* `top`: shows the daemon's figures on a screen, refreshed until q or a signal ends it. Called by main.c. */
#include <string.h>
#include <unistd.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "metrics.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "top.h"

#define INTERVAL_MAX 3600.0

/* The figures on the screen, and the previous ones for rates. */
struct view {
    const gpufilter_client *client;
    struct gf_metrics_list list, before;
    uint64_t list_ns, before_ns;
};

static void view_deinit(struct view *view)
{
    gf_metrics_list_deinit(&view->list);
    gf_metrics_list_deinit(&view->before);
}

static bool draw(const struct view *view)
{
    gf_cleanup(gf_freep) char *text = NULL;
    char title[256];
    size_t size;
    uint32_t rows, columns;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    gf_terminal_size(&rows, &columns);
    snprintf(title, sizeof(title), "%s at %s", gpufilter_server(view->client), gpufilter_socket(view->client));
    gf_top_screen(out, title, &view->list, &view->before, (double)(view->list_ns - view->before_ns) / 1e9, rows,
                  columns);
    return fclose(out) == 0 && gf_terminal_show(text);
}

/* Refreshes the screen until q is pressed, a signal ends the process, or an error occurs: false and the error. */
static bool watch(gpufilter_client *client, double interval, gpufilter_error *err)
{
    gf_cleanup(view_deinit) struct view view = {.client = client};
    enum gf_terminal_event event = GF_TERMINAL_TIME;
    while (event != GF_TERMINAL_QUIT) {
        if (event == GF_TERMINAL_TIME) {
            gf_metrics_list_deinit(&view.before);
            view.before = view.list;
            view.before_ns = view.list_ns;
            view.list = (struct gf_metrics_list){.rows = NULL};
            if (!gf_metrics_fetch(client, &view.list, err))
                return false;
            view.list_ns = gf_now_ns();
        }
        if (!draw(&view)) {
            *err = (gpufilter_error){.status = GPUFILTER_E_NO_MEMORY, .text = "no memory for the screen"};
            return false;
        }
        event = gf_terminal_wait(view.list_ns + (uint64_t)(interval * 1e9));
    }
    return true;
}

static int check_interval(const struct gf_cli *cli, const char *text, double *ret)
{
    double seconds = 1;
    const char *end = text ? gf_text_to_f64(text, &seconds) : "";
    if (!end || *end || !(seconds >= 0.1 && seconds <= INTERVAL_MAX))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--interval %s; allowed: 0.1..%.0f seconds", text, INTERVAL_MAX);
    *ret = seconds;
    return GF_EXIT_OK;
}

/* Uses a screen of its own and leaves it before an error is printed. */
static bool watch_on_screen(gpufilter_client *client, double interval, gpufilter_error *err)
{
    gf_terminal_begin();
    bool good = watch(client, interval, err);
    gf_terminal_end();
    return good;
}

static bool print_once(gpufilter_client *client, bool quiet, gpufilter_error *err)
{
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list list = {.rows = NULL};
    if (!gf_metrics_fetch(client, &list, err))
        return false;
    if (!quiet)
        gf_metrics_table(stdout, &list);
    return true;
}

int gf_cmd_top(struct gf_cli *cli, struct gf_args *args)
{
    const char *text = NULL;
    double interval = 1;
    const struct gf_option own[] = {{"interval", '\0', "SECONDS", "seconds between updates (1)", &text}};
    const struct gf_help help = {
        .synopsis = "top [options]",
        .about =
            "Shows what the daemon, its devices and its users do, refreshed every second; q or Ctrl-C quits.\n"
            "Per second: answers (REQ/S), bytes of operands (IN/S) and of results (OUT/S). A device has JOBS now,\n"
            "LOAD is the time that they need by estimate, KERNEL the share of time in kernels. Of the answers since\n"
            "the last update half took at most P50, 99 of 100 at most P99. DIED counts the deaths of its worker.\n"
            "A user has ACTIVE requests, open CONNS, memory in use and REFUSED requests. K, M and G are KiB, MiB\n"
            "and GiB. Figures of other users are shown only to root and to the daemon's own user. If standard\n"
            "output is not a terminal, or a dumb one, the figures of the command metrics are printed once.",
        .example = "top --interval 5",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if (cli->json)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "does not take --json; metrics --json prints the figures");
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = check_interval(cli, text, &interval);
    if (code == GF_EXIT_OK)
        code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_error err;
    const char *term = getenv("TERM");
    bool screen = isatty(STDOUT_FILENO) && !(term && strcmp(term, "dumb") == 0);
    bool good = screen ? watch_on_screen(client, interval, &err) : print_once(client, cli->quiet, &err);
    return good ? GF_EXIT_OK : gf_cli_fail_client(cli, &err);
}
