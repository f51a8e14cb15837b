/* SPDX-License-Identifier: MIT */
/*
 * Builds the nodes of a run step by step: compose.c adds steps, their inputs and alpha; store.c models the store of a
 * value; values.c computes each op. Internal to protocol/fuse; called by fuse.c.
 */
#ifndef GF_PROTOCOL_FUSE_COMPOSE_H
#define GF_PROTOCOL_FUSE_COMPOSE_H

#include "fuse.h"
#include "protocol/expr/build.h"

/* The last channel of a pixel, when values are made for samples: copied alpha differs there. */
#define GF_FUSING_LAST_CHANNEL 0xFEu

/* A growing run; the struct is large. A value that cannot be made sets `status`, and later values
 * are then meaningless. */
struct gf_fusing {
    const struct gf_program *program;
    uint32_t first, n; /* number of steps so far */
    bool pixels;       /* values are made per channel instead of per sample */
    bool needs_pixels; /* a step needs values per channel */
    struct gf_expr_scope scope;
    struct gf_expr_builder builder;
    struct gf_expr expr;
    enum gf_status status;
    const struct gf_ref *inputs; /* of the whole run, in the order of a, b, c, d */
    uint32_t n_inputs;
    uint32_t uses[GF_FUSE_STEPS]; /* operators used in the texts up to each step, as in struct gf_expr */
    uint16_t values[GF_FUSE_STEPS][GF_MAX_CHANNELS]; /* each step's values before its store: per channel, or one for
                                                      * samples and one for the last channel */
    const struct gf_step *parsed;                    /* the step whose parsed text is `text` */
    const struct gf_expr *text;                      /* kept with the step (texts/parsed.h), otherwise `own` */
    struct gf_expr own;
    uint32_t work; /* nodes that were looked at; not reset by gf_fusing_init */
};

/* Begins a run without steps that reads `inputs`, which the caller keeps. */
void gf_fusing_init(struct gf_fusing *f, const struct gf_program *p, uint32_t first, const struct gf_ref *inputs,
                    uint32_t n_inputs, bool pixels);
/* Adds the next step. False if an expression's limits are exceeded or needs_pixels is set. */
bool gf_fusing_add(struct gf_fusing *f);
/* The index of a reference among `n` inputs; n if it is not there. */
uint32_t gf_fusing_find_input(const struct gf_ref *inputs, uint32_t n, struct gf_ref ref);
/* Ends the expression after the first `n` steps; false if too many values are live at once. */
bool gf_fusing_end(struct gf_fusing *f, uint32_t n, struct gf_expr *ret_expr);

/* A sample of a step's input in the expression type of its dtype: an operand's, or one that an earlier step of the run
 * stores. `channel` is a channel of the pixel, GF_EXPR_OWN_CHANNEL or GF_FUSING_LAST_CHANNEL. */
uint16_t gf_fusing_read(struct gf_fusing *f, const struct gf_step *step, uint32_t input, uint32_t channel);

/* Add nodes through build.h; return 0 on failure. */
const struct gf_expr_node *gf_fusing_node(const struct gf_fusing *f, uint16_t i);
uint16_t gf_fusing_unary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x);
uint16_t gf_fusing_binary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y);
uint16_t gf_fusing_ternary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z);
/* A number with a type, unlike a literal. */
uint16_t gf_fusing_number(struct gf_fusing *f, enum gf_expr_type type, double v);
uint16_t gf_fusing_add_node(struct gf_fusing *f, const struct gf_expr_node *node);

/* The value after a store to a dtype and a load, in the expression type of that dtype. In store.c, like the next
 * function. */
uint16_t gf_fusing_stored(struct gf_fusing *f, uint16_t value, uint32_t dtype);
/* Converts a value to f32 or f64 (GF_EXPR_TO_F32, GF_EXPR_TO_F64). */
uint16_t gf_fusing_as_float(struct gf_fusing *f, enum gf_expr_op op, uint16_t value);

/* Whether a step can be part of a run. In values.c, like the next functions. */
bool gf_fusing_fits(const struct gf_program *p, const struct gf_step *step);
/* Whether the step copies alpha instead of computing it. */
bool gf_fusing_copies_alpha(struct gf_fusing *f, const struct gf_step *step);
/* The step's value for a channel; alpha is computed like any other channel. */
uint16_t gf_fusing_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel);

#endif
