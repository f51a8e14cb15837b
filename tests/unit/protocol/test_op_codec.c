/* SPDX-License-Identifier: MIT */
/* protocol/op_codec: defaults, wire values and text of every parameter of every op. */
#include "protocol/ops/op_codec.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/gaussian.h"
#include "tests/unit/unit.h"

static const struct gf_op *op_of(const char *name)
{
    const struct gf_op *op = gf_op_by_name(name);
    assert_non_null(op);
    return op;
}

static enum gf_status parse(const char *op, const char *param, const char *text, union gf_params *params,
                            struct gf_error *err)
{
    const struct gf_param_desc *desc = gf_op_param(op_of(op), param);
    assert_non_null(desc);
    return gf_op_param_parse(op_of(op), desc, text, params, err);
}

static enum gf_status set(const char *op, const char *param, const void *values, size_t size, union gf_params *params,
                          struct gf_error *err)
{
    const struct gf_param_desc *desc = gf_op_param(op_of(op), param);
    assert_non_null(desc);
    return gf_op_param_set(op_of(op), desc, values, size, params, err);
}

static void defaults_fill_the_whole_struct(void **state)
{
    UNUSED(state);
    union gf_params params;
    memset(&params, 0xA5, sizeof params);
    gf_op_params_default(op_of("gaussian"), &params);
    assert_int_equal(gf_gaussian_params_get(&params).sigma.n, 1);
    assert_true(gf_gaussian_params_get(&params).sigma.v[0] == 2.0f &&
                gf_gaussian_params_get(&params).sigma.v[3] == 0.0f);
    assert_true(gf_gaussian_params_get(&params).truncate == 4.0f);
    assert_int_equal(gf_gaussian_params_get(&params).border, GF_BORDER_REPLICATE);
    assert_int_equal(gf_gaussian_params_get(&params).border_value.n, 1);
    assert_int_equal(gf_gaussian_params_get(&params).light, GF_LIGHT_ENCODED);
    gf_op_params_default(op_of("correlate"), &params);
    assert_true(gf_correlate_params_get(&params).scale == 1.0f && gf_correlate_params_get(&params).offset == 0.0f);
    assert_int_equal(gf_correlate_params_get(&params).anchor.n, 0);
    gf_op_params_default(op_of("box"), &params);
    assert_int_equal(gf_box_params_get(&params).size.n, 1);
    assert_int_equal(gf_box_params_get(&params).size.v[0], 3);
}

static void defaults_survive_wire_and_text(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        union gf_params params, other;
        gf_op_params_default(&gf_ops[i], &params);
        gf_op_params_default(&gf_ops[i], &other);
        for (uint32_t k = 0; k < gf_ops[i].n_params; k++) {
            const struct gf_param_desc *param = &gf_ops[i].params[k];
            assert_true(gf_op_param_is_default(param, &params));
            const void *values;
            uint32_t n = gf_op_param_get(param, &params, &values);
            assert_int_equal(n, param->n_def);
            char text[64];
            gf_op_param_text(param, &params, text, sizeof text);
            if (n == 0) {
                assert_string_equal(text, "");
                continue;
            }
            assert_int_equal(gf_op_param_set(&gf_ops[i], param, values, n * gf_op_param_size(param), &other, NULL),
                             GF_OK);
            assert_int_equal(gf_op_param_parse(&gf_ops[i], param, text, &other, NULL), GF_OK);
        }
        assert_memory_equal(&params, &other, sizeof params);
    }
}

