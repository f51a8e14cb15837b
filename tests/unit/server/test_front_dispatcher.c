/* SPDX-License-Identifier: MIT */
/* What the dispatcher answers by itself: requests of refused users, and those that it cannot send. The test has the
 * other end of the worker's socket, and there is no process. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "server/front/schedule/dispatcher.h"
#include "server/front/schedule/routing.h"
#include "server/front/worker/worker.h"
#include "tests/unit/unit.h"

#define USER ((gf_user_id)65001)
#define NAMED ((gf_user_id)UINT32_MAX + 7)

struct fixture {
    uv_loop_t loop;
    struct gf_memories memories;
    struct gf_workers workers;
    struct gf_worker *cpu;
    struct gf_metrics metrics;
    struct gf_dispatcher dispatcher;
    struct gf_quota quota;
    uint64_t deaths;
    int fd, peer;
    uint32_t n_kills, n_done;
    enum gf_status status; /* of the last answer */
    char text[GF_ERROR_TEXT];
};

static struct fixture *g_fixture;

/* This stands in for worker_process.c. */
void gf_worker_process_kill(struct gf_worker_process *process)
{
    (void)process;
    g_fixture->n_kills++;
}

enum gf_status gf_worker_process_start(uv_loop_t *loop, struct gf_spawner *spawner,
                                       const struct gf_spawner_request *request, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    (void)loop, (void)spawner, (void)request, (void)exited, (void)data, (void)ret_process, (void)ret_fd;
    return gf_error_set(err, GF_E_START_FAILED, "no processes here");
}

enum gf_status gf_worker_process_join(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                                      struct gf_worker_process **ret_process, struct gf_error *err)
{
    (void)loop, (void)pid, (void)exited, (void)data, (void)ret_process;
    return gf_error_set(err, GF_E_START_FAILED, "no processes here");
}

struct gf_worker_process *gf_worker_process_free(struct gf_worker_process *process)
{
    (void)process;
    return NULL;
}

static void on_done(void *data, struct gf_task *task, const struct gf_run_reply *reply, const struct gf_error *error)
{
    struct fixture *f = data;
    assert_null(reply);
    f->n_done++;
    f->status = error->status;
    memcpy(f->text, error->text, sizeof f->text);
    gf_task_free(task);
}

static void on_died(void *data, const struct gf_worker *worker)
{
    (void)data, (void)worker;
}

static void on_changed(void *data)
{
    (void)data;
}

static const struct gf_dispatcher_ops g_ops = {.done = on_done, .died = on_died, .changed = on_changed};

/* The CPU is ready for one request at a time. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    int pair[2];
    g_fixture = f;
    f->deaths = 1;
    assert_int_equal(uv_loop_init(&f->loop), 0);
    gf_memories_init(&f->memories);
    gf_workers_init(&f->workers, &f->loop, &f->memories, &gf_dispatcher_workers_ops, &f->dispatcher);
    f->workers.deaths = &f->deaths;
    f->workers.scratch = UINT64_C(1) << 30;
    gf_metrics_init(&f->metrics, gf_now_ns());
    gf_dispatcher_init(&f->dispatcher, &f->loop, &f->workers, &g_ops, f);
    f->dispatcher.metrics = &f->metrics;
    for (uint32_t i = 0; i < GF_N_RES; i++)
        f->quota.per_user[i] = f->quota.per_connection[i] = UINT64_MAX;
    assert_int_equal(gf_workers_add(&f->workers, "cpu", NULL), GF_OK);
    f->cpu = f->workers.cpu;
    f->cpu->state = GF_WORKER_READY;
    f->cpu->hello.slots = 1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
    f->fd = pair[0];
    f->peer = pair[1];
    f->cpu->link = gf_worker_link_new(&f->loop, f->fd, &gf_worker_frames, f->cpu);
    assert_non_null(f->cpu->link);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_workers_stop(&f->workers);
    gf_dispatcher_close(&f->dispatcher);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    gf_workers_deinit(&f->workers);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    assert_null(f->quota.users);
    close(f->peer);
    free(f);
    return 0;
}

/* A connection of a user. */
struct client {
    struct gf_account *account;
    struct gf_source source;
};

static void client_init(struct client *c, struct fixture *f, gf_user_id user)
{
    c->account = gf_account_new(&f->quota, user);
    assert_non_null(c->account);
    assert_int_equal(gf_source_init(&c->source, &f->dispatcher.scheduler, user, NULL), GF_OK);
}

static void client_deinit(struct client *c)
{
    gf_source_deinit(&c->source);
    gf_account_unref(c->account);
}

static struct gf_task *submit_to(struct fixture *f, struct client *c, uint32_t device, uint64_t payload)
{
    static const struct gf_program nothing;
    struct gf_task *task = gf_task_new(&nothing);
    assert_non_null(task);
    task->frame_size = GF_HEADER_SIZE;
    task->frame = calloc(1, task->frame_size);
    assert_non_null(task->frame);
    task->device = device;
    task->work.user = c->account->id;
    task->payload_in = payload;
    assert_int_equal(gf_charge_init(&task->request_charge, c->account, GF_RES_REQUESTS, 1, NULL), GF_OK);
    gf_dispatcher_submit(&f->dispatcher, &c->source, task);
    return task;
}

static struct gf_task *submit(struct fixture *f, struct client *c, uint64_t payload)
{
    return submit_to(f, c, GF_ANY_DEVICE, payload);
}

