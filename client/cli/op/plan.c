/* SPDX-License-Identifier: MIT */
/* Describes an operation with all parameters resolved; see op_report.h. */
#include "op_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "client/io/input.h"
#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/gaussian.h"
#include "protocol/ops/params/resize.h"

#define KEY_WIDTH 15

/* The source of an input of a step. */
struct plan_input {
    struct gf_view view; /* empty: left out, or not to be described */
    char from[128];      /* "step 1 (gaussian)", or a file */
};

struct plan_step {
    const struct gf_op *op;
    const union gf_params *params;
    const struct gf_coefs *mask; /* NULL: none */
    bool open_alpha;             /* the parameter alpha follows the data */
    struct plan_input in[GF_MAX_INPUTS];
    const struct gf_view *out;
};

static void add(struct gf_plan *plan, const char *key, const char *note, const char *fmt, ...) gf_printf(4, 5);

static void add(struct gf_plan *plan, const char *key, const char *note, const char *fmt, ...)
{
    va_list args;
    if (plan->n == GF_PLAN_ROWS)
        return;
    snprintf(plan->rows[plan->n].key, sizeof(plan->rows[0].key), "%s", key);
    plan->rows[plan->n].note = note;
    va_start(args, fmt);
    vsnprintf(plan->rows[plan->n].text, sizeof(plan->rows[0].text), fmt, args);
    va_end(args);
    plan->n++;
}

static void add_params(struct gf_plan *plan, const struct gf_op *op, const union gf_params *params)
{
    for (uint32_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *param = &op->params[i];
        char text[128];
        gf_op_param_text(param, params, text, sizeof(text));
        add(plan, param->name, gf_op_param_is_default(param, params) ? " (default)" : "", "%s",
            text[0] ? text : "not given");
    }
}

static double sum_of(const struct gf_coefs *coefs)
{
    double sum = 0;
    for (uint64_t i = 0; i < coefs->view.width * coefs->view.height; i++)
        sum += (double)coefs->data[i];
    return sum;
}

static void add_gaussian_taps(struct gf_plan *plan, const union gf_params *params)
{
    const struct gf_gaussian_params p = gf_gaussian_params_get(params);
    uint32_t x = gf_gaussian_radius(GF_PICK(p.sigma, 0), p.truncate);
    uint32_t y = gf_gaussian_radius(GF_PICK(p.sigma, 1), p.truncate);
    add(plan, "taps", "", "%" PRIu64 " along rows, then %" PRIu64 " along columns (radius %" PRIu32 ", %" PRIu32 ")",
        2 * (uint64_t)x + 1, 2 * (uint64_t)y + 1, x, y);
}

static void add_box_taps(struct gf_plan *plan, const union gf_params *params)
{
    const struct gf_box_params p = gf_box_params_get(params);
    add(plan, "taps", "", "the mean of %" PRIu32 "x%" PRIu32 " pixels", GF_PICK(p.size, 0), GF_PICK(p.size, 1));
}

/* Operations whose taps follow from their parameters. Operations with a mask show the mask. */
static void (*const add_taps[GF_N_OPS])(struct gf_plan *plan, const union gf_params *params) = {
    [GF_INDEX_gaussian] = add_gaussian_taps,
    [GF_INDEX_box] = add_box_taps,
};

/* Operations without a mask whose results are weighted means. */
static const bool is_mean[GF_N_OPS] = {[GF_INDEX_gaussian] = true, [GF_INDEX_box] = true,    [GF_INDEX_sharpen] = true,
                                       [GF_INDEX_unsharp] = true,  [GF_INDEX_resize] = true, [GF_INDEX_pyramid] = true};

