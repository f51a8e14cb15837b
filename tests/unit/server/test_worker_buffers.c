/* SPDX-License-Identifier: MIT */
/* server/worker: resident buffers of a real backend: made, found in whole and in part, freed; jobs that use them. */
#include "tests/unit/unit.h"

#include <string.h>

#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/wire/request.h"
#include "server/worker/job.h"

#define WIDTH 9
#define HEIGHT 5

struct fixture {
    struct gf_device *device;
    struct gf_exec *exec;
    struct gf_mappings mappings;
    struct gf_buffers buffers;
    struct gf_worker_job job;
    struct gf_worker_budget budget;
    struct gf_view view;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct gf_device_options options = {.device = "cpu", .threads = 1};
    assert_int_equal(gf_cpu_backend.open(&options, &f->device, NULL), GF_OK);
    assert_int_equal(gf_cpu_backend.exec_open(f->device, &f->exec, NULL), GF_OK);
    gf_mappings_init(&f->mappings, &gf_cpu_backend, f->device, 0);
    gf_buffers_init(&f->buffers, &gf_cpu_backend, f->device);
    f->budget = (struct gf_worker_budget){.max = UINT64_C(1) << 20, .threads = 1, .cpu = true};
    f->view = gf_view_tight(GF_U16, WIDTH, HEIGHT, 2);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_buffers_deinit(&f->buffers); /* frees what is left */
    gf_mappings_deinit(&f->mappings);
    gf_cpu_backend.exec_close(f->exec);
    gf_cpu_backend.close(f->device);
    free(f);
    return 0;
}

/* A buffer with every byte at its own value. */
static void make(struct fixture *f, uint64_t key)
{
    struct gf_resident *resident;
    struct gf_buf buf;
    assert_int_equal(gf_buffers_make(&f->buffers, key, &f->view, &resident, &buf, NULL), GF_OK);
    assert_true(gf_view_same_shape(&buf.view, &f->view));
    for (size_t i = 0; i < (size_t)gf_view_bytes(&f->view); i++)
        ((uint8_t *)buf.data)[i] = (uint8_t)i;
    gf_buffers_made(&f->buffers, resident, true);
}

static void parts_are_found(void **state)
{
    struct fixture *f = *state;
    struct gf_operand o = {.way = GF_WAY_HANDLE, .id = 7, .view = f->view};
    struct gf_buf buf;
    struct gf_error err;
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, &err), GF_E_NO_SUCH_HANDLE);
    assert_string_equal(err.text, "worker: no buffer with key 7");
    make(f, 7);
    make(f, 8);
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_OK);
    assert_int_equal(*(uint8_t *)buf.data, 0);
    o.offset = 2 * WIDTH * 4 + 3 * 4;
    o.view.width = 4;
    o.view.height = 2;
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_OK);
    assert_int_equal(*(uint8_t *)buf.data, 2 * WIDTH * 4 + 3 * 4);
    assert_int_equal(buf.view.width, 4);
    assert_int_equal(buf.view.height, 2);
    assert_int_equal(((uint8_t *)buf.data)[buf.view.pitch], 3 * WIDTH * 4 + 3 * 4);
    o.view.height = 4;
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, &err), GF_E_BAD_VIEW);
    gf_buffers_free(&f->buffers, 7);
    gf_buffers_free(&f->buffers, 7); /* nothing */
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_E_NO_SUCH_HANDLE);
    o.id = 8;
    o.view.height = 2;
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_OK);
}

static void a_key_is_used_once(void **state)
{
    struct fixture *f = *state;
    struct gf_resident *resident;
    struct gf_buf buf;
    struct gf_error err;
    make(f, UINT64_C(7) << 32);
    assert_int_equal(gf_buffers_make(&f->buffers, 7, &f->view, &resident, &buf, &err), GF_OK);
    assert_int_equal(gf_buffers_make(&f->buffers, 7, &f->view, &resident, &buf, &err),
                     GF_E_INTERNAL); /* in the making */
    gf_buffers_made(&f->buffers, resident, false);
    make(f, 7);
    assert_int_equal(gf_buffers_make(&f->buffers, 7, &f->view, &resident, &buf, &err), GF_E_INTERNAL);
    assert_string_equal(err.text, "worker: a buffer with key 7 exists already");
    gf_buffers_free(&f->buffers, 7);
    make(f, 7);
}

#define USER ((UINT64_C(1) << 32) + 1000)

static uint64_t g_user; /* of the last job that ran */

static enum gf_status run_for_user(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    g_user = job->user;
    return gf_cpu_backend.run(exec, job, err);
}

/* Runs a copy of a buffer into a new buffer, as the front sends it. */
static enum gf_status run_copy(struct fixture *f, uint64_t from, uint64_t to, bool run)
{
    static struct gf_program p;
    static struct gf_run_reply reply;
    uint8_t frame[4096];
    struct gf_writer w;
    struct gf_backend backend = gf_cpu_backend;
    backend.run = run_for_user;
    p = (struct gf_program){
        .device = "auto", .n_operands = 1, .n_steps = 1, .n_results = 1, .keyed = true, .user = USER};
    p.operands[0] = (struct gf_operand){.way = GF_WAY_HANDLE, .id = from, .view = f->view};
    p.steps[0].op = gf_op_by_name("copy");
    gf_op_params_default(p.steps[0].op, &p.steps[0].params);
    p.results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .id = to};
    assert_int_equal(gf_program_check(&p, true, NULL), GF_OK);
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &p);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 3, 0, 0));
    gf_worker_job_begin(&f->job, 3);
    enum gf_status status =
        gf_worker_job_bind(&f->job, &f->mappings, &f->buffers, frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, NULL);
    if (status == GF_OK && run)
        status = gf_worker_job_run(&f->job, &f->budget, &f->mappings, &backend, f->exec, &reply, NULL);
    gf_worker_job_release(&f->job, &f->budget, &f->mappings, &f->buffers);
    return status;
}

static void jobs_read_and_make_buffers(void **state)
{
    struct fixture *f = *state;
    struct gf_operand o = {.way = GF_WAY_HANDLE, .id = 8, .view = f->view};
    struct gf_buf buf;
    make(f, 7);
    assert_int_equal(run_copy(f, 6, 8, true), GF_E_NO_SUCH_HANDLE);
    assert_int_equal(run_copy(f, 7, 8, false), GF_OK); /* bound and never run: as if it had failed */
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_E_NO_SUCH_HANDLE);
    assert_int_equal(run_copy(f, 7, 8, true), GF_OK);
    assert_true(g_user == USER);
    assert_int_equal(gf_buffers_find(&f->buffers, &o, &buf, NULL), GF_OK);
    for (size_t i = 0; i < (size_t)gf_view_bytes(&f->view); i++)
        assert_int_equal(((uint8_t *)buf.data)[i], (uint8_t)i);
    assert_int_equal(run_copy(f, 7, 8, true), GF_E_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_is_used_once, setup, teardown),
        cmocka_unit_test_setup_teardown(jobs_read_and_make_buffers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
