/* SPDX-License-Identifier: MIT */
/*
 * Inputs and outputs of an op: checks of inputs against the descriptor, checks across parameters, and the output views.
 * Client, front and worker call the same function. No output size depends on data.
 */
#ifndef GF_PROTOCOL_OP_SHAPES_H
#define GF_PROTOCOL_OP_SHAPES_H

#include "op_table.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the views of all inputs and the parameters, and stores one view without padding per output; on failure the
 * views are undefined. The view of an omitted input is all zero. Omitted inputs at the end may be missing, so n_given
 * is between op->n_required and op->n_inputs. BAD_REQUEST for the number of inputs, BAD_VIEW, BAD_DTYPE, TOO_LARGE,
 * BAD_PARAM. */
enum gf_status gf_op_infer(const struct gf_op *op, const struct gf_view *given, uint32_t n_given,
                           const union gf_params *params, struct gf_view *ret_out, struct gf_error *err);

/* Checks across parameters and input views that no single range can express, such as the taps of a gaussian or an
 * anchor inside the mask. In op_checks.c; called by gf_op_infer. */
enum gf_status gf_op_check(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                           struct gf_error *err);

/* Radius of a gaussian axis, floor(truncate * sigma + 0.5) in f64; shared by checks, weights and --explain. */
uint32_t gf_gaussian_radius(float sigma, float truncate);
/* Radius of a bilateral filter's disc: the given radius, or 1.5 sigma_space rounded, at least 1. */
uint32_t gf_bilateral_radius(const union gf_params *params);
/* Taps across (0) or down (1) of an op whose work is GF_WORK_SEPARABLE, from its sigma and truncate. */
uint64_t gf_separable_taps(const struct gf_op *op, const union gf_params *params, uint32_t axis);
/* Side of the structuring element across (0) or down (1) of an op whose work is GF_WORK_ELEMENT, from its mask or its
 * size. */
uint64_t gf_element_side(const struct gf_op *op, const union gf_params *params, const struct gf_view *mask,
                         uint32_t axis);

#ifdef __cplusplus
}
#endif
#endif
