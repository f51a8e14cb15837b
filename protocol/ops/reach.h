/* SPDX-License-Identifier: MIT */
/*
 * How far around a pixel of its result a step, or a whole program, looks at its inputs. kernels/slab cuts jobs by this,
 * the client library tells it those who cut pictures into tiles. From parameters and shapes alone, so never too little;
 * too much where weights are 0: coefficients of a user's mask, the ends of a gaussian that are too small for f32, the
 * ring of sharpen amount=0.
 */
#ifndef GF_PROTOCOL_REACH_H
#define GF_PROTOCOL_REACH_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_REACH_EVERY UINT64_MAX /* all there are, on this and the other side */

enum { GF_X, GF_Y, GF_N_AXES };

/* Along one axis. Pixel i of the result is made of those from i - before to i + after of the input, both included, and
 * of nothing else; what of it lies outside the input is the border's, which for `wrap` is the opposite side. */
struct gf_axis_reach {
    uint64_t before, after;
    bool wrap;
};

struct gf_reach {
    struct gf_axis_reach axes[GF_N_AXES];
};

/* Of a step with these inputs, through those that gf_input_is_cut. */
void gf_step_reach(const struct gf_step *step, const struct gf_view *in, struct gf_reach *ret);

/* Whether an input has a pixel for each of the result, or is needed whole for any. */
bool gf_input_is_cut(const struct gf_op *op, uint32_t input);

/* Whether an output is made of all of the inputs, although those before it are not. */
bool gf_output_is_of_all(const struct gf_op *op, uint32_t output);

/* Of a checked program through all its steps, also those that make nothing of its results, since they run too. `cut`
 * gets a bit for each operand of which a part will do. Pixel i of a result lies over pixel i of the operands, also
 * where they differ in size. */
void gf_program_reach(const struct gf_program *p, struct gf_reach *ret, uint64_t *ret_cut);

#ifdef __cplusplus
}
#endif
#endif
