/* SPDX-License-Identifier: MIT */
/*
 * The frames that leave a channel, one complete frame after another, and the state changes of exchanges. Shared by
 * channel.c, outgoing.c and incoming.c alone.
 */
#ifndef GF_CLIENT_OUTGOING_H
#define GF_CLIENT_OUTGOING_H

#include "channel.h"

/* Sends what the socket takes: the rest of a frame, PONGs and CANCELs, questions in the queue. CONNECTION_LOST. */
enum gf_status gf_outgoing_write(struct gf_channel *ch, struct gf_error *err);

/* Takes a question from the queue to those that are sent; its frame is next. */
void gf_channel_begin(struct gf_channel *ch, struct gf_exchange *x);
/* Its answer is here, in x->error. It is over as soon as its frame is out. */
void gf_channel_answered(struct gf_channel *ch, struct gf_exchange *x);
/* Ends one whose answer is here and whose frame is out, or puts it back into the queue to be sent again. */
void gf_channel_settle(struct gf_channel *ch, struct gf_exchange *x);
/* Takes a question out and ends it; `why` NULL: as x->error says. */
void gf_channel_end(struct gf_channel *ch, struct gf_exchange *x, const struct gf_error *why);
/* The question of this id that is out and not answered; NULL. */
struct gf_exchange *gf_channel_find_sent(const struct gf_channel *ch, uint64_t id);

#endif
