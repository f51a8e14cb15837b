/* SPDX-License-Identifier: MIT */
/* Turns the caller's structs into a checked program. Called by run.c and program.c. */
#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params.h"
#include "protocol/ops/alpha.h"
#include "text/reader.h"

#define CALL_FLAGS (GPUFILTER_CALL_UNFUSED | GPUFILTER_CALL_TRACE)

/* The structs of the headers that are written by hand; the generator checks those of the operations. */
GF_ENDS_WITHOUT_PADDING(gpufilter_error, text);
GF_ENDS_WITHOUT_PADDING(gpufilter_view, reserved);
GF_ENDS_WITHOUT_PADDING(gpufilter_step, inputs);
GF_ENDS_WITHOUT_PADDING(gpufilter_call, traceparent);
GF_ENDS_WITHOUT_PADDING(gpufilter_result, output);
GF_ENDS_WITHOUT_PADDING(gpufilter_options, wait_ms);
GF_ENDS_WITHOUT_PADDING(gpufilter_halo, tiled);
GF_ENDS_WITHOUT_PADDING(gpufilter_times, why);
GF_ENDS_WITHOUT_PADDING(gpufilter_span, length_ns);
GF_ENDS_WITHOUT_PADDING(gpufilter_answer, error);
GF_ENDS_WITHOUT_PADDING(gpufilter_health_info, text);
GF_ENDS_WITHOUT_PADDING(gpufilter_device, state);
GF_ENDS_WITHOUT_PADDING(gpufilter_metric, bins);
GF_ENDS_WITHOUT_PADDING(gpufilter_resident, device);
_Static_assert(sizeof(void *) != 8 || sizeof(gpufilter_view) == 64, "a view is one cache line");

void gf_call_init(struct gf_call *c)
{
    c->program.n_operands = c->program.n_steps = c->program.n_results = 0;
    memset(c->coefs, 0, sizeof(c->coefs));
    c->texts = NULL;
    c->alpha = c->open_alpha = c->made_alpha = 0;
    c->flags = 0;
    memcpy(c->program.device, "auto", sizeof("auto"));
    c->program.deadline_ms = 0;
    c->context = (struct gf_trace_context){{0}, {0}};
    c->program.part = c->program.n_parts = 0;
    c->program.keyed = false;
}

void gf_call_deinit(struct gf_call *c)
{
    for (uint32_t i = 0; i < c->program.n_operands; i++)
        free(c->coefs[i]);
    free(c->texts);
    gf_call_init(c);
}

