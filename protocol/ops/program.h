/* SPDX-License-Identifier: MIT */
/*
 * A program: operands, steps and results of one work request, after validation. Made from bytes by run_request.c and
 * from the caller's arguments by the client library; read by the session, the worker and the backends.
 */
#ifndef GF_PROTOCOL_PROGRAM_H
#define GF_PROTOCOL_PROGRAM_H

#include "op_table.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The location of an operand's or result's bytes. */
enum gf_way {
    GF_WAY_INLINE = 1, /* in the payload of the frame, at `offset` */
    GF_WAY_ARENA,      /* in arena `id`, at `offset`, `length` bytes */
    GF_WAY_HANDLE      /* the resident buffer `id`; for an operand, the part at `offset` */
};

struct gf_operand {
    uint8_t way;
    uint64_t id;     /* arena or handle, 0 for inline; between front and worker a key */
    uint64_t offset; /* of the first sample; in a resident buffer, as if its rows had no gaps */
    uint64_t length; /* bytes, at least gf_view_bytes(view); 0 for a handle */
    struct gf_view view;
};

enum gf_from {
    GF_FROM_OPERAND = 0,
    GF_FROM_STEP = 1,
    GF_FROM_NOTHING = 2 /* an optional input that is omitted */
};

/* The source of a step's input. */
struct gf_ref {
    uint8_t from;   /* enum gf_from: operand `index`, or output `output` of the earlier step `index` */
    uint8_t output; /* 0 unless from a step */
    uint16_t index; /* 0 for nothing */
};

struct gf_expr;
struct gf_parsed;

struct gf_step {
    const struct gf_op *op;
    union gf_params params;
    const struct gf_expr *nodes; /* of a fused step (protocol/fuse): what it computes, instead of its text; otherwise
                                  * NULL */
    struct gf_ref in[GF_MAX_INPUTS];
    struct gf_view out[GF_MAX_OUTPUTS]; /* inferred, without padding */
};

/* An output that the caller wants. The same output may be wanted twice. */
struct gf_result {
    uint16_t step;
    uint8_t output;
    uint8_t way;
    uint64_t id;         /* as in struct gf_operand */
    uint64_t offset;     /* inline: in the payload of the answer, set by the check; arena: in the arena */
    uint64_t length;     /* inline: bytes in the payload, set by the check; arena: room in bytes */
    struct gf_view view; /* shape of the output, with the requested pitch (0: no padding) */
};

struct gf_program {
    char device[GF_MAX_DEVICE_NAME + 1]; /* "auto", "cpu", "cuda:0", a UUID, "cuda:all" */
    uint32_t deadline_ms;                /* from the moment the server has read the body; 0: none */
    bool trace;                          /* the answer must contain spans */
    bool unfused;                        /* each step must be run separately */
    bool keyed;                          /* between front and worker: ids are keys of 64 bits, and there is a user */
    uint64_t user;                       /* if keyed: the number of the user whose request it is */
    uint32_t part, n_parts;              /* between front and worker: this slab of so many; 0: all rows */
    uint32_t n_operands, n_steps, n_results;
    uint64_t payload_in, payload_out; /* bytes of inline operands and of inline results, including padding */
    struct gf_operand operands[GF_MAX_OPERANDS];
    struct gf_step steps[GF_MAX_STEPS];
    struct gf_result results[GF_MAX_RESULTS];
};

/* Checks a program built by hand or by the decoder and completes it: references, inputs, parameters, inferred outputs,
 * result views, the layout of inline operands and results (each at the next multiple of 64 in table order), lengths. If
 * `layout` is true, sets the offsets of inline operands; otherwise compares them with the layout. Features of later
 * versions are UNSUPPORTED where they run, not here. */
enum gf_status gf_program_check(struct gf_program *p, bool layout, struct gf_error *err);
/* The same without a layout, for a decoder; keeps the nodes of the texts in *parsed (texts/parsed.h), unless it is
 * NULL.
 */
enum gf_status gf_program_check_keeping(struct gf_program *p, struct gf_parsed *parsed, struct gf_error *err);
/* The same, with a layout, of a program that was checked and whose operands and results have got other ways since: its
 * steps, shapes and texts are as they were, and are not looked at again. */
enum gf_status gf_program_place(struct gf_program *p, struct gf_error *err);

/* Copies a program without the room that it does not use. */
void gf_program_copy(struct gf_program *to, const struct gf_program *from);

/* A program without that room, to be kept: its bytes, which gf_program_pack writes, and the program of such bytes. */
size_t gf_program_packed_size(const struct gf_program *p);
void gf_program_pack(const struct gf_program *p, void *ret_bytes);
void gf_program_unpack(const void *bytes, struct gf_program *ret);

/* Bytes of all its texts; at most GF_MAX_TEXTS in a checked program. In op_codec.c, like the next function. */
uint64_t gf_program_texts_size(const struct gf_program *p);
/* Copies the characters of all its texts into `room` of that size, which must outlive the program; it no longer refers
 * to nodes of its texts. */
void gf_program_texts_move(struct gf_program *p, char *room);

/* Where an operand begins in a resident buffer of this shape. The operand must have the buffer's dtype and channels
 * and, if it has more than one row, the pitch of the buffer's rows without gaps. BAD_VIEW if it lies outside, BAD_DTYPE
 * for a different dtype. */
enum gf_status gf_operand_place(const struct gf_operand *o, const struct gf_view *buffer, uint64_t *ret_x,
                                uint64_t *ret_y, struct gf_error *err);

/* Checks for 1..GF_MAX_DEVICE_NAME letters, digits and characters of ":._-"; BAD_REQUEST. */
enum gf_status gf_device_name_check(const char *name, struct gf_error *err);

#define GF_STEP_TEXT 48

/* Writes "step 2 (sobel)", the name of a step in messages, counted from 1. `op` may be NULL. Returns text. */
const char *gf_step_text(uint32_t index, const struct gf_op *op, char *text, size_t size);

/* Whether an op accepts this number of inputs, with optional ones at the end omitted; BAD_REQUEST names the step. */
enum gf_status gf_program_count_inputs(const struct gf_op *op, uint32_t step, uint32_t n, struct gf_error *err);

/* The view of an input reference; all zero for nothing. */
const struct gf_view *gf_program_input_view(const struct gf_program *p, struct gf_ref ref);

#ifdef __cplusplus
}
#endif
#endif
