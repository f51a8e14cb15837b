/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: gf_program_check on a program that is built from the bytes and is valid or nearly valid. Its verdict
 * must agree with docs/protocol.md 5, by an oracle that counts in 128 bits and checks one rule at a time. An accepted
 * program must survive encoding and decoding unchanged, and must be refused with another payload size.
 */
#include <string.h>

#include "fuzz.h"
#include "protocol/base/dtype.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/wire/request.h"

__extension__ typedef unsigned __int128 wide;

static struct gf_program built, checked, decoded;
static uint8_t frame[GF_MAX_FRAME_HEAD];

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Mostly small and tight. */
static struct gf_view take_view(struct gf_input *in)
{
    uint8_t how = gf_input_byte(in);
    struct gf_view v = gf_view_tight(GF_U8 + how % 10, 1 + gf_input_below(in, 32), 1 + gf_input_below(in, 32),
                                     1 + gf_input_below(in, 4));
    if (how >= 200)
        v = (struct gf_view){gf_input_below(in, 13), gf_input_below(in, 7), gf_input_size(in), gf_input_size(in), 0};
    if (how >= 150)
        v.pitch = gf_input_size(in);
    return v;
}

static void take_operand(struct gf_input *in, struct gf_operand *o)
{
    uint8_t how = gf_input_byte(in);
    *o = (struct gf_operand){.way = (uint8_t)(GF_WAY_INLINE + (how & 3) % 3), .view = take_view(in)};
    if (how >= 250)
        o->way = gf_input_byte(in);
    if (o->way != GF_WAY_INLINE || how >= 240)
        o->id = gf_input_below(in, 3);
    if (o->way != GF_WAY_HANDLE || how >= 230)
        o->length = gf_view_bytes(&o->view) + (how & 4 ? gf_input_byte(in) : 0) - (how >= 220);
    if (o->way != GF_WAY_INLINE)
        o->offset = how & 8 ? gf_input_size(in) : 8u * gf_input_byte(in);
}

static struct gf_ref take_ref(struct gf_input *in)
{
    uint8_t how = gf_input_byte(in);
    struct gf_ref ref = {.from = how % 4 == 3 ? GF_FROM_STEP : GF_FROM_OPERAND, .index = how / 4 % 4};
    if (how >= 224)
        ref = (struct gf_ref){.from = (uint8_t)gf_input_below(in, 4),
                              .output = (uint8_t)gf_input_below(in, 5),
                              .index = (uint16_t)gf_input_size(in)};
    return ref;
}

static void take_step(struct gf_input *in, struct gf_step *s)
{
    uint8_t which = gf_input_byte(in);
    s->op = which == 255 ? NULL : &gf_ops[which % GF_N_OPS];
    if (s->op == NULL)
        return;
    gf_op_params_default(s->op, &s->params);
    for (uint32_t i = 0; i < s->op->n_inputs; i++)
        s->in[i] = s->op->inputs[i].optional && gf_input_below(in, 2) == 0 ? (struct gf_ref){.from = GF_FROM_NOTHING}
                                                                           : take_ref(in);
    for (uint32_t n = gf_input_below(in, 4); n > 0 && s->op->n_params > 0; n--) {
        const struct gf_param_desc *param = &s->op->params[gf_input_below(in, s->op->n_params)];
        uint64_t value = gf_input_number(in, gf_input_byte(in) & 1 ? 8 : 1);
        union gf_params params = s->params;
        bool text = param->kind == GF_PARAM_TEXT;
        if (gf_op_param_set(s->op, param, text ? (const void *)"a" : &value, gf_op_param_size(param), &params, NULL) ==
            GF_OK)
            s->params = params;
    }
}

