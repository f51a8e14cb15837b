/* SPDX-License-Identifier: MIT */
/*
 * libgpufilterimage: reads and writes picture and array files with the codecs of gpufilter-client, and says what a file
 * does not keep. Reads PNG, JPEG, TIFF, WebP, HEIC, AVIF, GIF, BMP, TGA, PNM, PFM, HDR and .npy, and writes all of
 * them; `gpufilter-client help formats` says which kinds. Used beside libgpufilterclient, but independent of it.
 *
 *     gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
 *     gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
 *     gpufilter_image *image;
 *     gpufilter_error err;
 *     how.flags = GPUFILTER_IMAGE_UPRIGHT | GPUFILTER_IMAGE_SRGB;
 *     if (gpufilter_image_read("in.jpg", &how, &image, &err) == GPUFILTER_OK) {
 *         as.source = image;
 *         (void)gpufilter_image_write("out.png", gpufilter_image_view(image), &as, NULL, &err);
 *         gpufilter_image_free(image);
 *     }
 *
 * Functions that can fail return GPUFILTER_OK or another status of gpufilter/codes.h, and fill `err`, which may be
 * NULL, on failure only. Results returned through pointers are written on success only. The statuses:
 *
 *     BAD_FILE      not a file of these formats, damaged, cut off, or without the page
 *     UNSUPPORTED   another kind of file, a format that cannot hold the samples, or a codec library that is missing
 *     TOO_LARGE     more bytes, pixels or samples than the options or the library allow; err->needed is 0
 *     LOSS          with GPUFILTER_IMAGE_STRICT: the file would not keep something
 *     NO_INPUT      the file cannot be opened
 *     CANT_CREATE   the file cannot be created or replaced
 *     IO            reading or writing failed midway
 *     BAD_ARGUMENT  a wrong option, or a path whose extension names no format
 *     BAD_VIEW, BAD_DTYPE   the view is not one
 *     NO_MEMORY, INTERNAL   memory ran out, or a codec contradicts itself
 *
 * Error texts begin with the path or name, and call options as gpufilter-client does (--max-pixels, --page).
 *
 * Threads: all functions may be called by any thread at any time; an image is used by one thread at a time, and its
 * functions that take it as const by several. Threads that the library starts during a call block all signals. Nothing
 * is kept between calls but codec libraries (libtiff, libwebp, libheif, giflib, lcms2), which are loaded when the first
 * file needs them and stay loaded.
 *
 * Layout: see gpufilter/client.h. Structs that begin with `struct_size` may grow at their end.
 */
#ifndef GPUFILTER_IMAGE_H
#define GPUFILTER_IMAGE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A picture or an array that was read: samples, and what else the file says of them (metadata). */
typedef struct gpufilter_image gpufilter_image;

/* ---- Reading ---- */

/* How to read a file. */
typedef struct gpufilter_image_read_options {
    uint32_t struct_size;
    uint32_t page;       /* of a file with several, from 1; 0: the first, with a warning if there are more */
    uint32_t max_pixels; /* width times height by the header, before memory is taken; 0: sides up to 65535 and 2^31
                          * samples */
    uint32_t flags;      /* GPUFILTER_IMAGE_UPRIGHT, _SRGB, _SALVAGE */
    uint64_t max_bytes;  /* of the file; 0: 1 GiB, which is also the most */
    uint32_t fit_width;  /* the picture will be reduced to fit into fit_width x fit_height, as viewers show it: a */
    uint32_t fit_height; /* JPEG is decoded at 1/2, 1/4 or 1/8 if at least twice that size is left. 0: in full */
    uint32_t threads;    /* that decode at a time, the caller's included; 0: 1 */
    uint32_t reserved;   /* 0 */
    const char *formats; /* words of the formats to accept, "jpeg, png"; NULL: every format */
    const char *name;    /* of bytes in memory, for error texts; NULL: "image" */
    /* Memory for samples, such as gpufilter_alloc's, so that the daemon can use them without a copy. Both or none.
     * `alloc` may return NULL: then, and for hdr and txt, the library takes ordinary memory. `free` gets what alloc
     * returned when the image is freed, which with gpufilter_alloc must be before gpufilter_close. The thread of the
     * call calls both. Samples that are rotated or converted take memory twice for a moment. */
    void *(*alloc)(void *user, uint64_t size);
    void (*free)(void *user, void *data);
    void *user;
} gpufilter_image_read_options;

