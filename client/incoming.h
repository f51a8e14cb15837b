/* SPDX-License-Identifier: MIT */
/* Frames that come in on a channel, told apart and checked. Used by channel.c alone. */
#ifndef GF_CLIENT_INCOMING_H
#define GF_CLIENT_INCOMING_H

#include "channel.h"

enum gf_incoming {
    GF_INCOMING_WAIT,   /* the answer is not here yet */
    GF_INCOMING_ANSWER, /* the final answer is here; *ret_status says which; the rest of the question still goes out */
    GF_INCOMING_END     /* the connection cannot go on; *ret_status says why */
};

/* The next byte begins a frame. */
void gf_incoming_next(struct gf_channel *ch);
/* Reads what is there. `x` NULL: nothing was asked, only frames without a question are allowed. */
enum gf_incoming gf_incoming_read(struct gf_channel *ch, struct gf_exchange *x, uint64_t id, enum gf_status *ret_status,
                                  struct gf_error *err);

#endif
