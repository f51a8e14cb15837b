/* SPDX-License-Identifier: MIT */
/* Programs as structs and as text, checked without a daemon: shapes, defaults, errors and their columns. */
#include "tests/unit/unit.h"

#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "client/lib/call.h"
#include "protocol/base/base.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/params/gaussian.h"

static _Alignas(8) uint8_t g_pixels[64];
static const gpufilter_view g_src = {.data = g_pixels, .width = 8, .height = 8, .dtype = GPUFILTER_U8, .channels = 1};

/* Parses a text with n operands to a call; freed with gf_call_deinit. */
static enum gf_status parse(struct gf_call *call, const char *text, uint32_t n, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    gf_call_init(call);
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = gf_call_add_operand(call, &g_src, err);
    return status == GF_OK ? gf_call_add_text(call, text, err) : status;
}

static void text_becomes_steps(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    assert_int_equal(parse(&call, " gaussian sigma=3,4 border='reflect101'|box\tsize=5x3 ", 1, &err), GF_OK);
    assert_int_equal(call.program.n_steps, 2);
    assert_string_equal(call.program.steps[0].op->name, "gaussian");
    assert_int_equal(gf_gaussian_params_get(&call.program.steps[0].params).sigma.n, 2);
    assert_true(gf_gaussian_params_get(&call.program.steps[0].params).sigma.v[1] == 4.0f);
    assert_int_equal(gf_gaussian_params_get(&call.program.steps[0].params).border, GPUFILTER_BORDER_REFLECT101);
    assert_int_equal(call.program.steps[0].in[0].from, GF_FROM_OPERAND);
    assert_string_equal(call.program.steps[1].op->name, "box");
    assert_int_equal(gf_box_params_get(&call.program.steps[1].params).size.v[0], 5);
    assert_int_equal(gf_box_params_get(&call.program.steps[1].params).size.v[1], 3);
    assert_int_equal(call.program.steps[1].in[0].from, GF_FROM_STEP);
    assert_int_equal(call.program.steps[1].in[0].index, 0);
    gf_call_deinit(&call);
}

