/* SPDX-License-Identifier: MIT */
/* kernels/cuda/filter/filter_group.c: which steps of a program go with a filter, and the plan for them. Needs no
 * device.
 */
#include "kernels/cuda/filter/filter_plan.h"

#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/unit/unit.h"

#define STEPS 5u

/* A chain of steps, each of which reads the one before, and the group of the first step. */
static struct fixture {
    struct gf_device device;
    struct gf_exec exec;
    struct gf_cuda_image image, out;
    struct gf_step steps[STEPS];
    struct gf_job job;
    struct gf_cuda_call call;
    struct gf_cuda_filter_group group;
    struct gf_cuda_filter_plan plan;
} x;

/* A step: its op, then names and values of parameters. */
struct words {
    const char *op, *of[6];
};

static void add_step(const struct words *words, const struct gf_view *from)
{
    struct gf_step *step = &x.steps[x.job.n_steps++];
    struct gf_view in[GF_MAX_INPUTS] = {*from};
    struct gf_error err = {0};
    step->op = gf_op_by_name(words->op);
    gf_op_params_default(step->op, &step->params);
    for (uint32_t i = 1; i < GF_MAX_INPUTS; i++)
        step->in[i].from = GF_FROM_NOTHING;
    if (x.job.n_steps > 1)
        step->in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(x.job.n_steps - 2)};
    for (uint32_t i = 0; i < 6 && words->of[i] != NULL; i += 2)
        if (gf_op_param_parse(step->op, gf_op_param(step->op, words->of[i]), words->of[i + 1], &step->params, &err) !=
            GF_OK)
            fail_msg("%s", err.text);
    if (gf_op_infer(step->op, in, step->op->n_inputs, &step->params, step->out, &err) != GF_OK)
        fail_msg("%s", err.text);
}

/* The last step in the group of the first step, counted from 1; 0 if the first step is not a filter. */
static uint32_t group(uint32_t dtype, uint32_t channels, const struct words *words)
{
    const struct gf_view view = gf_view_tight(dtype, 300, 200, channels);
    gf_cuda_filter_group_deinit(&x.group);
    memset(&x, 0, sizeof x);
    x.device.info.units = 132;
    x.device.shared_memory = (struct gf_cuda_shared_memory){228 * 1024, 1024};
    x.exec.device = &x.device;
    x.image.view = view;
    for (uint32_t i = 0; i < STEPS && words[i].op != NULL; i++)
        add_step(&words[i], i == 0 ? &view : &x.steps[i - 1].out[0]);
    x.job.steps = x.steps;
    gf_job_uses(&x.job, &x.exec.uses);
    x.call = (struct gf_cuda_call){.exec = &x.exec, .step = x.steps, .job = &x.job, .image = {&x.image}, .out = &x.out};
    assert_int_equal(gf_cuda_filter_group_init(&x.call, &x.group, NULL), GF_OK);
    x.out.view = x.steps[x.group.last].out[0];
    return x.group.there ? x.group.last + 1 : 0;
}

#define GROUP(dtype, channels, ...) group(dtype, channels, (const struct words[STEPS + 1]){__VA_ARGS__})

static const struct words gaussian = {"gaussian", {"sigma", "2"}}, sobel = {"sobel", {NULL}},
                          map = {"map", {"scale", "1.5"}}, white = {"threshold", {"value", "9", "channels", "each"}};

static void what_changes_samples_goes_with_a_filter(void **state)
{
    UNUSED(state);
    assert_int_equal(GROUP(GF_F32, 1, gaussian, map, white), 3);
    assert_int_equal(x.group.epilogue.n, 2);
    assert_int_equal(x.group.prologue.n, 0);
    assert_int_equal(GROUP(GF_U8, 3, gaussian, map, white), 3);
    assert_int_equal(x.group.epilogue.n, 4); /* two stores as well */
    assert_int_equal(GROUP(GF_U8, 3, {"box", {"size", "3"}}, map), 2);
    assert_int_equal(GROUP(GF_U8, 3, {"bilateral", {NULL}}, white), 2);
    assert_int_equal(GROUP(GF_U8, 1, {"sharpen", {NULL}}, white), 2);
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_int_equal(x.plan.pass[0].dst.epilogue.n, 2);
    assert_int_equal(GROUP(GF_U8, 1, sobel, {"map", {"dtype", "u8"}}), 2);
}

