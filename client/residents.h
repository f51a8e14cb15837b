/* SPDX-License-Identifier: MIT */
/*
 * Resident buffers as the caller sees them: addresses that nobody can read, one range of them per buffer, so that a
 * part of a buffer is named by the same arithmetic as a part of a picture in memory. Knows each buffer's shape and its
 * handle on the connection that made it. Used by client.c, placement.c and run.c.
 */
#ifndef GF_CLIENT_RESIDENTS_H
#define GF_CLIENT_RESIDENTS_H

#include "protocol/error.h"
#include "protocol/view.h"

struct gf_resident {
    struct gf_resident *next;
    uint8_t *base; /* of `size` reserved addresses */
    uint64_t size;
    struct gf_view view; /* tight */
    uint64_t connection; /* number of the one its handle belongs to; 0: nothing was stored in it yet */
    uint32_t handle;
};

struct gf_residents {
    struct gf_resident *first;
    uint32_t last_handle; /* numbers are never used twice by a client */
};

/* Forgets all; the daemon frees its part when the connection ends. */
void gf_residents_deinit(struct gf_residents *residents);
/* A buffer of this shape with nothing in it. NO_MEMORY. */
enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err);
/* The buffer that an address belongs to; NULL. */
struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data);
/* Takes a buffer out and frees it. */
void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident);

#endif
