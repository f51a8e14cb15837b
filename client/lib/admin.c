/* SPDX-License-Identifier: MIT */
/* ADMIN as an exchange; see admin.h. */
#include "admin.h"

#include "client.h"

static enum gf_prepared prepare(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                struct gf_error *err)
{
    (void)payload, (void)err;
    gf_admin_request_encode(head, x->context);
    return GF_PREPARED;
}

int gf_admin(gpufilter_client *client, const struct gf_admin_request *request, gpufilter_error *err)
{
    struct gf_error error;
    struct gf_admin_request copy = *request;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    struct gf_exchange x = {.kind = GF_FRAME_ADMIN,
                            .answer_kind = GF_FRAME_DONE,
                            .fd = -1,
                            .deadline = gf_after_ms(client->connect_timeout_ms),
                            .context = &copy,
                            .prepare = prepare};
    status = gf_client_ask(client, &x, &error);
    return gf_client_leave(client, status, &error, err);
}
