/* SPDX-License-Identifier: MIT */
/* Guarded memory for operands and results. Called by the runner. */
#include "guarded.h"

#include <string.h>

#define GUARD 256u

bool gf_guarded_init(const struct gf_view *view, uint32_t shift, size_t tail, unsigned char poison,
                     struct gf_guarded *ret)
{
    size_t offset = GUARD + shift * gf_dtype_size(view->dtype);
    size_t size = offset + gf_view_bytes(view) + tail;
    void *block = NULL;
    size_t pages = (size + GF_GUARDED_PAGE - 1) / GF_GUARDED_PAGE * GF_GUARDED_PAGE;
    if (posix_memalign(&block, tail > 0 ? GF_GUARDED_PAGE : 64, tail > 0 ? pages : size) != 0)
        return false;
    memset(block, poison, size);
    *ret = (struct gf_guarded){block, size, poison, {(unsigned char *)block + offset, *view}};
    return true;
}

void gf_guarded_deinit(struct gf_guarded *guarded)
{
    free(guarded->block);
    *guarded = (struct gf_guarded){0};
}

bool gf_guarded_intact(const struct gf_guarded *guarded)
{
    const struct gf_view *view = &guarded->buf.view;
    const unsigned char *data = guarded->buf.data;
    uint64_t row = gf_view_row_bytes(view);
    for (const unsigned char *p = guarded->block; p < guarded->block + guarded->size; p++) {
        uint64_t at = p >= data ? (uint64_t)(p - data) : UINT64_MAX;
        bool sample = p >= data && at / view->pitch < view->height && at % view->pitch < row;
        if (!sample && *p != guarded->poison)
            return false;
    }
    return true;
}
