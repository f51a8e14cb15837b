/* SPDX-License-Identifier: MIT */
/* Tells the daemon which arenas it may map, and which it must forget. Used by placement.c and client.c. */
#ifndef GF_CLIENT_ARENAS_H
#define GF_CLIENT_ARENAS_H

#include "client.h"

/* Queues the declaration of an arena on the current connection. A refusal ends sharing on the connection. NO_MEMORY. */
enum gf_status gf_arena_declare(gpufilter_client *client, struct gf_arena *a, struct gf_error *err);
/* Queues that the daemon drops an arena which is about to be removed, if it has been sent to it. `user` is the client.
 */
void gf_arena_drop(void *user, const struct gf_arena *a);

#endif