#define GPUFILTER_IMAGE_READ_OPTIONS_INIT                                                                              \
    {                                                                                                                  \
        offsetof(gpufilter_image_read_options, user) + sizeof(void *), 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, \
            NULL                                                                                                       \
    }

/* Turns the picture as its EXIF orientation says; the orientation is 1 from then on. */
#define GPUFILTER_IMAGE_UPRIGHT 1u
/* Converts samples of u8, u16 and f32 to sRGB by what the file says of its colours, and drops that. A picture whose
 * colours cannot be converted stays as it is, with a warning. */
#define GPUFILTER_IMAGE_SRGB 2u
/* Reads what there is of a damaged PNG, JPEG or GIF, with a warning. */
#define GPUFILTER_IMAGE_SALVAGE 4u

/* Reads a file, or standard input for "-"; waits for the writer of a FIFO. The caller frees the image by
 * gpufilter_image_free. `options` NULL: all defaults. Samples keep their type: 8 bits are u8, 16 bits u16, PFM and HDR
 * f32; a palette and CMYK become colour. */
int gpufilter_image_read(const char *path, const gpufilter_image_read_options *options, gpufilter_image **ret_image,
                         gpufilter_error *err);

/* The same from bytes in memory, which are not needed afterwards. */
int gpufilter_image_read_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                gpufilter_image **ret_image, gpufilter_error *err);

/* The same without samples: view.data is NULL. Of most formats only headers are decoded. */
int gpufilter_image_info(const char *path, const gpufilter_image_read_options *options, gpufilter_image **ret_image,
                         gpufilter_error *err);
int gpufilter_image_info_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                gpufilter_image **ret_image, gpufilter_error *err);

/* Reads every page of a file, from options->page on, and gives one after another to `take`, which owns it; only that
 * page and the bytes of the file are in memory. Any file has a page. The facts of a page tell how many there are. A
 * status of `take` other than GPUFILTER_OK ends the reading and is returned; `take` gets `err`, and may fill it then. A
 * damaged file may fail after some pages. */
int gpufilter_image_read_pages(const char *path, const gpufilter_image_read_options *options,
                               int (*take)(void *user, gpufilter_image *page, gpufilter_error *err), void *user,
                               gpufilter_error *err);
int gpufilter_image_read_pages_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                      int (*take)(void *user, gpufilter_image *page, gpufilter_error *err), void *user,
                                      gpufilter_error *err);

/* Frees an image with its samples. Accepts NULL. */
void gpufilter_image_free(gpufilter_image *image);

/* The samples, rows without gaps, an operand as it is; `alpha` is what the file says of the last channel. The memory is
 * the image's, and the caller may change samples in place. */
const gpufilter_view *gpufilter_image_view(const gpufilter_image *image);

/* What a file says. Texts belong to the image, and are "" where there is none; numbers are 0 if the file or its reader
 * does not tell. The name of a profile is the file's own text, and may hold what a terminal would obey. */
typedef struct gpufilter_image_facts {
    uint32_t struct_size;
    uint32_t flags;          /* GPUFILTER_IMAGE_IS_..., GPUFILTER_IMAGE_HAS_... */
    const char *format;      /* "jpeg" */
    const char *warning;     /* flaws of the file that do not affect the samples, what was left out, "; " between */
    const char *note;        /* what GPUFILTER_IMAGE_SRGB did */
    const char *compression; /* "deflate" */
    const char *profile;     /* the name of the colour profile, "Display P3" */
    uint64_t file_bytes;     /* up to the end of the picture */
    uint64_t pages;          /* at least 1 */
    uint64_t full_width;     /* of the picture in the file, which was divided by `shrink`, rounding up; */
    uint64_t full_height;    /* before it was turned */
    uint64_t profile_bytes;  /* sizes of metadata, which the image keeps for gpufilter_image_write */
    uint64_t exif_bytes;
    uint64_t xmp_bytes;
    uint64_t iptc_bytes;
    uint64_t comment_bytes;
    uint64_t text_bytes;
    uint32_t shrink;      /* 1, 2, 4 or 8 */
    uint32_t orientation; /* EXIF 2.3, tag 0112: 1 to 8; 0: none */
    uint32_t bits;        /* of a sample in the file, or of an index into its palette */
    uint32_t bands;       /* channels in the file */
    uint32_t sides;       /* dimensions of an array, without that of several channels; 0: a picture */
    uint32_t per_metre_x; /* pixels */
    uint32_t per_metre_y;
    uint32_t gamma;     /* of the samples, times 100000 */
    uint32_t primaries; /* of H.273 */
    uint32_t transfer;
    uint32_t delay_ms; /* that a frame is shown, rounded down */
    uint32_t plays;    /* of an animation; 0: for ever, or not told */
    char sampling[16]; /* of chroma, "4:2:0" */
} gpufilter_image_facts;

