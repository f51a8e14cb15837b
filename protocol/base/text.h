/* SPDX-License-Identifier: MIT */
/*
 * Text in the caller's buffers: appending, lists of choices, and numbers that are the same in every locale. Used by the
 * tables and the codec for error messages and parameters as text.
 */
#ifndef GF_PROTOCOL_TEXT_H
#define GF_PROTOCOL_TEXT_H

#include <stdarg.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_NUMBER_TEXT 32 /* room for any result of gf_text_from_f16, gf_text_from_f32 and gf_text_from_f64 */

/* Writes a sentence. If it does not fit, "..." replaces the middle of its longest words, which are paths and values; if
 * that is not enough, the sentence is cut after a word and ends with "...". */
void gf_text_sentence(char *text, size_t size, const char *fmt, va_list ap);
/* Appends to the text in a buffer of `size` bytes, truncating; does nothing if size is 0. */
void gf_text_append(char *text, size_t size, const char *fmt, ...) gf_printf(3, 4);
/* Appends word `i` of `n` with its separator: "a", "a, b", "a, b or c". */
void gf_text_choice(char *text, size_t size, size_t i, size_t n, const char *word);

/* Length in bytes of the UTF-8 character at the start of the text, 0 if the bytes are not valid UTF-8, overlong, or a
 * surrogate. The text must be null-terminated. */
size_t gf_text_utf8(const char *text);
/* Makes text from a file, a name or a peer safe to print on one line: invalid UTF-8, control characters (C0, DEL, C1),
 * line separators and direction marks become '?'. Returns text. */
char *gf_text_clean(char *text);

/* The shortest decimal form that reads back as the same value, with a decimal point in every locale; returns text. An
 * f16 is passed as its bits. */
const char *gf_text_from_f16(uint16_t value, char *text, size_t size);
const char *gf_text_from_f32(float value, char *text, size_t size);
const char *gf_text_from_f64(double value, char *text, size_t size);
/* Reads a number in the C locale at the start of text (decimal, hexadecimal, inf or nan), rounded once; a number that
 * is too large becomes infinite. Returns the end of the number, or NULL if there is none or no memory. */
const char *gf_text_to_f16(const char *text, uint16_t *ret_value);
const char *gf_text_to_f32(const char *text, float *ret_value);
const char *gf_text_to_f64(const char *text, double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
