/* SPDX-License-Identifier: MIT */
/*
 * The number of connections, of a user and of all, and who may look on beyond it. A connection that is one too many
 * gets no place, but may ask how the server is (HELLO, INFO, PING): so a health check is answered while clients hold
 * every place. It claims a place with its first other frame, and is refused then if there is none. Called by session.c.
 */
#ifndef GF_FRONT_PLACES_H
#define GF_FRONT_PLACES_H

#include "session.h"

#define GF_ONLOOKERS 16u           /* connections without a place, of all users; each user has one */
#define GF_ONLOOKER_NS GF_NS_PER_S /* that one keeps what it has; after that it gives way to a newer one */

/* For a new session: a place, or leave to look on. QUOTA or BUSY where there is neither. */
enum gf_status gf_place_take(struct gf_session *s, struct gf_error *err);
/* Whether an onlooker may send this frame: it needs no place, or there is one now. Else the frame is answered, and the
 * connection ends. */
bool gf_place_claim(struct gf_session *s, const struct gf_header *header);
/* The session ends. */
void gf_place_leave(struct gf_session *s);

#endif
