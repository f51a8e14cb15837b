/* SPDX-License-Identifier: MIT */
/* Log lines for journald and for terminals. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"

#define WINDOW_NS (5 * GF_NS_PER_S)
#define LINES_PER_WINDOW 10u
#define LINE_SIZE 1024

#define STDERR_AGAIN "/proc/self/fd/2"

static enum gf_log_level g_level = GF_LOG_INFO;
static int g_sink = -1;      /* where lines go; see open_sink */
static bool g_sink_waits;    /* a write to it may wait for the reader */
static uint64_t g_lost;      /* lines since the start that nobody took */
static uint64_t g_lost_told; /* of them, those that the log has mentioned */

/* Finds a descriptor of standard error whose writes do not wait for the reader. Standard error itself may be shared
 * with other processes, which rely on waiting, so a pipe or terminal is opened once more. Sockets cannot be opened; see
 * put. */
static void open_sink(void)
{
    struct stat st;
    if (g_sink >= 0)
        return;
    g_sink = STDERR_FILENO;
    if (fstat(STDERR_FILENO, &st) < 0 || !(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
        return;
    int own = open(STDERR_AGAIN, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    g_sink_waits = own < 0;
    g_sink = own >= 0 ? own : STDERR_FILENO;
}

void gf_log_set_level(enum gf_log_level level)
{
    g_level = level;
    open_sink(); /* before the sandbox, which would refuse it */
}

static const char *level_word(enum gf_log_level level)
{
    switch (level) {
    case GF_LOG_ERROR:
        return "error: ";
    case GF_LOG_WARNING:
        return "warning: ";
    case GF_LOG_DEBUG:
        return "debug: ";
    case GF_LOG_NOTICE:
    case GF_LOG_INFO:
        break;
    }
    return "";
}

/* Whether this line may be printed; starts a new window when the old one has expired. */
static bool site_allows(struct gf_log_site *site, uint32_t *ret_dropped)
{
    uint64_t now = gf_now_ns();
    *ret_dropped = 0;
    if (site->window_ns == 0 || now - site->window_ns > WINDOW_NS) {
        *ret_dropped = site->dropped;
        *site = (struct gf_log_site){.window_ns = now};
    }
    if (site->printed == LINES_PER_WINDOW) {
        site->dropped++;
        return false;
    }
    site->printed++;
    return true;
}

/* Writes without waiting; false if nobody takes the text. A line is shorter than PIPE_BUF: a pipe takes all of it or
 * nothing. */
static bool put(const char *text, size_t n)
{
    ssize_t sent = send(STDERR_FILENO, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK)
        return sent >= 0;
    open_sink();
    struct pollfd p = {.fd = g_sink, .events = POLLOUT};
    if (g_sink_waits && (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT)))
        return false; /* a pipe that polls as writable has room for a line */
    return write(g_sink, text, n) >= 0;
}

gf_printf(2, 3) static bool print(enum gf_log_level level, const char *fmt, ...)
{
    char line[LINE_SIZE + 128];
    int n = getenv("JOURNAL_STREAM") ? snprintf(line, sizeof(line), "<%d>", (int)level)
                                     : snprintf(line, sizeof(line), "gpufilterd: %s", level_word(level));
    va_list args;
    va_start(args, fmt);
    n += vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, args);
    va_end(args);
    size_t size = gf_min_u64((size_t)n, sizeof(line) - 2);
    line[size] = '\n';
    return put(line, size + 1);
}

void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...)
{
    if (level > g_level)
        return;
    uint32_t dropped;
    if (!site_allows(site, &dropped))
        return;
    char line[LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(line, sizeof(line), fmt, args);
    va_end(args);
    gf_text_clean(line); /* a client's text must not start a new line */
    char more[48] = "";
    if (dropped > 0)
        snprintf(more, sizeof(more), " not_printed=%u", dropped);
    if (g_lost > g_lost_told && print(GF_LOG_WARNING, "lines lost, because nobody read the log: lost=%llu",
                                      (unsigned long long)(g_lost - g_lost_told)))
        g_lost_told = g_lost;
    if (!print(level, "%s%s", line, more))
        g_lost++;
}

uint64_t gf_log_lost(void)
{
    return g_lost;
}

void gf_log_answer(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fflush(stdout);
}
