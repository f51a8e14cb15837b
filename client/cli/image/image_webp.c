/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes WebP through libwebp: RGB, or RGBA if the file has alpha; lossless, or with a quality. A frame of an
 * animation is the picture shown at its time. Called by image.c.
 */
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "client/cli/image/library.h"
#include "image_meta.h"

/* A single colour takes no bits per pixel; sides have 14 bits. */
#define PIXELS_PER_BYTE (1u << 24)
#define HEADER_BYTES 8u
#define FORMAT_LOSSY 1 /* of WebPBitstreamFeatures */
/* 0 (fast) to 9 (small): a result is often an intermediate step. */
#define LOSSLESS_LEVEL 1

/* The functions used from libwebp and from its two companions for files with several parts. Functions of the headers
 * that only add a version number are not used: they would require linking the libraries. */
#define WEBP_CALLS(call)                                                                                               \
    call(WebPGetDecoderVersion) call(WebPGetFeaturesInternal) call(WebPInitDecoderConfigInternal) call(WebPDecode)     \
        call(WebPConfigInitInternal) call(WebPConfigLosslessPreset) call(WebPPictureInitInternal)                      \
            call(WebPPictureImportRGB) call(WebPPictureImportRGBA) call(WebPEncode) call(WebPPictureFree)              \
                call(WebPMemoryWriterInit) call(WebPMemoryWrite) call(WebPMemoryWriterClear) call(WebPFree)
#define WEBP_DEMUX_CALLS(call)                                                                                         \
    call(WebPDemuxInternal) call(WebPDemuxGetI) call(WebPDemuxGetChunk) call(WebPDemuxReleaseChunkIterator)            \
        call(WebPDemuxDelete) call(WebPAnimDecoderOptionsInitInternal) call(WebPAnimDecoderNewInternal)                \
            call(WebPAnimDecoderGetNext) call(WebPAnimDecoderDelete)
#define WEBP_MUX_CALLS(call) call(WebPMuxCreateInternal) call(WebPMuxSetChunk) call(WebPMuxAssemble) call(WebPMuxDelete)

/* Filled by gf_webp_ready. */
static struct {
    WEBP_CALLS(GF_LIBRARY_MEMBER)
} webp;
static struct {
    WEBP_DEMUX_CALLS(GF_LIBRARY_MEMBER)
} webp_demux;
static struct {
    WEBP_MUX_CALLS(GF_LIBRARY_MEMBER)
} webp_mux;

static const char *const names[] = {WEBP_CALLS(GF_LIBRARY_NAME)};
static const char *const demux_names[] = {WEBP_DEMUX_CALLS(GF_LIBRARY_NAME)};
static const char *const mux_names[] = {WEBP_MUX_CALLS(GF_LIBRARY_NAME)};
static struct gf_library libraries[] = {
    {.name = "libwebp", .file = GF_WEBP_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &webp},
    {.name = "libwebpdemux",
     .file = GF_WEBPDEMUX_FILE,
     .names = demux_names,
     .n = GF_ARRAY_LEN(demux_names),
     .calls = &webp_demux},
    {.name = "libwebpmux",
     .file = GF_WEBPMUX_FILE,
     .names = mux_names,
     .n = GF_ARRAY_LEN(mux_names),
     .calls = &webp_mux},
};

enum gf_io_status gf_webp_ready(const char *path, struct gf_io_error *err)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(libraries); i++) {
        enum gf_io_status s = gf_library_load(&libraries[i], path, &gf_webp_use, err);
        if (s != GF_IO_OK)
            return s;
    }
    return GF_IO_OK;
}

static const char *version(char *text, size_t size)
{
    if (gf_webp_ready("", NULL) != GF_IO_OK)
        return NULL;
    unsigned int v = (unsigned int)webp.WebPGetDecoderVersion();
    snprintf(text, size, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
    return text;
}

const struct gf_library_use gf_webp_use = {"WebP", "libwebp", true, version, NULL};

static void demuxer_freep(WebPDemuxer **demuxer)
{
    webp_demux.WebPDemuxDelete(*demuxer);
}

static void decoder_freep(WebPAnimDecoder **decoder)
{
    webp_demux.WebPAnimDecoderDelete(*decoder);
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
    if (!webp.WebPInitDecoderConfigInternal(&config, WEBP_DECODER_ABI_VERSION))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: the version of libwebp differs from that of its headers",
                          src->name);
    config.output.colorspace = image->view.channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image->data;
    config.output.u.RGBA.stride = (int)image->view.pitch;
    config.output.u.RGBA.size = gf_view_bytes(&image->view);
    VP8StatusCode code = webp.WebPDecode(src->data, src->size, &config);
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
    if (!webp_demux.WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: the version of libwebpdemux differs from that of its headers",
                          src->name);
    options.color_mode = MODE_RGBA;
    gf_cleanup(decoder_freep) WebPAnimDecoder *decoder =
        webp_demux.WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION);
    for (uint64_t i = 0; i <= index; i++)
        if (!decoder || !webp_demux.WebPAnimDecoderGetNext(decoder, &frame, &when))
            return damaged(src, VP8_STATUS_BITSTREAM_ERROR, err);
    memcpy(image->data, frame, gf_view_bytes(&image->view));
    return GF_IO_OK;
}

