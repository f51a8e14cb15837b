/* SPDX-License-Identifier: MIT */
/* Turns the caller's structs into a checked program. Called by run.c and program_text.c. */
#include "call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/ops/op_codec.h"

#define MAX_STRUCT 4096    /* larger than any struct of the public headers will be */
#define MAX_STRUCT_NAME 64 /* with room for "_INIT" */

void gf_call_init(struct gf_call *c)
{
    c->program.n_operands = c->program.n_steps = c->program.n_results = 0;
    memset(c->coefs, 0, sizeof(c->coefs));
    c->texts = NULL;
    memcpy(c->program.device, "auto", sizeof("auto"));
    c->program.deadline_ms = 0;
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

/* Turns "gpufilter_gaussian_params" into "GPUFILTER_GAUSSIAN_INIT". */
static const char *init_macro(const char *name, char *text, size_t size)
{
    static const char suffix[] = "_params";
    size_t n = strlen(name), end = sizeof(suffix) - 1;
    if (n > end && strcmp(name + n - end, suffix) == 0)
        n -= end;
    snprintf(text, size, "%.*s_INIT", (int)n, name);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return text;
}

/* Checks the size at the start of a caller's struct. A struct that was not initialised with its macro has 0 or stack
 * garbage there. */
static enum gf_status check_size(uint32_t given, const char *name, struct gf_error *err)
{
    char macro[MAX_STRUCT_NAME];
    if (given >= sizeof(given) && given <= MAX_STRUCT)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s has struct_size=%" PRIu32 "; initialise it with %s", name, given,
                        init_macro(name, macro, sizeof(macro)));
}

enum gf_status gf_struct_in(void *ret, size_t size, const void *from, const char *name, struct gf_error *err)
{
    uint32_t given;
    memcpy(&given, from, sizeof(given));
    enum gf_status status = check_size(given, name, err);
    if (status != GF_OK)
        return status;
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i] != 0)
            return gf_error_set(err, GF_E_BAD_ARGUMENT,
                                "%s of %" PRIu32
                                " bytes has members that this library does not know; it knows %zu bytes",
                                name, given, size);
    memcpy(ret, from, given < size ? given : size);
    return GF_OK;
}

enum gf_status gf_struct_out(void *to, const void *from, size_t size, const char *name, struct gf_error *err)
{
    uint32_t capacity;
    memcpy(&capacity, to, sizeof(capacity));
    enum gf_status status = check_size(capacity, name, err);
    if (status != GF_OK)
        return status;
    memset(to, 0, capacity);
    memcpy(to, from, capacity < size ? capacity : size);
    memcpy(to, &capacity, sizeof(capacity));
    return GF_OK;
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

void gf_view_out(const struct gf_view *view, gpufilter_view *ret)
{
    ret->width = view->width;
    ret->height = view->height;
    ret->pitch = view->pitch;
    ret->dtype = view->dtype;
    ret->channels = view->channels;
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
    if (gf_view_check(&v, "", NULL) != GF_OK) {
        snprintf(what, sizeof(what), "operand %" PRIu32, p->n_operands);
        return gf_view_check(&v, what, err);
    }
    struct gf_view tight = gf_view_tight(v.dtype, v.width, v.height, v.channels);
    c->data[p->n_operands] = view->data;
    c->views[p->n_operands] = v;
    c->coefs[p->n_operands] = NULL;
    p->operands[p->n_operands++] =
        (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&tight), .view = tight};
    return GF_OK;
}

/* Whether entry i of a list has the mark of an unset entry. */
static bool is_unset(const struct gf_param_desc *desc, const void *values, uint32_t i)
{
    const float mark_f32 = GPUFILTER_UNSET_F32;
    const double mark_f64 = GPUFILTER_UNSET_F64;
    const uint32_t mark_u32 = GPUFILTER_UNSET_U32;
    const void *mark = desc->kind == GF_PARAM_F64   ? (const void *)&mark_f64
                       : desc->kind == GF_PARAM_F32 ? (const void *)&mark_f32
                                                    : &mark_u32;
    size_t size = gf_op_param_size(desc);
    return memcmp((const unsigned char *)values + i * size, mark, size) == 0;
}

/* The C type of a value. */
static const char *value_type(const struct gf_param_desc *desc)
{
    return desc->kind == GF_PARAM_F32    ? "a float"
           : desc->kind == GF_PARAM_F64  ? "a double"
           : desc->kind == GF_PARAM_TEXT ? "a character"
                                         : "a uint32_t";
}

/* Stores the values of one parameter. For a list, stores the entries before the first unset one; later entries must be
 * unset too. */
static enum gf_status store_values(struct gf_step *s, uint32_t at, const struct gf_param_desc *desc,
                                   const gpufilter_param *param, struct gf_error *err)
{
    char step[GF_STEP_TEXT];
    const size_t each = gf_op_param_size(desc);
    if (param->size / each != param->count || param->size % each != 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %zu bytes for %" PRIu32 " values; a value is %s of %zu",
                            gf_step_text(at, s->op, step, sizeof(step)), desc->name, param->size, param->count,
                            value_type(desc), each);
    if (desc->kind == GF_PARAM_TEXT)
        return gf_op_param_set(s->op, desc, param->values, param->count, &s->params, err);
    if (param->count > GF_MAX_VALUES)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %" PRIu32 " values; allowed: up to %u",
                            gf_step_text(at, s->op, step, sizeof(step)), desc->name, param->count, desc->max);
    uint32_t n = 0;
    while (n < param->count && !(desc->vector && is_unset(desc, param->values, n)))
        n++;
    for (uint32_t i = n; i < param->count; i++)
        if (!is_unset(desc, param->values, i))
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s[%" PRIu32 "] is set, but %s[%" PRIu32 "] before it is not",
                                gf_step_text(at, s->op, step, sizeof(step)), desc->name, i, desc->name, i - 1);
    return n == 0 ? GF_OK : gf_op_param_set(s->op, desc, param->values, each * n, &s->params, err);
}

