/* SPDX-License-Identifier: MIT */
/*
 * Limits the number of connections, per user and in total, and admits onlookers beyond the limit. An onlooker is a
 * connection without a place that may only ask for the server's state (HELLO, INFO, PING), so that a health check is
 * answered while clients hold every place. Its first other frame claims a place and is refused if none is free. Called
 * by session.c.
 */
#ifndef GF_FRONT_PLACES_H
#define GF_FRONT_PLACES_H

#include "session.h"

#define GF_ONLOOKERS 16u           /* connections without a place, of all users; at most one per user */
#define GF_ONLOOKER_NS GF_NS_PER_S /* time for which an onlooker is kept; after that a newer one may replace it */

/* Gives a new session a place, or admits it as an onlooker. QUOTA or BUSY if neither is possible. */
enum gf_status gf_place_take(struct gf_session *s, struct gf_error *err);
/* Whether an onlooker may send this frame, because the frame needs no place or a place is free. Otherwise answers the
 * frame and ends the connection. */
bool gf_place_claim(struct gf_session *s, const struct gf_header *header);
/* Releases the place when the session ends. */
void gf_place_leave(struct gf_session *s);

#endif
