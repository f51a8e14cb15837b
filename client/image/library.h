/* SPDX-License-Identifier: MIT */
/*
 * Libraries of single formats and of colours, loaded when the first file needs one: linking them all would cost every
 * command some milliseconds, although most commands read PNG or JPEG. A file whose library is missing is refused with a
 * sentence that names it. Used by the codecs of TIFF, WebP, HEIC, AVIF and GIF, and by the conversion of colours.
 */
#ifndef GF_LIBRARY_H
#define GF_LIBRARY_H

#include <stdio.h>

#include "image_codec.h"

/* A shared library and the functions that are used. */
struct gf_library {
    const char *name;         /* "libtiff" */
    const char *file;         /* "libtiff.so.6", whose headers were compiled against */
    const char *const *names; /* of the functions */
    size_t n;
    void *calls; /* receives the n addresses as pointers, in this order */
    bool loaded;
};

/* Declares one member of the struct of calls, and its name: GF_LIBRARY_CALLS(GF_LIBRARY_MEMBER). */
#define GF_LIBRARY_MEMBER(call) __typeof__(call) *(call);
#define GF_LIBRARY_NAME(call) #call,

/* What needs a library that may be missing. */
struct gf_library_use {
    const char *formats; /* "TIFF" */
    const char *name;    /* "libtiff" */
    bool built_in;       /* this build can load it */
    /* Writes the version of the installed library into the buffer; NULL: not installed. */
    const char *(*version)(char *text, size_t size);
    const char *instead; /* what to do without it; NULL: use PNG */
};

/* Loads the library and finds its functions, once. Thread-safe. DATA with a sentence about the file `path`: the library
 * is not installed, or lacks a function. */
enum gf_io_status gf_library_load(struct gf_library *library, const char *path, const struct gf_library_use *use,
                                  struct gf_io_error *err);

/* The error of a build without the library: DATA. */
enum gf_io_status gf_library_absent(const struct gf_library_use *use, const char *path, struct gf_io_error *err);

#endif
