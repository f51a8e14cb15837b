/* SPDX-License-Identifier: MIT */
/* The distance at which steps and programs read their inputs; see reach.h. Finds parameters by name and knows no op by
 * name. */
#include "reach.h"

#include <string.h>

#include "enums.h"
#include "op_codec.h"
#include "op_shapes.h"
#include "outputs_geometry.h"
#include "protocol/base/base.h"
#include "texts/expression.h"
#include "texts/operator.h"

static const struct gf_axis_reach every = {.before = GF_REACH_EVERY, .after = GF_REACH_EVERY};

/* Copies parameter `name` of a step, which must have it. */
static void read_param(const struct gf_step *step, const char *name, size_t size, void *ret_value)
{
    memcpy(ret_value, (const char *)&step->params + gf_op_param(step->op, name)->offset, size);
}

static struct gf_u32v vector_of(const struct gf_step *step, const char *name)
{
    struct gf_u32v value;
    read_param(step, name, sizeof(value), &value);
    return value;
}

/* The value of a parameter that is a word of enum `e`; `absent` if the op has none. */
static uint32_t word_of(const struct gf_step *step, const char *name, uint32_t e, uint32_t absent)
{
    const struct gf_param_desc *param = gf_op_param(step->op, name);
    uint32_t value = absent;
    if (param != NULL && param->e == e)
        memcpy(&value, (const char *)&step->params + param->offset, sizeof(value));
    return value;
}

static bool is_given(const struct gf_step *step, const char *name)
{
    const struct gf_param_desc *param = gf_op_param(step->op, name);
    const void *values;
    return param != NULL && gf_op_param_get(param, &step->params, &values) > 0;
}

/* The reach of `taps` taps, with tap `anchor` over the pixel. A reflecting border makes pixels on one side depend on
 * equally distant ones on the other. */
static struct gf_axis_reach of_taps(uint64_t taps, uint64_t anchor, uint32_t border)
{
    struct gf_axis_reach s = {.before = anchor, .after = taps - 1 - anchor};
    uint64_t edge = border == GF_BORDER_REFLECT ? 1 : 0, before = s.before, after = s.after;
    s.wrap = border == GF_BORDER_WRAP && taps > 1;
    if (border == GF_BORDER_REFLECT || border == GF_BORDER_REFLECT101) {
        s.after = gf_max_u64(after, before > edge ? before - edge : 0);
        s.before = gf_max_u64(before, after > edge ? after - edge : 0);
    }
    return s;
}

/* The origin of a mask of `taps` taps in the order of correlation. */
static uint64_t origin_of(const struct gf_step *step, uint64_t taps, uint64_t anchor)
{
    bool turned = step->op->reach == GF_REACH_MASK_ROTATED || step->op->reach == GF_REACH_KERNEL_REVERSED;
    return turned ? taps - 1 - anchor : anchor;
}

static struct gf_axis_reach mask_span(const struct gf_step *step, const struct gf_view *in, uint32_t axis)
{
    uint32_t border = word_of(step, "border", GF_ENUM_BORDER, GF_BORDER_REPLICATE);
    if (step->op->work.kind == GF_WORK_SEPARABLE) {
        uint64_t taps = gf_separable_taps(step->op, &step->params, axis);
        return of_taps(taps, taps / 2, border);
    }
    if (step->op->work.kind == GF_WORK_DISC) {
        uint64_t radius = gf_bilateral_radius(&step->params);
        return of_taps(2 * radius + 1, radius, border);
    }
    if (step->op->work.kind == GF_WORK_BOX || step->op->work.kind == GF_WORK_WINDOW) {
        uint64_t taps = GF_PICK(vector_of(step, "size"), axis);
        return of_taps(taps, taps / 2, border);
    }
    if (step->op->work.kind != GF_WORK_MASK)
        return of_taps(3, 1, border);
    const struct gf_u32v anchor = vector_of(step, "anchor");
    uint64_t taps = axis == GF_X ? in[1].width : in[1].height;
    if (word_of(step, "size", GF_ENUM_SIZE, GF_SIZE_SAME) == GF_SIZE_VALID)
        return (struct gf_axis_reach){.after = taps - 1};
    return of_taps(taps, origin_of(step, taps, anchor.n > 0 ? anchor.v[axis] : taps / 2), border);
}

