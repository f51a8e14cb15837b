/* SPDX-License-Identifier: MIT */
/*
 * Resident buffers as the caller sees them: one range of unreadable addresses per buffer, so that pointer arithmetic
 * names a part of a buffer as it does a part of a picture in memory. Knows each buffer's shape and the handle of its
 * latest contents. Used by client.c, placement.c and requests.c.
 */
#ifndef GF_CLIENT_RESIDENTS_H
#define GF_CLIENT_RESIDENTS_H

#include "handles.h"
#include "protocol/base/view.h"

struct gf_resident {
    struct gf_resident *next;
    uint8_t *base; /* start of `size` reserved addresses */
    uint64_t size;
    struct gf_view view;      /* without padding between rows */
    struct gf_handle *newest; /* counted; the contents that newly submitted requests read; may be NULL */
};

struct gf_residents {
    struct gf_resident *first;
};

/* Frees all buffers. */
void gf_residents_deinit(struct gf_residents *residents);
/* Adds an empty buffer of this shape. NO_MEMORY. */
enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err);
/* The buffer that contains an address, or NULL. */
struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data);
/* Restores the previous contents of buffers whose new contents could not be made. */
void gf_residents_restore(struct gf_residents *residents);
/* Removes a buffer, drops its contents and frees it. */
void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident);

#endif
