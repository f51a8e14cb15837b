/* SPDX-License-Identifier: MIT */
/* Resident buffers as the caller sees them; see residents.h. */
#include "residents.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/base/base.h"

#define PAGE 4096ull

void gf_residents_deinit(struct gf_residents *residents)
{
    while (residents->first != NULL)
        gf_residents_remove(residents, residents->first);
}

enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_resident *r = calloc(1, sizeof(*r));
    uint64_t size = 0;
    if (r == NULL || !gf_align_u64(gf_view_bytes(view), PAGE, &size))
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot reserve %" PRIu64 " addresses for a resident buffer: %s", size,
                            strerror(errno));
    *r = (struct gf_resident){.next = residents->first, .base = base, .size = size, .view = *view};
    residents->first = r;
    *ret_resident = gf_steal_ptr(&r);
    return GF_OK;
}

struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data)
{
    const uintptr_t at = (uintptr_t)data;
    for (struct gf_resident *r = residents->first; r != NULL; r = r->next)
        if (at >= (uintptr_t)r->base && at - (uintptr_t)r->base < r->size)
            return r;
    return NULL;
}

void gf_residents_restore(struct gf_residents *residents)
{
    for (struct gf_resident *r = residents->first; r != NULL; r = r->next)
        while (r->newest != NULL && r->newest->state == GF_CONTENTS_FAILED) {
            struct gf_handle *h = r->newest;
            r->newest = h->before != NULL ? gf_handle_ref(h->before) : NULL;
            gf_handle_unref(h);
        }
}

void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident)
{
    struct gf_resident **at = &residents->first;
    while (*at != resident)
        at = &(*at)->next;
    *at = resident->next;
    gf_handle_unref(resident->newest);
    munmap(resident->base, resident->size);
    free(resident);
}
