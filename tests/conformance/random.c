/* SPDX-License-Identifier: MIT */
/* Random cases from the op table: any op, dtype, shape, inputs and parameters. Called by the runner. */
#include <inttypes.h>
#include <string.h>

#include "case.h"
#include "expression.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"

/* What a step drawn here may cost. */
#define COST_LIMIT 400000.0
#define EXPRESSION_COST_LIMIT 60000.0 /* many small ones, since it is the texts that differ */

/* Texts worth trying, by the parameter's name; enum parameters take any of their words. */
static const struct {
    const char *name;
    const char *texts[16];
    uint32_t n;
} choices[] = {
    {"scale", {"1", "0.5", "0.25", "-1", "3", "0.001", "0", "1e30", "-0.0625", "1e-40"}, 10},
    {"offset", {"0", "-0", "0.5", "128", "-7.25", "1e-30", "70000", "-1e30"}, 8},
    {"sigma", {"0", "0.3", "0.8", "1", "1.5", "2.5", "6", "1,3", "0,2", "2,0", "0.1,0.2", "25"}, 12},
    {"truncate", {"4", "3", "1", "0", "8", "40", "0.5"}, 7},
    {"size", {"1", "2", "3", "4", "5", "8", "16", "17", "31", "3x1", "1x5", "2x7", "64x2", "127x3", "5x100"}, 15},
    {"index", {"0", "-1", "1", "4", "-2", "12", "100", "-40"}, 8},
    {"percent", {"0", "100", "50", "25", "99.9", "3.7", "66.66666666666667", "1e-3"}, 8},
    {"border_value", {"0", "255", "1", "0.5", "-3", "1e30", "17"}, 7},
    {"at", {"0", "1", "2", "0,3", "5,0", "7,13", "16", "31,1"}, 8},
    {"fit", {"1", "7", "33", "20x5", "3x90", "200"}, 6},
    {"fill", {"1", "7", "33", "20x5", "3x90", "200"}, 6},
    {"box", {"0,0,1,1", "0.5,0.25,3,2.5", "0.1,1,5,2", "0,0,17,9.3", "2,3,29.5,12"}, 5},
    {"margin", {"0", "1", "3", "2,5", "0,7", "1,2,3,4", "17,0,0,1", "40,33,65,2", "0,0,128,0"}, 9},
    {"peaks", {"1", "2", "5", "17", "300", "4096"}, 6},
    {"threshold", {"0", "1", "-1", "0.5", "0.9"}, 5},
    {"bins", {"0", "1", "2", "3", "7", "64", "255", "256", "257", "1000", "3000", "65536", "100003"}, 13},
    {"clip", {"0", "1", "2", "40", "3.7", "0.001", "65536", "300"}, 8},
    {"tiles", {"1", "2", "3", "1,4", "5,2"}, 5},
    {"radius", {"0", "1", "2", "3", "4", "7", "13"}, 7},
    {"sigma_colour", {"1", "25", "0.1", "100", "3000", "1e-18", "1e30", "0.01"}, 8},
    {"sigma_space", {"0.01", "0.5", "1", "2", "3", "4.4"}, 6},
    {"lo", {"0", "0", "-1", "0.1", "-128", "1e9", "-1e18", "-1.7e308", "-1e-310", "-0"}, 10},
    {"hi", {"256", "65536", "1", "0.9", "128", "4e9", "1e18", "1.7e308", "1e-310", "2"}, 10},
    {"capacity", {"0", "0", "1", "17", "1000", "8193", "4294967295"}, 7},
    {"q", {"0", "1", "0.5", "0.25,0.75", "0,0.001,0.999,1", "0.3333333333333333", "0.9,0.1,0.5", "1e-300"}, 8},
    {"last_closed", {"0", "1"}, 2},
    {"cumulative", {"0", "1"}, 2},
    {"density", {"0", "1"}, 2},
    {"value", {"0", "-0", "127", "127.5", "255", "-1", "300", "3.4e38", "0.25", "65534.5", "1e-45"}, 11},
};

/* Texts for numbers without their own list; a text outside the range is drawn again. */
static const char *const any_number[] = {"0", "1", "-1", "0.5", "0.9", "-0.3", "2.5", "10", "255", "1e-3", "-1e6"};
static const char *const any_whole[] = {"0", "1", "2", "3", "5", "7", "16", "64", "255", "256", "1000"};