static void set_takes_little_endian_values_at_any_address(void **state)
{
    UNUSED(state);
    union gf_params params;
    const void *values;
    gf_op_params_default(op_of("box"), &params);
    const unsigned char wire[] = {0xEE, 0x02, 0x01, 0, 0, 0xFF, 0x0F, 0, 0};
    assert_int_equal(set("box", "size", wire + 1, 8, &params, NULL), GF_OK);
    assert_int_equal(gf_box_params_get(&params).size.n, 2);
    assert_int_equal(gf_box_params_get(&params).size.v[0], 0x102);
    assert_int_equal(gf_box_params_get(&params).size.v[1], 4095);
    assert_int_equal(gf_op_param_get(gf_op_param(op_of("box"), "size"), &params, &values), 2);
    assert_memory_equal(values, gf_box_params_get(&params).size.v, 8);
    assert_false(gf_op_param_is_default(gf_op_param(op_of("box"), "size"), &params));
    const unsigned char half[] = {0, 0, 0, 0x3F};
    assert_int_equal(set("box", "scale", half, 4, &params, NULL), GF_OK);
    assert_true(gf_box_params_get(&params).scale == 0.5f);
    assert_int_equal(gf_op_param_get(gf_op_param(op_of("box"), "scale"), &params, &values), 1);
    assert_memory_equal(values, &(float){0.5f}, 4);
    /* fewer values than before leave no old ones behind */
    assert_int_equal(set("box", "size", wire + 1, 4, &params, NULL), GF_OK);
    assert_int_equal(gf_box_params_get(&params).size.n, 1);
    assert_int_equal(gf_box_params_get(&params).size.v[1], 0);
}

