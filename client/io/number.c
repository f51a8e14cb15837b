/* SPDX-License-Identifier: MIT */
/* Converts numbers of any data type between memory and text, and to f32. Called by table.c, chart.c, array_text.c and
 * image.c. */
#include "number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/half.h"

/* An element: integers widened to 64 bits, floats in their own size. */
union element {
    uint64_t u;
    int64_t s;
    uint16_t f16;
    float f32;
    double f64;
};

static union element load(uint32_t dtype, const void *data, uint64_t index)
{
    size_t size = gf_dtype_size(dtype);
    union element e = {0};
    memcpy(&e, (const char *)data + index * size, size);
    if (gf_dtype_kind(dtype) == GF_KIND_SINT) {
        uint32_t unused = 64 - 8 * (uint32_t)size;
        e.s = (int64_t)(e.u << unused) >> unused;
    }
    return e;
}

double gf_number_value(uint32_t dtype, const void *data, uint64_t index)
{
    const union element e = load(dtype, data, index);
    switch ((enum gf_dtype)dtype) {
    case GF_U8:
    case GF_U16:
    case GF_U32:
    case GF_U64:
        return (double)e.u;
    case GF_I8:
    case GF_I16:
    case GF_I32:
    case GF_I64:
        return (double)e.s;
    case GF_F16:
        return (double)gf_half_to_f32(e.f16);
    case GF_F32:
        return (double)e.f32;
    case GF_F64:
        return e.f64;
    }
    return NAN;
}

/* Whether an integer of this magnitude is an f32. */
static bool is_short(uint64_t magnitude)
{
    return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) < UINT64_C(1) << FLT_MANT_DIG;
}

struct gf_number_loss gf_number_to_f32(uint32_t dtype, const void *data, uint64_t n, float *to)
{
    const enum gf_dtype_kind kind = gf_dtype_kind(dtype);
    struct gf_number_loss loss = {.values = n};
    for (uint64_t i = 0; i < n; i++) {
        const union element e = load(dtype, data, i);
        const double value = gf_number_value(dtype, &e, 0);
        if (kind == GF_KIND_FLOAT) {
            to[i] = (float)value;
            loss.rounded += (double)to[i] != value && !isnan(value);
            loss.infinite += isinf(to[i]) && !isinf(value);
        } else {
            to[i] = kind == GF_KIND_SINT ? (float)e.s : (float)e.u; /* a double would round twice */
            loss.rounded += !is_short(kind == GF_KIND_SINT && e.s < 0 ? 0 - e.u : e.u);
        }
    }
    return loss;
}

/* The word for a value without digits; otherwise NULL. */
static const char *word_of(double value)
{
    if (isnan(value))
        return "NaN";
    return !isinf(value) ? NULL : value > 0 ? "Infinity" : "-Infinity";
}

const char *gf_number_text(uint32_t dtype, const void *data, uint64_t index, char *text)
{
    const union element e = load(dtype, data, index);
    const char *word = word_of(gf_number_value(dtype, data, index));
    if (word) {
        snprintf(text, GF_NUMBER_TEXT, "%s", word);
        return text;
    }
    switch ((enum gf_dtype)dtype) {
    case GF_U8:
    case GF_U16:
    case GF_U32:
    case GF_U64:
        snprintf(text, GF_NUMBER_TEXT, "%" PRIu64, e.u);
        break;
    case GF_I8:
    case GF_I16:
    case GF_I32:
    case GF_I64:
        snprintf(text, GF_NUMBER_TEXT, "%" PRId64, e.s);
        break;
    case GF_F16:
        return gf_text_from_f16(e.f16, text, GF_NUMBER_TEXT);
    case GF_F32:
        return gf_text_from_f32(e.f32, text, GF_NUMBER_TEXT);
    case GF_F64:
        return gf_text_from_f64(e.f64, text, GF_NUMBER_TEXT);
    }
    return text;
}

/* Reads an integer within the limits of its type. */
static const char *read_whole(uint32_t dtype, const char *text, union element *ret)
{
    bool negative = *text == '-', is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    uint64_t max = UINT64_MAX >> (64 - 8 * gf_dtype_size(dtype)), value = 0;
    if (is_signed)
        max = (max >> 1) + (negative ? 1 : 0);
    text += *text == '-' || *text == '+';
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (max - digit) / 10)
            return NULL;
        value = value * 10 + digit;
    }
    if (negative && !is_signed && value > 0)
        return NULL;
    ret->u = negative ? 0 - value : value;
    return text;
}

const char *gf_number_read(uint32_t dtype, const char *text, void *ret_element)
{
    union element e = {0};
    const char *end = NULL;
    switch ((enum gf_dtype)dtype) {
    case GF_U8:
    case GF_U16:
    case GF_U32:
    case GF_U64:
    case GF_I8:
    case GF_I16:
    case GF_I32:
    case GF_I64:
        end = read_whole(dtype, text, &e);
        break;
    case GF_F16:
        end = gf_text_to_f16(text, &e.f16);
        break;
    case GF_F32:
        end = gf_text_to_f32(text, &e.f32);
        break;
    case GF_F64:
        end = gf_text_to_f64(text, &e.f64);
        break;
    }
    /* A number beyond the range of its type becomes infinite and is refused; only a spelt infinity is valid. */
    const char *first = text + (*text == '-' || *text == '+');
    if (!end || (isinf(gf_number_value(dtype, &e, 0)) && *first != 'i' && *first != 'I'))
        return NULL;
    memcpy(ret_element, &e, gf_dtype_size(dtype));
    return end;
}
