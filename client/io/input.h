/* SPDX-License-Identifier: MIT */
/* Reads whole input files into memory, up to a limit, and allocates memory for pictures. Used by the image readers. */
#ifndef GF_INPUT_H
#define GF_INPUT_H

#include "io_error.h"

struct gf_bytes {
    uint8_t *data; /* from malloc */
    size_t size;
    bool is_stream; /* from a pipe or a device, not from a regular file */
};

/* Frees the bytes and empties the struct; usable with gf_cleanup. */
void gf_bytes_deinit(struct gf_bytes *bytes);

/* The name of an input for messages: "-" is standard input. */
const char *gf_input_name(const char *path);

/* Reads a path to its end, or standard input for "-". NO_INPUT: it cannot be opened, or is a directory. FAILED: a read
 * failed. DATA: more than `limit` bytes; the sentence is "PATH: N bytes; LIMIT_TEXT limit". INTERNAL: out of memory. */
enum gf_io_status gf_input_read(const char *path, uint64_t limit, const char *limit_text, struct gf_bytes *ret_bytes,
                                struct gf_io_error *err);

/* malloc(), but from 2 MiB on in huge pages if the system has them: the first touch of new memory, page by page, takes
 * longer than copying it. The result may be passed to free() and realloc(). */
void *gf_large_alloc(size_t size);

#endif