static void set_refuses_without_storing(void **state)
{
    UNUSED(state);
    const float nan_value[] = {NAN}, inf_value[] = {-INFINITY}, below[] = {-1.0f}, above[] = {2047.5f};
    const float second[] = {1.0f, 3000.0f};
    const uint32_t zero[] = {0}, many[] = {1, 2, 3}, word[] = {5}, big[] = {UINT32_MAX};
    const struct {
        const char *op, *param;
        const void *values;
        size_t size;
        const char *says;
    } cases[] = {
        {"gaussian", "sigma", below, 4, "gaussian: sigma=-1 outside 0..2047"},
        {"gaussian", "sigma", above, 4, "gaussian: sigma=2047.5 outside 0..2047"},
        {"gaussian", "sigma", second, 8, "gaussian: sigma=3000 outside 0..2047"},
        {"gaussian", "sigma", nan_value, 4, "gaussian: sigma=nan is not a finite f32 number"},
        {"box", "scale", inf_value, 4, "box: scale=-inf is not a finite f32 number"},
        {"box", "size", zero, 4, "box: size=0 outside 1..4095"},
        {"box", "size", big, 4, "box: size=4294967295 outside 1..4095"},
        {"box", "size", many, 12, "box: size has 12 bytes; allowed: 1..2 values of 4"},
        {"box", "size", many, 0, "box: size has 0 bytes"},
        {"box", "size", many, 5, "box: size has 5 bytes"},
        {"box", "scale", below, 8, "box: scale has 8 bytes; allowed: 1..1 values"},
        {"box", "border", word, 4,
         "border=5 is not the number of a word; allowed: replicate, wrap, reflect, reflect101 or constant"},
        {"box", "size", many, SIZE_MAX - 3, "box: size has 18446744073709551612 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union gf_params params, before;
        struct gf_error err = {0};
        gf_op_params_default(op_of(cases[i].op), &params);
        gf_op_params_default(op_of(cases[i].op), &before);
        assert_int_equal(set(cases[i].op, cases[i].param, cases[i].values, cases[i].size, &params, &err),
                         GF_E_BAD_PARAM);
        assert_int_equal(err.status, GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_memory_equal(&params, &before, sizeof params);
    }
}

static void a_negative_zero_is_not_the_default(void **state)
{
    UNUSED(state);
    union gf_params params;
    char text[32];
    gf_op_params_default(op_of("box"), &params);
    const struct gf_param_desc *offset = gf_op_param(op_of("box"), "offset");
    assert_int_equal(parse("box", "offset", "-0", &params, NULL), GF_OK);
    assert_false(gf_op_param_is_default(offset, &params));
    assert_string_equal(gf_op_param_text(offset, &params, text, sizeof text), "-0");
    assert_int_equal(parse("box", "offset", "0", &params, NULL), GF_OK);
    assert_true(gf_op_param_is_default(offset, &params));
}

static void text_is_parsed_and_printed_back(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *param, *text, *back;
    } cases[] = {
        {"gaussian", "sigma", "2", "2"},
        {"gaussian", "sigma", "2.5,0.1", "2.5,0.1"},
        {"gaussian", "sigma", " 1 ,\t2 ", "1,2"},
        {"gaussian", "sigma", "0.33333334", "0.33333334"},
        {"box", "size", "3x5", "3,5"},
        {"box", "size", "3 5", "3,5"},
        {"box", "size", "1e3", "1000"},
        {"box", "size", "4095", "4095"},
        {"resize", "size", "400x", "400,0"},
        {"resize", "size", "x300", "0,300"},
        {"resize", "size", "400x300", "400,300"},
        {"box", "border_value", "0,0,0,255", "0,0,0,255"},
        {"box", "border_value", "0x5", "0,5"},
        {"box", "scale", "1e-45", "1e-45"},
        {"correlate", "anchor", "0,254", "0,254"},
        {"correlate", "border", "constant", "constant"},
        {"correlate", "border", "scipy:mirror", "reflect101"},
        {"correlate", "border", "vips:mirror", "reflect"},
        {"correlate", "normalize", "abs-sum", "abs-sum"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union gf_params params, again;
        char text[64];
        const struct gf_param_desc *param = gf_op_param(op_of(cases[i].op), cases[i].param);
        gf_op_params_default(op_of(cases[i].op), &params);
        gf_op_params_default(op_of(cases[i].op), &again);
        assert_int_equal(parse(cases[i].op, cases[i].param, cases[i].text, &params, NULL), GF_OK);
        assert_string_equal(gf_op_param_text(param, &params, text, sizeof text), cases[i].back);
        assert_int_equal(parse(cases[i].op, cases[i].param, text, &again, NULL), GF_OK);
        assert_memory_equal(&params, &again, sizeof params);
    }
}

static void bad_text_names_op_parameter_text_and_limits(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *param, *text, *says;
    } cases[] = {
        {"gaussian", "sigma", "-1", "gaussian: sigma=-1 outside 0..2047"},
        {"gaussian", "sigma", "1,2048", "gaussian: sigma=2048 outside 0..2047"},
        {"gaussian", "sigma", "", "gaussian: sigma=: value 1 is not a number"},
        {"gaussian", "sigma", "two", "gaussian: sigma=two: value 1 is not a number"},
        {"gaussian", "sigma", "2px", "gaussian: sigma=2px: value 1 is not a number"},
        {"gaussian", "sigma", "1,,2", "gaussian: sigma=1,,2: value 2 is not a number"},
        {"gaussian", "sigma", "1,", "gaussian: sigma=1,: value 2 is not a number"},
        {"gaussian", "sigma", ",1", "gaussian: sigma=,1: value 1 is not a number"},
        {"gaussian", "sigma", "1,2,3", "gaussian: sigma=1,2,3 has too many values; allowed: up to 2"},
        {"gaussian", "sigma", "nan", "gaussian: sigma=nan is not a finite f32 number"},
        {"box", "scale", "1e39", "box: scale=1e39 is not a finite f32 number"},
        {"box", "size", "3.5", "box: size=3.5 is not a whole number"},
        {"box", "size", "3x", "box: size=3x: value 2 is not a number"},
        {"resize", "size", "3,", "resize: size=3,: value 2 is not a number"},
        {"resize", "fit", "x3", "resize: fit=x3: value 1 is not a number"},
        {"box", "size", "-3", "box: size=-3 outside 1..4095"},
        {"box", "size", "4096", "box: size=4096 outside 1..4095"},
        {"box", "size", "99999999999999999999999", "outside 1..4095"},
        {"box", "size", "inf", "box: size=inf outside 1..4095"},
        {"box", "size", "nan", "box: size=nan outside 1..4095"},
        {"correlate", "border", "mirrored",
         "correlate: border=mirrored; allowed: replicate, wrap, reflect, reflect101 or constant"},
        {"correlate", "border", "mirror", "use reflect (edge repeated, cba|abc) or reflect101 (dcb|abc)"},
        {"correlate", "border", "mirror", "as in scipy:mirror"},
        {"correlate", "border", "2", "border=2; allowed:"},
        {"correlate", "size", "full", "correlate: size=full; allowed: same or valid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union gf_params params, before;
        struct gf_error err = {0};
        gf_op_params_default(op_of(cases[i].op), &params);
        gf_op_params_default(op_of(cases[i].op), &before);
        assert_int_equal(parse(cases[i].op, cases[i].param, cases[i].text, &params, &err), GF_E_BAD_PARAM);
        assert_int_equal(err.status, GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_memory_equal(&params, &before, sizeof params);
    }
}

static void overlong_text_is_refused(void **state)
{
    UNUSED(state);
    union gf_params params;
    struct gf_error err = {0};
    char text[1024];
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    gf_op_params_default(op_of("box"), &params);
    assert_int_equal(parse("box", "scale", text, &params, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "111... has a number longer than 255 characters"));
    assert_int_equal(parse("box", "border", text, &params, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "111; allowed: replicate"));
    char small[4];
    assert_int_equal(parse("box", "size", "1000,2000", &params, NULL), GF_OK);
    assert_string_equal(gf_op_param_text(gf_op_param(op_of("box"), "size"), &params, small, sizeof small), "100");
}

/* An op with one f64, one u32 and a list of f64, independent of the table. */
struct wide_params {
    double factor;
    uint32_t count;
    struct gf_f64v list;
};

static const struct gf_op wide_op = {
    .name = "wide",
    .params_size = sizeof(struct wide_params),
    .n_params = 3,
    .params =
        (const struct gf_param_desc[]){
            {.name = "factor", .kind = GF_PARAM_F64, .max = 1, .n_def = 1, .lo = -DBL_MAX, .hi = 1e300, .def = 0.1},
            {.name = "count",
             .kind = GF_PARAM_U32,
             .max = 1,
             .n_def = 1,
             .offset = offsetof(struct wide_params, count),
             .lo = 1,
             .hi = 16777216,
             .def = 256},
            {.name = "list",
             .kind = GF_PARAM_F64,
             .max = 4,
             .n_def = 1,
             .vector = true,
             .offset = offsetof(struct wide_params, list),
             .lo = -1e300,
             .hi = DBL_MAX,
             .def = 0.25}},
};

static void doubles_survive_wire_and_text(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {"0.1",    "-0", "0.30000000000000004",    "5e-324", "-1.7976931348623157e+308",
                                        "1e+300", "3",  "2.2250738585072014e-308"};
    const struct gf_param_desc *factor = &wide_op.params[0];
    assert_int_equal(gf_op_param_size(factor), 8);
    assert_int_equal(gf_op_param_size(&wide_op.params[1]), 4);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        union gf_params params, again;
        const void *values;
        char text[64];
        gf_op_params_default(&wide_op, &params);
        gf_op_params_default(&wide_op, &again);
        assert_int_equal(gf_op_param_parse(&wide_op, factor, texts[i], &params, NULL), GF_OK);
        assert_string_equal(gf_op_param_text(factor, &params, text, sizeof text), texts[i]);
        assert_int_equal(gf_op_param_is_default(factor, &params), i == 0);
        assert_int_equal(gf_op_param_get(factor, &params, &values), 1);
        assert_int_equal(gf_op_param_set(&wide_op, factor, values, 8, &again, NULL), GF_OK);
        assert_memory_equal(&params, &again, sizeof params);
        struct wide_params wide;
        memcpy(&wide, &params, sizeof wide);
        assert_true(wide.factor == strtod(texts[i], NULL));
        assert_int_equal(wide.count, 256);
    }
}

static void lists_of_doubles_survive_wire_and_text(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {"0.25", "-0", "0.1,9007199254740993", "1,-2,3e+300,5e-324"};
    static const uint32_t counts[] = {1, 1, 2, 4};
    const struct gf_param_desc *list = &wide_op.params[2];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        union gf_params params, again;
        const void *values;
        char text[64];
        gf_op_params_default(&wide_op, &params);
        gf_op_params_default(&wide_op, &again);
        assert_int_equal(gf_op_param_parse(&wide_op, list, texts[i], &params, NULL), GF_OK);
        assert_string_equal(gf_op_param_text(list, &params, text, sizeof text),
                            i == 2 ? "0.1,9007199254740992" : texts[i]);
        assert_int_equal(gf_op_param_is_default(list, &params), i == 0);
        assert_int_equal(gf_op_param_get(list, &params, &values), counts[i]);
        assert_int_equal(gf_op_param_set(&wide_op, list, values, counts[i] * 8, &again, NULL), GF_OK);
        assert_memory_equal(&params, &again, sizeof params);
        struct wide_params wide;
        memcpy(&wide, &params, sizeof wide);
        assert_int_equal(wide.list.n, counts[i]);
        assert_true(wide.list.v[0] == strtod(texts[i], NULL));
        assert_true(wide.factor == 0.1 && wide.count == 256);
    }
}

static void bad_lists_of_doubles_are_refused(void **state)
{
    UNUSED(state);
    const double values[5] = {1, 2, -1.5e300, 4, 5};
    const struct gf_param_desc *list = &wide_op.params[2];
    union gf_params params;
    struct gf_error err;
    gf_op_params_default(&wide_op, &params);
    assert_int_equal(gf_op_param_set(&wide_op, list, values, 24, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: list=-1.5e+300 outside -1e+300..1.7976931348623157e+308");
    assert_int_equal(gf_op_param_set(&wide_op, list, values, 40, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: list has 40 bytes; allowed: 1..4 values of 8");
    assert_int_equal(gf_op_param_set(&wide_op, list, values, 12, &params, &err), GF_E_BAD_PARAM);
    assert_int_equal(gf_op_param_parse(&wide_op, list, "1,2,3,4,5", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: list=1,2,3,4,5 has too many values; allowed: up to 4");
}

static void bad_doubles_are_refused(void **state)
{
    UNUSED(state);
    const double nan_value = NAN, big = 1.5e300;
    const struct gf_param_desc *factor = &wide_op.params[0];
    union gf_params params;
    struct gf_error err;
    gf_op_params_default(&wide_op, &params);
    assert_int_equal(gf_op_param_set(&wide_op, factor, &nan_value, 8, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: factor=nan is not a finite f64 number");
    assert_int_equal(gf_op_param_set(&wide_op, factor, &big, 8, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: factor=1.5e+300 outside -1.7976931348623157e+308..1e+300");
    assert_int_equal(gf_op_param_set(&wide_op, factor, &big, 4, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: factor has 4 bytes; allowed: 1..1 values of 8");
    assert_int_equal(gf_op_param_parse(&wide_op, factor, "1e999", &params, &err), GF_E_BAD_PARAM);
    assert_int_equal(gf_op_param_parse(&wide_op, factor, "1,2", &params, &err), GF_E_BAD_PARAM);
    assert_int_equal(gf_op_param_parse(&wide_op, &wide_op.params[1], "16777217", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "wide: count=16777217 outside 1..16777216");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_the_whole_struct),
        cmocka_unit_test(defaults_survive_wire_and_text),
        cmocka_unit_test(set_takes_little_endian_values_at_any_address),
        cmocka_unit_test(set_refuses_without_storing),
        cmocka_unit_test(a_negative_zero_is_not_the_default),
        cmocka_unit_test(text_is_parsed_and_printed_back),
        cmocka_unit_test(bad_text_names_op_parameter_text_and_limits),
        cmocka_unit_test(overlong_text_is_refused),
        cmocka_unit_test(doubles_survive_wire_and_text),
        cmocka_unit_test(lists_of_doubles_survive_wire_and_text),
        cmocka_unit_test(bad_lists_of_doubles_are_refused),
        cmocka_unit_test(bad_doubles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
