/* SPDX-License-Identifier: MIT */
/*
 * Splits the rows of a JPEG file into separate files at restart markers, where decoding can start afresh, so that
 * several threads can read them. Used by jpeg_read.c.
 */
#ifndef GF_CLI_JPEG_RESTARTS_H
#define GF_CLI_JPEG_RESTARTS_H

#include <stdint.h>

#include "jpeg_turbo.h"

/* Where the rows of blocks of a file begin that come behind a restart marker, and the first one. */
struct gf_jpeg_restarts {
    const uint8_t *file;
    size_t size, head;      /* bytes; before the samples */
    size_t height_at;       /* where the header has the height */
    uint32_t height, lines; /* of the picture; of a row of blocks */
    uint32_t step, n;       /* rows of blocks from one place to the next; places */
    size_t *places;         /* in the file */
};

/* Finds them in a file of which the library has read all before the samples. False where it has none, not behind whole
 * rows, or not those that it has to have; then nothing is to be given back. `file` is borrowed. */
bool gf_jpeg_restarts_init(struct gf_jpeg_restarts *r, const struct jpeg_decompress_struct *jpeg, const uint8_t *file,
                           size_t size);
void gf_jpeg_restarts_deinit(struct gf_jpeg_restarts *r);

/* Makes a file of the rows from place `first` up to place `end`, or to the very end of the file where that is r->n. The
 * caller frees the bytes; NULL without memory. */
uint8_t *gf_jpeg_restarts_cut(const struct gf_jpeg_restarts *r, uint32_t first, uint32_t end, size_t *ret_size);

#endif
