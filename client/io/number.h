/* SPDX-License-Identifier: MIT */
/*
 * Single numbers of any data type as text: integers with all digits, floats in the shortest form that reads back to the
 * same bits; and arrays as f32. Used by tables and files.
 */
#ifndef GF_NUMBER_H
#define GF_NUMBER_H

#include "protocol/base/dtype.h"
#include "protocol/base/text.h"

/* Writes element `index` of tightly packed data: integers in full, floats in the shortest form that reads back to the
 * same bits, "NaN", "Infinity" and "-Infinity". `text` must have GF_NUMBER_TEXT bytes. Returns text. */
const char *gf_number_text(uint32_t dtype, const void *data, uint64_t index, char *text);
/* The element as a number, for drawing. */
double gf_number_value(uint32_t dtype, const void *data, uint64_t index);
/* What a conversion to f32 changed. */
struct gf_number_loss {
    uint64_t values, rounded, infinite; /* NaN is not counted; values that became infinite are rounded, too */
};
/* Converts `n` numbers to the nearest f32, ties to even. */
struct gf_number_loss gf_number_to_f32(uint32_t dtype, const void *data, uint64_t n, float *to);
/* Reads a number of the type at the beginning of the text and stores its bytes. Returns the end of the number; NULL if
 * there is none or it exceeds the type. */
const char *gf_number_read(uint32_t dtype, const char *text, void *ret_element);

#endif
