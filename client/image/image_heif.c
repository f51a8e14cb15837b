/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes HEIC and AVIF through libheif. Read as RGB, or RGBA if the file has alpha; 8 bits become u8, more
 * bits become u16 at full range; the rotation and cropping in the file are applied. Written with 8 bits. Called by
 * image.c.
 */
#include "heif_calls.h"

#include <string.h>

#include "image_meta.h"

/* A single colour takes almost no bytes: pictures of 8192x8192 were seen in 2 KB. */
#define PIXELS_PER_BYTE (1u << 18)
/* Most pictures in one file; bursts have about ten. */
#define MAX_PICTURES 4096
#define MAX_METADATA_BLOCKS 64
/* A box begins with its size and its type. Size 1 means that a 64-bit size follows them. */
#define BOX_BYTES 8u
#define BOX_IS_LONG 1u

struct gf_heif_calls gf_heif;

static const char *const names[] = {GF_HEIF_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "libheif", .file = GF_HEIF_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gf_heif};

enum gf_io_status gf_heif_load(const char *path, struct gf_io_error *err)
{
    return gf_library_load(&library, path, &gf_heif_use, err);
}

static enum gf_io_status ready(const char *path, const char *word, enum heif_compression_format compression,
                               const char *coding, const char *plugin, struct gf_io_error *err)
{
    enum gf_io_status s = gf_heif_load(path, err);
    if (s == GF_IO_OK && !gf_heif.heif_have_encoder_for_format(compression))
        s = gf_io_fail(err, GF_IO_DATA,
                       "%s: %s needs an %s encoder, which the installed libheif lacks; install its %s plugin or "
                       "write png",
                       path, word, coding, plugin);
    return s;
}

enum gf_io_status gf_avif_ready(const char *path, struct gf_io_error *err)
{
    return ready(path, "avif", heif_compression_AV1, "AV1", "aom", err);
}

enum gf_io_status gf_heic_ready(const char *path, struct gf_io_error *err)
{
    return ready(path, "heic", heif_compression_HEVC, "HEVC", "x265", err);
}

static const char *coders(enum heif_compression_format format)
{
    bool reads = gf_heif.heif_have_decoder_for_format(format), writes = gf_heif.heif_have_encoder_for_format(format);
    return reads && writes ? "reads and writes" : reads ? "reads" : writes ? "writes" : "has no coder for";
}

static const char *version(char *text, size_t size)
{
    if (gf_heif_load("", NULL) != GF_IO_OK)
        return NULL;
    snprintf(text, size, "%s, %s HEIC, %s AVIF", gf_heif.heif_get_version(), coders(heif_compression_HEVC),
             coders(heif_compression_AV1));
    return text;
}

const struct gf_library_use gf_heif_use = {"HEIC and AVIF", "libheif", true, version, NULL};

static void context_freep(struct heif_context **context)
{
    if (*context)
        gf_heif.heif_context_free(*context);
}

static void handle_freep(struct heif_image_handle **handle)
{
    if (*handle)
        gf_heif.heif_image_handle_release(*handle);
}

static void image_freep(struct heif_image **image)
{
    if (*image)
        gf_heif.heif_image_release(*image);
}

static const struct {
    enum heif_compression_format format;
    const char *name, *plugin;
} decoders[] = {{heif_compression_HEVC, "HEVC", "libde265"}, {heif_compression_AV1, "AV1", "aom"}};

static enum gf_io_status damaged(const struct gf_source *src, const struct heif_error *why, struct gf_io_error *err)
{
    const bool too_large = why->subcode == heif_suberror_Security_limit_exceeded;
    const bool no_memory = why->code == heif_error_Memory_allocation_error && !too_large;
    if (why->subcode == heif_suberror_Unsupported_codec)
        for (size_t i = 0; i < GF_ARRAY_LEN(decoders); i++)
            if (!gf_heif.heif_have_decoder_for_format(decoders[i].format))
                return gf_io_fail(err, GF_IO_UNSUPPORTED,
                                  "%s: may need a decoder for %s, which the installed libheif lacks; install its %s "
                                  "plugin, or convert to PNG",
                                  src->name, decoders[i].name, decoders[i].plugin);
    if (why->subcode == heif_suberror_End_of_data)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged heic or avif: the file ends too early", src->name);
    return gf_io_fail(err,
                      too_large   ? GF_IO_TOO_LARGE
                      : no_memory ? GF_IO_NO_MEMORY
                                  : GF_IO_DATA,
                      "%s: damaged heic or avif, or of an unsupported kind: %.*s", src->name,
                      (int)strcspn(why->message, "\n"), why->message);
}

