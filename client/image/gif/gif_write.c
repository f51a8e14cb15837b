/* SPDX-License-Identifier: MIT */
/*
 * Writes GIF through giflib. Each frame has its own palette: its colours if there are at most 256, otherwise the means
 * of the boxes that a median cut (Heckbert 1982) makes of them at 5 bits a channel, without dithering. A pixel whose
 * alpha is below half becomes transparent, any other opaque. Called by image.c.
 */
#include <gif_lib.h>
#include <inttypes.h>
#include <string.h>

#include "client/image/library.h"

#define MAX_COLOURS 256u
#define HASH_SIZE 1024u /* places for up to MAX_COLOURS colours */
#define BITS 5u         /* of a channel of a bin */
#define BINS (1u << (3 * BITS))
#define HALF 128u /* alpha from here on is opaque */
#define FOREVER 0u
#define CODE_EXT 1u

#define GIF_CALLS(call)                                                                                                \
    call(EGifOpen) call(EGifCloseFile) call(EGifSetGifVersion) call(EGifPutScreenDesc) call(EGifPutImageDesc)          \
        call(EGifPutLine) call(EGifPutExtension) call(EGifPutExtensionLeader) call(EGifPutExtensionBlock)              \
            call(EGifPutExtensionTrailer) call(EGifGCBToExtension) call(GifMakeMapObject) call(GifFreeMapObject)       \
                call(GifErrorString)

static struct {
    GIF_CALLS(GF_LIBRARY_MEMBER)
} gif_calls;

static const char *const names[] = {GIF_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "giflib", .file = GF_GIF_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gif_calls};

enum gf_io_status gf_gif_ready(const char *path, struct gf_io_error *err)
{
    return gf_library_load(&library, path, &gf_gif_use, err);
}

/* The colours of one channel sum in a bin. */
struct bin {
    uint32_t count, index; /* pixels; the bin's number, later its box */
    uint64_t sum[3];
};

/* Bins from first to end - 1. */
struct box {
    uint32_t first, end;
    uint64_t count;
};

struct palette {
    uint8_t colours[MAX_COLOURS][3];
    uint32_t n;
    bool has_transparent;     /* the last index, which is n */
    uint32_t keys[HASH_SIZE]; /* of exact colours: 1 + the colour; 0: free */
    uint8_t values[HASH_SIZE];
    uint8_t *boxes; /* the index of each bin if there are more colours; NULL: they are exact */
};

/* The samples of a frame: RGB, or RGBA. */
struct frame {
    const uint8_t *samples;
    uint64_t pixels;
    uint32_t step;
};

static bool is_transparent(const struct frame *f, const uint8_t *pixel)
{
    return f->step == 4 && pixel[3] < HALF;
}

static uint32_t key_of(const uint8_t *pixel)
{
    return 1 + ((uint32_t)pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16);
}

/* The place of a colour in the table, or a free place for it. */
static uint32_t find_place(const struct palette *p, uint32_t key)
{
    uint32_t place = key * 2654435761u >> 22;
    while (p->keys[place] != 0 && p->keys[place] != key)
        place = (place + 1) % HASH_SIZE;
    return place;
}

/* Collects the colours. False if they are too many for a palette. */
static bool collect(struct palette *p, const struct frame *f)
{
    const uint8_t *pixel = f->samples;
    for (uint64_t i = 0; i < f->pixels; i++, pixel += f->step) {
        if (is_transparent(f, pixel)) {
            p->has_transparent = true;
            if (p->n == MAX_COLOURS)
                return false;
            continue;
        }
        const uint32_t key = key_of(pixel), place = find_place(p, key);
        if (p->keys[place] == key)
            continue;
        if (p->n + p->has_transparent == MAX_COLOURS)
            return false;
        p->keys[place] = key;
        p->values[place] = (uint8_t)p->n;
        memcpy(p->colours[p->n++], pixel, 3);
    }
    return true;
}

static uint32_t bin_of(const uint8_t *pixel)
{
    return (uint32_t)pixel[0] >> (8 - BITS) << (2 * BITS) | (uint32_t)pixel[1] >> (8 - BITS) << BITS |
           (uint32_t)pixel[2] >> (8 - BITS);
}

static uint32_t level(const struct bin *bin, uint32_t channel)
{
    return bin->index >> (BITS * (2 - channel)) & ((1u << BITS) - 1);
}

/* The channel in which the bins of a box differ most, and by how much. */
static uint32_t widest(const struct bin *bins, const struct box *box, uint32_t *ret_width)
{
    uint32_t channel = 0;
    *ret_width = 0;
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (uint32_t i = box->first; i < box->end; i++) {
            const uint32_t v = level(&bins[i], c);
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
        if (most - least > *ret_width) {
            *ret_width = most - least;
            channel = c;
        }
    }
    return channel;
}

