/* SPDX-License-Identifier: MIT */
/*
 * Libraries of single formats, loaded when the first file needs one: linking all of them would cost every command some
 * milliseconds, most of which read PNG or JPEG. A file that needs one that is missing is refused with a sentence that
 * names it. Used by the codecs of tiff/, webp/, heif/ and gif/.
 */
#ifndef GF_CLI_LIBRARY_H
#define GF_CLI_LIBRARY_H

#include <stdio.h>

#include "image_codec.h"

/* A shared library and the functions that are used of it. */
struct gf_library {
    const char *name;         /* "libtiff" */
    const char *file;         /* "libtiff.so.6", the one whose headers were compiled against */
    const char *const *names; /* of the functions */
    size_t n;
    void *calls; /* gets their addresses, as many pointers in this order */
    bool loaded;
};

/* One member of the struct of calls, and its name: GF_LIBRARY_CALLS(GF_LIBRARY_MEMBER). */
#define GF_LIBRARY_MEMBER(call) __typeof__(call) *(call);
#define GF_LIBRARY_NAME(call) #call,

/* Loads it and finds the functions, once; several threads may call. DATA with a sentence about the file of `path`,
 * which is of the format `what` ("TIFF"): the library is not installed, or one of the functions is not in it. */
enum gf_io_status gf_library_load(struct gf_library *library, const char *path, const char *what,
                                  struct gf_io_error *err);

/* The sentence of a build without it: DATA. */
enum gf_io_status gf_library_absent(const char *name, const char *path, const char *what, struct gf_io_error *err);

/* A format of which the library may be missing, for --version. */
struct gf_library_use {
    const char *formats; /* "TIFF" */
    const char *name;    /* "libtiff" */
    bool built_in;       /* this build can load it */
    /* The version of the library that is installed, in the buffer; NULL: not installed. */
    const char *(*version)(char *text, size_t size);
};

#endif
