/* SPDX-License-Identifier: MIT */
/* A picture in memory, and how it is read and stored. Used by the codecs, and by the commands through image.h. */
#ifndef GF_CLI_IMAGE_DATA_H
#define GF_CLI_IMAGE_DATA_H

#include "client/cli/io/output.h"
#include "image_meta.h"
#include "protocol/base/view.h"

/* Where samples that are read may go instead of malloc's memory: into an arena, where the daemon finds them. */
struct gf_image_memory {
    void *(*take)(void *user, uint64_t size); /* NULL where there is none */
    void (*give_back)(void *user, void *data);
    void *user;
};

/* How a picture is read; zeros are the defaults. */
struct gf_image_load {
    const struct gf_image_memory *memory; /* for its samples, which outlives it; NULL: malloc's */
    uint32_t threads;                     /* that decoders use; 0: as many as there are cores */
    uint32_t page;                        /* of a file with several, from 1; 0: not said */
    uint64_t *ret_pages;                  /* gets how many there are, and the first is read; NULL: need not */
    /* Asked once the sides of a JPEG are known, as viewers show it: reads it at 1/1, 1/2, 1/4 or 1/8. NULL: at 1/1. */
    uint32_t (*shrink)(void *user, uint64_t width, uint64_t height);
    void *shrink_user;
    bool is_stream; /* the bytes came through a pipe: another picture may follow the first */
};

/* A picture in memory: rows from the top, channels interleaved, no padding, native byte order. */
struct gf_image {
    struct gf_view view; /* pitch = one row; an array of any type where the file is one */
    void *data;
    void (*free_data)(void *data);        /* NULL: the memory is borrowed, or `memory` gets it back */
    const struct gf_image_memory *memory; /* which gave the data; NULL: none did */
    const char *kind;                     /* of the file that was read, a word; NULL: bare samples */
    struct gf_image_meta meta;            /* what a file said beside the samples */
    uint32_t format;                      /* GF_FORMAT_... in which such files are written; NONE where they are not */
    uint32_t shrink;                      /* above 1: sides are those of the file, divided by it and rounded up, */
    uint64_t full_width, full_height;     /* which were these */
    size_t file_bytes;                    /* of the file that was read, up to where the picture ends */
    char *warning;                        /* what is wrong with the file, but not with its samples; NULL: nothing */
};

#define GF_IMAGE_NULL ((struct gf_image){.data = NULL})

/* Frees samples and meta and empties the struct; takes an empty one. Usable with gf_cleanup. */
void gf_image_deinit(struct gf_image *image);

enum gf_image_format {
    GF_FORMAT_NONE = 0, /* reading: find out; writing: by the extension of the path */
    GF_FORMAT_PNG,
    GF_FORMAT_JPEG,
    GF_FORMAT_TIFF,
    GF_FORMAT_WEBP,
    GF_FORMAT_AVIF,
    GF_FORMAT_HEIC,
    GF_FORMAT_BMP,
    GF_FORMAT_TGA,
    GF_FORMAT_PGM,
    GF_FORMAT_PPM,
    GF_FORMAT_PNM, /* PGM or PPM, by the channels */
    GF_FORMAT_PAM,
    GF_FORMAT_PFM,
    GF_FORMAT_HDR,
    GF_FORMAT_NPY,
    GF_FORMAT_TXT, /* numbers, a row per line */
    GF_FORMAT_RAW, /* the samples and nothing else, little-endian */
    GF_FORMAT_Y4M, /* a plane of a frame of video, without what stands before it; of streams alone */
    GF_N_FORMATS,  /* that are written */
    GF_FORMAT_GIF = GF_N_FORMATS,
};

/* How a picture is stored where its format has a choice; zeros are the defaults. */
struct gf_image_save {
    const struct gf_image_meta *meta; /* a profile only where it fits the channels; NULL: none */
    bool as_stored;                   /* not to be turned, see gf_image_rotates in image.h */
    uint32_t quality;                 /* 1 to 100; 0: of WebP without loss, of others GF_JPEG_QUALITY */
    uint32_t png_level;               /* 1, fast, to 9, small; 0: 1 */
    bool flatten;                     /* alpha is replaced by the background */
    uint8_t background[3];            /* red, green, blue */
    uint32_t threads;                 /* that encoders use; 0: as many as there are cores */
    struct gf_output_file *to;        /* open: pictures go there one after another; NULL: to a path */
    uint32_t white;                   /* of y4m: the largest sample; 0: what the type holds */
    uint64_t *above;                  /* with `white`: to which samples that were larger are added */
};

#define GF_JPEG_QUALITY 90u

/* The type that a word of --in-dtype names; USAGE with those that there are. */
enum gf_io_status gf_array_dtype_parse(const char *word, uint32_t *ret_dtype, struct gf_io_error *err);

/* Parses "WxHxC:dtype", "WxH:dtype" or "W:dtype" ("1920x1080x3:u8", "1000:f64") into a tight view. USAGE with the form
 * and the limit that was passed. */
enum gf_io_status gf_image_raw_parse(const char *text, struct gf_view *ret_view, struct gf_io_error *err);

#endif