#define GPUFILTER_IMAGE_FACTS_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(gpufilter_image_facts), 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
            0, 0, 0, 0, 0, 0, 0, ""                                                                                    \
    }

#define GPUFILTER_IMAGE_IS_SRGB 1u          /* the file says so itself */
#define GPUFILTER_IMAGE_IS_LOSSY 2u         /* its samples were coded with loss */
#define GPUFILTER_IMAGE_IS_PREMULTIPLIED 4u /* in the file; samples that are read are straight */
#define GPUFILTER_IMAGE_HAS_GAIN_MAP 8u     /* for HDR; never read */
#define GPUFILTER_IMAGE_HAS_AUXILIARY 16u   /* pictures beside the picture, as depth and masks; never read */

/* Fills the members that facts->struct_size covers. BAD_ARGUMENT: there is no size. */
int gpufilter_image_describe(const gpufilter_image *image, gpufilter_image_facts *facts, gpufilter_error *err);

/* ---- Writing ---- */

/* How to write a file. */
typedef struct gpufilter_image_write_options {
    uint32_t struct_size;
    uint32_t flags;                /* GPUFILTER_IMAGE_STRICT, ...; flags for reading are BAD_ARGUMENT */
    const char *format;            /* "png"; NULL: by the extension of the path */
    const gpufilter_image *source; /* whose metadata the file keeps, of the samples' place and colours; NULL: none */
    const char *keep;              /* "none", or some of "icc, colour, exif, copyright, xmp, iptc, comment, text,
                                    * resolution, geo"; NULL: "all". "icc,colour" is what colours need */
    const char *compression;       /* of TIFF: "none", "lzw", "deflate", "packbits" or "zstd"; NULL: deflate */
    uint32_t quality;     /* 1 to 100, of jpeg, webp, avif and heic; 0: 90, of webp 80 or lossless, as its source was */
    uint32_t subsampling; /* of JPEG's colour: 444, 422 or 420; 0: 444 from quality 90 on, otherwise 420 */
    uint32_t png_level;   /* 1 (fast) to 9 (small); 0: 1 */
    uint32_t threads;     /* that encode at a time, the caller's included; 0: 1 */
    uint8_t background[4]; /* red, green, blue for GPUFILTER_IMAGE_FLATTEN; the fourth is 0 */
    uint32_t delay_ms;     /* that a frame of gif, png or webp is shown; 0: as its source says, otherwise 100 */
} gpufilter_image_write_options;

#define GPUFILTER_IMAGE_WRITE_OPTIONS_INIT                                                                             \
    {                                                                                                                  \
        sizeof(gpufilter_image_write_options), 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, {0, 0, 0, 0}, 0                  \
    }

/* Whatever the file would not keep is an error (LOSS), before anything is written. */
#define GPUFILTER_IMAGE_STRICT 0x100u
/* WebP without loss. */
#define GPUFILTER_IMAGE_LOSSLESS 0x200u
/* JPEG in scans that each show the whole picture. */
#define GPUFILTER_IMAGE_PROGRESSIVE 0x400u
/* Blends alpha with the background, for formats without alpha. */
#define GPUFILTER_IMAGE_FLATTEN 0x800u
/* The samples are not at the places of those of the source, as after a resize: the place on the earth (GeoTIFF) is not
 * kept. */
#define GPUFILTER_IMAGE_MOVED 0x1000u

/* What was written. */
typedef struct gpufilter_image_report {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t bytes;   /* of the file */
    uint64_t changed; /* pixels that the palettes of a gif changed */
    char lost[256];   /* what the source says and the file does not keep, "EXIF, XMP"; "": nothing */
} gpufilter_image_report;