#define COMPARE(name, channel)                                                                                         \
    static int name(const void *a, const void *b)                                                                      \
    {                                                                                                                  \
        const struct bin *x = a, *y = b;                                                                               \
        const uint32_t u = level(x, channel), v = level(y, channel);                                                   \
        return u != v ? (u < v ? -1 : 1) : x->index < y->index ? -1 : x->index > y->index;                             \
    }
COMPARE(by_red, 0)
COMPARE(by_green, 1)
COMPARE(by_blue, 2)

/* Cuts a box so that both parts have about as many pixels. */
static void cut(struct bin *bins, struct box *box, uint32_t channel, struct box *ret_rest)
{
    static int (*const orders[])(const void *a, const void *b) = {by_red, by_green, by_blue};
    qsort(bins + box->first, box->end - box->first, sizeof(*bins), orders[channel]);
    uint64_t count = bins[box->first].count;
    uint32_t middle = box->first + 1;
    while (middle + 1 < box->end && 2 * (count + bins[middle].count) <= box->count)
        count += bins[middle++].count;
    *ret_rest = (struct box){middle, box->end, box->count - count};
    box->end = middle;
    box->count = count;
}

/* Cuts all bins into boxes, that with the most pixels times the width first; returns their number. */
static uint32_t cut_all(struct bin *bins, uint32_t n_bins, uint64_t pixels, uint32_t max, struct box *boxes)
{
    uint32_t n = 1;
    boxes[0] = (struct box){0, n_bins, pixels};
    while (n < max) {
        uint32_t best = n, channel = 0, width;
        uint64_t most = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t c = widest(bins, &boxes[i], &width);
            if (boxes[i].count * width > most) {
                most = boxes[i].count * width;
                best = i;
                channel = c;
            }
        }
        if (best == n)
            break;
        cut(bins, &boxes[best], channel, &boxes[n++]);
    }
    return n;
}

/* Makes a palette of the means of boxes of colours. False without memory. */
static bool reduce(struct palette *p, const struct frame *f)
{
    struct box boxes[MAX_COLOURS];
    gf_cleanup(gf_freep) struct bin *bins = calloc(BINS, sizeof(*bins));
    uint32_t n = 0;
    uint64_t pixels = 0;
    p->boxes = calloc(BINS, 1);
    if (!bins || !p->boxes)
        return false;
    p->has_transparent = false;
    for (uint64_t i = 0; i < f->pixels; i++) {
        const uint8_t *pixel = f->samples + i * f->step;
        p->has_transparent |= is_transparent(f, pixel);
        if (is_transparent(f, pixel))
            continue;
        struct bin *bin = &bins[bin_of(pixel)];
        pixels++;
        bin->count++;
        for (uint32_t c = 0; c < 3; c++)
            bin->sum[c] += pixel[c];
    }
    for (uint32_t i = 0; i < BINS; i++)
        if (bins[i].count > 0) {
            bins[n] = bins[i];
            bins[n++].index = i;
        }
    p->n = cut_all(bins, n, pixels, MAX_COLOURS - p->has_transparent, boxes);
    for (uint32_t b = 0; b < p->n; b++) {
        uint64_t sum[3] = {0};
        for (uint32_t i = boxes[b].first; i < boxes[b].end; i++) {
            p->boxes[bins[i].index] = (uint8_t)b;
            for (uint32_t c = 0; c < 3; c++)
                sum[c] += bins[i].sum[c];
        }
        for (uint32_t c = 0; c < 3; c++)
            p->colours[b][c] = (uint8_t)((sum[c] + boxes[b].count / 2) / boxes[b].count);
    }
    return true;
}

static uint8_t index_of(const struct palette *p, const struct frame *f, const uint8_t *pixel)
{
    if (is_transparent(f, pixel))
        return (uint8_t)p->n;
    return p->boxes ? p->boxes[bin_of(pixel)] : p->values[find_place(p, key_of(pixel))];
}

/* The pixels that a reader will see changed, besides the colours of transparent ones. */
static uint64_t count_changed(const struct palette *p, const struct frame *f)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->pixels; i++) {
        const uint8_t *pixel = f->samples + i * f->step;
        const bool whole = f->step == 3 || pixel[3] == 0 || pixel[3] == UINT8_MAX;
        n += !whole || (!is_transparent(f, pixel) && memcmp(p->colours[index_of(p, f, pixel)], pixel, 3) != 0);
    }
    return n;
}

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int size)
{
    /* The output remembers failures. */
    (void)gf_output_write(gif->UserData, bytes, (size_t)size, NULL);
    return size;
}

static void close_gif(void *state)
{
    int code;
    (void)gif_calls.EGifCloseFile(state, &code);
}

