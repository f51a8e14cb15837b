/* SPDX-License-Identifier: MIT */
/*
 * Where the operands and results of one run lie: in the caller's memory, in memory allocated for it, in arena memory
 * they are copied through, or in resident buffers; and so which way each takes on the wire. Used by run.c.
 */
#ifndef GF_CLIENT_PLACEMENT_H
#define GF_CLIENT_PLACEMENT_H

#include "client.h"

/* One operand or result. */
struct gf_place {
    void *data;                   /* what goes over the wire or is shared; not written to for an operand */
    struct gf_view view;          /* as it lies there */
    void *staged;                 /* owned block that is copied from or to the caller's; NULL: none */
    void *given;                  /* owned block that becomes the caller's on success; NULL: none */
    struct gf_resident *resident; /* the buffer it is a part of, or becomes; NULL: none */
    bool added;                   /* the buffer was made for this run */
    uint32_t handle;              /* of a result: the number under which the daemon makes it */
};

struct gf_placement {
    uint32_t n_operands, n_results;
    uint32_t n_copied; /* of both */
    struct gf_place operands[GF_MAX_OPERANDS];
    struct gf_place results[GF_MAX_RESULTS];
};

/* Places everything of the client's call, copies operands that are staged, allocates results without data. Small data
 * and a first large run go inline, later large runs through arenas. NO_MEMORY. Deinit in any case. */
enum gf_status gf_placement_init(struct gf_placement *p, gpufilter_client *client, const gpufilter_result *results,
                                 struct gf_error *err);
/* Sets ways, arenas and offsets in the program for the connection there is, and declares arenas new to it. An arena the
 * daemon refuses makes all go inline. CONNECTION_LOST, TIMEOUT, BAD_REPLY. */
enum gf_status gf_placement_ways(struct gf_placement *p, gpufilter_client *client, struct gf_program *program,
                                 struct gf_error *err);
/* Copies staged results to the caller's memory and stores the views of all results. */
void gf_placement_deliver(struct gf_placement *p, gpufilter_client *client, gpufilter_result *results);
/* Gives blocks back, and handles that hold nothing any more. `late`: the daemon may still write to results; `failed`:
 * allocated results too. */
void gf_placement_deinit(struct gf_placement *p, gpufilter_client *client, bool late, bool failed);

/* Has the daemon free a resident buffer that was made on the connection there is. */
void gf_placement_release(gpufilter_client *client, uint64_t connection, uint32_t handle);

#endif