static void a_text_stands_in_quotes_behind_its_operation(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    const char *text = "expr 'a > 100 | a' | expr set=\"k=2\" expression=\"param k = 1; a*k\" | expr a+1";
    assert_int_equal(parse(&call, text, 1, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "column 74: expected name=value or '|', not \"a+1\"");
    gf_call_deinit(&call);
    char *copy = strdup("expr 'a > 100' | expr set=\"k=2\" expression=\"param k = 1; a*k\" | box");
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_non_null(copy);
    const struct gf_work work = {.text = copy, .operands = &g_src, .n_operands = 1, .results = &result, .n_results = 1};
    assert_int_equal(gf_call_build(&call, &work, "auto", 0, &err), GF_OK);
    free(copy); /* the call has its own */
    struct gf_expr_params p = gf_expr_params_get(&call.program.steps[0].params);
    assert_int_equal(p.expression.size, 7);
    assert_memory_equal(p.expression.chars, "a > 100", 7);
    p = gf_expr_params_get(&call.program.steps[1].params);
    assert_memory_equal(p.expression.chars, "param k = 1; a*k", p.expression.size);
    assert_memory_equal(p.set.chars, "k=2", 3);
    gf_call_deinit(&call);
}

static void mask_in_text_is_an_operand(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    assert_int_equal(parse(&call, "correlate mask=\"1 2 1; 2 4 2\" normalize=sum | convolve mask='1 0 -1'", 1, &err),
                     GF_OK);
    assert_int_equal(call.program.n_operands, 3);
    assert_int_equal(call.program.steps[0].in[1].index, 1);
    assert_int_equal(call.views[1].width, 3);
    assert_int_equal(call.views[1].height, 2);
    assert_int_equal(call.views[1].dtype, GF_F32);
    assert_memory_equal(call.data[1], ((float[]){1, 2, 1, 2, 4, 2}), 24);
    assert_int_equal(call.program.steps[1].in[1].index, 2);
    assert_memory_equal(call.data[2], ((float[]){1, 0, -1}), 12);
    gf_call_deinit(&call);
}

static void unnamed_inputs_take_operands_in_order(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    assert_int_equal(parse(&call, "correlate | convolve", 3, NULL), GF_OK);
    assert_int_equal(call.program.steps[0].in[0].index, 0);
    assert_int_equal(call.program.steps[0].in[1].index, 1);
    assert_int_equal(call.program.steps[1].in[0].from, GF_FROM_STEP);
    assert_int_equal(call.program.steps[1].in[1].index, 2);
    gf_call_deinit(&call);
}

static void inputs_may_refer_to_operands_and_steps(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    assert_int_equal(
        parse(&call, "gaussian | gaussian src=#0 sigma='2' | combine other='#1' | combine other=@1", 2, &err), GF_OK);
    const struct gf_step *steps = call.program.steps;
    assert_int_equal(steps[1].in[0].from, GF_FROM_OPERAND);
    assert_int_equal(steps[1].in[0].index, 0);
    assert_int_equal(steps[2].in[0].from, GF_FROM_STEP);
    assert_int_equal(steps[2].in[0].index, 1);
    assert_int_equal(steps[2].in[1].from, GF_FROM_STEP);
    assert_int_equal(steps[2].in[1].index, 0);
    assert_int_equal(steps[3].in[0].index, 2);
    assert_int_equal(steps[3].in[1].from, GF_FROM_OPERAND);
    assert_int_equal(steps[3].in[1].index, 1);
    gf_call_deinit(&call);
    assert_int_equal(parse(&call, "stats | scan src=#1.sums", 1, &err), GF_OK);
    assert_int_equal(steps[1].in[0].from, GF_FROM_STEP);
    assert_int_equal(steps[1].in[0].output, 2);
    gf_call_deinit(&call);
}

static void unnamed_inputs_come_after_named_ones(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    assert_int_equal(parse(&call, "combine other=@1 | combine", 3, &err), GF_OK);
    assert_int_equal(call.program.steps[0].in[0].index, 0);
    assert_int_equal(call.program.steps[0].in[1].index, 1);
    assert_int_equal(call.program.steps[1].in[1].index, 2);
    gf_call_deinit(&call);
    assert_int_equal(parse(&call, "combine src=@1 other=@0", 2, &err), GF_OK);
    assert_int_equal(call.program.steps[0].in[0].index, 1);
    assert_int_equal(call.program.steps[0].in[1].index, 0);
    gf_call_deinit(&call);
}

static void errors_name_the_column(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text;
        uint32_t n;
        enum gf_status status;
        const char *begin;
    } cases[] = {
        {"", 1, GF_E_BAD_REQUEST, "column 1: an operation is missing"},
        {"box |", 1, GF_E_BAD_REQUEST, "column 6: an operation is missing"},
        {"box || box", 1, GF_E_BAD_REQUEST, "column 6: an operation is missing"},
        {"box | blurr", 1, GF_E_UNKNOWN_OP, "column 7: there is no operation blurr; did you mean blur?"},
        {"gausian sigma=2", 1, GF_E_UNKNOWN_OP, "column 1: there is no operation gausian; did you mean gaussian?"},
        {"invert", 1, GF_E_UNKNOWN_OP,
         "column 1: there is no operation invert; use map scale=-1 offset=255 for u8; for u16 offset=65535, for f32 "
         "offset=1"},
        {"qqqqqqqq", 1, GF_E_UNKNOWN_OP, "column 1: there is no operation qqqqqqqq; gpufilter-client ops lists them"},
        {"box sise=3", 1, GF_E_UNKNOWN_PARAM, "column 5: box has no sise; did you mean size?"},
        {"box scr=@0", 1, GF_E_UNKNOWN_PARAM, "column 5: box has no scr; did you mean src?"},
        {"box zzzzzzzz=3", 1, GF_E_UNKNOWN_PARAM,
         "column 5: box has no zzzzzzzz; it takes src, size, scale, offset, border, border_value, alpha or light"},
        {"correlate x=3", 1, GF_E_UNKNOWN_PARAM, "column 11: correlate has no x; it takes src, mask, scale, "},
        {"box size", 1, GF_E_BAD_REQUEST, "column 5: expected name=value or '|', not \"size\""},
        {"box =3", 1, GF_E_BAD_REQUEST, "column 5: expected name=value"},
        {"box size = 3", 1, GF_E_BAD_REQUEST, "column 5: expected name=value"},
        {"box size='3", 1, GF_E_BAD_REQUEST, "column 10: the quote ' is not closed"},
        {"box size='3'x", 1, GF_E_BAD_REQUEST, "column 13: a blank or '|' must follow"},
        {"box size=0", 1, GF_E_BAD_PARAM, "column 10: "},
        {"box size=", 1, GF_E_BAD_PARAM, "column 10: "},
        {"box size=3 size=4", 1, GF_E_BAD_PARAM, "column 12: size of box is given twice"},
        {"gaussian border=mirror", 1, GF_E_BAD_PARAM, "column 17: "},
        {"box src=3", 1, GF_E_BAD_REQUEST, "column 9: src of box is data, not text; @N names operand N, #N the result"},
        {"box src=@", 1, GF_E_BAD_REQUEST, "column 9: @ is not a reference; @N names operand N"},
        {"box src=@a.png", 1, GF_E_BAD_REQUEST, "column 9: @a.png is not a reference"},
        {"box src=@1", 1, GF_E_BAD_REQUEST, "column 9: there is no operand 1; 1 were given"},
        {"box src=@4294967296", 1, GF_E_BAD_REQUEST, "column 9: @4294967296 is not a reference"},
        {"box src=@0.dst", 1, GF_E_BAD_REQUEST, "column 9: @0.dst is not a reference"},
        {"box src=#1", 1, GF_E_BAD_REQUEST, "column 9: step 1 refers to step 1; it may refer to earlier ones"},
        {"box | box src=#3", 1, GF_E_BAD_REQUEST, "column 15: step 2 refers to step 3; it may refer to earlier ones"},
        {"box src=#0.dst", 1, GF_E_BAD_REQUEST, "column 9: #0 is operand 0 and has no dst"},
        {"stats|box src=#1.max", 1, GF_E_BAD_REQUEST,
         "column 15: step 1 (stats) has no output max; it has counts, range, sums or reals"},
        {"box src=#0 src=#0", 1, GF_E_BAD_PARAM, "column 12: src of box is given twice"},
        {"correlate mask='1 2; 3'", 1, GF_E_BAD_PARAM, "column 17: "},
        {"correlate mask=1 mask=1", 1, GF_E_BAD_PARAM, "column 18: mask of correlate is given twice"},
        {"box | correlate", 1, GF_E_BAD_REQUEST, "column 7: correlate needs mask: give it by name or as operand 1"},
        {"box", 0, GF_E_BAD_REQUEST, "column 1: box needs src: give it by name or as operand 0"},
        {"box", 2, GF_E_BAD_REQUEST, "no step takes operand 1; 2 were given"},
    };
    static struct gf_call call;
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_error err = {.text = ""};
        assert_int_equal(parse(&call, cases[i].text, cases[i].n, &err), cases[i].status);
        if (strncmp(err.text, cases[i].begin, strlen(cases[i].begin)) != 0)
            assert_string_equal(err.text, cases[i].begin);
        gf_call_deinit(&call);
    }
}