/* The reach grows with each pass. */
static struct gf_axis_reach element_span(const struct gf_step *step, const struct gf_view *in, uint32_t axis)
{
    const struct gf_u32v anchor = vector_of(step, "anchor");
    uint64_t taps = gf_element_side(step->op, &step->params, &in[1], axis);
    uint32_t iterations;
    read_param(step, "iterations", sizeof(iterations), &iterations);
    uint64_t passes = iterations;
    struct gf_axis_reach s = of_taps(taps, anchor.n > 0 ? anchor.v[axis] : taps / 2,
                                     word_of(step, "border", GF_ENUM_BORDER, GF_BORDER_REPLICATE));
    passes *= step->op->reach == GF_REACH_ELEMENT_TWICE ? 2 : 1;
    s.before *= passes;
    s.after *= passes;
    return s;
}

static struct gf_axis_reach kernel_span(const struct gf_step *step, const struct gf_view *in)
{
    const struct gf_u32v anchor = vector_of(step, "anchor");
    uint64_t taps = in[1].width;
    switch (word_of(step, "mode", GF_ENUM_CONVOLUTION, GF_CONVOLUTION_SAME)) {
    case GF_CONVOLUTION_VALID:
        return (struct gf_axis_reach){.after = taps - 1};
    case GF_CONVOLUTION_FULL:
        return (struct gf_axis_reach){.before = taps - 1};
    default:
        return of_taps(taps, origin_of(step, taps, anchor.n > 0 ? anchor.v[0] : taps / 2),
                       word_of(step, "border", GF_ENUM_BORDER, GF_BORDER_REPLICATE));
    }
}

/* Whether a step that moves pixels leaves them in place along an axis, in the picture as in every tile. A window of a
 * given size would be wrong for a tile. */
static bool stays(const struct gf_step *step, uint32_t axis)
{
    if (gf_op_param(step->op, "margin") != NULL) {
        const struct gf_u32v margin = vector_of(step, "margin");
        struct gf_margin m = gf_margin_of(&margin);
        return axis == GF_X ? m.left == 0 && m.right == 0 : m.top == 0 && m.bottom == 0;
    }
    if (gf_op_param(step->op, "at") != NULL)
        return !is_given(step, "size") && GF_PICK(vector_of(step, "at"), axis) == 0;
    return word_of(step, "axis", GF_ENUM_FLIP, GF_FLIP_BOTH) == (axis == GF_X ? GF_FLIP_Y : GF_FLIP_X);
}

/* Coordinates and sides are those of the whole picture. If a side is large, coordinates have a different type, which
 * depends on both sides. */
static void places_reach(const struct gf_view *in, const struct gf_expr *expr, struct gf_reach *ret)
{
    const uint32_t across = 1u << GF_EXPR_X | 1u << GF_EXPR_W, down = 1u << GF_EXPR_Y | 1u << GF_EXPR_H;
    uint32_t uses = expr->uses & (across | down);
    bool large = uses != 0 && gf_expr_is_large(in);
    if (large || (uses & across) != 0)
        ret->axes[GF_X] = every;
    if (large || (uses & down) != 0)
        ret->axes[GF_Y] = every;
}

static void expression_reach(const struct gf_step *step, const struct gf_view *in, struct gf_reach *ret)
{
    struct gf_expr expr;
    if (gf_step_expr(step, in, false, &expr, NULL) == GF_OK)
        places_reach(in, &expr, ret);
    else
        ret->axes[GF_X] = ret->axes[GF_Y] = every;
}

static void operator_reach(const struct gf_step *step, const struct gf_view *in, struct gf_reach *ret)
{
    struct gf_operator user;
    if (gf_operator_of_step(step->op, in, &step->params, &user, NULL) == GF_OK)
        places_reach(in, &user.lift, ret);
    else
        ret->axes[GF_X] = ret->axes[GF_Y] = every;
}

