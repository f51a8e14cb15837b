/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes WebP through libwebp: RGB, or RGBA if the file has alpha; lossless, or with a quality. A frame of an
 * animation is the picture shown at its time. Called by image.c.
 */
#include <inttypes.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "client/image/library.h"
#include "image_meta.h"

/* A single colour takes no bits per pixel; sides have 14 bits. */
#define PIXELS_PER_BYTE (1u << 24)
#define HEADER_BYTES 8u
#define FORMAT_LOSSY 1 /* of WebPBitstreamFeatures */
#define CHUNK_HEAD 8u
#define FRAME_HEAD 16u
#define CLEARED 1  /* of a frame: its place becomes transparent after it was shown */
#define REPLACES 2 /* of a frame: it is not blended with the one before */
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
    call(WebPDemuxInternal) call(WebPDemuxGetI) call(WebPDemuxGetFrame) call(WebPDemuxReleaseIterator)                 \
        call(WebPDemuxGetChunk) call(WebPDemuxReleaseChunkIterator) call(WebPDemuxDelete)                              \
            call(WebPAnimDecoderOptionsInitInternal) call(WebPAnimDecoderNewInternal) call(WebPAnimDecoderGetNext)     \
                call(WebPAnimDecoderDelete)
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
    return gf_io_fail(err, no_memory ? GF_IO_NO_MEMORY : GF_IO_DATA, "%s: %s%s", src->name,
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

/* A little-endian number. */
static uint64_t get(const uint8_t *from, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static size_t file_bytes(const struct gf_source *src)
{
    size_t size = (size_t)get(src->data + 4, 4);
    size += HEADER_BYTES + size % 2;
    return size < src->size ? size : src->size;
}

/* What the frames of a file have in common. */
struct file {
    struct gf_source src; /* without the bytes after it */
    WebPBitstreamFeatures features;
    WebPDemuxer *demuxer;
    struct gf_view view;
    struct gf_pages pages;
};

/* Whether no pixel of an animation is transparent: the file says that no frame has alpha, the first frame covers the
 * screen, and no frame is cleared after it was shown. */
static bool is_opaque(const struct file *f)
{
    const uint8_t *p = f->src.data;
    uint64_t n = 0;
    if (webp_demux.WebPDemuxGetI(f->demuxer, WEBP_FF_FORMAT_FLAGS) & ALPHA_FLAG)
        return false;
    for (uint64_t at = HEADER_BYTES + 4, size; at + CHUNK_HEAD + FRAME_HEAD <= f->src.size; at += CHUNK_HEAD + size) {
        size = get(p + at + 4, 4);
        size += size % 2;
        if (memcmp(p + at, "ANMF", 4) != 0)
            continue;
        const uint8_t *head = p + at + CHUNK_HEAD; /* x / 2, y / 2, width - 1, height - 1, duration, flags */
        bool covers = get(head, 6) == 0 && get(head + 6, 3) + 1 == (uint64_t)f->features.width &&
                      get(head + 9, 3) + 1 == (uint64_t)f->features.height;
        if ((n++ == 0 && !covers) || (head[15] & CLEARED) != 0)
            return false;
    }
    return n > 0;
}

static enum gf_io_status new_frame(const struct file *f, struct gf_image *image, struct gf_io_error *err)
{
    enum gf_io_status s = gf_image_alloc(&f->src, &f->view, image, err);
    if (s != GF_IO_OK)
        return s;
    read_meta(f->demuxer, &image->meta);
    image->meta.is_lossy = f->features.format == FORMAT_LOSSY;
    image->coding.bits = 8;
    image->coding.compression = image->meta.is_lossy ? "lossy" : f->features.format == 2 ? "lossless" : NULL;
    if (image->meta.is_lossy)
        strcpy(image->coding.sampling, "4:2:0");
    return GF_IO_OK;
}

static enum gf_io_status read_still(const struct file *f, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    enum gf_io_status s = new_frame(f, &image, err);
    if (s == GF_IO_OK && image.data)
        s = decode_still(&f->src, &image, err);
    return s == GF_IO_OK ? gf_image_give(&f->src, &f->pages, &image, ret_image, err) : s;
}

/* Whether the first frame is lossy. */
static bool is_lossy(const WebPDemuxer *demuxer)
{
    WebPIterator frame;
    WebPBitstreamFeatures features;
    bool lossy = false;
    if (!webp_demux.WebPDemuxGetFrame(demuxer, 1, &frame))
        return false;
    lossy = webp.WebPGetFeaturesInternal(frame.fragment.bytes, frame.fragment.size, &features,
                                         WEBP_DECODER_ABI_VERSION) == VP8_STATUS_OK &&
            features.format == FORMAT_LOSSY;
    webp_demux.WebPDemuxReleaseIterator(&frame);
    return lossy;
}

/* Decodes all frames up to the last wanted one, because each builds on the one before it. */
static enum gf_io_status read_frames(struct file *f, struct gf_image *ret_image, struct gf_io_error *err)
{
    const WebPData data = {f->src.data, f->src.size};
    WebPAnimDecoderOptions options;
    uint8_t *frame = NULL;
    int begin = 0, end = 0;
    enum gf_io_status s = GF_IO_OK;
    if (!webp_demux.WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION))
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: the version of libwebpdemux differs from that of its headers",
                          f->src.name);
    options.color_mode = MODE_RGBA;
    gf_cleanup(decoder_freep) WebPAnimDecoder *decoder =
        webp_demux.WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION);
    for (uint64_t i = 0; s == GF_IO_OK && i < f->pages.end; i++, begin = end) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        if (!decoder || !webp_demux.WebPAnimDecoderGetNext(decoder, &frame, &end))
            return damaged(&f->src, VP8_STATUS_BITSTREAM_ERROR, err);
        if (i < f->pages.first)
            continue;
        s = new_frame(f, &image, err);
        if (s != GF_IO_OK)
            return s;
        for (size_t k = 0, c = image.view.channels; k < image.view.width * image.view.height; k++)
            memcpy((uint8_t *)image.data + c * k, frame + 4 * k, c);
        image.meta.delay[0] = end > begin ? (uint32_t)end - (uint32_t)begin : 0;
        image.meta.delay[1] = 1000;
        image.meta.plays = webp_demux.WebPDemuxGetI(f->demuxer, WEBP_FF_LOOP_COUNT);
        image.meta.is_lossy = is_lossy(f->demuxer);
        s = gf_image_give(&f->src, &f->pages, &image, ret_image, err);
    }
    return s;
}

