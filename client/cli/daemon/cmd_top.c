/* SPDX-License-Identifier: MIT */
/*
 * `top`: the daemon's figures, refreshed until Ctrl-C. Called by cli.c. Signals that end it are handled between two
 * updates, so that the terminal is left as it was.
 */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "metrics.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"

#define INTERVAL_MAX 3600.0
#define SCREEN_BEGIN "\033[?1049h\033[?25l" /* another screen, no cursor */
#define SCREEN_END "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define LINE_END "\033[K\r\n"
#define CLEAR_BELOW "\033[J"

static volatile sig_atomic_t g_stop; /* the signal that ends it */

static void on_stop(int number)
{
    g_stop = number;
}

/* Blocks what ends it but while it waits; the mask for waiting. */
static void catch_stop(sigset_t *ret_waiting)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++) {
        sigaddset(&set, numbers[i]);
        sigaction(numbers[i], &(struct sigaction){.sa_handler = on_stop}, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, ret_waiting);
}

/* Writes the text from the top of the screen on, as many lines as that has. */
static void show(const char *text)
{
    struct winsize size = {.ws_row = 0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
        size.ws_row = 24;
    fputs(HOME, stdout);
    for (int row = 1; row < size.ws_row && *text; row++) {
        size_t n = strcspn(text, "\n");
        int width = size.ws_col > 0 && n > size.ws_col ? size.ws_col : (int)n;
        printf("%.*s" LINE_END, width, text);
        text += n + (text[n] == '\n');
    }
    fputs(CLEAR_BELOW, stdout);
    fflush(stdout);
}

static bool show_table(const gpufilter_client *client, const struct gf_metrics_list *list,
                       const struct gf_metrics_list *before, double seconds)
{
    gf_cleanup(gf_freep) char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    fprintf(out, "%s at %s\n", gpufilter_server(client), gpufilter_socket(client));
    gf_metrics_table(out, list, before, seconds);
    if (fclose(out) != 0)
        return false;
    show(text);
    return true;
}

/* Shows and waits until a signal comes; false and the error when something fails. */
static bool watch(gpufilter_client *client, double interval, const sigset_t *waiting, gpufilter_error *err)
{
    const struct timespec wait = {.tv_sec = (time_t)interval, .tv_nsec = (long)(fmod(interval, 1) * 1e9)};
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list before = {.rows = NULL};
    uint64_t before_ns = 0;
    while (!g_stop) {
        struct gf_metrics_list list = {.rows = NULL};
        if (!gf_metrics_fetch(client, &list, err))
            return false;
        uint64_t now_ns = gf_now_ns();
        bool shown = show_table(client, &list, &before, (double)(now_ns - before_ns) / 1e9);
        gf_metrics_list_deinit(&before);
        before = list;
        before_ns = now_ns;
        if (!shown) {
            *err = (gpufilter_error){.status = GPUFILTER_E_NO_MEMORY, .text = "no memory for the table"};
            return false;
        }
        ppoll(NULL, 0, &wait, waiting); /* a signal ends it early */
    }
    return true;
}

static int check_interval(const struct gf_cli *cli, const char *text, double *ret)
{
    double seconds = 1;
    const char *end = text ? gf_text_to_f64(text, &seconds) : "";
    if (!end || *end || !(seconds >= 0.1 && seconds <= INTERVAL_MAX))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--interval %s: seconds from 0.1 to %.0f are allowed", text,
                           INTERVAL_MAX);
    *ret = seconds;
    return GF_EXIT_OK;
}

/* On a screen of its own, which is gone before an error is told. */
static bool watch_on_screen(gpufilter_client *client, double interval, gpufilter_error *err)
{
    sigset_t waiting;
    catch_stop(&waiting);
    fputs(SCREEN_BEGIN, stdout);
    bool good = watch(client, interval, &waiting, err);
    fputs(SCREEN_END, stdout);
    fflush(stdout);
    return good;
}

static bool print_once(gpufilter_client *client, bool quiet, gpufilter_error *err)
{
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list list = {.rows = NULL};
    if (!gf_metrics_fetch(client, &list, err))
        return false;
    if (!quiet)
        gf_metrics_table(stdout, &list, NULL, 0);
    return true;
}

int gf_cmd_top(struct gf_cli *cli, struct gf_args *args)
{
    const char *text = NULL;
    double interval = 1;
    const struct gf_option own[] = {{"interval", '\0', "SECONDS", "seconds between updates (1)", &text}};
    const struct gf_help help = {
        .synopsis = "top [options]",
        .about = "Shows the figures of the command metrics again every second, counters with their rates, until\n"
                 "Ctrl-C. Where standard output is no terminal it prints them once.",
        .example = "top --interval 5",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help.own, NULL, 0, NULL);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (cli->json)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "takes no --json; metrics --json prints the figures");
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = check_interval(cli, text, &interval);
    if (code == GF_EXIT_OK)
        code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_error err;
    bool good = isatty(STDOUT_FILENO) ? watch_on_screen(client, interval, &err) : print_once(client, cli->quiet, &err);
    return good ? GF_EXIT_OK : gf_cli_fail_client(cli, &err);
}
