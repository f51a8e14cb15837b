/* SPDX-License-Identifier: MIT */
/* Writes HEIC and AVIF of 8 bits through libheif. Called by image.c. */
#include <string.h>

#include "client/cli/image/image_exif.h"
#include "client/cli/image/image_xmp.h"
#include "heif_calls.h"

static void encoder_freep(struct heif_encoder **encoder)
{
    if (*encoder)
        gf_heif.heif_encoder_release(*encoder);
}

static struct heif_error write_bytes(struct heif_context *context, const void *data, size_t size, void *user)
{
    (void)context;
    /* The output remembers the failure. */
    (void)gf_output_write(user, data, size, NULL);
    return (struct heif_error){.code = heif_error_Ok, .subcode = heif_suberror_Unspecified, .message = ""};
}

/* Copies the picture to the library's memory. */
static struct heif_error fill(const struct gf_view *view, const uint8_t *data, struct heif_image **ret_image)
{
    enum heif_chroma chroma = view->channels == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    int width = (int)view->width, height = (int)view->height, stride = 0;
    struct heif_error e = gf_heif.heif_image_create(width, height, heif_colorspace_RGB, chroma, ret_image);
    if (e.code == heif_error_Ok)
        e = gf_heif.heif_image_add_plane(*ret_image, heif_channel_interleaved, width, height, 8);
    if (e.code != heif_error_Ok)
        return e;
    uint8_t *plane = gf_heif.heif_image_get_plane(*ret_image, heif_channel_interleaved, &stride);
    for (uint64_t y = 0; y < view->height; y++)
        memcpy(plane + y * (uint64_t)stride, data + y * view->pitch, view->pitch);
    return e;
}

static struct heif_error add_meta(struct heif_context *context, const struct heif_image_handle *handle,
                                  const struct gf_image_meta *meta, const struct gf_view *view)
{
    size_t size = 0;
    struct heif_error e = {.code = heif_error_Ok};
    gf_cleanup(gf_freep) uint8_t *exif = gf_exif_write(meta, meta->orientation > 0, view, GF_EXIF_MAX, &size);
    gf_cleanup(gf_freep) char *xmp = gf_xmp_write(meta, 1);
    if (exif)
        e = gf_heif.heif_context_add_exif_metadata(context, handle, exif, (int)size);
    if (e.code == heif_error_Ok && xmp)
        e = gf_heif.heif_context_add_XMP_metadata(context, handle, xmp, (int)strlen(xmp));
    return e;
}

static struct heif_error encode(struct gf_output_file *out, struct heif_context *context,
                                enum heif_compression_format compression, const struct gf_view *view,
                                const uint8_t *data, const struct gf_image_save *save)
{
    static const struct gf_image_meta none;
    const struct gf_image_meta *meta = save->meta ? save->meta : &none;
    gf_cleanup(encoder_freep) struct heif_encoder *encoder = NULL;
    gf_cleanup(gf_heif_imagep) struct heif_image *image = NULL;
    gf_cleanup(gf_heif_handlep) struct heif_image_handle *handle = NULL;
    struct heif_writer writer = {.writer_api_version = 1, .write = write_bytes};
    struct heif_error e = gf_heif.heif_context_get_encoder_for_format(context, compression, &encoder);
    if (e.code == heif_error_Ok)
        e = gf_heif.heif_encoder_set_lossy_quality(encoder, (int)(save->quality ? save->quality : GF_JPEG_QUALITY));
    if (e.code == heif_error_Ok)
        e = fill(view, data, &image);
    if (e.code == heif_error_Ok && meta->profile && !meta->profile_is_grey)
        e = gf_heif.heif_image_set_raw_color_profile(image, "prof", meta->profile, meta->profile_size);
    if (e.code == heif_error_Ok)
        e = gf_heif.heif_context_encode_image(context, image, encoder, NULL, &handle);
    if (e.code == heif_error_Ok)
        e = add_meta(context, handle, meta, view);
    if (e.code == heif_error_Ok)
        e = gf_heif.heif_context_write(context, &writer, out);
    return e;
}

static enum gf_io_status write_file(struct gf_output_file *out, const char *word,
                                    enum heif_compression_format compression, const struct gf_view *view,
                                    const void *data, const struct gf_image_save *save, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) uint8_t *colours = NULL;
    struct gf_view colour = *view;
    if (view->channels < 3) {
        colours = gf_image_expand_grey(view, data);
        colour = gf_view_tight(GF_U8, view->width, view->height, view->channels + 2);
    }
    gf_cleanup(gf_heif_contextp) struct heif_context *context = gf_heif.heif_context_alloc();
    if (!context || (view->channels < 3 && !colours))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", word);
    struct heif_error e = encode(out, context, compression, &colour, colours ? colours : data, save);
    enum gf_io_status s = gf_output_write(out, NULL, 0, err); /* the output reports its own failure in better words */
    if (s == GF_IO_OK && e.code != heif_error_Ok)
        s = gf_io_fail(err, GF_IO_INTERNAL, "%s: %s", word, e.message);
    return s;
}

enum gf_io_status gf_avif_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    enum gf_io_status s = gf_avif_ready("the result", err);
    return s == GF_IO_OK ? write_file(out, "avif", heif_compression_AV1, view, data, save, err) : s;
}

enum gf_io_status gf_heic_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    enum gf_io_status s = gf_heic_ready("the result", err);
    return s == GF_IO_OK ? write_file(out, "heic", heif_compression_HEVC, view, data, save, err) : s;
}
