/* SPDX-License-Identifier: MIT */
/*
 * Validates a program: references, inputs, shapes, location of bytes. Called by the decoder of RUN, hence by front and
 * worker, and by the client library before it encodes.
 */
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "op_shapes.h"
#include "protocol/base/base.h"
#include "protocol/base/text.h"
#include "texts/parsed.h"

const struct gf_view *gf_program_input_view(const struct gf_program *p, struct gf_ref ref)
{
    static const struct gf_view nothing;
    if (ref.from == GF_FROM_NOTHING)
        return &nothing;
    return ref.from == GF_FROM_STEP ? &p->steps[ref.index].out[ref.output] : &p->operands[ref.index].view;
}

const char *gf_step_text(uint32_t index, const struct gf_op *op, char *text, size_t size)
{
    if (op != NULL)
        snprintf(text, size, "step %" PRIu32 " (%s)", index + 1, op->name);
    else
        snprintf(text, size, "step %" PRIu32, index + 1);
    return text;
}

/* The parts of a program that it uses. */
struct part {
    size_t offset, size;
};

static void parts_of(const struct gf_program *p, struct part ret[4])
{
    ret[0] = (struct part){0, offsetof(struct gf_program, operands)};
    ret[1] = (struct part){offsetof(struct gf_program, operands), p->n_operands * sizeof p->operands[0]};
    ret[2] = (struct part){offsetof(struct gf_program, steps), p->n_steps * sizeof p->steps[0]};
    ret[3] = (struct part){offsetof(struct gf_program, results), p->n_results * sizeof p->results[0]};
}

void gf_program_copy(struct gf_program *to, const struct gf_program *from)
{
    struct part parts[4];
    parts_of(from, parts);
    for (size_t i = 0; i < GF_ARRAY_LEN(parts); i++)
        memcpy((char *)to + parts[i].offset, (const char *)from + parts[i].offset, parts[i].size);
}

size_t gf_program_packed_size(const struct gf_program *p)
{
    struct part parts[4];
    size_t size = 0;
    parts_of(p, parts);
    for (size_t i = 0; i < GF_ARRAY_LEN(parts); i++)
        size += parts[i].size;
    return size;
}

void gf_program_pack(const struct gf_program *p, void *ret_bytes)
{
    struct part parts[4];
    char *at = ret_bytes;
    parts_of(p, parts);
    for (size_t i = 0; i < GF_ARRAY_LEN(parts); at += parts[i++].size)
        memcpy(at, (const char *)p + parts[i].offset, parts[i].size);
}

void gf_program_unpack(const void *bytes, struct gf_program *ret)
{
    struct part parts[4];
    const char *at = bytes;
    memcpy(ret, bytes, offsetof(struct gf_program, operands)); /* says how much follows */
    parts_of(ret, parts);
    for (size_t i = 0; i < GF_ARRAY_LEN(parts); at += parts[i++].size)
        memcpy((char *)ret + parts[i].offset, at, parts[i].size);
}

static bool is_in_device_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr(":._-", c) != NULL;
}

enum gf_status gf_device_name_check(const char *name, struct gf_error *err)
{
    size_t length = strnlen(name, GF_MAX_DEVICE_NAME + 1), n = 0;
    if (length == 0 || length > GF_MAX_DEVICE_NAME)
        return gf_error_set(err, GF_E_BAD_REQUEST, "device name of %zu bytes; allowed: 1..%u", length,
                            GF_MAX_DEVICE_NAME);
    while (n < length && is_in_device_name(name[n]))
        n++;
    if (n < length)
        return gf_error_set(err, GF_E_BAD_REQUEST, "device name \"%s\"; allowed: letters, digits, ':', '.', '_', '-'",
                            name);
    return GF_OK;
}

enum gf_status gf_program_count_inputs(const struct gf_op *op, uint32_t step, uint32_t n, struct gf_error *err)
{
    if (n >= op->n_required && n <= op->n_inputs)
        return GF_OK;
    char at_least[32] = "", text[GF_STEP_TEXT];
    if (op->n_required < op->n_inputs)
        snprintf(at_least, sizeof at_least, "%" PRIu32 "..", op->n_required);
    return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %" PRIu32 " inputs given; it takes %s%" PRIu32,
                        gf_step_text(step, op, text, sizeof text), n, at_least, op->n_inputs);
}