static void too_many_steps_are_refused(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    char text[400] = "box";
    struct gf_error err;
    for (int i = 1; i < 64; i++)
        strcat(text, "|box");
    assert_int_equal(parse(&call, text, 1, &err), GF_OK);
    gf_call_deinit(&call);
    strcat(text, "|box");
    assert_int_equal(parse(&call, text, 1, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "column 257: more than 64 steps");
    gf_call_deinit(&call);
}

/* One step of a picture and a 3x2 mask. */
static int infer(const void *params, gpufilter_result *result, gpufilter_error *err)
{
    static float coefs[6] = {1, 1, 1, 1, 1, 1};
    const gpufilter_view operands[] = {g_src, gpufilter_tight_view(coefs, 3, 2, GPUFILTER_F32, 1)};
    const gpufilter_step step = {.params = params};
    return gpufilter_infer(&step, 1, operands, 2, result, 1, err);
}

static void infer_tells_the_shape(void **state)
{
    UNUSED(state);
    gpufilter_correlate_params params = GPUFILTER_CORRELATE_INIT;
    params.size = GPUFILTER_SIZE_VALID;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(infer(&params, &result, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.width, 6);
    assert_int_equal(result.view.height, 7);
    assert_int_equal(result.view.depth, 1);
    assert_int_equal(result.view.pitch, 6);
    assert_int_equal(result.view.plane_pitch, 42);
    assert_int_equal(result.view.dtype, GPUFILTER_U8);
    assert_int_equal(result.view.channels, 1);
    assert_int_equal(result.view.alpha, GPUFILTER_VIEW_NO_ALPHA);
    assert_int_equal(result.view.reserved, 0);
    assert_null(result.view.data);
    result = (gpufilter_result)GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_infer_text("box | box", &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.width, 8);
}

static void bad_programs_are_told(void **state)
{
    UNUSED(state);
    gpufilter_correlate_params params = GPUFILTER_CORRELATE_INIT;
    gpufilter_gaussian_params gaussian = GPUFILTER_GAUSSIAN_INIT;
    const gpufilter_step steps[65] = {{.params = NULL}};
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(infer(NULL, &result, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "step 1: params is NULL; it must be the struct of an operation");
    params.operation = 0x9999;
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "step 1: params begins with struct_size=68 and operation=0x9999, which is no "
                                  "operation; initialise it with the operation's _INIT macro");
    assert_int_equal(infer(&gaussian, &result, &err), GPUFILTER_E_BAD_REQUEST);
    assert_string_equal(err.text, "no step takes operand 1; 2 were given");
    params = (gpufilter_correlate_params)GPUFILTER_CORRELATE_INIT;
    result.output = "#2";
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_REQUEST);
    result.output = NULL;
    assert_int_equal(gpufilter_infer(NULL, 1, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "steps is NULL, but n_steps=1");
    assert_int_equal(gpufilter_infer(steps, 0, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_REQUEST);
    assert_string_equal(err.text, "program of 0 steps; allowed: 1..64");
    assert_int_equal(gpufilter_infer(steps, 65, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_REQUEST);
    assert_string_equal(err.text, "program of 65 steps; allowed: 1..64");
    assert_int_equal(gpufilter_infer_text("box", NULL, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_infer_text("box", &g_src, UINT32_MAX, &result, 1, &err), GPUFILTER_E_BAD_REQUEST);
    assert_string_equal(err.text, "more than 64 operands");
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, NULL, 0, &err), GPUFILTER_E_BAD_REQUEST);
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, NULL, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
}

/* The values of a struct are checked as those of a text are. */
static void parameters_of_structs_are_checked(void **state)
{
    UNUSED(state);
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_correlate_params params = GPUFILTER_CORRELATE_INIT;
    params.border = 99;
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "border=99"));
    params = (gpufilter_correlate_params)GPUFILTER_CORRELATE_INIT;
    params.border_value[1] = 5; /* two values for one channel */
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_PARAM);
    params = (gpufilter_correlate_params)GPUFILTER_CORRELATE_INIT;
    params.border_value[2] = 5;
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (correlate): border_value[2] is set, but border_value[1] before it is not");
    params = (gpufilter_correlate_params)GPUFILTER_CORRELATE_INIT;
    params.anchor[0] = params.anchor[1] = params.anchor[2] = 1; /* of an axis that there is not yet */
    assert_int_equal(infer(&params, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "anchor"));
    const gpufilter_view list = gpufilter_tight_view(g_pixels, 8, 1, GPUFILTER_F64, 1);
    gpufilter_quantile_params quantile = GPUFILTER_QUANTILE_INIT;
    const gpufilter_step step = {.params = &quantile};
    quantile.q[0] = 0.25;
    quantile.q[1] = 1.5;
    assert_int_equal(gpufilter_infer(&step, 1, &list, 1, &result, 1, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "q"));
    quantile.q[1] = 0.75;
    assert_int_equal(gpufilter_infer(&step, 1, &list, 1, &result, 1, &err), GPUFILTER_OK);
    assert_int_equal(result.view.width, 2);
}