static const uint32_t sides[] = {1,  1,  2,  3,  5,  7,  8,  13, 15,  16,  17,  29,
                                 31, 32, 33, 37, 63, 64, 65, 97, 127, 128, 129, 257};
static const uint32_t lengths[] = {1,   2,    3,    5,    31,   32,   33,   64,    255,   256,
                                   257, 1000, 1023, 1024, 1025, 4095, 4097, 16384, 65537, 99991};
static const uint32_t mask_sides[] = {1, 1, 2, 3, 3, 3, 4, 5, 5, 7, 8, 9, 11, 16, 31, 60};
static const char *const image_kinds[] = {"random",  "extreme", "full", "ramp",  "ties",     "bits", "special",
                                          "special", "alpha",   "tiny", "blobs", "speckled", "path"};
static const char *const buffer_kinds[] = {"random",  "extreme", "full",   "ramp",  "ties",   "bits",
                                           "special", "special", "signed", "small", "small",  "equal",
                                           "offset",  "outlier", "nan",    "tiny",  "payload"};
static const char *const mask_kinds[] = {"int",  "ones", "fraction", "random", "positive", "sparse",
                                         "edge", "tiny", "cancel",   "limit",  "over",     "zeros"};

/* Data that inputs of these names hold, unlike any other. */
static const struct {
    const char *name, *kind[2];
} input_kinds[] = {
    {"offsets", {"offsets", "ragged"}}, {"segments", {"offsets", "ragged"}}, {"edges", {"ascending", "ascending"}}};

#define PICK(prng, array) ((array)[gf_prng_below((prng), (uint32_t)GF_ARRAY_LEN(array))])

static uint32_t random_dtype(uint32_t set, struct gf_prng *prng)
{
    uint32_t dtype;
    do
        dtype = gf_prng_below(prng, 32);
    while ((set & GF_DT(dtype)) == 0);
    return dtype;
}

/* A picture; where a buffer is taken as often a long row, or a matrix. */
static struct gf_view random_view(const struct gf_input_desc *input, struct gf_prng *prng)
{
    uint32_t dtype = random_dtype(input->dtypes, prng);
    uint32_t form = input->kind == GF_INPUT_IMAGE ? 0 : gf_prng_below(prng, 3);
    if (form == 1)
        return gf_view_tight(dtype, PICK(prng, lengths), 1, 1);
    uint32_t width = PICK(prng, sides), height = PICK(prng, sides);
    return gf_view_tight(dtype, width, height, form == 0 ? 1 + gf_prng_below(prng, 4) : 1);
}

/* Appends one input after the first: a mask, data like the first, or data of a shape that may fit to it. */
static void random_input(const struct gf_input_desc *input, const struct gf_view *first, const uint32_t *mask,
                         struct gf_prng *prng, char *text, size_t size)
{
    if (input->kind == GF_INPUT_COEFS) {
        gf_text_append(text, size, "%" PRIu32 "x%" PRIu32 ":%s", mask[0], mask[1], PICK(prng, mask_kinds));
        return;
    }
    const char *kind = input->kind == GF_INPUT_IMAGE ? PICK(prng, image_kinds) : PICK(prng, buffer_kinds);
    bool named = false;
    for (size_t i = 0; i < GF_ARRAY_LEN(input_kinds); i++)
        if (strcmp(input_kinds[i].name, input->name) == 0) {
            kind = input_kinds[i].kind[gf_prng_below(prng, 2)];
            named = true;
        }
    uint32_t form = gf_prng_below(prng, 5);
    uint64_t width = first->width, height = first->height;
    if (named || form == 1 || input->kind == GF_INPUT_LIST) { /* a short row */
        width = PICK(prng, mask_sides);
        height = 1;
    } else if (form == 2) { /* what a matrix product takes */
        height = width;
        width = PICK(prng, mask_sides);
    }
    bool small = strcmp(input->name, "templ") == 0 && form > 0;
    if (small) {
        width = gf_min_u64(first->width, PICK(prng, mask_sides));
        height = gf_min_u64(first->height, PICK(prng, mask_sides));
    }
    bool chroma = strcmp(input->name, "chroma") == 0 || strcmp(input->name, "cr") == 0;
    if (chroma && form != 1) {
        width = width / 2 + width % 2;
        height = first->height / 2 + first->height % 2;
    }
    uint32_t dtype =
        gf_prng_below(prng, 4) > 0 ? gf_case_dtype(input, first->dtype) : random_dtype(input->dtypes, prng);
    gf_text_append(text, size, "%" PRIu64 "x%" PRIu64 "x%" PRIu32 ":%s:%s", width, height,
                   chroma                                                        ? 1 + gf_prng_below(prng, 2)
                   : small || (height == first->height && width == first->width) ? first->channels
                                                                                 : 1,
                   kind, gf_dtype_word(dtype));
}