static enum gf_status check_count(const char *what, uint32_t n, uint32_t lo, uint32_t hi, struct gf_error *err)
{
    if (n >= lo && n <= hi)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REQUEST, "program of %" PRIu32 " %s; allowed: %" PRIu32 "..%" PRIu32, n, what, lo,
                        hi);
}

/* The following checks get the noun and number of an operand or a result rather than a text, which would have to be
 * made before there is an error. */

static enum gf_status check_view(const char *noun, uint32_t i, const struct gf_view *view, struct gf_error *err)
{
    char what[32];
    if (gf_view_check(view, "", NULL) == GF_OK)
        return GF_OK;
    snprintf(what, sizeof what, "%s %" PRIu32, noun, i);
    return gf_view_check(view, what, err);
}

/* Places `length` inline bytes at the next multiple of 64 after *end. */
static enum gf_status place_inline(const char *noun, uint32_t i, uint64_t length, uint64_t *end, uint64_t *ret_offset,
                                   struct gf_error *err)
{
    uint64_t offset, past;
    if (!gf_align_u64(*end, GF_INLINE_ALIGN, &offset) || !gf_add_u64(offset, length, &past) || past > GF_MAX_PAYLOAD)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s %" PRIu32 ": %" PRIu64 " inline bytes make the payload larger than %" PRIu64, noun, i,
                            length, (uint64_t)GF_MAX_PAYLOAD);
    *end = past;
    *ret_offset = offset;
    return GF_OK;
}

/* Checks that bytes in an arena are aligned to the element and do not exceed 2^64. */
static enum gf_status check_region(const char *noun, uint32_t i, uint64_t offset, uint64_t length,
                                   const struct gf_view *view, struct gf_error *err)
{
    uint64_t past;
    size_t element = gf_dtype_size(view->dtype);
    if (offset % element != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "%s %" PRIu32 ": offset=%" PRIu64 " is not a multiple of the %zu bytes of %s", noun, i,
                            offset, element, gf_dtype_word(view->dtype));
    if (!gf_add_u64(offset, length, &past))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "%s %" PRIu32 ": offset=%" PRIu64 " and length=%" PRIu64 " exceed 64 bits", noun, i, offset,
                            length);
    return GF_OK;
}

static enum gf_status check_handle(const char *noun, uint32_t i, uint64_t length, struct gf_error *err)
{
    if (length == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REQUEST, "%s %" PRIu32 ": length=%" PRIu64 "; must be 0 for a handle", noun, i,
                        length);
}

enum gf_status gf_operand_place(const struct gf_operand *o, const struct gf_view *buffer, uint64_t *ret_x,
                                uint64_t *ret_y, struct gf_error *err)
{
    const struct gf_view *v = &o->view;
    char is[64], has[64];
    if (v->dtype != buffer->dtype)
        return gf_error_set(err, GF_E_BAD_DTYPE, "a view of handle %" PRIu64 " as %s, but the buffer is %s", o->id,
                            gf_dtype_word(v->dtype), gf_dtype_word(buffer->dtype));
    uint64_t pixel = gf_dtype_size(buffer->dtype) * buffer->channels, row = gf_view_row_bytes(buffer);
    uint64_t x = o->offset % row / pixel, y = o->offset / row;
    if (v->channels != buffer->channels || o->offset % row % pixel != 0 || x + v->width > buffer->width ||
        y >= buffer->height || v->height > buffer->height - y || (v->height > 1 && v->pitch != row))
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "a view of handle %" PRIu64 " of %s at byte %" PRIu64 " with pitch %" PRIu64
                            " does not lie in its %s with pitch %" PRIu64,
                            o->id, gf_view_text(v, is, sizeof is), o->offset, v->pitch,
                            gf_view_text(buffer, has, sizeof has), row);
    *ret_x = x;
    *ret_y = y;
    return GF_OK;
}

static enum gf_status check_inline_id(const char *noun, uint32_t i, uint64_t id, struct gf_error *err)
{
    if (id == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REQUEST, "%s %" PRIu32 ": id=%" PRIu64 "; must be 0 for inline data", noun, i,
                        id);
}

static enum gf_status check_inline_operand(struct gf_program *p, uint32_t i, bool layout, struct gf_error *err)
{
    struct gf_operand *o = &p->operands[i];
    uint64_t offset = 0;
    enum gf_status status = check_inline_id("operand", i, o->id, err);
    if (status == GF_OK)
        status = place_inline("operand", i, o->length, &p->payload_in, &offset, err);
    if (status != GF_OK)
        return status;
    if (layout)
        o->offset = offset;
    if (o->offset != offset)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "operand %" PRIu32 ": offset=%" PRIu64
                            "; inline operands are placed at multiples of %u in order, this one at %" PRIu64,
                            i, o->offset, GF_INLINE_ALIGN, offset);
    return GF_OK;
}

