/* SPDX-License-Identifier: MIT */
/*
 * The calls that run a program: those that wait for it, those that submit it and collect its answer later, and those
 * that only inspect it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/reach.h"
#include "requests.h"

#define EXPORT __attribute__((visibility("default")))

/* Checks the work and queues a request for it; fills in results[i].view. On failure results are unchanged. */
static enum gf_status start(gpufilter_client *client, const struct gf_work *w, gpufilter_result *results,
                            struct gf_request **ret_request, struct gf_error *err)
{
    gf_cleanup(gf_request_freep) struct gf_request *r = gf_request_new(client);
    if (r == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    enum gf_status status = gf_call_build(&r->call, w, client->device, client->deadline_ms, err);
    if (status == GF_OK)
        status = gf_request_start(r, results, err);
    if (status == GF_OK)
        *ret_request = gf_steal_ptr(&r);
    return status;
}

/* Waits for a request and ends it. Resources made for its results are freed unless it succeeded. */
static enum gf_status finish(gpufilter_client *client, struct gf_request *r, const gpufilter_result *before,
                             const gpufilter_result *named, struct gf_error *err)
{
    const uint32_t n = r->place.n_results;
    enum gf_status status = gf_client_await(client, &r->x, err);
    gf_request_take(client, r->x.id);
    gf_request_free(r);
    for (uint32_t i = 0; i < n && status != GF_OK; i++)
        if (!gf_view_has_memory(&before[i].view))
            gf_client_free(client, named[i].view.data);
    gf_client_settle(client);
    return status;
}

static struct gf_work work_of_steps(const gpufilter_step *steps, uint32_t n_steps, const gpufilter_view *operands,
                                    uint32_t n_operands, const gpufilter_result *results, uint32_t n_results,
                                    const gpufilter_call *call)
{
    return (struct gf_work){.steps = steps,
                            .n_steps = n_steps,
                            .operands = operands,
                            .n_operands = n_operands,
                            .results = results,
                            .n_results = n_results,
                            .call = call};
}

/* A text that is NULL has no operation. */
static struct gf_work work_of_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                                   const gpufilter_result *results, uint32_t n_results, const gpufilter_call *call)
{
    return (struct gf_work){.text = text != NULL ? text : "",
                            .operands = operands,
                            .n_operands = n_operands,
                            .results = results,
                            .n_results = n_results,
                            .call = call};
}

int gf_run_work(gpufilter_client *client, const struct gf_work *w, gpufilter_result *results, gpufilter_error *err)
{
    struct gf_error error;
    struct gf_request *r = NULL;
    gpufilter_result named[GF_MAX_RESULTS];
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    client->request[0] = '\0';
    if (results != NULL && w->n_results <= GF_MAX_RESULTS)
        memcpy(named, results, w->n_results * sizeof(named[0]));
    status = start(client, w, named, &r, &error);
    if (status == GF_OK)
        status = finish(client, r, results, named, &error);
    if (status == GF_OK)
        memcpy(results, named, w->n_results * sizeof(named[0]));
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_run(gpufilter_client *client, const gpufilter_step *steps, uint32_t n_steps,
                         const gpufilter_view *operands, uint32_t n_operands, gpufilter_result *results,
                         uint32_t n_results, const gpufilter_call *call, gpufilter_error *err)
{
    const struct gf_work work = work_of_steps(steps, n_steps, operands, n_operands, results, n_results, call);
    return gf_run_work(client, &work, results, err);
}

EXPORT int gpufilter_run_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                              uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
                              const gpufilter_call *call, gpufilter_error *err)
{
    const struct gf_work work = work_of_text(text, operands, n_operands, results, n_results, call);
    return gf_run_work(client, &work, results, err);
}

static int infer(const struct gf_work *w, gpufilter_result *results, gpufilter_error *err)
{
    struct gf_error error;
    gf_cleanup(gf_freep) struct gf_call *call = malloc(sizeof(*call));
    if (call == NULL)
        return gf_client_leave(NULL, gf_error_set(&error, GF_E_NO_MEMORY, "out of memory"), &error, err);
    enum gf_status status = gf_call_build(call, w, "auto", 0, &error);
    for (uint32_t i = 0; i < w->n_results && status == GF_OK; i++)
        if (!gf_view_has_memory(&results[i].view))
            gf_call_result_out(call, i, &results[i].view);
    gf_call_deinit(call);
    return gf_client_leave(NULL, status, &error, err);
}

