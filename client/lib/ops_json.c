/* SPDX-License-Identifier: MIT */
/* gpufilter_ops_json: the tables of the protocol as JSON. */
#include <stdatomic.h>
#include <stdlib.h>

#include "client/include/gpufilter/client.h"
#include "protocol/base/dtype.h"
#include "protocol/base/status.h"
#include "protocol/base/text.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/program.h"
#include "protocol/wire/frame.h"
#include "text/json.h"
#include "text/op_text.h"

#define EXPORT __attribute__((visibility("default")))
#define FORMAT 1
#define MAX_STATUS 256 /* no number of status.def is above */
#define SIDE 8         /* of the pictures for which types of results are found */

static void put_statuses(struct gf_json *json)
{
    gf_json_array(json, "statuses");
    for (uint32_t i = 0; i < MAX_STATUS; i++) {
        if (!gf_status_known(i))
            continue;
        gf_json_object(json, NULL);
        gf_json_text(json, "name", gf_status_name(i));
        gf_json_u64(json, "number", i);
        gf_json_text(json, "raised_by",
                     i < GF_STATUS_FATAL   ? "daemon"
                     : i < GF_STATUS_LOCAL ? "connection"
                                           : "library");
        gf_json_text(json, "help", gf_status_text(i));
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

static void put_dtypes(struct gf_json *json)
{
    gf_json_array(json, "dtypes");
    for (uint32_t i = 1; i < 32; i++) {
        if (!gf_dtype_known(i))
            continue;
        gf_json_object(json, NULL);
        gf_json_text(json, "name", gf_dtype_word(i));
        gf_json_u64(json, "number", i);
        gf_json_u64(json, "bytes", gf_dtype_size(i));
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

/* A word, and the names that other tools have for it. */
static void put_word(struct gf_json *json, const struct gf_word *word)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "word", word->word);
    gf_json_u64(json, "number", word->number);
    gf_json_text(json, "help", gf_word_help(word));
    gf_json_array(json, "aliases");
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_words[i].e == word->e && gf_words[i].is_alias && gf_words[i].number == word->number)
            gf_json_text(json, NULL, gf_words[i].word);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static void put_enums(struct gf_json *json)
{
    gf_json_array(json, "enums");
    for (uint32_t e = GF_ENUM_NONE + 1; e < GF_N_ENUMS; e++) {
        gf_json_object(json, NULL);
        gf_json_text(json, "name", gf_enum_name(e));
        gf_json_text(json, "help", gf_enum_help(e));
        gf_json_array(json, "words");
        for (size_t i = 0; i < gf_n_words; i++)
            if (gf_words[i].e == e && !gf_words[i].is_alias)
                put_word(json, &gf_words[i]);
        gf_json_array_end(json);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

/* A bound, or a default, of a numeric parameter. */
static void put_number(struct gf_json *json, const char *key, const struct gf_param_desc *param, double value)
{
    char text[GF_NUMBER_TEXT];
    gf_json_number(json, key,
                   param->kind == GF_PARAM_F32 ? gf_text_from_f32((float)value, text, sizeof(text))
                                               : gf_text_from_f64(value, text, sizeof(text)));
}

static void put_default(struct gf_json *json, const struct gf_param_desc *param)
{
    gf_json_array(json, "default");
    for (uint32_t i = 0; i < param->n_def; i++)
        if (param->kind == GF_PARAM_ENUM)
            gf_json_text(json, NULL, gf_enum_word(param->e, (uint32_t)param->def));
        else
            put_number(json, NULL, param, param->def);
    gf_json_array_end(json);
}

static void put_param(struct gf_json *json, const struct gf_param_desc *param)
{
    static const char *const kinds[] = {[GF_PARAM_U32] = "u32",
                                        [GF_PARAM_F32] = "f32",
                                        [GF_PARAM_F64] = "f64",
                                        [GF_PARAM_ENUM] = "enum",
                                        [GF_PARAM_TEXT] = "text"};
    char text[128];
    gf_json_object(json, NULL);
    gf_json_u64(json, "id", param->id);
    gf_json_u64(json, "attribute", GF_ATTR_PARAM + param->id);
    gf_json_text(json, "name", param->name);
    gf_json_text(json, "type", kinds[param->kind]);
    gf_json_u64(json, "max_values", param->kind == GF_PARAM_TEXT ? 1 : param->max);
    gf_json_bool(json, "per_axis", param->per_axis);
    if (param->kind == GF_PARAM_ENUM) {
        gf_json_text(json, "enum", gf_enum_name(param->e));
        gf_json_array(json, "words");
        for (size_t i = 0; i < gf_n_words; i++)
            if (gf_op_word_help(param, &gf_words[i]) != NULL)
                gf_json_text(json, NULL, gf_words[i].word);
        gf_json_array_end(json);
    } else if (param->kind == GF_PARAM_TEXT) {
        gf_json_u64(json, "max_bytes", param->max);
    } else {
        put_number(json, "min", param, param->lo);
        put_number(json, "max", param, param->hi);
    }
    gf_json_text(json, "range", gf_op_range_text(param, text, sizeof(text)));
    put_default(json, param);
    gf_json_text(json, "help", gf_help_text(param->help));
    gf_json_object_end(json);
}

static void put_dtype_set(struct gf_json *json, uint32_t set)
{
    gf_json_array(json, "dtypes");
    for (uint32_t dtype = 1; dtype < 32; dtype++)
        if ((set & GF_DT(dtype)) != 0 && gf_dtype_known(dtype))
            gf_json_text(json, NULL, gf_dtype_word(dtype));
    gf_json_array_end(json);
}

static void put_input(struct gf_json *json, const struct gf_input_desc *input)
{
    static const char *const kinds[] = {
        [GF_INPUT_IMAGE] = "image", [GF_INPUT_COEFS] = "coefs",   [GF_INPUT_BUFFER] = "buffer",
        [GF_INPUT_LIST] = "list",   [GF_INPUT_MATRIX] = "matrix",
    };
    gf_json_object(json, NULL);
    gf_json_text(json, "name", input->name);
    gf_json_text(json, "help", gf_help_text(input->help));
    gf_json_text(json, "kind", kinds[input->kind]);
    gf_json_bool(json, "optional", input->optional);
    put_dtype_set(json, input->dtypes);
    gf_json_object_end(json);
}

/* Parameters without which an operation does not run on any type. */
static const struct {
    uint32_t op;
    const char *param, *value;
} needed[] = {
    {GF_INDEX_expr, "expression", "a"}, {GF_INDEX_histogram, "bins", "4"},      {GF_INDEX_histogram2d, "bins", "4"},
    {GF_INDEX_pad, "margin", "1"},      {GF_INDEX_percentile, "percent", "50"}, {GF_INDEX_quantile, "q", "0.5"},
    {GF_INDEX_rank, "index", "0"},      {GF_INDEX_resize, "scale", "2"},
};

/* The shapes of inputs on which a step is tried. */
struct shapes {
    uint32_t channels, rows; /* of pictures and arrays; of a matrix */
    bool chroma;             /* further pictures have half the sides and 2 channels */
};

/* A view for input i, if the first has this type. */
static struct gf_view view_for(const struct gf_op *op, uint32_t i, uint32_t dtype, const struct shapes *of)
{
    const struct gf_input_desc *input = &op->inputs[i];
    const uint32_t own = (input->dtypes & GF_DT(dtype)) != 0 ? dtype : (uint32_t)__builtin_ctz(input->dtypes);
    const bool chroma = of->chroma && i > 0;
    const uint32_t side = chroma ? SIDE / 2 : SIDE;
    return input->kind == GF_INPUT_COEFS    ? gf_view_tight(own, 3, 3, 1)
           : input->kind == GF_INPUT_LIST   ? gf_view_tight(own, 2, 1, 1)
           : input->kind == GF_INPUT_MATRIX ? gf_view_tight(own, SIDE, of->rows, 1)
                                            : gf_view_tight(own, side, side, chroma ? 2 : of->channels);
}

/* Makes a program of one step with the required inputs and the needed parameters; the others have their defaults.
 * Whether it is valid. */
static bool try_step(struct gf_program *p, const struct gf_op *op, uint32_t dtype, const struct shapes *of)
{
    struct gf_step *s = &p->steps[0];
    memset(p, 0, sizeof(*p));
    memcpy(p->device, "auto", sizeof("auto"));
    s->op = op;
    gf_op_params_default(op, &s->params);
    for (size_t i = 0; i < GF_ARRAY_LEN(needed); i++)
        if (needed[i].op == op->index)
            gf_op_param_parse(op, gf_op_param(op, needed[i].param), needed[i].value, &s->params, NULL);
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        if (i >= op->n_required) {
            s->in[i].from = GF_FROM_NOTHING;
            continue;
        }
        const struct gf_view v = view_for(op, i, dtype, of);
        s->in[i].index = (uint16_t)i;
        p->operands[i] = (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&v), .view = v};
    }
    p->n_steps = p->n_results = 1;
    p->n_operands = op->n_required;
    p->results[0].way = GF_WAY_INLINE;
    return gf_program_check(p, true, NULL) == GF_OK;
}

static bool find_step(struct gf_program *p, const struct gf_op *op, uint32_t dtype)
{
    static const uint32_t channels[] = {3, 1, 4, 2};
    for (uint32_t i = 0; i < 16; i++) {
        const struct shapes of = {.channels = channels[i % 4], .rows = (i & 4) != 0 ? 1 : SIDE, .chroma = (i & 8) != 0};
        if (try_step(p, op, dtype, &of))
            return true;
    }
    return false;
}

/* The type of each output for each type of the first input, where no parameter asks for another one. */
static void put_outputs(struct gf_json *json, const struct gf_op *op, struct gf_program *room)
{
    static const char *const shapes[] = {
        [GF_SHAPE_SAME_SHAPE] = "same",   [GF_SHAPE_FILTER] = "filter", [GF_SHAPE_BRIGHTNESS] = "brightness",
        [GF_SHAPE_CHANNELS] = "channels", [GF_SHAPE_OWN] = "own",       [GF_SHAPE_TABLE] = "table",
        [GF_SHAPE_COUNTED] = "counted",
    };
    uint32_t found[32][GF_MAX_OUTPUTS] = {{0}};
    for (uint32_t dtype = 1; dtype < 32; dtype++)
        if ((op->inputs[0].dtypes & GF_DT(dtype)) != 0 && gf_dtype_known(dtype) && find_step(room, op, dtype))
            for (uint32_t i = 0; i < op->n_outputs; i++)
                found[dtype][i] = room->steps[0].out[i].dtype;
    gf_json_array(json, "outputs");
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        gf_json_object(json, NULL);
        gf_json_text(json, "name", op->outputs[i].name);
        gf_json_text(json, "help", gf_help_text(op->outputs[i].help));
        gf_json_text(json, "shape", shapes[op->outputs[i].shape]);
        gf_json_object(json, "dtypes");
        for (uint32_t dtype = 1; dtype < 32; dtype++)
            if (found[dtype][i] != 0)
                gf_json_text(json, gf_dtype_word(dtype), gf_dtype_word(found[dtype][i]));
        gf_json_object_end(json);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

static void put_op(struct gf_json *json, const struct gf_op *op, struct gf_program *room)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "name", op->name);
    gf_json_u64(json, "id", op->id);
    gf_json_u64(json, "revision", op->revision);
    gf_json_text(json, "family", gf_op_family_name(op->family));
    gf_json_text(json, "help", gf_help_text(op->help));
    gf_json_array(json, "aliases");
    for (size_t i = 0; i < gf_n_aliases; i++)
        if (strcmp(gf_aliases[i].op, op->name) == 0)
            gf_json_text(json, NULL, gf_aliases[i].name);
    gf_json_array_end(json);
    gf_json_array(json, "inputs");
    for (uint32_t i = 0; i < op->n_inputs; i++)
        put_input(json, &op->inputs[i]);
    gf_json_array_end(json);
    put_outputs(json, op, room);
    gf_json_array(json, "params");
    for (uint32_t i = 0; i < op->n_params; i++)
        put_param(json, &op->params[i]);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static void put_all(struct gf_json *json, struct gf_program *room)
{
    gf_json_object(json, NULL);
    gf_json_u64(json, "format", FORMAT);
    gf_json_text(json, "version", gpufilter_version());
    gf_json_u64(json, "protocol", GF_VERSION);
    put_statuses(json);
    put_dtypes(json);
    put_enums(json);
    gf_json_array(json, "ops");
    for (size_t i = 0; i < GF_N_OPS; i++)
        put_op(json, &gf_ops[i], room);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

/* Owned by the caller; NULL without memory. */
static char *make_text(void)
{
    char *text = NULL;
    size_t size = 0;
    gf_cleanup(gf_freep) struct gf_program *room = malloc(sizeof(*room));
    FILE *out = room != NULL ? open_memstream(&text, &size) : NULL;
    if (out == NULL)
        return NULL;
    put_all(&(struct gf_json){.out = out}, room);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

EXPORT const char *gpufilter_ops_json(void)
{
    static char *_Atomic kept;
    char *text = atomic_load_explicit(&kept, memory_order_acquire), *none = NULL;
    if (text != NULL)
        return text;
    text = make_text();
    if (text != NULL && !atomic_compare_exchange_strong(&kept, &none, text)) { /* another thread was first */
        free(text);
        text = none;
    }
    return text;
}