static enum gf_status check_operand(struct gf_program *p, uint32_t i, bool layout, struct gf_error *err)
{
    struct gf_operand *o = &p->operands[i];
    enum gf_status status = check_view("operand", i, &o->view, err);
    if (status != GF_OK)
        return status;
    if (o->way == GF_WAY_HANDLE)
        return check_handle("operand", i, o->length, err);
    if (o->way != GF_WAY_INLINE && o->way != GF_WAY_ARENA)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "operand %" PRIu32 ": way=%u; allowed: 1 (inline), 2 (arena), 3 (handle)", i, o->way);
    if (o->length < gf_view_bytes(&o->view))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "operand %" PRIu32 ": length=%" PRIu64 " is less than the %" PRIu64 " bytes it spans", i,
                            o->length, gf_view_bytes(&o->view));
    if (o->way == GF_WAY_INLINE)
        return check_inline_operand(p, i, layout, err);
    return check_region("operand", i, o->offset, o->length, &o->view, err);
}

/* Checks an input that is the output of an earlier step. */
static enum gf_status check_step_ref(const struct gf_program *p, uint32_t at, uint32_t input, struct gf_error *err)
{
    const struct gf_op *op = p->steps[at].op;
    struct gf_ref ref = p->steps[at].in[input];
    const char *name = op->inputs[input].name;
    char step[GF_STEP_TEXT], from[GF_STEP_TEXT];
    if (ref.index >= at)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %s refers to step %u; allowed: earlier steps",
                            gf_step_text(at, op, step, sizeof step), name, ref.index + 1u);
    const struct gf_op *giver = p->steps[ref.index].op;
    if (ref.output >= giver->n_outputs)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %s refers to output %u of %s, which has %" PRIu32,
                            gf_step_text(at, op, step, sizeof step), name, ref.output,
                            gf_step_text(ref.index, giver, from, sizeof from), giver->n_outputs);
    if (gf_input_is_copied(&op->inputs[input]))
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s: %s refers to %s; it must be an operand",
                            gf_step_text(at, op, step, sizeof step), name,
                            gf_step_text(ref.index, giver, from, sizeof from));
    return GF_OK;
}

/* Checks one input of a step and marks its operand as used. */
static enum gf_status check_ref(const struct gf_program *p, uint32_t at, uint32_t input, uint64_t *used,
                                struct gf_error *err)
{
    const struct gf_op *op = p->steps[at].op;
    struct gf_ref ref = p->steps[at].in[input];
    const char *name = op->inputs[input].name;
    char step[GF_STEP_TEXT];
    if (ref.from == GF_FROM_NOTHING && op->inputs[input].optional && ref.output == 0 && ref.index == 0)
        return GF_OK;
    if (ref.from > GF_FROM_STEP)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %s is of kind %u; allowed: 0 (operand), 1 (step)%s",
                            gf_step_text(at, op, step, sizeof step), name, ref.from,
                            op->inputs[input].optional ? ", 2 (left out)" : "");
    if (ref.from == GF_FROM_STEP)
        return check_step_ref(p, at, input, err);
    if (ref.index >= p->n_operands || ref.output != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "%s: %s is output %u of operand %u; there are %" PRIu32 " operands, with output 0 only",
                            gf_step_text(at, op, step, sizeof step), name, ref.output, ref.index, p->n_operands);
    *used |= UINT64_C(1) << ref.index;
    if (p->operands[ref.index].way == GF_WAY_HANDLE && gf_input_is_copied(&op->inputs[input]))
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s: %s is a handle; it must be inline or in an arena",
                            gf_step_text(at, op, step, sizeof step), name);
    return GF_OK;
}