void gf_step_reach(const struct gf_step *step, const struct gf_view *in, struct gf_reach *ret)
{
    uint32_t along = word_of(step, "axis", GF_ENUM_AXIS, GF_AXIS_ROWS);
    *ret = (struct gf_reach){0};
    switch ((enum gf_reach_rule)step->op->reach) {
    case GF_REACH_NONE:
        return;
    case GF_REACH_VALUE:
        if (is_given(step, "value"))
            return;
        break;
    case GF_REACH_MASK:
    case GF_REACH_MASK_ROTATED:
        for (uint32_t axis = 0; axis < GF_N_AXES; axis++)
            ret->axes[axis] = mask_span(step, in, axis);
        return;
    case GF_REACH_ELEMENT:
    case GF_REACH_ELEMENT_TWICE:
        for (uint32_t axis = 0; axis < GF_N_AXES; axis++)
            ret->axes[axis] = element_span(step, in, axis);
        return;
    case GF_REACH_KERNEL:
    case GF_REACH_KERNEL_REVERSED:
        ret->axes[along == GF_AXIS_COLS ? GF_Y : GF_X] = kernel_span(step, in);
        return;
    case GF_REACH_SEQUENCE:
        if (along != GF_AXIS_COLS)
            ret->axes[GF_X] = every;
        if (along != GF_AXIS_ROWS)
            ret->axes[GF_Y] = every;
        if (gf_operator_is_used(step->op, &step->params))
            operator_reach(step, in, ret);
        return;
    case GF_REACH_PLACE:
        for (uint32_t axis = 0; axis < GF_N_AXES; axis++)
            if (!stays(step, axis))
                ret->axes[axis] = every;
        return;
    case GF_REACH_TEMPLATE:
        ret->axes[GF_X].after = in[1].width - 1;
        ret->axes[GF_Y].after = in[1].height - 1;
        return;
    case GF_REACH_EXPRESSION:
        expression_reach(step, in, ret);
        return;
    case GF_REACH_ALL:
        break;
    }
    ret->axes[GF_X] = ret->axes[GF_Y] = every;
}

bool gf_output_is_of_all(const struct gf_op *op, uint32_t output)
{
    return op->reach == GF_REACH_TEMPLATE && op->outputs[output].shape == GF_SHAPE_TABLE;
}

bool gf_input_is_cut(const struct gf_op *op, uint32_t input)
{
    uint32_t kind = op->inputs[input].kind;
    if (op->reach == GF_REACH_TEMPLATE)
        return input == 0;
    return input == 0 || kind == GF_INPUT_IMAGE || kind == GF_INPUT_BUFFER;
}

/* The part of an operand or of a step's output that is needed. */
struct need {
    bool cut, whole; /* cut: a part is enough; whole: all of it is needed for any tile */
    struct gf_reach reach;
};

/* The borders along an axis that the cut inputs meet. */
struct borders {
    bool uneven; /* results differ in length, so a tile of one has no room for a mask of another */
    bool wrap, other;
    bool shifted; /* wrap occurs with more than one length, one of them `period` */
    uint64_t period;
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t total;
    return gf_add_u64(a, b, &total) ? total : GF_REACH_EVERY;
}

static void add_need(struct need *need, const struct gf_reach *later, const struct gf_reach *own)
{
    need->cut = true;
    for (uint32_t axis = 0; axis < GF_N_AXES; axis++) {
        struct gf_axis_reach *s = &need->reach.axes[axis];
        s->before = gf_max_u64(s->before, sum(later->axes[axis].before, own->axes[axis].before));
        s->after = gf_max_u64(s->after, sum(later->axes[axis].after, own->axes[axis].after));
    }
}

static uint64_t length_of(const struct gf_view *view, uint32_t axis)
{
    return axis == GF_X ? view->width : view->height;
}

