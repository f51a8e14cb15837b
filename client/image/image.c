/* SPDX-License-Identifier: MIT */
/* Reads and writes pictures with the codecs of their formats. Called by the commands. */
#include "image.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "client/io/input.h"
#include "image_format.h"

gf_decode_elsewhere_fn *gf_image_elsewhere;

/* First bytes of unsupported formats, so that the message can name them. */
static const struct {
    size_t offset;
    size_t size;
    const char *mark;
    const char *name;
} strangers[] = {
    {8, 4, "CR\x02\0", "Canon CR2"},     {4, 8, "jP  \r\n\x87\n", "JPEG 2000"},
    {4, 8, "JXL \r\n\x87\n", "JPEG XL"}, {0, 2, "\xff\x0a", "JPEG XL"},
    {4, 4, "ftyp", "video (MP4, MOV)"},  {0, 4, "\x76\x2f\x31\x01", "OpenEXR"},
    {0, 4, "8BPS", "Photoshop"},         {0, 4, "%PDF", "PDF"},
    {0, 2, "\x1f\x8b", "gzip"},
};

/* Chooses the format of a file without a known mark. TGA has no mark at its beginning, but its second byte is 0 or
 * 1. */
static enum gf_io_status guess(const struct gf_source *src, enum gf_image_format *ret_format, struct gf_io_error *err)
{
    if (src->size == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: is empty", src->name);
    for (size_t i = 0; i < GF_ARRAY_LEN(strangers); i++)
        if (gf_source_has(src, strangers[i].offset, strangers[i].mark, strangers[i].size))
            return gf_io_fail(err, GF_IO_UNSUPPORTED, "%s: is a %s file, which is not supported; convert it to PNG",
                              src->name, strangers[i].name);
    if (GF_HAS_MARK(src, 0, "YUV4MPEG2 "))
        return gf_io_fail(
            err, GF_IO_DATA,
            "%s: is y4m video, which is read only from standard input and written to standard output, by an "
            "operation on one picture or a pipe with one result: ffmpeg ... | gpufilter-client blur - - | "
            "ffmpeg ...; for --timing, stats and the like convert it to pictures: ffmpeg ... %%04d.png",
            src->name);
    const char *dot = strrchr(src->name, '.'), *extension = dot ? dot : "";
    if (src->size >= 2 && src->data[1] <= 1 && (strcasecmp(extension, ".tga") == 0 || gf_tga_is_possible(src)))
        *ret_format = GF_FORMAT_TGA;
    else if (strcasecmp(extension, ".txt") == 0)
        *ret_format = GF_FORMAT_TXT;
    else
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: is neither a supported image file (PNG, JPEG, TIFF, WebP, HEIC, AVIF, GIF, BMP, TGA, "
                          "PNM, PFM, HDR) nor .npy; for bare samples use --raw WxHxC:dtype, for numbers as text "
                          "--in-dtype",
                          src->name);
    return GF_IO_OK;
}

/* Whether data after a picture that ends at `at` must be refused. White space and zeros are padding. Data that programs
 * append to a file are harmless, but a pipe may deliver another picture. */
static bool has_more(const struct gf_source *src, const struct gf_format *format, size_t at)
{
    while (at < src->size && (src->data[at] == 0 || gf_is_space(src->data[at])))
        at++;
    struct gf_source rest = {.name = src->name, .data = src->data + at, .size = src->size - at};
    if (at >= src->size)
        return false;
    if (format->has_appendix)
        return src->how.is_stream && gf_format_sniff(&rest) != GF_FORMAT_NONE;
    return format->holds_several || src->how.is_stream;
}

/* Completes a page by what its format says. */
static void complete(struct gf_image *page, enum gf_image_format f)
{
    const struct gf_format *format = &gf_formats[f];
    page->kind = format->kind ? format->kind : format->word;
    page->meta.is_lossy |= format->is_lossy;
    page->format = format->encode ? f : GF_FORMAT_NONE;
}

/* Converts colours to sRGB, or warns that they stay as they are where that is allowed. */
static enum gf_io_status to_srgb(const struct gf_source *src, struct gf_image *image, struct gf_io_error *err)
{
    struct gf_io_error why = {.text = ""};
    enum gf_io_status r = gf_image_to_srgb(image, src, &why);
    if ((r == GF_IO_DATA || r == GF_IO_UNSUPPORTED) && src->how.srgb_is_optional) {
        why.text[strcspn(why.text, ";")] = '\0'; /* advice about --srgb follows */
        gf_image_warn(image, "%s; its colours stay as they are", why.text);
        return GF_IO_OK;
    }
    if (r != GF_IO_OK && err)
        *err = why;
    return r;
}

/* Converts the colours of a picture as the options say. CMYK becomes RGB in any case. */
static enum gf_io_status take_colours(const struct gf_source *src, struct gf_image *image, struct gf_io_error *err)
{
    char numbers[GF_COLOUR_TEXT];
    const struct gf_image_meta *m = &image->meta;
    const uint32_t dtype = image->view.dtype;
    const bool has_numbers = gf_image_colour(m, numbers);
    /* Only a profile says what inks look like. */
    const bool converts = image->is_cmyk ? m->profile && !has_numbers : has_numbers || (m->profile && !m->cicp[0]);
    enum gf_io_status r = GF_IO_OK;
    if (!src->how.srgb || (image->is_cmyk && !converts))
        r = GF_IO_OK;
    else if (!converts && (m->cicp[0] || m->srgb_intent))
        gf_image_note(image, "%s: says that it is sRGB", src->name);
    else if (!converts && !gf_exif_is_adobe_rgb(m))
        gf_image_note(image, "%s: has no colour profile and is taken for sRGB", src->name);
    else if (dtype != GF_U8 && dtype != GF_U16 && dtype != GF_F32)
        gf_image_warn(image, "%s: samples of %s are not converted to sRGB", src->name, gf_dtype_word(dtype));
    else
        r = to_srgb(src, image, err);
    if (r == GF_IO_OK && image->is_cmyk)
        gf_image_cmyk_to_rgb(image, src->name);
    return r;
}

/* Who wants all pages of a file, and their format. */
struct wish {
    const struct gf_image_load *how;
    const struct gf_source *src;
    enum gf_image_format format;
};

static enum gf_io_status take(void *user, struct gf_image *page, struct gf_io_error *err)
{
    const struct wish *wish = user;
    enum gf_io_status r = take_colours(wish->src, page, err);
    complete(page, wish->format);
    return r == GF_IO_OK ? wish->how->take(wish->how->take_user, page, err) : r;
}

/* Treats the picture of a format without pages as the only page. */
static enum gf_io_status give_only(const struct gf_source *src, struct gf_image *image, struct gf_io_error *err)
{
    struct gf_pages only;
    struct gf_image page = *image;
    enum gf_io_status r = gf_image_choose_pages(src, "picture", 1, &only, err);
    if (r != GF_IO_OK)
        return r;
    *image = (struct gf_image){.file_bytes = page.file_bytes};
    return gf_image_give(src, &only, &page, image, err);
}

enum gf_io_status gf_image_decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                  struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_source src = {.name = name, .data = bytes, .size = size};
    struct wish wish = {.how = how, .src = &src};
    if (how)
        src.how = *how;
    if (gf_image_elsewhere)
        return gf_image_elsewhere(name, bytes, size, &src.how, GF_IMAGE_NO_DTYPE, ret_image, err);
    enum gf_io_status r = GF_IO_OK;
    wish.format = gf_format_sniff(&src);
    if (wish.format == GF_FORMAT_NONE)
        r = guess(&src, &wish.format, err);
    const struct gf_format *format = &gf_formats[wish.format];
    src.how.only_head &= format->has_head;
    if (r == GF_IO_OK && src.how.formats != 0 && (src.how.formats & 1u << wish.format) == 0)
        return gf_io_fail(err, GF_IO_UNSUPPORTED, "%s: is %s, which is not among the formats to accept", name,
                          format->kind ? format->kind : format->word);
    if (r == GF_IO_OK && src.how.n_bands > 0 && !format->has_bands)
        return gf_io_fail(err, GF_IO_DATA, "%s: is %s; --bands applies to tiff, copy --channel takes one of any file",
                          name, format->kind ? format->kind : format->word);
    if (src.how.take) {
        src.how.take = take;
        src.how.take_user = &wish;
    }
    if (r == GF_IO_OK)
        r = format->decode(&src, &image, err);
    if (r == GF_IO_OK && !format->has_pages)
        r = give_only(&src, &image, err);
    if (r == GF_IO_OK && !src.how.take)
        r = take_colours(&src, &image, err);
    if (r != GF_IO_OK)
        return r;
    if (has_more(&src, format, image.file_bytes))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: more data follows the first picture, which ends at byte %zu of %zu; one run takes one "
                          "picture%s",
                          name, image.file_bytes, size,
                          src.how.is_stream ? ", or from - to - several as PNG, PNM, y4m or --raw" : "");
    complete(&image, wish.format);
    if (image.pages > 1 && src.how.page == 0 && !(how && how->only_head))
        gf_image_warn(&image, "%s: has %" PRIu64 " %ss; the first one is read; choose one with --page N", name,
                      image.pages, image.page_word);
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_io_status gf_array_decode_text(const char *name, const void *bytes, size_t size, uint32_t dtype,
                                       struct gf_image *ret_image, struct gf_io_error *err)
{
    const struct gf_source src = {.name = name, .data = bytes, .size = size};
    enum gf_image_format format = gf_format_sniff(&src);
    if (gf_image_elsewhere)
        return gf_image_elsewhere(name, bytes, size, &src.how, dtype, ret_image, err);
    if (format != GF_FORMAT_NONE)
        return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file describes its own contents; leave --in-dtype out", name,
                          gf_formats[format].word);
    enum gf_io_status r = gf_text_decode(&src, dtype, ret_image, err);
    if (r == GF_IO_OK)
        ret_image->format = GF_FORMAT_TXT;
    return r;
}

