/* SPDX-License-Identifier: MIT */
/*
 * Reads GIF through giflib: RGB, or RGBA if a pixel is transparent. A frame is the picture shown at its time: it is
 * drawn over the frames before it. Without --page the first frame is read with a warning that says how many there are,
 * because most files with several frames are animations. A file that ends after a frame in place of the trailer is read
 * with a warning. Called by image.c.
 */
#include <gif_lib.h>
#include <inttypes.h>
#include <string.h>

#include "client/cli/image/library.h"
#include "client/cli/io/input.h"

/* A code of 12 bits expands to up to 4096 pixels, and frames may leave most of the screen empty. */
#define PIXELS_PER_BYTE (1u << 16)

#define GIF_CALLS(call)                                                                                                \
    call(DGifOpen) call(DGifCloseFile) call(DGifGetRecordType) call(DGifGetImageDesc) call(DGifGetLine)                \
        call(DGifGetCode) call(DGifGetCodeNext) call(DGifGetExtension) call(DGifGetExtensionNext)                      \
            call(DGifExtensionToGCB) call(GifErrorString)

static struct {
    GIF_CALLS(GF_LIBRARY_MEMBER)
} gif_calls;

static const char *const names[] = {GIF_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "giflib", .file = GF_GIF_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gif_calls};

/* giflib does not report its version; this is the version of its header. */
static const char *version(char *text, size_t size)
{
    if (gf_library_load(&library, "", &gf_gif_use, NULL) != GF_IO_OK)
        return NULL;
    snprintf(text, size, "%d.%d.%d", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE);
    return text;
}

const struct gf_library_use gf_gif_use = {"GIF", "giflib", true, version, NULL};

struct reader {
    const struct gf_source *src;
    size_t at;
    GifFileType *gif;
    struct gf_image image;
    uint8_t *before; /* the screen before a frame that will be undone; NULL: none yet */
    uint8_t *line;   /* one line of a frame */
    GraphicsControlBlock control;
    bool opaque;    /* a frame up to the wanted one covers the screen without transparent colour */
    uint64_t n;     /* frames read so far */
    uint64_t lines; /* drawn */
    uint64_t wanted;
    struct gf_io_error *err;
};

static int read_bytes(GifFileType *gif, GifByteType *to, int size)
{
    struct reader *r = gif->UserData;
    size_t left = r->src->size - r->at, n = (size_t)size < left ? (size_t)size : left;
    memcpy(to, r->src->data + r->at, n);
    r->at += n;
    return (int)n;
}

static enum gf_io_status damaged(const struct reader *r, int code)
{
    const char *why = r->at >= r->src->size ? "the file ends too early" : gif_calls.GifErrorString(code);
    bool no_memory = code == D_GIF_ERR_NOT_ENOUGH_MEM;
    return gf_io_fail(r->err, no_memory ? GF_IO_INTERNAL : GF_IO_DATA, "%s: damaged gif: %s", r->src->name,
                      why ? why : "unknown reason");
}

/* Disposes of the previous frame as it asks, and saves the screen if the new frame will be undone. */
static bool dispose(struct reader *r, const GifImageDesc *last, int disposal)
{
    size_t bytes = gf_view_bytes(&r->image.view);
    uint64_t width = r->image.view.width, height = r->image.view.height;
    if (disposal == DISPOSE_PREVIOUS && r->before)
        memcpy(r->image.data, r->before, bytes);
    for (uint64_t y = 0; disposal == DISPOSE_BACKGROUND && y < (uint64_t)last->Height; y++) {
        uint64_t row = (uint64_t)last->Top + y, left = (uint64_t)last->Left, n = (uint64_t)last->Width;
        if (row < height && left < width)
            memset((uint8_t *)r->image.data + row * r->image.view.pitch + 4 * left, 0,
                   4 * (n < width - left ? n : width - left));
    }
    if (r->control.DisposalMode != DISPOSE_PREVIOUS)
        return true;
    if (!r->before)
        r->before = gf_large_alloc(bytes);
    if (r->before)
        memcpy(r->before, r->image.data, bytes);
    return r->before != NULL;
}

