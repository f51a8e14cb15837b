/* SPDX-License-Identifier: MIT */
/*
 * The codecs: what they share (the file in memory, the check of a header before memory is allocated, the types of a
 * decoder and an encoder), and the functions of each. A codec handles one format; image_format.c lists the codecs.
 * Decoders store the image only on success. Encoders receive a tight view that the format can hold, and return the
 * errors of the output. Formats with metadata (image_meta.h) read it into the image and receive it for writing with the
 * other storage options.
 */
#ifndef GF_IMAGE_CODEC_H
#define GF_IMAGE_CODEC_H

#include "image_data.h"
#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

/* A whole file in memory. `name` begins all messages. */
struct gf_source {
    const char *name;
    const uint8_t *data;
    size_t size;
    struct gf_image_load how;
};

/* Reads the whole picture. */
typedef enum gf_io_status gf_decode_fn(const struct gf_source *src, struct gf_image *ret_image,
                                       struct gf_io_error *err);
/* Writes the samples of `data`; `save` is never NULL. */
typedef enum gf_io_status gf_encode_fn(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                       const struct gf_image_save *save, struct gf_io_error *err);
/* Writes the next page of pages->out; pages->done are written, and pages->n will be. */
typedef enum gf_io_status gf_encode_page_fn(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                            const struct gf_image_save *save, struct gf_io_error *err);
/* Checks that the library that writes the format is present, before anything is computed for the file `path`. DATA. */
typedef enum gf_io_status gf_ready_fn(const char *path, struct gf_io_error *err);

/* Checks that the library that writes the format has a compression, for the file `path`. DATA. */
typedef enum gf_io_status gf_compress_fn(const char *path, enum gf_compression compression, struct gf_io_error *err);

/* Refuses samples that the format cannot store, before a file is created: DATA. */
typedef enum gf_io_status gf_check_fn(const struct gf_view *view, const void *data, const char *path,
                                      struct gf_io_error *err);

/* Whether the file contains the `size` bytes of `mark` at the offset. */
bool gf_source_has(const struct gf_source *src, size_t offset, const char *mark, size_t size);
#define GF_HAS_MARK(src, offset, mark) gf_source_has(src, offset, mark, sizeof(mark) - 1)

/* Flattens a tight picture of u8, u16 or f32 with 2 or 4 channels. ret_image->data must have room for the samples; its
 * view is set. The colour is save->background. */
void gf_image_flatten(const struct gf_image *image, const struct gf_image_save *save, struct gf_image *ret_image);

/* Makes alpha straight in a tight picture whose colours are premultiplied by alpha (associated), and says so in the
 * picture's warning. A colour c with alpha a becomes c*MAX/a, for integers rounded to the nearest and at most MAX; 0
 * where a is 0. Samples of other types than u8, u16 and f32 stay as they are, without alpha. Of a head alone
 * (only_head) only the coding tells. */
void gf_image_divide_by_alpha(struct gf_image *image, const char *name);

/* The warning about the file `%s` if CMYK became RGB and a profile was dropped, which would be wrong for RGB. */
#define GF_CMYK_WARNING "%s: CMYK becomes RGB by a plain conversion; the colour profile is neither applied nor kept"
/* Makes RGB of a tight picture of CMYK of u8 or u16, in place: the light that one ink lets through is multiplied by
 * that of black. Drops the profile with a warning. Without samples (only_head) only the view changes. */
void gf_image_cmyk_to_rgb(struct gf_image *image, const char *name);

/* Converts a picture of u8, u16 or f32 whose profile, or numbers, describe its colours to sRGB, in place; alpha stays.
 * A description that cannot be applied gives a warning, and the picture stays as it is. DATA: colours of HDR; no
 * library. */
enum gf_io_status gf_image_to_srgb(struct gf_image *image, const struct gf_source *src, struct gf_io_error *err);

/* Rotates a tight picture as viewers show it, with orientation 2 to 8; from 5 on width and height are exchanged.
 * ret_image->data must have room for the samples; its view is set. */
void gf_image_rotate(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image);

