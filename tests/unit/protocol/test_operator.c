/* SPDX-License-Identifier: MIT */
/* reduce and scan with op=user before they compute: shapes, types, messages, and the reach of a step. */
#include "protocol/ops/texts/operator.h"

#include <stdio.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/reach.h"
#include "tests/unit/unit.h"

static const struct gf_view none;

/* "combine=a0 + b0|finish=a0" and so on. */
static struct gf_step step_of(uint32_t index, const char *params)
{
    struct gf_step step = {.op = &gf_ops[index]};
    static char words[512]; /* where the texts stand */
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_op_param_parse(step.op, gf_op_param(step.op, "op"), "user", &step.params, NULL), GF_OK);
    assert_in_range(snprintf(words, sizeof words, "%s", params), 1, sizeof words - 1);
    for (char *rest = words, *word; (word = strsep(&rest, "|")) != NULL;) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_int_equal(gf_op_param_parse(step.op, gf_op_param(step.op, word), value, &step.params, NULL), GF_OK);
    }
    return step;
}

static struct gf_view result_of(uint32_t index, const char *params, struct gf_view src, struct gf_view segments)
{
    struct gf_step step = step_of(index, params);
    const struct gf_view in[GF_MAX_INPUTS] = {src, segments};
    struct gf_view out;
    struct gf_error err;
    if (gf_op_infer(step.op, in, step.op->n_inputs, &step.params, &out, &err) != GF_OK)
        fail_msg("%s: %s", params, err.text);
    return out;
}

static void assert_refused(uint32_t index, const char *params, struct gf_view src, struct gf_view segments,
                           const char *says)
{
    struct gf_step step = step_of(index, params);
    const struct gf_view in[GF_MAX_INPUTS] = {src, segments};
    struct gf_view out;
    struct gf_error err = {0};
    assert_int_equal(gf_op_infer(step.op, in, step.op->n_inputs, &step.params, &out, &err), GF_E_BAD_PARAM);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void results_have_the_type_of_finish(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t from;
        const char *params;
        uint32_t to;
    } cases[] = {
        {GF_U8, "combine=a0 + b0", GF_I64},
        {GF_U64, "combine=a0 + b0", GF_U64},
        {GF_F32, "combine=a0 + b0", GF_F32},
        {GF_F64, "combine=max(a0, b0)", GF_F64},
        {GF_F32, "lift=a > 0|combine=a0 & b0", GF_U8},
        {GF_F32, "lift=1|combine=a0 + b0", GF_I64},
        {GF_F32, "lift=0.5|combine=a0 + b0", GF_F64},
        {GF_F32, "lift=a, i|combine=a0 + b0, b1|finish=a1", GF_I64},
        {GF_I16, "combine=a0*b0|finish=sqrt(a0)", GF_F64},
        {GF_I16, "lift=f32(a)|combine=a0*0.5 + b0", GF_F32},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_view src = gf_view_tight(cases[i].from, 40, 30, 1);
        struct gf_view out = result_of(GF_INDEX_reduce, cases[i].params, src, none);
        if (out.dtype != cases[i].to)
            fail_msg("%s: %s", cases[i].params, gf_dtype_word(out.dtype));
        assert_true(out.width == 1 && out.height == 1 && out.channels == 1);
        out = result_of(GF_INDEX_scan, cases[i].params, src, none);
        assert_true(out.dtype == cases[i].to && out.width == 40 && out.height == 30 && out.channels == 1);
    }
}

static void sequences_are_of_channels_or_of_pixels(void **state)
{
    UNUSED(state);
    struct gf_view colour = gf_view_tight(GF_F32, 40, 30, 3), grey = gf_view_tight(GF_F32, 40, 30, 1), out;
    struct gf_view list = gf_view_tight(GF_U32, 6, 1, 1);
    assert_int_equal(result_of(GF_INDEX_reduce, "combine=a0 + b0", colour, none).channels, 3);
    assert_int_equal(result_of(GF_INDEX_reduce, "lift=a, i|combine=a0 + b0, b1|finish=a0", colour, none).channels, 3);
    assert_int_equal(result_of(GF_INDEX_reduce, "lift=a[0]*a[2]|combine=a0 + b0", colour, none).channels, 1);
    assert_int_equal(result_of(GF_INDEX_reduce, "lift=a, a|combine=a0, b1", grey, none).channels, 2);
    out = result_of(GF_INDEX_reduce, "axis=rows|lift=a[0], a[1]|combine=a0, b1", colour, none);
    assert_true(out.width == 1 && out.height == 30 && out.channels == 2);
    out = result_of(GF_INDEX_reduce, "axis=cols|combine=b0", colour, none);
    assert_true(out.width == 40 && out.height == 1 && out.channels == 3);
    out = result_of(GF_INDEX_reduce, "combine=b0|identity=0", colour, list);
    assert_true(out.width == 5 && out.height == 1 && out.channels == 3);
    assert_int_equal(result_of(GF_INDEX_scan, "lift=a[0], a[1]|combine=a0, b1", colour, none).channels, 2);
    assert_refused(GF_INDEX_reduce, "lift=a, i|combine=a0, b1|finish=a0, a0", colour, none,
                   "finish: 2 values are channels of the result, but each of the 3 channels");
    assert_refused(GF_INDEX_reduce, "lift=ch|combine=a0|finish=a0, a0", grey, none, "ch is not defined");
}