/* Lists the top-level pictures, which are not part of another picture. */
static enum gf_io_status list_pictures(const struct gf_source *src, struct heif_context *context,
                                       heif_item_id ids[MAX_PICTURES], struct gf_pages *ret_pages,
                                       struct gf_io_error *err)
{
    int n = gf_heif.heif_context_get_number_of_top_level_images(context);
    if (n < 1 || n > MAX_PICTURES)
        return gf_io_fail(err, GF_IO_DATA, "%s: has %d pictures; it must have 1 to %d", src->name, n, MAX_PICTURES);
    (void)gf_heif.heif_context_get_list_of_top_level_image_IDs(context, ids, n);
    return gf_image_choose_pages(src, "picture", (uint64_t)n, ret_pages, err);
}

/* Scales 9 to 15 bits to the full range of 16. */
static void widen(uint16_t *to, const uint8_t *from, uint64_t n, int bits)
{
    uint32_t max = (1u << bits) - 1;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = (uint32_t)from[2 * i] | (uint32_t)from[2 * i + 1] << 8;
        to[i] = (uint16_t)(((v > max ? max : v) * 65535u + max / 2) / max);
    }
}

/* Copies the decoded samples, whose size must match the header. */
static enum gf_io_status take_samples(const struct gf_source *src, const struct heif_image *decoded,
                                      struct gf_image *image, struct gf_io_error *err)
{
    const struct gf_view *v = &image->view;
    int stride = 0;
    int bits = gf_heif.heif_image_get_bits_per_pixel_range(decoded, heif_channel_interleaved);
    const uint8_t *plane = gf_heif.heif_image_get_plane_readonly(decoded, heif_channel_interleaved, &stride);
    if (!plane || (uint64_t)gf_heif.heif_image_get_width(decoded, heif_channel_interleaved) != v->width ||
        (uint64_t)gf_heif.heif_image_get_height(decoded, heif_channel_interleaved) != v->height || stride < 0 ||
        (uint64_t)stride < v->pitch || (v->dtype == GF_U16 ? bits < 9 || bits > 16 : bits != 8))
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged heic or avif: the picture contradicts its header", src->name);
    for (uint64_t y = 0; y < v->height; y++) {
        uint8_t *to = (uint8_t *)image->data + y * v->pitch;
        const uint8_t *row = plane + y * (uint64_t)stride;
        if (v->dtype == GF_U16)
            widen((uint16_t *)(void *)to, row, v->width * v->channels, bits);
        else
            memcpy(to, row, v->pitch);
    }
    return GF_IO_OK;
}

/* Decodes AV1 with aom first, because dav1d prints errors of the file on standard error. HEVC, and AV1 without aom, use
 * any decoder: libheif 1.15 falls back to it by itself, 1.23 fails, so the call is repeated without a decoder name. */
static struct heif_error decode_quietly(const struct heif_image_handle *handle, enum heif_chroma chroma,
                                        struct heif_image **ret_image)
{
    struct heif_decoding_options *options = gf_heif.heif_decoding_options_alloc();
    if (!options)
        return (struct heif_error){heif_error_Memory_allocation_error, heif_suberror_Unspecified, "out of memory"};
    options->decoder_id = "aom";
    struct heif_error e = gf_heif.heif_decode_image(handle, ret_image, heif_colorspace_RGB, chroma, options);
    if (e.code == heif_error_Plugin_loading_error) {
        options->decoder_id = NULL;
        e = gf_heif.heif_decode_image(handle, ret_image, heif_colorspace_RGB, chroma, options);
    }
    gf_heif.heif_decoding_options_free(options);
    return e;
}

static enum gf_io_status decode(const struct gf_source *src, const struct heif_image_handle *handle,
                                struct gf_image *image, struct gf_io_error *err)
{
    bool alpha = gf_heif.heif_image_handle_has_alpha_channel(handle) != 0;
    bool wide = gf_heif.heif_image_handle_get_luma_bits_per_pixel(handle) > 8;
    int width = gf_heif.heif_image_handle_get_width(handle), height = gf_heif.heif_image_handle_get_height(handle);
    enum heif_chroma chroma = wide ? (alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE)
                              : alpha ? heif_chroma_interleaved_RGBA
                                      : heif_chroma_interleaved_RGB;
    struct gf_view view;
    gf_cleanup(image_freep) struct heif_image *decoded = NULL;
    enum gf_io_status s = gf_image_plan(src, wide ? GF_U16 : GF_U8, width < 0 ? 0 : (uint64_t)width,
                                        height < 0 ? 0 : (uint64_t)height, alpha ? 4 : 3, PIXELS_PER_BYTE, &view, err);
    if (s == GF_IO_OK && !src->how.only_head) {
        struct heif_error e = decode_quietly(handle, chroma, &decoded);
        if (e.code != heif_error_Ok)
            return damaged(src, &e, err);
    }
    if (s == GF_IO_OK)
        s = gf_image_alloc(src, &view, image, err);
    if (s == GF_IO_OK && !src->how.only_head)
        s = take_samples(src, decoded, image, err);
    if (s == GF_IO_OK && alpha && gf_heif.heif_image_handle_is_premultiplied_alpha(handle))
        gf_image_divide_by_alpha(image, src->name);
    return s;
}

