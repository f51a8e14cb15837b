/* SPDX-License-Identifier: MIT */
/* The answer to --explain: what an operation will do, with every default resolved. */
#ifndef GF_CLI_PLAN_H
#define GF_CLI_PLAN_H

#include "client/cli/base/json.h"
#include "pipe.h"

#define GF_PLAN_ROWS (GF_MAX_PARAMS + GF_MAX_INPUTS + GF_MAX_OUTPUTS + 8)

struct gf_plan {
    struct {
        char key[40];
        char text[160];
        const char *note; /* " (default)", or "" */
    } rows[GF_PLAN_ROWS];
    size_t n;
};

/* Fills in the plan of a pipe of one step, which must have been checked. */
void gf_plan_init(struct gf_plan *plan, const struct gf_pipe *p, const char *device);
/* Fills in the plan of step `step`, from 0, of a pipe, which must have been checked. */
void gf_plan_step_init(struct gf_plan *plan, const struct gf_pipe *p, uint32_t step);
/* Prints the plan as aligned lines. */
void gf_plan_print(const struct gf_plan *plan, FILE *out);
/* Prints on which device the request will run; `device` is NULL if none was requested. */
void gf_plan_print_device(const char *device, FILE *out);
/* Prints, after the run, on which device it ran and why, and how long each stage took. */
void gf_plan_print_run(const gpufilter_times *times, FILE *out);
/* Prints the plan as a value of an open JSON object. `key` must be NULL in an array. */
void gf_plan_json(const struct gf_plan *plan, const char *key, struct gf_json *json);

#endif
