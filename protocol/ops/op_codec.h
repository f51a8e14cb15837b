/* SPDX-License-Identifier: MIT */
/*
 * The parameters of an op in three forms: the struct of params/OP.h, wire values, and text. Used by the request codec,
 * the client library and the CLI. Walks the op table and knows no op by name.
 */
#ifndef GF_PROTOCOL_OP_CODEC_H
#define GF_PROTOCOL_OP_CODEC_H

#include "op_table.h"
#include "protocol/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the whole struct to the op's defaults. */
void gf_op_params_default(const struct gf_op *op, union gf_params *ret);
/* The parameter of enum type `e`; NULL: the op has none. */
const struct gf_param_desc *gf_op_param_of_enum(const struct gf_op *op, uint32_t e);
/* Its word; `none` without such a parameter. */
uint32_t gf_op_param_word(const struct gf_op *op, const union gf_params *params, uint32_t e, uint32_t none);
/* Sets it, if the op has it, to a word that the op accepts. */
void gf_op_param_set_word(const struct gf_op *op, uint32_t e, uint32_t word, union gf_params *params);

/* Bytes of one value, in the struct and on the wire: 8 for f64, 1 (a character) for a text, otherwise 4. */
size_t gf_op_param_size(const struct gf_param_desc *param);

/* Stores values (u32, f32 or f64 bits or enum numbers, little-endian, `size` bytes in all) into the struct. BAD_PARAM
 * if there are none or too many, a value is not finite or out of range, or an enum number is unknown. The values of a
 * text are its characters, which are not copied; an empty text means not given, and a character that is not printable
 * ASCII is refused with its column. */
enum gf_status gf_op_param_set(const struct gf_op *op, const struct gf_param_desc *param, const void *values,
                               size_t size, union gf_params *params, struct gf_error *err);

/* Returns the number of stored values (0: not given) and the address of the first; for a text, its characters. */
uint32_t gf_op_param_get(const struct gf_param_desc *param, const union gf_params *params, const void **ret_values);
/* Whether the value is the default, so that an encoder may omit it. */
bool gf_op_param_is_default(const struct gf_param_desc *param, const union gf_params *params);

/* Parses numbers separated by ',', ' ' or 'x' ("2", "3x5", "0,0,0,255"), or an enum word or alias. BAD_PARAM names the
 * op, the parameter, the text and the allowed values; a bare "mirror" is refused with a hint. A text parameter takes
 * the whole text and refers to it from then on. */
enum gf_status gf_op_param_parse(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                 union gf_params *params, struct gf_error *err);
/* Prints a text that parses back to the same values; returns text. */
const char *gf_op_param_text(const struct gf_param_desc *param, const union gf_params *params, char *text, size_t size);

/* Parses a mask "1 2 1; 2 4 2; 1 2 1" row by row into coefs, which has room for `capacity` values. Numbers are
 * separated by commas or blanks, rows by ';' or a newline; '#' starts a comment. BAD_PARAM if the mask is empty or
 * ragged, a value is not a finite number, a side exceeds GF_MAX_MASK_SIDE, or the values do not fit. Independent of the
 * locale. In mask_text.c. */
enum gf_status gf_mask_parse(const char *text, float *coefs, size_t capacity, uint32_t *ret_width, uint32_t *ret_height,
                             struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
