/* SPDX-License-Identifier: MIT */
/*
 * The nodes of a run of steps, made step by step: compose.c adds steps, their inputs and alpha, store.c what a store
 * makes of a value, values.c what each op computes. Internal to protocol/fuse; called by fuse.c.
 */
#ifndef GF_PROTOCOL_FUSE_COMPOSE_H
#define GF_PROTOCOL_FUSE_COMPOSE_H

#include "fuse.h"
#include "protocol/expr/build.h"

/* The last channel of a pixel, where values are made for samples: of what is copied there another is known. */
#define GF_FUSING_LAST_CHANNEL 0xFEu

/* A run that grows. Big. A value that cannot be made sets `status`, and what is made then means nothing. */
struct gf_fusing {
    const struct gf_program *program;
    uint32_t first, n; /* steps so far */
    bool pixels;       /* values are made for each channel, not for samples */
    bool needs_pixels; /* a step could not be added since they are not */
    struct gf_expr_scope scope;
    struct gf_expr_builder builder;
    struct gf_expr expr;
    enum gf_status status;
    const struct gf_ref *inputs; /* of the whole run, in the order of a, b, c, d */
    uint32_t n_inputs;
    uint32_t uses[GF_FUSE_STEPS]; /* of the texts of each step and those before it, as in struct gf_expr */
    uint16_t values[GF_FUSE_STEPS][GF_MAX_CHANNELS]; /* what each step gives before it is stored: for each channel, or
                                                        for samples and those of the last channel */
    const struct gf_step *parsed;                    /* whose text `text` is */
    struct gf_expr text;
};

/* Begins with no step of a run that reads `inputs`, which stay the caller's. */
void gf_fusing_init(struct gf_fusing *f, const struct gf_program *p, uint32_t first, const struct gf_ref *inputs,
                    uint32_t n_inputs, bool pixels);
/* Adds the step after the last one. False where the limits of expressions are in the way, or needs_pixels is set. */
bool gf_fusing_add(struct gf_fusing *f);
/* Which of `n` inputs a reference is; n: none. */
uint32_t gf_fusing_find_input(const struct gf_ref *inputs, uint32_t n, struct gf_ref ref);
/* What the first `n` steps compute; false where that keeps too many values at once. */
bool gf_fusing_end(struct gf_fusing *f, uint32_t n, struct gf_expr *ret_expr);

/* A sample of an input of a step, as the type that a sample of its dtype has: of an operand or of what an earlier step
 * of the run stores. `channel` is that of the pixel, GF_EXPR_OWN_CHANNEL or GF_FUSING_LAST_CHANNEL. */
uint16_t gf_fusing_read(struct gf_fusing *f, const struct gf_step *step, uint32_t input, uint32_t channel);

/* Nodes by build.h; 0 where there are none. */
const struct gf_expr_node *gf_fusing_node(const struct gf_fusing *f, uint16_t i);
uint16_t gf_fusing_unary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x);
uint16_t gf_fusing_binary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y);
uint16_t gf_fusing_ternary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z);
/* A number that has its type, unlike a literal. */
uint16_t gf_fusing_number(struct gf_fusing *f, enum gf_expr_type type, double v);
uint16_t gf_fusing_add_node(struct gf_fusing *f, const struct gf_expr_node *node);

/* What reading a value gives once it was stored in a dtype: of the type of such samples. In store.c, as is the next. */
uint16_t gf_fusing_stored(struct gf_fusing *f, uint16_t value, uint32_t dtype);
/* A value as f32 or f64 (GF_EXPR_TO_F32, GF_EXPR_TO_F64). */
uint16_t gf_fusing_as_float(struct gf_fusing *f, enum gf_expr_op op, uint16_t value);

/* Whether a step can be part of a run at all. In values.c, as are the next. */
bool gf_fusing_fits(const struct gf_program *p, const struct gf_step *step);
/* Whether it copies alpha instead of computing it. */
bool gf_fusing_copies_alpha(struct gf_fusing *f, const struct gf_step *step);
/* What it computes for a channel, alpha as any other. */
uint16_t gf_fusing_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel);

#endif
