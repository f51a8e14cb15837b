/* SPDX-License-Identifier: MIT */
/* Which of two devices gets a request that may run on either. */
#include "protocol/base/clock.h"
#include "server/front/schedule/routing.h"
#include "server/front/schedule/scheduler.h"
#include "tests/unit/unit.h"

#define US UINT64_C(1000)

/* A CPU and a GPU, ready and idle. A request costs the start-up time of the device's model. */
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
    f->cpu = (struct gf_worker){.all = &f->workers, .index = 0, .state = GF_DEVICE_READY, .hello.device.name = "cpu"};
    f->gpu =
        (struct gf_worker){.all = &f->workers, .index = 1, .state = GF_DEVICE_READY, .hello.device.name = "cuda:0"};
    f->workers = (struct gf_workers){.list = {&f->cpu, &f->gpu}, .cpu = &f->cpu, .n = 2};
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

/* The device chosen for a request with these times on each device and this load on the GPU. */
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

/* Clients need the CPU's time themselves, so the CPU must be twice as fast to be chosen. */
static void the_cpu_is_no_equal(void **state)
{
    assert_string_equal(choice(*state, 31 * US, 60 * US, 0), "cuda:0");
    assert_string_equal(choice(*state, 29 * US, 60 * US, 0), "cpu");
}

#define MS (1000 * US)
#define MIB (UINT64_C(1) << 20)
#define N_TASKS 12u

/* A CPU worker with eight slots, and tasks of users. */
struct bench {
    struct gf_scheduler scheduler;
    struct gf_workers workers;
    struct gf_worker cpu;
    struct gf_source sources[3];
    struct gf_task *tasks[N_TASKS];
};

static int bench_setup(void **state)
{
    static const struct gf_program nothing;
    struct bench *b = calloc(1, sizeof *b);
    gf_scheduler_init(&b->scheduler);
    b->cpu =
        (struct gf_worker){.all = &b->workers, .state = GF_DEVICE_READY, .hello.device = {.name = "cpu", .units = 2}};
    b->cpu.hello.slots = 8;
    gf_node_init(&b->cpu.tasks);
    b->workers = (struct gf_workers){.list = {&b->cpu}, .cpu = &b->cpu, .threads = 2, .n = 1, .scratch = 1024 * MIB};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(gf_source_init(&b->sources[i], &b->scheduler, 65001 + i, NULL), GF_OK);
    for (uint32_t i = 0; i < N_TASKS; i++) {
        b->tasks[i] = gf_task_new(&nothing);
        assert_non_null(b->tasks[i]);
    }
    *state = b;
    return 0;
}

static int bench_teardown(void **state)
{
    struct bench *b = *state;
    for (uint32_t i = 0; i < N_TASKS; i++) {
        if (b->tasks[i]->flow) {
            gf_worker_unload(&b->cpu, b->tasks[i]);
            gf_scheduler_finish(b->tasks[i], 0, 0);
        }
        gf_task_free(b->tasks[i]);
    }
    assert_int_equal(b->cpu.n_tasks + b->cpu.n_long + b->cpu.n_suspects, 0);
    assert_int_equal(b->cpu.load_ns + b->cpu.short_ns + b->cpu.scratch, 0);
    for (uint32_t i = 0; i < 3; i++)
        gf_source_deinit(&b->sources[i]);
    gf_scheduler_deinit(&b->scheduler);
    free(b);
    return 0;
}

/* Starts a task of the user with this estimated cost if it may start. Returns whether it did. */
static bool starts(struct bench *b, uint32_t task, uint32_t user, uint64_t cost_ns)
{
    struct gf_task *t = b->tasks[task];
    struct gf_search search = gf_search_begin(&b->workers, &b->cpu);
    t->source = &b->sources[user];
    if (!gf_search_fits(&search, t) || !gf_worker_has_capacity(&b->cpu, t, cost_ns))
        return false;
    gf_scheduler_push(t->source, t, false);
    gf_scheduler_start(t, 0, cost_ns);
    t->started_ns = GF_NS_PER_S;
    gf_worker_load(&b->cpu, t);
    return true;
}

static void long_tasks_of_one_user_leave_room_for_those_of_another(void **state)
{
    struct bench *b = *state;
    assert_true(starts(b, 0, 0, 50 * MS));
    assert_true(starts(b, 1, 0, 50 * MS));
    assert_false(starts(b, 2, 0, 50 * MS));
    assert_true(gf_worker_waits_for_long(&b->cpu, b->tasks[2], 50 * MS));
    assert_true(starts(b, 3, 1, 50 * MS)); /* the first of this user */
    assert_false(starts(b, 4, 1, 50 * MS));
    assert_true(starts(b, 5, 2, 50 * MS));
    assert_true(starts(b, 6, 0, MS)); /* short ones go on */
    assert_int_equal(b->cpu.n_long, 4);
}

