/* SPDX-License-Identifier: MIT */
/*
 * Errors of reading and writing files: a status and one message. The struct lives on the caller's
 * stack and never allocates; long texts are shortened as by gf_text_sentence. Set once, where the facts are known.
 */
#ifndef GF_IO_ERROR_H
#define GF_IO_ERROR_H

#include "protocol/base/base.h"

enum gf_io_status {
    GF_IO_OK,
    GF_IO_USAGE,       /* a format word, path or raw description that cannot be understood */
    GF_IO_DATA,        /* the input is malformed, or the format cannot hold the picture */
    GF_IO_TOO_LARGE,   /* the input is larger than the limits allow */
    GF_IO_UNSUPPORTED, /* another kind of file, or one whose library is missing */
    GF_IO_NO_INPUT,    /* the input cannot be opened */
    GF_IO_NO_MEMORY,
    GF_IO_INTERNAL,    /* a codec that contradicts itself */
    GF_IO_CANT_CREATE, /* the output cannot be created or replaced */
    GF_IO_FAILED,      /* reading or writing failed midway */
};

#define GF_PATH_TEXT 4096
#define GF_IO_ERROR_TEXT (GF_PATH_TEXT + 512) /* any path and a sentence about it */

struct gf_io_error {
    enum gf_io_status status;
    char text[GF_IO_ERROR_TEXT]; /* a sentence without a final period; begins with the path if there is one */
};

/* Stores status and text (err may be NULL) and returns the status, so that `return gf_io_fail(...)` works. Keeps
 * errno. */
enum gf_io_status gf_io_fail(struct gf_io_error *err, enum gf_io_status status, const char *fmt, ...) gf_printf(3, 4);

/* Copies a file's name into the buffer in printable form: no terminal obeys it (gf_text_clean). */
const char *gf_path_text(const char *path, char *text, size_t size);

#endif
