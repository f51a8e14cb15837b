/* SPDX-License-Identifier: MIT */
/*
 * Everything the daemon prints: log lines with a level and key=value facts on stderr, and the answers of --help and its
 * like on stdout. Loop thread only. The level is the one piece of global state of the front.
 */
#ifndef GF_FRONT_LOG_H
#define GF_FRONT_LOG_H

#include <stdint.h>

#include "protocol/base/base.h"

/* Numbers are those of syslog, which journald reads as <N>. */
enum gf_log_level { GF_LOG_ERROR = 3, GF_LOG_WARNING = 4, GF_LOG_NOTICE = 5, GF_LOG_INFO = 6, GF_LOG_DEBUG = 7 };

/* How often one message was printed lately; one per place that logs. */
struct gf_log_site {
    uint64_t window_ns;
    uint32_t printed, dropped;
};

/* One line, without a newline at its end. Of one place in the source at most ten lines in five seconds are printed;
 * the next one printed says how many were not. */
#define gf_log(level, ...)                                                                                             \
    do {                                                                                                               \
        static struct gf_log_site gf_log_here;                                                                         \
        gf_log_line(&gf_log_here, level, __VA_ARGS__);                                                                 \
    } while (0)

void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...) gf_printf(3, 4);

/* Lines above this level are not printed. GF_LOG_INFO at start. */
void gf_log_set_level(enum gf_log_level level);

/* Text for the person who asked, on stdout. */
void gf_log_answer(const char *fmt, ...) gf_printf(1, 2);

#endif
