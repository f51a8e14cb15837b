/* SPDX-License-Identifier: MIT */
/*
 * The frames that arrive on a channel, which are identified and checked, those that leave it, one complete frame after
 * another, and the state changes of exchanges. Used by channel.c, incoming.c and outgoing.c alone.
 */
#ifndef GF_CLIENT_FRAMES_H
#define GF_CLIENT_FRAMES_H

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

/* Sends what the socket accepts: the rest of a frame, PONGs and CANCELs, queued exchanges. CONNECTION_LOST. */
enum gf_status gf_outgoing_write(struct gf_channel *ch, struct gf_error *err);

/* Moves an exchange from the queue to the sent ones; its frame is next. */
void gf_channel_begin(struct gf_channel *ch, struct gf_exchange *x);
/* The answer has arrived, in x->error. The exchange is over as soon as its frame is sent. */
void gf_channel_answered(struct gf_channel *ch, struct gf_exchange *x);
/* Ends an exchange that is answered and completely sent, or puts it back into the queue to be sent again. */
void gf_channel_settle(struct gf_channel *ch, struct gf_exchange *x);
/* Removes and ends an exchange; with `why` NULL the outcome is in x->error. */
void gf_channel_end(struct gf_channel *ch, struct gf_exchange *x, const struct gf_error *why);
/* The sent exchange with this id that is not answered, or NULL. */
struct gf_exchange *gf_channel_find_sent(const struct gf_channel *ch, uint64_t id);

#endif
