/* SPDX-License-Identifier: MIT */
/* Walks rows of several pieces of memory as one stream of bytes. Called by outgoing.c, incoming.c and placement.c. */
#include "stream.h"

#include <string.h>

#include "protocol/base/base.h"

void gf_stream_init(struct gf_stream *s)
{
    s->n = 0;
    s->total = 0;
    memset(s->drop, 0, sizeof(s->drop));
    gf_stream_rewind(s);
}

void gf_stream_add(struct gf_stream *s, uint64_t offset, void *data, const struct gf_view *view)
{
    struct gf_piece *p = &s->pieces[s->n++];
    *p = (struct gf_piece){.pad = offset - s->total,
                           .data = data,
                           .row = gf_view_row_bytes(view),
                           .rows = view->height,
                           .pitch = view->pitch};
    s->total = offset + p->row * p->rows;
    if (p->pitch == p->row) {
        p->row *= p->rows;
        p->rows = 1;
    }
    gf_stream_rewind(s);
}

void gf_stream_end(struct gf_stream *s, uint64_t total)
{
    if (total > s->total)
        s->pieces[s->n++] = (struct gf_piece){.pad = total - s->total};
    s->total = total;
    gf_stream_rewind(s);
}

/* Moves the cursor past exhausted padding and rows. */
static void settle(struct gf_stream *s)
{
    for (; s->piece < s->n; s->piece++, s->line = 0, s->byte = 0, s->padding = true) {
        const struct gf_piece *p = &s->pieces[s->piece];
        if (s->padding && s->byte < p->pad)
            return;
        if (s->padding)
            s->byte = 0;
        s->padding = false;
        if (s->line < p->rows)
            return;
    }
}

void gf_stream_rewind(struct gf_stream *s)
{
    s->piece = 0;
    s->line = 0;
    s->byte = 0;
    s->padding = true;
    settle(s);
}

/* Bytes from the cursor to the end of its padding or row. */
static uint64_t left(const struct gf_stream *s)
{
    const struct gf_piece *p = &s->pieces[s->piece];
    return (s->padding ? p->pad : p->row) - s->byte;
}

void gf_stream_advance(struct gf_stream *s, uint64_t bytes)
{
    while (bytes > 0 && s->piece < s->n) {
        uint64_t step = gf_min_u64(bytes, left(s));
        s->byte += step;
        bytes -= step;
        if (!s->padding && s->byte == s->pieces[s->piece].row) {
            s->byte = 0;
            s->line++;
        }
        settle(s);
    }
}

int gf_stream_parts(struct gf_stream *s, struct iovec *parts, int capacity)
{
    const uint32_t piece = s->piece;
    const uint64_t line = s->line, byte = s->byte;
    const bool padding = s->padding;
    int n = 0;
    for (; n < capacity && s->piece < s->n; n++) {
        const struct gf_piece *p = &s->pieces[s->piece];
        uint64_t length = left(s);
        parts[n].iov_base = s->padding ? s->drop : p->data + s->line * p->pitch + s->byte;
        parts[n].iov_len = (size_t)length;
        gf_stream_advance(s, length);
    }
    s->piece = piece;
    s->line = line;
    s->byte = byte;
    s->padding = padding;
    return n;
}