static enum gf_status set_param(struct gf_step *s, uint32_t at, const gpufilter_param *param, struct gf_error *err)
{
    char step[GF_STEP_TEXT];
    if (param->count == 0)
        return GF_OK;
    if (param->values == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s: parameter %" PRIu32 " has no values",
                            gf_step_text(at, s->op, step, sizeof(step)), param->id);
    for (uint32_t i = 0; i < s->op->n_params; i++)
        if (s->op->params[i].id == param->id)
            return store_values(s, at, &s->op->params[i], param, err);
    return gf_error_set(err, GF_E_UNKNOWN_PARAM, "%s has no parameter %" PRIu32,
                        gf_step_text(at, s->op, step, sizeof(step)), param->id);
}

static enum gf_status add_step(struct gf_call *c, const gpufilter_step *from, struct gf_error *err)
{
    uint32_t at = c->program.n_steps;
    struct gf_step *s = &c->program.steps[at];
    s->op = gf_op_by_id(from->op);
    if (s->op == NULL)
        return gf_error_set(err, GF_E_UNKNOWN_OP, "step %" PRIu32 ": operation 0x%04" PRIx32 " is not known", at + 1,
                            from->op);
    enum gf_status status = gf_program_count_inputs(s->op, at, from->n_inputs, err);
    if (status != GF_OK)
        return status;
    if (from->inputs == NULL || (from->params == NULL && from->n_params > 0))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "step %" PRIu32 ": inputs or params is NULL", at + 1);
    for (uint32_t i = 0; i < s->op->n_inputs; i++)
        s->in[i] = i < from->n_inputs ? (struct gf_ref){.from = from->inputs[i].from,
                                                        .output = from->inputs[i].output,
                                                        .index = from->inputs[i].index}
                                      : (struct gf_ref){.from = GF_FROM_NOTHING};
    gf_op_params_default(s->op, &s->params);
    for (uint32_t i = 0; i < from->n_params && status == GF_OK; i++)
        status = set_param(s, at, &from->params[i], err);
    c->program.n_steps++;
    return status;
}

enum gf_status gf_call_add_steps(struct gf_call *c, const gpufilter_step *steps, uint32_t n, struct gf_error *err)
{
    if (n == 0 || n > GF_MAX_STEPS || steps == NULL)
        return gf_error_set(err, GF_E_BAD_REQUEST, "program of %" PRIu32 " steps; allowed: 1..%u", n, GF_MAX_STEPS);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = add_step(c, &steps[i], err);
    return status;
}

enum gf_status gf_call_set(struct gf_call *c, const char *device, uint32_t deadline_ms, const char *default_device,
                           uint32_t default_ms, struct gf_error *err)
{
    struct gf_error why;
    const char *name = device != NULL ? device : default_device;
    if (gf_device_name_check(name, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s", why.text);
    snprintf(c->program.device, sizeof(c->program.device), "%s", name);
    c->program.deadline_ms = deadline_ms != 0 ? deadline_ms : default_ms;
    return GF_OK;
}

static enum gf_status add_result(struct gf_call *c, const gpufilter_result *from, struct gf_error *err)
{
    struct gf_program *p = &c->program;
    uint32_t step = from->step == GPUFILTER_LAST_STEP ? p->n_steps - 1 : from->step;
    if (step >= p->n_steps || from->output >= GF_MAX_OUTPUTS)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "result %" PRIu32 " is output %" PRIu32 " of step %" PRIu64 ", but the program has %" PRIu32
                            " steps",
                            p->n_results, from->output, (uint64_t)step + 1, p->n_steps);
    p->results[p->n_results++] =
        (struct gf_result){.step = (uint16_t)step, .output = (uint8_t)from->output, .way = GF_WAY_INLINE};
    return GF_OK;
}

/* Checks that the caller's memory for result i has the shape of that output. */
static enum gf_status check_result(const struct gf_call *c, uint32_t i, const gpufilter_result *result,
                                   struct gf_error *err)
{
    char what[32], is[64], wanted[64];
    struct gf_view v = gf_view_in(&result->view);
    enum gf_status status = gf_view_check(&v, "", NULL);
    if (status == GF_OK && gf_view_same_shape(&v, &c->program.results[i].view))
        return GF_OK;
    snprintf(what, sizeof(what), "result %" PRIu32, i);
    if (status != GF_OK)
        return gf_view_check(&v, what, err);
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
    c->texts = malloc(size);
    if (c->texts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    gf_program_texts_move(&c->program, c->texts);
    return GF_OK;
}

enum gf_status gf_call_finish(struct gf_call *c, const gpufilter_result *results, uint32_t n, struct gf_error *err)
{
    if (n == 0 || n > GF_MAX_RESULTS || results == NULL)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%" PRIu32 " results; allowed: 1..%u", n, GF_MAX_RESULTS);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = add_result(c, &results[i], err);
    if (status == GF_OK)
        status = gf_program_check(&c->program, true, err);
    if (status == GF_OK)
        status = keep_texts(c, err);
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        if (gf_view_has_memory(&results[i].view))
            status = check_result(c, i, &results[i], err);
    return status;
}
