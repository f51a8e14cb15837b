/* SPDX-License-Identifier: MIT */
/*
 * Pictures in files. Reads PNG, JPEG, TIFF, WebP, HEIC, AVIF, GIF, BMP, TGA, PNM (P1-P7), PFM and HDR, recognised by
 * their first bytes, and writes all of them. Types and channels are kept: 8 bits are u8, 16 bits are u16,
 * PFM and HDR are f32, grey remains one channel, and alpha remains. Exceptions: a palette becomes RGB or RGBA, CMYK
 * becomes RGB, a PNM with an odd maximum is scaled to 255 or 65535, and BMP and HDR (and JPEG without libjpeg-turbo)
 * store grey as RGB. Arrays of any type are read and written as .npy, as text and raw. Called by public.c
 * and by the command; no other part of the project reads picture files.
 */
#ifndef GF_IMAGE_H
#define GF_IMAGE_H

#include <stdio.h>

#include "client/io/number.h"
#include "image_data.h"

/* The word of a format ("png"), which is also its value of --format; "?" for none. Static text. */
const char *gf_image_format_word(enum gf_image_format format);
/* All words for help and errors: "png, jpeg, bmp, ... or raw". Static text. */
const char *gf_image_format_words(void);
/* The format of a word, in any case ("jpg" and "jpeg" are the same). USAGE with the list of words. */
enum gf_io_status gf_image_format_from_word(const char *word, enum gf_image_format *ret_format,
                                            struct gf_io_error *err);
/* The format for writing to a path, by its extension. USAGE with the list of words for "-", a missing or an unknown
 * extension. */
enum gf_io_status gf_image_format_from_path(const char *path, enum gf_image_format *ret_format,
                                            struct gf_io_error *err);

/* Whether the format has a quality (gf_image_save.quality). */
bool gf_image_has_quality(enum gf_image_format format);
/* Whether the format holds arrays, whose numbers have no white. */
bool gf_image_is_array(enum gf_image_format format);
/* Whether the last of 2 or 4 channels is alpha in every file of the format. TIFF says it; arrays have no alpha. */
bool gf_image_implies_alpha(enum gf_image_format format);

/* Refuses a file that `option` claims to be bare samples or numbers as text although its extension names another
 * format: USAGE. */
enum gf_io_status gf_image_refuse_header(const char *path, const char *option, struct gf_io_error *err);

/* Whether a format can hold samples of this dtype, with any number of channels. */
bool gf_image_holds_dtype(enum gf_image_format format, uint32_t dtype);
/* Whether a format can hold pictures of this dtype and channel count. DATA: the sentence says what the format holds and
 * which format to use instead, or which library is missing. Lets a command refuse a format before it computes. `path`
 * begins the sentence. */
enum gf_io_status gf_image_can_hold(enum gf_image_format format, const struct gf_view *view, bool no_alpha,
                                    const char *path, struct gf_io_error *err);

/* The same for a picture stored with these options; DATA also if the background does not suit it. */
enum gf_io_status gf_image_can_store(enum gf_image_format format, const struct gf_view *view,
                                     const struct gf_image_save *save, const char *path, struct gf_io_error *err);

/* Default limit of the size of an image file. */
#define GF_IMAGE_MAX_FILE (1ull << 30)

/* Reads a picture from a path, or from standard input for "-". With `raw` NULL it is an image file of at most
 * GF_IMAGE_MAX_FILE bytes, whatever its name; otherwise little-endian samples of exactly that tight view. `how` NULL:
 * the defaults. The samples go to the memory of `how` if that has room and the format's reader can use it.
 * Returns a part of a picture only if how->salvage asks for it.
 * NO_INPUT: cannot be opened. FAILED: a read failed. INTERNAL: out of memory. DATA: not an image of these formats;
 * damaged or truncated; a raw file of another size (the sentence has both sizes); larger by its header than the limits
 * of protocol/base/limits.h, which is refused before memory is allocated; followed by data that may be another picture,
 * that is, in any PNM, and after any picture from a pipe; how->page beyond the last. */
enum gf_io_status gf_image_read(const char *path, const struct gf_view *raw, const struct gf_image_load *how,
                                struct gf_image *ret_image, struct gf_io_error *err);

/* The same from bytes in memory. `name` stands for the path in messages; its extension ".tga" decides if nothing else
 * tells the format. */
enum gf_io_status gf_image_decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                  struct gf_image *ret_image, struct gf_io_error *err);

