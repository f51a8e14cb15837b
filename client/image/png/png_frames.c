/* SPDX-License-Identifier: MIT */
/*
 * The frames of animated PNG (APNG, PNG specification, third edition). They are read as they are shown: a frame is a
 * PNG of its own without a head, which is drawn over a part of the canvas. See png_codec.h.
 */
#include "png_codec.h"

#include <inttypes.h>
#include <string.h>

#include "client/io/input.h"

#define HEAD 8u   /* bytes of a chunk before its data: length and type */
#define CHUNK 12u /* bytes of a chunk without its data */
#define IHDR_BYTES 13u
#define FCTL_BYTES 26u
#define SEQUENCE_BYTES 4u

enum { DISPOSE_NONE, DISPOSE_BACKGROUND, DISPOSE_PREVIOUS };

/* A frame, by its chunk fcTL. */
struct frame {
    uint32_t width, height, x, y, delay[2], dispose;
    bool over; /* blend with the canvas, otherwise replace its samples */
};

struct reader {
    const struct gf_source *src;
    const struct gf_pages *pages;
    const struct gf_png_animation *animation;
    size_t at;             /* of the next chunk */
    uint32_t sequence;     /* of the next chunk of the animation */
    struct gf_image still; /* the first page */
    struct gf_image canvas;
    uint8_t *before; /* the canvas before a frame that will be undone; NULL: none yet */
    struct gf_image *ret_image;
    struct gf_io_error *err;
};

static uint32_t get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

/* The checksum of a chunk over type and data (CRC-32), four bits at a time. */
static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static bool is_type(const uint8_t *chunk, const char *type)
{
    return memcmp(chunk + 4, type, 4) == 0;
}

/* Whether a whole chunk is at `at`. */
static bool has_chunk(const struct gf_source *src, size_t at)
{
    return src->size - at >= CHUNK && gf_get_be32(src->data + at) <= src->size - at - CHUNK;
}

static void read_delay(const uint8_t *fctl, uint32_t delay[2])
{
    delay[0] = get16(fctl + 20);
    delay[1] = get16(fctl + 22) ? get16(fctl + 22) : 100;
}

struct gf_png_animation gf_png_animation_find(const struct gf_source *src)
{
    struct gf_png_animation a = {.pages = 1, .is_separate = true};
    uint32_t length, claimed = 0, n = 0;
    const size_t control = gf_png_find_chunk(src->data, src->size, "acTL", &length);
    const size_t idat = gf_png_find_chunk(src->data, src->size, "IDAT", &length);
    if (control >= idat || idat == src->size || gf_get_be32(src->data + control) != 8)
        return a;
    claimed = gf_get_be32(src->data + control + HEAD);
    a.plays = gf_get_be32(src->data + control + HEAD + 4);
    for (size_t at = 8; n < claimed; n++, at += CHUNK + (size_t)length) {
        at = gf_png_find_chunk_from(src->data, src->size, at, "fcTL", &length);
        if (at == src->size || length != FCTL_BYTES)
            break;
        if (n == 0 && at < idat) {
            a.is_separate = false;
            read_delay(src->data + at + HEAD, a.delay);
        }
    }
    a.missing = claimed - n;
    a.pages = n + (uint64_t)a.is_separate;
    return a;
}

void gf_png_warn(const struct gf_source *src, const struct gf_png_animation *animation, struct gf_image *image)
{
    if (animation->lacks_end)
        gf_image_warn(image, "%s: the end mark (IEND) is missing, but the samples are complete", src->name);
    if (animation->missing > 0)
        gf_image_warn(image, "%s: damaged png: %" PRIu32 " frames of the animation are missing", src->name,
                      animation->missing);
}

static enum gf_io_status damaged(const struct reader *r, const char *why)
{
    return gf_io_fail(r->err, GF_IO_DATA, "%s: damaged png: %s", r->src->name, why);
}

