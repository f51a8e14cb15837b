/* SPDX-License-Identifier: MIT */
/*
 * The payload of a frame in the caller's memory: pieces made of rows, each after some padding, as one stream of bytes.
 * With it sendmsg and recvmsg work on pictures of any pitch without a copy. Used by the channel and placement.c.
 */
#ifndef GF_CLIENT_STREAM_H
#define GF_CLIENT_STREAM_H

#include <sys/uio.h>

#include "protocol/base/limits.h"
#include "protocol/base/view.h"

struct gf_piece {
    uint64_t pad;   /* bytes before the first row: sent as zeros, dropped when received */
    uint8_t *data;  /* first row; not written when sending */
    uint64_t row;   /* bytes of a row, at least 1 if there are rows */
    uint64_t rows;  /* 0: only padding */
    uint64_t pitch; /* bytes from row to row in memory */
};

struct gf_stream {
    struct gf_piece pieces[GF_MAX_OPERANDS + 1]; /* the last one may be only padding */
    uint32_t n;
    uint64_t total; /* bytes in total */
    uint32_t piece; /* cursor: piece, row in it, byte of padding or row */
    uint64_t line;
    uint64_t byte;
    bool padding; /* the cursor is in the padding of its piece */
    uint8_t drop[GF_INLINE_ALIGN];
};

/* Initialises without pieces. */
void gf_stream_init(struct gf_stream *s);
/* Adds the rows of a view at data. `offset`, where they begin in the payload, must be at or up to GF_INLINE_ALIGN - 1
 * after the end of the stream. Rows without gaps become one row. At most GF_MAX_OPERANDS pieces. */
void gf_stream_add(struct gf_stream *s, uint64_t offset, void *data, const struct gf_view *view);
/* Pads the end up to `total` bytes, by less than GF_INLINE_ALIGN. */
void gf_stream_end(struct gf_stream *s, uint64_t total);
/* Moves the cursor back to the beginning. */
void gf_stream_rewind(struct gf_stream *s);
/* Fills up to `capacity` parts from the cursor on; returns their number, 0 at the end. The cursor does not move. */
int gf_stream_parts(struct gf_stream *s, struct iovec *parts, int capacity);
/* Moves the cursor; `bytes` is at most the size of the last gf_stream_parts. */
void gf_stream_advance(struct gf_stream *s, uint64_t bytes);

#endif
