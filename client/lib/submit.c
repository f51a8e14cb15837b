/* SPDX-License-Identifier: MIT */
/* The calls that submit work and collect its answers later. */
#include <inttypes.h>

#include "run.h"

#define EXPORT __attribute__((visibility("default")))

static int submit(gpufilter_client *client, const struct gf_work *w, gpufilter_result *results, void *context,
                  uint64_t *ret_id, gpufilter_error *err)
{
    struct gf_error error;
    struct gf_request *r = NULL;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (client->n_kept >= GPUFILTER_MAX_REQUESTS)
        status =
            gf_error_set(&error, GF_E_BUSY, "%u requests are in flight; collect answers first", GPUFILTER_MAX_REQUESTS);
    if (status == GF_OK)
        status = gf_run_start(client, w, results, &r, &error);
    if (status == GF_OK) {
        client->n_kept++;
        r->context = context;
        if (ret_id != NULL)
            *ret_id = r->x.id;
        gf_client_work(client);
    }
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_submit(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                            uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                            uint64_t *ret_id, gpufilter_error *err)
{
    return submit(client, &(struct gf_work){program, NULL, operands, n_operands, n_results}, results, context, ret_id,
                  err);
}

EXPORT int gpufilter_submit_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                                 uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                                 uint64_t *ret_id, gpufilter_error *err)
{
    return submit(client, &(struct gf_work){NULL, text, operands, n_operands, n_results}, results, context, ret_id,
                  err);
}

static enum gf_status unknown(uint64_t id, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_ARGUMENT,
                        "request %" PRIu64 " was not submitted on this client, or its answer was taken", id);
}

/* Waits for the answer to a request, or to any request if id is 0. *ret_request is NULL if no
 * answer arrived in time. */
static enum gf_status wait_for(gpufilter_client *client, uint64_t id, int64_t until, struct gf_request **ret_request,
                               struct gf_error *err)
{
    for (bool again = false; (*ret_request = gf_request_take(client, id)) == NULL; again = true) {
        if (id != 0 && !gf_request_pending(client, id))
            return unknown(id, err);
        if (again && (client->n_pending == 0 || (until != INT64_MAX && gf_now() >= until)))
            return GF_OK;
        if (again)
            gf_client_sleep(client, until);
        gf_client_work(client);
    }
    return GF_OK;
}

static void answer_out(struct gf_request *r, gpufilter_answer *ret)
{
    gpufilter_answer answer = {.status = r->x.error.status, .id = r->x.id, .context = r->context};
    if (answer.status != GPUFILTER_OK)
        gf_error_out(&r->x.error, r->x.retry_ms, &answer.error);
    gf_struct_out(ret, &answer, sizeof(answer), "gpufilter_answer", NULL);
}

static int take(gpufilter_client *client, uint64_t id, int64_t until, gpufilter_answer *answer, gpufilter_error *err)
{
    static const gpufilter_answer none = {.id = 0};
    struct gf_error error;
    struct gf_request *r = NULL;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (answer == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "answer is NULL");
    if (status == GF_OK)
        status = gf_struct_out(answer, &none, sizeof(none), "gpufilter_answer", &error);
    if (status == GF_OK)
        status = wait_for(client, id, until, &r, &error);
    if (status == GF_OK && r != NULL) {
        answer_out(r, answer);
        gf_request_free(r);
        client->n_kept--;
    }
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_poll(gpufilter_client *client, gpufilter_answer *answer, gpufilter_error *err)
{
    return take(client, 0, 0, answer, err);
}

EXPORT int gpufilter_wait(gpufilter_client *client, uint64_t id, int32_t timeout_ms, gpufilter_answer *answer,
                          gpufilter_error *err)
{
    return take(client, id, timeout_ms < 0 ? INT64_MAX : gf_after_ms((uint64_t)timeout_ms), answer, err);
}

EXPORT int gpufilter_cancel(gpufilter_client *client, uint64_t id, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (gf_request_pending(client, id)) {
        gf_channel_cancel(&client->channel, gf_channel_find(&client->channel, id));
        gf_client_work(client);
    } else if (!gf_request_answered(client, id)) {
        status = unknown(id, &error);
    }
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_fd(gpufilter_client *client, int *ret_fd, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (ret_fd == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "ret_fd is NULL");
    else if (client->watch.epoll < 0)
        status = gf_watch_open(&client->watch, &error);
    if (status == GF_OK)
        *ret_fd = client->watch.epoll;
    return gf_client_leave(client, status, &error, err);
}
