/* SPDX-License-Identifier: MIT */
/* gpufilterd: reads its options, then serves. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "server.h"
#include "server/front/base/log.h"

/* Without this handler an abort has no message. libuv aborts if the system refuses memory or an epoll entry, libc if
 * its heap is damaged, and systemd's watchdog aborts a daemon that hangs. */
#define ABORTED "aborted by signal 6: no memory or descriptor for the event loop, a damaged heap, or the watchdog\n"
static const char *g_aborted;

static void on_abort(int number)
{
    (void)number;
    /* The heap and stdio may be damaged or locked, so only system calls are used. */
    ssize_t n = write(STDERR_FILENO, g_aborted, strlen(g_aborted));
    (void)n;
    _exit(GF_EXIT_OS);
}

/* Prepares the line, because its prefix depends on where stderr goes; see log.c. */
static void catch_abort(void)
{
    g_aborted = getenv("JOURNAL_STREAM") ? "<3>" ABORTED : "gpufilterd: error: " ABORTED;
    signal(SIGABRT, on_abort);
}

/* Opens /dev/null in place of closed standard streams; otherwise a log line could go into an unrelated file with that
 * number. */
static void hold_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int exit_code(enum gf_status status)
{
    switch (status) {
    case GF_OK:
        return GF_EXIT_OK;
    case GF_E_BAD_ARGUMENT:
        return GF_EXIT_USAGE;
    case GF_E_BAD_PARAM:
        return GF_EXIT_CONFIG;
    case GF_E_BUSY:
        return GF_EXIT_BUSY;
    default:
        return GF_EXIT_OS;
    }
}

static int serve(struct gf_options *options, int argc, char **argv)
{
    char limit[GF_DOCTOR_TEXT];
    struct gf_error error = {0};
    struct gf_server *server;
    const char *config = options->config[0] ? options->config : GF_CONFIG_PATH;
    gf_log(GF_LOG_INFO, "gpufilterd " GF_SOFTWARE_VERSION " starts: pid=%d devices=%s config=%s", (int)getpid(),
           options->devices, access(config, R_OK) == 0 ? config : "none");
    if (!gf_doctor_memory(options, "", "self", limit, sizeof(limit)))
        gf_log(GF_LOG_WARNING, "memory limit: %s", limit);
    enum gf_status status = gf_server_new(options, argc, argv, &server, &error);
    if (status != GF_OK) {
        gf_log(GF_LOG_ERROR, "%s", error.text);
        return exit_code(status);
    }
    int code = gf_server_run(server);
    gf_server_free(server);
    return code;
}

static int act(struct gf_options *options, int argc, char **argv)
{
    switch (options->action) {
    case GF_ACTION_HELP:
        gf_options_help();
        return GF_EXIT_OK;
    case GF_ACTION_VERSION:
        gf_log_answer("gpufilterd %s\n", GF_SOFTWARE_VERSION);
        return GF_EXIT_OK;
    case GF_ACTION_PRINT_CONFIG:
        gf_options_print(options);
        return GF_EXIT_OK;
    case GF_ACTION_CHECK_CONFIG:
        gf_log_answer("ok\n");
        return GF_EXIT_OK;
    case GF_ACTION_DOCTOR:
        return gf_doctor(options, "") == 0 ? GF_EXIT_OK : GF_EXIT_NOT_WELL;
    case GF_ACTION_SERVE:
        break;
    }
    gf_log_set_level((enum gf_log_level)options->log_level);
    return serve(options, argc, argv);
}

int main(int argc, char **argv)
{
    struct gf_options options;
    struct gf_error error = {0};
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* memory beyond the size limit of files is refused, as are its memfds */
    catch_abort();
    enum gf_status status = gf_options_init(&options, &error);
    if (status == GF_OK)
        status = gf_options_parse(&options, argc, argv, &error);
    int code = exit_code(status);
    if (status == GF_OK)
        code = act(&options, argc, argv);
    else
        gf_log(GF_LOG_ERROR, "%s", error.text);
    gf_options_deinit(&options);
    return code;
}
