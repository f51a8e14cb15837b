/* SPDX-License-Identifier: MIT */
/* Sets errors of reading and writing files. Called wherever a file turns out to be wrong. */
#include "io_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "protocol/base/text.h"

enum gf_io_status gf_io_fail(struct gf_io_error *err, enum gf_io_status status, const char *fmt, ...)
{
    int saved = errno;
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->status = status;
        gf_text_sentence(err->text, sizeof(err->text), fmt, args);
        va_end(args);
    }
    errno = saved;
    return status;
}

const char *gf_path_text(const char *path, char *text, size_t size)
{
    snprintf(text, size, "%s", path);
    return gf_text_clean(text);
}
