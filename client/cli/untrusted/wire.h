/* SPDX-License-Identifier: MIT */
/*
 * What the command and its decoder say to each other over a socket. Each function writes a value or reads it, depending
 * on `sends`, so that both ends have one description. What is read is checked as if an attacker had sent it. Both ends
 * are the same program: numbers are as in memory. Used by untrusted.c, the command, and by decoder.c.
 */
#ifndef GF_CLI_WIRE_H
#define GF_CLI_WIRE_H

#include "client/image/image.h"

/* Why nothing more is sent or read; values that are read are then 0. */
enum gf_wire_end {
    GF_WIRE_OPEN,
    GF_WIRE_CLOSED,   /* by the other end */
    GF_WIRE_LATE,     /* the deadline has passed */
    GF_WIRE_NONSENSE, /* a value is not allowed */
    GF_WIRE_NO_MEMORY
};

struct gf_wire {
    int fd;
    bool sends;
    enum gf_wire_end end;
    uint64_t deadline_ns; /* as protocol/base/clock.h; 0: none */
};

void gf_wire_bytes(struct gf_wire *w, void *data, size_t size);
/* NONSENSE beyond `max`. */
void gf_wire_u64(struct gf_wire *w, uint64_t *value, uint64_t max);
void gf_wire_u32(struct gf_wire *w, uint32_t *value, uint32_t max);
void gf_wire_flag(struct gf_wire *w, bool *value);
/* A text that may be NULL. One that is read is from malloc. NONSENSE beyond `max` bytes, or with a null byte. */
void gf_wire_text(struct gf_wire *w, char **text, size_t max);

/* A picture without its samples. Its type and size are not checked, nor its pages; what it owns is from malloc. */
void gf_wire_image(struct gf_wire *w, struct gf_image *image);

/* What the decoder says. */
enum gf_wire_answer {
    GF_WIRE_END,     /* the status, and a text unless it is OK */
    GF_WIRE_PICTURE, /* or page: the picture, and its samples unless only_head */
    GF_WIRE_SHRINK,  /* width and height of a JPEG; the command replies with the divisor */
    GF_WIRE_ANSWERS
};

/* A file to decode, with what `how` says besides memory and callbacks. */
struct gf_wire_request {
    char *name;
    uint8_t *bytes;
    size_t size;
    struct gf_image_load how;
    bool takes, shrinks; /* how.take and how.shrink are there */
    uint32_t dtype;      /* of numbers as text; GF_IMAGE_NO_DTYPE: of another file */
};

void gf_wire_request(struct gf_wire *w, struct gf_wire_request *request);

#endif
