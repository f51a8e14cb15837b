/* SPDX-License-Identifier: MIT */
/* Fixed programs, and programs drawn step by step; a step that the checks refuse is drawn again. See pipeline.h. */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#include "case.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define TAIL 64u
#define POISON 0xE7

#define PICK(prng, array) ((array)[gf_prng_below((prng), (uint32_t)GF_ARRAY_LEN(array))])

/* Ops that can be fused and filters, which can absorb such ops, are drawn often; other ops separate them. */
static const char *const op_names[] = {
    "expr",      "expr",      "expr",      "expr",      "expr",    "map",      "map",      "map",
    "map",       "map",       "combine",   "combine",   "copy",    "copy",     "gray",     "flip",
    "threshold", "threshold", "threshold", "equalize",  "median",  "gaussian", "sobel",    "gaussian",
    "sobel",     "scharr",    "prewitt",   "laplacian", "sharpen", "box",      "bilateral"};
/* Before and behind a filter that a program begins with. */
static const char *const before_filters[] = {"threshold", "map", "map", "expr", "expr"};
static const char *const behind_filters[] = {"sobel", "scharr", "threshold", "map", "expr"};
static const char *const kinds[] = {"random",  "extreme", "ramp", "ties", "bits",  "special",
                                    "special", "alpha",   "tiny", "nan",  "small", "signed"};

/* Texts that propagate a wrong value of one step to the last step; few random texts do so. */
static const char *const short_texts[] = {
    "a",
    "-a",
    "a + ch",
    "ch*40 - a",
    "a/2",
    "a*257",
    "a - 0.5",
    "a + x",
    "a > 60",
    "fma(a, 2, y)",
    "select(isnan(a), 7, a)",
    "a*a",
    "a + b",
    "max(a, c) - b",
    "a[0] - a[1]",
    "a[1], a[0]",
    "a[2] + ch",
    "w - a",
    "u64(a)",
    "a[0], a[0], a[0], a[3]",
};

/* Words of parameters, by name; others keep their defaults. */
static const struct {
    const char *name;
    const char *texts[12];
    uint32_t n;
} choices[] = {
    {"scale", {"1", "1", "1", "0.5", "-1", "3", "0.001", "255", "1e30", "-0.0625"}, 10},
    {"offset", {"0", "0", "-0", "0.5", "128", "-7.25", "70000", "-1e30"}, 8},
    {"gamma", {"1", "1", "1", "1", "1", "1", "1", "2.2"}, 8},
    {"range", {"value", "value", "full"}, 3},
    {"dtype", {"same", "same", "u8", "u16", "i16", "f32", "f32", "f16", "i8", "u32", "f64", "u64"}, 12},
    {"alpha", {"auto", "auto", "ignore", "straight"}, 4},
    {"mode", {"linear", "absdiff", "mul", "min", "max", "magnitude"}, 6},
    {"a", {"1", "0.5", "-2", "0"}, 4},
    {"b", {"1", "-1", "0.25"}, 3},
    {"c", {"0", "10", "-0.5"}, 3},
    {"value", {"0", "-0", "127", "0.5", "255", "-1", "300"}, 7},
    {"channels", {"each", "luma"}, 2},
    {"channel", {"0", "1", "2", "3"}, 4},
    {"border", {"replicate", "reflect", "reflect101", "constant", "wrap"}, 5},
    {"border_value", {"0", "7", "-0.5"}, 3},
    {"sigma", {"1", "2", "0.6,1.5", "0.3"}, 4},
    {"output", {"magnitude", "magnitude", "dx"}, 3},
    {"light", {"encoded", "encoded", "encoded", "linear"}, 4},
};

static void draw_params(struct gf_prng *prng, const struct gf_op *op, union gf_params *params)
{
    gf_op_params_default(op, params);
    for (size_t i = 0; i < GF_ARRAY_LEN(choices); i++) {
        const struct gf_param_desc *param = gf_op_param(op, choices[i].name);
        if (param != NULL) /* a word that this op does not have leaves the default */
            (void)gf_op_param_parse(op, param, choices[i].texts[gf_prng_below(prng, choices[i].n)], params, NULL);
    }
}