static void texts_of_structs_are_read(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    char expression[] = "param k = 1; a*k", set[] = "k=2";
    gpufilter_expr_params params = GPUFILTER_EXPR_INIT;
    const gpufilter_step step = {.params = &params};
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    const struct gf_work work = {
        .steps = &step, .n_steps = 1, .operands = &g_src, .n_operands = 1, .results = &result, .n_results = 1};
    params.expression = expression;
    params.set = set;
    assert_int_equal(gf_call_build(&call, &work, "auto", 0, &err), GF_OK);
    memset(expression, 'x', sizeof(expression)); /* the call has its own */
    memset(set, 'x', sizeof(set));
    struct gf_expr_params p = gf_expr_params_get(&call.program.steps[0].params);
    assert_int_equal(p.expression.size, 16);
    assert_memory_equal(p.expression.chars, "param k = 1; a*k", 16);
    assert_int_equal(p.set.size, 3);
    assert_memory_equal(p.set.chars, "k=2", 3);
    gf_call_deinit(&call);
    params.expression = NULL; /* not given */
    params.set = "";
    assert_int_equal(gf_call_build(&call, &work, "auto", 0, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "expression"));
    gf_call_deinit(&call);
}

/* A program names its data in `inputs` and in results; views of a typed call would be passed over. */
static void views_in_structs_of_programs_are_refused(void **state)
{
    UNUSED(state);
    gpufilter_view view = g_src;
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_histogram_params histogram = GPUFILTER_HISTOGRAM_INIT;
    gpufilter_step step = {.params = &histogram};
    histogram.edges = &view;
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text,
                        "step 1 (histogram): edges must be NULL in a program, whose operands and results have "
                        "the views");
    histogram.edges = NULL;
    histogram.ret_outside = &view;
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text,
                        "step 1 (histogram): ret_outside must be NULL in a program, whose operands and results "
                        "have the views");
    histogram.struct_size = offsetof(gpufilter_histogram_params, ret_outside); /* of a header without it */
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, &err), GPUFILTER_OK);
}

