/* SPDX-License-Identifier: MIT */
/*
 * One conformance case: an image, and a program of one to three steps over it. From a line of cases/<op>.csv or drawn
 * at random; either way it has a text from which the same data follow. Called by the runner.
 */
#ifndef GF_TESTS_CASE_H
#define GF_TESTS_CASE_H

#include <stdio.h>

#include "protocol/op_shapes.h"
#include "tests/support/prng.h"

#define GF_CASE_STEPS 3
#define GF_CASE_TEXT 640

struct gf_case_step {
    const struct gf_op *op;
    union gf_params params;
    uint32_t mask_width, mask_height; /* 0: the op takes no mask */
    char mask_kind[16];
    int source;         /* -1: the image, else an earlier step */
    bool kept;          /* the output is a result of the program; that of the last step always is */
    struct gf_view out; /* tight */
};

struct gf_case {
    char text[GF_CASE_TEXT]; /* "correlate: u8,5x4x3,3x3:int,2,random,border=wrap" */
    struct gf_view src;      /* pitch with padding */
    uint32_t pad;            /* bytes after each row */
    char data_kind[16];
    uint64_t seed; /* of all data: from the text and the run's seed */
    uint32_t n_steps;
    struct gf_case_step steps[GF_CASE_STEPS];
};

/* Parses "dtype,WxHxC,WxH:kind or -,pad,data,name=value ..." for an op. Fails with a sentence, also where gf_op_infer
 * refuses the case. */
enum gf_status gf_case_parse(const struct gf_op *op, const char *line, uint64_t seed, struct gf_case *ret_case,
                             struct gf_error *err);
/* Draws a case whose first step is the op; small enough for the gold. */
void gf_case_random(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, struct gf_case *ret_case);

/* Fills an image or a mask by the kind's name, whose meaning stands in data.c. False for an unknown kind. */
bool gf_data_image(const char *kind, struct gf_prng *prng, const struct gf_view *view, void *data);
bool gf_data_mask(const char *kind, struct gf_prng *prng, uint32_t image_dtype, const struct gf_view *view, void *data);

#endif
