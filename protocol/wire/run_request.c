/* SPDX-License-Identifier: MIT */
/* RUN between a program and bytes. Called by client library, front and worker. */
#include "request.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/ops/op_codec.h"
#include "records.h"
#include "trace_context.h"

static void put_operand(struct gf_writer *w, const struct gf_operand *o, uint32_t id)
{
    uint8_t r[GF_RECORD_OPERAND] = {o->way};
    gf_store_u32(r + 4, id);
    gf_store_u64(r + 8, o->offset);
    gf_store_u64(r + 16, o->length);
    gf_record_view_store(r + 24, &o->view);
    gf_put(w, GF_ATTR_OPERAND, GF_TYPE_BYTES, r, sizeof r);
}

static enum gf_attr_type param_type(const struct gf_param_desc *param)
{
    switch (param->kind) {
    case GF_PARAM_U32:
        return GF_TYPE_U32;
    case GF_PARAM_F32:
        return GF_TYPE_F32;
    case GF_PARAM_F64:
        return GF_TYPE_F64;
    case GF_PARAM_TEXT:
        return GF_TYPE_STRING;
    default:
        return GF_TYPE_ENUM;
    }
}

static void put_step(struct gf_writer *w, const struct gf_step *s)
{
    uint8_t r[GF_RECORD_STEP + GF_RECORD_REF * GF_MAX_INPUTS] = {0};
    uint32_t n_in = s->op->n_inputs;
    /* Omitted inputs at the end are not sent, so that a server that does not know them understands the rest. */
    while (n_in > s->op->n_required && s->in[n_in - 1].from == GF_FROM_NOTHING)
        n_in--;
    gf_store_u32(r, s->op->id);
    gf_store_u16(r + 4, (uint16_t)n_in);
    for (uint32_t i = 0; i < n_in; i++) {
        uint8_t *p = r + GF_RECORD_STEP + GF_RECORD_REF * i;
        p[0] = s->in[i].from;
        p[1] = s->in[i].output;
        gf_store_u16(p + 2, s->in[i].index);
    }
    gf_put(w, GF_ATTR_STEP, GF_TYPE_BYTES, r, GF_RECORD_STEP + GF_RECORD_REF * n_in);
    for (uint32_t i = 0; i < s->op->n_params; i++) {
        const struct gf_param_desc *param = &s->op->params[i];
        const void *values;
        uint32_t n = gf_op_param_get(param, &s->params, &values);
        if (n > 0 && !gf_op_param_is_default(param, &s->params))
            gf_put(w, (uint16_t)(GF_ATTR_PARAM + param->id), param_type(param), values, n * gf_op_param_size(param));
    }
}

/* Inline results carry neither offset nor length, because their layout follows from the program. */
static void put_result(struct gf_writer *w, const struct gf_result *o, uint32_t id)
{
    uint8_t r[GF_RECORD_RESULT] = {0};
    gf_store_u16(r, o->step);
    r[2] = o->output;
    r[3] = o->way;
    gf_store_u32(r + 4, id);
    if (o->way == GF_WAY_ARENA) {
        gf_store_u64(r + 8, o->offset);
        gf_store_u64(r + 16, o->length);
    }
    gf_store_u64(r + 24, o->view.pitch);
    gf_put(w, GF_ATTR_RESULT, GF_TYPE_BYTES, r, sizeof r);
}

static void put_part(struct gf_writer *w, const struct gf_program *p)
{
    uint8_t r[GF_RECORD_PART];
    gf_store_u32(r, p->part);
    gf_store_u32(r + 4, p->n_parts);
    gf_put(w, GF_ATTR_PART, GF_TYPE_BYTES, r, sizeof r);
}

static void put_keys(struct gf_writer *w, const struct gf_program *p)
{
    uint8_t r[GF_RECORD_KEY * (GF_MAX_OPERANDS + GF_MAX_RESULTS + 1)], *to = r;
    for (uint32_t i = 0; i < p->n_operands; i++, to += GF_RECORD_KEY)
        gf_store_u64(to, p->operands[i].id);
    for (uint32_t i = 0; i < p->n_results; i++, to += GF_RECORD_KEY)
        gf_store_u64(to, p->results[i].id);
    gf_store_u64(to, p->user);
    gf_put(w, GF_ATTR_KEYS, GF_TYPE_BYTES, r, (uint32_t)(to - r) + GF_RECORD_KEY);
}

