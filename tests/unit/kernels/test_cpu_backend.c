/* SPDX-License-Identifier: MIT */
/* kernels/cpu: the device, programs of several steps, memory at any address, stopping, exec contexts side by side. */
#include <pthread.h>
#include <string.h>

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/registry.h"
#include "protocol/base/machine.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/correlate.h"
#include "tests/unit/unit.h"

#define SIDE 70u

struct fixture {
    struct gf_device *device;
    struct gf_exec *exec;
};

static int setup(void **state)
{
    static struct fixture f;
    struct gf_device_options options = {.device = "cpu", .threads = 3};
    assert_int_equal(gf_cpu_backend.open(&options, &f.device, NULL), GF_OK);
    assert_int_equal(gf_cpu_backend.exec_open(f.device, &f.exec, NULL), GF_OK);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_cpu_backend.exec_close(f->exec);
    gf_cpu_backend.close(f->device);
    return 0;
}

/* A step with default parameters on the given views. */
static struct gf_step make_step(const char *name, struct gf_view src, struct gf_view mask)
{
    struct gf_step step = {.op = gf_op_by_name(name), .in[1] = {.index = 1}};
    struct gf_view in[2] = {src, mask};
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_op_infer(step.op, in, step.op->n_inputs, &step.params, step.out, NULL), GF_OK);
    return step;
}

static void run_one(struct gf_exec *exec, const struct gf_step *step, const struct gf_buf *operands, struct gf_buf out)
{
    struct gf_sink sink = {.buf = out};
    struct gf_job job = {.steps = step, .operands = operands, .sinks = &sink, .n_steps = 1, .n_sinks = 1};
    struct gf_error err = {0};
    job.n_operands = step->op->n_inputs;
    if (gf_cpu_backend.run(exec, &job, &err) != GF_OK)
        fail_msg("%s", err.text);
}

static void fill(unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 11);
}

static void device_tells_what_it_is(void **state)
{
    struct fixture *f = *state;
    struct gf_device_info info;
    gf_cpu_backend.info(f->device, &info);
    assert_string_equal(info.name, "cpu");
    assert_int_equal(info.units, 3);
    assert_true(strlen(info.title) > 0);
    assert_true(strlen(info.detail) > 0);
    assert_int_equal(info.memory, gf_machine_memory(""));
    assert_ptr_equal(gf_backend_for_device("cpu"), &gf_cpu_backend);
    assert_ptr_equal(gf_backend_for_device("cuda:0"), &gf_cuda_backend);
    assert_null(gf_backend_for_device("cpu0"));
    for (size_t i = 0; i < GF_N_OPS; i++) {
        uint32_t takes = gf_ops[i].inputs[0].dtypes;
        for (uint32_t dtype = 1; gf_dtype_known(dtype); dtype++)
            assert_int_equal(gf_cpu_backend.supports(f->device, &gf_ops[i], dtype), (takes & GF_DT(dtype)) != 0);
    }
}

static void refuses_too_many_threads(void **state)
{
    UNUSED(state);
    struct gf_device_options options = {.device = "cpu", .threads = 1u << 20};
    struct gf_device *device = NULL;
    struct gf_error err = {0};
    assert_int_equal(gf_cpu_backend.open(&options, &device, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "1024"));
    assert_null(device);
}

static void takes_instructions_that_the_processor_has(void **state)
{
    UNUSED(state);
    struct gf_device_options options = {.device = "cpu", .threads = 1, .instructions = "generic"};
    struct gf_device *device = NULL;
    struct gf_device_info info;
    struct gf_error err = {0};
    assert_int_equal(gf_cpu_backend.open(&options, &device, &err), GF_OK);
    gf_cpu_backend.info(device, &info);
    gf_cpu_backend.close(device);
    assert_string_equal(info.detail, "generic");
    options.instructions = "sse9";
    device = NULL;
    assert_int_equal(gf_cpu_backend.open(&options, &device, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "instructions=sse9"));
    assert_null(device);
}