EXPORT int gpufilter_infer(const gpufilter_step *steps, uint32_t n_steps, const gpufilter_view *operands,
                           uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    const struct gf_work work = work_of_steps(steps, n_steps, operands, n_operands, results, n_results, NULL);
    return infer(&work, results, err);
}

EXPORT int gpufilter_infer_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                                gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    const struct gf_work work = work_of_text(text, operands, n_operands, results, n_results, NULL);
    return infer(&work, results, err);
}

/* A finite side is below 2^32: there are at most 64 steps, each with at most GF_MAX_KERNEL taps. */
static uint32_t side(uint64_t pixels)
{
    return pixels == GF_REACH_EVERY ? GPUFILTER_ALL : (uint32_t)pixels;
}

static int reach(const struct gf_work *w, gpufilter_halo *halo, gpufilter_error *err)
{
    struct gf_error error;
    struct gf_reach r;
    gpufilter_halo found = GPUFILTER_HALO_INIT;
    gf_cleanup(gf_freep) struct gf_call *call = malloc(sizeof(*call));
    if (call == NULL)
        return gf_client_leave(NULL, gf_error_set(&error, GF_E_NO_MEMORY, "out of memory"), &error, err);
    enum gf_status status = gf_call_build(call, w, "auto", 0, &error);
    if (status == GF_OK && halo == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "halo is NULL");
    if (status == GF_OK) {
        gf_program_reach(&call->program, &r, &found.tiled);
        found.left = side(r.axes[GF_X].before);
        found.right = side(r.axes[GF_X].after);
        found.above = side(r.axes[GF_Y].before);
        found.below = side(r.axes[GF_Y].after);
        found.wrap_x = r.axes[GF_X].wrap;
        found.wrap_y = r.axes[GF_Y].wrap;
        status = gf_struct_out(halo, &found, sizeof(found), "gpufilter_halo", &error);
    }
    gf_call_deinit(call);
    return gf_client_leave(NULL, status, &error, err);
}

EXPORT int gpufilter_reach(const gpufilter_step *steps, uint32_t n_steps, const gpufilter_view *operands,
                           uint32_t n_operands, const gpufilter_result *results, uint32_t n_results,
                           gpufilter_halo *halo, gpufilter_error *err)
{
    const struct gf_work work = work_of_steps(steps, n_steps, operands, n_operands, results, n_results, NULL);
    return reach(&work, halo, err);
}

EXPORT int gpufilter_reach_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                                const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo,
                                gpufilter_error *err)
{
    const struct gf_work work = work_of_text(text, operands, n_operands, results, n_results, NULL);
    return reach(&work, halo, err);
}

/* One operation, its operands and its results. */
struct operation {
    struct gf_step step;
    uint64_t open_alpha;
    gpufilter_view operands[GF_MAX_INPUTS], *outputs[GF_MAX_OUTPUTS];
    gpufilter_result results[GF_MAX_OUTPUTS];
    struct gf_ref made[GF_MAX_OUTPUTS];
    uint32_t n_operands, n_results;
};

static enum gf_status read_params(struct operation *o, const struct gf_op *op, const void *params, struct gf_error *err)
{
    uint32_t head[2]; /* struct_size, op */
    o->step.op = op;
    if (params == NULL) {
        gf_op_params_default(op, &o->step.params);
        o->open_alpha = 1;
        return GF_OK;
    }
    memcpy(head, params, sizeof(head));
    if (head[0] >= sizeof(head) && head[1] == op->id)
        return gf_params_read(params, 0, &o->step, &o->open_alpha, err);
    char name[GF_STRUCT_NAME], macro[GF_STRUCT_NAME];
    snprintf(name, sizeof(name), "gpufilter_%s_params", op->name);
    const struct gf_op *other = gf_op_by_id(head[1]);
    return gf_error_set(err, GF_E_BAD_ARGUMENT,
                        "%s has struct_size=%" PRIu32 " and operation=0x%04" PRIx32 "%s%s%s; initialise it with %s",
                        name, head[0], head[1], other != NULL ? " (" : "", other != NULL ? other->name : "",
                        other != NULL ? ")" : "", gf_struct_macro(name, macro, sizeof(macro)));
}

