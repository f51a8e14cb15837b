/* SPDX-License-Identifier: MIT */
/* When a worker is given up. An idle process stands in for the worker, and the test sets the time. */
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
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

static bool stalls_at(const struct fixture *f, uint64_t ms)
{
    return gf_worker_stalls(&f->worker, 10 * GF_NS_PER_S + ms * GF_NS_PER_MS);
}

/* A question about the process is answered in milliseconds, so 1.5 s are enough, unless the timeout is long. */
static void one_that_does_not_answer_stalls(void **state)
{
    struct fixture *f = *state;
    f->task->asked_ns = 0;
    assert_false(stalls_at(f, 1500));
    assert_true(stalls_at(f, 1501));
    f->timeout_ms = 30000;
    assert_true(stalls_at(f, 1501));
    f->timeout_ms = 600000;
    assert_false(stalls_at(f, 30000));
    assert_true(stalls_at(f, 30001));
    f->timeout_ms = 30000;
    f->workers.woke_ns = 11 * GF_NS_PER_S;
    assert_false(stalls_at(f, 2500));
    assert_true(stalls_at(f, 2501));
    f->worker.state = GF_WORKER_ENDING;
    assert_false(stalls_at(f, 2501));
}

/* A work unit may be most of a request, so a request that is expected to take long has more time. */
static void a_task_that_makes_no_progress_stalls_it(void **state)
{
    struct fixture *f = *state;
    f->timeout_ms = 30000;
    f->worker.asked_ns = 0; /* the process answers */
    assert_false(stalls_at(f, 1500));
    assert_true(stalls_at(f, 1501));
    f->task->cost_ns = 250 * GF_NS_PER_MS;
    assert_false(stalls_at(f, 3500));
    assert_true(stalls_at(f, 3501));
    f->task->asked_ns = 0;
    assert_false(stalls_at(f, 100000));
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

/* Gives the worker a GPU, no task, and a socket. Returns the other end. */
static int give_gpu(struct fixture *f)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    f->worker.link = gf_worker_link_new(&f->loop, ends[0], &gf_worker_frames, &f->worker);
    assert_non_null(f->worker.link);
    snprintf(f->worker.hello.device.uuid, sizeof f->worker.hello.device.uuid, "GPU-1");
    return ends[1];
}

static void take_gpu(struct fixture *f, int fd)
{
    f->worker.link = gf_worker_link_free(f->worker.link);
    close(fd);
}

/* Whether the worker is asked for figures in this second. */
static bool is_asked_at(struct fixture *f, int fd, uint64_t second)
{
    uint8_t frame[256];
    struct gf_header h;
    gf_worker_check_gpu(&f->worker, second * GF_NS_PER_S);
    ssize_t n = recv(fd, frame, sizeof frame, 0);
    if (n < 0)
        return false;
    assert_int_equal(n, GF_HEADER_SIZE);
    assert_int_equal(gf_header_decode(frame, &h, NULL), GF_OK);
    assert_int_equal(h.kind, GF_FRAME_WORKER_GPU);
    return true;
}

/* The worker tells these figures. */
static void tell(struct fixture *f, const struct gf_gpu_figures *figures)
{
    uint8_t frame[1024];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_gpu_encode(&w, figures);
    const struct gf_header h = {
        .version = GF_VERSION, .kind = GF_FRAME_WORKER_GPU, .body_len = (uint32_t)(w.size - GF_HEADER_SIZE)};
    gf_worker_frames.message(&f->worker, &h, frame + GF_HEADER_SIZE);
}

static void gpus_are_asked_once_a_minute_and_more_often_if_somebody_looks(void **state)
{
    struct fixture *f = *state;
    struct gf_gpu_figures figures = {.known = 0};
    gf_gpu_set(&figures, GF_GPU_TEMPERATURE, 40);
    int fd = give_gpu(f);
    assert_true(is_asked_at(f, fd, 100));
    assert_false(is_asked_at(f, fd, 1000)); /* its driver hangs */
    tell(f, &figures);
    assert_true(is_asked_at(f, fd, 1001));
    tell(f, &figures);
    assert_false(is_asked_at(f, fd, 1060));
    assert_true(is_asked_at(f, fd, 1061));
    tell(f, &figures);
    gf_workers_watch_gpus(&f->workers, 1064 * GF_NS_PER_S);
    assert_false(is_asked_at(f, fd, 1065));
    for (uint64_t second = 1066; second < 1124; second += 5) {
        assert_true(is_asked_at(f, fd, second));
        tell(f, &figures);
        assert_false(is_asked_at(f, fd, second + 4));
    }
    assert_false(is_asked_at(f, fd, 1126)); /* nobody has looked for a minute */
    f->worker.state = GF_WORKER_ENDING;
    assert_false(is_asked_at(f, fd, 2000));
    take_gpu(f, fd);
}