/* The rules of docs/numerics.md, "Alpha". */
static void add_alpha_rule(struct gf_plan *plan, const struct plan_step *step)
{
    const struct gf_view *in = &step->in[0].view, *out = &step->out[0];
    const struct gf_param_desc *param = gf_op_param(step->op, "alpha");
    const struct gf_coefs *mask = step->mask;
    uint32_t alpha;
    if (!param || param->e != GF_ENUM_ALPHA)
        return;
    memcpy(&alpha, (const char *)step->params + param->offset, sizeof(alpha));
    if (in->channels % 2 != 0) {
        add(plan, "alpha_rule", "", "no effect: pictures of 1 or 3 channels have no alpha");
        return;
    }
    if (step->op->index == GF_INDEX_resize && gf_resize_params_get(step->params).filter == GF_RESIZE_NEAREST) {
        add(plan, "alpha_rule", "", "no effect: filter=nearest moves whole pixels");
        return;
    }
    bool mean = mask ? sum_of(mask) > 0 : is_mean[step->op->index];
    const char *why = step->open_alpha ? "the data have no alpha" : "as asked";
    if (alpha == GF_ALPHA_AUTO) {
        if (in->dtype != out->dtype)
            why = "the result has another type";
        else if (mask)
            why = mean ? "the mask's sum is above 0" : "the mask's sum is not above 0";
        else
            why = mean ? "a weighted mean" : "not a weighted mean";
        alpha = mean && in->dtype == out->dtype ? GF_ALPHA_PREMULTIPLIED : GF_ALPHA_IGNORE;
    }
    add(plan, "alpha_rule", "", "%s: %s", gf_enum_word(GF_ENUM_ALPHA, alpha), why);
}

static void add_rounding(struct gf_plan *plan, const struct gf_view *out)
{
    switch ((enum gf_dtype)out->dtype) {
    case GF_F32:
        add(plan, "rounding", "", "none beyond that of f32");
        break;
    case GF_F16:
        add(plan, "rounding", "", "once, to the nearest f16, ties to even; infinite beyond 65504");
        break;
    case GF_U8:
        add(plan, "rounding", "", "once, to the nearest, ties to even, limited to 0..255");
        break;
    case GF_U16:
        add(plan, "rounding", "", "once, to the nearest, ties to even, limited to 0..65535");
        break;
    case GF_I16:
        add(plan, "rounding", "", "once, to the nearest, ties to even, limited to -32768..32767");
        break;
    case GF_I8:
    case GF_U32:
    case GF_I32:
    case GF_U64:
    case GF_I64:
    case GF_F64:
        break;
    }
}

/* Adds what follows from the parameters. */
static void add_meaning(struct gf_plan *plan, const struct plan_step *step)
{
    char sum[GF_NUMBER_TEXT];
    const struct gf_coefs *mask = step->mask;
    add_params(plan, step->op, step->params);
    if (mask)
        add(plan, "mask", "", "%" PRIu64 "x%" PRIu64 " coefficients, sum %s", mask->view.width, mask->view.height,
            gf_text_from_f32((float)sum_of(mask), sum, sizeof(sum)));
    if (add_taps[step->op->index])
        add_taps[step->op->index](plan, step->params);
    add_alpha_rule(plan, step);
    add_rounding(plan, &step->out[0]);
}

/* Finds the source of an input. Its view is empty if there is no input, or none to be described. */
static struct plan_input input_of(const struct gf_pipe *p, uint32_t step, uint32_t input)
{
    char giver[GF_STEP_TEXT];
    struct plan_input in = {.from = ""};
    struct gf_ref ref = p->program.steps[step].in[input];
    if (p->program.steps[step].op->inputs[input].kind == GF_INPUT_COEFS)
        return in;
    in.view = gf_pipe_input(p, step, input);
    if (ref.from == GF_FROM_OPERAND && p->operands[ref.index].path)
        snprintf(in.from, sizeof(in.from), "%s", gf_input_name(p->operands[ref.index].path));
    if (ref.from != GF_FROM_STEP)
        return in;
    const struct gf_op *op = p->program.steps[ref.index].op;
    gf_step_text(ref.index, op, giver, sizeof(giver));
    snprintf(in.from, sizeof(in.from), "%s%s%s", giver, ref.output > 0 ? " " : "",
             ref.output > 0 ? op->outputs[ref.output].name : "");
    return in;
}

/* The mask of a step; NULL: none. */
static const struct gf_coefs *mask_of(const struct gf_pipe *p, uint32_t step)
{
    const struct gf_step *s = &p->program.steps[step];
    for (uint32_t i = 0; i < s->op->n_inputs; i++)
        if (s->in[i].from == GF_FROM_OPERAND && p->operands[s->in[i].index].mask.data)
            return &p->operands[s->in[i].index].mask;
    return NULL;
}