void gf_program_encode(struct gf_writer *w, const struct gf_program *p)
{
    if (p->device[0] != '\0' && strcmp(p->device, "auto") != 0)
        gf_put_string(w, GF_ATTR_DEVICE, p->device);
    if (p->deadline_ms != 0)
        gf_put_u32(w, GF_ATTR_DEADLINE_MS, p->deadline_ms);
    if (p->trace)
        gf_put_u32(w, GF_ATTR_TRACE, 1);
    if (p->unfused)
        gf_put_u32(w, GF_ATTR_UNFUSED, 1);
    if (p->n_parts > 0)
        put_part(w, p);
    for (uint32_t i = 0; i < p->n_operands; i++)
        put_operand(w, &p->operands[i], p->keyed ? 0 : (uint32_t)p->operands[i].id);
    for (uint32_t i = 0; i < p->n_steps; i++)
        put_step(w, &p->steps[i]);
    for (uint32_t i = 0; i < p->n_results; i++)
        put_result(w, &p->results[i], p->keyed ? 0 : (uint32_t)p->results[i].id);
    if (p->keyed)
        put_keys(w, p);
}

/* The state of decoding a RUN. */
struct run_decoder {
    struct gf_program *p;
    uint32_t rank; /* of the last attribute, see rank_of() */
    uint32_t seen; /* parameters given for the last step, by position in its descriptor */
};

#define LAST_SINGLE 6u /* attributes up to this rank may occur at most once */

/* The rank of an attribute; ranks must ascend. 0: does not belong in RUN. */
static uint32_t rank_of(uint16_t id)
{
    switch (id) {
    case GF_ATTR_TRACE_CONTEXT:
        return 1;
    case GF_ATTR_DEVICE:
        return 2;
    case GF_ATTR_DEADLINE_MS:
        return 3;
    case GF_ATTR_TRACE:
        return 4;
    case GF_ATTR_UNFUSED:
        return 5;
    case GF_ATTR_PART:
        return LAST_SINGLE;
    case GF_ATTR_OPERAND:
        return 7;
    case GF_ATTR_STEP:
        return 8;
    case GF_ATTR_RESULT:
        return 9;
    case GF_ATTR_KEYS:
        return 10;
    default:
        return id >= GF_ATTR_PARAM && id < 2 * GF_ATTR_PARAM ? 8 : 0;
    }
}

static enum gf_status too_many(const char *what, uint32_t limit, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_REQUEST, "program with more than %" PRIu32 " %s", limit, what);
}

static enum gf_status read_operand(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_program *p = d->p;
    if (p->n_operands == GF_MAX_OPERANDS)
        return too_many("operands", GF_MAX_OPERANDS, err);
    enum gf_status status = gf_attr_record(a, GF_RECORD_OPERAND, err);
    if (status != GF_OK)
        return status;
    struct gf_operand *o = &p->operands[p->n_operands];
    const uint8_t *r = a->value;
    if (r[1] != 0 || r[2] != 0 || r[3] != 0 || !gf_record_view_load(r + 24, &o->view))
        return gf_error_set(err, GF_E_BAD_REQUEST, "operand %" PRIu32 ": reserved bytes are not 0", p->n_operands);
    o->way = r[0];
    o->id = gf_load_u32(r + 4);
    o->offset = gf_load_u64(r + 8);
    o->length = gf_load_u64(r + 16);
    p->n_operands++;
    return GF_OK;
}

