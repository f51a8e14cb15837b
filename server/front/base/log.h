/* SPDX-License-Identifier: MIT */
/*
 * All output of the daemon: log lines with a level and key=value facts on stderr, and the answers to --help and similar
 * options on stdout. Only the loop thread calls it. The log is the front's only global state.
 *
 * A line that the reader of stderr does not take at once is lost and counted, so that no reader can stop the loop.
 */
#ifndef GF_FRONT_LOG_H
#define GF_FRONT_LOG_H

#include <stdint.h>

#include "protocol/base/base.h"

/* The numbers are syslog's; journald reads them as <N>. */
enum gf_log_level { GF_LOG_ERROR = 3, GF_LOG_WARNING = 4, GF_LOG_NOTICE = 5, GF_LOG_INFO = 6, GF_LOG_DEBUG = 7 };

/* Which requests have a line, by the option log-requests (session/request_log.h); each includes those before it. */
enum gf_logged_requests {
    GF_LOG_NO_REQUESTS,
    GF_LOG_REFUSED, /* those that were refused, or ended with an error other than the client's own end of it */
    GF_LOG_SLOW,    /* those that took a second or longer */
    GF_LOG_ALL
};

/* How often a message was printed recently; one instance per call of gf_log. */
struct gf_log_site {
    uint64_t window_ns;
    uint32_t printed, dropped;
};

/* Logs one line; the text has no trailing newline. Each place in the source prints at most ten lines in five seconds;
 * its next line says how many were dropped. */
#define gf_log(level, ...)                                                                                             \
    do {                                                                                                               \
        static struct gf_log_site gf_log_here;                                                                         \
        gf_log_line(&gf_log_here, level, __VA_ARGS__);                                                                 \
    } while (0)

void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...) gf_printf(3, 4);

/* How many lines were lost since the start because nobody took them. */
uint64_t gf_log_lost(void);

/* Drops lines above this level. The initial level is GF_LOG_INFO. */
void gf_log_set_level(enum gf_log_level level);

/* Prints text on stdout for the user who asked. */
void gf_log_answer(const char *fmt, ...) gf_printf(1, 2);

#endif
