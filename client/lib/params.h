/* SPDX-License-Identifier: MIT */
/*
 * The parameter structs of gpufilter/ops.h as data: where their members are. The tables are generated, with the calls
 * of ops.h, by client/tools/gen_ops.c. Used by program.c and run.c.
 */
#ifndef GF_CLIENT_PARAMS_H
#define GF_CLIENT_PARAMS_H

#include <stddef.h>

#include "client/include/gpufilter/types.h"
#include "protocol/ops/program.h"

/* One struct. Its offsets are those of the parameters in the descriptor's order, the inputs that may be left out, and
 * the outputs after the first. */
struct gf_params_layout {
    uint16_t size;  /* up to the end of the last member */
    uint16_t first; /* index of its first offset in gf_params_offsets */
};

extern const struct gf_params_layout gf_params_layouts[GF_N_OPS];
extern const uint16_t gf_params_offsets[];

/* Reads a caller's struct into step `at`, counted from 0, of a program: its operation and parameters. Sets bit `at` of
 * *ret_open_alpha if the step has a parameter alpha that is not set. Texts refer to the caller's. BAD_ARGUMENT: no
 * struct of an operation; UNKNOWN_OP; BAD_PARAM. */
enum gf_status gf_params_read(const void *params, uint32_t at, struct gf_step *ret, uint64_t *ret_open_alpha,
                              struct gf_error *err);

/* The views in a struct: of the inputs that may be left out, and of the outputs after the first, in the descriptor's
 * order; NULL where the caller's struct has none. `params` must have passed gf_params_read. */
const gpufilter_view *gf_params_input(const struct gf_op *op, const void *params, uint32_t input);
gpufilter_view *gf_params_output(const struct gf_op *op, const void *params, uint32_t output);

#endif
