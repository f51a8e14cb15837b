/* SPDX-License-Identifier: MIT */
/*
 * Reads GIF through giflib: RGB, or RGBA if a pixel is transparent. A frame is the picture shown at its time: it is
 * drawn over the frames before it. The file is read twice, to count the frames and to draw. A file that ends after a
 * frame in place of the trailer is read with a warning. Called by image.c.
 */
#include <gif_lib.h>
#include <inttypes.h>
#include <string.h>

#include "client/image/library.h"
#include "client/io/input.h"

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
    bool is_cut;           /* a frame drawn so far reaches beyond the screen */
    bool opaque;           /* the first frame covers the screen without transparent colour */
    bool clears;           /* a frame but the last is disposed of so that a part of the screen may become transparent */
    uint32_t plays;        /* as in image_meta.h */
    uint64_t n;            /* frames read so far */
    uint64_t lines;        /* drawn */
    bool has_end;          /* there is an end mark */
    const char *lost;      /* why a part of the file cannot be read; NULL: it can */
    struct gf_pages pages; /* to draw; none, of none, while they are counted */
    struct gf_image *ret_image;
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
    return gf_io_fail(r->err, no_memory ? GF_IO_NO_MEMORY : GF_IO_DATA, "%s: damaged gif: %s", r->src->name,
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
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: out of memory", r->src->name);
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

/* Reads how often an animation is shown: once, and as often again as this extension says; 0 is for ever. */
static void read_loops(struct reader *r, const GifByteType *name, const GifByteType *block)
{
    static const char *const programs[] = {"NETSCAPE2.0", "ANIMEXTS1.0"};
    for (size_t i = 0; i < GF_ARRAY_LEN(programs); i++)
        if (name[0] == 11 && memcmp(name + 1, programs[i], 11) == 0 && block && block[0] == 3 && block[1] == 1) {
            uint32_t again = block[2] | (uint32_t)block[3] << 8;
            r->plays = again > 0 ? again + 1 : 0;
        }
}

static enum gf_io_status read_extension(struct reader *r)
{
    GifByteType *block = NULL, first[256] = {0};
    int code;
    if (gif_calls.DGifGetExtension(r->gif, &code, &block) == GIF_ERROR)
        return damaged(r, r->gif->Error);
    if (code == GRAPHICS_EXT_FUNC_CODE && block)
        (void)gif_calls.DGifExtensionToGCB(block[0], block + 1, &r->control);
    if (code == APPLICATION_EXT_FUNC_CODE && block)
        memcpy(first, block, 1u + block[0]);
    while (block) {
        if (gif_calls.DGifGetExtensionNext(r->gif, &block) == GIF_ERROR)
            return damaged(r, r->gif->Error);
        read_loops(r, first, block);
    }
    return GF_IO_OK;
}

/* Whether a frame may leave pixels of the screen transparent. */
static bool may_be_transparent(const struct reader *r)
{
    const GifImageDesc *frame = &r->gif->Image;
    return r->control.TransparentColor != NO_TRANSPARENT_COLOR || frame->Left > 0 || frame->Top > 0 ||
           (uint64_t)frame->Width < r->image.view.width || (uint64_t)frame->Height < r->image.view.height;
}

/* Whether a frame reaches beyond the screen, which GIF89a forbids; some readers enlarge the screen. */
static bool is_beyond(const struct reader *r)
{
    const GifImageDesc *frame = &r->gif->Image;
    return (uint64_t)frame->Left + (uint64_t)frame->Width > r->image.view.width ||
           (uint64_t)frame->Top + (uint64_t)frame->Height > r->image.view.height;
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

/* Gives a copy of the screen. All frames of an animation have as many channels. */
static enum gf_io_status give_frame(struct reader *r, const GraphicsControlBlock *control)
{
    gf_cleanup(gf_image_deinit) struct gf_image frame = GF_IMAGE_NULL;
    enum gf_io_status s = gf_image_alloc(r->src, &r->image.view, &frame, r->err);
    if (s != GF_IO_OK)
        return s;
    if (frame.data)
        memcpy(frame.data, r->image.data, gf_view_bytes(&frame.view));
    if (frame.data && (!r->src->how.take || (r->opaque && !r->clears)))
        drop_full_alpha(&frame);
    if (r->lost)
        gf_image_warn(&frame, "%s; salvaged in part", r->lost);
    else if (!r->has_end)
        gf_image_warn(&frame, "%s: the end mark (trailer) is missing; the frames up to there are complete",
                      r->src->name);
    if (r->is_cut)
        gf_image_warn(&frame,
                      "%s: a frame reaches beyond the screen of %" PRIu64 "x%" PRIu64 " pixels and is cut there",
                      r->src->name, frame.view.width, frame.view.height);
    frame.meta.delay[0] = (uint32_t)control->DelayTime;
    frame.meta.delay[1] = 100;
    frame.meta.plays = r->plays;
    frame.coding.compression = "LZW";
    frame.coding.bits = r->gif->SColorMap ? (uint32_t)r->gif->SColorMap->BitsPerPixel : 8;
    return gf_image_give(r->src, &r->pages, &frame, r->ret_image, r->err);
}

/* Reads a frame, draws it if it is wanted or below a wanted one, and gives it if it is wanted. */
static enum gf_io_status read_frame(struct reader *r, const GifImageDesc *last, int disposal)
{
    const GraphicsControlBlock control = r->control;
    if (gif_calls.DGifGetImageDesc(r->gif) == GIF_ERROR)
        return damaged(r, r->gif->Error);
    const bool drawn = r->n < r->pages.end;
    r->is_cut |= drawn && is_beyond(r);
    if (r->n == 0)
        r->opaque = !may_be_transparent(r);
    else
        r->clears |= disposal == DISPOSE_BACKGROUND || (disposal == DISPOSE_PREVIOUS && r->n == 1);
    if (drawn && !dispose(r, last, disposal))
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: out of memory", r->src->name);
    enum gf_io_status s = drawn ? draw_frame(r) : skip_frame(r);
    if (s == GF_IO_OK && drawn && r->n >= r->pages.first)
        s = give_frame(r, &control);
    r->n++;
    return s;
}

/* Reads the frames up to the last chosen one; all of them while they are counted. Without the end mark they are
 * complete if the file ends after a frame. */
static enum gf_io_status read_frames(struct reader *r)
{
    static const GraphicsControlBlock nothing = {.TransparentColor = NO_TRANSPARENT_COLOR};
    GifImageDesc last = {0};
    int disposal = DISPOSAL_UNSPECIFIED;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    r->control = nothing;
    while (r->n < r->pages.end || r->pages.n == 0) {
        enum gf_io_status s = GF_IO_OK;
        if (type == IMAGE_DESC_RECORD_TYPE && r->at == r->src->size)
            return GF_IO_OK;
        if (gif_calls.DGifGetRecordType(r->gif, &type) == GIF_ERROR)
            return damaged(r, r->gif->Error);
        r->has_end |= type == TERMINATE_RECORD_TYPE;
        if (type == TERMINATE_RECORD_TYPE)
            return GF_IO_OK;
        if (type == EXTENSION_RECORD_TYPE)
            s = read_extension(r);
        if (type == IMAGE_DESC_RECORD_TYPE) {
            s = read_frame(r, &last, disposal);
            last = r->gif->Image;
            disposal = r->control.DisposalMode;
            r->control = nothing;
        }
        if (s != GF_IO_OK)
            return s;
    }
    return GF_IO_OK;
}

/* Opens the file and checks the size of its screen. */
static enum gf_io_status open_gif(struct reader *r)
{
    int code = 0;
    r->gif = gif_calls.DGifOpen(r, read_bytes, &code);
    return r->gif ? gf_image_plan(r->src, GF_U8, (uint64_t)r->gif->SWidth, (uint64_t)r->gif->SHeight, 4,
                                  PIXELS_PER_BYTE, &r->image.view, r->err)
                  : damaged(r, code);
}

static void close_gif(struct reader *r)
{
    int code;
    if (r->gif)
        (void)gif_calls.DGifCloseFile(r->gif, &code);
    free(r->before);
    free(r->line);
    gf_image_deinit(&r->image);
}

/* Reads the file once without drawing. Damage after the first frame has begun is kept in *ret_lost if the rest is
 * wanted. */
static enum gf_io_status count_frames(struct reader *r, struct gf_io_error *ret_lost)
{
    enum gf_io_status s = open_gif(r);
    const bool opened = s == GF_IO_OK;
    if (opened)
        s = read_frames(r);
    if (s == GF_IO_DATA && opened && r->src->how.salvage) {
        *ret_lost = *r->err;
        r->n += r->n == 0;
        return GF_IO_OK;
    }
    return s == GF_IO_OK && r->n == 0 ? gf_io_fail(r->err, GF_IO_DATA, "%s: damaged gif: it has no frame", r->src->name)
                                      : s;
}

/* Draws the chosen frames on a screen that is transparent at first. */
static enum gf_io_status draw_frames(struct reader *r)
{
    enum gf_io_status s = open_gif(r);
    const struct gf_view view = r->image.view;
    if (s == GF_IO_OK)
        s = gf_image_alloc(r->src, &view, &r->image, r->err);
    if (s != GF_IO_OK)
        return s;
    memset(r->image.data, 0, gf_view_bytes(&view));
    s = read_frames(r);
    if (s == GF_IO_DATA && r->src->how.salvage && r->lines > 0) {
        r->lost = r->err->text;
        return give_frame(r, &r->control);
    }
    return s;
}

enum gf_io_status gf_gif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct gf_io_error why, lost = {.text = ""};
    struct reader count = {.src = src, .plays = 1, .err = &why};
    enum gf_io_status s = gf_library_load(&library, src->name, &gf_gif_use, &why);
    if (s == GF_IO_OK)
        s = count_frames(&count, &lost);
    struct reader r = {.src = src,
                       .opaque = count.opaque,
                       .clears = count.clears,
                       .plays = count.plays,
                       .has_end = count.has_end,
                       .lost = lost.text[0] ? lost.text : NULL,
                       .ret_image = ret_image,
                       .err = &why};
    if (s == GF_IO_OK)
        s = gf_image_choose_pages(src, "frame", count.n, &r.pages, &why);
    if (s == GF_IO_OK && src->how.only_head) {
        r.gif = gf_steal_ptr(&count.gif);
        r.image.view = gf_view_tight(GF_U8, count.image.view.width, count.image.view.height, r.opaque ? 3 : 4);
        s = give_frame(&r, &count.control);
    } else if (s == GF_IO_OK) {
        s = draw_frames(&r);
    }
    ret_image->file_bytes = count.at;
    close_gif(&count);
    close_gif(&r);
    if (s != GF_IO_OK && err)
        *err = why;
    return s;
}