/* Checks the place of a chunk among those of the animation. */
static bool is_next(struct reader *r, const uint8_t *chunk)
{
    return gf_get_be32(chunk) >= SEQUENCE_BYTES && gf_get_be32(chunk + HEAD) == r->sequence++;
}

static enum gf_io_status read_control(struct reader *r, const uint8_t *chunk, struct frame *ret_frame)
{
    const uint8_t *p = chunk + HEAD;
    const uint8_t *ihdr = r->src->data + GF_PNG_HEAD - 4 - IHDR_BYTES;
    if (!is_next(r, chunk) || gf_get_be32(chunk) != FCTL_BYTES)
        return damaged(r, "the frames are not in order");
    struct frame f = {.width = gf_get_be32(p + 4),
                      .height = gf_get_be32(p + 8),
                      .x = gf_get_be32(p + 12),
                      .y = gf_get_be32(p + 16),
                      .dispose = p[24],
                      .over = p[25] == 1};
    read_delay(p, f.delay);
    const uint64_t width = gf_get_be32(ihdr), height = gf_get_be32(ihdr + 4);
    if (f.width == 0 || f.height == 0 || (uint64_t)f.x + f.width > width || (uint64_t)f.y + f.height > height ||
        f.dispose > DISPOSE_PREVIOUS || p[25] > 1)
        return damaged(r, "a frame is outside of the picture, or its control is invalid");
    *ret_frame = f;
    return GF_IO_OK;
}

/* Appends a chunk; the type comes from the first four bytes of `bytes`. */
static uint8_t *put_chunk(uint8_t *to, const uint8_t *bytes, size_t size)
{
    gf_put_be32(to, (uint32_t)(size - 4));
    memcpy(to + 4, bytes, size);
    gf_put_be32(to + 4 + size, crc_of(bytes, size));
    return to + 8 + size;
}

/* Makes a file of the samples of the chunks from r->at up to the next frame. *ret_size is 0 if there are none. */
static enum gf_io_status make_file(struct reader *r, const struct frame *frame, uint8_t **ret_file, size_t *ret_size)
{
    static const uint8_t iend[] = {'I', 'E', 'N', 'D'};
    const struct gf_source *src = r->src;
    size_t end = r->at, samples = 0, kept = 0;
    for (size_t at = 8; has_chunk(src, at); at += CHUNK + gf_get_be32(src->data + at)) {
        const uint8_t *chunk = src->data + at;
        kept += is_type(chunk, "PLTE") || is_type(chunk, "tRNS") ? CHUNK + (size_t)gf_get_be32(chunk) : 0;
        if (is_type(chunk, "IDAT"))
            break;
    }
    for (; has_chunk(src, end) && !is_type(src->data + end, "fcTL") && !is_type(src->data + end, "IEND");
         end += CHUNK + gf_get_be32(src->data + end))
        if (is_type(src->data + end, "IDAT") || is_type(src->data + end, "fdAT"))
            samples += CHUNK + (size_t)gf_get_be32(src->data + end);
    uint8_t *file = malloc(GF_PNG_HEAD + kept + samples + CHUNK), *to = file;
    if (!file)
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: out of memory", src->name);
    *ret_file = file;
    memcpy(file, src->data, GF_PNG_HEAD);
    gf_put_be32(file + 8 + HEAD, frame->width);
    gf_put_be32(file + 8 + HEAD + 4, frame->height);
    gf_put_be32(file + GF_PNG_HEAD - 4, crc_of(file + 8 + 4, 4 + IHDR_BYTES));
    to += GF_PNG_HEAD;
    for (size_t at = 8; kept > 0 && has_chunk(src, at) && !is_type(src->data + at, "IDAT");
         at += CHUNK + gf_get_be32(src->data + at)) {
        const uint8_t *chunk = src->data + at;
        const size_t size = CHUNK + (size_t)gf_get_be32(chunk);
        if (!is_type(chunk, "PLTE") && !is_type(chunk, "tRNS"))
            continue;
        memcpy(to, chunk, size);
        to += size;
    }
    for (size_t length; r->at < end; r->at += CHUNK + length) {
        const uint8_t *chunk = src->data + r->at;
        const bool is_fdat = is_type(chunk, "fdAT");
        length = gf_get_be32(chunk);
        if (is_fdat && !is_next(r, chunk))
            return damaged(r, "the frames are not in order");
        if (is_type(chunk, "IDAT")) {
            memcpy(to, chunk, CHUNK + length);
            to += CHUNK + length;
        } else if (is_fdat) { /* the sequence number gives its place to the type */
            memcpy(to + HEAD, chunk + HEAD + SEQUENCE_BYTES, length - SEQUENCE_BYTES);
            memcpy(to + 4, "IDAT", 4);
            gf_put_be32(to, (uint32_t)(length - SEQUENCE_BYTES));
            gf_put_be32(to + HEAD + length - SEQUENCE_BYTES, crc_of(to + 4, length));
            to += CHUNK + length - SEQUENCE_BYTES;
        }
    }
    to = put_chunk(to, iend, sizeof(iend));
    *ret_size = samples > 0 ? (size_t)(to - file) : 0;
    return GF_IO_OK;
}