/* Reads bare samples. If they begin with the mark of a format, the file has a header and is refused. */
static enum gf_io_status read_raw(const char *path, const struct gf_view *raw, struct gf_image *ret_image,
                                  struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    enum gf_io_status r = gf_raw_read(path, raw, &image, err);
    if (r != GF_IO_OK)
        return r;
    const struct gf_source src = {.name = path, .data = image.data, .size = gf_view_bytes(raw)};
    const struct gf_format *format = &gf_formats[gf_format_sniff(&src)];
    if (format->is_certain)
        return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file describes its own contents; leave --raw out", path,
                          format->word);
    image.format = GF_FORMAT_RAW;
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_io_status gf_image_read(const char *path, const struct gf_view *raw, const struct gf_image_load *how,
                                struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    if (raw)
        return read_raw(path, raw, ret_image, err);
    enum gf_io_status r = gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have at most", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = gf_input_name(path);
    struct gf_image_load own = how ? *how : (struct gf_image_load){.is_stream = false};
    own.is_stream = bytes.is_stream;
    return gf_image_decode(name, bytes.data, bytes.size, &own, ret_image, err);
}

/* Encoders need rows without padding. Borrows the samples if they have none, otherwise copies them. */
static enum gf_io_status make_tight(const struct gf_view *view, const void *data, const char *path,
                                    struct gf_image *ret_image, struct gf_io_error *err)
{
    struct gf_view tight = gf_view_tight(view->dtype, view->width, view->height, view->channels);
    if (view->pitch == tight.pitch) {
        *ret_image = (struct gf_image){.view = tight, .data = (void *)(uintptr_t)data};
        return GF_IO_OK;
    }
    enum gf_io_status r = gf_image_alloc(&(struct gf_source){.name = path}, &tight, ret_image, err);
    for (uint64_t y = 0; r == GF_IO_OK && y < view->height; y++)
        memcpy((uint8_t *)ret_image->data + y * tight.pitch, (const uint8_t *)data + y * view->pitch, tight.pitch);
    return r;
}