/* Reads EXIF, whose first four bytes give the number of bytes before the data, or XMP. */
static void take_block(const struct heif_image_handle *handle, heif_item_id id, struct gf_image_meta *meta)
{
    const char *type = gf_heif.heif_image_handle_get_metadata_type(handle, id);
    const char *content = gf_heif.heif_image_handle_get_metadata_content_type(handle, id);
    bool exif = type && strcmp(type, "Exif") == 0;
    bool xmp = type && strcmp(type, "mime") == 0 && content && strcmp(content, "application/rdf+xml") == 0;
    size_t size = gf_heif.heif_image_handle_get_metadata_size(handle, id);
    gf_cleanup(gf_freep) uint8_t *block = (exif || xmp) && size > 4 && size <= GF_XMP_MAX ? malloc(size) : NULL;
    if (!block || gf_heif.heif_image_handle_get_metadata(handle, id, block).code != heif_error_Ok)
        return;
    size_t skip = gf_get_be32(block);
    if (exif && skip < size - 4)
        gf_exif_read(block + 4 + skip, size - 4 - skip, meta);
    if (xmp)
        gf_image_meta_set_xmp(meta, block, size);
}

/* Reads the numbers of a colour space other than sRGB. A profile comes before them. */
static void read_colours(const struct heif_image_handle *handle, struct gf_image_meta *meta)
{
    struct heif_color_profile_nclx *nclx = NULL;
    if (meta->profile)
        return;
    struct heif_error e = gf_heif.heif_image_handle_get_nclx_color_profile(handle, &nclx);
    if (!nclx)
        return; /* damaged files may return an error and a profile */
    if (e.code == heif_error_Ok && !gf_cicp_is_srgb(nclx->color_primaries, nclx->transfer_characteristics)) {
        meta->cicp[0] = (uint8_t)nclx->color_primaries;
        meta->cicp[1] = (uint8_t)nclx->transfer_characteristics;
        meta->cicp[3] = 1; /* the samples are read as RGB of full range */
    }
    gf_heif.heif_nclx_color_profile_free(nclx);
}

static void read_meta(const struct heif_image_handle *handle, struct gf_image *image)
{
    heif_item_id ids[MAX_METADATA_BLOCKS];
    size_t size = gf_heif.heif_image_handle_get_raw_color_profile_size(handle);
    gf_cleanup(gf_freep) uint8_t *profile = size > 0 && size <= GF_IMAGE_MAX_PROFILE ? malloc(size) : NULL;
    if (profile && gf_heif.heif_image_handle_get_raw_color_profile(handle, profile).code == heif_error_Ok)
        gf_image_meta_set_profile(&image->meta, profile, size, false);
    int n = gf_heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, NULL, ids, MAX_METADATA_BLOCKS);
    for (int i = 0; i < n; i++)
        take_block(handle, ids[i], &image->meta);
    if (image->meta.orientation)
        image->meta.orientation = 1; /* the file's own rotation has been applied; the one in EXIF repeats it */
    read_colours(handle, &image->meta);
}

/* A box: its type, and what follows its head. */
struct box {
    const uint8_t *type, *data;
    size_t size;
};

/* Takes a box of 32-bit size from the bytes at *at, which moves behind it. */
static bool next_box(const struct box *in, size_t *at, struct box *ret_box)
{
    const uint8_t *p = in->data + *at;
    if (in->size - *at < BOX_BYTES)
        return false;
    size_t size = gf_get_be32(p);
    if (size < BOX_BYTES || size > in->size - *at)
        return false;
    *ret_box = (struct box){.type = p + 4, .data = p + BOX_BYTES, .size = size - BOX_BYTES};
    *at += size;
    return true;
}

