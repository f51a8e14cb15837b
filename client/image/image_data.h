/* SPDX-License-Identifier: MIT */
/*
 * A picture in memory, and the options for reading and storing it. Used by the codecs, and by the command through
 * image.h.
 */
#ifndef GF_IMAGE_DATA_H
#define GF_IMAGE_DATA_H

#include "client/io/output.h"
#include "image_meta.h"
#include "protocol/base/limits.h"
#include "protocol/base/view.h"

/* Memory for decoded samples in place of malloc's: an arena that the daemon can read. */
struct gf_image_memory {
    void *(*take)(void *user, uint64_t size); /* NULL: no memory */
    void (*give_back)(void *user, void *data);
    void *user;
};

struct gf_image;

/* Options for reading a picture. Zeros are the defaults. */
struct gf_image_load {
    const struct gf_image_memory *memory; /* for the samples; outlives the picture; NULL: malloc */
    uint32_t threads;                     /* of decoders; 0: one per core */
    uint32_t page;                        /* of a file with several, from 1; 0: not given */
    uint32_t bands[GF_MAX_CHANNELS];      /* channels to read of a TIFF, from 1; */
    uint32_t n_bands;                     /* 0: all */
    uint32_t max_pixels;                  /* of a file's header, before samples are read; 0: only the general limits */
    uint32_t formats;                     /* set of 1u << enum gf_image_format to accept; 0: all */
    /* Receives every page in turn, which it may take away, and no page is stored. Another status than OK ends the
     * reading and is its result. NULL: one page is read. */
    enum gf_io_status (*take)(void *user, struct gf_image *page, struct gf_io_error *err);
    void *take_user;
    /* Called with the size of a JPEG as viewers show it; returns the divisor 1, 2, 4 or 8 to read it at. NULL: 1. */
    uint32_t (*shrink)(void *user, uint64_t width, uint64_t height);
    void *shrink_user;
    bool is_stream; /* the bytes came through a pipe: another picture may follow the first */
    bool salvage; /* of a damaged PNG, JPEG or GIF read what there is; the other samples are not those of the picture */
    bool srgb;    /* convert samples to sRGB by what the file says of its colours */
    bool srgb_is_optional; /* where that is not possible, colours stay as they are, with a warning */
    bool only_head;        /* read no samples if the format's header tells the rest; then data is NULL */
};

/* How a file stores its samples, for info. Zeros: not known. */
struct gf_image_coding {
    uint32_t bits;           /* of a sample, the first of a pixel if they differ, or of an index into a palette */
    const char *compression; /* static text */
    char sampling[16];       /* of chroma, "4:2:0"; empty: there is none */
    uint32_t bands;          /* of a pixel, if not all are read; 0: as many as channels */
    bool is_premultiplied;   /* colours are stored multiplied by alpha */
};

/* A picture in memory: rows from the top, channels interleaved, no padding, native byte order. */
struct gf_image {
    struct gf_view view; /* tight pitch; any type if the file is an array */
    void *data;
    void (*free_data)(void *data);        /* NULL: the memory is borrowed, or belongs to `memory` */
    const struct gf_image_memory *memory; /* gets the data back; NULL: none */
    const char *kind;                     /* word of the file's format; NULL: bare samples */
    bool no_alpha;                        /* the last of 2 or 4 channels is a sample like the others, not alpha */
    bool is_bool;                         /* from an array of bool: 0 and 1 */
    bool is_cmyk;                         /* from a decoder: 4 inks, 0 for none, which image.c makes RGB */
    struct gf_image_meta meta;            /* the file's information besides the samples */
    uint32_t format;                      /* GF_FORMAT_... that writes such files; NONE if they cannot be written */
    uint32_t shrink;                      /* above 1: the file's size was divided by it, rounding up; */
    uint64_t full_width, full_height;     /* this is the file's size */
    size_t file_bytes;                    /* of the file, up to the end of the picture if its samples are read */
    uint64_t pages;                       /* pictures of the file; 0: one */
    const char *page_word;                /* what the format calls them, "page", "frame" or "picture" */
    struct gf_image_coding coding;
    char *warning;  /* a flaw of the file that does not affect the samples; NULL: none */
    char *note;     /* what gf_image_load.srgb did; NULL: none */
    char *words[3]; /* owned: kind, page_word and the compression where they are no static texts */
};

/* Whether the last of `channels` channels of such data is alpha. Arrays have none. */
static inline bool gf_image_has_alpha(const struct gf_image *image, uint32_t channels)
{
    return channels % 2 == 0 && !image->no_alpha && image->meta.sides == 0;
}

#define GF_IMAGE_NULL ((struct gf_image){.data = NULL})

/* Frees samples and metadata and empties the struct, which may be empty. For gf_cleanup. */
void gf_image_deinit(struct gf_image *image);