enum gf_status gf_row_size_check(size_t size, uint32_t capacity, const char *name, struct gf_error *err)
{
    if (size > 0 || capacity == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s_size is 0; give sizeof(gpufilter_%s)", name, name);
}

bool gf_view_has_memory(const gpufilter_view *view)
{
    return view->data != NULL && view->data != GPUFILTER_RESIDENT;
}

struct gf_view gf_view_in(const gpufilter_view *view)
{
    struct gf_view v = gf_view_tight(view->dtype, view->width, view->height, view->channels);
    if (view->pitch != 0)
        v.pitch = view->pitch;
    return v;
}

/* Converts a view to the caller's form, but data and alpha. */
static void view_out(const struct gf_view *view, gpufilter_view *ret)
{
    ret->width = view->width;
    ret->height = view->height;
    ret->depth = 1;
    ret->pitch = view->pitch;
    ret->plane_pitch = view->height * view->pitch;
    ret->dtype = view->dtype;
    ret->channels = view->channels;
}

/* Checks a caller's view, and its form `v` in the protocol, which has neither planes nor alpha. */
static enum gf_status check_view(const gpufilter_view *view, const struct gf_view *v, const char *what,
                                 struct gf_error *err)
{
    if (view->depth > 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: depth=%" PRIu64 "; allowed: 1, or 0 for 1", what, view->depth);
    if (view->alpha > GPUFILTER_VIEW_STRAIGHT_ALPHA)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: alpha=%" PRIu32 "; allowed: 0 and 1", what, view->alpha);
    if (view->reserved != 0)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: reserved=%" PRIu32 "; allowed: 0", what, view->reserved);
    return gf_view_check(v, what, err);
}

enum gf_status gf_call_add_operand(struct gf_call *c, const gpufilter_view *view, struct gf_error *err)
{
    struct gf_program *p = &c->program;
    char what[32];
    if (p->n_operands == GF_MAX_OPERANDS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "more than %u operands", GF_MAX_OPERANDS);
    if (!gf_view_has_memory(view))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "operand %" PRIu32 " has no data", p->n_operands);
    struct gf_view v = gf_view_in(view);
    if (check_view(view, &v, "", NULL) != GF_OK) {
        snprintf(what, sizeof(what), "operand %" PRIu32, p->n_operands);
        return check_view(view, &v, what, err);
    }
    const bool has_alpha = view->alpha == GPUFILTER_VIEW_STRAIGHT_ALPHA && v.channels % 2 == 0;
    c->alpha |= has_alpha ? UINT64_C(1) << p->n_operands : 0;
    struct gf_view tight = gf_view_tight(v.dtype, v.width, v.height, v.channels);
    c->data[p->n_operands] = view->data;
    c->views[p->n_operands] = v;
    c->coefs[p->n_operands] = NULL;
    p->operands[p->n_operands++] =
        (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&tight), .view = tight};
    return GF_OK;
}

