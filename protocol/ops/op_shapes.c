/* SPDX-License-Identifier: MIT */
/* gf_op_infer: checks inputs against the descriptor, then computes the output shapes. Knows no op by name. */
#include "op_shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "enums.h"
#include "op_outputs.h"

/* The function that infers an op's outputs; NULL if the rule of output 0 is enough. */
/* clang-format off */
#define ROW_CHANNELS(op) gf_outputs_##op
#define ROW_OWN(op) gf_outputs_##op
#define ROW_TABLE(op) gf_outputs_##op
#define ROW_COUNTED(op) gf_outputs_##op
#define ROW_SAME_SHAPE(op) NULL
#define ROW_FILTER(op) NULL
#define ROW_BRIGHTNESS(op) NULL
#define GF_OUT(op, index, name, shape, dtype, help) [GF_INDEX_##op][index] = ROW_##shape(op),
static gf_outputs_fn *const outputs[GF_N_OPS][GF_MAX_OUTPUTS] = {
#define GF_OUTLINE
#include "ops.def"
};
/* clang-format on */

/* Writes a hint such as "; map dtype=f32 converts", which names the step that converts `dtype` to an allowed type. map
 * does not take the types of arrays. */
static const char *conversion(uint32_t dtype, uint32_t allowed, char *text, size_t size)
{
    static const uint32_t order[] = {GF_F32, GF_U16, GF_U8, GF_I16};
    uint32_t to = 0;
    for (size_t i = GF_ARRAY_LEN(order); i > 0; i--)
        to = (allowed & GF_DT(order[i - 1])) != 0 ? order[i - 1] : to;
    text[0] = '\0';
    if (to != 0 && (GF_DT(dtype) & GF_DT_SAMPLES) == 0)
        snprintf(text, size, "; expr expression=a dtype=%s converts", gf_dtype_word(to));
    else if (to != 0)
        snprintf(text, size, "; map dtype=%s%s converts", gf_dtype_word(to),
                 gf_dtype_kind(dtype) == GF_KIND_FLOAT && (to == GF_U8 || to == GF_U16) ? " range=full" : "");
    return text;
}

/* Checks a view as an input, which messages call `what`. */
static enum gf_status check_view(const struct gf_input_desc *input, const struct gf_view *v, const char *what,
                                 struct gf_error *err)
{
    char set[GF_DTYPES_TEXT], step[64];
    enum gf_status status = gf_view_check(v, what, err);
    if (status != GF_OK)
        return status;
    if ((GF_DT(v->dtype) & input->dtypes) == 0)
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s is %s; allowed: %s%s", what, gf_dtype_word(v->dtype),
                            gf_dtype_set_text(input->dtypes, set, sizeof set),
                            conversion(v->dtype, input->dtypes, step, sizeof step));
    status = input->kind == GF_INPUT_IMAGE ? gf_view_check_image(v, what, err) : GF_OK;
    if (status != GF_OK)
        return status;
    if (input->kind == GF_INPUT_MATRIX && v->channels != 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s has %" PRIu32 " channels; allowed: 1", what, v->channels);
    if (!gf_input_is_copied(input))
        return GF_OK;
    bool list = input->kind == GF_INPUT_LIST;
    if (v->channels != 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s has %" PRIu32 " channels; %s 1", what, v->channels,
                            list ? "a list must have" : "coefficients must have");
    if (list && v->height != 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s has %" PRIu64 " rows; a list must have 1", what, v->height);
    if (list && v->width > GF_MAX_LIST)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s has %" PRIu64 " numbers; allowed: up to %u", what, v->width,
                            GF_MAX_LIST);
    if (list)
        return GF_OK;
    if (v->width > GF_MAX_MASK_SIDE || v->height > GF_MAX_MASK_SIDE)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s is %" PRIu64 "x%" PRIu64 "; allowed: sides up to %u", what,
                            v->width, v->height, GF_MAX_MASK_SIDE);
    return GF_OK;
}

/* Only a view that is refused is named, which costs more than the checks. */
static enum gf_status check_input(const struct gf_op *op, const struct gf_input_desc *input, const struct gf_view *v,
                                  struct gf_error *err)
{
    char what[64];
    if (check_view(input, v, "", NULL) == GF_OK)
        return GF_OK;
    snprintf(what, sizeof what, "%s: %s", op->name, input->name);
    return check_view(input, v, what, err);
}

