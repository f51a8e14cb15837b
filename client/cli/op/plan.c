/* SPDX-License-Identifier: MIT */
/* Describes an operation with its parameters resolved; called under --explain by cmd_op.c and pipe_report.c. */
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define KEY_WIDTH 15

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

static void add_params(struct gf_plan *plan, const struct gf_op_call *call)
{
    for (uint32_t i = 0; i < call->op->n_params; i++) {
        const struct gf_param_desc *param = &call->op->params[i];
        char text[128];
        gf_op_param_text(param, &call->params, text, sizeof(text));
        add(plan, param->name, gf_op_param_is_default(param, &call->params) ? " (default)" : "", "%s",
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

/* The first mask of the call, NULL where the operation has none. */
static const struct gf_coefs *mask_of(const struct gf_op_call *call)
{
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (call->coefs[i].data)
            return &call->coefs[i];
    return NULL;
}

static void add_gaussian_taps(struct gf_plan *plan, const union gf_params *params)
{
    const struct gf_gaussian_params *p = &params->gaussian;
    uint32_t x = gf_gaussian_radius(GF_PICK(p->sigma, 0), p->truncate);
    uint32_t y = gf_gaussian_radius(GF_PICK(p->sigma, 1), p->truncate);
    add(plan, "taps", "", "%" PRIu64 " along rows, then %" PRIu64 " along columns (radius %" PRIu32 ", %" PRIu32 ")",
        2 * (uint64_t)x + 1, 2 * (uint64_t)y + 1, x, y);
}

static void add_box_taps(struct gf_plan *plan, const union gf_params *params)
{
    const struct gf_box_params *p = &params->box;
    add(plan, "taps", "", "the mean of %" PRIu32 "x%" PRIu32 " pixels", GF_PICK(p->size, 0), GF_PICK(p->size, 1));
}

/* Operations whose taps follow from parameters; those with a mask show the mask. */
static void (*const add_taps[GF_N_OPS])(struct gf_plan *plan, const union gf_params *params) = {
    [GF_INDEX_gaussian] = add_gaussian_taps,
    [GF_INDEX_box] = add_box_taps,
};

/* Operations without a mask whose results are weighted means. */
static const bool is_mean[GF_N_OPS] = {
    [GF_INDEX_gaussian] = true, [GF_INDEX_box] = true, [GF_INDEX_sharpen] = true, [GF_INDEX_unsharp] = true};

/* docs/numerics.md, section 2. */
static void add_alpha_rule(struct gf_plan *plan, const struct gf_op_call *call, const struct gf_view *in,
                           const struct gf_view *out)
{
    const struct gf_param_desc *param = gf_op_param(call->op, "alpha");
    const struct gf_coefs *mask = mask_of(call);
    uint32_t alpha;
    if (!param || param->e != GF_ENUM_ALPHA)
        return;
    memcpy(&alpha, (const char *)&call->params + param->offset, sizeof(alpha));
    if (in->channels % 2 != 0) {
        add(plan, "alpha_rule", "", "no effect: pictures of 1 or 3 channels have no alpha");
        return;
    }
    bool mean = mask ? sum_of(mask) > 0 : is_mean[call->op->index];
    const char *why = "as asked";
    if (alpha == GF_ALPHA_AUTO) {
        if (in->dtype != out->dtype)
            why = "the result has another type";
        else if (mask)
            why = mean ? "the mask's sum is above 0" : "the mask's sum is not above 0";
        else
            why = mean ? "a weighted mean" : "no weighted mean";
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
        add(plan, "rounding", "", "once, to the nearest f16, ties to even; beyond 65504 infinite");
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

/* What follows from the parameters. */
static void add_meaning(struct gf_plan *plan, const struct gf_op_call *call, const struct gf_view *in,
                        const struct gf_view *out)
{
    char sum[GF_NUMBER_TEXT];
    add_params(plan, call);
    const struct gf_coefs *mask = mask_of(call);
    if (mask)
        add(plan, "mask", "", "%" PRIu64 "x%" PRIu64 " coefficients, sum %s", mask->view.width, mask->view.height,
            gf_text_from_f32((float)sum_of(mask), sum, sizeof(sum)));
    if (add_taps[call->op->index])
        add_taps[call->op->index](plan, &call->params);
    add_alpha_rule(plan, call, in, out);
    add_rounding(plan, out);
}

void gf_plan_init(struct gf_plan *plan, const struct gf_op_call *call, const char *device, const struct gf_view *in,
                  const struct gf_view *out)
{
    char text[64];
    plan->n = 0;
    add(plan, "operation", "", "%s: %s", call->op->name, call->op->help);
    add(plan, "device", device ? "" : " (default)", "%s", device ? device : "auto: the daemon chooses");
    add(plan, "input", "", "%s", gf_view_text(in, text, sizeof(text)));
    add(plan, "result", "", "%s", gf_view_text(out, text, sizeof(text)));
    add_meaning(plan, call, in, out);
}

void gf_plan_step_init(struct gf_plan *plan, uint32_t step, const struct gf_op_call *call,
                       const struct gf_plan_input *in, const struct gf_view *out)
{
    char text[64], key[40];
    plan->n = 0;
    add(plan, "step", "", "%" PRIu32, step + 1);
    add(plan, "operation", "", "%s: %s", call->op->name, call->op->help);
    for (uint32_t i = 0; i < call->op->n_inputs; i++) {
        if (!gf_view_given(&in[i].view))
            continue;
        snprintf(key, sizeof(key), i == 0 ? "input" : "input_%s", call->op->inputs[i].name);
        add(plan, key, "", "%s: %s", in[i].from, gf_view_text(&in[i].view, text, sizeof(text)));
    }
    for (uint32_t i = 0; i < call->op->n_outputs; i++) {
        snprintf(key, sizeof(key), i == 0 ? "result" : "result_%s", call->op->outputs[i].name);
        add(plan, key, "", "%s", gf_view_text(&out[i], text, sizeof(text)));
    }
    add_meaning(plan, call, &in[0].view, &out[0]);
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

void gf_plan_print_run(const gpufilter_times *times, FILE *out)
{
    fprintf(out, "%-*s%s\n", KEY_WIDTH, "ran_on", times->device);
    if (times->why[0])
        fprintf(out, "%-*s%s\n", KEY_WIDTH, "why", times->why);
    fprintf(out, "%-*squeue %.3f, copy in %.3f, kernel %.3f, copy out %.3f, daemon in all %.3f ms\n", KEY_WIDTH,
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
