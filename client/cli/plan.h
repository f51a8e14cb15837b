/* SPDX-License-Identifier: MIT */
/* What an operation will do, with every default resolved: the answer to --explain. */
#ifndef GF_CLI_PLAN_H
#define GF_CLI_PLAN_H

#include "json.h"
#include "op_call.h"

#define GF_PLAN_ROWS (GF_MAX_PARAMS + 8)

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
/* Prints it as aligned lines. */
void gf_plan_print(const struct gf_plan *plan, FILE *out);
/* The line that can only be known afterwards: where it ran. */
void gf_plan_print_device(const char *device, FILE *out);
/* Prints it as the value "plan" of an open JSON object. */
void gf_plan_json(const struct gf_plan *plan, struct gf_json *json);

#endif