static void result_memory_must_have_the_shape(void **state)
{
    UNUSED(state);
    uint8_t room[64];
    gpufilter_error err;
    gpufilter_result result = {gpufilter_tight_view(room, 8, 7, GPUFILTER_U8, 1), NULL};
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_non_null(strstr(err.text, "8x7x1 u8"));
    assert_non_null(strstr(err.text, "8x8x1 u8"));
    result.view = gpufilter_tight_view(room, 8, 8, GPUFILTER_I8, 1);
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_DTYPE);
}

static void structs_are_read_by_their_size(void **state)
{
    UNUSED(state);
    struct {
        gpufilter_box_params known;
        uint32_t later;
    } newer = {.known = GPUFILTER_BOX_INIT};
    const gpufilter_step step = {.params = &newer.known};
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    newer.known.struct_size = sizeof(newer);
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    newer.later = 1;
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_box_params of 60 bytes has members that this library does not know; it "
                                  "knows 56 bytes");
    newer.known.struct_size = offsetof(gpufilter_box_params, border); /* this and later members were added later, say */
    newer.known.border = newer.known.alpha = newer.known.light = 99;
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    newer.known.struct_size = 8; /* nothing but what it is */
    newer.known.size[0] = 0;
    assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    const uint32_t impossible[] = {0, 7, 4097, 0xCCCCCCCC};
    for (size_t i = 0; i < GF_ARRAY_LEN(impossible); i++) {
        newer.known.struct_size = impossible[i];
        assert_int_equal(gpufilter_infer(&step, 1, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    }
    assert_string_equal(err.text, "gpufilter_box_params has struct_size=3435973836; initialise it with "
                                  "GPUFILTER_BOX_INIT");
}

/* Two or three steps that combine pictures, by what their inputs say. */
static int combine(const char *first, const char *second, const char *third, uint32_t n_operands, struct gf_call *call,
                   struct gf_error *err)
{
    const gpufilter_combine_params combine = GPUFILTER_COMBINE_INIT;
    const gpufilter_step steps[] = {{&combine, first}, {&combine, second}, {&combine, third}};
    const gpufilter_view operands[] = {g_src, g_src, g_src};
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    const struct gf_work work = {.steps = steps,
                                 .n_steps = third != NULL ? 3 : 2,
                                 .operands = operands,
                                 .n_operands = n_operands,
                                 .results = &result,
                                 .n_results = 1};
    gf_call_deinit(call);
    return (int)gf_call_build(call, &work, "auto", 0, err);
}

static void assert_input(const struct gf_call *call, uint32_t step, uint32_t input, uint32_t from, uint32_t index)
{
    const struct gf_ref *ref = &call->program.steps[step].in[input];
    assert_int_equal(ref->from, from);
    assert_int_equal(ref->index, index);
    assert_int_equal(ref->output, 0);
}

static void inputs_of_steps_are_named_as_in_text(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    gf_call_init(&call);
    assert_int_equal(combine(NULL, "", NULL, 3, &call, &err), GF_OK); /* one after the other */
    assert_input(&call, 0, 0, GF_FROM_OPERAND, 0);
    assert_input(&call, 0, 1, GF_FROM_OPERAND, 1);
    assert_input(&call, 1, 0, GF_FROM_STEP, 0);
    assert_input(&call, 1, 1, GF_FROM_OPERAND, 2);
    assert_int_equal(combine("src=@1 other=@0", " other='#1'  src=#0 ", "other=\"#1\"", 2, &call, &err), GF_OK);
    assert_input(&call, 0, 0, GF_FROM_OPERAND, 1);
    assert_input(&call, 0, 1, GF_FROM_OPERAND, 0);
    assert_input(&call, 1, 0, GF_FROM_OPERAND, 0);
    assert_input(&call, 1, 1, GF_FROM_STEP, 0);
    assert_input(&call, 2, 0, GF_FROM_STEP, 1);
    assert_input(&call, 2, 1, GF_FROM_STEP, 0);
    gf_call_deinit(&call);
    /* An output by its name, and a matrix. */
    const gpufilter_stats_params stats = GPUFILTER_STATS_INIT;
    const gpufilter_correlate_params correlate = GPUFILTER_CORRELATE_INIT;
    const gpufilter_copy_params copy = GPUFILTER_COPY_INIT;
    const gpufilter_step steps[] = {{&stats, NULL}, {&correlate, "mask='1 2 1; 2 4 2'"}, {&copy, "src=#1.sums"}};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    const struct gf_work work = {
        .steps = steps, .n_steps = 3, .operands = &g_src, .n_operands = 1, .results = &result, .n_results = 1};
    assert_int_equal(gf_call_build(&call, &work, "auto", 0, &err), GF_OK);
    assert_int_equal(call.program.n_operands, 2);
    assert_input(&call, 1, 0, GF_FROM_OPERAND, 0); /* past the table */
    assert_input(&call, 1, 1, GF_FROM_OPERAND, 1);
    assert_int_equal(call.views[1].width, 3);
    assert_int_equal(call.views[1].height, 2);
    assert_memory_equal(call.data[1], ((float[]){1, 2, 1, 2, 4, 2}), 24);
    assert_int_equal(call.program.steps[2].in[0].from, GF_FROM_STEP);
    assert_int_equal(call.program.steps[2].in[0].index, 0);
    assert_int_equal(call.program.steps[2].in[0].output, 2);
    gf_call_deinit(&call);
}

static void wrong_inputs_are_told(void **state)
{
    UNUSED(state);
    static const struct {
        const char *first, *second;
        uint32_t n;
        enum gf_status status;
        const char *text;
    } cases[] = {
        {"other=@1", "picture=#1", 2, GF_E_BAD_REQUEST,
         "step 2 (combine): inputs: column 1: combine has no input picture; it has src or other"},
        {"other=@1", "src=#2 other=@1", 2, GF_E_BAD_REQUEST,
         "step 2 (combine): inputs: column 5: step 2 refers to step 2; it may refer to earlier ones, and #0 is operand "
         "0"},
        {"src=#3", NULL, 2, GF_E_BAD_REQUEST,
         "step 1 (combine): inputs: column 5: step 1 refers to step 3; it may refer to earlier ones, and #0 is operand "
         "0"},
        {"other=@1", "other=@2", 2, GF_E_BAD_REQUEST,
         "step 2 (combine): inputs: column 7: there is no operand 2; 2 were given"},
        {"other=@0", "other=@0", 2, GF_E_BAD_REQUEST, "no step takes operand 1; 2 were given"},
        {NULL, NULL, 2, GF_E_BAD_REQUEST,
         "step 2 (combine): inputs: column 1: combine needs other: give it by name or as operand 2"},
        {"src=@0 src=@1", NULL, 2, GF_E_BAD_PARAM, "step 1 (combine): inputs: column 8: src of combine is given twice"},
        {"src=0", NULL, 2, GF_E_BAD_REQUEST,
         "step 1 (combine): inputs: column 5: src of combine is data, not text; @N names operand N, #N the result of "
         "step N"},
        {"src=#0.dst", NULL, 2, GF_E_BAD_REQUEST, "step 1 (combine): inputs: column 5: #0 is operand 0 and has no dst"},
        {"@0", NULL, 2, GF_E_BAD_REQUEST,
         "step 1 (combine): inputs: column 1: expected name=@N or name=#N, not \"@0\""},
        {"mode=absdiff", NULL, 2, GF_E_BAD_REQUEST,
         "step 1 (combine): inputs: column 1: combine has no input mode; it has src or other"},
        {"src=@0 | box", NULL, 2, GF_E_BAD_REQUEST,
         "step 1 (combine): inputs: column 8: expected name=@N or name=#N, not \"|\""},
        {"src='@0", NULL, 2, GF_E_BAD_REQUEST, "step 1 (combine): inputs: column 5: the quote ' is not closed"},
    };
    static struct gf_call call;
    gf_call_init(&call);
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_error err = {.text = ""};
        assert_int_equal(combine(cases[i].first, cases[i].second, NULL, cases[i].n, &call, &err), cases[i].status);
        assert_string_equal(err.text, cases[i].text);
    }
    gf_call_deinit(&call);
}

