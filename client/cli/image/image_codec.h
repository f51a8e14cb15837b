/* SPDX-License-Identifier: MIT */
/*
 * Shared by image.c and the files that know one format each (image_png.c, image_pnm.c, ...): the input in memory, the
 * check of a header before memory is allocated, and one decoder and encoder per format. Decoders store the image only
 * on success; encoders get a tight view that the format can hold, and return errors of the output. Formats with
 * metadata (image_meta.h) read it into the image and get it back, with the other storage options, for writing.
 */
#ifndef GF_CLI_IMAGE_CODEC_H
#define GF_CLI_IMAGE_CODEC_H

#include "client/cli/io/output.h"
#include "image.h"
#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

/* A whole file in memory; name begins the sentences. */
struct gf_source {
    const char *name;
    const uint8_t *data;
    size_t size;
    struct gf_image_load how;
};

/* Checks what a header claims against the limits and against what so small a file can hold (at most pixels_per_byte),
 * and makes a tight view of it. DATA. */
enum gf_io_status gf_image_plan(const struct gf_source *src, uint32_t dtype, uint64_t width, uint64_t height,
                                uint32_t channels, uint64_t pixels_per_byte, struct gf_view *ret_view,
                                struct gf_io_error *err);

/* Takes memory for the planned view; the samples are not set, and the picture is taken to end with the file. INTERNAL.
 */
enum gf_io_status gf_image_alloc(const struct gf_source *src, const struct gf_view *view, struct gf_image *ret_image,
                                 struct gf_io_error *err);

/* Which of the `n` pages ("page") or frames ("frame") of a file to read, counted from 0. DATA: there are several and
 * --page is not given, or there is none of that number. Tells how many there are where that was asked. */
enum gf_io_status gf_image_choose_page(const struct gf_source *src, const char *what, uint64_t n, uint64_t *ret_index,
                                       struct gf_io_error *err);

/* Adds a warning in printf's words to a picture that has none; without memory for it there is none. */
void gf_image_warn(struct gf_image *image, const char *fmt, ...) gf_printf(2, 3);

/* Grey of u8 as RGB, with alpha as RGBA, in memory that the caller frees: for formats without grey. */
uint8_t *gf_image_expand_grey(const struct gf_view *view, const uint8_t *from);

/* Makes RGB of u8 RGBA whose alpha is 0 everywhere: for formats where the fourth byte may be alpha or nothing. */
void gf_image_drop_empty_alpha(struct gf_image *image);

enum gf_io_status gf_png_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_png_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err);

/* P1 to P7. */
enum gf_io_status gf_pnm_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
/* P5 or P6 by the channels. */
enum gf_io_status gf_pnm_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);
/* P7. */
enum gf_io_status gf_pam_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);

enum gf_io_status gf_pfm_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_pfm_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);

/* One bit a block of 64, and chroma sampled 4x4. */
#define GF_JPEG_PIXELS_PER_BYTE (8u * 64 * 16)

enum gf_io_status gf_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
/* Whether it stores meta. */
extern const bool gf_jpeg_has_meta;
enum gf_io_status gf_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err);

/* Several pages; every dtype. The libraries of this format and the next three may be missing: DATA then, and from
 * gf_..._ready, which is asked before anything is computed for the file `path`. */
enum gf_io_status gf_tiff_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_tiff_ready(const char *path, struct gf_io_error *err);
enum gf_io_status gf_tiff_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err);

/* Written without loss unless save->quality is set. */
enum gf_io_status gf_webp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_webp_ready(const char *path, struct gf_io_error *err);
enum gf_io_status gf_webp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err);

/* HEIC and AVIF, told apart by `format`. */
enum gf_io_status gf_heif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_heif_ready(const char *path, enum gf_image_format format, struct gf_io_error *err);
enum gf_io_status gf_heif_encode(struct gf_output_file *out, enum gf_image_format format, const struct gf_view *view,
                                 const void *data, const struct gf_image_save *save, struct gf_io_error *err);

enum gf_io_status gf_gif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);

enum gf_io_status gf_bmp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);

enum gf_io_status gf_tga_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
/* Whether the bytes may be a TGA file, which has no mark at its beginning. */
bool gf_tga_may_be(const struct gf_source *src);

/* HDR, or JPEG where there is no libjpeg-turbo, named by `format`. */
enum gf_io_status gf_stb_decode(const struct gf_source *src, enum gf_image_format format, struct gf_image *ret_image,
                                struct gf_io_error *err);

enum gf_io_status gf_stb_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                     uint32_t quality, struct gf_io_error *err);
enum gf_io_status gf_bmp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);
enum gf_io_status gf_tga_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);
enum gf_io_status gf_hdr_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);
/* DATA when a sample is negative, infinite or not a number, which HDR cannot store. */
enum gf_io_status gf_hdr_check(const struct gf_view *view, const void *data, const char *path, struct gf_io_error *err);

/* .npy of NumPy; 1-D, 2-D, or 3-D with the channels last; with `sides` sides at least, further ones being 1. */
enum gf_io_status gf_npy_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err);
enum gf_io_status gf_npy_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                uint32_t sides, struct gf_io_error *err);

/* A plane of samples up to save->white; those above become it and are counted. */
enum gf_io_status gf_y4m_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err);

/* Numbers as text, a row per line. */
enum gf_io_status gf_text_decode(const struct gf_source *src, uint32_t dtype, struct gf_image *ret_image,
                                 struct gf_io_error *err);
enum gf_io_status gf_text_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 struct gf_io_error *err);

/* Reads exactly the bytes of the view. */
enum gf_io_status gf_raw_read(const char *path, const struct gf_view *view, struct gf_image *ret_image,
                              struct gf_io_error *err);
enum gf_io_status gf_raw_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                struct gf_io_error *err);

#endif
