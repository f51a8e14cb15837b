/* SPDX-License-Identifier: MIT */
/*
 * How far around a result pixel a step, or a whole program, reads its inputs. kernels/slab cuts jobs by it, and the
 * client library reports it to callers who cut pictures into tiles. It depends on parameters and shapes alone, so it is
 * never too small. It is too large where weights are 0: coefficients of a user's mask, the ends of a gaussian that are
 * too small for f32, the ring of sharpen amount=0.
 */
#ifndef GF_PROTOCOL_REACH_H
#define GF_PROTOCOL_REACH_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_REACH_EVERY UINT64_MAX /* all pixels, on this side and the other */

enum { GF_X, GF_Y, GF_N_AXES };

/* Along one axis. Pixel i of the result depends only on the input pixels from i - before to i + after, inclusive.
 * Pixels outside the input are the border's; for `wrap` they are on the opposite side. */
struct gf_axis_reach {
    uint64_t before, after;
    bool wrap;
};

struct gf_reach {
    struct gf_axis_reach axes[GF_N_AXES];
};

/* The reach of a step with these inputs, through inputs for which gf_input_is_cut. */
void gf_step_reach(const struct gf_step *step, const struct gf_view *in, struct gf_reach *ret);

/* Whether a part of an input is enough for a part of the result; otherwise the input is always needed whole. */
bool gf_input_is_cut(const struct gf_op *op, uint32_t input);

/* Whether an output depends on the whole inputs although the preceding outputs do not. */
bool gf_output_is_of_all(const struct gf_op *op, uint32_t output);

/* The reach of a checked program through all its steps, including steps that do not contribute to its results, because
 * they run too. `cut` receives a bit for each operand of which a part is enough. Pixel i of a result lies over pixel i
 * of the operands, even if their sizes differ. */
void gf_program_reach(const struct gf_program *p, struct gf_reach *ret, uint64_t *ret_cut);

#ifdef __cplusplus
}
#endif
#endif