/* The error of a step's shapes, with the step and the steps that its inputs come from. */
static enum gf_status step_error(const struct gf_program *p, uint32_t at, const struct gf_error *why,
                                 struct gf_error *err)
{
    const struct gf_step *s = &p->steps[at];
    const char *says = why->text;
    size_t name = strlen(s->op->name);
    char step[GF_STEP_TEXT], text[3 * GF_ERROR_TEXT], view[64];
    if (p->n_steps == 1)
        return gf_error_set(err, why->status, "%s", says);
    if (strncmp(says, s->op->name, name) == 0 && says[name] == ':')
        says += name + 1 + strspn(says + name + 1, " ");
    gf_step_text(at, s->op, text, sizeof text);
    gf_text_append(text, sizeof text, ": %s", says);
    if (why->status == GF_E_BAD_DTYPE || why->status == GF_E_BAD_VIEW)
        for (uint32_t i = 0; i < s->op->n_inputs; i++) {
            const struct gf_ref ref = s->in[i];
            if (ref.from == GF_FROM_STEP)
                gf_text_append(text, sizeof text, "; %s is the result of %s, %s", s->op->inputs[i].name,
                               gf_step_text(ref.index, p->steps[ref.index].op, step, sizeof step),
                               gf_view_text(gf_program_input_view(p, ref), view, sizeof view));
        }
    return gf_error_set(err, why->status, "%s", text);
}

/* All inputs of a step. */
static enum gf_status check_refs(const struct gf_program *p, uint32_t at, uint64_t *used, struct gf_error *err)
{
    const struct gf_op *op = p->steps[at].op;
    enum gf_status status = GF_OK;
    if (op == NULL)
        return gf_error_set(err, GF_E_UNKNOWN_OP, "step %" PRIu32 " has no operation", at + 1);
    for (uint32_t i = 0; i < op->n_inputs && status == GF_OK; i++)
        status = check_ref(p, at, i, used, err);
    return status;
}

/* The parameters of a step whose inputs were checked, and what it gives. */
static enum gf_status infer_step(struct gf_program *p, uint32_t at, struct gf_parsed *parsed, struct gf_error *err)
{
    struct gf_step *s = &p->steps[at];
    struct gf_view in[GF_MAX_INPUTS];
    struct gf_error why;
    s->nodes = NULL;
    for (uint32_t i = 0; i < s->op->n_inputs; i++)
        in[i] = *gf_program_input_view(p, s->in[i]);
    if (parsed != NULL)
        gf_parsed_keep(parsed, s, in);
    enum gf_status status = gf_op_infer(s->op, in, s->op->n_inputs, &s->params, s->out, &why);
    return status == GF_OK ? GF_OK : step_error(p, at, &why, err);
}

static enum gf_status check_used(const struct gf_program *p, uint64_t used, struct gf_error *err)
{
    for (uint32_t i = 0; i < p->n_operands; i++)
        if ((used >> i & 1) == 0)
            return gf_error_set(err, GF_E_BAD_REQUEST, "operand %" PRIu32 " is not used by any step", i);
    return GF_OK;
}

/* Finds the output that a result names and applies the requested pitch. */
static enum gf_status check_result_view(struct gf_program *p, uint32_t i, struct gf_error *err)
{
    struct gf_result *r = &p->results[i];
    char step[GF_STEP_TEXT];
    if (r->step >= p->n_steps)
        return gf_error_set(err, GF_E_BAD_REQUEST, "result %" PRIu32 " is of step %u, but the program has %" PRIu32, i,
                            r->step + 1u, p->n_steps);
    const struct gf_step *s = &p->steps[r->step];
    if (r->output >= s->op->n_outputs)
        return gf_error_set(err, GF_E_BAD_REQUEST, "result %" PRIu32 " is output %u of %s, which has %" PRIu32, i,
                            r->output, gf_step_text(r->step, s->op, step, sizeof step), s->op->n_outputs);
    uint64_t pitch = r->view.pitch;
    r->view = s->out[r->output];
    if (pitch != 0)
        r->view.pitch = pitch;
    return check_view("result", i, &r->view, err);
}

