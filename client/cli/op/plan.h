/* SPDX-License-Identifier: MIT */
/* The answer to --explain: what an operation will do, with every default resolved. */
#ifndef GF_CLI_PLAN_H
#define GF_CLI_PLAN_H

#include "client/cli/base/json.h"
#include "gpufilter/client.h"
#include "op_call.h"

#define GF_PLAN_ROWS (GF_MAX_PARAMS + GF_MAX_INPUTS + GF_MAX_OUTPUTS + 8)

struct gf_plan {
    struct {
        char key[40];
        char text[160];
        const char *note; /* " (default)", or "" */
    } rows[GF_PLAN_ROWS];
    size_t n;
};

/* Fills in the plan of a call on a picture of this shape. */
void gf_plan_init(struct gf_plan *plan, const struct gf_op_call *call, const char *device, const struct gf_view *in,
                  const struct gf_view *out);
/* Where an input of a step comes from. */
struct gf_plan_input {
    struct gf_view view; /* not given: left out, or not to be told */
    char from[128];      /* "step 1 (gaussian)", or a file */
};

/* Fills in the plan of step `step`, from 0, of a pipe; `in` and `out` are its inputs and outputs. */
void gf_plan_step_init(struct gf_plan *plan, uint32_t step, const struct gf_op_call *call,
                       const struct gf_plan_input *in, const struct gf_view *out);
/* Prints it as aligned lines. */
void gf_plan_print(const struct gf_plan *plan, FILE *out);
/* A line of its own: where it will run; `device` is NULL where none was asked for. */
void gf_plan_print_device(const char *device, FILE *out);
/* Afterwards: where it ran and why there, and how long each stage took. */
void gf_plan_print_run(const gpufilter_times *times, FILE *out);
/* Prints it as a value of an open JSON object; `key` NULL in an array. */
void gf_plan_json(const struct gf_plan *plan, const char *key, struct gf_json *json);

#endif
