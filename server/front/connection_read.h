/* SPDX-License-Identifier: MIT */
/* The reading half of a connection; called by connection.c alone. */
#ifndef GF_FRONT_CONNECTION_READ_H
#define GF_FRONT_CONNECTION_READ_H

#include "connection.h"

/* Takes what the socket has, within a turn's share, and hands out the frames. */
void gf_connection_read(struct gf_connection *c);
/* Hands out frames from what was received already. */
void gf_connection_parse(struct gf_connection *c);
/* Frees what reading holds. */
void gf_connection_read_deinit(struct gf_connection *c);

#endif
