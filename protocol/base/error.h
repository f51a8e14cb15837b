/* SPDX-License-Identifier: MIT */
/*
 * A status with a message. Lives on the caller's stack and never allocates; gf_text_sentence shortens long messages. It
 * is set once, where the facts are known: the field, its value, the allowed values. A function that can fail also
 * returns the status.
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
    uint64_t needed; /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA: the bytes needed; otherwise 0 */
    char text[GF_ERROR_TEXT];
};

/* Stores status and text (err may be NULL) and returns the status, which allows `return gf_error_set(...)`. */
enum gf_status gf_error_set(struct gf_error *err, enum gf_status status, const char *fmt, ...) gf_printf(3, 4);
/* Stores NO_MEMORY: what was done, usually the operation's name, and the bytes that it could not get. Returns the
 * status. */
enum gf_status gf_error_no_memory(struct gf_error *err, const char *what, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
