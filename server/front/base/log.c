/* SPDX-License-Identifier: MIT */
/* Log lines for journald and for terminals. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"

#define WINDOW_NS (5 * GF_NS_PER_S)
#define LINES_PER_WINDOW 10u
#define LINE_SIZE 1024

static enum gf_log_level g_level = GF_LOG_INFO;

void gf_log_set_level(enum gf_log_level level)
{
    g_level = level;
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
    if (getenv("JOURNAL_STREAM"))
        fprintf(stderr, "<%d>%s%s\n", (int)level, line, more);
    else
        fprintf(stderr, "gpufilterd: %s%s%s\n", level_word(level), line, more);
}

void gf_log_answer(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fflush(stdout);
}
