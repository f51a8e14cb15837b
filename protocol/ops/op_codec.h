/* SPDX-License-Identifier: MIT */
/*
 * Parameters of an op in three forms: the struct of op_params.h, wire values, and text. Used by the request codec, the
 * client library and the CLI; walks the op table, knows no op by name.
 */
#ifndef GF_PROTOCOL_OP_CODEC_H
#define GF_PROTOCOL_OP_CODEC_H

#include "op_table.h"
#include "protocol/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the whole struct with the op's defaults. */
void gf_op_params_default(const struct gf_op *op, union gf_params *ret);

/* Bytes of one value, in the struct and on the wire: 8 for f64, 1 (a character) for a text, else 4. */
size_t gf_op_param_size(const struct gf_param_desc *param);

/* Stores values (u32, f32 or f64 bits or enum numbers, little-endian, `size` bytes in all) into the struct.
 * BAD_PARAM when there are too many or none, a value is not finite or outside its range, or no such word. Of a text the
 * values are characters, which stay where they are; none stands for not given, and one that is not printable ASCII is
 * refused with its column. */
enum gf_status gf_op_param_set(const struct gf_op *op, const struct gf_param_desc *param, const void *values,
                               size_t size, union gf_params *params, struct gf_error *err);

/* The stored values: returns how many (0: not given), and the address of the first; of a text its characters. */
uint32_t gf_op_param_get(const struct gf_param_desc *param, const union gf_params *params, const void **ret_values);
/* True where the value is the default, so that an encoder may leave it out. */
bool gf_op_param_is_default(const struct gf_param_desc *param, const union gf_params *params);

/* Parses text: numbers separated by ',', ' ' or 'x' ("2", "3x5", "0,0,0,255"), or an enum word or alias. BAD_PARAM
 * names the op, the parameter, the text and what is allowed; a bare "mirror" is refused with a hint. A parameter that
 * is a text takes all of it, and refers to it from then on. */
enum gf_status gf_op_param_parse(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                 union gf_params *params, struct gf_error *err);
/* The text form that parses back to the same values; returns text. */
const char *gf_op_param_text(const struct gf_param_desc *param, const union gf_params *params, char *text, size_t size);

/* Parses a mask "1 2 1; 2 4 2; 1 2 1" (commas or blanks, rows by ';' or a newline, '#' to the end of a line is a
 * comment) through strtof into coefs (room for `capacity` values), row by row. BAD_PARAM: empty, ragged, not a finite
 * number, a side over GF_MAX_MASK_SIDE, or more values than room. Independent of the locale. In mask_text.c. */
enum gf_status gf_mask_parse(const char *text, float *coefs, size_t capacity, uint32_t *ret_width, uint32_t *ret_height,
                             struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