enum gf_io_status gf_webp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct file f = {.src = *src};
    enum gf_io_status s = gf_webp_ready(src->name, err);
    if (s != GF_IO_OK)
        return s;
    f.src.size = file_bytes(src);
    const WebPData data = {f.src.data, f.src.size};
    VP8StatusCode code = webp.WebPGetFeaturesInternal(data.bytes, data.size, &f.features, WEBP_DECODER_ABI_VERSION);
    if (code != VP8_STATUS_OK)
        return damaged(src, code, err);
    gf_cleanup(demuxer_freep) WebPDemuxer *demuxer =
        webp_demux.WebPDemuxInternal(&data, 0, NULL, WEBP_DEMUX_ABI_VERSION);
    const bool moves = f.features.has_animation != 0;
    f.demuxer = demuxer;
    uint64_t n = moves && demuxer ? webp_demux.WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT) : 1;
    if (!demuxer || n == 0)
        return damaged(src, VP8_STATUS_NOT_ENOUGH_DATA, err);
    s = gf_image_choose_pages(src, "frame", n, &f.pages, err);
    const bool is_transparent = moves ? !is_opaque(&f) : f.features.has_alpha != 0;
    if (s == GF_IO_OK)
        s = gf_image_plan(&f.src, GF_U8, (uint64_t)f.features.width, (uint64_t)f.features.height,
                          is_transparent ? 4 : 3, PIXELS_PER_BYTE, &f.view, err);
    if (s == GF_IO_OK)
        s = moves && !src->how.only_head ? read_frames(&f, ret_image, err) : read_still(&f, ret_image, err);
    ret_image->file_bytes = f.src.size;
    return s;
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
        return gf_io_fail(err, GF_IO_NO_MEMORY, "webp: no memory for the metadata");
    enum gf_io_status s = gf_output_write(out, all.bytes, all.size, err);
    webp.WebPFree((void *)(uintptr_t)all.bytes);
    return s;
}

/* Encodes a picture without metadata. The caller clears the file, also after an error. */
static enum gf_io_status encode_any(const struct gf_view *view, const void *data, const struct gf_image_save *save,
                                    WebPMemoryWriter *ret_file, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) uint8_t *colours = NULL;
    struct gf_view colour = *view;
    webp.WebPMemoryWriterInit(ret_file);
    if (view->channels < 3) {
        colours = gf_image_expand_grey(view, data);
        colour = gf_view_tight(GF_U8, view->width, view->height, view->channels + 2);
        if (!colours)
            return gf_io_fail(err, GF_IO_NO_MEMORY, "webp: out of memory");
    }
    return encode(&colour, colours ? colours : data, choose_quality(save), ret_file)
               ? GF_IO_OK
               : gf_io_fail(err, GF_IO_NO_MEMORY, "webp: libwebp failed, probably out of memory");
}

enum gf_io_status gf_webp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    WebPMemoryWriter file;
    enum gf_io_status s = gf_webp_ready("the result", err);
    if (s != GF_IO_OK)
        return s;
    s = encode_any(view, data, save, &file, err);
    if (s == GF_IO_OK)
        s = has_more(save->meta) ? wrap(out, &file, save->meta, view, err)
                                 : gf_output_write(out, file.mem, file.size, err);
    webp.WebPMemoryWriterClear(&file);
    return s;
}

/* What an animation needs until its end. */
struct animation {
    uint8_t *exif;
    char *xmp;
    size_t exif_size;
    uint64_t size; /* bytes written */
};

static void animation_free(void *state)
{
    struct animation *a = state;
    free(a->exif);
    free(a->xmp);
    free(a);
}