/* The value of the op's parameter with this name and enum; 0, which is "same", if the op has no such parameter. */
static uint32_t enum_value(const struct gf_op *op, const union gf_params *params, const char *name, uint32_t e)
{
    const struct gf_param_desc *param = gf_op_param(op, name);
    uint32_t value = 0;
    if (param != NULL && param->e == e)
        memcpy(&value, (const char *)params + param->offset, sizeof value);
    return value;
}

static uint32_t output_dtype(const struct gf_op *op, const struct gf_output_desc *output, const struct gf_view *src,
                             const union gf_params *params)
{
    if (output->dtype == GF_RULE_SAME_DTYPE)
        return src->dtype;
    uint32_t asked = enum_value(op, params, "dtype", GF_ENUM_DTYPE);
    if (asked != GF_DTYPE_SAME)
        return asked;
    return output->dtype == GF_RULE_PARAM_DTYPE_F32 ? GF_F32 : src->dtype;
}

/* GF_SHAPE_FILTER: input 0 is the image, input 1 the mask. */
static enum gf_status shape_filter(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_view *image = &in[0], *mask = &in[1];
    uint64_t width = image->width, height = image->height;
    if (enum_value(op, params, "size", GF_ENUM_SIZE) == GF_SIZE_VALID) {
        if (mask->width > width || mask->height > height)
            return gf_error_set(err, GF_E_BAD_VIEW,
                                "%s: size=valid leaves nothing of a %" PRIu64 "x%" PRIu64 " image under a %" PRIu64
                                "x%" PRIu64 " mask",
                                op->name, width, height, mask->width, mask->height);
        width -= mask->width - 1;
        height -= mask->height - 1;
    }
    *ret_out = gf_view_tight(image->dtype, width, height, image->channels);
    return GF_OK;
}

/* The channels by GF_SHAPE_BRIGHTNESS; alpha stays. */
static uint32_t brightness_channels(const struct gf_op *op, const struct gf_view *src, const union gf_params *params)
{
    if (enum_value(op, params, "channels", GF_ENUM_TONE_CHANNELS) != GF_TONE_CHANNELS_LUMA)
        return src->channels;
    return src->channels % 2 == 0 ? 2 : 1;
}

enum gf_status gf_op_infer(const struct gf_op *op, const struct gf_view *given, uint32_t n_given,
                           const union gf_params *params, struct gf_view *ret_out, struct gf_error *err)
{
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    if (n_given < op->n_required || n_given > op->n_inputs)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: %" PRIu32 " inputs given; it takes %" PRIu32, op->name, n_given,
                            op->n_inputs);
    memcpy(in, given, n_given * sizeof *in);
    for (uint32_t i = 0; i < n_given; i++) {
        if (op->inputs[i].optional && !gf_view_given(&in[i]))
            continue;
        enum gf_status status = check_input(op, &op->inputs[i], &in[i], err);
        if (status != GF_OK)
            return status;
    }
    enum gf_status status = gf_op_check(op, in, params, err);
    if (status != GF_OK)
        return status;

    if (outputs[op->index][0] != NULL)
        return outputs[op->index][0](op, in, params, ret_out, err);
    struct gf_view out[GF_MAX_OUTPUTS];
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        if (op->outputs[i].shape == GF_SHAPE_FILTER) {
            status = shape_filter(op, in, params, &out[i], err);
            if (status != GF_OK)
                return status;
        } else {
            out[i] = gf_view_tight(in[0].dtype, in[0].width, in[0].height, in[0].channels);
        }
        if (op->outputs[i].shape == GF_SHAPE_BRIGHTNESS)
            out[i].channels = brightness_channels(op, &in[0], params);
        uint32_t dtype = output_dtype(op, &op->outputs[i], &in[0], params);
        out[i] = gf_view_tight(dtype, out[i].width, out[i].height, out[i].channels);
    }
    memcpy(ret_out, out, op->n_outputs * sizeof *out);
    return GF_OK;
}
