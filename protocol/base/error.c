/* SPDX-License-Identifier: MIT */
/* Formats the message of a struct gf_error. */
#include "error.h"

#include <stdarg.h>

#include "text.h"

enum gf_status gf_error_set(struct gf_error *err, enum gf_status status, const char *fmt, ...)
{
    if (err == NULL)
        return status;
    va_list ap;
    va_start(ap, fmt);
    err->status = status;
    err->needed = 0;
    gf_text_sentence(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return status;
}