/* Whether a byte is ASCII white space. */
static inline bool gf_is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads a big-endian number of 32 bits. */
static inline uint32_t gf_get_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void gf_put_be32(uint8_t *p, uint32_t v)
{
    for (uint32_t i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Checks the claims of a header against the limits, src->how.max_pixels among them, and against what a file of this
 * size can hold (at most pixels_per_byte), and returns a tight view. DATA. */
enum gf_io_status gf_image_plan(const struct gf_source *src, uint32_t dtype, uint64_t width, uint64_t height,
                                uint32_t channels, uint64_t pixels_per_byte, struct gf_view *ret_view,
                                struct gf_io_error *err);

/* The upper limit of JPEG: one bit per block of 64, and chroma sampled 4x4. */
#define GF_JPEG_PIXELS_PER_BYTE (8u * 64 * 16)

/* Allocates memory for the planned view; none for src->how.only_head, after which the decoder reads no samples. The
 * samples are not set, and the picture is assumed to end with the file. INTERNAL. */
enum gf_io_status gf_image_alloc(const struct gf_source *src, const struct gf_view *view, struct gf_image *ret_image,
                                 struct gf_io_error *err);

/* The pages of a file. Those to read, counted from 0, are all if src->how.take is set, otherwise one. */
struct gf_pages {
    const char *word; /* "page", "frame" or "picture" */
    uint64_t n, first, end;
};

/* Chooses the pages to read of a file with `n` of them. DATA: --page is beyond the last. */
enum gf_io_status gf_image_choose_pages(const struct gf_source *src, const char *word, uint64_t n,
                                        struct gf_pages *ret_pages, struct gf_io_error *err);

/* Gives a page that was read to src->how.take; without it, stores the page. The image is empty afterwards. Returns the
 * status of src->how.take. */
enum gf_io_status gf_image_give(const struct gf_source *src, const struct gf_pages *pages, struct gf_image *image,
                                struct gf_image *ret_image, struct gf_io_error *err);

/* Names how often chroma is sampled, once per x pixels of y rows, as "4:2:0"; other kinds have no name. */
void gf_image_name_sampling(struct gf_image_coding *coding, int x, int y);

/* Adds a warning, or a note, to those of the picture. Without memory it is lost. */
void gf_image_warn(struct gf_image *image, const char *fmt, ...) gf_printf(2, 3);
void gf_image_note(struct gf_image *image, const char *fmt, ...) gf_printf(2, 3);

/* Converts u8 grey to RGB, or grey with alpha to RGBA, in memory that the caller frees: for formats without grey. */
uint8_t *gf_image_expand_grey(const struct gf_view *view, const uint8_t *from);

/* Drops the alpha of a u8 RGBA picture if it is 0 everywhere: for formats where the fourth byte may be alpha or
 * unused. */
void gf_image_drop_empty_alpha(struct gf_image *image);

/* P1 to P7. pnm is written as P5 or P6, depending on the channels, pam as P7. */
gf_decode_fn gf_pnm_decode;
gf_encode_fn gf_pnm_encode, gf_pam_encode;

gf_decode_fn gf_pfm_decode;
gf_encode_fn gf_pfm_encode;

gf_decode_fn gf_bmp_decode;

gf_decode_fn gf_tga_decode;
/* Whether the bytes may be a TGA file, which has no mark at its beginning. */
bool gf_tga_is_possible(const struct gf_source *src);

/* NumPy's .npy: 1-D, 2-D, or 3-D with the channels last. Written with at least as many dimensions as save->meta
 * says. Pages have one dimension more, the first. */
gf_decode_fn gf_npy_decode;
gf_encode_fn gf_npy_encode;
gf_encode_page_fn gf_npy_encode_page;

/* Numbers as text, a row per line; f64 unless a type is named. */
gf_decode_fn gf_txt_decode;
enum gf_io_status gf_text_decode(const struct gf_source *src, uint32_t dtype, struct gf_image *ret_image,
                                 struct gf_io_error *err);
gf_encode_fn gf_text_encode;

/* Reads exactly the bytes of the view. */
enum gf_io_status gf_raw_read(const char *path, const struct gf_view *view, struct gf_image *ret_image,
                              struct gf_io_error *err);
gf_encode_fn gf_raw_encode;
/* Writes a plane of samples up to save->white; larger samples are clamped to it and counted. */
gf_encode_fn gf_y4m_encode;

/* PNG; pages are the frames of an animation (APNG). */
gf_decode_fn gf_png_decode;
gf_encode_fn gf_png_encode;
gf_encode_page_fn gf_png_encode_page;

/* JPEG through libjpeg-turbo, or through stb without it. */
gf_decode_fn gf_jpeg_decode;
gf_encode_fn gf_jpeg_encode;
/* The facts that the encoder stores. */
extern const uint32_t gf_jpeg_holds;
/* The longest XMP and IPTC: a marker holds 65533 bytes and begins with up to 29 bytes of a name. */
#define GF_JPEG_MAX_BLOCK 65504u

/* Read by stb_image, written by stb_image_write. */
gf_decode_fn gf_hdr_decode;
gf_encode_fn gf_hdr_encode, gf_bmp_encode, gf_tga_encode;
/* Refuses samples that are negative, infinite or NaN. */
gf_check_fn gf_hdr_check;
/* For builds without libjpeg-turbo. */
gf_decode_fn gf_stb_jpeg_decode;
gf_encode_fn gf_stb_jpeg_encode;

/* Formats whose library is loaded when the first file needs it (library.h). Without the library every call returns
 * DATA. */
extern const struct gf_library_use gf_tiff_use, gf_webp_use, gf_heif_use, gf_gif_use, gf_colour_use;

/* TIFF of every dtype. */
gf_decode_fn gf_tiff_decode;
gf_ready_fn gf_tiff_ready;
gf_compress_fn gf_tiff_can_compress;
gf_encode_fn gf_tiff_encode;
gf_encode_page_fn gf_tiff_encode_page;

/* WebP, written with save->quality; otherwise with GF_WEBP_QUALITY if save->meta says that the source was lossy, unless
 * save->lossless; otherwise lossless. */
gf_decode_fn gf_webp_decode;
gf_ready_fn gf_webp_ready;
gf_encode_fn gf_webp_encode;
gf_encode_page_fn gf_webp_encode_page;

/* HEIC and AVIF. */
gf_decode_fn gf_heif_decode;
gf_ready_fn gf_avif_ready, gf_heic_ready;
gf_encode_fn gf_avif_encode, gf_heic_encode;

/* GIF, written with a palette for each frame; save->changed counts what the palettes change. */
gf_decode_fn gf_gif_decode;
gf_ready_fn gf_gif_ready;
gf_encode_fn gf_gif_encode;
gf_encode_page_fn gf_gif_encode_page;

/* How long the next page is shown, in units of 1/per_second, at most `max`; 0.1 s if nothing is known. What rounding
 * takes or adds is made up for by the pages after it. */
uint32_t gf_image_delay(struct gf_image_pages *pages, const struct gf_image_meta *meta, uint32_t per_second,
                        uint32_t max);

#endif