/* Finds a box by its type, in the bytes from `at` on. */
static bool find_box(const struct box *in, size_t at, const char *type, struct box *ret_box)
{
    while (at <= in->size && next_box(in, &at, ret_box))
        if (memcmp(ret_box->type, type, 4) == 0)
            return true;
    return false;
}

/* Finds the list of the pictures' properties. */
static bool find_properties(const struct gf_source *src, struct box *ret_list)
{
    const struct box file = {.data = src->data, .size = src->size};
    struct box meta, properties;
    return find_box(&file, 0, "meta", &meta) && find_box(&meta, 4, "iprp", &properties) &&
           find_box(&properties, 0, "ipco", ret_list);
}

/* Notes the pictures beside the picture, except alpha, by the names of their kinds (ISO/IEC 23008-12, 6.5.8), and the
 * brand of files whose gain map makes a picture of its own (ISO 21496-1). */
static void look_at_auxiliaries(const struct gf_source *src, struct gf_image_meta *meta)
{
    const struct box file = {.data = src->data, .size = src->size};
    struct box brands, list, box;
    const bool has_brands = find_box(&file, 0, "ftyp", &brands), has_list = find_properties(src, &list);
    for (size_t at = 8; has_brands && at + 4 <= brands.size; at += 4) /* after the main brand and its version */
        meta->has_gain_map |= memcmp(brands.data + at, "tmap", 4) == 0;
    for (size_t at = 0; has_list && next_box(&list, &at, &box);) {
        if (memcmp(box.type, "auxC", 4) != 0 || box.size < 4)
            continue;
        const char *kind = (const char *)box.data + 4;
        const size_t n = strnlen(kind, box.size - 4);
        const bool gain = memmem(kind, n, "gainmap", 7) != NULL;
        const bool alpha = memmem(kind, n, ":auxid:1", 8) || memmem(kind, n, "auxiliary:alpha", 15);
        meta->has_gain_map |= gain;
        meta->has_auxiliary |= !gain && !alpha;
    }
}

/* Reads the coding and how chroma is sampled from the configurations of decoders (ISO/IEC 14496-15, 8.3.3; AV1 in ISO
 * media files, 2.3), which libheif does not give. Those of alpha have no chroma; if the others differ, a grid of tiles
 * or a thumbnail among them, none is told. */
static void read_coding(const struct gf_source *src, struct gf_image_coding *coding)
{
    struct box list, box;
    int chroma = -1;
    bool mixed = false;
    if (!find_properties(src, &list))
        return;
    for (size_t at = 0; next_box(&list, &at, &box);) {
        const bool is_hevc = memcmp(box.type, "hvcC", 4) == 0 && box.size > 16;
        int kind = is_hevc ? box.data[16] & 3 : 0; /* 0: none, 1: 4:2:0, 2: 4:2:2, 3: 4:4:4 */
        if (!is_hevc && (memcmp(box.type, "av1C", 4) != 0 || box.size < 3))
            continue;
        if (!is_hevc && !(box.data[2] & 0x10))
            kind = box.data[2] & 8 ? (box.data[2] & 4 ? 1 : 2) : 3;
        coding->compression = is_hevc ? "HEVC" : "AV1";
        mixed |= chroma > 0 && kind > 0 && kind != chroma;
        chroma = kind > 0 || chroma < 0 ? kind : chroma;
    }
    if (chroma > 0 && !mixed)
        gf_image_name_sampling(coding, chroma == 3 ? 1 : 2, chroma == 1 ? 2 : 1);
}

/* Returns the end of the file's boxes: at an invalid box, or at the first box of another file. *ret_moves: a box
 * belongs to an animation, which libheif does not read. */
static size_t look_at_boxes(const struct gf_source *src, bool *ret_moves)
{
    size_t at = 0;
    *ret_moves = false;
    while (src->size - at >= BOX_BYTES) {
        const uint8_t *box = src->data + at;
        uint64_t size = gf_get_be32(box), head = size == BOX_IS_LONG ? 2 * BOX_BYTES : BOX_BYTES;
        if (at > 0 && memcmp(box + 4, "ftyp", 4) == 0)
            break;
        *ret_moves |= memcmp(box + 4, "moov", 4) == 0;
        if (size == 0 && gf_get_be32(box + 4) != 0)
            return src->size; /* the last box reaches to the end of the file */
        if (src->size - at < head)
            break;
        if (size == BOX_IS_LONG)
            size = (uint64_t)gf_get_be32(box + BOX_BYTES) << 32 | gf_get_be32(box + BOX_BYTES + 4);
        if (size < head || size > src->size - at)
            break;
        at += size;
    }
    return at;
}

