/* SPDX-License-Identifier: MIT */
/*
 * Text in the caller's buffers: appending, lists of choices, and numbers that are the same in every locale. Used by the
 * tables and the codec for error messages and for parameters as text.
 */
#ifndef GF_PROTOCOL_TEXT_H
#define GF_PROTOCOL_TEXT_H

#include <stdarg.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_NUMBER_TEXT 32 /* room for any number of gf_text_from_f16, gf_text_from_f32 and gf_text_from_f64 */

/* Writes a sentence. In one that does not fit the longest words, which are paths and values, lose their middle, for
 * which "..." stands; one that is long without them ends at a word, with "...". */
void gf_text_sentence(char *text, size_t size, const char *fmt, va_list ap);
/* Appends to the text already in the buffer of `size` bytes, truncating; nothing happens when size is 0. */
void gf_text_append(char *text, size_t size, const char *fmt, ...) gf_printf(3, 4);
/* Appends word `i` of `n` with what stands before it: "a", "a, b", "a, b or c". */
void gf_text_choice(char *text, size_t size, size_t i, size_t n, const char *word);

/* Bytes of the UTF-8 character at the text's start, 0 where there is none; overlong forms and surrogates are none. The
 * text ends with a null byte. */
size_t gf_text_utf8(const char *text);
/* Makes text of a file, a name or a peer one line that no terminal obeys: what is no UTF-8, controls (C0, DEL, C1),
 * line separators and changes of direction become '?'. Returns text. */
char *gf_text_clean(char *text);

/* The shortest decimal form that reads back as the same value, with a point in every locale; returns text. An f16 is
 * its bits. */
const char *gf_text_from_f16(uint16_t value, char *text, size_t size);
const char *gf_text_from_f32(float value, char *text, size_t size);
const char *gf_text_from_f64(double value, char *text, size_t size);
/* Reads a number of the C locale at the start of text (decimal, hexadecimal, inf or nan), rounded once; one that is
 * too large is infinite. Returns where it ends, NULL when there is none or no memory to read it. */
const char *gf_text_to_f16(const char *text, uint16_t *ret_value);
const char *gf_text_to_f32(const char *text, float *ret_value);
const char *gf_text_to_f64(const char *text, double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
