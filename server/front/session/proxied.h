/* SPDX-License-Identifier: MIT */
/*
 * Connections of proxies (proxy-users) until their PROXY protocol header is there, which says whose they are: then they
 * are admitted as any other, or turned away. One reads its header and not a byte more; it counts among connections, but
 * not yet against a limit of a user. Called by sessions.c and session.c.
 */
#ifndef GF_FRONT_PROXIED_H
#define GF_FRONT_PROXIED_H

#include "sessions.h"

/* A proxy has connected; `peer` is the proxy itself. Takes the descriptor in any case. */
void gf_proxied_accept(struct gf_sessions *all, int fd, const struct gf_peer *peer);
/* Once in a second: headers that do not come. */
void gf_proxied_check(struct gf_sessions *all, uint64_t now_ns);
/* So many nanoseconds do not count. */
void gf_proxied_forgive(struct gf_sessions *all, uint64_t ns, uint64_t now_ns);
/* Admits those whose header has come by now, and turns the others away: the server is going. */
void gf_proxied_drain(struct gf_sessions *all);
/* What is wrong with a header where a client of this user should have sent a frame. */
void gf_proxied_unexpected(const struct gf_sessions *all, gf_user_id owner, struct gf_error *ret);

#endif