/* Draws a line over the screen, clipped to it. False for a colour beyond the palette. */
static bool draw_line(const struct reader *r, const ColorMapObject *map, uint64_t row)
{
    const GifImageDesc *frame = &r->gif->Image;
    uint64_t width = r->image.view.width;
    for (uint64_t x = 0; x < (uint64_t)frame->Width; x++) {
        uint8_t index = r->line[x], *to = (uint8_t *)r->image.data + row * r->image.view.pitch;
        uint64_t column = (uint64_t)frame->Left + x;
        if (index == r->control.TransparentColor)
            continue;
        if (index >= map->ColorCount)
            return false;
        if (row >= r->image.view.height || column >= width)
            continue;
        to += 4 * column;
        to[0] = map->Colors[index].Red;
        to[1] = map->Colors[index].Green;
        to[2] = map->Colors[index].Blue;
        to[3] = 255;
    }
    return true;
}

static enum gf_io_status draw_frame(struct reader *r)
{
    static const uint8_t first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2}; /* interlaced rows, by pass */
    const GifImageDesc *frame = &r->gif->Image;
    const ColorMapObject *map = frame->ColorMap ? frame->ColorMap : r->gif->SColorMap;
    if (!map || frame->Width < 1 || frame->Height < 1)
        return gf_io_fail(r->err, GF_IO_DATA, "%s: damaged gif: a frame has no colours or no size", r->src->name);
    free(r->line);
    r->line = malloc((size_t)frame->Width);
    if (!r->line)
        return gf_io_fail(r->err, GF_IO_INTERNAL, "%s: out of memory", r->src->name);
    uint32_t passes = frame->Interlace ? 4 : 1;
    for (uint32_t pass = 0; pass < passes; pass++)
        for (int y = frame->Interlace ? first[pass] : 0; y < frame->Height; y += frame->Interlace ? step[pass] : 1) {
            if (gif_calls.DGifGetLine(r->gif, r->line, frame->Width) == GIF_ERROR)
                return damaged(r, r->gif->Error);
            if (!draw_line(r, map, (uint64_t)frame->Top + (uint64_t)y))
                return gf_io_fail(r->err, GF_IO_DATA, "%s: damaged gif: a colour beyond the palette", r->src->name);
            r->lines++;
        }
    return GF_IO_OK;
}

/* Skips the codes of a frame that is not drawn. */
static enum gf_io_status skip_frame(struct reader *r)
{
    GifByteType *block = NULL;
    int size;
    if (gif_calls.DGifGetCode(r->gif, &size, &block) == GIF_ERROR)
        return damaged(r, r->gif->Error);
    while (block)
        if (gif_calls.DGifGetCodeNext(r->gif, &block) == GIF_ERROR)
            return damaged(r, r->gif->Error);
    return GF_IO_OK;
}

static enum gf_io_status read_extension(struct reader *r)
{
    GifByteType *block = NULL;
    int code;
    if (gif_calls.DGifGetExtension(r->gif, &code, &block) == GIF_ERROR)
        return damaged(r, r->gif->Error);
    if (code == GRAPHICS_EXT_FUNC_CODE && block)
        (void)gif_calls.DGifExtensionToGCB(block[0], block + 1, &r->control);
    while (block)
        if (gif_calls.DGifGetExtensionNext(r->gif, &block) == GIF_ERROR)
            return damaged(r, r->gif->Error);
    return GF_IO_OK;
}

/* Whether a frame may leave pixels of the screen transparent. */
static bool may_be_transparent(const struct reader *r)
{
    const GifImageDesc *frame = &r->gif->Image;
    return r->control.TransparentColor != NO_TRANSPARENT_COLOR || frame->Left > 0 || frame->Top > 0 ||
           (uint64_t)frame->Width < r->image.view.width || (uint64_t)frame->Height < r->image.view.height;
}

