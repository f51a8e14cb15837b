/* SPDX-License-Identifier: MIT */
/*
 * Errors of reading and writing files: an exit code after sysexits.h and one message. The struct lives on the caller's
 * stack and never allocates; long texts are shortened as by gf_text_sentence. Set once, where the facts are known.
 */
#ifndef GF_IO_ERROR_H
#define GF_IO_ERROR_H

#include "protocol/base/base.h"

/* The numbers of sysexits.h, which are also what the command exits with. */
enum gf_io_status {
    GF_IO_OK = 0,
    GF_IO_USAGE = 64,       /* a format word, path or raw description that cannot be understood */
    GF_IO_DATA = 65,        /* the input is malformed, or the format cannot hold the picture */
    GF_IO_NO_INPUT = 66,    /* the input cannot be opened */
    GF_IO_INTERNAL = 70,    /* out of memory, or a codec that contradicts itself */
    GF_IO_CANT_CREATE = 73, /* the output cannot be created or replaced */
    GF_IO_FAILED = 74,      /* reading or writing failed midway */
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