static void what_is_in_front_goes_with_a_separable_filter(void **state)
{
    UNUSED(state);
    assert_int_equal(GROUP(GF_F32, 1, map, gaussian, white), 3);
    assert_int_equal(x.group.at, 1);
    assert_int_equal(x.group.prologue.n, 1);
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_int_equal(x.plan.n_passes, 1);
    assert_int_equal(x.plan.pass[0].prologue.n, 1);
    assert_int_equal(x.plan.pass[0].dst.epilogue.n, 1);
    assert_int_equal(GROUP(GF_F32, 1, {"map", {"dtype", "u8"}}, gaussian), 2);
    assert_int_equal(x.group.prologue.n, 2); /* with the store */
    assert_int_equal(GROUP(GF_U8, 1, map, gaussian), 0);
    assert_int_equal(GROUP(GF_F32, 3, {"expr", {"expression", "a/2"}}, map, gaussian), 3);
    assert_int_equal(GROUP(GF_F32, 1, map, sobel), 0);
    assert_int_equal(GROUP(GF_F32, 1, map, {"unsharp", {NULL}}), 0); /* it reads the picture again */
    assert_int_equal(GROUP(GF_F32, 1, map, {"gaussian", {"sigma", "200"}}), 0);
    assert_int_equal(GROUP(GF_F32, 1, map, white), 0);
    assert_int_equal(GROUP(GF_F64, 1, {"expr", {"expression", "f32(a)", "dtype", "f32"}}, gaussian), 0);
}

static void a_gradient_goes_with_a_gaussian(void **state)
{
    UNUSED(state);
    assert_int_equal(GROUP(GF_F32, 1, gaussian, sobel, white), 3);
    assert_true(x.group.has_second);
    assert_int_equal(x.group.between.n, 0);
    assert_int_equal(x.group.epilogue.n, 1);
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_true(x.plan.pass[0].launch == gf_cuda_fused_second_launch);
    assert_int_equal(x.plan.lead, 17 + 1);
    const struct gf_cuda_second *second = &x.plan.pass[0].second;
    assert_int_equal(second->left, 0);
    assert_int_equal(second->right, 299);
    assert_int_equal(second->bottom, 199);
    assert_int_equal(GROUP(GF_U8, 1, gaussian, map, {"scharr", {"border", "reflect101", "scale", "0.5"}}, white), 4);
    assert_true(x.group.has_second);
    assert_int_equal(x.group.between.n, 3);
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_int_equal(x.plan.pass[0].second.left, 1);
    assert_int_equal(x.plan.pass[0].second.right, 298);
    assert_true(x.plan.pass[0].dst.scale == 0.5f);

    x.device.inexact_roots = true;
    gf_cuda_filter_group_deinit(&x.group);
    assert_int_equal(gf_cuda_filter_group_init(&x.call, &x.group, NULL), GF_OK);
    assert_false(x.group.has_second);

    assert_int_equal(GROUP(GF_F32, 1, gaussian, {"sobel", {"border", "wrap"}}), 1);
    assert_int_equal(GROUP(GF_F32, 1, gaussian, {"sobel", {"output", "dx"}}), 1);
    assert_int_equal(GROUP(GF_F32, 1, gaussian, {"laplacian", {NULL}}), 1);
    assert_int_equal(GROUP(GF_F32, 3, gaussian, sobel), 1);
    assert_int_equal(GROUP(GF_F16, 1, gaussian, sobel), 1);
    assert_int_equal(GROUP(GF_F32, 1, {"unsharp", {NULL}}, sobel), 1);
    assert_int_equal(GROUP(GF_F32, 1, {"gaussian", {"sigma", "200"}}, sobel), 1);
}

