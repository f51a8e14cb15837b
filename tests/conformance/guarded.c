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

static bool is_all(unsigned char poison, const unsigned char *from, const unsigned char *end)
{
    while (from < end && *from == poison)
        from++;
    return from == end;
}

bool gf_guarded_intact(const struct gf_guarded *guarded)
{
    const struct gf_view *view = &guarded->buf.view;
    const unsigned char *next = guarded->block, *end = next + guarded->size, *data = guarded->buf.data;
    for (uint64_t y = 0; y < view->height; y++) {
        const unsigned char *row = data + y * view->pitch;
        if (!is_all(guarded->poison, next, row))
            return false;
        next = row + gf_view_row_bytes(view);
    }
    return is_all(guarded->poison, next, end);
}