static void put(uint8_t *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Writes a chunk of one or two parts, padded to an even size. The output remembers failures. */
static void write_chunk(struct gf_output_file *out, struct animation *a, const char *name, const void *first,
                        size_t first_size, const void *second, size_t second_size)
{
    uint8_t head[CHUNK_HEAD];
    const size_t size = first_size + second_size;
    memcpy(head, name, 4);
    put(head + 4, size, 4);
    (void)gf_output_write(out, head, sizeof(head), NULL);
    (void)gf_output_write(out, first, first_size, NULL);
    (void)gf_output_write(out, second, second_size, NULL);
    (void)gf_output_write(out, "", size % 2, NULL);
    a->size += CHUNK_HEAD + size + size % 2;
}

static void write_head(struct gf_output_file *out, struct animation *a, const struct gf_view *view,
                       const struct gf_image_meta *meta)
{
    const uint8_t *profile = meta && !meta->profile_is_grey ? meta->profile : NULL;
    uint8_t extended[10] = {0}, control[6] = {0};
    if (meta) {
        a->exif = gf_exif_write(meta, meta->orientation > 0, view, GF_EXIF_MAX, &a->exif_size);
        a->xmp = gf_xmp_write(meta, 1);
    }
    extended[0] = (uint8_t)(ANIMATION_FLAG | (view->channels % 2 == 0 ? ALPHA_FLAG : 0) | (profile ? ICCP_FLAG : 0) |
                            (a->exif ? EXIF_FLAG : 0) | (a->xmp ? XMP_FLAG : 0));
    put(extended + 4, view->width - 1, 3);
    put(extended + 7, view->height - 1, 3);
    put(control + 4, meta ? (meta->plays < UINT16_MAX ? meta->plays : UINT16_MAX) : 0, 2);
    (void)gf_output_write(out, "RIFF\0\0\0\0WEBP", HEADER_BYTES + 4, NULL);
    a->size = HEADER_BYTES + 4;
    write_chunk(out, a, "VP8X", extended, sizeof(extended), NULL, 0);
    if (profile)
        write_chunk(out, a, "ICCP", profile, meta->profile_size, NULL, 0);
    write_chunk(out, a, "ANIM", control, sizeof(control), NULL, 0);
}

/* The chunks of a file that hold samples: all but VP8X, which comes first if it is there. */
static size_t find_samples(const WebPMemoryWriter *file)
{
    const size_t begin = HEADER_BYTES + 4;
    return memcmp(file->mem + begin, "VP8X", 4) == 0 ? begin + CHUNK_HEAD + 10 : begin;
}

static enum gf_io_status write_end(struct gf_output_file *out, struct animation *a, struct gf_io_error *err)
{
    uint8_t size[4];
    if (a->exif)
        write_chunk(out, a, "EXIF", a->exif, a->exif_size, NULL, 0);
    if (a->xmp)
        write_chunk(out, a, "XMP ", a->xmp, strlen(a->xmp), NULL, 0);
    if (a->size > UINT32_MAX)
        return gf_io_fail(err, GF_IO_DATA, "webp: has %" PRIu64 " bytes; an animation must have less than 4 GiB",
                          a->size);
    put(size, a->size - HEADER_BYTES, 4);
    return gf_output_patch(out, 4, size, sizeof(size), err);
}

/* Every frame covers the whole canvas and replaces the one before. */
enum gf_io_status gf_webp_encode_page(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                      const struct gf_image_save *save, struct gf_io_error *err)
{
    uint8_t head[16] = {0};
    WebPMemoryWriter file;
    if (pages->n == 1)
        return gf_webp_encode(pages->out, view, data, save, err);
    if (!gf_output_can_patch(pages->out))
        return gf_io_fail(err, GF_IO_USAGE,
                          "webp: an animation tells its size at its beginning, before a pipe has the "
                          "rest; write it to a file");
    enum gf_io_status s = gf_webp_ready("the result", err);
    if (s != GF_IO_OK)
        return s;
    if (!pages->state) {
        pages->state = calloc(1, sizeof(struct animation));
        pages->free_state = animation_free;
    }
    struct animation *a = pages->state;
    if (!a)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "webp: out of memory");
    if (pages->done == 0)
        write_head(pages->out, a, view, save->meta);
    s = encode_any(view, data, save, &file, err);
    put(head + 6, view->width - 1, 3);
    put(head + 9, view->height - 1, 3);
    put(head + 12, gf_image_delay(pages, save->meta, 1000, (1u << 24) - 1), 3);
    head[15] = REPLACES;
    if (s == GF_IO_OK) {
        const size_t at = find_samples(&file);
        write_chunk(pages->out, a, "ANMF", head, sizeof(head), file.mem + at, file.size - at);
    }
    webp.WebPMemoryWriterClear(&file);
    if (s == GF_IO_OK && pages->done + 1 == pages->n)
        s = write_end(pages->out, a, err);
    return s == GF_IO_OK ? gf_output_write(pages->out, NULL, 0, err) : s;
}
