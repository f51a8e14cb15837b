/* SPDX-License-Identifier: MIT */
/* Identifies and checks the frames that arrive on a channel. Used by channel.c alone. */
#ifndef GF_CLIENT_INCOMING_H
#define GF_CLIENT_INCOMING_H

#include "channel.h"

enum gf_incoming {
    GF_INCOMING_WAIT,   /* no more is here yet */
    GF_INCOMING_ANSWER, /* the final answer of a question is here, its status in the question's error */
    GF_INCOMING_END     /* the connection cannot go on; the error says why */
};

/* The next byte begins a frame. */
void gf_incoming_next(struct gf_channel *ch);
/* Reads what is there, up to the next answer. */
enum gf_incoming gf_incoming_read(struct gf_channel *ch, struct gf_exchange **ret_x, struct gf_error *err);

#endif
