/* SPDX-License-Identifier: MIT */
/*
 * Reads WebP through libwebp, lossy or lossless: RGB, or RGBA if the file has alpha. A frame of an animation is the
 * picture shown at its time. Called by image.c.
 */
#include <string.h>

#include "client/cli/image/image_exif.h"
#include "client/cli/image/image_xmp.h"
#include "webp_calls.h"

/* A single colour takes no bits per pixel; sides have 14 bits. */
#define PIXELS_PER_BYTE (1u << 24)
#define HEADER_BYTES 8u

static void demuxer_freep(WebPDemuxer **demuxer)
{
    gf_webp_demux.WebPDemuxDelete(*demuxer);
}

static void decoder_freep(WebPAnimDecoder **decoder)
{
    gf_webp_demux.WebPAnimDecoderDelete(*decoder);
}

static enum gf_io_status damaged(const struct gf_source *src, VP8StatusCode code, struct gf_io_error *err)
{
    const char *why = code == VP8_STATUS_NOT_ENOUGH_DATA       ? "the file ends too early"
                      : code == VP8_STATUS_UNSUPPORTED_FEATURE ? "it uses a feature that libwebp does not support"
                                                               : "its data are invalid";
    bool no_memory = code == VP8_STATUS_OUT_OF_MEMORY;
    return gf_io_fail(err, no_memory ? GF_IO_INTERNAL : GF_IO_DATA, "%s: %s%s", src->name,
                      no_memory ? "" : "damaged webp: ", no_memory ? "out of memory" : why);
}

static enum gf_io_status decode_still(const struct gf_source *src, struct gf_image *image, struct gf_io_error *err)
{
    WebPDecoderConfig config;
    if (!gf_webp.WebPInitDecoderConfigInternal(&config, WEBP_DECODER_ABI_VERSION))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: the version of libwebp differs from that of its headers",
                          src->name);
    config.output.colorspace = image->view.channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image->data;
    config.output.u.RGBA.stride = (int)image->view.pitch;
    config.output.u.RGBA.size = gf_view_bytes(&image->view);
    VP8StatusCode code = gf_webp.WebPDecode(src->data, src->size, &config);
    return code == VP8_STATUS_OK ? GF_IO_OK : damaged(src, code, err);
}

/* Decodes all frames up to the wanted one, because each builds on the one before it. */
static enum gf_io_status decode_frame(const struct gf_source *src, uint64_t index, struct gf_image *image,
                                      struct gf_io_error *err)
{
    const WebPData data = {src->data, src->size};
    WebPAnimDecoderOptions options;
    uint8_t *frame = NULL;
    int when;
    if (!gf_webp_demux.WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: the version of libwebpdemux differs from that of its headers",
                          src->name);
    options.color_mode = MODE_RGBA;
    gf_cleanup(decoder_freep) WebPAnimDecoder *decoder =
        gf_webp_demux.WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION);
    for (uint64_t i = 0; i <= index; i++)
        if (!decoder || !gf_webp_demux.WebPAnimDecoderGetNext(decoder, &frame, &when))
            return damaged(src, VP8_STATUS_BITSTREAM_ERROR, err);
    memcpy(image->data, frame, gf_view_bytes(&image->view));
    return GF_IO_OK;
}

/* The chunk with this name, inside the file; NULL: none. */
static const uint8_t *find_chunk(const WebPDemuxer *demuxer, const char *name, size_t *ret_size)
{
    WebPChunkIterator chunk;
    if (!gf_webp_demux.WebPDemuxGetChunk(demuxer, name, 1, &chunk))
        return NULL;
    const uint8_t *bytes = chunk.chunk.bytes;
    *ret_size = chunk.chunk.size;
    gf_webp_demux.WebPDemuxReleaseChunkIterator(&chunk);
    return bytes;
}

static void read_meta(const WebPDemuxer *demuxer, struct gf_image_meta *meta)
{
    size_t size = 0;
    const uint8_t *bytes = find_chunk(demuxer, "ICCP", &size);
    if (bytes)
        gf_image_meta_set_profile(meta, bytes, size, false);
    bytes = find_chunk(demuxer, "EXIF", &size);
    if (bytes && size > 6 && memcmp(bytes, "Exif\0", 6) == 0) { /* as in JPEG; some programs copy it */
        bytes += 6;
        size -= 6;
    }
    if (bytes)
        gf_exif_read(bytes, size, meta);
    bytes = find_chunk(demuxer, "XMP ", &size);
    if (bytes)
        gf_image_meta_set_xmp(meta, bytes, size);
}

static size_t file_bytes(const struct gf_source *src)
{
    const uint8_t *p = src->data + 4;
    size_t size = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
    size += HEADER_BYTES + size % 2;
    return size < src->size ? size : src->size;
}

enum gf_io_status gf_webp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_source file = *src; /* without the bytes after it */
    WebPBitstreamFeatures features;
    struct gf_view view;
    uint64_t index = 0;
    enum gf_io_status s = gf_webp_ready(src->name, err);
    if (s != GF_IO_OK)
        return s;
    file.size = file_bytes(src);
    const WebPData data = {file.data, file.size};
    VP8StatusCode code = gf_webp.WebPGetFeaturesInternal(file.data, file.size, &features, WEBP_DECODER_ABI_VERSION);
    if (code != VP8_STATUS_OK)
        return damaged(src, code, err);
    gf_cleanup(demuxer_freep) WebPDemuxer *demuxer =
        gf_webp_demux.WebPDemuxInternal(&data, 0, NULL, WEBP_DEMUX_ABI_VERSION);
    if (!demuxer)
        return damaged(src, VP8_STATUS_NOT_ENOUGH_DATA, err);
    uint64_t n = features.has_animation ? gf_webp_demux.WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT) : 1;
    s = n == 0 ? damaged(src, VP8_STATUS_NOT_ENOUGH_DATA, err) : gf_image_choose_page(src, "frame", n, &index, err);
    if (s == GF_IO_OK)
        s = gf_image_plan(&file, GF_U8, (uint64_t)features.width, (uint64_t)features.height,
                          features.has_animation || features.has_alpha ? 4 : 3, PIXELS_PER_BYTE, &view, err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(&file, &view, &image, err);
    if (s == GF_IO_OK)
        s = features.has_animation ? decode_frame(&file, index, &image, err) : decode_still(&file, &image, err);
    if (s != GF_IO_OK)
        return s;
    read_meta(demuxer, &image.meta);
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}