static uint32_t draw_dtype(struct gf_prng *prng, uint32_t set)
{
    uint32_t dtype;
    do
        dtype = gf_prng_below(prng, 32);
    while ((set & GF_DT(dtype)) == 0);
    return dtype;
}

/* Draws an operand that the step may take, with the common sides; with `like`, often of the same kind. */
static struct gf_ref draw_operand(struct gf_prng *prng, struct gf_program *p, const struct gf_input_desc *input,
                                  const struct gf_view *like, bool for_filters)
{
    struct gf_operand *o = &p->operands[p->n_operands];
    const struct gf_view sides = p->operands[0].view;
    bool alike = like != NULL && gf_prng_below(prng, 3) > 0;
    if (p->n_operands == GF_PIPELINE_OPERANDS)
        return (struct gf_ref){.index = (uint16_t)gf_prng_below(prng, p->n_operands)};
    uint32_t channels = alike ? like->channels : 1 + gf_prng_below(prng, for_filters ? 1 : 4);
    uint32_t dtype = alike                                        ? like->dtype
                     : for_filters && gf_prng_below(prng, 2) == 0 ? (uint32_t)GF_F32
                                                                  : draw_dtype(prng, input->dtypes);
    *o = (struct gf_operand){.way = GF_WAY_ARENA, .id = p->n_operands + 1};
    o->view = gf_view_tight(dtype, sides.width, sides.height, channels);
    o->view.pitch += gf_dtype_size(dtype) * (gf_prng_below(prng, 2) * 3);
    o->length = gf_view_bytes(&o->view);
    return (struct gf_ref){.index = (uint16_t)p->n_operands++};
}

static struct gf_ref draw_ref(struct gf_prng *prng, struct gf_program *p, const struct gf_input_desc *input,
                              const struct gf_view *like, bool for_filters)
{
    uint32_t choice = gf_prng_below(prng, 10);
    if (p->n_steps > 0 && choice < 6)
        return (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(p->n_steps - 1)};
    if (p->n_steps > 0 && choice < 8)
        return (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)gf_prng_below(prng, p->n_steps)};
    return p->n_operands > 1 && choice == 8 ? (struct gf_ref){.index = (uint16_t)gf_prng_below(prng, p->n_operands)}
                                            : draw_operand(prng, p, input, like, for_filters);
}

/* Draws the text of a step of expr. False if no text, or not the drawn one, would be accepted. */
static bool draw_text(struct gf_prng *prng, struct gf_pipeline *pipeline, const struct gf_view *in,
                      union gf_params *params)
{
    const struct gf_op *op = gf_op_by_name("expr");
    char *text = pipeline->texts[pipeline->program.n_steps], *set = pipeline->sets[pipeline->program.n_steps];
    set[0] = '\0';
    for (uint32_t i = 1; i < op->n_inputs; i++)
        if (gf_view_given(&in[i]) && (in[i].width != in->width || in[i].height != in->height ||
                                      (in[i].channels != in->channels && in[i].channels != 1 && in->channels != 1)))
            return false;
    if (gf_prng_below(prng, 2) == 0)
        (void)snprintf(text, GF_EXPRESSION_TEXT, "%s", PICK(prng, short_texts));
    else
        gf_expression_draw(op, prng, in, text, set);
    return gf_op_param_parse(op, gf_op_param(op, "expression"), text, params, NULL) == GF_OK &&
           (set[0] == '\0' || gf_op_param_parse(op, gf_op_param(op, "set"), set, params, NULL) == GF_OK);
}

/* Of a program that begins with filters: at times a step in front of one, the filter, steps behind it. */
static const char *draw_name(struct gf_prng *prng, const struct gf_program *p)
{
    const struct gf_op *first = p->steps[0].op;
    if (p->n_steps == 0)
        return gf_prng_below(prng, 2) == 0 ? "gaussian" : PICK(prng, before_filters);
    return p->n_steps == 1 && first->work.kind != GF_WORK_SEPARABLE ? "gaussian" : PICK(prng, behind_filters);
}

