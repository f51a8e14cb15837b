/* SPDX-License-Identifier: MIT */
/*
 * One plain struct per op with its parameters, from the op table: struct gf_gaussian_params etc. Filled by op_codec,
 * read by the backends; always complete, because absent parameters have their defaults.
 */
#ifndef GF_PROTOCOL_OP_PARAMS_H
#define GF_PROTOCOL_OP_PARAMS_H

#include <stdint.h>

#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Up to four values; n is the number given, 0 if an absent parameter has no default. */
struct gf_f32v {
    uint32_t n;
    float v[GF_MAX_VALUES];
};

struct gf_u32v {
    uint32_t n;
    uint32_t v[GF_MAX_VALUES];
};

struct gf_f64v {
    uint32_t n, reserved; /* 0 */
    double v[GF_MAX_VALUES];
};

/* Text of printable ASCII without a terminator. The characters are not copied; they live in a frame's body or in the
 * caller's memory. */
struct gf_text {
    uint32_t size, reserved; /* bytes, 0: not given; reserved is 0 */
    const char *chars;
};

/* Value i of a vector; a single value stands for all. */
#define GF_PICK(vec, i) ((vec).v[(vec).n == 1 ? 0 : (i)])

/* clang-format off */
#define GF_OP(op, id, help) struct gf_##op##_params {
#define GF_U32(op, id, name, lo, hi, def, help) uint32_t name;
#define GF_F32(op, id, name, lo, hi, def, help) float name;
#define GF_F64(op, id, name, lo, hi, def, help) double name;
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help) struct gf_f32v name;
#define GF_F64V(op, id, name, max, lo, hi, n_def, def, help) struct gf_f64v name;
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help) struct gf_u32v name;
#define GF_ENUM(op, id, name, ENUM, def, help) uint32_t name;
#define GF_TEXT(op, id, name, max, help) struct gf_text name;
#define GF_END(op) };
#define GF_OUTLINE
#include "ops.def"
/* clang-format on */

/* Room for the parameters of any op. */
union gf_params {
#define GF_OP(op, id, help) struct gf_##op##_params op;
#define GF_OUTLINE
#include "ops.def"
};

#ifdef __cplusplus
}
#endif
#endif
