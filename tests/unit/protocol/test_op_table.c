/* SPDX-License-Identifier: MIT */
/* protocol/op_table: the descriptors are complete and consistent. */
#include "protocol/ops/op_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

static void assert_name(const char *name)
{
    assert_in_range(strlen(name), 1, GF_NAME_SIZE - 1);
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
}

static void assert_help(const char *help)
{
    assert_non_null(help);
    size_t length = strlen(help);
    assert_in_range(length, 1, 80);
    assert_int_not_equal(help[length - 1], '.');
}

static void ids_ascend_and_names_are_unique(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        assert_name(gf_ops[i].name);
        assert_help(gf_help_text(gf_ops[i].help));
        assert_int_equal(gf_ops[i].index, i);
        assert_true(gf_ops[i].id > (i == 0 ? 0 : gf_ops[i - 1].id));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(gf_ops[i].name, gf_ops[j].name);
    }
}

static void ops_are_found_by_id_and_name(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        assert_ptr_equal(gf_op_by_id(gf_ops[i].id), &gf_ops[i]);
        assert_ptr_equal(gf_op_by_name(gf_ops[i].name), &gf_ops[i]);
    }
    assert_int_equal(gf_op_by_name("gaussian")->id, 0x0103);
    assert_null(gf_op_by_id(0));
    assert_null(gf_op_by_id(UINT32_MAX));
    assert_null(gf_op_by_name(""));
    assert_null(gf_op_by_name("gauss"));
}

static void what_a_reach_reads_is_there(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        const struct gf_param_desc *value = gf_op_param(op, "value"), *axis = gf_op_param(op, "axis");
        assert_in_range(op->reach, GF_REACH_NONE, GF_REACH_ALL);
        if (op->reach == GF_REACH_VALUE)
            assert_true(value && value->vector && value->n_def == 0);
        if (op->reach == GF_REACH_SEQUENCE && axis)
            assert_int_equal(axis->e, GF_ENUM_AXIS);
        if (op->reach == GF_REACH_KERNEL || op->reach == GF_REACH_KERNEL_REVERSED)
            assert_true(axis && axis->e == GF_ENUM_AXIS && op->work.kind == GF_WORK_KERNEL);
        if (op->reach == GF_REACH_MASK || op->reach == GF_REACH_MASK_ROTATED)
            assert_in_range(op->work.kind, GF_WORK_STENCIL, GF_WORK_WINDOW);
        if (op->reach == GF_REACH_ELEMENT || op->reach == GF_REACH_ELEMENT_TWICE)
            assert_true(op->work.kind == GF_WORK_ELEMENT && gf_op_param(op, "size") && gf_op_param(op, "anchor") &&
                        gf_op_param(op, "iterations") && op->inputs[1].kind == GF_INPUT_COEFS);
        if (op->reach != GF_REACH_ALL)
            assert_int_not_equal(op->outputs[0].shape, GF_SHAPE_COUNTED);
    }
    assert_int_equal(gf_ops[GF_INDEX_gaussian].reach, GF_REACH_MASK);
    assert_int_equal(gf_ops[GF_INDEX_matmul].reach, GF_REACH_SEQUENCE);
    assert_int_equal(gf_ops[GF_INDEX_histogram].reach, GF_REACH_ALL);
}

static void inputs_and_outputs_are_described(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        assert_in_range(op->n_inputs, 1, GF_MAX_INPUTS);
        assert_in_range(op->n_required, 1, op->n_inputs);
        assert_in_range(op->n_outputs, 1, GF_MAX_OUTPUTS);
        for (uint32_t k = 0; k < op->n_inputs; k++) {
            assert_name(op->inputs[k].name);
            assert_help(gf_help_text(op->inputs[k].help));
            assert_in_range(op->inputs[k].kind, GF_INPUT_IMAGE, GF_INPUT_MATRIX);
            assert_int_equal(op->inputs[k].optional, k >= op->n_required);
            assert_int_not_equal(op->inputs[k].dtypes, 0);
            for (uint32_t d = 0; d < 32; d++)
                assert_true((op->inputs[k].dtypes & GF_DT(d)) == 0 || gf_dtype_known(d));
        }
        for (uint32_t k = 0; k < op->n_outputs; k++) {
            assert_name(op->outputs[k].name);
            assert_help(gf_help_text(op->outputs[k].help));
            assert_in_range(op->outputs[k].shape, GF_SHAPE_SAME_SHAPE, GF_SHAPE_COUNTED);
            assert_in_range(op->outputs[k].dtype, GF_RULE_SAME_DTYPE, GF_RULE_PARAM_DTYPE_F32);
            /* one function gives the views of all outputs or of none */
            assert_int_equal(op->outputs[k].shape >= GF_SHAPE_CHANNELS, op->outputs[0].shape >= GF_SHAPE_CHANNELS);
            if (op->outputs[k].shape == GF_SHAPE_FILTER)
                assert_int_equal(op->inputs[1].kind, GF_INPUT_COEFS);
        }
    }
}

