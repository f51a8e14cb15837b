/* SPDX-License-Identifier: MIT */
/*
 * What the files of the JPEG codec share: error handling of libjpeg-turbo, and rows of a file that are split at restart
 * markers, where decoding can start afresh, into separate files, so that several threads can read them.
 */
#ifndef GF_JPEG_TURBO_H
#define GF_JPEG_TURBO_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h> /* numbers its codes by what jpeglib.h says of the library */

#define GF_JPEG_EXIF (JPEG_APP0 + 1)
#define GF_JPEG_IPTC (JPEG_APP0 + 13)
/* Precedes the TIFF structure. */
#define GF_JPEG_EXIF_HEAD "Exif\0"
/* Precedes XMP, with its null byte. */
#define GF_JPEG_XMP_HEAD "http://ns.adobe.com/xap/1.0/"
/* Precedes the resources of Photoshop, with its null byte. */
#define GF_JPEG_IPTC_HEAD "Photoshop 3.0"
/* Most bytes in a marker's data. */
#define GF_JPEG_MAX_MARKER 65533u
#define GF_JPEG_DOTS_PER_INCH 1

/* The target of libjpeg's jump when a call fails. */
struct gf_jpeg_failure {
    struct jpeg_error_mgr mgr; /* first, so that libjpeg's pointer to it is a pointer to this struct */
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
    char warning[JMSG_LENGTH_MAX]; /* about a flaw that does not affect the samples; empty: none */
    bool no_memory;
    bool salvage;       /* set by the reader: go on after damage */
    uint32_t good_rows; /* of a file with damage: rows that were complete before it */
    bool ended; /* a file that is read ended among or after its samples; further calls fail if they need more of them */
};

/* Initialises the `err` of a libjpeg struct. The caller sets `back` before it calls libjpeg. */
struct jpeg_error_mgr *gf_jpeg_failure_init(struct gf_jpeg_failure *failure);

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
