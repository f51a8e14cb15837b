/* SPDX-License-Identifier: MIT */
/*
 * Resident buffers. The caller sees each as a range of addresses, so that pointer arithmetic names a part of a buffer
 * as it does a part of a picture in memory. No memory can ever lie there, and no range is given out twice in a process:
 * an address of a buffer that was freed, or of another client, is none of anything else. The daemon knows handles: a
 * new one each time that something is stored in a buffer. Handles are reference counted, because a buffer and the
 * requests that read or make its contents need them independently; the last release makes the daemon free the handle.
 * Used by client.c, placement.c and requests.c.
 */
#ifndef GF_CLIENT_RESIDENTS_H
#define GF_CLIENT_RESIDENTS_H

#include "client/lib/transport/channel.h"
#include "protocol/base/hash.h"
#include "protocol/base/view.h"

enum gf_contents_state {
    GF_CONTENTS_AHEAD,  /* the request that makes it is not answered yet */
    GF_CONTENTS_MADE,   /* its contents are valid */
    GF_CONTENTS_FAILED, /* it has no contents and never will */
};

struct gf_handle {
    uint32_t refs;
    uint32_t number;               /* a client never reuses a number */
    struct gf_hash_node by_number; /* while there are references */
    uint8_t *base;                 /* of the buffer, which may have been freed */
    enum gf_contents_state state;
    uint64_t connection;        /* number of the connection on which its maker was last sent; 0: not sent yet */
    struct gf_handle *before;   /* the buffer's contents until this handle is made; a reference; may be NULL */
    struct gf_exchange release; /* the FREE that is sent when the handle is no longer needed */
    struct gpufilter_client *client;
};

struct gf_resident {
    uint8_t *base; /* start of `size` addresses */
    uint64_t size;
    struct gf_view view;      /* without padding between rows */
    struct gf_handle *newest; /* counted; the contents that newly submitted requests read; may be NULL */
};

/* Makes a handle for a request that fills a buffer, with one reference, and takes over the buffer's reference to its
 * contents. NULL: out of memory. */
struct gf_handle *gf_handle_new(struct gpufilter_client *client, const struct gf_resident *resident);
struct gf_handle *gf_handle_ref(struct gf_handle *h);
/* Drops a reference; accepts NULL. Returns NULL. */
struct gf_handle *gf_handle_unref(struct gf_handle *h);
/* Records how the request that makes it ended. */
void gf_handle_settle(struct gf_handle *h, bool made);

struct gf_residents {
    void *buffers;          /* a search tree by address */
    struct gf_hash handles; /* by number */
};

/* Frees all buffers. */
void gf_residents_deinit(struct gf_residents *residents);
/* Adds an empty buffer of this shape. NO_MEMORY; UNSUPPORTED without pointers of 64 bits. */
enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err);
/* Whether an address names a resident buffer, which may have been freed or be another client's. */
bool gf_residents_name(const void *data);
/* The buffer that contains an address, or NULL. */
struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data);
/* The address of the buffer to which a handle of this connection belongs; NULL: none, or it was freed. */
const uint8_t *gf_residents_of_handle(const struct gf_residents *residents, uint32_t number, uint64_t connection);
/* Restores the previous contents of the buffer at `base`, if it was not freed, whose new contents could not be made. */
void gf_residents_restore(struct gf_residents *residents, const void *base);
/* Removes a buffer, drops its contents and frees it. */
void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident);

#endif