static enum gf_status read_step(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_program *p = d->p;
    if (p->n_steps == GF_MAX_STEPS)
        return too_many("steps", GF_MAX_STEPS, err);
    uint32_t at = p->n_steps;
    enum gf_status status = gf_attr_record(a, 0, err);
    if (status != GF_OK)
        return status;
    const uint8_t *r = a->value;
    if (a->length < GF_RECORD_STEP || a->length != GF_RECORD_STEP + GF_RECORD_REF * gf_load_u16(r + 4) ||
        gf_load_u16(r + 6) != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "step %" PRIu32 ": record of %" PRIu32 " bytes; must be 8 and 4 for each input", at + 1,
                            a->length);
    struct gf_step *s = &p->steps[at];
    s->op = gf_op_by_id(gf_load_u32(r));
    if (s->op == NULL)
        return gf_error_set(err, GF_E_UNKNOWN_OP, "step %" PRIu32 ": operation 0x%04" PRIx32 " is not known", at + 1,
                            gf_load_u32(r));
    status = gf_program_count_inputs(s->op, at, gf_load_u16(r + 4), err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < s->op->n_inputs; i++) {
        const uint8_t *ref = r + GF_RECORD_STEP + GF_RECORD_REF * i;
        s->in[i] = i < gf_load_u16(r + 4)
                       ? (struct gf_ref){.from = ref[0], .output = ref[1], .index = gf_load_u16(ref + 2)}
                       : (struct gf_ref){.from = GF_FROM_NOTHING};
    }
    gf_op_params_default(s->op, &s->params);
    d->seen = 0;
    p->n_steps++;
    return GF_OK;
}

static enum gf_status read_param(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_program *p = d->p;
    if (p->n_steps == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute PARAM (%u) comes before any step", a->id);
    uint32_t at = p->n_steps - 1, id = a->id - (uint32_t)GF_ATTR_PARAM, i = 0;
    struct gf_step *s = &p->steps[at];
    char step[GF_STEP_TEXT];
    while (i < s->op->n_params && s->op->params[i].id != id)
        i++;
    if (i == s->op->n_params)
        return gf_error_set(err, GF_E_UNKNOWN_PARAM, "%s has no parameter %" PRIu32,
                            gf_step_text(at, s->op, step, sizeof step), id);
    const struct gf_param_desc *param = &s->op->params[i];
    if ((d->seen >> i & 1) != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %s is given twice", gf_step_text(at, s->op, step, sizeof step),
                            param->name);
    d->seen |= 1u << i;
    if (a->type != param_type(param))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s is sent as type %u; must be %u",
                            gf_step_text(at, s->op, step, sizeof step), param->name, a->type, param_type(param));
    return gf_op_param_set(s->op, param, a->value, a->length, &s->params, err);
}

static enum gf_status read_result(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_program *p = d->p;
    if (p->n_results == GF_MAX_RESULTS)
        return too_many("results", GF_MAX_RESULTS, err);
    enum gf_status status = gf_attr_record(a, GF_RECORD_RESULT, err);
    if (status != GF_OK)
        return status;
    const uint8_t *r = a->value;
    struct gf_result *o = &p->results[p->n_results];
    *o = (struct gf_result){.step = gf_load_u16(r),
                            .output = r[2],
                            .way = r[3],
                            .id = gf_load_u32(r + 4),
                            .offset = gf_load_u64(r + 8),
                            .length = gf_load_u64(r + 16),
                            .view.pitch = gf_load_u64(r + 24)};
    if (o->way == GF_WAY_INLINE && (o->offset != 0 || o->length != 0))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "result %" PRIu32 ": offset=%" PRIu64 " and length=%" PRIu64
                            "; must be 0 for an inline result",
                            p->n_results, o->offset, o->length);
    p->n_results++;
    return GF_OK;
}

/* Decodes 0 or 1. */
static enum gf_status read_flag(const struct gf_attr *a, const char *name, bool *ret, struct gf_error *err)
{
    uint32_t value = 0;
    enum gf_status status = gf_attr_u32(a, &value, err);
    if (status == GF_OK && value > 1)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s=%" PRIu32 "; allowed: 0 and 1", name, value);
    *ret = value == 1;
    return status;
}