/* An operand that no step takes is a mistake, also where a step takes one behind it. */
static void operands_without_use_are_told(void **state)
{
    UNUSED(state);
    static struct gf_call call;
    struct gf_error err;
    gf_call_init(&call);
    assert_int_equal(combine("other=@2", "other=@2", NULL, 3, &call, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "no step takes operand 1; 3 were given");
    gf_call_deinit(&call);
    assert_int_equal(parse(&call, "box src=@1", 2, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "no step takes operand 0; 2 were given");
    gf_call_deinit(&call);
}

static void outputs_are_named(void **state)
{
    UNUSED(state);
    static const struct {
        const char *output;
        uint64_t width, height; /* 0: refused */
        const char *text;
    } cases[] = {
        {NULL, 8, 8, NULL},
        {"dst", 8, 8, NULL},
        {"#1", 4, 1, NULL},
        {"#1.counts", 4, 1, NULL},
        {"#1.range", 2, 1, NULL},
        {"#1.reals", 6, 1, NULL},
        {"#2", 6, 7, NULL},
        {"#2.dst", 6, 7, NULL},
        {"#3", 8, 8, NULL},
        {"sums", 0, 0, "result 0: step 3 (box) has no output sums; it has dst"},
        {"", 0, 0, "result 0: step 3 (box) has no output ; it has dst"},
        {"@0", 0, 0, "result 0: step 3 (box) has no output @0; it has dst"},
        {"#1.edges", 0, 0, "result 0: step 1 (stats) has no output edges; it has counts, range, sums or reals"},
        {"#4", 0, 0, "result 0: there is no step 4; allowed: 1..3"},
        {"#0", 0, 0, "result 0: there is no step 0; allowed: 1..3"},
        {"#0.dst", 0, 0, "result 0: there is no step 0; allowed: 1..3"},
        {"#", 0, 0, "result 0: # is no output; #N.NAME, #N and NAME are"},
        {"#1x", 0, 0, "result 0: #1x is no output; #N.NAME, #N and NAME are"},
        {"#1.", 0, 0, "result 0: #1. is no output; #N.NAME, #N and NAME are"},
        {"#99999999999", 0, 0, "result 0: #99999999999 is no output; #N.NAME, #N and NAME are"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        gpufilter_error err = {.text = ""};
        gpufilter_result result = {.output = cases[i].output};
        const int status = gpufilter_infer_text("stats | correlate mask='1 1 1; 1 1 1' size=valid | box src=#0", &g_src,
                                                1, &result, 1, &err);
        assert_int_equal(status, cases[i].text == NULL ? GPUFILTER_OK : GPUFILTER_E_BAD_REQUEST);
        assert_string_equal(err.text, cases[i].text == NULL ? "" : cases[i].text);
        assert_int_equal(result.view.width, cases[i].width);
        assert_int_equal(result.view.height, cases[i].height);
    }
}

/* What members of a view may be. */
static void planes_and_alpha_of_views_are_checked(void **state)
{
    UNUSED(state);
    uint8_t room[64];
    gpufilter_error err;
    gpufilter_view src = g_src;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    for (uint64_t depth = 0; depth < 2; depth++) {
        src.depth = depth;
        src.plane_pitch = 3 + depth; /* of no effect on one plane */
        result.view = src;
        result.view.data = room;
        assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_OK);
        assert_ptr_equal(result.view.data, room);
        assert_int_equal(result.view.depth, depth); /* views with memory are not changed */
        assert_int_equal(result.view.plane_pitch, 3 + depth);
    }
    result.view.depth = 2;
    assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "result 0: depth=2; allowed: 1, or 0 for 1");
    src.depth = UINT64_C(1) << 40;
    assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "operand 0: depth=1099511627776; allowed: 1, or 0 for 1");
    src = g_src;
    src.alpha = 2;
    assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "operand 0: alpha=2; allowed: 0 and 1");
    src = g_src;
    src.reserved = 1;
    assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "operand 0: reserved=1; allowed: 0");
    src.reserved = 0;
    result.view.depth = 1;
    result.view.alpha = 7;
    assert_int_equal(gpufilter_infer_text("box", &src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "result 0: alpha=7; allowed: 0 and 1");
}

