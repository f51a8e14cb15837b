/* SPDX-License-Identifier: MIT */
/*
 * Splits the rows of a JPEG file at restart markers, where decoding can start afresh, into separate files, so that
 * several threads can read them. Used by jpeg_read.c.
 */
#ifndef GF_CLI_JPEG_RESTARTS_H
#define GF_CLI_JPEG_RESTARTS_H

#include <stdint.h>

#include "jpeg_turbo.h"

/* The places of a file at which decoding can start: the first row of blocks, and each row of blocks after a restart
 * marker. */
struct gf_jpeg_restarts {
    const uint8_t *file;
    size_t size, head;      /* of the file; of the part before the samples */
    size_t height_at;       /* offset of the height in the header */
    uint32_t height, lines; /* of the picture; of a row of blocks */
    uint32_t step, n;       /* rows of blocks between two places; number of places */
    size_t *places;         /* offsets in the file */
};

/* Finds the places of a file that the library has read up to the samples. False if it has no markers, if they are not
 * at the ends of rows, or if they are not the expected ones; then nothing must be freed. `file` is borrowed. */
bool gf_jpeg_restarts_init(struct gf_jpeg_restarts *r, const struct jpeg_decompress_struct *jpeg, const uint8_t *file,
                           size_t size);
void gf_jpeg_restarts_deinit(struct gf_jpeg_restarts *r);

/* Makes a file of the rows from place `first` to place `end` (excluded), or to the end of the file if `end` is r->n.
 * The caller frees the bytes; NULL: out of memory. */
uint8_t *gf_jpeg_restarts_cut(const struct gf_jpeg_restarts *r, uint32_t first, uint32_t end, size_t *ret_size);

#endif
