/* SPDX-License-Identifier: MIT */
/*
 * The resident buffers of a connection inside INFO_REPLY: a DEVICE for each device that has or had some, followed by
 * one entry per buffer. Encoded by the front, decoded by the client library.
 */
#ifndef GF_PROTOCOL_HANDLE_ENTRY_H
#define GF_PROTOCOL_HANDLE_ENTRY_H

#include "frame.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gf_handle_state {
    GF_HANDLE_MAKING = 1, /* its request has not been answered yet */
    GF_HANDLE_READY = 2,  /* the worker has it */
    GF_HANDLE_FAILED = 3, /* its request failed, and so do requests that need it */
    GF_HANDLE_LOST = 4    /* its worker died */
};

struct gf_handle_entry {
    char device[GF_MAX_DEVICE_NAME + 1];
    uint32_t id;
    uint32_t state;
    uint64_t bytes;      /* charged bytes */
    struct gf_view view; /* without padding between rows */
};

/* Encodes an entry without its device; gf_put_string(w, GF_ATTR_DEVICE, ...) must precede the entries of a device. */
void gf_handle_entry_encode(struct gf_writer *w, const struct gf_handle_entry *entry);
/* Passes each entry to `take` (NULL: only checks). Unknown attributes are skipped; everything else is checked as if the
 * server were hostile (BAD_REPLY). */
enum gf_status gf_handle_entries_decode(const uint8_t *body, size_t size,
                                        void (*take)(void *data, const struct gf_handle_entry *entry), void *data,
                                        struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
