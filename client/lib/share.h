/* SPDX-License-Identifier: MIT */
/* Declares arenas to the daemon, once per connection and before data in them is used. Used by placement.c. */
#ifndef GF_CLIENT_SHARE_H
#define GF_CLIENT_SHARE_H

#include "client.h"

/* The arena that contains a view, if the daemon accepts it on this connection; NULL: the data must go inline. A refusal
 * ends sharing on the connection. *ret_later is set to true if the daemon must answer first. NO_MEMORY. */
enum gf_status gf_share(gpufilter_client *client, const void *data, const struct gf_view *view,
                        struct gf_arena **ret_arena, bool *ret_later, struct gf_error *err);

#endif