static void take_result(struct gf_input *in, struct gf_result *r)
{
    uint8_t how = gf_input_byte(in);
    *r = (struct gf_result){.step = how / 4 % 4, .way = (uint8_t)(GF_WAY_INLINE + (how & 3) % 3)};
    if (how >= 192) {
        r->output = (uint8_t)gf_input_below(in, 5);
        r->view.pitch = gf_input_size(in);
    }
    if (how >= 240) {
        r->way = gf_input_byte(in);
        r->step = (uint16_t)gf_input_size(in);
    }
    if (r->way != GF_WAY_INLINE || how >= 232)
        r->id = gf_input_below(in, 3);
    if (r->way == GF_WAY_ARENA) {
        r->offset = how & 8 ? gf_input_size(in) : 8u * gf_input_byte(in);
        r->length = gf_input_size(in);
    } else if (r->way == GF_WAY_HANDLE && how >= 224)
        r->offset = r->length = gf_input_byte(in);
}

static void build(struct gf_input *in, struct gf_program *p)
{
    static const char *const devices[] = {"auto", "cpu", "cuda:0", "cuda:all", "", "a b", "\xff", "GPU-1_2.3:4"};
    memset(p, 0, sizeof *p);
    uint8_t how = gf_input_byte(in);
    strcpy(p->device, devices[how % 8]);
    if (how >= 248)
        memset(p->device, 'x', sizeof p->device); /* no end */
    p->deadline_ms = how & 8 ? (uint32_t)gf_input_size(in) : 0;
    p->trace = how & 16;
    p->unfused = how & 32;
    p->n_operands = gf_input_below(in, 5);
    p->n_steps = gf_input_below(in, 5);
    p->n_results = gf_input_below(in, 5);
    for (uint32_t i = 0; i < p->n_operands; i++)
        take_operand(in, &p->operands[i]);
    for (uint32_t i = 0; i < p->n_steps; i++)
        take_step(in, &p->steps[i]);
    for (uint32_t i = 0; i < p->n_results; i++)
        take_result(in, &p->results[i]);
    if (how >= 240) /* more than the tables hold; nothing past the tables may be read */
        *(how & 1 ? &p->n_operands : how & 2 ? &p->n_steps : &p->n_results) = 65 + gf_input_byte(in);
}

static bool name_is_good(const char *name)
{
    size_t n = 0;
    for (; n <= GF_MAX_DEVICE_NAME && name[n] != '\0'; n++) {
        char c = name[n];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= ':') || c == '.' || c == '_' ||
              c == '-'))
            return false;
    }
    return n > 0 && n <= GF_MAX_DEVICE_NAME;
}

/* The bytes from the first sample to the end of the last one, for a valid view. */
static wide span(const struct gf_view *v)
{
    return (wide)(v->height - 1) * v->pitch + (wide)v->width * v->channels * gf_dtype_size(v->dtype);
}

static wide at_64(wide v)
{
    return (v + 63) / 64 * 64;
}

static bool operand_is_good(const struct gf_operand *o)
{
    if (gf_view_check(&o->view, "", NULL) != GF_OK || o->way < GF_WAY_INLINE || o->way > GF_WAY_HANDLE)
        return false;
    if (o->way == GF_WAY_HANDLE)
        return o->length == 0;
    if (o->length < span(&o->view) || (o->way == GF_WAY_INLINE && o->id != 0))
        return false;
    return o->way == GF_WAY_INLINE ||
           (o->offset % gf_dtype_size(o->view.dtype) == 0 && (wide)o->offset + o->length <= UINT64_MAX);
}

static bool ref_is_good(const struct gf_program *p, uint32_t at, uint32_t k)
{
    const struct gf_input_desc *input = &p->steps[at].op->inputs[k];
    struct gf_ref ref = p->steps[at].in[k];
    bool copied = input->kind == GF_INPUT_COEFS || input->kind == GF_INPUT_LIST;
    if (ref.from == GF_FROM_NOTHING)
        return input->optional && ref.output == 0 && ref.index == 0;
    if (ref.from == GF_FROM_STEP)
        return ref.index < at && ref.output < p->steps[ref.index].op->n_outputs && !copied;
    return ref.from == GF_FROM_OPERAND && ref.output == 0 && ref.index < p->n_operands &&
           !(copied && p->operands[ref.index].way == GF_WAY_HANDLE);
}

