/* SPDX-License-Identifier: MIT */
/* Shared by the files with checks of ops: op_checks.c, which has the table, filter_checks.c, morphology_checks.c and
 * rank_checks.c. */
#ifndef GF_PROTOCOL_OP_CHECKS_H
#define GF_PROTOCOL_OP_CHECKS_H

#include "op_shapes.h"

/* The check of one op; called by gf_op_check, with the same contract. */
typedef enum gf_status gf_check_fn(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_error *err);

/* A filter's parameters for pixels outside the picture and for the scale of the samples. */
struct gf_outside {
    uint32_t border;
    const struct gf_f32v *value;
    uint32_t light;
};

/* The type of a result, and the parameters that may conflict with it. */
struct gf_result_type {
    uint32_t dtype; /* GF_DTYPE_* */
    uint32_t alpha; /* GF_ALPHA_* */
    uint32_t light; /* GF_LIGHT_* */
};

/* Checks for one border value or one per channel, decodable by linear light. BAD_PARAM. */
enum gf_status gf_check_outside(const struct gf_op *op, const struct gf_view *src, struct gf_outside outside,
                                struct gf_error *err);
/* Checks for one value for all channels or one per channel. BAD_PARAM. */
enum gf_status gf_check_per_channel(const struct gf_op *op, const char *name, uint32_t given, uint32_t channels,
                                    struct gf_error *err);
/* Checks for one value for both axes, or two values. BAD_PARAM. */
enum gf_status gf_check_axes(const struct gf_op *op, const char *name, uint32_t n, struct gf_error *err);
/* Checks that an anchor, if given, lies inside a mask of this width and height. BAD_PARAM. */
enum gf_status gf_check_anchor(const struct gf_op *op, const struct gf_view *mask, const struct gf_u32v *anchor,
                               struct gf_error *err);
/* Checks for one or two values of sigma whose radius is not too large. BAD_PARAM. */
enum gf_status gf_check_sigma(const struct gf_op *op, const struct gf_f32v *sigma, float truncate,
                              struct gf_error *err);
/* Checks for a result of u8, u16, i16, f16, f32 or the input's type. A type that differs from the input's excludes
 * linear light and premultiplied alpha. BAD_PARAM. */
enum gf_status gf_check_result_type(const struct gf_op *op, const struct gf_view *src, struct gf_result_type type,
                                    struct gf_error *err);

/* Checks that an element of the dtype can hold the number: for integers a whole number in range, below 2^53 for 64
 * bits; for f32 a number that rounds to a finite value. BAD_PARAM. */
enum gf_status gf_check_element(const struct gf_op *op, const char *name, uint32_t dtype, double value,
                                struct gf_error *err);

/* "; map converts ..." if two pictures differ in type, otherwise "". Static text. */
const char *gf_dtypes_differ_hint(const struct gf_view *a, const struct gf_view *b);

/* The checks that descriptors name. An op without an entry needs no check. */
#define GF_CHECK(op, check) gf_check_fn gf_check_##check;
#define GF_OUTLINE
#include "ops.def"

#endif