/* The same for numbers as text, whose type the text does not tell. */
enum gf_io_status gf_array_decode_text(const char *name, const void *bytes, size_t size, uint32_t dtype,
                                       struct gf_image *ret_image, struct gf_io_error *err);

/* Decodes in another process: gf_image_decode, or gf_array_decode_text unless the dtype is NO_DTYPE. `how` is not NULL.
 */
typedef enum gf_io_status gf_decode_elsewhere_fn(const char *name, const void *bytes, size_t size,
                                                 const struct gf_image_load *how, uint32_t dtype,
                                                 struct gf_image *ret_image, struct gf_io_error *err);
#define GF_IMAGE_NO_DTYPE UINT32_MAX
/* What both functions call in place of a codec, once main() has set it; NULL: nothing. */
extern gf_decode_elsewhere_fn *gf_image_elsewhere;

/* Rotates a picture as its metadata says and then sets the orientation to 1: for operations that depend on left and
 * right, top and bottom. */
enum gf_io_status gf_image_rotate_upright(struct gf_image *image, const char *path, struct gf_io_error *err);

/* Converts the samples to f32, to the nearest. */
enum gf_io_status gf_image_to_f32(struct gf_image *image, const char *path, struct gf_number_loss *ret_loss,
                                  struct gf_io_error *err);

#define GF_LOST_TEXT 256
/* Lists the facts of save->meta that a file stored with these options will lack, "EXIF, XMP"; "": none. Returns the
 * list. What counts is said at gf_image_loss. */
const char *gf_image_lost(enum gf_image_format format, const struct gf_view *view, const struct gf_image_save *save,
                          char list[GF_LOST_TEXT]);

/* DATA, with a sentence, if a file stored with these options will lack a fact of its input: metadata that the format
 * does not hold or that does not fit the samples. Without save->strict the resolution does not count, and of formats
 * that hold nothing but samples only the colour space. */
enum gf_io_status gf_image_loss(const char *path, enum gf_image_format format, const struct gf_view *view,
                                const struct gf_image_save *save, struct gf_io_error *err);

/* Parses the facts to keep ("all", "none", or "icc,copyright") into the set of the others. USAGE with the words. */
enum gf_io_status gf_image_keep_parse(const char *list, uint32_t *ret_drop, struct gf_io_error *err);
#define GF_KEEP_WORDS "icc, colour, exif, copyright, xmp, iptc, comment, text, resolution, geo"
/* The facts that --strip leaves out: all except the description of colours. */
extern const uint32_t gf_image_strip;

/* Whether gf_image_write rotates the picture as its metadata says, because the format cannot store an orientation, or
 * because the file has several pages. */
bool gf_image_rotates(enum gf_image_format format, const struct gf_image_save *save);

/* Writes a picture (any pitch), or an array, which may have width 0, to a path, or to standard output for "-", which
 * needs an explicit format. Metadata is written if the format has room for it. For formats other than PNG and JPEG the
 * picture is rotated as its metadata says; .npy gets the same number of dimensions. The file appears complete or not at
 * all (output.h). With save->to the picture is appended to that output, which is not committed, and `path` is used only
 * in messages. With save->pages it becomes the next page of the file `path`, which gf_image_pages_commit completes;
 * DATA if the format holds pages of one size and type, and this page differs from the first. Errors as
 * gf_image_format_from_path, gf_image_can_hold and gf_output_open; DATA also for samples that HDR cannot hold
 * (negative, infinite, NaN); FAILED if writing fails. */
enum gf_io_status gf_image_write(const char *path, enum gf_image_format format, const struct gf_view *view,
                                 const void *data, const struct gf_image_save *save, struct gf_io_error *err);

/* Whether a file of this format may have several pages. DATA: it may not, and the sentence names formats that may. */
enum gf_io_status gf_image_can_hold_pages(enum gf_image_format format, uint64_t n, const char *path,
                                          struct gf_io_error *err);

/* Completes the file of the pages that gf_image_write has written with save->pages, and puts it in place. INTERNAL:
 * there are fewer than announced. Then, and on other errors, nothing is left, as without this call. */
enum gf_io_status gf_image_pages_commit(struct gf_image_pages *pages, struct gf_io_error *err);

/* Discards the file unless it was committed. For gf_cleanup. */
void gf_image_pages_deinit(struct gf_image_pages *pages);

/* Prints a line for each library that is loaded on demand: its formats, and its version or that it is missing. */
void gf_library_print(FILE *out);

/* Loads the libraries that the file will need, with their plugins, for a process that can load none later. */
void gf_library_prepare(const void *bytes, size_t size, bool srgb);

#endif