static void texts_that_do_not_fit_are_refused(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t op;
        const char *params, *says;
    } cases[] = {
        {GF_INDEX_reduce, "lift=a", "reduce: op=user needs combine"},
        {GF_INDEX_reduce, "lift=a, i|combine=a0", "combine: column 1: 1 value, but a state has 2"},
        {GF_INDEX_reduce, "combine=a0, b0", "2 values, but a state has 1"},
        {GF_INDEX_reduce, "combine=a + b0", "combine: column 1: a: a text on states has no samples"},
        {GF_INDEX_reduce, "combine=a0 + b1", "no name b1"},
        {GF_INDEX_reduce, "combine=f64(a0) + b0", "value 0 is f64, the state's is f32; f32(v) converts"},
        {GF_INDEX_reduce, "combine=a0 < b0", "value 0 is bool, the state's is f32"},
        {GF_INDEX_reduce, "lift=i|combine=a0 + 0.5", "value 0 is f64, the state's is i64"},
        {GF_INDEX_reduce, "lift=i|combine=0.5", "value 0 is f64, the state's is i64"},
        {GF_INDEX_reduce, "lift=u64(a)|combine=-1", "value 0 may be below 0, the state's is u64"},
        {GF_INDEX_reduce, "lift=i|combine=18446744073709551615", "value 0 is above 2^63 - 1"},
        {GF_INDEX_reduce, "combine=a0 + i", "no name i"},
        {GF_INDEX_reduce, "combine=a0 + x", "x is not defined in this text"},
        {GF_INDEX_reduce, "combine=a0|finish=b0", "no name b0"},
        {GF_INDEX_reduce, "combine=a0|finish=a0 + b0", "no name b0"},
        {GF_INDEX_reduce, "combine=a0|identity=a0", "identity: names a value of a state"},
        {GF_INDEX_reduce, "combine=a0|identity=0, 1", "identity: column 1: 2 values, but a state has 1"},
        {GF_INDEX_reduce, "lift=a, i|combine=a0, b1", "finish: value 0 is f32, value 1 is i64"},
        {GF_INDEX_reduce, "lift=b|combine=a0", "lift: column 1: b: no input b was given"},
        {GF_INDEX_reduce, "combine=a0|nan=omit", "op=user cannot be used with nan"},
        {GF_INDEX_reduce, "combine=a0|ddof=1", "op=user cannot be used with ddof"},
        {GF_INDEX_reduce, "combine=a0|overflow=wrap", "op=user cannot be used with overflow"},
        {GF_INDEX_scan, "combine=a0|exclusive=1", "op=user with exclusive=1 needs identity"},
        {GF_INDEX_scan, "combine=a0|dtype=f64", "op=user cannot be used with dtype"},
        {GF_INDEX_scan, "combine=a0|start=initial", "op=user cannot be used with start"},
        {GF_INDEX_scan, "combine=a0|op=sum", "scan: combine is only used with op=user"},
        {GF_INDEX_reduce, "combine=a0|op=user|set=t=5", "reduce: column 1 of set: no parameter t; no text declares it"},
        {GF_INDEX_scan, "lift=param t = 3; a*t|combine=a0|set=t=5, q=1", "scan: column 6 of set: no parameter q"},
        {GF_INDEX_reduce, "lift=param n = 3; a*n|combine=a0|set=n=1.5",
         "reduce: column 3 of set: n takes whole numbers"},
        {GF_INDEX_reduce, "set=t=5|op=max", "reduce: set is only used with op=user"},
        {GF_INDEX_reduce, "identity=a0|op=max", "reduce: identity is only used with op=user"},
    };
    const struct gf_view src = gf_view_tight(GF_F32, 40, 30, 1);
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++)
        assert_refused(cases[i].op, cases[i].params, src, none, cases[i].says);
    assert_refused(GF_INDEX_reduce, "combine=a0", src, gf_view_tight(GF_U32, 6, 1, 1),
                   "op=user with segments, which may have no elements, needs identity");
}

static void a_step_that_asks_for_places_is_not_cut(void **state)
{
    UNUSED(state);
    static const struct {
        const char *params;
        bool across, down;
    } cases[] = {
        {"axis=rows|combine=a0", true, false},       {"axis=rows|lift=x|combine=a0", true, false},
        {"axis=rows|lift=y|combine=a0", true, true}, {"axis=cols|lift=i|combine=a0", false, true},
        {"axis=cols|lift=x|combine=a0", true, true}, {"combine=a0", true, true},
    };
    const struct gf_view in[GF_MAX_INPUTS] = {gf_view_tight(GF_F32, 40, 30, 1)};
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_step step = step_of(GF_INDEX_reduce, cases[i].params);
        struct gf_reach reach;
        gf_step_reach(&step, in, &reach);
        if ((reach.axes[GF_X].before == GF_REACH_EVERY) != cases[i].across ||
            (reach.axes[GF_Y].before == GF_REACH_EVERY) != cases[i].down)
            fail_msg("%s", cases[i].params);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_type_of_finish),
        cmocka_unit_test(sequences_are_of_channels_or_of_pixels),
        cmocka_unit_test(texts_that_do_not_fit_are_refused),
        cmocka_unit_test(a_step_that_asks_for_places_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