/* Appends up to three inputs of the shape of the first; their views follow the first view. */
static void random_layers(const struct gf_op *op, struct gf_prng *prng, struct gf_view *in, char *text, size_t size)
{
    uint32_t n = 1 + gf_prng_below(prng, op->n_inputs);
    uint32_t channels = in->channels > 1 ? in->channels : 1 + gf_prng_below(prng, GF_MAX_CHANNELS);
    for (uint32_t i = 1; i < op->n_inputs; i++) {
        gf_text_append(text, size, "%s", i > 1 ? "+" : "");
        if (i >= n) {
            gf_text_append(text, size, "-");
            continue;
        }
        in[i] = gf_view_tight(random_dtype(op->inputs[i].dtypes, prng), in->width, in->height,
                              gf_prng_below(prng, 3) == 0 ? 1 : channels);
        gf_text_append(text, size, "%" PRIu64 "x%" PRIu64 "x%" PRIu32 ":%s:%s", in->width, in->height, in[i].channels,
                       PICK(prng, buffer_kinds), gf_dtype_word(in[i].dtype));
    }
}

/* Appends parameters that hold an expression over the inputs. */
static void random_expression(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in, char *text,
                              size_t size)
{
    char expression[GF_EXPRESSION_TEXT], set[GF_EXPRESSION_SET];
    gf_expression_draw(op, prng, in, expression, set);
    gf_text_append(text, size, "expression=\"%s\"", expression);
    if (set[0] != '\0')
        gf_text_append(text, size, " set=%s", set);
}

/* Appends the texts of an operator. */
static void random_operator(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in, char *text,
                            size_t size)
{
    struct gf_operator_texts texts;
    gf_operator_draw(op, prng, in, &texts);
    gf_text_append(text, size, "op=user lift=\"%s\" combine=\"%s\" identity=\"%s\"", texts.lift, texts.combine,
                   texts.identity);
    if (texts.finish[0] != '\0')
        gf_text_append(text, size, " finish=\"%s\"", texts.finish);
}

/* Whether a step with op=user takes the parameter. */
static bool goes_with_user(const struct gf_param_desc *param)
{
    return strcmp(param->name, "axis") == 0 || strcmp(param->name, "exclusive") == 0 ||
           strcmp(param->name, "reverse") == 0;
}

/* A text for one parameter, "" to leave it out. */
static void random_value(const struct gf_param_desc *param, struct gf_prng *prng, uint32_t channels,
                         const uint32_t *mask, char *text, size_t size)
{
    text[0] = '\0';
    if (param->kind == GF_PARAM_ENUM) {
        uint32_t first = 0, n = 0;
        for (uint32_t i = 0; i < gf_n_words; i++)
            if (gf_words[i].e == param->e && !gf_words[i].is_alias)
                first = n++ == 0 ? i : first;
        snprintf(text, size, "%s", gf_words[first + gf_prng_below(prng, n)].word);
    } else if (param->kind == GF_PARAM_TEXT) {
        return;
    } else if (strcmp(param->name, "anchor") == 0 && param->max == 1) {
        snprintf(text, size, "%" PRIu32, gf_prng_below(prng, mask[0]));
    } else if (strcmp(param->name, "anchor") == 0) {
        snprintf(text, size, "%" PRIu32 ",%" PRIu32, gf_prng_below(prng, mask[0]), gf_prng_below(prng, mask[1]));
    } else if (strcmp(param->name, "border_value") == 0 && channels > 1 && gf_prng_below(prng, 2) == 0) {
        size_t used = 0;
        for (uint32_t c = 0; c < channels; c++)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRIu32, c == 0 ? "" : ",", gf_prng_below(prng, 256));
    } else {
        snprintf(text, size, "%s", param->kind == GF_PARAM_U32 ? PICK(prng, any_whole) : PICK(prng, any_number));
        for (size_t i = 0; i < GF_ARRAY_LEN(choices); i++)
            if (strcmp(choices[i].name, param->name) == 0)
                snprintf(text, size, "%s", choices[i].texts[gf_prng_below(prng, choices[i].n)]);
    }
}

