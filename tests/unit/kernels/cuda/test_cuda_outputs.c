/* SPDX-License-Identifier: MIT */
/* kernels/cuda/cuda_run.c: which results kernels write straight into a client's page-locked memory. Runs on a device
 * that computes nothing (tests/support/fake_cuda.c). */
#include <stdlib.h>

#include "kernels/cuda/cuda_run.h"
#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/unit/unit.h"

#define PINNED ((size_t)1 << 20)
#define SIDE 64u

struct fixture {
    struct gf_device *device;
    struct gf_exec *exec;
    void *pinned, *plain; /* of the results and of the operands */
};

static int set_up(void **state)
{
    static struct fixture x;
    const struct gf_device_options options = {.device = "cuda:0", .compile = GF_COMPILE_NONE, .cold = true};
    struct gf_error err;
    assert_int_equal(gf_cuda_backend.open(&options, &x.device, &err), GF_OK);
    assert_int_equal(gf_cuda_backend.exec_open(x.device, &x.exec, &err), GF_OK);
    x.pinned = aligned_alloc(4096, PINNED);
    x.plain = calloc(1, PINNED);
    assert_true(x.pinned && x.plain);
    assert_int_equal(gf_cuda_backend.pin(x.device, x.pinned, PINNED, &err), GF_OK);
    *state = &x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    gf_cuda_backend.unpin(x->device, x->pinned);
    gf_cuda_backend.exec_close(x->exec);
    gf_cuda_backend.close(x->device);
    free(x->pinned);
    free(x->plain);
    return 0;
}

/* Whether kernels write an output into the client's memory, where it is the only result. */
static bool is_direct(struct fixture *x, const char *op, uint8_t output)
{
    struct gf_step step = {.op = gf_op_by_name(op)};
    struct gf_view views[GF_MAX_INPUTS] = {gf_view_tight(GF_U8, SIDE, SIDE, 1)};
    struct gf_buf operands[GF_MAX_INPUTS] = {{x->plain, views[0]}};
    struct gf_cuda_run run;
    struct gf_error err = {0};
    for (uint32_t i = step.op->n_required; i < GF_MAX_INPUTS; i++)
        step.in[i].from = GF_FROM_NOTHING;
    for (uint32_t i = 1; i < step.op->n_required; i++) {
        views[i] = gf_view_tight(GF_U8, 8, 8, 1);
        operands[i] = (struct gf_buf){x->plain, views[i]};
        step.in[i].index = (uint16_t)i;
    }
    gf_op_params_default(step.op, &step.params);
    if (gf_op_infer(step.op, views, step.op->n_inputs, &step.params, step.out, &err) != GF_OK)
        fail_msg("%s", err.text);
    assert_true(gf_view_bytes(&step.out[output]) <= PINNED);
    struct gf_sink sink = {.output = output, .buf = {x->pinned, step.out[output]}};
    sink.buf.view.pitch = gf_round_up(sink.buf.view.pitch, GF_CUDA_ALIGN);
    struct gf_job job = {.steps = &step,
                         .operands = operands,
                         .sinks = &sink,
                         .n_steps = 1,
                         .n_operands = step.op->n_required,
                         .n_sinks = 1};
    enum gf_status status = gf_cuda_run_begin(x->exec, &job, GF_CUDA_ALL_ON_DEVICE, &run, &err);
    bool direct = x->exec->outputs[output].borrowed;
    if (gf_cuda_run_end(&run, status, &err) != GF_OK)
        fail_msg("%s", err.text);
    return direct;
}

static void small_results_are_written_directly(void **state)
{
    struct fixture *x = *state;
    assert_true(is_direct(x, "sobel", 0));
    assert_true(is_direct(x, "label", 0));
    assert_true(is_direct(x, "label", 3));
    assert_true(is_direct(x, "match", 0));
    assert_true(is_direct(x, "match", 1));
}

static void accumulated_results_are_not(void **state)
{
    struct fixture *x = *state;
    assert_false(is_direct(x, "label", 1));
    assert_false(is_direct(x, "label", 2));
    assert_false(is_direct(x, "match", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_results_are_written_directly),
        cmocka_unit_test(accumulated_results_are_not),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
