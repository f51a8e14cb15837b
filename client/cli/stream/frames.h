/* SPDX-License-Identifier: MIT */
/*
 * Standard input as a sequence of frames: bare samples of one shape, y4m (YUV4MPEG2), or PNG or PNM files one after
 * another. Any other file is a single frame. frames.c finds where a frame ends and does not decode it; y4m.c reads the
 * header of a y4m stream, whose frames are planes: pictures of one channel, each of its own size. Used by stream.c, in
 * a thread of its own.
 */
#ifndef GF_CLI_FRAMES_H
#define GF_CLI_FRAMES_H

#include "client/io/io_error.h"
#include "protocol/base/view.h"

#define GF_Y4M_PLANES 4u
#define GF_Y4M_MARK "YUV4MPEG2"

struct gf_y4m {
    struct gf_view planes[GF_Y4M_PLANES]; /* in a frame one after another: luma, two chroma planes, alpha */
    uint32_t n_planes;
    uint32_t white;       /* the largest sample for 9 to 15 bits; 0: the maximum of the type */
    uint64_t frame_bytes; /* without the line before the samples */
};

/* Reads a header, without its line end. DATA: no y4m header, larger than a picture may be, interlaced, or of an
 * unsupported sample format. `name` begins the error message. */
enum gf_io_status gf_y4m_parse(const char *name, const char *line, struct gf_y4m *ret, struct gf_io_error *err);

enum gf_frames_kind { GF_FRAMES_WHOLE, GF_FRAMES_RAW, GF_FRAMES_Y4M, GF_FRAMES_PNG, GF_FRAMES_PNM };

#define GF_FRAMES_LINE 1024u

struct gf_frames {
    int stop; /* readable once reading must stop */
    enum gf_frames_kind kind;
    struct gf_view raw;
    struct gf_y4m y4m;
    char header[GF_FRAMES_LINE]; /* of y4m, without its line end */
    uint64_t size;               /* of each frame; 0: sizes differ */
    uint64_t n;                  /* frames read */
    bool ended;                  /* the buffer holds the end of the input */
    size_t begin, end;
    uint8_t buffer[65536];
};

/* One frame. `data` has room for frames->size bytes, or comes from malloc and grows. */
struct gf_frame {
    uint8_t *data;
    size_t size, capacity;
    char line[GF_FRAMES_LINE]; /* of y4m: the line before the samples, without its line end */
};

/* Reads the beginning of standard input and identifies the format; `raw` NULL: no bare samples. USAGE: `raw` for input
 * with a header; DATA: empty, or an unusable y4m header; FAILED: reading failed. */
enum gf_io_status gf_frames_open(struct gf_frames *frames, const struct gf_view *raw, int stop,
                                 struct gf_io_error *err);

/* Reads the next frame; *ret_more is false at the end. DATA: the frame is cut short, too large, or has no valid
 * beginning. FAILED: reading failed or was stopped. INTERNAL: out of memory. */
enum gf_io_status gf_frames_next(struct gf_frames *frames, struct gf_frame *frame, bool *ret_more,
                                 struct gf_io_error *err);

#endif
