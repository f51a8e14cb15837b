/* SPDX-License-Identifier: MIT */
/*
 * NumPy arrays (.npy, versions 1 to 3) of 0 to 4 dimensions: of 1 (W), 2 (H, W), 3 (H, W, C), and a stack of pages of 3
 * (N, H, W) or 4 (N, H, W, C). Of three dimensions the last is channels if it is 1 to 4. Arrays in Fortran order and
 * big-endian arrays are read as numpy.ascontiguousarray and astype convert them, bool as u8. Any other header is
 * refused, and so is a header that claims more or fewer bytes than the file has. Called by image.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image_codec.h"

#define MAGIC_SIZE 8u /* including the version */
#define MAX_HEADER 65536u
#define MAX_DIMS 4
#define ALIGN 64u
#define BLOCK 64u /* rows in the cache while columns are read */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored as they are in memory");

static const struct {
    const char *descr;
    uint32_t dtype;
} types[] = {
    {"|u1", GF_U8},  {"|i1", GF_I8},  {"<u1", GF_U8},  {"<i1", GF_I8},  {"<u2", GF_U16},
    {"<i2", GF_I16}, {"<u4", GF_U32}, {"<i4", GF_I32}, {"<u8", GF_U64}, {"<i8", GF_I64},
    {"<f4", GF_F32}, {"<f8", GF_F64}, {"<f2", GF_F16},
};

#define BOOL "|b1"

/* The fields of a header. */
struct header {
    char descr[8];
    bool fortran, has_descr, has_order, has_shape;
    uint64_t dims[MAX_DIMS];
    uint32_t n_dims;
};

static void skip_blanks(const char **p)
{
    *p += strspn(*p, " \t\n");
}

/* Reads the character and the blanks around it. */
static bool take(const char **p, char c)
{
    skip_blanks(p);
    if (**p != c)
        return false;
    (*p)++;
    skip_blanks(p);
    return true;
}

/* Reads a quoted word. */
static bool take_word(const char **p, char *word, size_t size)
{
    skip_blanks(p);
    char quote = **p;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(*p + 1, quote);
    if (!end || (size_t)(end - *p) > size)
        return false;
    size_t length = (size_t)(end - *p) - 1;
    memcpy(word, *p + 1, length);
    word[length] = '\0';
    *p = end + 1;
    return true;
}

/* Reads a dimension. A number that is too large becomes 2^62, which no check accepts. */
static bool take_number(const char **p, uint64_t *ret)
{
    uint64_t value = 0;
    if (**p < '0' || **p > '9')
        return false;
    for (; **p >= '0' && **p <= '9'; (*p)++)
        value = value >= UINT64_C(1) << 58 ? UINT64_C(1) << 62 : value * 10 + (uint64_t)(**p - '0');
    *ret = value;
    return true;
}

static bool take_shape(const char **p, struct header *h)
{
    if (!take(p, '('))
        return false;
    while (**p != ')') {
        if (h->n_dims == MAX_DIMS || !take_number(p, &h->dims[h->n_dims++]))
            return false;
        if (!take(p, ',') && **p != ')')
            return false;
    }
    return take(p, ')');
}

static bool take_pair(const char **p, struct header *h)
{
    char key[16];
    if (!take_word(p, key, sizeof(key)) || !take(p, ':'))
        return false;
    if (strcmp(key, "descr") == 0 && !h->has_descr)
        return h->has_descr = take_word(p, h->descr, sizeof(h->descr));
    if (strcmp(key, "shape") == 0 && !h->has_shape)
        return h->has_shape = take_shape(p, h);
    if (strcmp(key, "fortran_order") != 0 || h->has_order)
        return false;
    h->has_order = true;
    h->fortran = strncmp(*p, "True", 4) == 0;
    bool known = h->fortran || strncmp(*p, "False", 5) == 0;
    *p += known ? (h->fortran ? 4 : 5) : 0;
    return known;
}

static bool parse_header(const char *text, struct header *h)
{
    const char *p = text;
    if (!take(&p, '{'))
        return false;
    while (*p != '}')
        if (!take_pair(&p, h) || (!take(&p, ',') && *p != '}'))
            return false;
    p++;
    skip_blanks(&p);
    return *p == '\0' && h->has_descr && h->has_order && h->has_shape;
}

