/* SPDX-License-Identifier: MIT */
/* Shared by the files with checks of ops: op_checks.c, which has the table, filter_checks.c, morphology_checks.c and
 * rank_checks.c. */
#ifndef GF_PROTOCOL_OP_CHECKS_H
#define GF_PROTOCOL_OP_CHECKS_H

#include "op_shapes.h"

/* The check of one op; called by gf_op_check, whose contract it has. */
typedef enum gf_status gf_check_fn(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_error *err);

/* What every filter says about the pixels outside and the scale of the samples. */
struct gf_outside {
    uint32_t border;
    const struct gf_f32v *value;
    uint32_t light;
};

/* How a result is typed, and what becomes of the rules that need the input's type. */
struct gf_result_type {
    uint32_t dtype; /* GF_DTYPE_* */
    uint32_t alpha; /* GF_ALPHA_* */
    uint32_t light; /* GF_LIGHT_* */
};

/* One border value or one per channel, which linear light can decode. BAD_PARAM. */
enum gf_status gf_check_outside(const struct gf_op *op, const struct gf_view *src, struct gf_outside outside,
                                struct gf_error *err);
/* One value of a parameter for all channels, or one for each. BAD_PARAM. */
enum gf_status gf_check_per_channel(const struct gf_op *op, const char *name, uint32_t given, uint32_t channels,
                                    struct gf_error *err);
/* One value or two of a parameter for both axes. BAD_PARAM. */
enum gf_status gf_check_axes(const struct gf_op *op, const char *name, uint32_t n, struct gf_error *err);
/* An anchor, if one is given, inside a mask of this width and height. BAD_PARAM. */
enum gf_status gf_check_anchor(const struct gf_op *op, const struct gf_view *mask, const struct gf_u32v *anchor,
                               struct gf_error *err);
/* One value or two of sigma, whose radius is not too large. BAD_PARAM. */
enum gf_status gf_check_sigma(const struct gf_op *op, const struct gf_f32v *sigma, float truncate,
                              struct gf_error *err);
/* u8, u16, i16, f32 or as the input; another type than the input's goes with neither linear light nor premultiplied
 * alpha. BAD_PARAM. */
enum gf_status gf_check_result_type(const struct gf_op *op, const struct gf_view *src, struct gf_result_type type,
                                    struct gf_error *err);

/* A number that an element of the dtype holds: a whole one in its range, of 64 bits below 2^53; for f32 one that it
 * rounds to a finite one. BAD_PARAM. */
enum gf_status gf_check_element(const struct gf_op *op, const char *name, uint32_t dtype, double value,
                                struct gf_error *err);

/* "; map converts ..." where two pictures differ in type, else "". Static text. */
const char *gf_dtypes_differ_hint(const struct gf_view *a, const struct gf_view *b);

/* The checks that descriptors name. An op without one needs none. */
#define GF_CHECK(op, check) gf_check_fn gf_check_##check;
#define GF_OUTLINE
#include "ops.def"

#endif
