/* SPDX-License-Identifier: MIT */
/*
 * Masks as text: "1 2 1; 2 4 2; 1 2 1", or the same in a file with comments. Used by program.c of the library and
 * by the command.
 */
#include "op_codec.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "protocol/base/text.h"

#define BLANKS " \t\r"
#define TOKEN_END BLANKS "\n,;#"

struct mask_reader {
    const char *p;
    float *coefs;
    size_t capacity, n;
    uint32_t width, height; /* of the complete rows */
    uint32_t n_row;         /* values in the current row so far */
};

/* Skips blanks and a comment, up to a number, a separator or the end of the text. */
static void skip(struct mask_reader *r)
{
    r->p += strspn(r->p, BLANKS);
    if (*r->p == '#')
        r->p += strcspn(r->p, "\n");
}

static enum gf_status read_number(struct mask_reader *r, struct gf_error *err)
{
    int length = (int)strnlen(r->p, 40);
    size_t token = strcspn(r->p, TOKEN_END);
    if (token < (size_t)length)
        length = (int)token;
    float value;
    const char *end = gf_text_to_f32(r->p, &value);
    if (end == NULL || end != r->p + token || !isfinite(value))
        return gf_error_set(err, GF_E_BAD_PARAM, "row %" PRIu32 ", value %" PRIu32 ": '%.*s' is not a finite number",
                            r->height + 1, r->n_row + 1, length, r->p);
    if (r->n_row == GF_MAX_MASK_SIDE)
        return gf_error_set(err, GF_E_BAD_PARAM, "row %" PRIu32 " has more than %u values", r->height + 1,
                            GF_MAX_MASK_SIDE);
    if (r->n == r->capacity)
        return gf_error_set(err, GF_E_BAD_PARAM, "more than %zu values", r->capacity);
    r->coefs[r->n++] = value;
    r->n_row++;
    r->p = end;
    return GF_OK;
}

/* Reads numbers up to the end of the row; a comma may separate two numbers. */
static enum gf_status read_row(struct mask_reader *r, struct gf_error *err)
{
    bool comma = false;
    for (skip(r); strchr(";\n", *r->p) == NULL || comma; skip(r)) {
        enum gf_status status = read_number(r, err);
        if (status != GF_OK)
            return status;
        skip(r);
        comma = *r->p == ',';
        if (comma)
            r->p++;
    }
    return GF_OK;
}

enum gf_status gf_mask_parse(const char *text, float *coefs, size_t capacity, uint32_t *ret_width, uint32_t *ret_height,
                             struct gf_error *err)
{
    struct mask_reader r = {.p = text, .coefs = coefs, .capacity = capacity};
    for (bool more = true; more;) {
        r.n_row = 0;
        enum gf_status status = read_row(&r, err);
        if (status != GF_OK)
            return status;
        more = *r.p != '\0';
        if (more)
            r.p++;
        if (r.n_row == 0)
            continue;
        if (r.height > 0 && r.n_row != r.width)
            return gf_error_set(err, GF_E_BAD_PARAM, "row %" PRIu32 " has %" PRIu32 " values, row 1 has %" PRIu32,
                                r.height + 1, r.n_row, r.width);
        if (r.height == GF_MAX_MASK_SIDE)
            return gf_error_set(err, GF_E_BAD_PARAM, "more than %u rows", GF_MAX_MASK_SIDE);
        r.width = r.n_row;
        r.height++;
    }
    if (r.height == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "no values");
    *ret_width = r.width;
    *ret_height = r.height;
    return GF_OK;
}
