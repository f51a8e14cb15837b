/* SPDX-License-Identifier: MIT */
/* The table of formats: how each is recognised, read and written. Used by image.c and image_format.c. */
#ifndef GF_IMAGE_FORMAT_H
#define GF_IMAGE_FORMAT_H

#include "image_codec.h"
#include "library.h"

struct gf_format {
    const char *word;       /* "png", also the value of --format */
    const char *extensions; /* words that name the format for writing, separated by blanks; "": none */
    bool (*sniff)(const struct gf_source *src); /* recognises the first bytes; NULL: it has no mark */
    gf_decode_fn *decode;
    gf_encode_fn *encode;
    /* Limits for writing. */
    uint32_t dtypes;   /* a set of GF_DT() */
    uint32_t channels; /* a set of 1u << n */
    uint64_t max_samples;
    uint64_t max_side; /* 0: limited only by the samples */

    const char *kind;               /* word for files that are read; NULL: `word` */
    bool is_certain;                /* the mark is too long for bare samples to begin with it by chance */
    gf_encode_page_fn *encode_page; /* writes files of several pages; NULL: a file holds one picture */
    bool pages_differ;              /* pages that are written may differ in size and type */
    bool has_pages;                 /* a file may have several pages, and the decoder chooses one */
    bool holds_several;             /* pictures may follow each other in a file */
    bool has_appendix;              /* cameras append data to the picture, also on a pipe */
    bool has_bands;                 /* the decoder chooses channels (gf_image_load.bands) */
    bool has_head;                  /* the decoder can do without the samples (gf_image_load.only_head) */

    bool is_array;                        /* also holds arrays with sides beyond GF_MAX_SIDE */
    bool is_lossy;                        /* files are regarded as coded with loss; WebP tells it of each file */
    bool has_quality;                     /* has a quality (gf_image_save.quality) */
    bool is_colour;                       /* grey is stored as colour */
    const uint32_t *holds;                /* set of GF_FACT(); NULL: nothing but samples */
    size_t max_block;                     /* largest XMP and IPTC in bytes; 0: as image_meta.h says */
    gf_ready_fn *ready;                   /* NULL: always */
    gf_compress_fn *can_compress;         /* NULL: there is no choice */
    gf_check_fn *check;                   /* NULL: every sample can be stored */
    const struct gf_library_use *library; /* library of the codec, loaded on demand; NULL: none */
};

extern const struct gf_format gf_formats[GF_N_FORMATS];

/* The format whose mark the file begins with; NONE if there is none. */
enum gf_image_format gf_format_sniff(const struct gf_source *src);

#endif