static void what_others_want_is_stored(void **state)
{
    UNUSED(state);
    assert_int_equal(GROUP(GF_F32, 1, gaussian, map), 2);
    x.exec.uses.outputs[0][0].n_sinks = 1;
    gf_cuda_filter_group_deinit(&x.group);
    assert_int_equal(gf_cuda_filter_group_init(&x.call, &x.group, NULL), GF_OK);
    assert_int_equal(x.group.last, 0);
    x.exec.uses.outputs[0][0] = (struct gf_use){.last = 2};
    gf_cuda_filter_group_deinit(&x.group);
    assert_int_equal(gf_cuda_filter_group_init(&x.call, &x.group, NULL), GF_OK);
    assert_int_equal(x.group.last, 0);
    x.exec.uses.outputs[0][0].last = 1;
    x.job.unfused = true;
    gf_cuda_filter_group_deinit(&x.group);
    assert_int_equal(gf_cuda_filter_group_init(&x.call, &x.group, NULL), GF_OK);
    assert_int_equal(x.group.last, 0);
}

static void alpha_light_and_other_types_stay_steps(void **state)
{
    UNUSED(state);
    assert_int_equal(GROUP(GF_U8, 4, gaussian, map), 1);
    assert_int_equal(GROUP(GF_U8, 2, gaussian, white), 1);
    assert_int_equal(GROUP(GF_U8, 1, {"gaussian", {"light", "linear"}}, map), 1);
    assert_int_equal(GROUP(GF_U8, 1, {"laplacian", {NULL}}, {"map", {"dtype", "u8"}}), 1); /* it has a kernel to f32 */
    assert_int_equal(GROUP(GF_U8, 1, gaussian, {"expr", {"expression", "a*2", "dtype", "f64"}}), 1);
    assert_int_equal(GROUP(GF_U8, 1, gaussian, {"map", {"gamma", "2.2"}}), 1);
    assert_int_equal(GROUP(GF_U8, 3, gaussian, {"threshold", {"value", "9"}}), 1); /* brightness */
    assert_int_equal(GROUP(GF_U8, 1, {"median", {NULL}}, map), 0);
}

/* What gradient.cuh takes for known: two masks, one the transpose of the other, by two weights. */
static void gradients_have_the_masks_that_the_kernels_know(void **state)
{
    UNUSED(state);
    static const struct {
        const char *name;
        float outer, middle;
    } gradients[] = {{"sobel", 1, 2}, {"scharr", 3, 10}, {"prewitt", 1, 1}};
    for (uint32_t i = 0; i < 3; i++) {
        const float outer = gradients[i].outer, middle = gradients[i].middle;
        const float mask[9] = {-outer, 0, outer, -middle, 0, middle, -outer, 0, outer};
        (void)GROUP(GF_F32, 1, {gradients[i].name, {NULL}});
        gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
        const struct gf_cuda_stencil *stencil = &x.plan.pass[0].stencil;
        assert_int_equal(stencil->what, GF_CUDA_MAGNITUDE);
        assert_true(stencil->gradient.outer == outer && stencil->gradient.middle == middle);
        for (uint32_t k = 0; k < 9; k++) {
            assert_true(stencil->chains[0].weight[k] == mask[k]);
            assert_true(stencil->chains[1].weight[k] == mask[k % 3 * 3 + k / 3]);
        }
    }
}

static int release(void **state)
{
    UNUSED(state);
    gf_cuda_filter_group_deinit(&x.group);
    memset(&x, 0, sizeof x);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, release)
    const struct CMUnitTest tests[] = {
        TEST(what_changes_samples_goes_with_a_filter), TEST(what_is_in_front_goes_with_a_separable_filter),
        TEST(a_gradient_goes_with_a_gaussian),         TEST(what_others_want_is_stored),
        TEST(alpha_light_and_other_types_stay_steps),  TEST(gradients_have_the_masks_that_the_kernels_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
