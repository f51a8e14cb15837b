/* SPDX-License-Identifier: MIT */
/*
 * One conformance case: an image or array, and a program of one to three steps on it. It comes from a line of
 * cases/<family>.csv or is drawn at random; in both cases its text determines its data. Called by the runner.
 */
#ifndef GF_TESTS_CASE_H
#define GF_TESTS_CASE_H

#include <stdio.h>

#include "protocol/ops/op_shapes.h"
#include "tests/support/prng.h"

#define GF_CASE_STEPS 3
#define GF_CASE_LINE 2560 /* room for a line: an expression is long */
#define GF_CASE_TEXT (GF_CASE_STEPS * (GF_CASE_LINE + 40))

/* An input after the first: a mask, or data of its own. */
struct gf_case_input {
    struct gf_view view; /* tight; all zero where the input is left out */
    char kind[16];       /* of its data */
};

struct gf_case_step {
    const struct gf_op *op;
    union gf_params params;
    char words[GF_CASE_LINE];                   /* where texts of the parameters stand */
    struct gf_case_input inputs[GF_MAX_INPUTS]; /* from 1 on */
    int source;                                 /* -1: the image, else output 0 of an earlier step */
    bool kept;                                  /* outputs are results of the program; always true for the last step */
    struct gf_view out[GF_MAX_OUTPUTS];         /* tight */
};

struct gf_case {
    char text[GF_CASE_TEXT]; /* "correlate: u8,5x4x3,3x3:int,2,random,border=wrap" */
    struct gf_view src;      /* pitch with padding */
    uint32_t pad;            /* bytes after each row */
    char data_kind[16];
    uint64_t seed; /* of all data: from the text and the run's seed */
    bool vector;   /* a test vector; its data come from files that vectors share */
    uint32_t n_steps;
    struct gf_case_step steps[GF_CASE_STEPS];
};

/* Parses "dtype,WxHxC,inputs,pad,data,name=value ..." for an op. `inputs` describes the inputs after the first, joined
 * by '+': "WxH:kind" for a mask; "WxH:kind", "WxHxC:kind" or "WxHxC:kind:dtype" for other data; "-" for an input like
 * the first (in a type that the input takes), for an omitted input, and for no further inputs. Optional inputs at the
 * end may be missing. A value in double quotes may have blanks. Fails with a message, also if gf_op_infer refuses the
 * case.
 */
enum gf_status gf_case_parse(const struct gf_op *op, const char *line, uint64_t seed, struct gf_case *ret_case,
                             struct gf_error *err);
/* Copies a step together with its texts. */
void gf_case_step_copy(const struct gf_case_step *from, struct gf_case_step *ret);
/* `dtype` if the input takes it, otherwise the first type that the input takes. */
uint32_t gf_case_dtype(const struct gf_input_desc *input, uint32_t dtype);
/* Draws a case whose first step is the op and which is small enough for the reference. */
void gf_case_random(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, struct gf_case *ret_case);

/* Steps of the reference, samples times taps, summed over the case's steps. */
double gf_case_cost(const struct gf_case *c);

/* Fills data of any type, or a mask, by the name of a kind, from data.c or data_mask.c. `limit` is the last value of
 * the kind "offsets". False for an unknown kind. */
bool gf_data_fill(const char *kind, struct gf_prng *prng, uint64_t limit, const struct gf_view *view, void *data);
bool gf_data_mask(const char *kind, struct gf_prng *prng, uint32_t image_dtype, const struct gf_view *view, void *data);

#endif