static void correlates_with_replicated_border(void **state)
{
    struct fixture *f = *state;
    unsigned char src[6] = {1, 2, 3, 40, 50, 60}, dst[6];
    static const unsigned char expected[6] = {3, 2, 3, 42, 32, 42}; /* 2 * left - itself + 2 */
    float mask[3] = {2, -1, 0};
    struct gf_view view = gf_view_tight(GF_U8, 3, 2, 1), coefs = gf_view_tight(GF_F32, 3, 1, 1);
    struct gf_step step = make_step("correlate", view, coefs);
    GF_SET_PARAM(&step.params, correlate, offset, 2.0f);
    struct gf_buf operands[2] = {{src, view}, {mask, coefs}};
    run_one(f->exec, &step, operands, (struct gf_buf){dst, view});
    assert_memory_equal(dst, expected, sizeof(expected));
}

static void address_and_pitch_change_nothing(void **state)
{
    struct fixture *f = *state;
    static unsigned char tight_src[SIDE * SIDE * 6], tight_dst[sizeof(tight_src)], src[sizeof(tight_src) * 2],
        dst[sizeof(src)];
    struct gf_view tight = gf_view_tight(GF_U16, SIDE, SIDE, 3), padded = tight;
    padded.pitch += 6;
    fill(tight_src, sizeof(tight_src));
    memset(dst, 0x5A, sizeof(dst));
    for (size_t y = 0; y < SIDE; y++)
        memcpy(src + 1 + y * padded.pitch, tight_src + y * tight.pitch, tight.pitch);
    struct gf_step step = make_step("gaussian", tight, tight);
    run_one(f->exec, &step, &(struct gf_buf){tight_src, tight}, (struct gf_buf){tight_dst, tight});
    run_one(f->exec, &step, &(struct gf_buf){src + 1, padded}, (struct gf_buf){dst + 3, padded});
    for (size_t y = 0; y < SIDE; y++) {
        assert_memory_equal(dst + 3 + y * padded.pitch, tight_dst + y * tight.pitch, tight.pitch);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(dst[3 + y * padded.pitch + tight.pitch + i], 0x5A);
    }
}

/* A blur and a blur of its output; the first output goes to two results and to the second step. */
static void output_feeds_a_step_and_two_results(void **state)
{
    struct fixture *f = *state;
    static unsigned char src[SIDE * SIDE], once[3][SIDE * SIDE], twice[2][SIDE * SIDE];
    struct gf_view view = gf_view_tight(GF_U8, SIDE, SIDE, 1);
    fill(src, sizeof(src));
    struct gf_step steps[2] = {make_step("gaussian", view, view), make_step("box", view, view)};
    run_one(f->exec, &steps[0], &(struct gf_buf){src, view}, (struct gf_buf){once[2], view});
    run_one(f->exec, &steps[1], &(struct gf_buf){once[2], view}, (struct gf_buf){twice[1], view});

    steps[1].in[0] = (struct gf_ref){.from = GF_FROM_STEP};
    struct gf_sink sinks[3] = {
        {.step = 1, .buf = {twice[0], view}}, {.step = 0, .buf = {once[0], view}}, {.step = 0, .buf = {once[1], view}}};
    struct gf_buf operand = {src, view};
    struct gf_job job = {
        .steps = steps, .operands = &operand, .sinks = sinks, .n_steps = 2, .n_operands = 1, .n_sinks = 3};
    assert_int_equal(gf_cpu_backend.run(f->exec, &job, NULL), GF_OK);
    assert_memory_equal(once[0], once[2], sizeof(src));
    assert_memory_equal(once[1], once[2], sizeof(src));
    assert_memory_equal(twice[0], twice[1], sizeof(src));
    assert_true(job.times.kernel > 0);
}

static void large_box_sums_exactly(void **state)
{
    struct fixture *f = *state;
    static uint16_t src[SIDE * SIDE], dst[SIDE * SIDE];
    struct gf_view view = gf_view_tight(GF_U16, SIDE, SIDE, 1);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        src[i] = 65535;
    struct gf_step step = make_step("box", view, view);
    GF_SET_PARAM(&step.params, box, size, (struct gf_u32v){.n = 1, .v = {4095}});
    run_one(f->exec, &step, &(struct gf_buf){src, view}, (struct gf_buf){dst, view});
    assert_memory_equal(dst, src, sizeof(src));
}

