/* SPDX-License-Identifier: MIT */
/*
 * Standard input as a sequence of frames: bare samples of one shape, y4m, or PNG or PNM files one after another; other
 * files are one frame. Knows where a frame ends, not what is in it. Used by stream.c, in a thread of its own.
 */
#ifndef GF_CLI_FRAMES_H
#define GF_CLI_FRAMES_H

#include "client/cli/io/io_error.h"
#include "y4m.h"

enum gf_frames_kind { GF_FRAMES_WHOLE, GF_FRAMES_RAW, GF_FRAMES_Y4M, GF_FRAMES_PNG, GF_FRAMES_PNM };

#define GF_FRAMES_LINE 1024u

struct gf_frames {
    int stop; /* readable when no more is to be read */
    enum gf_frames_kind kind;
    struct gf_view raw;
    struct gf_y4m y4m;
    char header[GF_FRAMES_LINE]; /* of y4m, without its line end */
    uint64_t size;               /* of each frame; 0: they differ */
    uint64_t n;                  /* frames read */
    bool ended;                  /* there are no bytes behind those in the buffer */
    size_t begin, end;
    uint8_t buffer[65536];
};

/* One frame. `data` has room for frames->size bytes, or is from malloc and grows. */
struct gf_frame {
    uint8_t *data;
    size_t size, capacity;
    char line[GF_FRAMES_LINE]; /* of y4m: what stands before the samples, without its line end */
};

/* Reads the beginning of standard input and finds out what it is; `raw` NULL: no bare samples. USAGE: `raw`
 * beside a header; DATA: empty, or a y4m header that cannot be used; FAILED: reading failed. */
enum gf_io_status gf_frames_open(struct gf_frames *frames, const struct gf_view *raw, int stop,
                                 struct gf_io_error *err);

/* Reads the next frame; at the end *ret_more is false. DATA: it is cut short, too large, or begins as none. FAILED:
 * reading failed, or was stopped. INTERNAL: out of memory. */
enum gf_io_status gf_frames_next(struct gf_frames *frames, struct gf_frame *frame, bool *ret_more,
                                 struct gf_io_error *err);

#endif
