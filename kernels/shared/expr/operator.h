/* SPDX-License-Identifier: MIT */
/*
 * Compiled user operators of reduce and scan (docs/numerics.md, "Operators of users"): how a step with op=user reads
 * elements, combines states and makes results. Called by both backends.
 */
#ifndef GF_KERNELS_OPERATOR_H
#define GF_KERNELS_OPERATOR_H

#include "program.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A state is n_state values, each of its machine type. */
struct gf_operator_programs {
    struct gf_expr_program lift;    /* from samples and coordinates to a state */
    struct gf_expr_program combine; /* from states in registers 0.. (earlier) and 4.. (later) to a state */
    struct gf_expr_program finish;  /* from a state in registers 0.. to values of the result */
    uint32_t n_state;
    uint8_t machines[GF_EXPR_MAX_STATE];             /* enum gf_expr_machine */
    union gf_expr_value identity[GF_EXPR_MAX_STATE]; /* 0 if the step has none and needs none */
    bool pixels; /* sequences consist of pixels; otherwise each channel is a sequence */
};

/* `in` are the views of the step's inputs. BAD_PARAM as gf_operator_of_step and gf_expr_compile. */
enum gf_status gf_operator_compile(const struct gf_step *step, const struct gf_view *in,
                                   struct gf_operator_programs *ret, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
