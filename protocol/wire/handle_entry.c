/* SPDX-License-Identifier: MIT */
/* The list of resident buffers between structs and bytes. Called by front and client library. */
#include "handle_entry.h"

#include <inttypes.h>

#include "records.h"

void gf_handle_entry_encode(struct gf_writer *w, const struct gf_handle_entry *entry)
{
    uint8_t r[GF_RECORD_HANDLE];
    gf_store_u32(r, entry->id);
    gf_store_u32(r + 4, entry->state);
    gf_store_u64(r + 8, entry->bytes);
    gf_record_view_store(r + 16, &entry->view);
    gf_put(w, GF_ATTR_HANDLE_ENTRY, GF_TYPE_BYTES, r, sizeof r);
}

static enum gf_status read_entry(const struct gf_attr *a, struct gf_handle_entry *e, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_HANDLE, err);
    if (status != GF_OK)
        return status;
    e->id = gf_load_u32(a->value);
    e->state = gf_load_u32(a->value + 4);
    e->bytes = gf_load_u64(a->value + 8);
    if (e->state < GF_HANDLE_MAKING || e->state > GF_HANDLE_LOST)
        return gf_error_set(err, GF_E_BAD_REPLY, "handle %" PRIu32 " has state %" PRIu32 "; allowed: %d..%d", e->id,
                            e->state, GF_HANDLE_MAKING, GF_HANDLE_LOST);
    if (!gf_record_view_load(a->value + 16, &e->view))
        return gf_error_set(err, GF_E_BAD_REPLY, "handle %" PRIu32 ": reserved bytes are not 0", e->id);
    return gf_view_check(&e->view, "handle", err);
}

enum gf_status gf_handle_entries_decode(const uint8_t *body, size_t size,
                                        void (*take)(void *data, const struct gf_handle_entry *entry), void *data,
                                        struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_handle_entry e = {.device = ""};
    struct gf_attr a;
    int more;
    while ((more = gf_attr_next(&reader, &a, err)) > 0) {
        enum gf_status status = GF_OK;
        if (a.id == GF_ATTR_DEVICE)
            status = gf_attr_string(&a, e.device, sizeof e.device, err);
        else if (a.id == GF_ATTR_HANDLE_ENTRY && e.device[0] == '\0')
            status = gf_error_set(err, GF_E_BAD_REPLY, "a handle comes before any DEVICE");
        else if (a.id == GF_ATTR_HANDLE_ENTRY)
            status = read_entry(&a, &e, err);
        if (status != GF_OK)
            return err ? err->status = GF_E_BAD_REPLY : GF_E_BAD_REPLY;
        if (a.id == GF_ATTR_HANDLE_ENTRY && take)
            take(data, &e);
    }
    if (more < 0)
        return err ? err->status = GF_E_BAD_REPLY : GF_E_BAD_REPLY;
    return GF_OK;
}
