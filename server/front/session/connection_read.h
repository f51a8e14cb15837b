/* SPDX-License-Identifier: MIT */
/* The reading half of a connection; called by connection.c alone. */
#ifndef GF_FRONT_CONNECTION_READ_H
#define GF_FRONT_CONNECTION_READ_H

#include "connection.h"

/* Takes what the socket has and hands out the frames, as long as the turn lasts. */
void gf_connection_read(struct gf_connection *c);
/* Hands out frames from what was received already, at least one. False when the turn ended before they did; they are
 * ready for the next one. */
bool gf_connection_parse(struct gf_connection *c);
/* Frees what reading holds. */
void gf_connection_read_deinit(struct gf_connection *c);

#endif
