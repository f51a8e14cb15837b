/* SPDX-License-Identifier: MIT */
/*
 * JPEG through libjpeg-turbo. Reads grey, RGB and, made RGB, CMYK; anything damaged is refused, also what the library
 * would go on from with a warning. Called by image.c.
 */
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>

#include "image_codec.h"

/* Progressive files have some ten scans; thousands, each over the whole picture, are made to keep readers busy. */
#define MAX_SCANS 500
#define OUT_BYTES (64u << 10)

/* What a call of libjpeg comes back to when it fails. */
struct failure {
    struct jpeg_error_mgr mgr; /* first, so that libjpeg's pointer to it is one to this */
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
    bool no_memory;
};

static void on_error(j_common_ptr info)
{
    struct failure *f = (struct failure *)info->err;
    int code = f->mgr.msg_code;
    if (code == JWRN_JPEG_EOF || code == JERR_INPUT_EOF || code == JERR_INPUT_EMPTY)
        (void)snprintf(f->text, sizeof(f->text), "the file ends too early");
    else
        f->mgr.format_message(info, f->text);
    f->no_memory = code == JERR_OUT_OF_MEMORY;
    longjmp(f->back, 1);
}

/* Warnings are damage, save for these. */
static void on_message(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
        on_error(info);
}

static struct jpeg_error_mgr *failure_init(struct failure *f)
{
    jpeg_std_error(&f->mgr);
    f->mgr.error_exit = on_error;
    f->mgr.emit_message = on_message;
    return &f->mgr;
}

struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    struct failure failure;
    const struct gf_source *src;
    struct gf_image image;
    struct gf_io_error *err;
};

static void on_progress(j_common_ptr info)
{
    j_decompress_ptr jpeg = (j_decompress_ptr)info;
    struct failure *f = (struct failure *)info->err;
    if (jpeg->input_scan_number <= MAX_SCANS)
        return;
    (void)snprintf(f->text, sizeof(f->text), "more than %d scans", MAX_SCANS);
    longjmp(f->back, 1);
}

/* What is no ink in one channel of CMYK leaves the light of that colour, and so does black; Adobe stores the light. */
static void cmyk_to_rgb(const uint8_t *from, uint8_t *to, uint64_t width, bool adobe)
{
    uint8_t flip = adobe ? 0 : 255;
    for (uint64_t x = 0; x < width; x++, from += 4, to += 3)
        for (uint32_t c = 0; c < 3; c++)
            to[c] = (uint8_t)(((uint32_t)(from[c] ^ flip) * (from[3] ^ flip) + 127) / 255);
}

/* Rows of an RGB picture from those of a CMYK one. */
static void read_cmyk(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    JSAMPARRAY row = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, 4 * jpeg->output_width, 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *to = (uint8_t *)r->image.data + jpeg->output_scanline * r->image.view.pitch;
        if (jpeg_read_scanlines(jpeg, row, 1) == 1)
            cmyk_to_rgb(row[0], to, r->image.view.width, jpeg->saw_Adobe_marker);
    }
}

/* Comes back to the jump when the file is damaged. */
static enum gf_io_status read_jpeg(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    struct gf_view view;
    if (setjmp(r->failure.back))
        return gf_io_fail(r->err, r->failure.no_memory ? GF_IO_INTERNAL : GF_IO_DATA,
                          "%s: damaged jpeg, or of a kind that is not read: %s", r->src->name, r->failure.text);
    jpeg_create_decompress(jpeg);
    jpeg->progress = &r->progress;
    jpeg_mem_src(jpeg, r->src->data, r->src->size);
    (void)jpeg_read_header(jpeg, TRUE);
    bool cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = cmyk ? JCS_CMYK : jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    enum gf_io_status s =
        gf_image_plan(r->src, GF_U8, jpeg->image_width, jpeg->image_height,
                      jpeg->out_color_space == JCS_GRAYSCALE ? 1 : 3, GF_JPEG_PIXELS_PER_BYTE, &view, r->err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(r->src, &view, &r->image, r->err);
    if (s != GF_IO_OK)
        return s;
    (void)jpeg_start_decompress(jpeg);
    if (cmyk)
        read_cmyk(r);
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = (uint8_t *)r->image.data + jpeg->output_scanline * view.pitch;
        (void)jpeg_read_scanlines(jpeg, &row, 1);
    }
    (void)jpeg_finish_decompress(jpeg);
    return GF_IO_OK;
}

enum gf_io_status gf_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct reader r = {.progress = {.progress_monitor = on_progress}, .src = src, .err = err};
    r.jpeg.err = failure_init(&r.failure);
    enum gf_io_status s = read_jpeg(&r);
    jpeg_destroy_decompress(&r.jpeg);
    if (s != GF_IO_OK)
        gf_image_deinit(&r.image);
    else
        *ret_image = r.image;
    return s;
}

struct writer {
    struct jpeg_destination_mgr destination; /* first, as mgr above */
    struct jpeg_compress_struct jpeg;
    struct failure failure;
    struct gf_output_file *out;
    uint8_t bytes[OUT_BYTES];
};

static void start_output(j_compress_ptr jpeg)
{
    struct writer *w = (struct writer *)jpeg->dest;
    w->destination.next_output_byte = w->bytes;
    w->destination.free_in_buffer = sizeof(w->bytes);
}

/* Failures are kept by the output. */
static boolean flush_output(j_compress_ptr jpeg)
{
    struct writer *w = (struct writer *)jpeg->dest;
    (void)gf_output_write(w->out, w->bytes, sizeof(w->bytes), NULL);
    start_output(jpeg);
    return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
    struct writer *w = (struct writer *)jpeg->dest;
    (void)gf_output_write(w->out, w->bytes, sizeof(w->bytes) - w->destination.free_in_buffer, NULL);
}

static bool write_jpeg(struct writer *w, const struct gf_view *view, const uint8_t *data)
{
    j_compress_ptr jpeg = &w->jpeg;
    if (setjmp(w->failure.back))
        return false;
    jpeg_create_compress(jpeg);
    jpeg->dest = &w->destination;
    jpeg->image_width = (JDIMENSION)view->width;
    jpeg->image_height = (JDIMENSION)view->height;
    jpeg->input_components = (int)view->channels;
    jpeg->in_color_space = view->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, GF_JPEG_QUALITY, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = (uint8_t *)(uintptr_t)(data + jpeg->next_scanline * view->pitch);
        (void)jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
    return true;
}

enum gf_io_status gf_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 struct gf_io_error *err)
{
    struct writer w = {.destination = {.init_destination = start_output,
                                       .empty_output_buffer = flush_output,
                                       .term_destination = end_output},
                       .out = out};
    w.jpeg.err = failure_init(&w.failure);
    bool done = write_jpeg(&w, view, data);
    jpeg_destroy_compress(&w.jpeg);
    /* The output tells its own failure, in better words. */
    enum gf_io_status s = gf_output_write(out, NULL, 0, err);
    if (s == GF_IO_OK && !done)
        s = gf_io_fail(err, GF_IO_INTERNAL, "jpeg: %s", w.failure.text);
    return s;
}
