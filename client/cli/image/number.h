/* SPDX-License-Identifier: MIT */
/*
 * Single numbers of any data type as text: integers with all digits, floats in the shortest form that reads back. Used
 * by tables and files.
 */
#ifndef GF_CLI_NUMBER_H
#define GF_CLI_NUMBER_H

#include "protocol/base/dtype.h"
#include "protocol/base/text.h"

/* Element `index` of tightly packed data: integers in full, floats in the shortest form that reads back to the same
 * bits, "NaN", "Infinity" and "-Infinity". Returns text, of GF_NUMBER_TEXT bytes. */
const char *gf_number_text(uint32_t dtype, const void *data, uint64_t index, char *text);
/* The element as a number, for drawing. */
double gf_number_value(uint32_t dtype, const void *data, uint64_t index);
/* Reads a number of the type at the start of text and stores its bytes; returns where it ends, NULL when there is none
 * or it does not fit the type. */
const char *gf_number_read(uint32_t dtype, const char *text, void *ret_element);

#endif