static struct plan_step step_of(const struct gf_pipe *p, uint32_t i)
{
    const struct gf_step *s = &p->program.steps[i];
    struct plan_step step = {.op = s->op,
                             .params = i == 0 && p->is_changed ? &p->asked : &s->params,
                             .mask = mask_of(p, i),
                             .open_alpha = (p->open_alpha >> i & 1) != 0,
                             .out = s->out};
    for (uint32_t k = 0; k < s->op->n_inputs; k++)
        step.in[k] = input_of(p, i, k);
    return step;
}

void gf_plan_init(struct gf_plan *plan, const struct gf_pipe *p, const char *device)
{
    char text[64];
    struct plan_step step = step_of(p, 0);
    struct gf_view out = step.out[0];
    if (p->n_targets > 0 && p->targets[0].fit.dtype)
        out = gf_view_tight(p->targets[0].fit.dtype, out.width, out.height, out.channels);
    plan->n = 0;
    add(plan, "operation", "", "%s: %s", step.op->name, gf_help_text(step.op->help));
    add(plan, "device", device ? "" : " (default)", "%s", device ? device : "auto: the daemon chooses");
    add(plan, "input", "", "%s", gf_view_text(&step.in[0].view, text, sizeof(text)));
    add(plan, "result", "", "%s", gf_view_text(&out, text, sizeof(text)));
    step.out = &out;
    add_meaning(plan, &step);
}

void gf_plan_step_init(struct gf_plan *plan, const struct gf_pipe *p, uint32_t i)
{
    char text[64], key[40];
    const struct plan_step step = step_of(p, i);
    plan->n = 0;
    add(plan, "step", "", "%" PRIu32, i + 1);
    add(plan, "operation", "", "%s: %s", step.op->name, gf_help_text(step.op->help));
    for (uint32_t k = 0; k < step.op->n_inputs; k++) {
        if (!gf_view_given(&step.in[k].view))
            continue;
        snprintf(key, sizeof(key), k == 0 ? "input" : "input_%s", step.op->inputs[k].name);
        add(plan, key, "", "%s: %s", step.in[k].from, gf_view_text(&step.in[k].view, text, sizeof(text)));
    }
    for (uint32_t k = 0; k < step.op->n_outputs; k++) {
        snprintf(key, sizeof(key), k == 0 ? "result" : "result_%s", step.op->outputs[k].name);
        add(plan, key, "", "%s", gf_view_text(&step.out[k], text, sizeof(text)));
    }
    add_meaning(plan, &step);
}

void gf_plan_print(const struct gf_plan *plan, FILE *out)
{
    for (size_t i = 0; i < plan->n; i++)
        fprintf(out, "%-*s%s%s\n", KEY_WIDTH, plan->rows[i].key, plan->rows[i].text, plan->rows[i].note);
}

void gf_plan_print_device(const char *device, FILE *out)
{
    fprintf(out, "%-*s%s\n", KEY_WIDTH, "device", device ? device : "auto: the daemon chooses (default)");
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

void gf_plan_print_run(const struct gf_pipe *p, FILE *out)
{
    const gpufilter_times *times = &p->times;
    if (p->request_name[0])
        fprintf(out, "%-*s%s\n", KEY_WIDTH, "request", p->request_name);
    fprintf(out, "%-*s%s\n", KEY_WIDTH, "ran_on", times->device);
    if (times->why[0])
        fprintf(out, "%-*s%s\n", KEY_WIDTH, "why", times->why);
    fprintf(out, "%-*squeue %.3f, copy in %.3f, kernel %.3f, copy out %.3f, daemon total %.3f ms\n", KEY_WIDTH,
            "stages", ms(times->queue_ns), ms(times->copy_in_ns), ms(times->kernel_ns), ms(times->copy_out_ns),
            ms(times->total_ns));
}

void gf_plan_json(const struct gf_plan *plan, const char *key, struct gf_json *json)
{
    gf_json_object(json, key);
    for (size_t i = 0; i < plan->n; i++)
        gf_json_text(json, plan->rows[i].key, plan->rows[i].text);
    gf_json_object_end(json);
}