static uint64_t get(const void *samples, bool wide, uint64_t i)
{
    return wide ? ((const uint16_t *)samples)[i] : ((const uint8_t *)samples)[i];
}

static void put(void *samples, bool wide, uint64_t i, uint64_t value)
{
    if (wide)
        ((uint16_t *)samples)[i] = (uint16_t)value;
    else
        ((uint8_t *)samples)[i] = (uint8_t)value;
}

/* Draws a pixel with straight alpha `a` over another one. */
static void draw_over(const void *from, uint64_t i, void *to, uint64_t k, uint32_t colours, bool wide)
{
    const uint64_t max = wide ? UINT16_MAX : UINT8_MAX, a = get(from, wide, i + colours);
    const uint64_t u = a * max, v = (max - a) * get(to, wide, k + colours), sum = u + v;
    for (uint32_t c = 0; c < colours; c++)
        put(to, wide, k + c, (get(from, wide, i + c) * u + get(to, wide, k + c) * v + sum / 2) / sum);
    put(to, wide, k + colours, (sum + max / 2) / max);
}

/* Draws a frame on the canvas, which may have alpha where the file has none. */
static void draw(const struct gf_image *part, const struct frame *f, struct gf_image *canvas)
{
    const struct gf_view *v = &part->view, *cv = &canvas->view;
    const bool wide = v->dtype == GF_U16, has_alpha = v->channels % 2 == 0;
    const uint64_t max = wide ? UINT16_MAX : UINT8_MAX;
    const uint32_t colours = v->channels - has_alpha;
    for (uint64_t y = 0; y < v->height; y++)
        for (uint64_t x = 0; x < v->width; x++) {
            uint64_t i = (y * v->width + x) * v->channels, k = ((f->y + y) * cv->width + f->x + x) * cv->channels;
            uint64_t a = has_alpha ? get(part->data, wide, i + colours) : max;
            if (f->over && a == 0)
                continue;
            if (f->over && a < max) {
                draw_over(part->data, i, canvas->data, k, colours, wide);
                continue;
            }
            for (uint32_t c = 0; c < colours; c++)
                put(canvas->data, wide, k + c, get(part->data, wide, i + c));
            if (cv->channels > colours)
                put(canvas->data, wide, k + colours, a);
        }
}

/* Makes the place of a frame transparent. */
static void clear(const struct frame *f, struct gf_image *canvas)
{
    const struct gf_view *v = &canvas->view;
    const size_t pixel = v->channels * gf_dtype_size(v->dtype);
    for (uint64_t y = f->y; y < (uint64_t)f->y + f->height; y++)
        memset((uint8_t *)canvas->data + y * v->pitch + f->x * pixel, 0, f->width * pixel);
}

