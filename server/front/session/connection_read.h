/* SPDX-License-Identifier: MIT */
/* The reading half of a connection; only called by connection.c. */
#ifndef GF_FRONT_CONNECTION_READ_H
#define GF_FRONT_CONNECTION_READ_H

#include "connection.h"

/* Reads from the socket and hands out frames until the turn is over. */
void gf_connection_read(struct gf_connection *c);
/* Hands out frames from bytes that were already received, at least one. False if the turn ended first; the connection
 * is then queued for its next turn. */
bool gf_connection_parse(struct gf_connection *c);
/* Frees the receive buffer and the queued descriptors. */
void gf_connection_read_deinit(struct gf_connection *c);

#endif
