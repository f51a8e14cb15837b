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

enum gf_status gf_error_no_memory(struct gf_error *err, const char *what, uint64_t bytes)
{
    return gf_error_set(err, GF_E_NO_MEMORY, "%s: no memory for %llu bytes", what, (unsigned long long)bytes);
}