/* Whether a part of the canvas may become transparent: where the first frame does not cover it, and where a frame is
 * cleared. */
static bool may_clear(const struct reader *r)
{
    const uint8_t *ihdr = r->src->data + GF_PNG_HEAD - 4 - IHDR_BYTES;
    uint32_t length;
    bool clears = false;
    size_t at = 8;
    for (uint64_t i = r->animation->is_separate; i < r->pages->n; i++, at += CHUNK + (size_t)length) {
        at = gf_png_find_chunk_from(r->src->data, r->src->size, at, "fcTL", &length);
        const uint8_t *p = r->src->data + at + HEAD;
        const bool is_first = i == r->animation->is_separate, is_last = i + 1 == r->pages->n;
        clears |= (is_first && memcmp(p + 4, ihdr, 8) != 0) ||
                  (!is_last && (p[24] == DISPOSE_BACKGROUND || (is_first && p[24] == DISPOSE_PREVIOUS)));
    }
    return clears;
}

/* Reads the first page, which checks the whole file, and allocates the canvas: with alpha if the file has it or if a
 * part of the canvas may become transparent. */
static enum gf_io_status make_canvas(struct reader *r)
{
    enum gf_io_status s = gf_png_decode_samples(r->src, &r->still, r->err);
    if (s != GF_IO_OK)
        return s;
    const struct gf_view *v = &r->still.view;
    const uint32_t channels = v->channels + (v->channels % 2 != 0 && may_clear(r));
    const struct gf_view view = gf_view_tight(v->dtype, v->width, v->height, channels);
    s = gf_image_alloc(r->src, &view, &r->canvas, r->err);
    if (s == GF_IO_OK)
        memset(r->canvas.data, 0, gf_view_bytes(&view));
    return s;
}

static enum gf_io_status give(struct reader *r, const struct frame *frame)
{
    gf_cleanup(gf_image_deinit) struct gf_image page = GF_IMAGE_NULL;
    enum gf_io_status s = gf_image_alloc(r->src, &r->canvas.view, &page, r->err);
    if (s != GF_IO_OK)
        return s;
    memcpy(page.data, r->canvas.data, gf_view_bytes(&page.view));
    gf_png_describe(r->src, &page);
    memcpy(page.meta.delay, frame->delay, sizeof(frame->delay));
    page.meta.plays = r->animation->plays;
    gf_png_warn(r->src, r->animation, &page);
    return gf_image_give(r->src, r->pages, &page, r->ret_image, r->err);
}

/* Reads the samples of a frame that has some of its own. */
static enum gf_io_status read_part(struct reader *r, const struct frame *f, struct gf_image *ret_part)
{
    gf_cleanup(gf_freep) uint8_t *file = NULL;
    struct gf_source src = *r->src;
    src.how = (struct gf_image_load){.threads = r->src->how.threads};
    enum gf_io_status s = make_file(r, f, &file, &src.size);
    src.data = file;
    if (s == GF_IO_OK && src.size == 0)
        return damaged(r, "a frame has no samples");
    return s == GF_IO_OK ? gf_png_decode_samples(&src, ret_part, r->err) : s;
}