/* Replaces a picture, borrowed or owned, by its rotated copy. */
static enum gf_io_status rotate(struct gf_image *image, uint32_t orientation, const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image rotated = GF_IMAGE_NULL, old = *image;
    *image = GF_IMAGE_NULL;
    enum gf_io_status r = gf_image_alloc(&(struct gf_source){.name = path}, &old.view, &rotated, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_rotate(&old, orientation, &rotated);
    *image = rotated;
    rotated = GF_IMAGE_NULL;
    return GF_IO_OK;
}

/* Exchanges the samples of two pictures; the metadata stay. */
static void swap_samples(struct gf_image *a, struct gf_image *b)
{
    const struct gf_image old = *a;
    a->view = b->view;
    a->data = b->data;
    a->free_data = b->free_data;
    a->memory = b->memory;
    b->view = old.view;
    b->data = old.data;
    b->free_data = old.free_data;
    b->memory = old.memory;
}

enum gf_io_status gf_image_rotate_upright(struct gf_image *image, const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image upright = GF_IMAGE_NULL;
    const struct gf_source source = {.name = path, .how = {.memory = image->memory}};
    if (image->meta.orientation <= 1)
        return GF_IO_OK;
    enum gf_io_status r = gf_image_alloc(&source, &image->view, &upright, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_rotate(image, image->meta.orientation, &upright);
    swap_samples(image, &upright);
    image->meta.orientation = 1;
    if (image->meta.geo)
        image->meta.geo->width = 0; /* of no picture any more */
    return GF_IO_OK;
}

enum gf_io_status gf_image_to_f32(struct gf_image *image, const char *path, struct gf_number_loss *ret_loss,
                                  struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image floats = GF_IMAGE_NULL;
    const struct gf_source source = {.name = path, .how = {.memory = image->memory}};
    const struct gf_view *v = &image->view;
    const struct gf_view view = gf_view_tight(GF_F32, v->width, v->height, v->channels);
    enum gf_io_status r = gf_image_alloc(&source, &view, &floats, err);
    if (r != GF_IO_OK)
        return r;
    *ret_loss = gf_number_to_f32(v->dtype, image->data, gf_view_samples(v), floats.data);
    swap_samples(image, &floats);
    return GF_IO_OK;
}

/* The view that is stored: without alpha if a background replaces it. */
static enum gf_io_status flat_view(const struct gf_image_save *save, const struct gf_view *view, const char *path,
                                   struct gf_view *ret_view, struct gf_io_error *err)
{
    *ret_view = *view;
    if (!save || !save->flatten || view->channels % 2 != 0)
        return GF_IO_OK;
    if ((GF_DT(view->dtype) & GF_DT_WHITE) == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: --background needs u8, u16 or f32, and the picture is %s", path,
                          gf_dtype_word(view->dtype));
    if (save->no_alpha)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: --background blends alpha, and the last of %" PRIu32 " channels is not alpha", path,
                          view->channels);
    const uint8_t *b = save->background;
    if (view->channels == 2 && (b[0] != b[1] || b[1] != b[2]))
        return gf_io_fail(err, GF_IO_DATA, "%s: the picture is grey, and --background #%02x%02x%02x is not", path, b[0],
                          b[1], b[2]);
    *ret_view = gf_view_tight(view->dtype, view->width, view->height, view->channels - 1);
    return GF_IO_OK;
}

enum gf_io_status gf_image_can_store(enum gf_image_format format, const struct gf_view *view,
                                     const struct gf_image_save *save, const char *path, struct gf_io_error *err)
{
    struct gf_view stored;
    enum gf_io_status r = flat_view(save, view, path, &stored, err);
    if (r == GF_IO_OK)
        r = gf_image_can_hold(format, &stored, save && save->no_alpha, path, err);
    if (r == GF_IO_OK && save && gf_formats[format].can_compress)
        r = gf_formats[format].can_compress(path, save->compression, err);
    return r;
}

/* Replaces a picture, borrowed or owned, by its flattened copy if `save` asks for that. */
static enum gf_io_status flatten(struct gf_image *image, const struct gf_image_save *save, const char *path,
                                 struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image flat = GF_IMAGE_NULL, old = *image;
    struct gf_view view;
    *image = GF_IMAGE_NULL;
    enum gf_io_status r = flat_view(save, &old.view, path, &view, err);
    if (r == GF_IO_OK && view.channels == old.view.channels) {
        *image = old;
        old = GF_IMAGE_NULL;
        return GF_IO_OK;
    }
    if (r == GF_IO_OK)
        r = gf_image_alloc(&(struct gf_source){.name = path}, &view, &flat, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_flatten(&old, save, &flat);
    *image = flat;
    flat = GF_IMAGE_NULL;
    return GF_IO_OK;
}

/* A hash (FNV-1a) of the description of colours. */
static uint64_t hash_colours(const struct gf_image_meta *meta)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (!meta)
        return hash;
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{meta->profile, meta->profile ? meta->profile_size : 0},
                 {meta->cicp, sizeof(meta->cicp)},
                 {&meta->gamma, sizeof(meta->gamma)},
                 {meta->primaries, sizeof(meta->primaries)}};
    for (size_t k = 0; k < GF_ARRAY_LEN(parts); k++)
        for (size_t i = 0; i < parts[k].size; i++)
            hash = (hash ^ ((const uint8_t *)parts[k].bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Writes the next page of a file of several, which is opened for the first one. */
static enum gf_io_status write_page(const char *path, const struct gf_format *f, const struct gf_image *image,
                                    const struct gf_image_save *save, struct gf_io_error *err)
{
    struct gf_image_pages *pages = save->pages;
    const struct gf_view *v = &image->view, *first = &pages->first;
    const uint64_t colours = hash_colours(save->meta);
    char was[64], is[64];
    enum gf_io_status r = GF_IO_OK;
    if (pages->done == 0) {
        pages->first = *v;
        pages->colours = colours;
        r = gf_output_open(path, true, &pages->out, err);
    } else if (!f->pages_differ && (v->width != first->width || v->height != first->height ||
                                    v->dtype != first->dtype || v->channels != first->channels)) {
        r = gf_io_fail(err, GF_IO_DATA,
                       "%s: page %" PRIu64 " is %s, and the first one %s; pages of %s must be alike; write "
                       "tiff, or a file for each page with {page} in the name",
                       path, pages->done + 1, gf_view_text(v, is, sizeof(is)), gf_view_text(first, was, sizeof(was)),
                       f->word);
    }
    if (!f->pages_differ && colours != pages->colours) {
        pages->colours_differ = true;
        if (save->strict)
            r = gf_io_fail(err, GF_IO_DATA, "%s: " GF_COLOURS_DIFFER "; leave --strict out to accept that", path);
    }
    if (r == GF_IO_OK)
        r = f->encode_page ? f->encode_page(pages, v, image->data, save, err)
                           : f->encode(pages->out, v, image->data, save, err);
    pages->done += r == GF_IO_OK;
    return r;
}

enum gf_io_status gf_image_pages_commit(struct gf_image_pages *pages, struct gf_io_error *err)
{
    if (pages->done < pages->n || !pages->out)
        return gf_io_fail(err, GF_IO_INTERNAL, "%" PRIu64 " of %" PRIu64 " pages were written", pages->done, pages->n);
    return gf_output_commit(&pages->out, err);
}

void gf_image_pages_deinit(struct gf_image_pages *pages)
{
    if (pages->state)
        pages->free_state(pages->state);
    gf_output_discardp(&pages->out);
    *pages = (struct gf_image_pages){.n = pages->n};
}

enum gf_io_status gf_image_write(const char *path, enum gf_image_format format, const struct gf_view *view,
                                 const void *data, const struct gf_image_save *save, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    struct gf_image_save own = save ? *save : (struct gf_image_save){.meta = NULL};
    struct gf_image_meta meta;
    struct gf_error why;
    enum gf_io_status r = GF_IO_OK;
    if (format == GF_FORMAT_NONE)
        r = gf_image_format_from_path(path, &format, err);
    const struct gf_format *f = &gf_formats[format];
    bool array = f->is_array || ((f->dtypes & ~GF_DT_WHITE) && !(GF_DT_WHITE & GF_DT(view->dtype)));
    bool empty = f->is_array && view->width == 0; /* a list without elements */
    if (r == GF_IO_OK && !empty &&
        (array ? gf_view_check(view, "the array", &why) : gf_view_check_image(view, "the image", &why)) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", path, why.text);
    if (r == GF_IO_OK)
        r = gf_image_can_store(format, view, save, path, err);
    if (r == GF_IO_OK)
        r = make_tight(view, data, path, &image, err);
    if (r == GF_IO_OK)
        r = flatten(&image, save, path, err);
    if (r == GF_IO_OK && !empty && gf_image_rotates(format, save))
        r = rotate(&image, save->meta->orientation, path, err);
    const bool rotated = gf_image_rotates(format, save);
    if (r == GF_IO_OK && f->check)
        r = f->check(&image.view, image.data, path, err);
    if (own.meta) {
        meta = gf_image_meta_without(own.meta, own.drop);
        own.meta = &meta;
        if (rotated) {
            meta.orientation = 1;
            own.is_moved = true;
        }
    }
    if (r == GF_IO_OK && own.pages)
        return write_page(path, f, &image, &own, err);
    if (r == GF_IO_OK && own.to)
        return f->encode(own.to, &image.view, image.data, &own, err);
    if (r == GF_IO_OK)
        r = gf_output_open(path, true, &out, err);
    if (r == GF_IO_OK)
        r = f->encode(out, &image.view, image.data, &own, err);
    return r == GF_IO_OK ? gf_output_commit(&out, err) : r;
}
