/* SPDX-License-Identifier: MIT */
/* kernels/cuda/step/row_chunks: the order of requests, launches and reports, and the cost of a row. Needs no device. */
#include "kernels/cuda/step/row_chunks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/cuda_policy.h"
#include "tests/unit/unit.h"

/* A step of two inputs and two outputs on a device of 100 multiprocessors. */
struct fixture {
    struct gf_op op;
    struct gf_step step;
    struct gf_job job;
    struct gf_device device;
    struct gf_exec exec;
    struct gf_cuda_image in[2], out[2];
    struct gf_cuda_call call;
    uint64_t fails_at; /* the launch of this row fails */
    char log[512];     /* what the op was asked */
};

static void init(struct fixture *x, uint64_t height)
{
    *x = (struct fixture){.op = {.name = "op", .n_inputs = 2, .n_outputs = 2}, .fails_at = UINT64_MAX};
    x->device.info.units = 100;
    x->step.op = &x->op;
    x->exec.device = &x->device;
    x->in[0].view = x->in[1].view = x->out[0].view = x->out[1].view = gf_view_tight(GF_U8, 100, height, 1);
    x->call = (struct gf_cuda_call){
        .exec = &x->exec, .step = &x->step, .job = &x->job, .image = {&x->in[0], &x->in[1]}, .out = x->out};
}

static void note(struct fixture *x, const char *what, uint64_t a, uint64_t b)
{
    size_t used = strlen(x->log);
    (void)snprintf(x->log + used, sizeof(x->log) - used, "%s%s %d %d", used > 0 ? ", " : "", what, (int)a, (int)b);
}

static struct fixture *fixture_of(const void *op)
{
    return *(struct fixture *const *)op;
}

static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct fixture *x = fixture_of(op);
    assert_ptr_equal(call, &x->call);
    note(x, "launch", first, end);
    return first < x->fails_at ? GF_OK : gf_error_set(err, GF_E_INTERNAL, "row %d", (int)first);
}

static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    note(fixture_of(op), "need", input, end);
    return end;
}

/* Half the rows of the second output. */
static uint64_t rows_made(const void *op, uint32_t output, uint64_t end)
{
    note(fixture_of(op), "made", output, end);
    return output == 0 ? end : end / 2;
}

static const struct gf_cuda_row_chunks CHUNKS = {.height = 10, .rows = 4, .row_cost = 2.5, .unit = 2};
static const struct gf_cuda_row_fns FNS = {launch, rows_needed, rows_made};

static enum gf_status run(struct fixture *x, const struct gf_cuda_row_fns *fns, struct gf_error *err)
{
    return gf_cuda_run_rows(&x->call, &CHUNKS, fns, &x, err);
}

static void inputs_come_before_launches_and_outputs_after(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_error err = {0};
    init(&x, 10);
    assert_int_equal(run(&x, &FNS, &err), GF_OK);
    assert_string_equal(x.log, "need 0 2, need 1 2, launch 0 2, made 0 2, made 1 2, "
                               "need 0 6, need 1 6, launch 2 6, made 0 6, made 1 6, "
                               "need 0 10, need 1 10, launch 6 10, made 0 10, made 1 10");
    assert_int_equal(x.out[0].rows, 10);
    assert_int_equal(x.out[1].rows, 5);
    assert_int_equal(x.exec.pending, 25);
}

static void rows_match_by_default(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_error err = {0};
    init(&x, 10);
    x.call.image[1] = NULL;
    assert_int_equal(run(&x, &(struct gf_cuda_row_fns){.launch = launch}, &err), GF_OK);
    assert_string_equal(x.log, "launch 0 2, launch 2 6, launch 6 10");
    assert_int_equal(x.out[0].rows, 10);
    assert_int_equal(x.out[1].rows, 10);
    init(&x, 10);
    x.call.image[1] = NULL;
    assert_int_equal(run(&x, &(struct gf_cuda_row_fns){launch, rows_needed, NULL}, &err), GF_OK);
    assert_string_equal(x.log, "need 0 2, launch 0 2, need 0 6, launch 2 6, need 0 10, launch 6 10");
}

static void a_failure_ends_the_run(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_error err = {0};
    init(&x, 10);
    x.fails_at = 2;
    assert_int_equal(run(&x, &FNS, &err), GF_E_INTERNAL);
    assert_string_equal(err.text, "row 2");
    assert_string_equal(x.log, "need 0 2, need 1 2, launch 0 2, made 0 2, made 1 2, need 0 6, need 1 6, launch 2 6");
    assert_int_equal(x.out[0].rows, 2);
    const bool cancel = true;
    init(&x, 10);
    x.job.cancel = &cancel;
    assert_int_equal(run(&x, &FNS, &err), GF_E_CANCELLED);
    assert_string_equal(x.log, "");
}

static void a_row_costs_its_bytes_or_its_arithmetic(void **state)
{
    UNUSED(state);
    struct fixture x;
    init(&x, 1000);
    struct gf_cuda_row_chunks chunks = gf_cuda_row_chunks(&x.call, 300000, 1);
    assert_true(chunks.row_cost == 300.0);
    gf_cuda_row_chunks_limit(&chunks, &x.call, 1.0, 100);
    assert_true(chunks.row_cost == 300.0);
    double unit = gf_policy.unit_work * 100.0; /* a row of one work unit */
    gf_cuda_row_chunks_limit(&chunks, &x.call, unit, 100);
    assert_true(fabs(chunks.row_cost - GF_CUDA_WORK_UNIT_BYTES) < 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_come_before_launches_and_outputs_after),
        cmocka_unit_test(rows_match_by_default),
        cmocka_unit_test(a_failure_ends_the_run),
        cmocka_unit_test(a_row_costs_its_bytes_or_its_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