/* Draws a frame and gives it if it is wanted. */
static enum gf_io_status read_frame(struct reader *r, struct frame *f, uint64_t page)
{
    gf_cleanup(gf_image_deinit) struct gf_image part = GF_IMAGE_NULL;
    const size_t bytes = gf_view_bytes(&r->canvas.view);
    const bool is_first = page == 0 || (page == 1 && r->animation->is_separate);
    if (page == 0 && (f->width != r->canvas.view.width || f->height != r->canvas.view.height))
        return damaged(r, "the first frame does not cover the picture");
    enum gf_io_status s = page > 0 ? read_part(r, f, &part) : GF_IO_OK;
    if (s != GF_IO_OK)
        return s;
    if (f->dispose == DISPOSE_PREVIOUS && is_first)
        f->dispose = DISPOSE_BACKGROUND;
    if (f->dispose == DISPOSE_PREVIOUS && !r->before)
        r->before = gf_large_alloc(bytes);
    if (f->dispose == DISPOSE_PREVIOUS && !r->before)
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: out of memory", r->src->name);
    if (f->dispose == DISPOSE_PREVIOUS)
        memcpy(r->before, r->canvas.data, bytes);
    f->over = f->over && !is_first;
    draw(page > 0 ? &part : &r->still, f, &r->canvas);
    if (page >= r->pages->first)
        s = give(r, f);
    if (f->dispose == DISPOSE_PREVIOUS)
        memcpy(r->canvas.data, r->before, bytes);
    else if (f->dispose == DISPOSE_BACKGROUND)
        clear(f, &r->canvas);
    return s;
}

static enum gf_io_status read_pages(struct reader *r)
{
    uint32_t length;
    uint64_t page = 0;
    enum gf_io_status s = make_canvas(r);
    r->at = 8;
    if (s == GF_IO_OK && r->animation->is_separate && r->pages->first == 0) {
        const struct gf_view *v = &r->canvas.view;
        struct frame still = {
            .width = (uint32_t)v->width, .height = (uint32_t)v->height, .dispose = DISPOSE_BACKGROUND};
        s = read_frame(r, &still, page);
    }
    page += r->animation->is_separate;
    for (; s == GF_IO_OK && page < r->pages->end; page++) {
        struct frame f;
        r->at = gf_png_find_chunk_from(r->src->data, r->src->size, r->at, "fcTL", &length);
        if (r->at == r->src->size)
            return damaged(r, "a frame is missing");
        s = read_control(r, r->src->data + r->at, &f);
        r->at += CHUNK + (size_t)length;
        if (s == GF_IO_OK)
            s = read_frame(r, &f, page);
    }
    return s;
}

enum gf_io_status gf_png_read_frames(const struct gf_source *src, const struct gf_png_animation *animation,
                                     const struct gf_pages *pages, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct reader r = {.src = src, .pages = pages, .animation = animation, .ret_image = ret_image, .err = err};
    enum gf_io_status s = read_pages(&r);
    gf_image_deinit(&r.still);
    gf_image_deinit(&r.canvas);
    free(r.before);
    return s;
}

/* Writes a chunk; the type comes from the first four bytes of `bytes`. The output remembers failures. */
static void write_chunk(struct gf_output_file *out, const uint8_t *bytes, size_t size)
{
    uint8_t number[4];
    gf_put_be32(number, (uint32_t)(size - 4));
    (void)gf_output_write(out, number, sizeof(number), NULL);
    (void)gf_output_write(out, bytes, size, NULL);
    gf_put_be32(number, crc_of(bytes, size));
    (void)gf_output_write(out, number, sizeof(number), NULL);
}

static void write_head(const struct gf_image_pages *pages, const struct gf_view *view, const struct gf_image_meta *meta)
{
    static const struct gf_image_meta none;
    const struct spng_ihdr ihdr = gf_png_ihdr(view);
    uint8_t head[4 + IHDR_BYTES] = {'I', 'H', 'D', 'R'}, control[4 + 8] = {'a', 'c', 'T', 'L'};
    size_t size = 0;
    gf_put_be32(head + 4, ihdr.width);
    gf_put_be32(head + 8, ihdr.height);
    head[12] = ihdr.bit_depth;
    head[13] = ihdr.color_type;
    gf_put_be32(control + 4, (uint32_t)pages->n);
    gf_put_be32(control + 8, meta ? meta->plays : 0);
    gf_cleanup(gf_freep) uint8_t *chunks = gf_png_meta_chunks(meta ? meta : &none, &ihdr, &size);
    (void)gf_output_write(pages->out, "\x89PNG\r\n\x1a\n", 8, NULL);
    write_chunk(pages->out, head, sizeof(head));
    write_chunk(pages->out, control, sizeof(control));
    (void)gf_output_write(pages->out, chunks, size, NULL);
}

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* Both numbers have 16 bits; longer ones become milliseconds. */
static void put_delay(struct gf_image_pages *pages, uint8_t *fctl, const struct gf_image_meta *meta)
{
    const bool fits = meta && meta->delay[1] > 0 && meta->delay[0] <= UINT16_MAX && meta->delay[1] <= UINT16_MAX;
    put16(fctl + 20, fits ? meta->delay[0] : gf_image_delay(pages, meta, 1000, UINT16_MAX));
    put16(fctl + 22, fits ? meta->delay[1] : 1000);
}