/* The chunk with this name, inside the file; NULL: none. */
static const uint8_t *find_chunk(const WebPDemuxer *demuxer, const char *name, size_t *ret_size)
{
    WebPChunkIterator chunk;
    if (!webp_demux.WebPDemuxGetChunk(demuxer, name, 1, &chunk))
        return NULL;
    const uint8_t *bytes = chunk.chunk.bytes;
    *ret_size = chunk.chunk.size;
    webp_demux.WebPDemuxReleaseChunkIterator(&chunk);
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
    VP8StatusCode code = webp.WebPGetFeaturesInternal(file.data, file.size, &features, WEBP_DECODER_ABI_VERSION);
    if (code != VP8_STATUS_OK)
        return damaged(src, code, err);
    gf_cleanup(demuxer_freep) WebPDemuxer *demuxer =
        webp_demux.WebPDemuxInternal(&data, 0, NULL, WEBP_DEMUX_ABI_VERSION);
    if (!demuxer)
        return damaged(src, VP8_STATUS_NOT_ENOUGH_DATA, err);
    uint64_t n = features.has_animation ? webp_demux.WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT) : 1;
    s = n == 0 ? damaged(src, VP8_STATUS_NOT_ENOUGH_DATA, err) : gf_image_choose_page(src, "frame", n, &index, err);
    if (s == GF_IO_OK)
        s = gf_image_plan(&file, GF_U8, (uint64_t)features.width, (uint64_t)features.height,
                          features.has_animation || features.has_alpha ? 4 : 3, PIXELS_PER_BYTE, &view, err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(&file, &view, &image, err);
    if (s == GF_IO_OK && !src->how.only_head)
        s = features.has_animation ? decode_frame(&file, index, &image, err) : decode_still(&file, &image, err);
    if (s != GF_IO_OK)
        return s;
    read_meta(demuxer, &image.meta);
    image.meta.is_lossy = features.format == FORMAT_LOSSY;
    image.coding.bits = 8;
    image.coding.compression = image.meta.is_lossy ? "lossy" : features.format == 2 ? "lossless" : NULL;
    if (image.meta.is_lossy)
        strcpy(image.coding.sampling, "4:2:0");
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

static void mux_freep(WebPMux **mux)
{
    webp_mux.WebPMuxDelete(*mux);
}

/* Encodes the picture as a file. */
static bool encode(const struct gf_view *view, const uint8_t *data, uint32_t quality, WebPMemoryWriter *ret_file)
{
    WebPConfig config;
    WebPPicture picture;
    if (!webp.WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, (float)quality, WEBP_ENCODER_ABI_VERSION) ||
        !webp.WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) ||
        (quality == 0 && !webp.WebPConfigLosslessPreset(&config, LOSSLESS_LEVEL)))
        return false;
    config.exact = 1; /* keep the colours where alpha is 0 */
    picture.width = (int)view->width;
    picture.height = (int)view->height;
    picture.use_argb = quality == 0;
    picture.writer = webp.WebPMemoryWrite;
    picture.custom_ptr = ret_file;
    int stride = (int)(view->width * view->channels);
    bool done = view->channels == 4 ? webp.WebPPictureImportRGBA(&picture, data, stride)
                                    : webp.WebPPictureImportRGB(&picture, data, stride);
    done = done && webp.WebPEncode(&config, &picture);
    webp.WebPPictureFree(&picture);
    return done;
}

/* The quality to write with; 0: lossless. */
static uint32_t choose_quality(const struct gf_image_save *save)
{
    if (save->quality > 0 || save->lossless)
        return save->quality;
    return save->meta && save->meta->is_lossy ? GF_WEBP_QUALITY : 0;
}

static bool has_more(const struct gf_image_meta *meta)
{
    return meta && (meta->profile || meta->exif || meta->xmp);
}

static bool set_chunk(WebPMux *mux, const char *name, const void *bytes, size_t size)
{
    const WebPData data = {bytes, size};
    return !bytes || webp_mux.WebPMuxSetChunk(mux, name, &data, 1) == WEBP_MUX_OK;
}

/* Writes the file with the metadata around it. */
static enum gf_io_status wrap(struct gf_output_file *out, const WebPMemoryWriter *file,
                              const struct gf_image_meta *meta, const struct gf_view *view, struct gf_io_error *err)
{
    const WebPData data = {file->mem, file->size};
    WebPData all = {NULL, 0};
    size_t exif_size = 0;
    gf_cleanup(mux_freep) WebPMux *mux = webp_mux.WebPMuxCreateInternal(&data, 0, WEBP_MUX_ABI_VERSION);
    gf_cleanup(gf_freep) uint8_t *exif = gf_exif_write(meta, meta->orientation > 0, view, GF_EXIF_MAX, &exif_size);
    gf_cleanup(gf_freep) char *xmp = gf_xmp_write(meta, 1);
    const uint8_t *profile = meta->profile_is_grey ? NULL : meta->profile;
    if (!mux || !set_chunk(mux, "ICCP", profile, meta->profile_size) || !set_chunk(mux, "EXIF", exif, exif_size) ||
        !set_chunk(mux, "XMP ", xmp, xmp ? strlen(xmp) : 0) || webp_mux.WebPMuxAssemble(mux, &all) != WEBP_MUX_OK)
        return gf_io_fail(err, GF_IO_INTERNAL, "webp: no memory for the metadata");
    enum gf_io_status s = gf_output_write(out, all.bytes, all.size, err);
    webp.WebPFree((void *)(uintptr_t)all.bytes);
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
    webp.WebPMemoryWriterInit(&file);
    if (!encode(&colour, colours ? colours : data, choose_quality(save), &file))
        s = gf_io_fail(err, GF_IO_INTERNAL, "webp: libwebp failed, probably out of memory");
    else if (has_more(save->meta))
        s = wrap(out, &file, save->meta, view, err);
    else
        s = gf_output_write(out, file.mem, file.size, err);
    webp.WebPMemoryWriterClear(&file);
    return s;
}