/* Draws the frames up to the wanted one, and counts them all. */
static enum gf_io_status read_frames(struct reader *r)
{
    static const GraphicsControlBlock nothing = {.TransparentColor = NO_TRANSPARENT_COLOR};
    GifImageDesc last = {0};
    int disposal = DISPOSAL_UNSPECIFIED;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    r->control = nothing;
    for (;;) {
        enum gf_io_status s = GF_IO_OK;
        if (type == IMAGE_DESC_RECORD_TYPE && r->at == r->src->size) {
            gf_image_warn(&r->image, "%s: the end mark (trailer) is missing; the frames up to there are complete",
                          r->src->name);
            return GF_IO_OK;
        }
        if (gif_calls.DGifGetRecordType(r->gif, &type) == GIF_ERROR)
            return damaged(r, r->gif->Error);
        if (type == TERMINATE_RECORD_TYPE)
            return GF_IO_OK;
        if (type == EXTENSION_RECORD_TYPE)
            s = read_extension(r);
        if (type == IMAGE_DESC_RECORD_TYPE) {
            if (gif_calls.DGifGetImageDesc(r->gif) == GIF_ERROR)
                return damaged(r, r->gif->Error);
            bool drawn = r->n <= r->wanted && !r->src->how.only_head;
            r->opaque |= r->n <= r->wanted && !may_be_transparent(r);
            if (drawn && !dispose(r, &last, disposal))
                return gf_io_fail(r->err, GF_IO_INTERNAL, "%s: out of memory", r->src->name);
            s = drawn ? draw_frame(r) : skip_frame(r);
            last = r->gif->Image;
            disposal = r->control.DisposalMode;
            r->control = nothing;
            r->n++;
        }
        if (s != GF_IO_OK)
            return s;
    }
}

/* Converts to RGB if no pixel is transparent. */
static void drop_full_alpha(struct gf_image *image)
{
    uint64_t pixels = image->view.width * image->view.height;
    uint8_t *samples = image->data;
    for (uint64_t i = 0; i < pixels; i++)
        if (samples[4 * i + 3] != 255)
            return;
    for (uint64_t i = 0; i < pixels; i++)
        memmove(samples + 3 * i, samples + 4 * i, 3);
    image->view = gf_view_tight(GF_U8, image->view.width, image->view.height, 3);
}

static enum gf_io_status read_gif(struct reader *r)
{
    struct gf_view view;
    uint64_t index;
    enum gf_io_status s = gf_image_plan(r->src, GF_U8, (uint64_t)r->gif->SWidth, (uint64_t)r->gif->SHeight, 4,
                                        PIXELS_PER_BYTE, &view, r->err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(r->src, &view, &r->image, r->err);
    if (s != GF_IO_OK)
        return s;
    if (r->image.data)
        memset(r->image.data, 0, gf_view_bytes(&view));
    r->wanted = r->src->how.page > 0 ? r->src->how.page - 1 : 0;
    s = read_frames(r);
    if (s == GF_IO_DATA && r->src->how.salvage && r->lines > 0) {
        gf_image_warn(&r->image, "%s; salvaged in part", r->err->text);
        r->n += r->n == 0;
        s = GF_IO_OK;
    }
    if (s == GF_IO_OK && r->n == 0)
        s = gf_io_fail(r->err, GF_IO_DATA, "%s: damaged gif: it has no frame", r->src->name);
    bool asked = r->src->how.page > 0 || r->src->how.ret_pages;
    if (s == GF_IO_OK && asked)
        s = gf_image_choose_page(r->src, "frame", r->n, &index, r->err);
    if (s != GF_IO_OK)
        return s;
    if (!asked && r->n > 1)
        gf_image_warn(&r->image, "%s: has %" PRIu64 " frames; the first one is read; choose one with --page N",
                      r->src->name, r->n);
    if (!r->src->how.only_head)
        drop_full_alpha(&r->image);
    else if (r->opaque)
        r->image.view = gf_view_tight(GF_U8, view.width, view.height, 3);
    r->image.file_bytes = r->at;
    r->image.coding.compression = "LZW";
    r->image.coding.bits = r->gif->SColorMap ? (uint32_t)r->gif->SColorMap->BitsPerPixel : 8;
    return GF_IO_OK;
}

enum gf_io_status gf_gif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct gf_io_error why;
    struct reader r = {.src = src, .err = &why};
    int code = 0;
    enum gf_io_status s = gf_library_load(&library, src->name, &gf_gif_use, err);
    if (s != GF_IO_OK)
        return s;
    r.gif = gif_calls.DGifOpen(&r, read_bytes, &code);
    s = r.gif ? read_gif(&r) : damaged(&r, code);
    if (r.gif)
        (void)gif_calls.DGifCloseFile(r.gif, &code);
    free(r.before);
    free(r.line);
    if (s == GF_IO_OK)
        *ret_image = r.image;
    else
        gf_image_deinit(&r.image);
    if (s != GF_IO_OK && err)
        *err = why;
    return s;
}