static size_t room_of(const struct gf_param_desc *param)
{
    if (param->kind == GF_PARAM_TEXT)
        return sizeof(struct gf_text);
    return gf_op_param_size(param) * (param->vector ? 1 + GF_MAX_VALUES : 1);
}

static void assert_param(const struct gf_op *op, const struct gf_param_desc *param)
{
    assert_name(param->name);
    assert_help(gf_help_text(param->help));
    assert_in_range(param->kind, GF_PARAM_U32, GF_PARAM_TEXT);
    if (param->kind == GF_PARAM_TEXT) {
        assert_in_range(param->max, 1, GF_MAX_BODY / 2);
        assert_true(param->n_def == 0 && !param->vector && param->e == GF_ENUM_NONE);
        assert_true(param->offset + sizeof(struct gf_text) <= op->params_size);
        return;
    }
    assert_in_range(param->max, 1, GF_MAX_VALUES);
    assert_in_range(param->n_def, param->vector ? 0 : 1, param->max);
    assert_true(param->offset + room_of(param) <= op->params_size);
    if (param->kind == GF_PARAM_ENUM) {
        assert_false(param->vector);
        assert_non_null(gf_enum_word(param->e, (uint32_t)param->def));
        assert_non_null(strstr(gf_enum_name(param->e), param->name)); /* dtype takes words of result_dtype */
        return;
    }
    assert_int_equal(param->e, GF_ENUM_NONE);
    assert_true(param->lo < param->hi);
    assert_true(param->n_def == 0 || (param->def >= param->lo && param->def <= param->hi));
    if (param->kind == GF_PARAM_F32) {
        assert_true((double)(float)param->lo == param->lo && (double)(float)param->hi == param->hi);
        assert_true(param->lo >= -(double)FLT_MAX && param->hi <= (double)FLT_MAX);
    } else if (param->kind == GF_PARAM_F64) {
        assert_true(isfinite(param->lo) && isfinite(param->hi));
    } else {
        assert_true((double)(uint32_t)param->lo == param->lo && (double)(uint32_t)param->hi == param->hi);
        assert_true((double)(uint32_t)param->def == param->def);
    }
}

static void parameters_are_dense_and_defaults_in_range(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        assert_true(op->params_size <= sizeof(union gf_params));
        assert_in_range(op->n_params, 0, GF_MAX_PARAMS);
        assert_int_equal(op->revision, 1); /* NEWS.md tells of another one */
        for (uint32_t k = 0; k < op->n_params; k++) {
            assert_int_equal(op->params[k].id, k + 1);
            assert_param(op, &op->params[k]);
            assert_ptr_equal(gf_op_param(op, op->params[k].name), &op->params[k]); /* the first of its name */
        }
        assert_null(gf_op_param(op, "nothing"));
    }
}

static void parameters_do_not_share_memory(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++) {
        size_t end = 0;
        for (uint32_t k = 0; k < gf_ops[i].n_params; k++) {
            const struct gf_param_desc *param = &gf_ops[i].params[k];
            if (param->kind == GF_PARAM_F64 || param->kind == GF_PARAM_TEXT)
                end = (end + _Alignof(double) - 1) & ~(_Alignof(double) - 1);
            assert_int_equal(param->offset, end);
            end += room_of(param);
        }
        assert_in_range(gf_ops[i].params_size, end, end + _Alignof(double) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_ascend_and_names_are_unique),
        cmocka_unit_test(ops_are_found_by_id_and_name),
        cmocka_unit_test(what_a_reach_reads_is_there),
        cmocka_unit_test(inputs_and_outputs_are_described),
        cmocka_unit_test(parameters_are_dense_and_defaults_in_range),
        cmocka_unit_test(parameters_do_not_share_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
