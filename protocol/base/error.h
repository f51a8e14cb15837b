/* SPDX-License-Identifier: MIT */
/*
 * A status with a message. Lives on the caller's stack, never allocates; long messages are shortened by
 * gf_text_sentence. Set once, where the facts are known: the field, its value, the allowed values. Functions that can
 * fail return the status too.
 */
#ifndef GF_PROTOCOL_ERROR_H
#define GF_PROTOCOL_ERROR_H

#include "base.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_ERROR_TEXT 256

struct gf_error {
    enum gf_status status;
    uint64_t needed; /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA: the bytes that would be needed; else 0 */
    char text[GF_ERROR_TEXT];
};

/* Stores status and text (err may be NULL) and returns the status, so that `return gf_error_set(...)` works. */
enum gf_status gf_error_set(struct gf_error *err, enum gf_status status, const char *fmt, ...) gf_printf(3, 4);

#ifdef __cplusplus
}
#endif
#endif
