/* SPDX-License-Identifier: MIT */
/*
 * Arrays as text: one row per line, numbers separated by blanks or a comma; '#' begins a comment that ends with the
 * line. Called by image.c and the commands.
 */
#include <inttypes.h>
#include <string.h>

#include "client/io/number.h"
#include "image_codec.h"

/* The state of the reader. */
struct reader {
    const struct gf_source *src;
    uint32_t dtype;
    uint8_t *data; /* owned */
    size_t n, capacity, line, columns;
    uint64_t rows;
};

static enum gf_io_status push(struct reader *r, const void *element, struct gf_io_error *err)
{
    size_t size = gf_dtype_size(r->dtype);
    if (r->n == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 1024;
        uint8_t *data = realloc(r->data, capacity * size);
        if (!data)
            return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: no memory for %zu numbers", r->src->name, capacity);
        r->data = data;
        r->capacity = capacity;
    }
    memcpy(r->data + r->n++ * size, element, size);
    return GF_IO_OK;
}

/* Reads one line, terminated by a null byte. */
static enum gf_io_status read_line(struct reader *r, const char *p, struct gf_io_error *err)
{
    size_t before = r->n;
    for (p += strspn(p, " \t\r"); *p != '\0' && *p != '#'; p += strspn(p, " \t\r")) {
        uint64_t element = 0;
        const char *end = gf_number_read(r->dtype, p, &element);
        if (!end || (*end != '\0' && !strchr(" \t\r,#", *end)))
            return gf_io_fail(err, GF_IO_DATA, "%s: line %zu: \"%.*s\" is not a number of type %s", r->src->name,
                              r->line, (int)strcspn(p, " \t\r,#"), p, gf_dtype_word(r->dtype));
        enum gf_io_status status = push(r, &element, err);
        if (status != GF_IO_OK)
            return status;
        p = end + strspn(end, " \t\r");
        p += *p == ',';
    }
    size_t columns = r->n - before;
    if (columns == 0)
        return GF_IO_OK;
    if (r->rows > 0 && columns != r->columns)
        return gf_io_fail(err, GF_IO_DATA, "%s: line %zu has %zu numbers; it must have %zu, as the lines before",
                          r->src->name, r->line, columns, r->columns);
    r->columns = columns;
    r->rows++;
    return GF_IO_OK;
}

enum gf_io_status gf_array_dtype_parse(const char *word, uint32_t *ret_dtype, struct gf_io_error *err)
{
    char dtypes[GF_DTYPES_TEXT];
    uint32_t dtype = gf_dtype_from_word(word);
    if (dtype == 0)
        return gf_io_fail(err, GF_IO_USAGE, "--in-dtype %s; allowed: %s", word,
                          gf_dtype_set_text(GF_DT_ALL, dtypes, sizeof dtypes));
    *ret_dtype = dtype;
    return GF_IO_OK;
}

enum gf_io_status gf_text_decode(const struct gf_source *src, uint32_t dtype, struct gf_image *ret_image,
                                 struct gf_io_error *err)
{
    struct reader r = {.src = src, .dtype = dtype};
    struct gf_error why;
    gf_cleanup(gf_freep) char *text = src->size > 0 ? strndup((const char *)src->data, src->size) : NULL;
    if (!text)
        return gf_io_fail(err, src->size > 0 ? GF_IO_NO_MEMORY : GF_IO_DATA, "%s: %s", src->name,
                          src->size > 0 ? "out of memory" : "is empty");
    if (strlen(text) != src->size)
        return gf_io_fail(err, GF_IO_DATA, "%s: is not text, byte %zu is 0", src->name, strlen(text));
    enum gf_io_status status = GF_IO_OK;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && status == GF_IO_OK; line = strsep(&rest, "\n")) {
        r.line++;
        status = read_line(&r, line, err);
    }
    /* A column of numbers becomes a row. */
    struct gf_view view = gf_view_tight(dtype, r.columns, r.rows, 1);
    if (r.columns == 1)
        view = gf_view_tight(dtype, r.rows, 1, 1);
    if (status == GF_IO_OK && r.n == 0)
        status = gf_io_fail(err, GF_IO_DATA, "%s: has no numbers", src->name);
    if (status == GF_IO_OK && gf_view_check(&view, "the array", &why) != GF_OK)
        status = gf_io_fail(err, GF_IO_DATA, "%s: %s", src->name, why.text);
    if (status == GF_IO_OK)
        *ret_image = (struct gf_image){
            .view = view, .data = r.data, .free_data = free, .meta.sides = 1, .file_bytes = src->size};
    else
        free(r.data);
    return status;
}

enum gf_io_status gf_txt_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    return gf_text_decode(src, GF_F64, ret_image, err);
}

enum gf_io_status gf_text_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    char text[GF_NUMBER_TEXT + 1];
    uint64_t per_row = view->width * view->channels;
    enum gf_io_status status = GF_IO_OK;
    for (uint64_t i = 0; i < per_row * view->height && status == GF_IO_OK; i++) {
        gf_number_text(view->dtype, data, i, text);
        size_t length = strlen(text);
        text[length] = (i + 1) % per_row == 0 ? '\n' : ' ';
        status = gf_output_write(out, text, length + 1, err);
    }
    return status;
}
