/* SPDX-License-Identifier: MIT */
/* Lines of cases/<op>.csv to cases. Called by the runner and by random.c, whose cases are such lines too. */
#include "case.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/op_codec.h"

/* FNV-1a: the same text has the same data, wherever it stands. */
static uint64_t text_hash(const char *text)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001B3u;
    return h;
}

static enum gf_status parse_params(const struct gf_op *op, char *text, union gf_params *ret, struct gf_error *err)
{
    char *rest = NULL;
    gf_op_params_default(op, ret);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL)
            return gf_error_set(err, GF_E_BAD_ARGUMENT, "'%s' is not name=value", word);
        *value++ = '\0';
        const struct gf_param_desc *param = gf_op_param(op, word);
        if (param == NULL)
            return gf_error_set(err, GF_E_UNKNOWN_PARAM, "%s has no parameter '%s'", op->name, word);
        enum gf_status status = gf_op_param_parse(op, param, value, ret, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

static enum gf_status parse_mask(const struct gf_op *op, const char *text, struct gf_case_step *step,
                                 struct gf_error *err)
{
    bool none = strcmp(text, "-") == 0;
    if (none != (op->n_inputs == 1))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "mask '%s' of %s with %" PRIu32 " inputs", text, op->name,
                            op->n_inputs);
    if (!none &&
        sscanf(text, "%" SCNu32 "x%" SCNu32 ":%15s", &step->mask_width, &step->mask_height, step->mask_kind) != 3)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "mask '%s' is not WxH:kind", text);
    return GF_OK;
}

enum gf_status gf_case_parse(const struct gf_op *op, const char *line, uint64_t seed, struct gf_case *ret_case,
                             struct gf_error *err)
{
    struct gf_case c = {.n_steps = 1, .steps[0] = {.op = op, .source = -1, .kept = true}};
    struct gf_case_step *step = &c.steps[0];
    char dtype[8], mask[40], params[400] = "";
    uint64_t width, height;
    uint32_t channels;
    int n = sscanf(line, "%7[^,],%" SCNu64 "x%" SCNu64 "x%" SCNu32 ",%39[^,],%" SCNu32 ",%15[^,],%399[^\n]", dtype,
                   &width, &height, &channels, mask, &c.pad, c.data_kind, params);
    if (n < 7)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "'%s' is not dtype,WxHxC,mask,pad,data,parameters", line);
    c.src = gf_view_tight(gf_dtype_from_word(dtype), width, height, channels);
    c.src.pitch += c.pad;
    snprintf(c.text, sizeof(c.text), "%s: %s", op->name, line);
    c.seed = seed + text_hash(c.text);

    enum gf_status status = parse_mask(op, mask, step, err);
    if (status == GF_OK)
        status = parse_params(op, params, &step->params, err);
    if (status != GF_OK)
        return status;
    struct gf_view in[2] = {c.src, gf_view_tight(GF_F32, step->mask_width, step->mask_height, 1)};
    status = gf_op_infer(op, in, op->n_inputs, &step->params, &step->out, err);
    if (status == GF_OK)
        *ret_case = c;
    return status;
}
