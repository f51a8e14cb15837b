/* SPDX-License-Identifier: MIT */
/* What an administrator asks of the daemon. Used by the command alone; a program would have no use for it. */
#ifndef GF_CLIENT_ADMIN_H
#define GF_CLIENT_ADMIN_H

#include "client/include/gpufilter/client.h"
#include "protocol/wire/request.h"

/* Sends ADMIN and waits for DONE. NOT_PERMITTED unless the caller is root or the daemon's own user; BAD_PARAM: the
 * action has nothing to do. */
int gf_admin(gpufilter_client *client, const struct gf_admin_request *request, gpufilter_error *err);

#endif
