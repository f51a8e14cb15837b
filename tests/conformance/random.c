/* SPDX-License-Identifier: MIT */
/* Random cases from the op table: any op, dtype, shape, mask and parameters. Called by the runner. */
#include <inttypes.h>
#include <string.h>

#include "case.h"
#include "protocol/enums.h"

/* Steps of the gold, taps times samples, that one case may cost. */
#define COST_LIMIT 400000.0

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
    {"border_value", {"0", "255", "1", "0.5", "-3", "1e30", "17"}, 7},
};

static const uint32_t sides[] = {1,  1,  2,  3,  5,  7,  8,  13, 15,  16,  17,  29,
                                 31, 32, 33, 37, 63, 64, 65, 97, 127, 128, 129, 257};
static const uint32_t mask_sides[] = {1, 1, 2, 3, 3, 3, 4, 5, 5, 7, 8, 9, 11, 16, 31, 60};
static const char *const dtypes[] = {"u8", "u16", "f32"};
static const char *const data_kinds[] = {"random", "extreme", "full",    "ramp",  "ties",
                                         "bits",   "special", "special", "alpha", "tiny"};
static const char *const mask_kinds[] = {"int",  "ones", "fraction", "random", "positive", "sparse",
                                         "edge", "tiny", "cancel",   "limit",  "over",     "zeros"};

#define PICK(prng, array) ((array)[gf_prng_below((prng), (uint32_t)GF_ARRAY_LEN(array))])

/* A text for one parameter, "" to leave it out. */
static void random_value(const struct gf_param_desc *param, struct gf_prng *prng, uint32_t channels,
                         const uint32_t *mask, char *text, size_t size)
{
    text[0] = '\0';
    if (param->kind == GF_PARAM_ENUM) {
        uint32_t first = 0, n = 0;
        for (uint32_t i = 0; i < gf_n_words; i++)
            if (gf_words[i].e == param->e && gf_words[i].help != NULL)
                first = n++ == 0 ? i : first;
        snprintf(text, size, "%s", gf_words[first + gf_prng_below(prng, n)].word);
    } else if (strcmp(param->name, "anchor") == 0) {
        snprintf(text, size, "%" PRIu32 ",%" PRIu32, gf_prng_below(prng, mask[0]), gf_prng_below(prng, mask[1]));
    } else if (strcmp(param->name, "border_value") == 0 && channels > 1 && gf_prng_below(prng, 2) == 0) {
        size_t used = 0;
        for (uint32_t c = 0; c < channels; c++)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRIu32, c == 0 ? "" : ",", gf_prng_below(prng, 256));
    } else {
        for (size_t i = 0; i < GF_ARRAY_LEN(choices); i++)
            if (strcmp(choices[i].name, param->name) == 0)
                snprintf(text, size, "%s", choices[i].texts[gf_prng_below(prng, choices[i].n)]);
    }
}

/* Taps times samples of the gold of a step; ops without mask or window count as small. */
static double cost(const struct gf_case *c, const struct gf_case_step *step)
{
    double taps = (double)step->mask_width * step->mask_height;
    if (step->op->index == GF_INDEX_box)
        taps = (double)GF_PICK(step->params.box.size, 0) * (double)GF_PICK(step->params.box.size, 1);
    if (step->op->index == GF_INDEX_gaussian)
        taps = 2.0 * gf_gaussian_radius(GF_PICK(step->params.gaussian.sigma, 0), step->params.gaussian.truncate) +
               2.0 * gf_gaussian_radius(GF_PICK(step->params.gaussian.sigma, 1), step->params.gaussian.truncate);
    return (taps + 8.0) * (double)gf_view_samples(&c->src);
}

/* Draws the text of a one-step case. `like` gives the shape, NULL for any. */
static void random_line(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *like, char *line,
                        size_t size)
{
    const char *dtype = like == NULL ? PICK(prng, dtypes) : gf_dtype_word(like->dtype);
    uint32_t channels = like == NULL ? 1 + gf_prng_below(prng, 4) : like->channels;
    uint64_t width = like == NULL ? PICK(prng, sides) : like->width;
    uint64_t height = like == NULL ? PICK(prng, sides) : like->height;
    size_t pad = gf_prng_below(prng, 4) * gf_dtype_size(gf_dtype_from_word(dtype));
    uint32_t mask[2] = {PICK(prng, mask_sides), PICK(prng, mask_sides)};
    char mask_text[40] = "-";
    if (op->n_inputs > 1)
        snprintf(mask_text, sizeof(mask_text), "%" PRIu32 "x%" PRIu32 ":%s", mask[0], mask[1], PICK(prng, mask_kinds));
    size_t used = (size_t)snprintf(line, size, "%s,%" PRIu64 "x%" PRIu64 "x%" PRIu32 ",%s,%zu,%s,", dtype, width,
                                   height, channels, mask_text, pad, PICK(prng, data_kinds));
    for (uint32_t i = 0; i < op->n_params && used < size; i++) {
        char value[64];
        random_value(&op->params[i], prng, channels, mask, value, sizeof(value));
        if (value[0] != '\0' && gf_prng_below(prng, 2) == 0)
            used += (size_t)snprintf(line + used, size - used, "%s%s=%s", line[used - 1] == ',' ? "" : " ",
                                     op->params[i].name, value);
    }
}

/* A one-step case that fits, by drawing until there is one. */
static void draw(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, const struct gf_view *like,
                 struct gf_case *ret_case)
{
    char line[400];
    do
        random_line(op, prng, like, line, sizeof(line));
    while (gf_case_parse(op, line, seed, ret_case, NULL) != GF_OK || cost(ret_case, &ret_case->steps[0]) > COST_LIMIT);
}

/* Adds a step of any op on the image or on the output of an earlier step. */
static void add_step(struct gf_case *c, struct gf_prng *prng, uint64_t seed)
{
    int source = (int)gf_prng_below(prng, c->n_steps + 1) - 1;
    struct gf_case drawn;
    draw(&gf_ops[gf_prng_below(prng, GF_N_OPS)], prng, seed, source < 0 ? &c->src : &c->steps[source].out, &drawn);
    struct gf_case_step *step = &c->steps[c->n_steps++];
    *step = drawn.steps[0];
    step->source = source;
    if (source >= 0)
        c->steps[source].kept = gf_prng_below(prng, 2) == 0;
    size_t used = strlen(c->text);
    snprintf(c->text + used, sizeof(c->text) - used, " | of %d %.180s", source, drawn.text);
}

void gf_case_random(const struct gf_op *op, struct gf_prng *prng, uint64_t seed, struct gf_case *ret_case)
{
    draw(op, prng, seed, NULL, ret_case);
    uint32_t more = gf_prng_below(prng, 4) == 0 ? 1 + gf_prng_below(prng, GF_CASE_STEPS - 1) : 0;
    for (uint32_t i = 0; i < more; i++)
        add_step(ret_case, prng, seed);
}
