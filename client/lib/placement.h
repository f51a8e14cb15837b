/* SPDX-License-Identifier: MIT */
/*
 * Places the operands and results of one run: in the caller's memory, in memory allocated for it, in arena memory
 * through which they are copied, or in resident buffers. The placement determines how they are sent. Used by
 * requests.c.
 */
#ifndef GF_CLIENT_PLACEMENT_H
#define GF_CLIENT_PLACEMENT_H

#include "client.h"

/* One operand or result. */
struct gf_place {
    void *data;              /* the caller's, or allocated for it; not written for an operand */
    struct gf_view view;     /* the layout at `data` */
    struct gf_block *block;  /* held; the library's memory that contains `data`; may be NULL */
    struct gf_block *staged; /* owned; memory for copying, without padding; may be NULL */
    bool apart;              /* a result that overlaps an operand: it is stored in `staged` until the answer is there */
    struct gf_handle *handle; /* counted; the handle of the resident buffer that contains it; NULL: not resident */
    uint64_t offset;          /* of the part in the buffer */
};

struct gf_placement {
    uint32_t n_operands, n_results;
    uint32_t n_copied; /* of both */
    bool stages;       /* large data is to be copied through arenas */
    bool staged;       /* what must be copied has its memory */
    struct gf_place operands[GF_MAX_OPERANDS];
    struct gf_place results[GF_MAX_RESULTS];
};

/* Places everything of a call. For a result without data memory is allocated here, a new resident buffer is named, and
 * results[i].view says how and where the result will lie; the view of any other result is not changed. Small data and a
 * first large run go inline, later large runs through arenas. NO_MEMORY, BAD_VIEW, OVERLAP, DEPENDENCY: nothing is
 * allocated and results are unchanged. */
enum gf_status gf_placement_init(struct gf_placement *p, gpufilter_client *client, const struct gf_call *call,
                                 gpufilter_result *results, struct gf_error *err);
/* Sets ways, arenas and offsets in the program for the current connection, and copies staged operands. If the daemon
 * refuses an arena, everything goes inline. *ret_later is set to true if the daemon must accept an arena first.
 * NO_MEMORY, HANDLE_LOST, DEPENDENCY. */
enum gf_status gf_placement_ways(struct gf_placement *p, gpufilter_client *client, struct gf_program *program,
                                 bool *ret_later, struct gf_error *err);
/* Add the memory of inline operands, and of inline results, to a stream. */
void gf_placement_payload(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret);
void gf_placement_answer(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret);

/* Whether an operand should have been made by a failed request. */
bool gf_placement_starved(const struct gf_placement *p);
/* Ends the placement: copies staged results to the caller's memory if they were `made`, and releases blocks and
 * handles. `late`: the daemon may still write to results. */
void gf_placement_deinit(struct gf_placement *p, gpufilter_client *client, bool made, bool late);

#endif
