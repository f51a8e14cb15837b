/* SPDX-License-Identifier: MIT */
/*
 * The header of a y4m stream (YUV4MPEG2): the planes of a frame. Each plane is a picture of one channel and of its own
 * size. Used by frames.c and stream.c.
 */
#ifndef GF_CLI_Y4M_H
#define GF_CLI_Y4M_H

#include "client/cli/io/io_error.h"
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

#endif