/* Draws the next step. False if its parts do not fit together. */
static bool draw_step(struct gf_prng *prng, struct gf_pipeline *pipeline)
{
    struct gf_program *p = &pipeline->program;
    struct gf_step *step = &p->steps[p->n_steps];
    bool follows = pipeline->filters && p->n_steps > 0 && p->n_steps < 4;
    const char *name = pipeline->filters && p->n_steps < 4 ? draw_name(prng, p) : PICK(prng, op_names);
    const struct gf_op *op = gf_op_by_name(name);
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    *step = (struct gf_step){.op = op};
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        bool given = i < op->n_required || (strcmp(name, "expr") == 0 && gf_prng_below(prng, 2) == 0);
        if (follows && i == 0)
            step->in[i] = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(p->n_steps - 1)};
        else if (given)
            step->in[i] = draw_ref(prng, p, &op->inputs[i], i > 0 ? &in[0] : NULL, pipeline->filters);
        else
            step->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
        in[i] = *gf_program_input_view(p, step->in[i]);
        if (given && (op->inputs[i].dtypes & GF_DT(in[i].dtype)) == 0)
            return false;
    }
    draw_params(prng, op, &step->params);
    if (strcmp(name, "expr") == 0 && !draw_text(prng, pipeline, in, &step->params))
        return false;
    return gf_op_infer(op, in, op->n_inputs, &step->params, step->out, NULL) == GF_OK;
}

/* Adds the next step with its operands, or leaves the program unchanged. */
static void add_step(struct gf_prng *prng, struct gf_pipeline *pipeline)
{
    struct gf_program *p = &pipeline->program;
    uint32_t n_operands = p->n_operands;
    for (uint32_t tries = 0; !draw_step(prng, pipeline); tries++) {
        p->n_operands = n_operands;
        pipeline->filters = pipeline->filters && tries < 20; /* no filter takes what the steps so far may give */
    }
    p->n_steps++;
}

static void draw_results(struct gf_prng *prng, struct gf_program *p)
{
    for (uint32_t s = 0; s < p->n_steps; s++)
        if (s + 1 == p->n_steps || gf_prng_below(prng, 8) == 0)
            p->results[p->n_results++] = (struct gf_result){.step = (uint16_t)s, .way = GF_WAY_INLINE};
}

/* A step of a given program; its inputs are operands by their digits, or the step before: "<". */
struct given_step {
    const char *op, *inputs, *name, *value;
};

/* Two operands, not all of them used, and two steps that become one. */
static const struct given {
    uint32_t dtypes[2], channels[2];
    struct given_step steps[2];
} givens[] = {
    /* -0 becomes +0, of integers it is none */
    {{GF_F32, 0}, {1, 0}, {{"map", "0", NULL, NULL}, {"copy", "<", NULL, NULL}}},
    {{GF_F32, 0}, {1, 0}, {{"map", "0", "dtype", "i16"}, {"expr", "<", "expression", "1/f32(a)"}}},
    {{GF_F64, 0}, {1, 0}, {{"expr", "0", "dtype", "i8"}, {"expr", "<", "expression", "1/f64(a)"}}},
    /* ch of one channel that then stands for three */
    {{GF_U8, GF_U8}, {1, 3}, {{"expr", "0", "expression", "a + ch + 1"}, {"expr", "<1", "expression", "a + b"}}},
    /* alpha that f32 has no room for, beside values of f32 */
    {{GF_U32, GF_F32}, {2, 2}, {{"copy", "0", NULL, NULL}, {"expr", "<1", "expression", "b*0.5"}}},
    {{GF_I64, GF_F32}, {4, 4}, {{"copy", "0", NULL, NULL}, {"expr", "<1", "expression", "b*0.5"}}},
    /* a threshold is above, not at */
    {{GF_I16, 0}, {1, 0}, {{"threshold", "0", "value", "0"}, {"map", "<", "dtype", "f32"}}},
};