/* Finds the text of the header and the beginning of the samples. */
static enum gf_io_status find_header(const struct gf_source *src, char **ret_text, size_t *ret_start,
                                     struct gf_io_error *err)
{
    size_t length_size = src->size > MAGIC_SIZE && src->data[6] == 1 ? 2 : 4;
    if (src->size < MAGIC_SIZE + length_size)
        return gf_io_fail(err, GF_IO_DATA, "%s: ends within its .npy header", src->name);
    if (src->data[6] < 1 || src->data[6] > 3)
        return gf_io_fail(err, GF_IO_DATA, "%s: is .npy version %u; it must be 1 to 3", src->name, src->data[6]);
    size_t length = 0;
    memcpy(&length, src->data + MAGIC_SIZE, length_size);
    size_t start = MAGIC_SIZE + length_size;
    if (length > MAX_HEADER || length > src->size - start)
        return gf_io_fail(err, GF_IO_DATA, "%s: the header claims %zu bytes, but the file has %zu", src->name, length,
                          src->size - start);
    size_t used = length; /* without the trailing blanks */
    while (used > 0 && (src->data[start + used - 1] == ' ' || src->data[start + used - 1] == '\n'))
        used--;
    char *text = strndup((const char *)src->data + start, used);
    if (!text)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", src->name);
    *ret_text = text;
    *ret_start = start + length;
    return GF_IO_OK;
}

/* The table names little-endian types; '>' in place of '<' makes them big-endian. */
static uint32_t find_dtype(const char *descr)
{
    if (strcmp(descr, BOOL) == 0)
        return GF_U8;
    for (size_t i = 0; i < GF_ARRAY_LEN(types); i++)
        if (strcmp(types[i].descr + 1, descr + 1) == 0 &&
            (types[i].descr[0] == descr[0] || (types[i].descr[0] == '<' && descr[0] == '>')))
            return types[i].dtype;
    return 0;
}

/* Whether the first dimension counts pages. */
static bool is_stack(const struct header *h)
{
    return h->n_dims == 4 || (h->n_dims == 3 && h->dims[2] > GF_MAX_CHANNELS);
}

/* The view of a page, and the number of pages. */
static enum gf_io_status view_of(const struct gf_source *src, const struct header *h, struct gf_view *ret_view,
                                 uint64_t *ret_pages, struct gf_io_error *err)
{
    struct gf_error why;
    uint32_t dtype = find_dtype(h->descr);
    if (dtype == 0)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: has type %s; it must be one of b1, u1, i1, u2, i2, u4, i4, u8, i8, f2, f4, f8 "
                          "(astype('<f4'))",
                          src->name, h->descr);
    *ret_pages = is_stack(h) ? h->dims[0] : 1;
    const uint64_t *dims = h->dims + is_stack(h);
    const uint32_t n = h->n_dims - is_stack(h);
    uint64_t channels = n == 3 ? dims[2] : 1, height = n >= 2 ? dims[0] : 1, width = n == 0 ? 1 : dims[n >= 2];
    if (channels < 1 || channels > GF_MAX_CHANNELS)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: the last of %u dimensions is %" PRIu64 "; it must be 1 to %u, the channels", src->name,
                          h->n_dims, channels, GF_MAX_CHANNELS);
    if (*ret_pages == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: has no pages: its first dimension is 0", src->name);
    *ret_view = gf_view_tight(dtype, width, height, (uint32_t)channels);
    if (gf_view_check(ret_view, "the array", &why) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", src->name, why.text);
    return GF_IO_OK;
}

/* Copies samples from Fortran order: columns one after another, channels behind each other, and the pages of a stack
 * sample by sample, `step` samples apart. */
static void copy_fortran(const struct gf_view *v, const uint8_t *from, uint64_t step, uint8_t *to)
{
    const size_t size = gf_dtype_size(v->dtype);
    for (uint64_t top = 0; top < v->height; top += BLOCK) {
        const uint64_t end = v->height - top < BLOCK ? v->height : top + BLOCK;
        for (uint32_t c = 0; c < v->channels; c++)
            for (uint64_t x = 0; x < v->width; x++)
                for (uint64_t y = top; y < end; y++)
                    memcpy(to + y * v->pitch + (x * v->channels + c) * size,
                           from + ((c * v->width + x) * v->height + y) * step * size, size);
    }
}

/* Swaps the bytes of samples in place. */
static void swap(uint32_t dtype, void *data, uint64_t n)
{
    uint16_t *two = data;
    uint32_t *four = data;
    uint64_t *eight = data;
    const size_t size = gf_dtype_size(dtype);
    for (uint64_t i = 0; i < n && size == 2; i++)
        two[i] = __builtin_bswap16(two[i]);
    for (uint64_t i = 0; i < n && size == 4; i++)
        four[i] = __builtin_bswap32(four[i]);
    for (uint64_t i = 0; i < n && size == 8; i++)
        eight[i] = __builtin_bswap64(eight[i]);
}

/* Stores the samples of page `page` of `pages` in C order and in the byte order of memory. */
static void take_samples(const struct header *h, const uint8_t *from, uint64_t page, uint64_t pages,
                         struct gf_image *image)
{
    const uint64_t n = gf_view_samples(&image->view);
    uint8_t *to = image->data;
    if (h->fortran)
        copy_fortran(&image->view, from + page * gf_dtype_size(image->view.dtype), pages, to);
    else
        memcpy(to, from + page * gf_view_bytes(&image->view), gf_view_bytes(&image->view));
    if (h->descr[0] == '>')
        swap(image->view.dtype, to, n);
    image->is_bool = strcmp(h->descr, BOOL) == 0;
    for (uint64_t i = 0; i < n && image->is_bool; i++)
        to[i] = to[i] != 0;
}

enum gf_io_status gf_npy_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *text = NULL;
    size_t start = 0;
    struct header h = {.n_dims = 0};
    struct gf_view view;
    struct gf_pages pages = {.n = 0};
    uint64_t n = 0, left;
    char shape[64];
    enum gf_io_status r = find_header(src, &text, &start, err);
    if (r != GF_IO_OK)
        return r;
    if (!parse_header(text, &h))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: the header does not describe a plain array of up to 4 dimensions: %.120s", src->name,
                          text);
    r = view_of(src, &h, &view, &n, err);
    if (r != GF_IO_OK)
        return r;
    left = src->size - start;
    if (left % gf_view_bytes(&view) != 0 || left / gf_view_bytes(&view) != n)
        return gf_io_fail(err, GF_IO_DATA, "%s: the header claims %s%s, %" PRIu64 " bytes%s, but %" PRIu64 " follow",
                          src->name, is_stack(&h) ? "pages of " : "", gf_view_text(&view, shape, sizeof(shape)),
                          gf_view_bytes(&view), is_stack(&h) ? " each" : "", left);
    r = gf_image_choose_pages(src, "page", n, &pages, err);
    for (uint64_t i = pages.first; r == GF_IO_OK && i < pages.end; i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        r = gf_image_alloc(src, &view, &image, err);
        if (r != GF_IO_OK)
            return r;
        if (image.data)
            take_samples(&h, src->data + start, i, n, &image);
        image.meta.sides = view.channels > 1 || is_stack(&h) ? 2 : h.n_dims > 0 ? h.n_dims : 1;
        r = gf_image_give(src, &pages, &image, ret_image, err);
    }
    ret_image->file_bytes = src->size;
    return r;
}

