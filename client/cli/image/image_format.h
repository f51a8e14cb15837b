/* SPDX-License-Identifier: MIT */
/* The table of formats: how each is recognised, read and written. Used by image.c and image_format.c. */
#ifndef GF_CLI_IMAGE_FORMAT_H
#define GF_CLI_IMAGE_FORMAT_H

#include "image_codec.h"
#include "library.h"

struct gf_format {
    const char *word;       /* "png", also what --format takes */
    const char *extensions; /* words that name the format for writing, separated by blanks; "": none */
    bool (*sniff)(const struct gf_source *src); /* by the first bytes; NULL: they do not tell */
    gf_decode_fn *decode;
    gf_encode_fn *encode;
    /* What can be written. */
    uint32_t dtypes;   /* a set of GF_DT() */
    uint32_t channels; /* a set of 1u << n */
    uint64_t max_samples;
    uint64_t max_side; /* 0: as many as samples allow */

    const char *kind;   /* the word for a file that was read; NULL: `word` */
    bool is_certain;    /* the mark is so long that bare samples do not begin with it */
    bool has_pages;     /* a file may have several, and the decoder chooses one */
    bool holds_several; /* pictures may follow each other in a file */
    bool has_appendix;  /* cameras append data to the picture, also where it comes through a pipe */

    bool is_array;               /* written also where the picture has no sides of 1 to GF_MAX_SIDE */
    bool has_quality;            /* gf_image_save.quality */
    const bool *has_orientation; /* the file says how it is to be turned; NULL: it cannot */
    gf_ready_fn *ready;          /* NULL: always */
    /* Refuses samples that cannot be written, before a file is made: DATA. NULL: none. */
    enum gf_io_status (*check)(const struct gf_view *view, const void *data, const char *path, struct gf_io_error *err);
    const struct gf_library_use *library; /* that reads and writes it, loaded when it is needed; NULL: none */
};

extern const struct gf_format gf_formats[GF_FORMAT_GIF + 1];

/* The format whose first bytes the file has; NONE: of none. */
enum gf_image_format gf_format_sniff(const struct gf_source *src);

#endif
