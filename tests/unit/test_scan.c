/* SPDX-License-Identifier: MIT */
/* scan, recurrence and integral: dtypes of results, what is refused, and on the CPU what an overflow says. */
#include <stdio.h>
#include <string.h>

#include "kernels/registry.h"
#include "protocol/enums.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"
#include "unit.h"

/* A step from the op's name and "name=value ..." of its parameters. */
static enum gf_status make_step(const char *op, const char *params, struct gf_view in, struct gf_step *ret_step,
                                struct gf_error *err)
{
    char text[128], *rest = NULL;
    struct gf_step step = {.op = gf_op_by_name(op)};
    assert_non_null(step.op);
    gf_op_params_default(step.op, &step.params);
    snprintf(text, sizeof text, "%s", params);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        const struct gf_param_desc *param = gf_op_param(step.op, word);
        assert_non_null(param);
        assert_int_equal(gf_op_param_parse(step.op, param, value, &step.params, err), GF_OK);
    }
    enum gf_status status = gf_op_infer(step.op, &in, 1, &step.params, step.out, err);
    *ret_step = step;
    return status;
}

static void results_have_their_dtypes(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *params;
        uint32_t in, out;
        uint64_t width, height;
    } cases[] = {
        {"scan", "", GF_U8, GF_U64, 300, 300},
        {"scan", "", GF_I16, GF_I64, 300, 300},
        {"scan", "dtype=i32 op=product", GF_I16, GF_I32, 300, 300},
        {"scan", "op=min", GF_I16, GF_I16, 300, 300},
        {"scan", "", GF_F32, GF_F32, 300, 300},
        {"scan", "dtype=f64", GF_F32, GF_F64, 300, 300},
        {"recurrence", "a=0.5", GF_F32, GF_F32, 300, 300},
        {"integral", "", GF_U8, GF_U32, 300, 300},
        {"integral", "", GF_U16, GF_U64, 300, 300},
        {"integral", "dtype=u32", GF_U16, GF_U32, 300, 300},
        {"integral", "square=1", GF_U8, GF_U64, 300, 300},
        {"integral", "pad=1", GF_F32, GF_F64, 301, 301},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_step step;
        struct gf_view in = gf_view_tight(cases[i].in, 300, 300, 3);
        assert_int_equal(make_step(cases[i].op, cases[i].params, in, &step, NULL), GF_OK);
        struct gf_view out = gf_view_tight(cases[i].out, cases[i].width, cases[i].height, 3);
        assert_true(gf_view_same_shape(&step.out[0], &out));
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *params;
        uint32_t in;
        const char *says;
    } cases[] = {
        {"scan", "dtype=i64", GF_U8, "allowed are u32 or u64"},
        {"scan", "dtype=f64", GF_I32, "allowed are i32 or i64"},
        {"scan", "dtype=u64 op=max", GF_U8, "allowed are u8"},
        {"scan", "initial=2", GF_F32, "with start=initial only"},
        {"scan", "initial=0.5 start=initial", GF_I32, "whole numbers -9007199254740992..9007199254740992"},
        {"scan", "initial=-1 start=initial", GF_U64, "whole numbers 0..9007199254740992"},
        {"scan", "initial=256 start=initial op=min", GF_U8, "whole numbers 0..255"},
        {"recurrence", "initial=1", GF_F64, "with start=initial only"},
        {"integral", "dtype=f32", GF_U8, "allowed are u32 or u64"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_step step;
        struct gf_error err = {0};
        struct gf_view in = gf_view_tight(cases[i].in, 7, 5, 1);
        assert_int_equal(make_step(cases[i].op, cases[i].params, in, &step, &err), GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
}

/* Runs a scan of n elements of u64 on the CPU. */
static enum gf_status scan_u64(const char *params, const uint64_t *x, uint64_t n, uint64_t *y, struct gf_error *err)
{
    struct gf_device *device;
    struct gf_lane *lane;
    struct gf_step step;
    struct gf_buf in = {.data = (void *)(uintptr_t)x, .view = gf_view_tight(GF_U64, n, 1, 1)};
    struct gf_sink sink = {.buf = {.data = y, .view = in.view}};
    const struct gf_backend *cpu = gf_backend_for_device("cpu");
    const struct gf_device_options options = {.device = "cpu", .threads = 2};
    assert_int_equal(make_step("scan", params, in.view, &step, NULL), GF_OK);
    assert_int_equal(cpu->open(&options, &device, NULL), GF_OK);
    assert_int_equal(cpu->lane_open(device, &lane, NULL), GF_OK);
    struct gf_job job = {.steps = &step, .operands = &in, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
    enum gf_status status = cpu->run(lane, &job, err);
    cpu->lane_close(lane);
    cpu->close(device);
    return status;
}

static void an_overflow_names_the_first_result(void **state)
{
    UNUSED(state);
    const uint64_t x[] = {UINT64_MAX - 3, 3, 1, UINT64_MAX};
    uint64_t y[4] = {0};
    struct gf_error err = {0};
    assert_int_equal(scan_u64("", x, 4, y, &err), GF_E_RESULT_OVERFLOW);
    assert_non_null(strstr(err.text, "result 2 of sequence 0 does not fit u64"));
    assert_int_equal(scan_u64("reverse=1", x, 4, y, &err), GF_E_RESULT_OVERFLOW);
    assert_non_null(strstr(err.text, "result 1 of sequence 0"));
    assert_int_equal(scan_u64("exclusive=1", x, 3, y, &err), GF_OK);
    const uint64_t exclusive[] = {0, UINT64_MAX - 3, UINT64_MAX};
    assert_memory_equal(y, exclusive, sizeof exclusive);
    assert_int_equal(scan_u64("overflow=wrap", x, 4, y, &err), GF_OK);
    const uint64_t wrapped[] = {UINT64_MAX - 3, UINT64_MAX, 0, UINT64_MAX};
    assert_memory_equal(y, wrapped, sizeof wrapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_their_dtypes),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_overflow_names_the_first_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
