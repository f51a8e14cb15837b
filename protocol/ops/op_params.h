/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a step. protocol/ops/params/OP.h, which cmake/GfOps.cmake makes from OP.def, defines the plain
 * struct gf_OP_params; op_codec fills it, the backends read it. Every parameter has a value, because absent parameters
 * have their defaults. Only files that include the header of an operation are compiled anew where its parameters
 * change.
 */
#ifndef GF_PROTOCOL_OP_PARAMS_H
#define GF_PROTOCOL_OP_PARAMS_H

#include <stdint.h>
#include <string.h>

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

struct gf_expr;

/* Text of printable ASCII without a terminator. The characters are not copied; they live in a frame's body or in the
 * caller's memory. */
struct gf_text {
    uint32_t size, reserved; /* bytes, 0: not given; reserved is 0 */
    const char *chars;
    const struct gf_expr *nodes; /* what it means in its step, if that is kept (texts/parsed.h); otherwise NULL */
};

/* Value i of a vector; a single value stands for all. */
#define GF_PICK(vec, i) ((vec).v[(vec).n == 1 ? 0 : (i)])

/* Bytes of the largest parameter struct, which has 160 today, and some more; op_table.c checks that each one fits. */
#define GF_PARAMS_SIZE 192

/* Room for the parameter struct of any op. The struct is copied out of the bytes and back into them, because neither C
 * nor C++ allows an array that is declared as bytes to be accessed as another type. */
union gf_params {
    unsigned char bytes[GF_PARAMS_SIZE];
    double aligned; /* like the struct, so that gf_op_param_get points to aligned values */
};

/* The two functions of protocol/ops/params/OP.h. */
#define GF_PARAMS_ACCESS(op)                                                                                           \
    static inline struct gf_##op##_params gf_##op##_params_get(const union gf_params *params)                          \
    {                                                                                                                  \
        struct gf_##op##_params values;                                                                                \
        memcpy(&values, params->bytes, sizeof(values));                                                                \
        return values;                                                                                                 \
    }                                                                                                                  \
    static inline void gf_##op##_params_set(union gf_params *params, const struct gf_##op##_params *values)            \
    {                                                                                                                  \
        memcpy(params->bytes, values, sizeof(*values));                                                                \
    }

/* Sets one parameter: GF_SET_PARAM(&step->params, map, scale, 2.0f). */
#define GF_SET_PARAM(params, op, name, ...)                                                                            \
    do {                                                                                                               \
        union gf_params *params_ = (params);                                                                           \
        struct gf_##op##_params changed_ = gf_##op##_params_get(params_);                                              \
        changed_.name = __VA_ARGS__;                                                                                   \
        gf_##op##_params_set(params_, &changed_);                                                                      \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
