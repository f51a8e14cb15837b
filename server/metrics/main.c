/* SPDX-License-Identifier: MIT */
/*
 * gpufilterd-metrics: serves the daemon's metrics and health over HTTP, for `metrics-listen`. The front starts it with
 * its socket as descriptor 3 and the listening socket as descriptor 4; it ends when the front does. It gives up its
 * rights before it accepts the first connection.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "http.h"
#include "protocol/base/text.h"
#include "protocol/sandbox/sandbox.h"

#define FRONT_FD 3
#define LISTENING_FD 4
#define MAX_MEMORY ((rlim_t)256 << 20) /* bytes of address space */
#define MAX_FDS 32                     /* 16 connections and its own */
#define EXIT_USAGE 64
#define EXIT_OS 71

static const char usage[] =
    "usage: gpufilterd-metrics [--sandbox 0|1]\n"
    "Serves metrics and health of gpufilterd over HTTP. gpufilterd starts it, if metrics-listen\n"
    "is set, with the sockets that it needs.\n\n"
    "  --sandbox 0|1     0: keep all rights and core files, for debuggers (1)\n"
    "  --help, --version\n";

gf_printf(1, 2) static void say(const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(line, sizeof(line), fmt, args);
    va_end(args);
    /* journald reads <3> as an error. */
    fprintf(stderr, "%sgpufilterd-metrics: %s\n", getenv("JOURNAL_STREAM") ? "<3>" : "", line);
}

static int socket_option(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

static void limit(int what, rlim_t most)
{
    struct rlimit r;
    if (getrlimit(what, &r) < 0)
        return;
    r.rlim_cur = r.rlim_cur < most ? r.rlim_cur : most;
    r.rlim_max = r.rlim_max < most ? r.rlim_max : most;
    (void)setrlimit(what, &r);
}

static void close_sandbox(void)
{
    struct gf_error error;
    int landlock;
    gf_sandbox_harden();
    limit(RLIMIT_NOFILE, MAX_FDS);
    if (gf_sandbox_built()) /* sanitizers reserve more addresses than there is memory */
        limit(RLIMIT_AS, MAX_MEMORY);
    if (gf_sandbox_confine(GF_SANDBOX_METRICS, NULL, 0, &landlock, &error) != GF_OK)
        say("%s", error.text);
    if (gf_sandbox_filter(GF_SANDBOX_METRICS, &error) != GF_OK)
        say("%s", error.text);
}

/* Returns -1 to continue, otherwise the exit code. */
static int parse(int argc, char **argv, bool *ret_sandbox)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("gpufilterd-metrics " GF_SOFTWARE_VERSION);
            return 0;
        }
        const char *value = strcmp(argv[i], "--sandbox") == 0 ? argv[++i] : NULL;
        if (!value || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)) {
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
        *ret_sandbox = value[0] == '1';
    }
    return -1;
}

int main(int argc, char **argv)
{
    static struct gf_front front = {.fd = FRONT_FD};
    bool sandbox = true;
    int code = parse(argc, argv, &sandbox);
    if (code >= 0)
        return code;
    if (socket_option(FRONT_FD, SO_TYPE) != SOCK_SEQPACKET || socket_option(LISTENING_FD, SO_ACCEPTCONN) != 1) {
        say("descriptors 3 and 4 must be the sockets that gpufilterd passes; it starts this program if metrics-listen "
            "is set");
        return EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    (void)mallopt(M_ARENA_MAX, 1);
    tzset(); /* libmicrohttpd's first date would read /etc/localtime */
    struct gf_http *http = gf_http_start(LISTENING_FD, &front);
    if (!http) {
        say("libmicrohttpd does not start: %s", strerror(errno));
        return EXIT_OS;
    }
    if (sandbox)
        close_sandbox();
    gf_http_run(http);
    gf_http_stop(http);
    return 0;
}