/* Writes the samples of a PNG file as those of a frame. */
static enum gf_io_status write_samples(struct gf_image_pages *pages, const uint8_t *file, size_t file_size,
                                       uint32_t *sequence, struct gf_io_error *err)
{
    uint32_t length;
    for (size_t at = 8;; at += CHUNK + (size_t)length) {
        at = gf_png_find_chunk_from(file, file_size, at, "IDAT", &length);
        if (at == file_size)
            return GF_IO_OK;
        if (pages->done == 0) {
            (void)gf_output_write(pages->out, file + at, CHUNK + (size_t)length, NULL);
            continue;
        }
        const size_t size = 4 + SEQUENCE_BYTES + (size_t)length;
        gf_cleanup(gf_freep) uint8_t *bytes = malloc(size);
        if (!bytes)
            return gf_io_fail(err, GF_IO_NO_MEMORY, "png: out of memory");
        memcpy(bytes, "fdAT", 4);
        gf_put_be32(bytes + 4, (*sequence)++);
        memcpy(bytes + 4 + SEQUENCE_BYTES, file + at + HEAD, length);
        write_chunk(pages->out, bytes, size);
    }
}

enum gf_io_status gf_png_encode_page(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                     const struct gf_image_save *save, struct gf_io_error *err)
{
    static const uint8_t iend[] = {'I', 'E', 'N', 'D'};
    uint8_t control[4 + FCTL_BYTES] = {'f', 'c', 'T', 'L'};
    size_t size = 0;
    int code = 0;
    if (pages->n == 1)
        return gf_png_encode(pages->out, view, data, save, err);
    if (pages->n > INT32_MAX)
        return gf_io_fail(err, GF_IO_DATA, "png: has %" PRIu64 " pages; it must have at most %d", pages->n, INT32_MAX);
    if (!pages->state) {
        pages->state = calloc(1, sizeof(uint32_t));
        pages->free_state = free;
    }
    uint32_t *sequence = pages->state;
    gf_cleanup(gf_png_ctx_freep) spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    if (!ctx || !sequence || spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "png: out of memory");
    code = gf_png_encode_samples(ctx, view, data, save->png_level ? save->png_level : GF_PNG_LEVEL);
    gf_cleanup(gf_freep) uint8_t *file = code ? NULL : spng_get_png_buffer(ctx, &size, &code);
    if (code)
        return gf_io_fail(err, GF_IO_INTERNAL, "png: %s", spng_strerror(code));
    if (pages->done == 0)
        write_head(pages, view, save->meta);
    gf_put_be32(control + 4, (*sequence)++);
    gf_put_be32(control + 8, (uint32_t)view->width);
    gf_put_be32(control + 12, (uint32_t)view->height);
    put_delay(pages, control + 4, save->meta);
    write_chunk(pages->out, control, sizeof(control));
    enum gf_io_status s = write_samples(pages, file, size, sequence, err);
    if (s == GF_IO_OK && pages->done + 1 == pages->n)
        write_chunk(pages->out, iend, sizeof(iend));
    return s == GF_IO_OK ? gf_output_write(pages->out, NULL, 0, err) : s;
}