#define GPUFILTER_IMAGE_REPORT_INIT                                                                                    \
    {                                                                                                                  \
        sizeof(gpufilter_image_report), 0, 0, 0, ""                                                                    \
    }

/* Writes samples to a file, or to standard output for "-", which needs a format. view->alpha says what the last of 2 or
 * 4 channels is. The file appears complete or not at all: it is written beside its place as .gpufilter-*.tmp, which
 * stays if the process is killed meanwhile, as it is by SIGXFSZ beyond ulimit -f unless it ignores that signal. A
 * picture that the source says is turned is turned in formats other than PNG and JPEG, which keep the orientation.
 * `options` NULL: all defaults; `report` may be NULL; its members that struct_size covers are filled on success, and
 * after LOSS. */
int gpufilter_image_write(const char *path, const gpufilter_view *view, const gpufilter_image_write_options *options,
                          gpufilter_image_report *report, gpufilter_error *err);

/* The same to memory; options->format is needed. The caller frees the bytes by free(). */
int gpufilter_image_write_memory(const gpufilter_view *view, const gpufilter_image_write_options *options,
                                 void **ret_bytes, size_t *ret_size, gpufilter_image_report *report,
                                 gpufilter_error *err);

/* ---- Several pages ---- */

/* A file that gets several pages. Used by one thread at a time. */
typedef struct gpufilter_image_file gpufilter_image_file;

/* Begins a file of `pages` pages: of tiff, npy, or an animation of png, gif or webp; with one page of any format.
 * `options` as of gpufilter_image_write, but options->source is NULL. The caller ends the file by
 * gpufilter_image_commit or gpufilter_image_discard. UNSUPPORTED: the format holds one picture. */
int gpufilter_image_create(const char *path, uint32_t pages, const gpufilter_image_write_options *options,
                           gpufilter_image_file **ret_file, gpufilter_error *err);

/* Adds a page with the metadata of `source`, which may be NULL. The first page decides how often an animation is
 * played, and which colours the file names. Samples and source are not needed afterwards. `report` is as of
 * gpufilter_image_write, and report->bytes that of the file so far. Pages of other formats than tiff have one size and
 * type. After an error, the file can only be discarded. UNSUPPORTED also: the page is not like the first. */
int gpufilter_image_add(gpufilter_image_file *file, const gpufilter_view *view, const gpufilter_image *source,
                        gpufilter_image_report *report, gpufilter_error *err);

/* Puts the file in place, complete; on failure nothing is left of it. Frees `file` in both cases. BAD_ARGUMENT: pages
 * are missing. */
int gpufilter_image_commit(gpufilter_image_file *file, gpufilter_error *err);

/* Removes what was written, and frees `file`. Accepts NULL. */
void gpufilter_image_discard(gpufilter_image_file *file);

/* ---- Formats ---- */

/* A format, as this build and the codec libraries of this machine have it. Static texts. */
typedef struct gpufilter_image_format {
    uint32_t struct_size;
    uint32_t flags;         /* GPUFILTER_IMAGE_READS, ... */
    const char *word;       /* "jpeg" */
    const char *extensions; /* that name it for writing, "jpg jpeg jpe jfif" */
    const char *library;    /* that is loaded for it, "libtiff"; "": none */
} gpufilter_image_format;

#define GPUFILTER_IMAGE_FORMAT_INIT                                                                                    \
    {                                                                                                                  \
        sizeof(gpufilter_image_format), 0, NULL, NULL, NULL                                                            \
    }

#define GPUFILTER_IMAGE_READS 1u
#define GPUFILTER_IMAGE_WRITES 2u
#define GPUFILTER_IMAGE_PAGES 4u /* a file that is read may have several pages */
#define GPUFILTER_IMAGE_ARRAY 8u /* holds arrays, whose numbers have no white */

/* Describes format `index`, from 0. UNSUPPORTED: there are not as many. BAD_ARGUMENT: `format` has no size. Loads the
 * library of the format. */
int gpufilter_image_get_format(uint32_t index, gpufilter_image_format *format, gpufilter_error *err);

#ifdef __cplusplus
}
#endif
#endif
