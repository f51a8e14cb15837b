/* SPDX-License-Identifier: MIT */
/* Writes WebP through libwebp: lossless, or with the given quality. Called by image.c. */
#include <string.h>

#include "client/cli/image/image_exif.h"
#include "client/cli/image/image_xmp.h"
#include "webp_calls.h"

/* 0 (fast) to 9 (small): a result is often an intermediate step. */
#define LOSSLESS_LEVEL 1

static void mux_freep(WebPMux **mux)
{
    gf_webp_mux.WebPMuxDelete(*mux);
}

/* Encodes the picture as a file. */
static bool encode(const struct gf_view *view, const uint8_t *data, uint32_t quality, WebPMemoryWriter *ret_file)
{
    WebPConfig config;
    WebPPicture picture;
    if (!gf_webp.WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, (float)quality, WEBP_ENCODER_ABI_VERSION) ||
        !gf_webp.WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) ||
        (quality == 0 && !gf_webp.WebPConfigLosslessPreset(&config, LOSSLESS_LEVEL)))
        return false;
    config.exact = 1; /* keep the colours where alpha is 0 */
    picture.width = (int)view->width;
    picture.height = (int)view->height;
    picture.use_argb = quality == 0;
    picture.writer = gf_webp.WebPMemoryWrite;
    picture.custom_ptr = ret_file;
    int stride = (int)(view->width * view->channels);
    bool done = view->channels == 4 ? gf_webp.WebPPictureImportRGBA(&picture, data, stride)
                                    : gf_webp.WebPPictureImportRGB(&picture, data, stride);
    done = done && gf_webp.WebPEncode(&config, &picture);
    gf_webp.WebPPictureFree(&picture);
    return done;
}

static bool has_more(const struct gf_image_meta *meta)
{
    return meta && (meta->profile || meta->exif || meta->xmp);
}

static bool set_chunk(WebPMux *mux, const char *name, const void *bytes, size_t size)
{
    const WebPData data = {bytes, size};
    return !bytes || gf_webp_mux.WebPMuxSetChunk(mux, name, &data, 1) == WEBP_MUX_OK;
}

/* Writes the file with the metadata around it. */
static enum gf_io_status wrap(struct gf_output_file *out, const WebPMemoryWriter *file,
                              const struct gf_image_meta *meta, const struct gf_view *view, struct gf_io_error *err)
{
    const WebPData data = {file->mem, file->size};
    WebPData all = {NULL, 0};
    size_t exif_size = 0;
    gf_cleanup(mux_freep) WebPMux *mux = gf_webp_mux.WebPMuxCreateInternal(&data, 0, WEBP_MUX_ABI_VERSION);
    gf_cleanup(gf_freep) uint8_t *exif = gf_exif_write(meta, meta->orientation > 0, view, GF_EXIF_MAX, &exif_size);
    gf_cleanup(gf_freep) char *xmp = gf_xmp_write(meta, 1);
    const uint8_t *profile = meta->profile_is_grey ? NULL : meta->profile;
    if (!mux || !set_chunk(mux, "ICCP", profile, meta->profile_size) || !set_chunk(mux, "EXIF", exif, exif_size) ||
        !set_chunk(mux, "XMP ", xmp, xmp ? strlen(xmp) : 0) || gf_webp_mux.WebPMuxAssemble(mux, &all) != WEBP_MUX_OK)
        return gf_io_fail(err, GF_IO_INTERNAL, "webp: no memory for the metadata");
    enum gf_io_status s = gf_output_write(out, all.bytes, all.size, err);
    gf_webp.WebPFree((void *)(uintptr_t)all.bytes);
    return s;
}

enum gf_io_status gf_webp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) uint8_t *colours = NULL;
    struct gf_view colour = *view;
    WebPMemoryWriter file;
    enum gf_io_status s = gf_webp_ready("the result", err);
    if (s != GF_IO_OK)
        return s;
    if (view->channels < 3) {
        colours = gf_image_expand_grey(view, data);
        colour = gf_view_tight(GF_U8, view->width, view->height, view->channels + 2);
        if (!colours)
            return gf_io_fail(err, GF_IO_INTERNAL, "webp: out of memory");
    }
    gf_webp.WebPMemoryWriterInit(&file);
    if (!encode(&colour, colours ? colours : data, save->quality, &file))
        s = gf_io_fail(err, GF_IO_INTERNAL, "webp: libwebp failed, probably out of memory");
    else if (has_more(save->meta))
        s = wrap(out, &file, save->meta, view, err);
    else
        s = gf_output_write(out, file.mem, file.size, err);
    gf_webp.WebPMemoryWriterClear(&file);
    return s;
}