/* Sets device, deadline and flags. */
static enum gf_status set_call(struct gf_call *c, const gpufilter_call *call, const char *default_device,
                               uint32_t default_ms, struct gf_error *err)
{
    struct gf_error why;
    gpufilter_call given = GPUFILTER_CALL_INIT;
    enum gf_status status = GF_OK;
    if (call != NULL)
        status = gf_struct_in(&given, sizeof(given), call, "gpufilter_call", err);
    if (status == GF_OK)
        status = gf_reserved_check(given.reserved, "gpufilter_call", err);
    if (status != GF_OK)
        return status;
    if ((given.flags & ~CALL_FLAGS) != 0)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "gpufilter_call has flags=0x%" PRIx32 "; allowed: bits of 0x%x",
                            given.flags, CALL_FLAGS);
    if (given.traceparent != NULL && !gf_traceparent_read(given.traceparent, &c->context))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "gpufilter_call has traceparent=%.64s; allowed: %s",
                            given.traceparent, GF_TRACEPARENT_FORM);
    const char *name = given.device != NULL ? given.device : default_device;
    if (gf_device_name_check(name, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s", why.text);
    memcpy(c->program.device, name, strlen(name) + 1);
    c->program.deadline_ms = given.deadline_ms != 0 ? given.deadline_ms : default_ms;
    c->flags = given.flags;
    return GF_OK;
}

static enum gf_status add_result(struct gf_call *c, const struct gf_work *w, uint32_t i, struct gf_error *err)
{
    struct gf_program *p = &c->program;
    struct gf_error why;
    struct gf_ref ref;
    if (w->outputs != NULL)
        ref = w->outputs[i];
    else if (gf_text_output_read(p, w->results[i].output, &ref, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_REQUEST, "result %" PRIu32 ": %s", i, why.text);
    p->results[p->n_results++] = (struct gf_result){.step = ref.index, .output = ref.output, .way = GF_WAY_INLINE};
    return GF_OK;
}

/* Checks that the caller's memory for result i has the shape of that output. */
static enum gf_status check_result(const struct gf_call *c, uint32_t i, const gpufilter_result *result,
                                   struct gf_error *err)
{
    char what[32], is[64], wanted[64];
    struct gf_view v = gf_view_in(&result->view);
    enum gf_status status = check_view(&result->view, &v, "", NULL);
    if (status == GF_OK && gf_view_same_shape(&v, &c->program.results[i].view))
        return GF_OK;
    snprintf(what, sizeof(what), "result %" PRIu32, i);
    if (status != GF_OK)
        return check_view(&result->view, &v, what, err);
    return gf_error_set(err, v.dtype != c->program.results[i].view.dtype ? GF_E_BAD_DTYPE : GF_E_BAD_VIEW,
                        "%s has room for %s, but the output is %s", what, gf_view_text(&v, is, sizeof(is)),
                        gf_view_text(&c->program.results[i].view, wanted, sizeof(wanted)));
}

/* Copies the program's texts: the caller may reuse its own when a call returns, which may be before the request is
 * written. */
static enum gf_status keep_texts(struct gf_call *c, struct gf_error *err)
{
    uint64_t size = gf_program_texts_size(&c->program);
    if (size == 0)
        return GF_OK;
    c->texts = malloc((size_t)size);
    if (c->texts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    gf_program_texts_move(&c->program, c->texts);
    return GF_OK;
}

void gf_call_result_out(const struct gf_call *c, uint32_t i, gpufilter_view *ret)
{
    const struct gf_result *r = &c->program.results[i];
    view_out(&r->view, ret);
    const bool made = r->output == 0 && (c->made_alpha >> r->step & 1) != 0;
    ret->alpha = made && r->view.channels % 2 == 0 ? GPUFILTER_VIEW_STRAIGHT_ALPHA : GPUFILTER_VIEW_NO_ALPHA;
    ret->reserved = 0;
}

/* Adds the wanted results and checks the whole program. */
static enum gf_status finish(struct gf_call *c, const struct gf_work *w, struct gf_error *err)
{
    const uint32_t n = w->n_results;
    if (n == 0 || n > GF_MAX_RESULTS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%" PRIu32 " results; allowed: 1..%u", n, GF_MAX_RESULTS);
    if (w->results == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "results is NULL, but n_results=%" PRIu32, n);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = add_result(c, w, i, err);
    if (status == GF_OK && c->alpha != 0)
        c->made_alpha = gf_program_settle_alpha(&c->program, c->alpha, c->open_alpha);
    if (status == GF_OK)
        status = gf_program_check(&c->program, true, err);
    if (status == GF_OK)
        status = keep_texts(c, err);
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        if (gf_view_has_memory(&w->results[i].view))
            status = check_result(c, i, &w->results[i], err);
    return status;
}

static void add_checked(struct gf_call *c, const struct gf_work *w)
{
    for (uint32_t i = 0; i < w->n_steps; i++) {
        struct gf_step *to = &c->program.steps[i];
        to->op = w->checked[i].op;
        to->params = w->checked[i].params;
        memcpy(to->in, w->checked[i].in, sizeof(to->in));
    }
    c->program.n_steps = w->n_steps;
    c->open_alpha = w->open_alpha;
}

static enum gf_status add_program(struct gf_call *c, const struct gf_work *w, struct gf_error *err)
{
    if (w->checked != NULL) {
        add_checked(c, w);
        return GF_OK;
    }
    return w->text != NULL ? gf_call_add_text(c, w->text, err) : gf_call_add_steps(c, w->steps, w->n_steps, err);
}

enum gf_status gf_call_build(struct gf_call *c, const struct gf_work *w, const char *default_device,
                             uint32_t default_ms, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    gf_call_init(c);
    if (w->operands == NULL && w->n_operands > 0)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "operands is NULL, but n_operands=%" PRIu32, w->n_operands);
    if (w->n_operands > GF_MAX_OPERANDS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "more than %u operands", GF_MAX_OPERANDS);
    for (uint32_t i = 0; i < w->n_operands && status == GF_OK; i++)
        status = gf_call_add_operand(c, &w->operands[i], err);
    if (status == GF_OK)
        status = set_call(c, w->call, default_device, default_ms, err);
    if (status == GF_OK)
        status = add_program(c, w, err);
    return status == GF_OK ? finish(c, w, err) : status;
}