/* Whether the worker was sent a task, which then ends there. */
static bool ran(struct fixture *f, struct gf_task *task)
{
    uint8_t frame[GF_HEADER_SIZE];
    if (recv(f->peer, frame, sizeof frame, MSG_DONTWAIT) != (ssize_t)sizeof frame)
        return false;
    assert_int_equal(task->state, GF_TASK_RUNNING);
    gf_worker_unload(f->cpu, task);
    gf_scheduler_finish(task, 0, 0);
    gf_task_free(task);
    return true;
}

/* An open descriptor that is no socket: sendmsg fails with ENOTSOCK, which stands for any other error of the front. */
static void a_request_that_cannot_be_sent_fails_alone(void **state)
{
    struct fixture *f = *state;
    struct client c;
    client_init(&c, f, USER);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(dup2(null, f->fd) >= 0);
    close(null);
    submit(f, &c, 0);
    assert_int_equal(f->n_done, 1);
    assert_int_equal(f->status, GF_E_NO_MEMORY);
    assert_string_equal(f->text, "the server has no memory or descriptor left to send the request to cpu");
    assert_int_equal(f->cpu->state, GF_WORKER_READY);
    assert_int_equal(f->n_kills, 0);
    assert_int_equal(f->cpu->n_tasks, 0);
    assert_int_equal(f->dispatcher.scheduler.n_queued, 0);
    client_deinit(&c);
}

static void a_ban_that_comes_before_the_payload_refuses_it(void **state)
{
    static const struct {
        gf_user_id user;
        enum gf_status status;
        const char *who;
    } users[] = {{USER, GF_E_QUOTA, "user 65001"}, {NAMED, GF_E_SHUTDOWN, "user CN=?"}};
    struct fixture *f = *state;
    for (uint32_t i = 0; i < GF_ARRAY_LEN(users); i++) {
        struct client refused, other;
        char text[GF_ERROR_TEXT];
        client_init(&refused, f, users[i].user);
        client_init(&other, f, USER + 1);
        gf_penalties_add(&f->dispatcher.penalties, users[i].user, 1, gf_now_ns());
        submit(f, &refused, 1);
        assert_int_equal(f->n_done, i + 1);
        assert_int_equal(f->status, users[i].status);
        snprintf(text, sizeof text, "requests of %s ended 1 worker in ten minutes, the limit (worker-deaths); ",
                 users[i].who);
        assert_memory_equal(f->text, text, strlen(text));
        assert_true(ran(f, submit(f, &other, 1)));
        client_deinit(&refused);
        client_deinit(&other);
    }
}

/* A request whose worker died is tried again: only that tells whether it is to blame. */
static void a_ban_refuses_what_is_queued_but_not_what_was_in_a_worker(void **state)
{
    struct fixture *f = *state;
    struct client refused, other;
    client_init(&refused, f, USER);
    client_init(&other, f, USER + 1);
    f->cpu->hello.slots = 0;
    struct gf_task *tried = submit(f, &refused, 0);
    gf_scheduler_remove(tried);
    tried->deaths = 1;
    gf_scheduler_push(&refused.source, tried, true);
    submit(f, &refused, 0);
    struct gf_task *others = submit(f, &other, 0);
    submit(f, &refused, 0);
    assert_int_equal(f->dispatcher.scheduler.n_queued, 4);
    gf_penalties_add(&f->dispatcher.penalties, USER, 1, gf_now_ns());
    f->cpu->hello.slots = 1;
    f->workers.ops->died(f->workers.data, f->cpu);
    assert_int_equal(f->n_done, 2);
    assert_int_equal(f->status, GF_E_QUOTA);
    assert_true(ran(f, tried));
    f->workers.ops->drained(f->workers.data, f->cpu);
    assert_true(ran(f, others));
    assert_int_equal(f->dispatcher.scheduler.n_queued, 0);
    client_deinit(&refused);
    client_deinit(&other);
}

/* While the payload arrived. The client of a proxy may find another server; any other client waits. */
static void a_device_that_stalls_before_the_payload_refuses_clients_of_a_proxy(void **state)
{
    static const struct {
        uint32_t device;
        const char *text;
    } requests[] = {{0, "cpu makes no progress"},
                    {GF_ANY_DEVICE, "no device takes requests: cpu is ready (it does not answer, or a request makes no "
                                    "progress)"}};
    struct fixture *f = *state;
    struct client named, user;
    client_init(&named, f, NAMED);
    client_init(&user, f, USER);
    for (uint32_t i = 0; i < GF_ARRAY_LEN(requests); i++) {
        f->cpu->stalled = true;
        submit_to(f, &named, requests[i].device, 1);
        assert_int_equal(f->n_done, i + 1);
        assert_int_equal(f->status, GF_E_SHUTDOWN);
        assert_string_equal(f->text, requests[i].text);
        struct gf_task *waiting = submit_to(f, &user, requests[i].device, 1);
        assert_int_equal(f->dispatcher.scheduler.n_queued, 1);
        f->cpu->stalled = false;
        f->workers.ops->drained(f->workers.data, f->cpu);
        assert_true(ran(f, waiting));
    }
    client_deinit(&named);
    client_deinit(&user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_that_cannot_be_sent_fails_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_ban_that_comes_before_the_payload_refuses_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_ban_refuses_what_is_queued_but_not_what_was_in_a_worker, setup, teardown),
        cmocka_unit_test_setup_teardown(a_device_that_stalls_before_the_payload_refuses_clients_of_a_proxy, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