/* A border matters if a mask reaches beyond its picture; a result that ends before that meets no border. */
static void note_border(struct borders *b, const struct gf_step *step, const struct gf_reach *own,
                        const struct gf_view *in)
{
    for (uint32_t axis = 0; axis < GF_N_AXES; axis++) {
        const struct gf_axis_reach *s = &own->axes[axis];
        uint64_t length = length_of(in, axis);
        if (s->wrap) {
            b[axis].shifted |= b[axis].wrap && b[axis].period != length;
            b[axis].wrap = true;
            b[axis].period = length;
        } else if (s->before > 0 || s->after > 0) {
            b[axis].other |= length_of(&step->out[0], axis) >= length;
        }
    }
}

/* Notes a result, or an unused output, which must be computable in a tile too. */
static void note_end(struct borders *b, const struct gf_program *p, const struct gf_step *step, uint32_t output)
{
    const struct gf_result *first = &p->results[0];
    const struct gf_view *result = &p->steps[first->step].out[first->output];
    bool of_all = gf_output_is_of_all(step->op, output);
    for (uint32_t axis = 0; axis < GF_N_AXES; axis++)
        b[axis].uneven |= of_all || length_of(&step->out[output], axis) != length_of(result, axis);
}

/* Passes what is needed of step i on to its inputs. */
static void hand_on(const struct gf_program *p, uint32_t i, struct need *steps, struct need *operands,
                    struct borders *borders)
{
    const struct gf_step *step = &p->steps[i];
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    struct gf_reach own;
    for (uint32_t k = 0; k < step->op->n_inputs; k++)
        in[k] = *gf_program_input_view(p, step->in[k]);
    gf_step_reach(step, in, &own);
    if (!steps[i].cut && !steps[i].whole) {
        steps[i].cut = true;
        note_end(borders, p, step, 0);
    }
    if (steps[i].cut)
        note_border(borders, step, &own, &in[0]);
    for (uint32_t k = 0; k < step->op->n_inputs; k++) {
        const struct gf_ref *ref = &step->in[k];
        if (ref->from == GF_FROM_NOTHING)
            continue;
        if (ref->from == GF_FROM_STEP && gf_output_is_of_all(p->steps[ref->index].op, ref->output))
            note_end(borders, p, &p->steps[ref->index], ref->output);
        struct need *need = ref->from == GF_FROM_STEP ? &steps[ref->index] : &operands[ref->index];
        if (steps[i].cut && gf_input_is_cut(step->op, k))
            add_need(need, &steps[i].reach, &own);
        need->whole |= steps[i].whole || (steps[i].cut && !gf_input_is_cut(step->op, k));
    }
}

void gf_program_reach(const struct gf_program *p, struct gf_reach *ret, uint64_t *ret_cut)
{
    struct need steps[GF_MAX_STEPS] = {0}, operands[GF_MAX_OPERANDS] = {0}, all = {0};
    struct borders borders[GF_N_AXES] = {{0}};
    const struct gf_reach none = {0};
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_result *r = &p->results[i];
        steps[r->step].cut = true;
        note_end(borders, p, &p->steps[r->step], r->output);
    }
    for (uint32_t i = p->n_steps; i > 0; i--)
        hand_on(p, i - 1, steps, operands, borders);
    *ret_cut = 0;
    for (uint32_t i = 0; i < p->n_operands; i++) {
        if (!operands[i].cut)
            continue;
        *ret_cut |= UINT64_C(1) << i;
        add_need(&all, &operands[i].reach, &none);
        for (uint32_t axis = 0; axis < GF_N_AXES; axis++) {
            if (operands[i].whole)
                all.reach.axes[axis] = every;
            borders[axis].shifted |= borders[axis].period != length_of(&p->operands[i].view, axis);
        }
    }
    for (uint32_t axis = 0; axis < GF_N_AXES; axis++) {
        struct gf_axis_reach *s = &all.reach.axes[axis];
        const struct borders *b = &borders[axis];
        if (s->before == GF_REACH_EVERY || s->after == GF_REACH_EVERY || b->uneven ||
            (b->wrap && (b->other || b->shifted)))
            *s = every;
        else
            s->wrap = b->wrap;
    }
    *ret = all.reach;
}