/* Also infers its outputs. */
static bool step_is_good(struct gf_program *p, uint32_t at, bool used[GF_MAX_OPERANDS])
{
    struct gf_step *s = &p->steps[at];
    struct gf_view views[GF_MAX_INPUTS] = {{0}};
    for (uint32_t k = 0; s->op != NULL && k < s->op->n_inputs; k++) {
        if (!ref_is_good(p, at, k))
            return false;
        struct gf_ref ref = s->in[k];
        if (ref.from == GF_FROM_OPERAND) {
            views[k] = p->operands[ref.index].view;
            used[ref.index] = true;
        } else if (ref.from == GF_FROM_STEP)
            views[k] = p->steps[ref.index].out[ref.output];
    }
    return s->op != NULL && gf_op_infer(s->op, views, s->op->n_inputs, &s->params, s->out, NULL) == GF_OK;
}

/* Fills in its view. */
static bool result_is_good(const struct gf_program *p, struct gf_result *r)
{
    if (r->step >= p->n_steps || r->output >= p->steps[r->step].op->n_outputs)
        return false;
    uint64_t pitch = r->view.pitch;
    r->view = p->steps[r->step].out[r->output];
    uint64_t row = r->view.pitch;
    if (pitch != 0)
        r->view.pitch = pitch;
    if (gf_view_check(&r->view, "", NULL) != GF_OK)
        return false;
    if (r->way == GF_WAY_HANDLE)
        return r->offset == 0 && r->length == 0 && r->view.pitch == row;
    if (r->way == GF_WAY_INLINE)
        return r->id == 0;
    return r->way == GF_WAY_ARENA && r->length >= span(&r->view) && r->offset % gf_dtype_size(r->view.dtype) == 0 &&
           (wide)r->offset + r->length <= UINT64_MAX;
}

static bool apart(uint64_t a, const struct gf_view *av, uint64_t b, const struct gf_view *bv)
{
    return (wide)a + span(av) <= b || (wide)b + span(bv) <= a;
}

/* Whether no written region of an arena overlaps another region. */
static bool regions_are_apart(const struct gf_program *p)
{
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_result *r = &p->results[i];
        for (uint32_t k = 0; k < p->n_operands; k++) {
            const struct gf_operand *o = &p->operands[k];
            if (r->way == GF_WAY_ARENA && o->way == GF_WAY_ARENA && r->id == o->id &&
                !apart(r->offset, &r->view, o->offset, &o->view))
                return false;
        }
        for (uint32_t k = 0; k < i; k++) {
            const struct gf_result *o = &p->results[k];
            if (r->way == GF_WAY_ARENA && o->way == GF_WAY_ARENA && r->id == o->id &&
                !apart(r->offset, &r->view, o->offset, &o->view))
                return false;
        }
    }
    return true;
}

/* Whether the program is one; completes it. */
static bool is_good(struct gf_program *p, wide *ret_in, wide *ret_out)
{
    bool used[GF_MAX_OPERANDS] = {false};
    *ret_in = *ret_out = 0;
    if (!name_is_good(p->device) || p->n_operands > 64 || p->n_steps < 1 || p->n_steps > 64 || p->n_results < 1 ||
        p->n_results > 64)
        return false;
    for (uint32_t i = 0; i < p->n_operands; i++) {
        struct gf_operand *o = &p->operands[i];
        if (!operand_is_good(o))
            return false;
        if (o->way != GF_WAY_INLINE)
            continue;
        *ret_in = at_64(*ret_in) + o->length;
        if (*ret_in > (wide)1 << 62)
            return false;
    }
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (!step_is_good(p, i, used))
            return false;
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (!used[i])
            return false;
    for (uint32_t i = 0; i < p->n_results; i++) {
        if (!result_is_good(p, &p->results[i]))
            return false;
        if (p->results[i].way == GF_WAY_INLINE)
            *ret_out = at_64(*ret_out) + span(&p->results[i].view);
    }
    return regions_are_apart(p);
}

