/* SPDX-License-Identifier: MIT */
/* Which of two devices a request that may run on either is given to. */
#include "server/front/routing.h"
#include "server/front/scheduler.h"
#include "unit.h"

#define US UINT64_C(1000)

/* A CPU and a GPU that are ready, with nothing to do; a request costs what their model says it takes to start. */
struct fixture {
    struct gf_worker cpu, gpu;
    struct gf_workers workers;
    struct gf_source source;
    struct gf_task *task;
};

static int setup(void **state)
{
    static const struct gf_program nothing;
    struct fixture *f = calloc(1, sizeof *f);
    f->cpu = (struct gf_worker){.index = 0, .state = GF_DEVICE_READY, .hello.device.name = "cpu"};
    f->gpu = (struct gf_worker){.index = 1, .state = GF_DEVICE_READY, .hello.device.name = "cuda:0"};
    f->workers = (struct gf_workers){.list = {&f->cpu, &f->gpu}, .n = 2};
    f->task = gf_task_new(&nothing);
    assert_non_null(f->task);
    f->task->device = GF_ANY_DEVICE;
    f->task->source = &f->source;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_task_free(f->task);
    free(f);
    return 0;
}

/* Where it goes when it takes so long on each, and the GPU has so much to do before. */
static const char *choice(struct fixture *f, uint64_t cpu_ns, uint64_t gpu_ns, uint64_t gpu_load_ns)
{
    f->cpu.cost.start_ns = (float)cpu_ns;
    f->gpu.cost.start_ns = (float)gpu_ns;
    f->gpu.load_ns = gpu_load_ns;
    struct gf_search on_cpu = gf_search_begin(&f->workers, &f->cpu), on_gpu = gf_search_begin(&f->workers, &f->gpu);
    bool cpu = gf_search_fits(&on_cpu, f->task), gpu = gf_search_fits(&on_gpu, f->task);
    assert_int_not_equal(cpu, gpu);
    return cpu ? "cpu" : "cuda:0";
}

static void the_faster_one_is_taken(void **state)
{
    assert_string_equal(choice(*state, 10 * US, 60 * US, 0), "cpu");
    assert_string_equal(choice(*state, 900 * US, 60 * US, 0), "cuda:0");
}

static void a_gpu_with_much_to_do_is_passed_by(void **state)
{
    assert_string_equal(choice(*state, 900 * US, 60 * US, 1700 * US), "cuda:0");
    assert_string_equal(choice(*state, 900 * US, 60 * US, 1800 * US), "cpu");
}

/* The CPU's time is the clients' too: it has to be twice as fast. */
static void the_cpu_is_no_equal(void **state)
{
    assert_string_equal(choice(*state, 31 * US, 60 * US, 0), "cuda:0");
    assert_string_equal(choice(*state, 29 * US, 60 * US, 0), "cpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_faster_one_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gpu_with_much_to_do_is_passed_by, setup, teardown),
        cmocka_unit_test_setup_teardown(the_cpu_is_no_equal, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
