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

static uint8_t g_pixels[64];
static const gpufilter_view g_src = {g_pixels, 8, 8, 0, GPUFILTER_U8, 1};

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
    assert_int_equal(parse(&call, copy, 1, &err), GF_OK);
    assert_int_equal(gf_call_finish(&call, &result, 1, &err), GF_OK);
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
        {"box", 2, GF_E_BAD_REQUEST, "the text takes 1 operands; 2 were given"},
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

/* correlate with a 3x2 mask, as structs. */
static int infer(const gpufilter_param *params, uint32_t n_params, uint32_t op, gpufilter_result *result,
                 gpufilter_error *err)
{
    static float coefs[6] = {1, 1, 1, 1, 1, 1};
    const gpufilter_view operands[] = {g_src, {coefs, 3, 2, 0, GPUFILTER_F32, 1}};
    const gpufilter_ref inputs[] = {{0, 0, 0}, {0, 0, 1}};
    const gpufilter_step step = {op, 2, inputs, params, n_params};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    return gpufilter_infer(&program, operands, 2, result, 1, err);
}

static void infer_tells_the_shape(void **state)
{
    UNUSED(state);
    const uint32_t valid = GPUFILTER_SIZE_VALID;
    const gpufilter_param params[] = {{GPUFILTER_CORRELATE_SIZE, 1, sizeof(valid), &valid},
                                      {GPUFILTER_CORRELATE_ANCHOR, 0, 0, NULL}};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(infer(params, 2, GPUFILTER_OP_CORRELATE, &result, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.width, 6);
    assert_int_equal(result.view.height, 7);
    assert_int_equal(result.view.pitch, 6);
    assert_int_equal(result.view.dtype, GPUFILTER_U8);
    assert_null(result.view.data);
    result = (gpufilter_result)GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_infer_text("box | box", &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.width, 8);
}

static void bad_programs_are_told(void **state)
{
    UNUSED(state);
    const float scale = 2, five[5] = {0};
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_param param = {99, 1, sizeof(scale), &scale};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_UNKNOWN_PARAM);
    param = (gpufilter_param){GPUFILTER_CORRELATE_SCALE, 1, sizeof(scale), NULL};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_ARGUMENT);
    param = (gpufilter_param){GPUFILTER_CORRELATE_BORDER_VALUE, 5, sizeof(five), five};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_int_equal(infer(NULL, 0, 0x9999, &result, &err), GPUFILTER_E_UNKNOWN_OP);
    assert_int_equal(infer(NULL, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(infer(NULL, 0, GPUFILTER_OP_GAUSSIAN, &result, &err), GPUFILTER_E_BAD_REQUEST);
    result.step = 1;
    assert_int_equal(infer(NULL, 0, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_REQUEST);
    assert_int_equal(gpufilter_infer(NULL, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_infer_text("box", NULL, 1, &result, 1, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, NULL, 0, &err), GPUFILTER_E_BAD_REQUEST);
}

/* A value of another size than the parameter's must not be read as one. */
static void parameters_of_another_type_are_refused(void **state)
{
    UNUSED(state);
    const double scale = 2;
    const float values[2] = {1, 2};
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_param param = {GPUFILTER_CORRELATE_SCALE, 1, sizeof(scale), &scale};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (correlate): scale has 8 bytes for 1 values; a value is a float of 4");
    param = (gpufilter_param){GPUFILTER_CORRELATE_BORDER_VALUE, 1, sizeof(values), values};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    param.count = 3;
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    param.count = 1u << 31;
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    param = (gpufilter_param){GPUFILTER_CORRELATE_SIZE, 1, 5, values};
    assert_int_equal(infer(&param, 1, GPUFILTER_OP_CORRELATE, &result, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (correlate): size has 5 bytes for 1 values; a value is a uint32_t of 4");
    const gpufilter_ref input = {0, 0, 0};
    const gpufilter_param text = {GPUFILTER_EXPR_EXPRESSION, 3, 2, "a+1"};
    const gpufilter_step step = {GPUFILTER_OP_EXPR, 1, &input, &text, 1};
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = &step;
    assert_int_equal(gpufilter_infer(&program, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (expr): expression has 2 bytes for 3 values; a value is a character of 1");
    param = (gpufilter_param){GPUFILTER_QUANTILE_Q, 2, sizeof(values), values};
    const gpufilter_step quantile = {GPUFILTER_OP_QUANTILE, 1, &input, &param, 1};
    program.steps = &quantile;
    assert_int_equal(gpufilter_infer(&program, &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "8 bytes for 2 values; a value is a double of 8"));
}

static void result_memory_must_have_the_shape(void **state)
{
    UNUSED(state);
    uint8_t room[64];
    gpufilter_error err;
    gpufilter_result result = {{room, 8, 7, 0, GPUFILTER_U8, 1}, 0, 0};
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_VIEW);
    assert_non_null(strstr(err.text, "8x7x1 u8"));
    assert_non_null(strstr(err.text, "8x8x1 u8"));
    result.view = (gpufilter_view){room, 8, 8, 0, GPUFILTER_I8, 1};
    assert_int_equal(gpufilter_infer_text("box", &g_src, 1, &result, 1, &err), GPUFILTER_E_BAD_DTYPE);
}

static void structs_are_read_by_their_size(void **state)
{
    UNUSED(state);
    struct {
        gpufilter_program known;
        uint32_t later;
    } newer = {.known = GPUFILTER_PROGRAM_INIT};
    const gpufilter_ref input = {0, 0, 0};
    const gpufilter_step step = {GPUFILTER_OP_BOX, 1, &input, NULL, 0};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    newer.known.struct_size = sizeof(newer);
    newer.known.n_steps = 1;
    newer.known.steps = &step;
    assert_int_equal(gpufilter_infer(&newer.known, &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    newer.later = 1;
    assert_int_equal(gpufilter_infer(&newer.known, &g_src, 1, &result, 1, NULL), GPUFILTER_E_BAD_ARGUMENT);
    newer.known.struct_size = offsetof(gpufilter_program, device); /* device and deadline were added later, say */
    newer.known.device = (const char *)1;
    assert_int_equal(gpufilter_infer(&newer.known, &g_src, 1, &result, 1, NULL), GPUFILTER_OK);
    newer.known.struct_size = 0;
    assert_int_equal(gpufilter_infer(&newer.known, &g_src, 1, &result, 1, NULL), GPUFILTER_E_BAD_ARGUMENT);
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
        cmocka_unit_test(parameters_of_another_type_are_refused),
        cmocka_unit_test(result_memory_must_have_the_shape),
        cmocka_unit_test(structs_are_read_by_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
