/* SPDX-License-Identifier: MIT */
/* Converts numbers of any data type between memory and text. Called by table.c, chart.c and array_text.c. */
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/half.h"

/* The element's bits, widened: signed ones keep their sign. */
static uint64_t load(uint32_t dtype, const void *data, uint64_t index)
{
    size_t size = gf_dtype_size(dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + index * size, size);
    uint32_t unused = 64 - 8 * (uint32_t)size;
    return gf_dtype_kind(dtype) == GF_KIND_SINT ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static double load_float(uint32_t dtype, const void *data, uint64_t index)
{
    uint16_t f16;
    float f32;
    double f64;
    if (dtype == GF_F16) {
        memcpy(&f16, (const char *)data + index * sizeof(f16), sizeof(f16));
        return (double)gf_half_to_f32(f16);
    }
    memcpy(&f32, (const char *)data + index * (dtype == GF_F32 ? sizeof(f32) : sizeof(f64)), sizeof(f32));
    if (dtype == GF_F32)
        return (double)f32;
    memcpy(&f64, (const char *)data + index * sizeof(f64), sizeof(f64));
    return f64;
}

double gf_number_value(uint32_t dtype, const void *data, uint64_t index)
{
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return load_float(dtype, data, index);
    uint64_t bits = load(dtype, data, index);
    return gf_dtype_kind(dtype) == GF_KIND_SINT ? (double)(int64_t)bits : (double)bits;
}

const char *gf_number_text(uint32_t dtype, const void *data, uint64_t index, char *text)
{
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT) {
        double value = load_float(dtype, data, index);
        if (isnan(value))
            snprintf(text, GF_NUMBER_TEXT, "NaN");
        else if (isinf(value))
            snprintf(text, GF_NUMBER_TEXT, value > 0 ? "Infinity" : "-Infinity");
        else if (dtype == GF_F32 || dtype == GF_F16)
            gf_text_from_f32((float)value, text, GF_NUMBER_TEXT);
        else
            gf_text_from_f64(value, text, GF_NUMBER_TEXT);
        return text;
    }
    uint64_t bits = load(dtype, data, index);
    if (gf_dtype_kind(dtype) == GF_KIND_SINT)
        snprintf(text, GF_NUMBER_TEXT, "%" PRId64, (int64_t)bits);
    else
        snprintf(text, GF_NUMBER_TEXT, "%" PRIu64, bits);
    return text;
}

static const char *read_whole(uint32_t dtype, const char *text, void *ret_element)
{
    bool negative = *text == '-', is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    size_t size = gf_dtype_size(dtype);
    uint64_t max = UINT64_MAX >> (64 - 8 * size), value = 0;
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
    value = negative ? 0 - value : value;
    memcpy(ret_element, &value, size);
    return text;
}

const char *gf_number_read(uint32_t dtype, const char *text, void *ret_element)
{
    float f32 = 0;
    double f64 = 0;
    const char *end;
    if (gf_dtype_kind(dtype) != GF_KIND_FLOAT)
        return read_whole(dtype, text, ret_element);
    if (dtype == GF_F32) {
        end = gf_text_to_f32(text, &f32);
        memcpy(ret_element, &f32, sizeof(f32));
    } else {
        end = gf_text_to_f64(text, &f64);
        memcpy(ret_element, &f64, sizeof(f64));
    }
    return end;
}
