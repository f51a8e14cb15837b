/* SPDX-License-Identifier: MIT */
/* The magnitudes of gradients have the same bits with and without gf_device.inexact_roots, which selects other kernels.
 * Needs a GPU: 77 without one. Run by scripts/gpu-check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define WIDTH 701u
#define HEIGHT 333u

static struct gf_device *device;
static struct gf_exec *exec;

/* Runs one op, or two in a row, on a picture. */
static void run(const char *const ops[2], const struct gf_buf *in, float *ret)
{
    struct gf_step steps[2] = {{.op = NULL}};
    struct gf_view views[GF_MAX_INPUTS] = {in->view};
    struct gf_error err = {0};
    uint32_t n = 0;
    for (; n < 2 && ops[n] != NULL; n++) {
        struct gf_step *step = &steps[n];
        step->op = gf_op_by_name(ops[n]);
        gf_op_params_default(step->op, &step->params);
        for (uint32_t i = 1; i < GF_MAX_INPUTS; i++)
            step->in[i].from = GF_FROM_NOTHING;
        if (n > 0)
            step->in[0].from = GF_FROM_STEP;
        const struct gf_param_desc *dtype = gf_op_param(step->op, "dtype");
        if (dtype != NULL)
            assert_int_equal(gf_op_param_parse(step->op, dtype, "f32", &step->params, &err), GF_OK);
        assert_int_equal(gf_op_infer(step->op, views, step->op->n_inputs, &step->params, step->out, &err), GF_OK);
        views[0] = step->out[0];
    }
    assert_int_equal(views[0].dtype, GF_F32);
    struct gf_buf operand = *in;
    struct gf_sink sink = {.step = (uint16_t)(n - 1), .buf = {.data = ret, .view = views[0]}};
    struct gf_job job = {
        .steps = steps, .operands = &operand, .sinks = &sink, .n_steps = n, .n_operands = 1, .n_sinks = 1};
    if (gf_cuda_backend.run(exec, &job, &err) != GF_OK)
        fail_msg("%s", err.text);
}

static void expect_same(uint32_t dtype, uint32_t channels, const char *first, const char *second)
{
    const struct gf_view view = gf_view_tight(dtype, WIDTH, HEIGHT, channels);
    const size_t bytes = (size_t)gf_view_samples(&view) * sizeof(float);
    const bool inexact = device->inexact_roots;
    struct gf_prng prng = {7};
    void *data = malloc((size_t)gf_view_bytes(&view));
    float *by_step = malloc(bytes), *whole = malloc(bytes);
    assert_true(data && by_step && whole);
    for (uint64_t i = 0; i < gf_view_samples(&view); i++)
        if (dtype == GF_F32)
            ((float *)data)[i] = gf_prng_unit(&prng);
        else
            ((unsigned char *)data)[i] = (unsigned char)gf_prng_next(&prng);
    const struct gf_buf in = {.data = data, .view = view};
    run((const char *const[2]){first, second}, &in, by_step);
    device->inexact_roots = true;
    run((const char *const[2]){first, second}, &in, whole);
    device->inexact_roots = inexact;
    assert_memory_equal(by_step, whole, bytes);
    free(data);
    free(by_step);
    free(whole);
}

static void kernels_for_inexact_roots_give_the_same_bits(void **state)
{
    UNUSED(state);
    for (uint32_t channels = 1; channels <= GF_MAX_CHANNELS; channels++) {
        expect_same(GF_U8, channels, "sobel", NULL);
        expect_same(GF_F32, channels, "scharr", NULL);
    }
    expect_same(GF_F32, 1, "prewitt", NULL);
    expect_same(GF_F32, 1, "gaussian", "sobel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_for_inexact_roots_give_the_same_bits)};
    const struct gf_device_options options = {.device = "cuda:0", .compile = GF_COMPILE_NONE, .cold = true};
    struct gf_error err = {0};
    enum gf_status status = gf_cuda_backend.open(&options, &device, &err);
    if (status == GF_OK)
        status = gf_cuda_backend.exec_open(device, &exec, &err);
    if (status != GF_OK) {
        printf("%s: %s\n", status == GF_E_NO_DEVICE ? "skipped" : "failed", err.text);
        return status == GF_E_NO_DEVICE ? 77 : 1;
    }
    printf("roots in one step are %s here\n", device->inexact_roots ? "not always right, and not used" : "right");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gf_cuda_backend.exec_close(exec);
    gf_cuda_backend.close(device);
    return failed;
}
