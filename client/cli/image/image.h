/* SPDX-License-Identifier: MIT */
/*
 * Pictures in files. Reads PNG, JPEG, TIFF, WebP, HEIC, AVIF, GIF, BMP, TGA, PNM (P1-P7), PFM and HDR, recognised by
 * their first bytes, writes the same save for GIF, and raw arrays. Types and channels are kept: 8 bits are u8, 16 bits
 * are u16, PFM and HDR are f32, grey stays one channel, alpha stays; only a palette becomes RGB or RGBA, CMYK becomes
 * RGB, a PNM with an odd maximum is scaled to 255 or 65535, and BMP and HDR (JPEG too, where libjpeg-turbo is missing)
 * store grey as RGB. Arrays of any type are read and written as .npy, as text and raw. Called by the commands of the
 * CLI; no other part of the project reads picture files.
 */
#ifndef GF_CLI_IMAGE_H
#define GF_CLI_IMAGE_H

#include <stdio.h>

#include "image_data.h"

/* The word of a format ("png", also what --format takes); "?" for none. Static text. */
const char *gf_image_format_word(enum gf_image_format format);
/* All words for help and errors: "png, jpeg, bmp, ... or raw". Static text. */
const char *gf_image_format_words(void);
/* The format of a word, in any case ("jpg" and "jpeg" are one). USAGE with the words there are. */
enum gf_io_status gf_image_format_from_word(const char *word, enum gf_image_format *ret_format,
                                            struct gf_io_error *err);
/* The format for writing to a path, by its extension; USAGE for "-", without an extension or with an unknown one, with
 * the words there are. */
enum gf_io_status gf_image_format_from_path(const char *path, enum gf_image_format *ret_format,
                                            struct gf_io_error *err);

/* Whether files of the format have a quality, gf_image_save.quality. */
bool gf_image_has_quality(enum gf_image_format format);

/* Refuses bare samples, or numbers as text, of a file whose extension tells that it is neither: USAGE. `option` is the
 * one that claims them. */
enum gf_io_status gf_image_refuse_header(const char *path, const char *option, struct gf_io_error *err);

/* Whether a format can hold samples of this dtype at all. */
bool gf_image_holds_dtype(enum gf_image_format format, uint32_t dtype);
/* Whether a format can hold pictures of this dtype and channel count: DATA with a sentence that says what it holds and
 * which format to take instead, or what is missing to write it. Lets a command refuse before it computes. `path` begins
 * the sentence. */
enum gf_io_status gf_image_can_hold(enum gf_image_format format, const struct gf_view *view, const char *path,
                                    struct gf_io_error *err);

/* The same for a picture that is stored so; DATA also where a background does not go with it. */
enum gf_io_status gf_image_can_store(enum gf_image_format format, const struct gf_view *view,
                                     const struct gf_image_save *save, const char *path, struct gf_io_error *err);

/* Default limit of an image file that is read. */
#define GF_IMAGE_MAX_FILE (1ull << 30)

/* Reads a picture from a path, or from standard input for "-". `raw` NULL: an image file of at most GF_IMAGE_MAX_FILE
 * bytes, whatever its name; otherwise samples of exactly that tight view, little-endian. `how` NULL: by default. The
 * samples go to its memory where that has room and the format's reader takes memory that is given.
 * NO_INPUT: cannot be opened. FAILED: a read failed. DATA: not an image of these formats, damaged, cut short, a raw
 * file of another size (both are told), larger than the limits of protocol/base/limits.h by its header, which is
 * refused before memory is taken for it, or followed by more data where that may be another picture: in any PNM, and
 * behind any picture that comes through a pipe; of several pages, and none is chosen. INTERNAL: out of memory. Never
 * gives a part of a picture. */
enum gf_io_status gf_image_read(const char *path, const struct gf_view *raw, const struct gf_image_load *how,
                                struct gf_image *ret_image, struct gf_io_error *err);

/* The same from bytes in memory; `name` stands for the path in texts, and its extension ".tga" helps where nothing
 * else tells. */
enum gf_io_status gf_image_decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                  struct gf_image *ret_image, struct gf_io_error *err);

/* The same for numbers as text, of a type that the text does not tell. */
enum gf_io_status gf_array_decode_text(const char *name, const void *bytes, size_t size, uint32_t dtype,
                                       struct gf_image *ret_image, struct gf_io_error *err);

/* Turns a picture as its meta says, which says 1 then: for what goes by left and right, top and bottom. */
enum gf_io_status gf_image_make_upright(struct gf_image *image, const char *path, struct gf_io_error *err);

/* Whether gf_image_write turns the picture as its meta says, since a file of the format cannot say it. */
bool gf_image_rotates(enum gf_image_format format, const struct gf_image_save *save);

/* Writes a picture (any pitch), or an array, which may be of width 0, to a path or, for "-", to standard output, which
 * needs an explicit format. Formats with room for it get `meta` too; in others than PNG and JPEG the picture is turned
 * as it says, and .npy has as many sides. The file appears whole or not at all (output.h). With save->to the picture is
 * appended to that output, which is not committed, and `path` is for texts. Errors as gf_image_format_from_path,
 * gf_image_can_hold and gf_output_open; DATA also for samples that HDR cannot hold (negative, infinite, NaN); FAILED
 * when writing fails. */
enum gf_io_status gf_image_write(const char *path, enum gf_image_format format, const struct gf_view *view,
                                 const void *data, const struct gf_image_save *save, struct gf_io_error *err);

/* Prints a line for every library that is loaded when it is needed: which formats it reads, and what is missing. */
void gf_library_print(FILE *out);

#endif