/* Begins the file. A GIF is shown once, and then as often again as an extension says. */
static bool open_gif(struct gf_image_pages *pages, const struct gf_view *view, const struct gf_image_meta *meta)
{
    int code;
    const uint32_t plays = meta ? meta->plays : FOREVER;
    const uint32_t again = plays == FOREVER ? 0 : plays - 1 < UINT16_MAX ? plays - 1 : UINT16_MAX;
    const uint8_t loops[] = {CODE_EXT, (uint8_t)again, (uint8_t)(again >> 8)};
    GifFileType *gif = gif_calls.EGifOpen(pages->out, write_bytes, &code);
    pages->state = gif;
    pages->free_state = close_gif;
    if (!gif)
        return false;
    gif_calls.EGifSetGifVersion(gif, true);
    if (gif_calls.EGifPutScreenDesc(gif, (int)view->width, (int)view->height, 8, 0, NULL) == GIF_ERROR)
        return false;
    return pages->n == 1 || plays == 1 ||
           (gif_calls.EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
            gif_calls.EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
            gif_calls.EGifPutExtensionBlock(gif, sizeof(loops), loops) == GIF_OK &&
            gif_calls.EGifPutExtensionTrailer(gif) == GIF_OK);
}

/* Every frame covers the screen. A transparent one must not show the one before it. */
static bool put_frame(GifFileType *gif, const struct palette *p, const struct frame *f, const struct gf_view *view,
                      uint32_t delay)
{
    GifColorType colours[MAX_COLOURS] = {{0}};
    GifByteType extension[4];
    uint8_t line[UINT16_MAX];
    const GraphicsControlBlock control = {.DisposalMode = f->step == 4 ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT,
                                          .DelayTime = (int)delay,
                                          .TransparentColor = p->has_transparent ? (int)p->n : NO_TRANSPARENT_COLOR};
    int n = 2;
    while ((uint32_t)n < p->n + p->has_transparent)
        n *= 2;
    for (uint32_t i = 0; i < p->n; i++)
        colours[i] = (GifColorType){p->colours[i][0], p->colours[i][1], p->colours[i][2]};
    ColorMapObject *map = gif_calls.GifMakeMapObject(n, colours);
    bool done = map && gif_calls.EGifGCBToExtension(&control, extension) == sizeof(extension) &&
                gif_calls.EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof(extension), extension) == GIF_OK &&
                gif_calls.EGifPutImageDesc(gif, 0, 0, (int)view->width, (int)view->height, false, map) == GIF_OK;
    for (uint64_t y = 0; done && y < view->height; y++) {
        for (uint64_t x = 0; x < view->width; x++)
            line[x] = index_of(p, f, f->samples + (y * view->width + x) * f->step);
        done = gif_calls.EGifPutLine(gif, line, (int)view->width) == GIF_OK;
    }
    gif_calls.GifFreeMapObject(map);
    return done;
}

static enum gf_io_status write_frame(struct gf_image_pages *pages, struct palette *p, const struct frame *f,
                                     const struct gf_view *view, const struct gf_image_save *save,
                                     struct gf_io_error *err)
{
    if (!collect(p, f) && !reduce(p, f))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "gif: out of memory");
    const uint64_t changed = count_changed(p, f);
    if (changed > 0 && save->strict)
        return gf_io_fail(err, GF_IO_DATA,
                          "gif: a frame has at most %u colours and no partial alpha, which changes %" PRIu64
                          " of %" PRIu64 " pixels; leave --strict out to accept that",
                          MAX_COLOURS, changed, f->pixels);
    if (save->changed)
        *save->changed += changed;
    if (pages->done == 0 && !open_gif(pages, view, save->meta))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "gif: out of memory");
    GifFileType *gif = pages->state;
    if (!put_frame(gif, p, f, view, pages->n > 1 ? gf_image_delay(pages, save->meta, 100, UINT16_MAX) : 0)) {
        const char *why = gif_calls.GifErrorString(gif->Error);
        return gf_io_fail(err, GF_IO_INTERNAL, "gif: %s", why ? why : "out of memory");
    }
    if (pages->done + 1 == pages->n)
        close_gif(gf_steal_ptr(&pages->state));
    return gf_output_write(pages->out, NULL, 0, err);
}

enum gf_io_status gf_gif_encode_page(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                     const struct gf_image_save *save, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) uint8_t *colour = NULL;
    struct frame f = {.samples = data, .pixels = view->width * view->height, .step = view->channels};
    enum gf_io_status s = gf_gif_ready("the result", err);
    if (s != GF_IO_OK)
        return s;
    if (view->channels < 3) {
        f.samples = colour = gf_image_expand_grey(view, data);
        f.step += 2;
    }
    struct palette *p = calloc(1, sizeof(*p));
    if (!p || !f.samples)
        s = gf_io_fail(err, GF_IO_NO_MEMORY, "gif: out of memory");
    else
        s = write_frame(pages, p, &f, view, save, err);
    if (p)
        free(p->boxes);
    free(p);
    return s;
}

enum gf_io_status gf_gif_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    struct gf_image_pages only = {.n = 1, .out = out};
    enum gf_io_status s = gf_gif_encode_page(&only, view, data, save, err);
    if (only.state)
        only.free_state(only.state);
    return s;
}