/* Draws the text of a one-step case. `like` gives the shape, NULL for any. */
static void random_line(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *like, char *line,
                        size_t size)
{
    struct gf_view view = like == NULL ? random_view(&op->inputs[0], prng) : *like;
    size_t pad = gf_prng_below(prng, 4) * gf_dtype_size(view.dtype);
    uint32_t mask[2] = {PICK(prng, mask_sides), 0};
    mask[1] = PICK(prng, mask_sides);
    snprintf(line, size, "%s,%" PRIu64 "x%" PRIu64 "x%" PRIu32 ",%s", gf_dtype_word(view.dtype), view.width,
             view.height, view.channels, op->n_inputs == 1 ? "-" : "");
    struct gf_view in[GF_MAX_INPUTS] = {view};
    bool user = (op->index == GF_INDEX_reduce || op->index == GF_INDEX_scan) && gf_prng_below(prng, 2) == 0;
    bool expression = op->work.kind == GF_WORK_EXPRESSION, given = !expression && gf_prng_below(prng, 2) == 0;
    if (expression)
        random_layers(op, prng, in, line, size);
    for (uint32_t i = 1; i < op->n_inputs && !expression; i++) {
        gf_text_append(line, size, "%s", i > 1 ? "+" : "");
        if (op->inputs[i].optional && !given)
            gf_text_append(line, size, "-");
        else
            random_input(&op->inputs[i], &view, mask, prng, line, size);
    }
    bool image = op->inputs[0].kind == GF_INPUT_IMAGE;
    gf_text_append(line, size, ",%zu,%s,", pad, image ? PICK(prng, image_kinds) : PICK(prng, buffer_kinds));
    if (expression)
        random_expression(op, prng, in, line, size);
    if (user)
        random_operator(op, prng, in, line, size);
    for (uint32_t i = 0; i < op->n_params; i++) {
        char value[64];
        if (user && !goes_with_user(&op->params[i]))
            continue;
        random_value(&op->params[i], prng, view.channels, mask, value, sizeof(value));
        if (value[0] != '\0' && gf_prng_below(prng, 2) == 0)
            gf_text_append(line, size, "%s%s=%s", line[strlen(line) - 1] == ',' ? "" : " ", op->params[i].name, value);
    }
}

/* Draws until a one-step case is valid. False if no drawn case is valid for the given shape. */
static bool draw(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, const struct gf_view *like,
                 struct gf_case *ret_case)
{
    char line[GF_CASE_LINE];
    double limit = op->work.kind == GF_WORK_EXPRESSION ? EXPRESSION_COST_LIMIT : COST_LIMIT;
    for (uint32_t tries = 0; like == NULL || tries < 100; tries++) {
        random_line(op, prng, like, line, sizeof(line));
        if (gf_case_parse(op, line, seed, ret_case, NULL) == GF_OK && gf_case_cost(ret_case) <= limit)
            return true;
    }
    return false;
}

/* Adds a step of any op on the image or on the output of an earlier step, where one takes it. */
static void add_step(struct gf_case *c, struct gf_prng *prng, uint64_t seed)
{
    int source = (int)gf_prng_below(prng, c->n_steps + 1) - 1;
    struct gf_case drawn;
    if (!draw(&gf_ops[gf_prng_below(prng, GF_N_OPS)], prng, seed, source < 0 ? &c->src : &c->steps[source].out[0],
              &drawn))
        return;
    struct gf_case_step *step = &c->steps[c->n_steps++];
    gf_case_step_copy(&drawn.steps[0], step);
    step->source = source;
    if (source >= 0)
        c->steps[source].kept = gf_prng_below(prng, 2) == 0;
    size_t used = strlen(c->text);
    snprintf(c->text + used, sizeof(c->text) - used, " | of %d %s", source, drawn.text);
}

void gf_case_random(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, struct gf_case *ret_case)
{
    (void)draw(op, prng, seed, NULL, ret_case);
    uint32_t more = gf_prng_below(prng, 4) == 0 ? 1 + gf_prng_below(prng, GF_CASE_STEPS - 1) : 0;
    for (uint32_t i = 0; i < more; i++)
        add_step(ret_case, prng, seed);
}
