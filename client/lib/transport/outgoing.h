/* SPDX-License-Identifier: MIT */
/*
 * The frames that leave a channel, one complete frame after another, and the state changes of exchanges. Only used by
 * channel.c, outgoing.c and incoming.c.
 */
#ifndef GF_CLIENT_OUTGOING_H
#define GF_CLIENT_OUTGOING_H

#include "channel.h"

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
