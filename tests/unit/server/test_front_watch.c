/* SPDX-License-Identifier: MIT */
/* When a worker is given up. An idle process stands in for the worker, and the test sets the time. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "server/front/schedule/scheduler.h"
#include "server/front/worker/worker.h"
#include "server/front/worker/worker_process.h"
#include "tests/unit/unit.h"

#define TIMEOUT_MS UINT64_C(1000)

struct fixture {
    uv_loop_t loop;
    struct gf_workers workers;
    struct gf_worker worker;
    uint32_t n_changes;
    struct gf_task *task;
    uint64_t timeout_ms;
    pid_t pid;
};

static void exited(void *data, int code, const char *how)
{
    (void)data, (void)code, (void)how;
}

static void changed(void *data, struct gf_worker *worker)
{
    struct fixture *f = data;
    assert_ptr_equal(worker, &f->worker);
    f->n_changes++;
}

static const struct gf_workers_ops g_ops = {.changed = changed};

/* A worker that is ready and busy: at second 10 it got a task and was probed. */
static int setup(void **state)
{
    static const struct gf_program nothing;
    struct fixture *f = calloc(1, sizeof *f);
    struct gf_error err;
    assert_int_equal(uv_loop_init(&f->loop), 0);
    f->pid = fork();
    if (f->pid == 0)
        for (;;)
            pause();
    f->timeout_ms = TIMEOUT_MS;
    f->workers =
        (struct gf_workers){.list = {&f->worker}, .n = 1, .timeout_ms = &f->timeout_ms, .ops = &g_ops, .data = f};
    f->worker = (struct gf_worker){.all = &f->workers, .state = GF_DEVICE_READY, .own = true, .n_tasks = 1};
    f->worker.asked_ns = 10 * GF_NS_PER_S;
    gf_node_init(&f->worker.tasks);
    f->task = gf_task_new(&nothing);
    assert_non_null(f->task);
    f->task->started_ns = f->task->asked_ns = 10 * GF_NS_PER_S;
    f->task->number = 7;
    gf_list_push(&f->worker.tasks, &f->task->node);
    enum gf_status status = gf_worker_process_join(&f->loop, f->pid, exited, f, &f->worker.process, &err);
    assert_int_equal(status, GF_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_worker_process_free(f->worker.process);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    gf_list_remove(&f->task->node);
    gf_task_free(f->task);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    free(f);
    return 0;
}

static bool is_killed_at(struct fixture *f, uint64_t ms)
{
    gf_worker_check(&f->worker, 10 * GF_NS_PER_S + ms * GF_NS_PER_MS);
    return f->worker.dying_ns != 0;
}

static void one_that_says_nothing_is_killed(void **state)
{
    assert_false(is_killed_at(*state, TIMEOUT_MS));
    assert_true(is_killed_at(*state, TIMEOUT_MS + 1));
}

static void a_task_that_hangs_kills_it(void **state)
{
    struct fixture *f = *state;
    f->worker.asked_ns += TIMEOUT_MS * GF_NS_PER_MS; /* it answers */
    assert_false(is_killed_at(f, TIMEOUT_MS));
    assert_true(is_killed_at(f, TIMEOUT_MS + 1));
}

static void a_task_that_goes_on_may_take_as_long_as_it_likes(void **state)
{
    struct fixture *f = *state;
    for (uint64_t ms = 500; ms < 100 * TIMEOUT_MS; ms += 500) {
        f->worker.asked_ns = f->task->asked_ns = 10 * GF_NS_PER_S + ms * GF_NS_PER_MS;
        gf_worker_probed(&f->worker, 8, NULL); /* another's */
        assert_true(f->task->asked_ns != 0);
        gf_worker_probed(&f->worker, 7, NULL);
        assert_int_equal(f->task->asked_ns, 0);
        assert_false(is_killed_at(f, ms + TIMEOUT_MS));
    }
}

/* A suspended machine or a frozen control group stops both the daemon and its workers. */
static void time_in_which_all_stood_still_does_not_count(void **state)
{
    struct fixture *f = *state;
    f->workers.woke_ns = 100 * GF_NS_PER_S;
    assert_false(is_killed_at(f, 90000 + TIMEOUT_MS));
    assert_true(is_killed_at(f, 90000 + TIMEOUT_MS + 1));
}

/* It has been starting since second 10, and has 120 seconds. */
static void one_that_does_not_become_ready_is_killed(void **state)
{
    struct fixture *f = *state;
    f->worker.state = GF_WORKER_STARTING;
    f->worker.started_ns = 10 * GF_NS_PER_S;
    assert_false(is_killed_at(f, 120000));
    assert_true(is_killed_at(f, 120001));
}

static void one_that_assembles_kernels_has_twenty_minutes(void **state)
{
    struct fixture *f = *state;
    const struct gf_device_entry device = {.name = "cuda:0", .detail = "sm_110", .state = GF_DEVICE_STARTING};
    f->worker.state = GF_WORKER_STARTING;
    f->worker.started_ns = 10 * GF_NS_PER_S;
    gf_worker_assembles(&f->worker, &device);
    assert_int_equal(f->n_changes, 1);
    assert_string_equal(f->worker.reason,
                        "its driver assembles the kernels for sm_110, of which this build has no code: up to 20 "
                        "minutes, and seconds from the next start on");
    assert_false(is_killed_at(f, 20 * 60000));
    assert_true(is_killed_at(f, 20 * 60000 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_says_nothing_is_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_that_hangs_kills_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_that_goes_on_may_take_as_long_as_it_likes, setup, teardown),
        cmocka_unit_test_setup_teardown(time_in_which_all_stood_still_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_does_not_become_ready_is_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_assembles_kernels_has_twenty_minutes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