/* Compares texts by their characters and all other parameters bit by bit. */
static bool same_params(const struct gf_step *a, const struct gf_step *b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->op->n_params; i++) {
        const void *x, *y;
        uint32_t n = gf_op_param_get(&a->op->params[i], &a->params, &x);
        same &= n == gf_op_param_get(&a->op->params[i], &b->params, &y) &&
                (n == 0 || memcmp(x, y, n * gf_op_param_size(&a->op->params[i])) == 0);
    }
    return same;
}

static void compare(const struct gf_program *a, const struct gf_program *b)
{
    must(strcmp(a->device, b->device) == 0 && a->deadline_ms == b->deadline_ms && a->trace == b->trace &&
         a->unfused == b->unfused);
    must(a->n_operands == b->n_operands && a->n_steps == b->n_steps && a->n_results == b->n_results);
    must(a->payload_in == b->payload_in && a->payload_out == b->payload_out);
    for (uint32_t i = 0; i < a->n_operands; i++) {
        const struct gf_operand *x = &a->operands[i], *y = &b->operands[i];
        must(x->way == y->way && x->id == y->id && x->offset == y->offset && x->length == y->length &&
             gf_view_same_shape(&x->view, &y->view) && x->view.pitch == y->view.pitch);
    }
    for (uint32_t i = 0; i < a->n_steps; i++) {
        const struct gf_step *x = &a->steps[i], *y = &b->steps[i];
        must(x->op == y->op && same_params(x, y));
        must(memcmp(x->in, y->in, x->op->n_inputs * sizeof x->in[0]) == 0);
        for (uint32_t k = 0; k < x->op->n_outputs; k++)
            must(gf_view_same_shape(&x->out[k], &y->out[k]));
    }
    for (uint32_t i = 0; i < a->n_results; i++) {
        const struct gf_result *x = &a->results[i], *y = &b->results[i];
        must(x->step == y->step && x->output == y->output && x->way == y->way && x->id == y->id &&
             x->offset == y->offset && x->length == y->length && x->view.pitch == y->view.pitch);
    }
}

static void through_the_wire(const struct gf_program *p)
{
    struct gf_writer w;
    struct gf_error err = {0};
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, p);
    must(gf_writer_finish(&w, GF_FRAME_RUN, 1, p->payload_in, 0));
    const uint8_t *body = frame + GF_HEADER_SIZE;
    size_t size = w.size - GF_HEADER_SIZE;
    must(gf_program_decode(body, size, p->payload_in, &decoded, NULL, &err) == GF_OK);
    compare(p, &decoded);
    must(gf_program_decode(body, size, p->payload_in + 1, &decoded, NULL, &err) == GF_E_BAD_REQUEST);
    must(gf_program_decode(body, size - 8, p->payload_in, &decoded, NULL, &err) != GF_OK); /* part of the last result */
}

/* As front and worker do it. */
static void fuse(struct gf_program *p, uint32_t threads, bool in_slabs)
{
    struct gf_footprint before, after;
    struct gf_fused fused;
    gf_footprint_find(p, threads, in_slabs, &before);
    gf_fuse(p, threads, in_slabs, &fused);
    gf_footprint_find(p, threads, in_slabs, &after);
    must(after.work <= before.work && after.copies == before.copies);
    must(after.work == fused.footprint.work && after.copies == fused.footprint.copies);
    for (uint32_t i = 0; i < p->n_results; i++)
        must(p->results[i].step < p->n_steps);
    gf_fused_deinit(&fused);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_input in = {data, size};
    struct gf_error err = {0};
    wide payload_in, payload_out;
    build(&in, &built);
    checked = built;
    bool good = is_good(&built, &payload_in, &payload_out);
    enum gf_status status = gf_program_check(&checked, true, &err);
    must(good == (status == GF_OK));
    if (!good) {
        must(err.status == status && err.text[0] != '\0');
        return 0;
    }
    must(checked.payload_in == payload_in && checked.payload_out == payload_out);
    through_the_wire(&checked);
    fuse(&checked, (uint32_t)(size % 9), size % 2 == 0);
    return 0;
}
