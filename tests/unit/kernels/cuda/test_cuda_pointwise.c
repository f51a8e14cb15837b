/* SPDX-License-Identifier: MIT */
/*
 * kernels/cuda/filter/pointwise.c: which steps around a filter become instructions on one value, and that the
 * instructions give the bits of the reference. Needs no device: the code of the kernels is compiled here, too.
 */
#include "kernels/cuda/filter/pointwise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/shared/expr/operators.h"
#include "protocol/base/base.h"
#include "protocol/base/text.h"
#include "protocol/expr/expr.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/reference/reference.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

static float run_insn(const struct gf_cuda_pointwise_insn *insn, float v)
{
    const float a = insn->a, b = insn->b, c = insn->c;
    switch (insn->op) {
#define GF_CUDA_POINTWISE(name, value)                                                                                 \
    case GF_CUDA_POINTWISE_##name:                                                                                     \
        return value;
#include "kernels/cuda/filter/pointwise.def"
    default:
        fail_msg("instruction %u", insn->op);
        return 0.0f;
    }
}

/* A step and one word of its parameters, from samples of a dtype. */
struct text {
    uint32_t dtype;
    const char *op, *param, *value, *out;
};

/* False where the text is refused. */
static bool make_step(const struct text *text, const struct gf_view *in, struct gf_step *ret_step)
{
    struct gf_error err = {0};
    struct gf_view views[GF_MAX_INPUTS] = {*in};
    *ret_step = (struct gf_step){.op = gf_op_by_name(text->op)};
    gf_op_params_default(ret_step->op, &ret_step->params);
    for (uint32_t i = 1; i < GF_MAX_INPUTS; i++)
        ret_step->in[i].from = GF_FROM_NOTHING;
    const char *words[] = {text->param, text->value, text->out != NULL ? "dtype" : NULL, text->out};
    for (uint32_t i = 0; i < 4; i += 2)
        if (words[i] != NULL && gf_op_param_parse(ret_step->op, gf_op_param(ret_step->op, words[i]), words[i + 1],
                                                  &ret_step->params, &err) != GF_OK)
            fail_msg("%s", err.text);
    return gf_op_infer(ret_step->op, views, ret_step->op->n_inputs, &ret_step->params, ret_step->out, &err) == GF_OK;
}

static bool make(const struct text *text, const struct gf_view *in, struct gf_step *step,
                 struct gf_cuda_pointwise *pointwise)
{
    static struct gf_expr nodes; /* big */
    pointwise->n = 0;
    return make_step(text, in, step) && gf_fuse_step(step, in, &nodes) &&
           gf_cuda_pointwise_add_store(pointwise, in->dtype) && gf_cuda_pointwise_add(pointwise, &nodes);
}

/* Results of filters before the store: values of every kind, including values outside the range of integers. */
static const float values[] = {0.0f,   -0.0f,  0.4f,    0.5f,   1.5f,   2.5f,     3.0f,      -1.0f,    99.5f,
                               100.0f, 119.5f, 120.0f,  127.0f, 128.0f, 254.5f,   255.0f,    256.0f,   300.0f,
                               -7.25f, 1e-40f, -1e-40f, 3e38f,  -3e38f, 32767.5f, -32769.f,  65534.5f, 70000.0f,
                               1e-3f,  0.75f,  200.25f, 5.0f,   -3.5f,  INFINITY, -INFINITY, NAN};
#define N (sizeof values / sizeof values[0])

/* Stores the values in a dtype: u8, u16, i16 or f32. */
static void store(uint32_t dtype, const float *v, void *to)
{
    for (size_t i = 0; i < N; i++)
        if (dtype == GF_U8)
            ((uint8_t *)to)[i] = (uint8_t)gf_expr_whole_f32(v[i], 0.0f, 255.0f);
        else if (dtype == GF_U16)
            ((uint16_t *)to)[i] = (uint16_t)gf_expr_whole_f32(v[i], 0.0f, 65535.0f);
        else if (dtype == GF_I16)
            ((int16_t *)to)[i] = (int16_t)gf_expr_whole_f32(v[i], -32768.0f, 32767.0f);
        else
            ((float *)to)[i] = v[i] != v[i] ? NAN : v[i];
}