static enum gf_status read_part(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_PART, err);
    if (status != GF_OK)
        return status;
    uint32_t part = gf_load_u32(a->value), n = gf_load_u32(a->value + 4);
    if (part >= n || n > GF_MAX_DEVICES)
        return gf_error_set(err, GF_E_BAD_REQUEST, "part %" PRIu32 " of %" PRIu32 "; parts count from 0, at most %u",
                            part, n, GF_MAX_DEVICES);
    d->p->part = part;
    d->p->n_parts = n;
    return GF_OK;
}

/* The keys of all operands, those of all results, and the user. */
static enum gf_status read_keys(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_program *p = d->p;
    if (p->keyed)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute KEYS (%u) is given twice", a->id);
    enum gf_status status = gf_attr_record(a, GF_RECORD_KEY * (p->n_operands + p->n_results + 1), err);
    if (status != GF_OK)
        return status;
    const uint8_t *r = a->value;
    for (uint32_t i = 0; i < p->n_operands; i++, r += GF_RECORD_KEY)
        p->operands[i].id = gf_load_u64(r);
    for (uint32_t i = 0; i < p->n_results; i++, r += GF_RECORD_KEY)
        p->results[i].id = gf_load_u64(r);
    p->user = gf_load_u64(r);
    p->keyed = true;
    return GF_OK;
}

static enum gf_status read_attr(struct run_decoder *d, const struct gf_attr *a, struct gf_error *err)
{
    uint32_t rank = rank_of(a->id);
    if (rank == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) does not belong in RUN", gf_attr_name(a->id),
                            a->id);
    if (rank < d->rank)
        return gf_error_set(
            err, GF_E_BAD_REQUEST,
            "attribute %s (%u) is out of order: trace context, device, deadline, trace, unfused, operands, steps, "
            "results",
            gf_attr_name(a->id), a->id);
    if (rank == d->rank && rank <= LAST_SINGLE)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) is given twice", gf_attr_name(a->id), a->id);
    d->rank = rank;
    switch (a->id) {
    case GF_ATTR_DEVICE:
        return gf_attr_string(a, d->p->device, sizeof d->p->device, err);
    case GF_ATTR_DEADLINE_MS:
        return gf_attr_u32(a, &d->p->deadline_ms, err);
    case GF_ATTR_TRACE:
        return read_flag(a, "trace", &d->p->trace, err);
    case GF_ATTR_UNFUSED:
        return read_flag(a, "unfused", &d->p->unfused, err);
    case GF_ATTR_TRACE_CONTEXT:
        return gf_trace_context_read(a, &(struct gf_trace_context){{0}, {0}}, err); /* no part of the program */
    case GF_ATTR_PART:
        return read_part(d, a, err);
    case GF_ATTR_OPERAND:
        return read_operand(d, a, err);
    case GF_ATTR_STEP:
        return read_step(d, a, err);
    case GF_ATTR_RESULT:
        return read_result(d, a, err);
    case GF_ATTR_KEYS:
        return read_keys(d, a, err);
    default:
        return read_param(d, a, err);
    }
}

enum gf_status gf_program_decode(const uint8_t *body, size_t size, uint64_t payload_len, struct gf_program *ret,
                                 struct gf_parsed *parsed, struct gf_error *err)
{
    memcpy(ret->device, "auto", sizeof "auto");
    ret->deadline_ms = 0;
    ret->trace = ret->unfused = ret->keyed = false;
    ret->part = ret->n_parts = 0;
    ret->n_operands = ret->n_steps = ret->n_results = 0;
    ret->payload_in = 0;
    struct run_decoder d = {.p = ret};
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    int more;
    while ((more = gf_attr_next(&reader, &a, err)) > 0) {
        enum gf_status status = read_attr(&d, &a, err);
        if (status != GF_OK)
            return status;
    }
    if (more < 0)
        return GF_E_BAD_REQUEST;
    enum gf_status status = gf_program_check_keeping(ret, parsed, err);
    if (status == GF_OK && ret->payload_in != payload_len)
        return gf_error_set(err, GF_E_BAD_REQUEST, "payload of %" PRIu64 " bytes; the inline operands need %" PRIu64,
                            payload_len, ret->payload_in);
    return status;
}
