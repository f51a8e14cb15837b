/* SPDX-License-Identifier: MIT */
/*
 * Connections of proxies (proxy-users) whose PROXY protocol header has not arrived yet. The header names the client;
 * the connection is then admitted like any other, or refused. Exactly the header is read and no byte more. Such a
 * connection counts in the total of connections, but not yet against a user's limit. Called by sessions.c and
 * session.c.
 */
#ifndef GF_FRONT_PROXIED_H
#define GF_FRONT_PROXIED_H

#include "sessions.h"

/* Accepts a proxy's connection; `peer` is the proxy itself. Takes the descriptor in any case. */
void gf_proxied_accept(struct gf_sessions *all, int fd, const struct gf_peer *peer);
/* Called once a second: refuses connections whose header is late. */
void gf_proxied_check(struct gf_sessions *all, uint64_t now_ns);
/* Excludes `ns` from the time limit. */
void gf_proxied_extend(struct gf_sessions *all, uint64_t ns, uint64_t now_ns);
/* The server is shutting down: admits connections whose header has arrived and refuses the others. */
void gf_proxied_drain(struct gf_sessions *all);
/* Sets the error for a PROXY protocol header from a client of this user, who should have sent a frame. */
void gf_proxied_unexpected(const struct gf_sessions *all, gf_user_id owner, struct gf_error *ret);

#endif