static void a_worker_without_figures_is_not_asked_again(void **state)
{
    struct fixture *f = *state;
    int fd = give_gpu(f);
    assert_true(is_asked_at(f, fd, 100));
    tell(f, &(struct gf_gpu_figures){.known = 0});
    assert_false(is_asked_at(f, fd, 10000));
    gf_worker_forget_gpu(&f->worker); /* another process may have some */
    assert_true(is_asked_at(f, fd, 10001));
    f->worker.hello.device.uuid[0] = '\0'; /* a CPU */
    gf_worker_forget_gpu(&f->worker);
    assert_false(is_asked_at(f, fd, 20000));
    take_gpu(f, fd);
}

/* The thread that tells them may live while all others hang. */
static void figures_are_no_sign_of_life(void **state)
{
    struct fixture *f = *state;
    struct gf_gpu_figures figures = {.known = 0};
    gf_gpu_set(&figures, GF_GPU_TEMPERATURE, 40);
    tell(f, &figures);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_TEMPERATURE], 40);
    assert_true(is_killed_at(f, TIMEOUT_MS + 1));
}

static void wrong_figures_kill(void **state)
{
    struct fixture *f = *state;
    uint8_t frame[64];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_string(&w, GF_ATTR_GPU_DRIVER, "\"} 1");
    const struct gf_header h = {
        .version = GF_VERSION, .kind = GF_FRAME_WORKER_GPU, .body_len = (uint32_t)(w.size - GF_HEADER_SIZE)};
    gf_worker_frames.message(&f->worker, &h, frame + GF_HEADER_SIZE);
    assert_int_equal(f->worker.state, GF_WORKER_ENDING);
    assert_string_equal(f->worker.gpu.figures.driver, "");
}

static void xid_errors_that_are_counted_backwards_kill(void **state)
{
    struct fixture *f = *state;
    struct gf_gpu_figures figures = {.known = 0};
    gf_gpu_set(&figures, GF_GPU_XID_ERRORS, 2);
    gf_gpu_set(&figures, GF_GPU_XID_LAST, 31);
    tell(f, &figures);
    gf_worker_forget_gpu(&f->worker); /* the next process counts from 0 on */
    gf_gpu_set(&figures, GF_GPU_XID_ERRORS, 0);
    gf_gpu_set(&figures, GF_GPU_XID_LAST, 0);
    tell(f, &figures);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_XID_ERRORS], 2);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_XID_LAST], 31);
    gf_gpu_set(&figures, GF_GPU_XID_ERRORS, 1);
    gf_gpu_set(&figures, GF_GPU_XID_LAST, 79);
    tell(f, &figures);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_XID_ERRORS], 3);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_XID_LAST], 79);
    assert_int_equal(f->worker.state, GF_WORKER_READY);
    gf_gpu_set(&figures, GF_GPU_XID_ERRORS, 0);
    tell(f, &figures);
    assert_int_equal(f->worker.state, GF_WORKER_ENDING);
    assert_int_equal(f->worker.gpu.figures.of[GF_GPU_XID_ERRORS], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_says_nothing_is_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_that_hangs_kills_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_that_goes_on_may_take_as_long_as_it_likes, setup, teardown),
        cmocka_unit_test_setup_teardown(time_in_which_all_stood_still_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_does_not_answer_stalls, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_that_makes_no_progress_stalls_it, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_does_not_become_ready_is_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_assembles_kernels_has_twenty_minutes, setup, teardown),
        cmocka_unit_test_setup_teardown(gpus_are_asked_once_a_minute_and_more_often_if_somebody_looks, setup, teardown),
        cmocka_unit_test_setup_teardown(a_worker_without_figures_is_not_asked_again, setup, teardown),
        cmocka_unit_test_setup_teardown(figures_are_no_sign_of_life, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_figures_kill, setup, teardown),
        cmocka_unit_test_setup_teardown(xid_errors_that_are_counted_backwards_kill, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
