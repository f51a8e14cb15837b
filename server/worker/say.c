/* SPDX-License-Identifier: MIT */
/* Lines on standard error; see say.h. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "protocol/base/text.h"

#define LINE_SIZE 512

void gf_worker_log(const char *fmt, ...)
{
    char line[LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(line, sizeof line, fmt, args);
    va_end(args);
    gf_text_clean(line);
    /* journald reads <3> as an error. */
    fprintf(stderr, "%sgpufilterd-worker: %s\n", getenv("JOURNAL_STREAM") != NULL ? "<3>" : "", line);
}