/* Writes the header of an array of this shape, "3, 4". */
static enum gf_io_status write_header(struct gf_output_file *out, uint32_t dtype, const char *shape,
                                      struct gf_io_error *err)
{
    char text[256] = "\x93NUMPY\x01\x00..";
    const char *descr = "";
    for (size_t i = 0; i < GF_ARRAY_LEN(types); i++)
        if (types[i].dtype == dtype && descr[0] == '\0')
            descr = types[i].descr;
    const size_t start = MAGIC_SIZE + 2;
    size_t n = start + (size_t)snprintf(text + start, sizeof(text) - start,
                                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    while ((n + 1) % ALIGN != 0)
        text[n++] = ' ';
    text[n++] = '\n';
    uint16_t length = (uint16_t)(n - start);
    text[7] = '\0';
    memcpy(text + MAGIC_SIZE, &length, sizeof(length));
    return gf_output_write(out, text, n, err);
}

enum gf_io_status gf_npy_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    /* A picture always has two dimensions, even if one of them is 1. */
    uint32_t sides = !save->meta ? 1 : save->meta->sides ? save->meta->sides : 2;
    char shape[96];
    if (view->channels > 1 || sides == 3)
        snprintf(shape, sizeof(shape), "%" PRIu64 ", %" PRIu64 ", %" PRIu32, view->height, view->width, view->channels);
    else if (view->height > 1 || sides == 2)
        snprintf(shape, sizeof(shape), "%" PRIu64 ", %" PRIu64, view->height, view->width);
    else
        snprintf(shape, sizeof(shape), "%" PRIu64 ",", view->width);
    enum gf_io_status r = write_header(out, view->dtype, shape, err);
    return r == GF_IO_OK ? gf_output_write(out, data, gf_view_bytes(view), err) : r;
}

enum gf_io_status gf_npy_encode_page(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                     const struct gf_image_save *save, struct gf_io_error *err)
{
    /* Of three dimensions a last one of 1 to 4 would be channels. */
    const bool has_channels = view->channels > 1 || view->width <= GF_MAX_CHANNELS;
    char shape[128];
    enum gf_io_status r = GF_IO_OK;
    (void)save;
    snprintf(shape, sizeof(shape), "%" PRIu64 ", %" PRIu64 ", %" PRIu64, pages->n, view->height, view->width);
    if (has_channels)
        snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), ", %" PRIu32, view->channels);
    if (pages->done == 0)
        r = write_header(pages->out, view->dtype, shape, err);
    return r == GF_IO_OK ? gf_output_write(pages->out, data, gf_view_bytes(view), err) : r;
}
