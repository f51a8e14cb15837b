/* SPDX-License-Identifier: MIT */
/* Data types of samples and elements. */
#ifndef GF_PROTOCOL_DTYPE_H
#define GF_PROTOCOL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gf_dtype {
#define GF_DTYPE(NAME, number, word, ctype, bytes, kind) GF_##NAME = number,
#include "dtype.def"
#undef GF_DTYPE
};

enum gf_dtype_kind { GF_KIND_UINT = 1, GF_KIND_SINT, GF_KIND_FLOAT };

/* Sets of dtypes, as descriptors state them. */
#define GF_DT(dtype) (1u << (dtype))
#define GF_DT_U8 GF_DT(GF_U8)
#define GF_DT_I8 GF_DT(GF_I8)
#define GF_DT_U16 GF_DT(GF_U16)
#define GF_DT_I16 GF_DT(GF_I16)
#define GF_DT_U32 GF_DT(GF_U32)
#define GF_DT_I32 GF_DT(GF_I32)
#define GF_DT_U64 GF_DT(GF_U64)
#define GF_DT_I64 GF_DT(GF_I64)
#define GF_DT_F32 GF_DT(GF_F32)
#define GF_DT_F64 GF_DT(GF_F64)
#define GF_DT_F16 GF_DT(GF_F16)
#define GF_DT_ANY (GF_DT(GF_F64 + 1) - GF_DT_U8) /* types with arithmetic; f16 is only read and stored */
#define GF_DT_ALL (GF_DT_ANY | GF_DT_F16)
#define GF_DT_IMAGE (GF_DT_U8 | GF_DT_U16 | GF_DT_I16 | GF_DT_F32)
#define GF_DT_SAMPLES (GF_DT_IMAGE | GF_DT_F16)        /* images of ops that compute in f32: filters, map, combine */
#define GF_DT_WHITE (GF_DT_U8 | GF_DT_U16 | GF_DT_F32) /* images with a defined white: 255, 65535, 1 */
#define GF_DT_UNWHITE (GF_DT_ANY & ~(GF_DT_WHITE | GF_DT_F16 | GF_DT_F64)) /* integers without a white */
#define GF_DT_ENCODED (GF_DT_U8 | GF_DT_U16) /* images that light=linear decodes; other types are already linear */
#define GF_DT_EDGES (GF_DT_ANY & ~(GF_DT_U64 | GF_DT_I64))
#define GF_DT_REAL (GF_DT_F32 | GF_DT_F64)
#define GF_DT_CONV1D (GF_DT_ANY & ~(GF_DT_U64 | GF_DT_I64)) /* of convolve1d and correlate1d */
#define GF_DT_MATMUL (GF_DT_I8 | GF_DT_I16 | GF_DT_I32 | GF_DT_REAL)

bool gf_dtype_known(uint32_t dtype);
/* Bytes of one element; 0 for an unknown number. */
size_t gf_dtype_size(uint32_t dtype);
/* "u8"; "?" for an unknown number. Static text. */
const char *gf_dtype_word(uint32_t dtype);
/* The number of a word; 0 for an unknown word. */
uint32_t gf_dtype_from_word(const char *word);
/* 0 for an unknown number. */
enum gf_dtype_kind gf_dtype_kind(uint32_t dtype);

/* Multiplying by `multiply` and dividing by `divide`, one of which is 1, maps the full range of one type to that of the
 * other: docs/numerics.md, "map", range=full. Both are 1 for a type without a greatest sample there. */
struct gf_dtype_ratio {
    float multiply, divide;
};
struct gf_dtype_ratio gf_dtype_full_range(uint32_t from, uint32_t to);

#define GF_DTYPES_TEXT 64 /* room for any result of gf_dtype_set_text */
/* Writes a set as "u8, u16 or f32"; returns text. */
const char *gf_dtype_set_text(uint32_t set, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
