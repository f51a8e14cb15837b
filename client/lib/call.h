/* SPDX-License-Identifier: MIT */
/*
 * One call to run or infer: the caller's program, operands and results as a checked protocol program. Made from the
 * structs of the public headers here, or from text in program.c; read by requests.c. Knows nothing of connections.
 */
#ifndef GF_CLIENT_CALL_H
#define GF_CLIENT_CALL_H

#include "client/include/gpufilter/client.h"
#include "protocol/base/sized_struct.h"
#include "protocol/ops/program.h"
#include "protocol/wire/trace_context.h"
#include "work.h"

struct gf_call {
    struct gf_program program; /* every operand inline, every result without padding, until placement.c decides
                                * otherwise */
    /* Per operand: the caller's memory, or coefficients owned by the call. */
    const void *data[GF_MAX_OPERANDS];
    struct gf_view views[GF_MAX_OPERANDS];
    float *coefs[GF_MAX_OPERANDS];   /* owned; may be NULL */
    char *texts;                     /* of the finished program; owned; may be NULL */
    uint64_t alpha;                  /* operands with alpha, a bit each */
    uint64_t open_alpha;             /* steps that do not say their parameter alpha, a bit each */
    uint64_t made_alpha;             /* of the finished program: steps whose first output has alpha */
    uint32_t flags;                  /* GPUFILTER_CALL_... */
    struct gf_trace_context context; /* as the caller gave it; all zero: not */
};

/* Initialises without operands, steps or results. */
void gf_call_init(struct gf_call *c);
/* Frees the memory that the call owns. Accepts a call that was only initialised. */
void gf_call_deinit(struct gf_call *c);

/* Makes the whole call from the caller's arguments and checks it; afterwards nothing refers to the caller's texts. A
 * result with data must have the shape of its output. The status is one that gpufilter_run finds before it sends
 * anything. */
enum gf_status gf_call_build(struct gf_call *c, const struct gf_work *w, const char *default_device,
                             uint32_t default_ms, struct gf_error *err);

/* Adds an operand. BAD_REQUEST: too many operands; BAD_ARGUMENT: no data; BAD_VIEW, BAD_DTYPE, TOO_LARGE: its view. */
enum gf_status gf_call_add_operand(struct gf_call *c, const gpufilter_view *view, struct gf_error *err);
/* Add the steps of a text ("gaussian sigma=2 | box size=5"), or the caller's steps, to a call that has the caller's
 * operands; matrices in a text become further operands. BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM begin with
 * the column of the text; BAD_REQUEST also if an operand of the caller is not used. In program.c. */
enum gf_status gf_call_add_text(struct gf_call *c, const char *text, struct gf_error *err);
enum gf_status gf_call_add_steps(struct gf_call *c, const gpufilter_step *steps, uint32_t n, struct gf_error *err);

/* For the calls of ops.h: runs one operation. `inputs` has its required inputs; the others, and the outputs after the
 * first, are in `params`, which may be NULL. An input or output that is NULL is left out. In run.c. */
int gf_run_operation(gpufilter_client *client, uint32_t id, const gpufilter_view *const *inputs, gpufilter_view *output,
                     const void *params, const gpufilter_call *call, gpufilter_error *err);

/* Checks the row size of a caller's array with room for `capacity` rows; `name` is "device" for gpufilter_device. */
enum gf_status gf_row_size_check(size_t size, uint32_t capacity, const char *name, struct gf_error *err);

/* Fills in the view of a result of a finished call, but its data. */
void gf_call_result_out(const struct gf_call *c, uint32_t i, gpufilter_view *ret);

/* Whether the caller gave memory for a result, or named a resident buffer: its view is then not changed. */
bool gf_view_has_memory(const gpufilter_view *view);
/* Converts a view to the protocol's form, with its pitch filled in. */
struct gf_view gf_view_in(const gpufilter_view *view);

#endif