static void add_given(const struct given *given, struct gf_pipeline *pipeline)
{
    struct gf_program *p = &pipeline->program;
    for (uint32_t i = 0; i < 2 && given->dtypes[i] != 0; i++) {
        struct gf_view view = gf_view_tight(given->dtypes[i], 67, 5, given->channels[i]);
        p->operands[p->n_operands++] =
            (struct gf_operand){.way = GF_WAY_ARENA, .id = i + 1, .length = gf_view_bytes(&view), .view = view};
    }
    for (uint32_t s = 0; s < 2; s++) {
        const struct given_step *from = &given->steps[s];
        struct gf_step *step = &p->steps[p->n_steps++];
        step->op = gf_op_by_name(from->op);
        gf_op_params_default(step->op, &step->params);
        for (uint32_t i = 0; i < step->op->n_inputs; i++)
            step->in[i] = i >= strlen(from->inputs) ? (struct gf_ref){.from = GF_FROM_NOTHING}
                          : from->inputs[i] == '<'  ? (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(s - 1)}
                                                    : (struct gf_ref){.index = (uint16_t)(from->inputs[i] - '0')};
        if (strcmp(from->op, "expr") == 0)
            (void)gf_op_param_parse(step->op, gf_op_param(step->op, "expression"), "a", &step->params, NULL);
        if (from->name != NULL)
            (void)gf_op_param_parse(step->op, gf_op_param(step->op, from->name), from->value, &step->params, NULL);
    }
    p->results[p->n_results++] = (struct gf_result){.step = 1, .way = GF_WAY_INLINE};
}

static void draw(struct gf_prng *prng, struct gf_pipeline *pipeline)
{
    struct gf_program *p = &pipeline->program;
    pipeline->filters = gf_prng_below(prng, 4) == 0;
    bool large = gf_prng_below(prng, 8) == 0; /* more than a block of threads has */
    p->operands[0].view =
        gf_view_tight(GF_U8, 1 + gf_prng_below(prng, large ? 400 : 70), 1 + gf_prng_below(prng, large ? 90 : 9), 1);
    uint32_t n = 2 + gf_prng_below(prng, GF_PIPELINE_STEPS - 1);
    while (p->n_steps < n)
        add_step(prng, pipeline);
    draw_results(prng, p);
}

bool gf_pipeline_init(struct gf_prng *prng, uint64_t number, struct gf_pipeline *pipeline)
{
    struct gf_program *p = &pipeline->program;
    struct gf_error err = {0};
    bool is_given = number < GF_ARRAY_LEN(givens);
    memset(pipeline, 0, sizeof(*pipeline));
    memcpy(p->device, "auto", sizeof("auto"));
    if (is_given)
        add_given(&givens[number], pipeline);
    else
        draw(prng, pipeline);
    if (gf_program_check(p, true, &err) != GF_OK) {
        printf("FAILED: a program is refused: %s\n", err.text);
        return false;
    }
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (!gf_guarded_init(&p->operands[i].view, gf_prng_below(prng, 3), TAIL, POISON, &pipeline->operands[i]) ||
            !gf_data_fill(is_given ? "special" : PICK(prng, kinds), prng, 0, &p->operands[i].view,
                          pipeline->operands[i].buf.data)) {
            gf_pipeline_deinit(pipeline);
            return false;
        }
    return true;
}

void gf_pipeline_deinit(struct gf_pipeline *pipeline)
{
    for (uint32_t i = 0; i < GF_PIPELINE_OPERANDS; i++)
        gf_guarded_deinit(&pipeline->operands[i]);
}

void gf_pipeline_print(const struct gf_program *p)
{
    char text[GF_EXPRESSION_TEXT], view[64];
    for (uint32_t s = 0; s < p->n_steps; s++) {
        const struct gf_step *step = &p->steps[s];
        printf("  step %u %s", s, step->op->name);
        for (uint32_t i = 0; i < step->op->n_inputs; i++)
            if (step->in[i].from != GF_FROM_NOTHING)
                printf(" %s%u %s", step->in[i].from == GF_FROM_STEP ? "step" : "operand", step->in[i].index,
                       gf_view_text(gf_program_input_view(p, step->in[i]), view, sizeof(view)));
        for (uint32_t i = 0; i < step->op->n_params; i++)
            if (!gf_op_param_is_default(&step->op->params[i], &step->params))
                printf(" %s=%s", step->op->params[i].name,
                       gf_op_param_text(&step->op->params[i], &step->params, text, sizeof(text)));
        printf(" -> %s\n", gf_view_text(&step->out[0], view, sizeof(view)));
    }
    for (uint32_t i = 0; i < p->n_results; i++)
        printf("  result step %u\n", p->results[i].step);
}
