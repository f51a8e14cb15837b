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
/* In front of the TIFF structure. */
#define GF_JPEG_EXIF_HEAD "Exif\0"
/* In front of XMP, with its zero. */
#define GF_JPEG_XMP_HEAD "http://ns.adobe.com/xap/1.0/"
/* Bytes of a marker's data. */
#define GF_JPEG_MAX_MARKER 65533u
#define GF_JPEG_DOTS_PER_INCH 1

/* What a call of libjpeg comes back to when it fails. */
struct gf_jpeg_failure {
    struct jpeg_error_mgr mgr; /* first, so that libjpeg's pointer to it is one to this */
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
    char warning[JMSG_LENGTH_MAX]; /* of something wrong that the samples do not suffer from; empty: nothing */
    bool no_memory;
};

/* For the `err` of a libjpeg struct; the caller sets `back` before it calls libjpeg. */
struct jpeg_error_mgr *gf_jpeg_failure_init(struct gf_jpeg_failure *failure);

#endif