static void stops_when_told(void **state)
{
    struct fixture *f = *state;
    unsigned char src[4] = {0}, dst[4];
    struct gf_view view = gf_view_tight(GF_U8, 2, 2, 1);
    struct gf_step step = make_step("box", view, view);
    struct gf_buf operand = {src, view};
    struct gf_sink sink = {.buf = {dst, view}};
    bool cancel = true;
    struct gf_job job = {
        .steps = &step, .operands = &operand, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
    job.cancel = &cancel;
    job.times.kernel = 7;
    assert_int_equal(gf_cpu_backend.run(f->exec, &job, NULL), GF_E_CANCELLED);
    assert_int_equal(job.times.kernel, 0);
    cancel = false;
    job.deadline_ns = 1;
    assert_int_equal(gf_cpu_backend.run(f->exec, &job, NULL), GF_E_DEADLINE);
    job.deadline_ns = 0;
    assert_int_equal(gf_cpu_backend.run(f->exec, &job, NULL), GF_OK);
}

/* Its user pays for a step that fails, too. */
static void a_step_that_fails_has_a_time(void **state)
{
    struct fixture *f = *state;
    unsigned char src[32] = {0}, dst[32];
    struct gf_view view = gf_view_tight(GF_U8, 2, 2, 1);
    struct gf_step step = make_step("box", view, view);
    struct gf_buf operand = {src, gf_view_tight(GF_U64, 2, 2, 1)};
    struct gf_sink sink = {.buf = {dst, view}};
    struct gf_job job = {
        .steps = &step, .operands = &operand, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
    assert_int_equal(gf_cpu_backend.run(f->exec, &job, NULL), GF_E_UNSUPPORTED);
    assert_true(job.times.kernel > 0);
    assert_int_equal(job.times.copy_out, 0);
}

struct exec_thread {
    struct gf_device *device;
    const struct gf_step *step;
    struct gf_buf src;
    unsigned char dst[SIDE * SIDE];
};

static void *exec_main(void *arg)
{
    struct exec_thread *t = arg;
    struct gf_exec *exec = NULL;
    if (gf_cpu_backend.exec_open(t->device, &exec, NULL) != GF_OK)
        return NULL;
    for (int i = 0; i < 20; i++) {
        struct gf_sink sink = {.buf = {t->dst, t->src.view}};
        struct gf_job job = {
            .steps = t->step, .operands = &t->src, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
        if (gf_cpu_backend.run(exec, &job, NULL) != GF_OK)
            memset(t->dst, 0, sizeof(t->dst));
    }
    gf_cpu_backend.exec_close(exec);
    return NULL;
}

static void execs_share_the_threads(void **state)
{
    struct fixture *f = *state;
    static unsigned char src[SIDE * SIDE], expected[SIDE * SIDE];
    static struct exec_thread threads[4];
    struct gf_view view = gf_view_tight(GF_U8, SIDE, SIDE, 1);
    fill(src, sizeof(src));
    struct gf_step step = make_step("gaussian", view, view);
    run_one(f->exec, &step, &(struct gf_buf){src, view}, (struct gf_buf){expected, view});
    pthread_t ids[4];
    for (size_t i = 0; i < 4; i++) {
        threads[i] = (struct exec_thread){.device = f->device, .step = &step, .src = {src, view}};
        assert_int_equal(pthread_create(&ids[i], NULL, exec_main, &threads[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
        assert_memory_equal(threads[i].dst, expected, sizeof(expected));
    }
}

static void missing_memory_names_the_operation_and_the_bytes(void **state)
{
    UNUSED(state);
    struct gf_step step = {.op = gf_op_by_name("gaussian")};
    struct gf_cpu_scratch scratch = {0};
    struct gf_cpu_call call = {.step = &step, .scratch = &scratch};
    struct gf_error err;
    void *data = NULL;
    assert_int_equal(gf_cpu_scratch_get(&call, UINT64_MAX, &data, &err), GF_E_NO_MEMORY);
    assert_string_equal(err.text, "gaussian: no memory for 18446744073709551615 bytes");
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_tells_what_it_is),
        cmocka_unit_test(missing_memory_names_the_operation_and_the_bytes),
        cmocka_unit_test(refuses_too_many_threads),
        cmocka_unit_test(takes_instructions_that_the_processor_has),
        cmocka_unit_test(correlates_with_replicated_border),
        cmocka_unit_test(address_and_pitch_change_nothing),
        cmocka_unit_test(output_feeds_a_step_and_two_results),
        cmocka_unit_test(large_box_sums_exactly),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(a_step_that_fails_has_a_time),
        cmocka_unit_test(execs_share_the_threads),
    };
    return cmocka_run_group_tests_name("cpu_backend", tests, setup, teardown);
}