enum gf_image_format {
    GF_FORMAT_NONE = 0, /* reading: detect it; writing: by the extension of the path */
    GF_FORMAT_PNG,
    GF_FORMAT_JPEG,
    GF_FORMAT_TIFF,
    GF_FORMAT_WEBP,
    GF_FORMAT_AVIF,
    GF_FORMAT_HEIC,
    GF_FORMAT_GIF,
    GF_FORMAT_BMP,
    GF_FORMAT_TGA,
    GF_FORMAT_PGM,
    GF_FORMAT_PPM,
    GF_FORMAT_PNM, /* PGM or PPM, by the number of channels */
    GF_FORMAT_PAM,
    GF_FORMAT_PFM,
    GF_FORMAT_HDR,
    GF_FORMAT_NPY,
    GF_FORMAT_TXT, /* numbers, a row per line */
    GF_FORMAT_RAW, /* the samples and nothing else, little-endian */
    GF_FORMAT_Y4M, /* a plane of a video frame, without the header before it; only for streams */
    GF_N_FORMATS,
};

/* What is said of gf_image_pages.colours_differ. */
#define GF_COLOURS_DIFFER "pages differ in the colour space that they name, and only that of the first is kept"

/* A file that gets several pages, one by one. Zeros, but for `n`, at first; see image.h. */
struct gf_image_pages {
    uint64_t n;                 /* pages that the file will have */
    uint64_t done;              /* pages that were written */
    struct gf_output_file *out; /* NULL: not opened yet */
    struct gf_view first;       /* of the first page */
    int64_t behind_ns;          /* what the delays so far are too short in all, see gf_image_delay */
    uint64_t colours;           /* a hash of what the first page says about its colours */
    bool colours_differ;        /* another page says something else, which the file does not tell */
    void *state;                /* of the encoder, freed by free_state; NULL: none */
    void (*free_state)(void *state);
};

/* How TIFF stores samples, without loss. */
enum gf_compression {
    GF_COMPRESSION_USUAL = 0, /* deflate, or none if libtiff lacks it */
    GF_COMPRESSION_NONE,
    GF_COMPRESSION_LZW,
    GF_COMPRESSION_DEFLATE,
    GF_COMPRESSION_PACKBITS,
    GF_COMPRESSION_ZSTD,
    GF_N_COMPRESSIONS,
};
/* Their words for --compression. */
extern const char *const gf_compression_words[GF_N_COMPRESSIONS];
#define GF_COMPRESSION_WORDS "none, lzw, deflate, packbits, zstd"

/* Options for storing a picture. Zeros are the defaults. */
struct gf_image_save {
    const struct gf_image_meta *meta; /* a profile is used only if it fits the channels; NULL: none */
    uint32_t drop;                    /* set of GF_FACT() to leave out of `meta` */
    bool strict;                      /* every loss counts, see gf_image_loss in image.h */
    bool no_alpha;                    /* of the picture, see gf_image */
    bool as_stored;                   /* do not rotate, see gf_image_rotates in image.h */
    bool is_moved;                    /* samples are not at the places of those that the metadata describe */
    uint32_t quality;                 /* 1 to 100; 0: GF_JPEG_QUALITY; for WebP see gf_webp_encode */
    bool lossless;                    /* WebP without loss */
    uint32_t subsampling;             /* of JPEG's colour: 444, 422 or 420; 0: 444 from GF_JPEG_FINE on, else 420 */
    bool progressive;                 /* JPEG in scans that each show the whole picture */
    uint32_t png_level;               /* 1 (fast) to 9 (small); 0: 1 */
    enum gf_compression compression;  /* of TIFF */
    bool flatten;                     /* blend alpha with the background */
    uint8_t background[3];            /* red, green, blue */
    uint32_t threads;                 /* of encoders; 0: one per core */
    struct gf_output_file *to;        /* open output: pictures are appended to it; NULL: use the path */
    struct gf_image_pages *pages;     /* the picture is the next page of this file; NULL: it is alone */
    uint64_t *changed; /* for gif: the number of pixels that the palette changes is added to it; NULL: not counted */
    uint32_t white;    /* for y4m: the largest sample; 0: the range of the type */
    uint64_t *above;   /* with `white`: the number of larger samples is added to it */
};

#define GF_JPEG_QUALITY 90u
#define GF_WEBP_QUALITY 80u
#define GF_JPEG_FINE 90u /* the quality at which reduced colour would be the coarsest loss */

/* Whether a file keeps the tags that place the picture on the earth: in TIFF, of the same geometry. */
bool gf_image_keeps_geo(enum gf_image_format format, const struct gf_view *view, const struct gf_image_save *save);

/* The type named by a word of --in-dtype. USAGE with the list of types. */
enum gf_io_status gf_array_dtype_parse(const char *word, uint32_t *ret_dtype, struct gf_io_error *err);

/* Parses "WxHxC:dtype", "WxH:dtype" or "W:dtype" ("1920x1080x3:u8", "1000:f64") into a tight view. USAGE with the form
 * and the exceeded limit. */
enum gf_io_status gf_image_raw_parse(const char *text, struct gf_view *ret_view, struct gf_io_error *err);

#endif