static void what_was_said_to_be_short_and_is_not_counts_as_long(void **state)
{
    struct bench *b = *state;
    for (uint32_t i = 0; i < 6; i++)
        assert_true(starts(b, i, 0, MS));
    gf_worker_age(&b->cpu, GF_NS_PER_S + 10 * MS);
    assert_int_equal(b->cpu.short_ns, 6 * MS);
    gf_worker_age(&b->cpu, GF_NS_PER_S + 10 * MS + 1);
    assert_int_equal(b->cpu.short_ns, 0);
    assert_false(starts(b, 6, 0, MS)); /* the last slots are not for this user */
    assert_false(starts(b, 6, 0, 50 * MS));
    assert_true(starts(b, 6, 1, 50 * MS)); /* nor do its tasks keep out another's long one */
    assert_true(starts(b, 7, 2, MS));
    assert_false(starts(b, 8, 2, MS)); /* no slot */
}

static void who_is_alone_has_all_slots(void **state)
{
    struct bench *b = *state;
    gf_source_deinit(&b->sources[1]);
    gf_source_deinit(&b->sources[2]);
    assert_false(gf_source_has_others(&b->sources[0]));
    for (uint32_t i = 0; i < 8; i++) {
        gf_worker_age(&b->cpu, 2 * GF_NS_PER_S);
        assert_true(starts(b, i, 0, MS));
    }
    assert_false(starts(b, 8, 0, MS));
    for (uint32_t i = 1; i < 3; i++)
        assert_int_equal(gf_source_init(&b->sources[i], &b->scheduler, 65001 + i, NULL), GF_OK);
    assert_true(gf_source_has_others(&b->sources[0]));
}

static void tasks_that_need_little_memory_do_not_wait_for_it(void **state)
{
    struct bench *b = *state;
    uint64_t most = gf_worker_scratch_limit(&b->workers);
    assert_in_range(most, 768 * MIB, 1023 * MIB);
    b->tasks[0]->footprint = (struct gf_footprint){.copies = 100 * MIB, .work = most - 200 * MIB};
    b->tasks[1]->footprint = (struct gf_footprint){.work = 100 * MIB + 1};
    b->tasks[2]->footprint = (struct gf_footprint){.work = MIB};
    b->tasks[3]->footprint = (struct gf_footprint){.work = most + 1};
    assert_true(gf_worker_has_memory(&b->cpu, b->tasks[0]));
    assert_true(gf_worker_has_memory(&b->cpu, b->tasks[1]));
    assert_false(gf_worker_has_memory(&b->cpu, b->tasks[3]));
    assert_true(starts(b, 0, 0, MS));
    assert_int_equal(b->cpu.scratch, most - 100 * MIB);
    assert_false(gf_worker_has_memory(&b->cpu, b->tasks[1]));
    assert_true(gf_worker_has_memory(&b->cpu, b->tasks[2]));
    b->tasks[1]->footprint.work--;
    assert_true(gf_worker_has_memory(&b->cpu, b->tasks[1]));
}

/* A task that was in a worker that died runs alone in the next worker for a second. */
static void who_had_a_worker_that_died_is_tried_alone(void **state)
{
    struct bench *b = *state;
    uint64_t began = GF_NS_PER_S;
    b->tasks[1]->deaths = b->tasks[2]->deaths = 1;
    assert_true(starts(b, 0, 0, MS));
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[3], began), 0);
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[1], began), 2 * GF_NS_PER_S);
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[1], 2 * GF_NS_PER_S), 0);
    assert_true(starts(b, 1, 0, MS));
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[3], began), 2 * GF_NS_PER_S);
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[2], began), 2 * GF_NS_PER_S);
    assert_int_equal(gf_worker_tries_until(&b->cpu, b->tasks[3], 2 * GF_NS_PER_S), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_faster_one_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gpu_with_much_to_do_is_passed_by, setup, teardown),
        cmocka_unit_test_setup_teardown(the_cpu_is_no_equal, setup, teardown),
        cmocka_unit_test_setup_teardown(long_tasks_of_one_user_leave_room_for_those_of_another, bench_setup,
                                        bench_teardown),
        cmocka_unit_test_setup_teardown(what_was_said_to_be_short_and_is_not_counts_as_long, bench_setup,
                                        bench_teardown),
        cmocka_unit_test_setup_teardown(who_is_alone_has_all_slots, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(tasks_that_need_little_memory_do_not_wait_for_it, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(who_had_a_worker_that_died_is_tried_alone, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