static enum gf_status check_result(struct gf_program *p, uint32_t i, struct gf_error *err)
{
    struct gf_result *r = &p->results[i];
    enum gf_status status = check_result_view(p, i, err);
    if (status != GF_OK)
        return status;
    uint64_t needed = gf_view_bytes(&r->view);
    if (r->way == GF_WAY_HANDLE && r->offset != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "result %" PRIu32 ": offset=%" PRIu64 "; must be 0 for a handle", i,
                            r->offset);
    if (r->way == GF_WAY_HANDLE && r->view.pitch != gf_view_row_bytes(&r->view))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "result %" PRIu32 ": pitch=%" PRIu64 "; the rows of a handle must have no gaps", i,
                            r->view.pitch);
    if (r->way == GF_WAY_HANDLE)
        return check_handle("result", i, r->length, err);
    if (r->way == GF_WAY_INLINE) {
        r->length = needed;
        status = check_inline_id("result", i, r->id, err);
        return status != GF_OK ? status : place_inline("result", i, needed, &p->payload_out, &r->offset, err);
    }
    if (r->way != GF_WAY_ARENA)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "result %" PRIu32 ": way=%u; allowed: 1 (inline), 2 (arena), 3 (handle)", i, r->way);
    if (r->length < needed) {
        gf_error_set(err, GF_E_OUTPUT_TOO_SMALL, "result %" PRIu32 ": room for %" PRIu64 " bytes; needed: %" PRIu64, i,
                     r->length, needed);
        if (err != NULL)
            err->needed = needed;
        return GF_E_OUTPUT_TOO_SMALL;
    }
    return check_region("result", i, r->offset, r->length, &r->view, err);
}

/* Whether two spans of bytes in the same arena overlap. Interleaved rows count as overlapping. */
static bool spans_touch(uint64_t a, const struct gf_view *av, uint64_t b, const struct gf_view *bv)
{
    return a < b + gf_view_bytes(bv) && b < a + gf_view_bytes(av);
}

static enum gf_status check_overlap(const struct gf_program *p, uint32_t i, struct gf_error *err)
{
    const struct gf_result *r = &p->results[i];
    if (r->way != GF_WAY_ARENA)
        return GF_OK;
    for (uint32_t k = 0; k < p->n_operands; k++) {
        const struct gf_operand *o = &p->operands[k];
        if (o->way == GF_WAY_ARENA && o->id == r->id && spans_touch(o->offset, &o->view, r->offset, &r->view))
            return gf_error_set(err, GF_E_OVERLAP, "result %" PRIu32 " overlaps operand %" PRIu32 " in arena %" PRIu64,
                                i, k, r->id);
    }
    for (uint32_t k = 0; k < i; k++) {
        const struct gf_result *o = &p->results[k];
        if (o->way == GF_WAY_ARENA && o->id == r->id && spans_touch(o->offset, &o->view, r->offset, &r->view))
            return gf_error_set(err, GF_E_OVERLAP, "result %" PRIu32 " overlaps result %" PRIu32 " in arena %" PRIu64,
                                i, k, r->id);
    }
    return GF_OK;
}

static enum gf_status check_texts(const struct gf_program *p, struct gf_error *err)
{
    uint64_t size = gf_program_texts_size(p);
    if (size <= GF_MAX_TEXTS)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REQUEST, "texts of all steps have %" PRIu64 " bytes; allowed: up to %u", size,
                        GF_MAX_TEXTS);
}

static enum gf_status check(struct gf_program *p, bool layout, bool infer, struct gf_parsed *parsed,
                            struct gf_error *err)
{
    enum gf_status status;
    if ((status = gf_device_name_check(p->device, err)) != GF_OK ||
        (status = check_count("operands", p->n_operands, 0, GF_MAX_OPERANDS, err)) != GF_OK ||
        (status = check_count("steps", p->n_steps, 1, GF_MAX_STEPS, err)) != GF_OK ||
        (status = check_count("results", p->n_results, 1, GF_MAX_RESULTS, err)) != GF_OK)
        return status;
    uint64_t used = 0;
    p->payload_in = 0;
    p->payload_out = 0;
    for (uint32_t i = 0; i < p->n_operands && status == GF_OK; i++)
        status = check_operand(p, i, layout, err);
    if (status == GF_OK)
        status = check_texts(p, err); /* before they are parsed */
    for (uint32_t i = 0; i < p->n_steps && status == GF_OK; i++) {
        status = check_refs(p, i, &used, err);
        if (status == GF_OK && infer)
            status = infer_step(p, i, parsed, err);
    }
    if (status == GF_OK)
        status = check_used(p, used, err);
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = check_result(p, i, err);
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = check_overlap(p, i, err);
    return status;
}

enum gf_status gf_program_check(struct gf_program *p, bool layout, struct gf_error *err)
{
    return check(p, layout, true, NULL, err);
}

enum gf_status gf_program_check_keeping(struct gf_program *p, struct gf_parsed *parsed, struct gf_error *err)
{
    return check(p, false, true, parsed, err);
}

enum gf_status gf_program_place(struct gf_program *p, struct gf_error *err)
{
    return check(p, true, false, NULL, err);
}