/* Whether a step becomes instructions. If it does, checks that they give the bits of the reference. */
static bool fits(const struct text *text)
{
    const struct gf_view in = gf_view_tight(text->dtype, N, 1, 1);
    struct gf_step step;
    struct gf_cuda_pointwise pointwise;
    float samples[N], made[N], stored[N];
    double out[N];
    if (!make(text, &in, &step, &pointwise))
        return false;
    store(text->dtype, values, samples);
    struct gf_reference_buf from[GF_MAX_INPUTS] = {{samples, in}}, to = {out, step.out[0]};
    assert_int_equal(gf_reference_run(step.op, &step.params, from, &to, NULL), GF_OK);
    for (size_t i = 0; i < N; i++) {
        made[i] = values[i];
        for (uint32_t k = 0; k < pointwise.n; k++)
            made[i] = run_insn(&pointwise.insns[k], made[i]);
    }
    if (step.out[0].dtype == GF_F16)
        return true; /* stored by the kernels alone */
    store(step.out[0].dtype, made, stored);
    const size_t size = gf_dtype_size(step.out[0].dtype);
    for (size_t i = 0; i < N; i++)
        if (memcmp((char *)stored + i * size, (char *)out + i * size, size) != 0)
            fail_msg("%s %s of dtype %u to %u, %g: %g", text->op, text->value, text->dtype, step.out[0].dtype,
                     (double)values[i], (double)made[i]);
    return true;
}

static void steps_that_fit_have_the_bits_of_the_reference(void **state)
{
    UNUSED(state);
    static const struct text texts[] = {
        {GF_U8, "threshold", "value", "120", NULL},
        {GF_F32, "threshold", "value", "120", NULL},
        {GF_I16, "threshold", "value", "-1", NULL},
        {GF_F32, "map", "scale", "-1.25", NULL},
        {GF_F32, "map", "offset", "3", "u8"},
        {GF_U16, "map", "scale", "0.5", "f32"},
        {GF_U8, "map", "offset", "-200", "i16"},
        {GF_U8, "copy", NULL, NULL, NULL},
        {GF_F32, "copy", NULL, NULL, NULL},
        {GF_U8, "expr", "expression", "255 - a", NULL},
        {GF_U8, "expr", "expression", "-a", "i16"},
        {GF_U8, "expr", "expression", "a*0", "f32"},
        {GF_U8, "expr", "expression", "-(a*3) + 5", "f32"},
        {GF_U8, "expr", "expression", "clamp(a*1.2 - 20, 0, 255)", NULL},
        {GF_F32, "expr", "expression", "clamp(a*1.2 - 20, 0, 255)", "u8"},
        {GF_F32, "expr", "expression", "min(a, 18446744073709551615)", NULL},
        {GF_F32, "expr", "expression", "max(a, 3) - 3", NULL},
        {GF_F32, "expr", "expression", "-abs(a)", NULL},
        {GF_F32, "expr", "expression", "5 - a", NULL},
        {GF_F32, "expr", "expression", "a/4 - 0", NULL},
        {GF_F32, "expr", "expression", "fma(2.5, a, 1)", NULL},
        {GF_F32, "expr", "expression", "a > 100", NULL},
        {GF_F32, "expr", "expression", "a >= 100", "u8"},
        {GF_F32, "expr", "expression", "100 > a", "f32"},
        {GF_F32, "expr", "expression", "a*2 <= 5", "f32"},
        {GF_F32, "expr", "expression", "f32(a < 3)*7", NULL},
        {GF_U8, "expr", "expression", "(a == 3) + 1", NULL},
        {GF_U8, "expr", "expression", "a != 3", NULL},
        {GF_F32, "expr", "expression", "select(a > 2.5, a, 0)", NULL},
        {GF_F32, "expr", "expression", "select(a >= 2.5, a, 9)", NULL},
        {GF_F32, "expr", "expression", "select(a < 2.5, 1, a)", NULL},
        {GF_F32, "expr", "expression", "select(2.5 < a, 1, a)", NULL},
        {GF_F32, "expr", "expression", "select(a <= 2.5, a, 1)", NULL},
        {GF_F32, "expr", "expression", "select(a != 3, 1, 2)", NULL},
        {GF_I16, "expr", "expression", "select(a == 100, 5, 7)*2", "f16"},
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        if (!fits(&texts[t]))
            fail_msg("%s %s does not fit", texts[t].op, texts[t].value);
}

/* Texts around a text, @, and numbers, #. */
static const char *const around[] = {"(@)*#",
                                     "(@)+#",
                                     "#-(@)",
                                     "(@)-#",
                                     "min(@,#)",
                                     "max(#,@)",
                                     "abs(@)",
                                     "clamp(@,#,200)",
                                     "-(@)",
                                     "(@)/4",
                                     "fma(@,#,#)",
                                     "fma(#,@,#)",
                                     "(@)>=#",
                                     "(@)!=#",
                                     "f32(@)",
                                     "select((@)>#,#,#)",
                                     "select(#<(@),#,@)",
                                     "select((@)<=#,@,#)",
                                     "select((@)==#,#,#)"};
static const char *const numbers[] = {"0",   "1",   "-1",  "2",    "0.5",  "-0.25", "3",
                                      "100", "255", "1.2", "-7.5", "1e-3", "70000"};

#define PICK(prng, array) ((array)[gf_prng_below((prng), (uint32_t)GF_ARRAY_LEN(array))])

static void put_around(struct gf_prng *prng, char *text, size_t size)
{
    char inner[2048];
    (void)snprintf(inner, sizeof inner, "%s", text);
    text[0] = '\0';
    for (const char *c = PICK(prng, around); *c != '\0'; c++) {
        const char one[2] = {*c, '\0'};
        gf_text_append(text, size, "%s", *c == '@' ? inner : *c == '#' ? PICK(prng, numbers) : one);
    }
}

static void random_texts_that_fit_have_the_bits_of_the_reference(void **state)
{
    UNUSED(state);
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_I16, GF_F32};
    static const char *const outs[] = {NULL, "u8", "i16", "f32"};
    struct gf_prng prng = {20261125};
    uint32_t n = 0;
    for (int i = 0; i < 6000; i++) {
        char text[1024] = "a";
        for (uint32_t depth = 1 + gf_prng_below(&prng, 4); depth > 0 && strlen(text) < 300; depth--)
            put_around(&prng, text, sizeof text);
        const struct text step = {PICK(&prng, dtypes), "expr", "expression", text, PICK(&prng, outs)};
        n += fits(&step);
    }
    assert_in_range(n, 3000, 6000);
}