/* An input that is left out is no operand, and an output that is not wanted no result. */
static enum gf_status connect(struct operation *o, const gpufilter_view *const *inputs, gpufilter_view *output,
                              const void *params, struct gf_error *err)
{
    const struct gf_op *op = o->step.op;
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        const gpufilter_view *view = i < op->n_required ? inputs[i]
                                     : params != NULL   ? gf_params_input(op, params, i)
                                                        : NULL;
        o->step.in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
        if (view == NULL && i < op->n_required)
            return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s: %s is NULL", op->name, op->inputs[i].name);
        if (view == NULL)
            continue;
        o->step.in[i] = (struct gf_ref){.from = GF_FROM_OPERAND, .index = (uint16_t)o->n_operands};
        o->operands[o->n_operands++] = *view;
    }
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        gpufilter_view *view = i == 0 ? output : params != NULL ? gf_params_output(op, params, i) : NULL;
        if (view == NULL)
            continue;
        o->outputs[o->n_results] = view;
        o->made[o->n_results] = (struct gf_ref){.from = GF_FROM_STEP, .output = (uint8_t)i};
        o->results[o->n_results++] = (gpufilter_result){.view = *view};
    }
    if (o->n_results > 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s: %s%s NULL", op->name, op->outputs[0].name,
                        op->n_outputs > 1 ? " and all other outputs are" : " is");
}

int gf_run_operation(gpufilter_client *client, uint32_t id, const gpufilter_view *const *inputs, gpufilter_view *output,
                     const void *params, const gpufilter_call *call, gpufilter_error *err)
{
    struct gf_error error;
    struct operation o = {.n_operands = 0};
    enum gf_status status = read_params(&o, gf_op_by_id(id), params, &error);
    if (status == GF_OK)
        status = connect(&o, inputs, output, params, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    const struct gf_work work = {.checked = &o.step,
                                 .n_steps = 1,
                                 .open_alpha = o.open_alpha,
                                 .operands = o.operands,
                                 .n_operands = o.n_operands,
                                 .results = o.results,
                                 .outputs = o.made,
                                 .n_results = o.n_results,
                                 .call = call};
    int code = gf_run_work(client, &work, o.results, err);
    for (uint32_t i = 0; i < o.n_results && code == GPUFILTER_OK; i++)
        *o.outputs[i] = o.results[i].view;
    return code;
}

EXPORT int gpufilter_last_times(gpufilter_client *client, gpufilter_times *times, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (times == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "times is NULL");
    else if (!client->has_run)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "nothing has run on this client yet");
    else
        status = gf_struct_out(times, &client->times, sizeof(client->times), "gpufilter_times", &error);
    return gf_client_leave(client, status, &error, err);
}

int gf_submit_work(gpufilter_client *client, const struct gf_work *w, gpufilter_result *results, void *context,
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
        status = start(client, w, results, &r, &error);
    if (status == GF_OK) {
        client->n_kept++;
        r->context = context;
        if (ret_id != NULL)
            *ret_id = r->x.id;
        gf_client_work(client);
    }
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_submit(gpufilter_client *client, const gpufilter_step *steps, uint32_t n_steps,
                            const gpufilter_view *operands, uint32_t n_operands, gpufilter_result *results,
                            uint32_t n_results, const gpufilter_call *call, void *context, uint64_t *ret_id,
                            gpufilter_error *err)
{
    const struct gf_work work = work_of_steps(steps, n_steps, operands, n_operands, results, n_results, call);
    return gf_submit_work(client, &work, results, context, ret_id, err);
}

EXPORT int gpufilter_submit_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                                 uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
                                 const gpufilter_call *call, void *context, uint64_t *ret_id, gpufilter_error *err)
{
    const struct gf_work work = work_of_text(text, operands, n_operands, results, n_results, call);
    return gf_submit_work(client, &work, results, context, ret_id, err);
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
        if (again && gf_client_sleep(client, until))
            return gf_client_interrupted(err);
        gf_client_work(client);
    }
    return GF_OK;
}

static void answer_out(struct gf_request *r, gpufilter_answer *ret)
{
    gpufilter_answer answer = {.status = (int32_t)r->x.error.status, .id = r->x.id, .context = r->context};
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
