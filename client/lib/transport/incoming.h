/* SPDX-License-Identifier: MIT */
/* Identifies and checks the frames that arrive on a channel. Only used by channel.c. */
#ifndef GF_CLIENT_INCOMING_H
#define GF_CLIENT_INCOMING_H

#include "channel.h"

enum gf_incoming {
    GF_INCOMING_WAIT,   /* nothing more has arrived yet */
    GF_INCOMING_ANSWER, /* an exchange has its final answer, with the status in its error */
    GF_INCOMING_END     /* the connection cannot continue; the error says why */
};

/* The next byte begins a frame. */
void gf_incoming_next(struct gf_channel *ch);
/* Reads available frames up to the next answer. */
enum gf_incoming gf_incoming_read(struct gf_channel *ch, struct gf_exchange **ret_x, struct gf_error *err);

#endif
