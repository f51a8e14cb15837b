/* SPDX-License-Identifier: MIT */
/*
 * One call to run or infer: the caller's program, operands and results as a checked protocol program. Made from the
 * structs of the public headers here, or from text in program_text.c; read by requests.c. Knows nothing of connections.
 */
#ifndef GF_CLIENT_CALL_H
#define GF_CLIENT_CALL_H

#include "client/include/gpufilter/client.h"
#include "protocol/ops/program.h"

struct gf_call {
    struct gf_program program; /* every operand inline, every result without padding, until placement.c decides
                                * otherwise */
    /* Per operand: the caller's memory, or coefficients owned by the call. */
    const void *data[GF_MAX_OPERANDS];
    struct gf_view views[GF_MAX_OPERANDS];
    float *coefs[GF_MAX_OPERANDS]; /* owned; may be NULL */
    char *texts;                   /* of the finished program; owned; may be NULL */
};

/* Initialises without operands, steps or results. */
void gf_call_init(struct gf_call *c);
/* Frees the memory that the call owns. */
void gf_call_deinit(struct gf_call *c);

/* Adds an operand. TOO_LARGE: too many operands; BAD_ARGUMENT: no data. */
enum gf_status gf_call_add_operand(struct gf_call *c, const gpufilter_view *view, struct gf_error *err);
/* Adds steps from the caller's structs. UNKNOWN_OP, UNKNOWN_PARAM, BAD_PARAM, BAD_REQUEST, BAD_ARGUMENT. */
enum gf_status gf_call_add_steps(struct gf_call *c, const gpufilter_step *steps, uint32_t n, struct gf_error *err);

/* Adds the steps of a text ("gaussian sigma=2 | box size=5") to a call that has the caller's operands, and matrices in
 * the text as further operands. BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM begin with the column; BAD_REQUEST
 * also if an operand of the caller is not used. In program_text.c. */
enum gf_status gf_call_add_text(struct gf_call *c, const char *text, struct gf_error *err);

/* Sets device and deadline; NULL and 0 select the defaults. BAD_ARGUMENT: invalid device name. */
enum gf_status gf_call_set(struct gf_call *c, const char *device, uint32_t deadline_ms, const char *default_device,
                           uint32_t default_ms, struct gf_error *err);
/* Adds the wanted results and checks the whole program. Afterwards nothing refers to the caller's texts. A result with
 * data must have the shape of its output. */
enum gf_status gf_call_finish(struct gf_call *c, const gpufilter_result *results, uint32_t n, struct gf_error *err);

/* Copies a caller's extensible struct over the defaults in ret, which has `size` bytes. BAD_ARGUMENT: an impossible
 * size, or nonzero members that this library does not know. */
enum gf_status gf_struct_in(void *ret, size_t size, const void *from, const char *name, struct gf_error *err);

/* For the calls of ops.h: gf_struct_in for parameters, where NULL leaves the defaults. In run.c. */
int gf_take_params(void *ret, size_t size, const void *params, const char *name, gpufilter_error *err);
/* For the calls of ops.h: runs one operation. Every parameter, input and output of its descriptor has an entry. NULL
 * leaves out an optional input, or one of several outputs. In run.c. */
int gf_run_operation(gpufilter_client *client, uint32_t id, const gpufilter_param *params,
                     const gpufilter_view *const *inputs, gpufilter_view *const *outputs, gpufilter_error *err);

/* Fills the members of a caller's extensible struct that its size covers. BAD_ARGUMENT: an impossible size. */
enum gf_status gf_struct_out(void *to, const void *from, size_t size, const char *name, struct gf_error *err);

/* Checks the row size of a caller's array with room for `capacity` rows; `name` is "device" for gpufilter_device. */
enum gf_status gf_row_size_check(size_t size, uint32_t capacity, const char *name, struct gf_error *err);

/* Whether the caller gave memory for a result, or named a resident buffer: its view is then not changed. */
bool gf_view_has_memory(const gpufilter_view *view);
/* Converts a view to the protocol's form, with its pitch filled in. */
struct gf_view gf_view_in(const gpufilter_view *view);
/* Converts a view to the caller's form; does not change data. */
void gf_view_out(const struct gf_view *view, gpufilter_view *ret);

#endif
