/* SPDX-License-Identifier: MIT */
/*
 * Places the operands and results of one run: in the caller's memory, in memory allocated for it, in arena memory
 * through which they are copied, or in resident buffers. That determines their way on the wire. Used by requests.c.
 */
#ifndef GF_CLIENT_PLACEMENT_H
#define GF_CLIENT_PLACEMENT_H

#include "client.h"

/* One operand or result. */
struct gf_place {
    void *data;               /* the caller's, or given to it; not written to for an operand */
    struct gf_view view;      /* as it lies there */
    void *staged;             /* owned block that is copied from or to it, tight; NULL: none */
    struct gf_handle *handle; /* counted; it is, or is a part of, what lies in a resident buffer; NULL: it is not */
    uint64_t offset;          /* of the part */
};

struct gf_placement {
    uint32_t n_operands, n_results;
    uint32_t n_copied; /* of both */
    bool stages;       /* large data is copied through arenas */
    bool staged;       /* and was */
    struct gf_place operands[GF_MAX_OPERANDS];
    struct gf_place results[GF_MAX_RESULTS];
};

/* Places everything of a call and stores in results[i].view how and where each result will lie: memory of results
 * without data is allocated here, new resident buffers are named. Small data and a first large run go inline, later
 * large runs through arenas. NO_MEMORY, BAD_VIEW, DEPENDENCY: then nothing is allocated and results are unchanged. */
enum gf_status gf_placement_init(struct gf_placement *p, gpufilter_client *client, const struct gf_call *call,
                                 gpufilter_result *results, struct gf_error *err);
/* Sets ways, arenas and offsets in the program for the connection there is, and copies operands that are staged. An
 * arena the daemon refuses makes all go inline. *ret_later is set to true where the daemon has to take an arena first.
 * NO_MEMORY, HANDLE_LOST, DEPENDENCY. */
enum gf_status gf_placement_ways(struct gf_placement *p, gpufilter_client *client, struct gf_program *program,
                                 bool *ret_later, struct gf_error *err);
/* Adds what goes inline to streams over the memory it lies in. */
void gf_placement_payload(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret);
void gf_placement_answer(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret);

/* Whether an operand is what a failed request was to make. */
bool gf_placement_starved(const struct gf_placement *p);
/* Ends it: copies staged results to the caller's memory where they were `made`, and gives blocks and handles back.
 * `late`: the daemon may still write to results. */
void gf_placement_deinit(struct gf_placement *p, gpufilter_client *client, bool made, bool late);

#endif