static void what_is_more_than_one_value_stays_a_step(void **state)
{
    UNUSED(state);
    static const struct text texts[] = {
        {GF_F32, "expr", "expression", "a*a", NULL},
        {GF_I16, "expr", "expression", "select(a < 100, -a, 7)", NULL},
        {GF_F32, "expr", "expression", "a + x", NULL},
        {GF_F32, "expr", "expression", "sqrt(a)", NULL},
        {GF_F32, "expr", "expression", "a/3", NULL},
        {GF_F32, "expr", "expression", "3/a", NULL},
        {GF_F32, "expr", "expression", "f64(a)*2", NULL},
        {GF_F32, "expr", "expression", "i64(a) + 1", NULL},
        {GF_F32, "expr", "expression", "t = a < 3; b1 = a*2; select(t, b1, 1)", NULL},
        {GF_F32, "expr", "expression", "a*0.5 + y", NULL},
        {GF_U16, "expr", "expression", "a*300", "f32"}, /* above 2^24 */
        {GF_F16, "map", "scale", "2", NULL},
        {GF_F32, "map", "gamma", "2.2", NULL},
        {GF_U8, "expr", "expression", "a // 2", NULL},
        {GF_U8, "expr", "expression", "a+1;", NULL},
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct gf_view in = gf_view_tight(texts[t].dtype, 4, 4, 1);
        struct gf_step step;
        struct gf_cuda_pointwise pointwise;
        bool last = t + 1 == sizeof texts / sizeof texts[0];
        if (make(&texts[t], &in, &step, &pointwise) != last)
            fail_msg("%s", texts[t].value);
    }
}

static void there_is_room_for_so_many(void **state)
{
    UNUSED(state);
    const struct text text = {GF_U8, "map", "scale", "1.5", "u8"};
    struct gf_view in = gf_view_tight(GF_U8, 4, 4, 1);
    struct gf_step step;
    struct gf_cuda_pointwise pointwise = {0};
    static struct gf_expr nodes; /* big */
    assert_true(make_step(&text, &in, &step));
    assert_true(gf_fuse_step(&step, &in, &nodes));
    for (uint32_t n = 0; n < GF_CUDA_POINTWISE_INSNS / 2; n++)
        assert_true(gf_cuda_pointwise_add(&pointwise, &nodes) && gf_cuda_pointwise_add_store(&pointwise, GF_U8));
    assert_int_equal(pointwise.n, GF_CUDA_POINTWISE_INSNS);
    assert_false(gf_cuda_pointwise_add_store(&pointwise, GF_U8));
    assert_false(gf_cuda_pointwise_add(&pointwise, &nodes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_fit_have_the_bits_of_the_reference),
        cmocka_unit_test(random_texts_that_fit_have_the_bits_of_the_reference),
        cmocka_unit_test(what_is_more_than_one_value_stays_a_step),
        cmocka_unit_test(there_is_room_for_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
