/* SPDX-License-Identifier: MIT */
/* Error handling of libjpeg-turbo, shared by jpeg_read.c and jpeg_write.c. */
#ifndef GF_CLI_JPEG_TURBO_H
#define GF_CLI_JPEG_TURBO_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h> /* numbers its codes by what jpeglib.h says of the library */

#define GF_JPEG_EXIF (JPEG_APP0 + 1)
/* Precedes the TIFF structure. */
#define GF_JPEG_EXIF_HEAD "Exif\0"
/* Precedes XMP, with its null byte. */
#define GF_JPEG_XMP_HEAD "http://ns.adobe.com/xap/1.0/"
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
};

/* Initialises the `err` of a libjpeg struct. The caller sets `back` before it calls libjpeg. */
struct jpeg_error_mgr *gf_jpeg_failure_init(struct gf_jpeg_failure *failure);

#endif