static enum gf_io_status read_picture(const struct gf_source *src, struct heif_context *context, heif_item_id id,
                                      struct gf_image *image, struct gf_io_error *err)
{
    gf_cleanup(handle_freep) struct heif_image_handle *handle = NULL;
    struct heif_error e = gf_heif.heif_context_get_image_handle(context, id, &handle);
    enum gf_io_status s = e.code == heif_error_Ok ? decode(src, handle, image, err) : damaged(src, &e, err);
    if (s != GF_IO_OK)
        return s;
    read_meta(handle, image);
    image->coding.bits = (uint32_t)gf_heif.heif_image_handle_get_luma_bits_per_pixel(handle);
    read_coding(src, &image->coding);
    return GF_IO_OK;
}

enum gf_io_status gf_heif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    heif_item_id ids[MAX_PICTURES];
    struct gf_pages pages = {.n = 0};
    bool moves;
    const size_t end = look_at_boxes(src, &moves);
    enum gf_io_status s = gf_heif_load(src->name, err);
    if (s != GF_IO_OK)
        return s;
    gf_cleanup(context_freep) struct heif_context *context = gf_heif.heif_context_alloc();
    if (!context)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", src->name);
    gf_heif.heif_context_set_maximum_image_size_limit(context, (int)GF_MAX_SIDE);
    struct heif_error e = gf_heif.heif_context_read_from_memory_without_copy(context, src->data, src->size, NULL);
    if (e.code != heif_error_Ok)
        return damaged(src, &e, err);
    s = list_pictures(src, context, ids, &pages, err);
    for (uint64_t i = pages.first; s == GF_IO_OK && i < pages.end; i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        s = read_picture(src, context, ids[i], &image, err);
        if (s == GF_IO_OK)
            look_at_auxiliaries(src, &image.meta);
        if (s == GF_IO_OK && moves)
            gf_image_warn(&image, "%s: is an animation; only its still picture is read", src->name);
        if (s == GF_IO_OK)
            s = gf_image_give(src, &pages, &image, ret_image, err);
    }
    ret_image->file_bytes = end;
    return s;
}

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

/* Describes the colour space by numbers. The matrix is that of the coding, since the samples are RGB. */
static struct heif_error set_colours(struct heif_image *image, const uint8_t cicp[4])
{
    struct heif_color_profile_nclx *nclx = gf_heif.heif_nclx_color_profile_alloc();
    if (!nclx)
        return (struct heif_error){heif_error_Memory_allocation_error, heif_suberror_Unspecified, "out of memory"};
    nclx->color_primaries = (enum heif_color_primaries)cicp[0];
    nclx->transfer_characteristics = (enum heif_transfer_characteristics)cicp[1];
    nclx->matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6;
    nclx->full_range_flag = 1;
    struct heif_error e = gf_heif.heif_image_set_nclx_color_profile(image, nclx);
    gf_heif.heif_nclx_color_profile_free(nclx);
    return e;
}

static struct heif_error encode(struct gf_output_file *out, struct heif_context *context,
                                enum heif_compression_format compression, const struct gf_view *view,
                                const uint8_t *data, const struct gf_image_save *save)
{
    static const struct gf_image_meta none;
    const struct gf_image_meta *meta = save->meta ? save->meta : &none;
    gf_cleanup(encoder_freep) struct heif_encoder *encoder = NULL;
    gf_cleanup(image_freep) struct heif_image *image = NULL;
    gf_cleanup(handle_freep) struct heif_image_handle *handle = NULL;
    struct heif_writer writer = {.writer_api_version = 1, .write = write_bytes};
    struct heif_error e = gf_heif.heif_context_get_encoder_for_format(context, compression, &encoder);
    if (e.code == heif_error_Ok)
        e = gf_heif.heif_encoder_set_lossy_quality(encoder, (int)(save->quality ? save->quality : GF_JPEG_QUALITY));
    if (e.code == heif_error_Ok)
        e = fill(view, data, &image);
    if (e.code == heif_error_Ok && meta->profile && !meta->profile_is_grey)
        e = gf_heif.heif_image_set_raw_color_profile(image, "prof", meta->profile, meta->profile_size);
    else if (e.code == heif_error_Ok && meta->cicp[0] && compression == heif_compression_AV1)
        e = set_colours(image, meta->cicp);
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
    gf_cleanup(context_freep) struct heif_context *context = gf_heif.heif_context_alloc();
    if (!context || (view->channels < 3 && !colours))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", word);
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