/* Whether the first output of the last step has alpha, of an operand of some channels with it. */
static uint32_t alpha_of(const char *text, uint32_t channels, const char *output)
{
    static uint8_t pixels[256];
    gpufilter_view src = gpufilter_tight_view(pixels, 8, 8, GPUFILTER_U8, channels);
    gpufilter_error err;
    gpufilter_result result = {.output = output};
    src.alpha = GPUFILTER_VIEW_STRAIGHT_ALPHA;
    result.view.alpha = 99; /* is written */
    if (gpufilter_infer_text(text, &src, 1, &result, 1, &err) != GPUFILTER_OK)
        fail_msg("%s: %s", text, err.text);
    return result.view.alpha;
}

static void views_of_results_tell_alpha(void **state)
{
    UNUSED(state);
    assert_int_equal(alpha_of("gaussian", 4, NULL), 1);
    assert_int_equal(alpha_of("gaussian", 2, NULL), 1);
    assert_int_equal(alpha_of("gaussian", 3, NULL), 0);
    assert_int_equal(alpha_of("gaussian", 1, NULL), 0);
    assert_int_equal(alpha_of("gaussian alpha=straight", 4, NULL), 1); /* what it means is not how it is filtered */
    assert_int_equal(alpha_of("gray", 4, NULL), 1);
    assert_int_equal(alpha_of("gray alpha=drop", 4, NULL), 0);
    assert_int_equal(alpha_of("flatten", 4, NULL), 0);
    assert_int_equal(alpha_of("crop size=4 | flip axis=x | resize size=8", 4, NULL), 1);
    assert_int_equal(alpha_of("gray alpha=drop | box", 4, "#1"), 0);
    assert_int_equal(alpha_of("histogram bins=8", 4, NULL), 0);
    assert_int_equal(alpha_of("stats | box", 4, NULL), 1); /* past the table */
    assert_int_equal(alpha_of("stats | box", 4, "#1.range"), 0);
    const gpufilter_view no_alpha = gpufilter_tight_view(g_pixels, 4, 4, GPUFILTER_U8, 4);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_infer_text("box", &no_alpha, 1, &result, 1, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.alpha, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_steps),
        cmocka_unit_test(a_text_stands_in_quotes_behind_its_operation),
        cmocka_unit_test(mask_in_text_is_an_operand),
        cmocka_unit_test(unnamed_inputs_take_operands_in_order),
        cmocka_unit_test(inputs_may_refer_to_operands_and_steps),
        cmocka_unit_test(unnamed_inputs_come_after_named_ones),
        cmocka_unit_test(errors_name_the_column),
        cmocka_unit_test(too_many_steps_are_refused),
        cmocka_unit_test(infer_tells_the_shape),
        cmocka_unit_test(bad_programs_are_told),
        cmocka_unit_test(parameters_of_structs_are_checked),
        cmocka_unit_test(texts_of_structs_are_read),
        cmocka_unit_test(views_in_structs_of_programs_are_refused),
        cmocka_unit_test(result_memory_must_have_the_shape),
        cmocka_unit_test(structs_are_read_by_their_size),
        cmocka_unit_test(inputs_of_steps_are_named_as_in_text),
        cmocka_unit_test(wrong_inputs_are_told),
        cmocka_unit_test(operands_without_use_are_told),
        cmocka_unit_test(outputs_are_named),
        cmocka_unit_test(planes_and_alpha_of_views_are_checked),
        cmocka_unit_test(views_of_results_tell_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
