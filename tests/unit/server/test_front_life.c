/* SPDX-License-Identifier: MIT */
/*
 * The life of a worker: the table of states and events, and walks through it. Processes are simulated and nothing
 * waits: the test posts the events that the loop would post.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "server/front/base/log.h"
#include "server/front/worker/worker.h"
#include "tests/unit/unit.h"

#define MAX_DEATHS UINT64_C(3)

struct gf_worker_process {
    gf_worker_exited *exited;
    void *data;
};

struct fixture {
    uv_loop_t loop;
    struct gf_memories memories;
    struct gf_workers workers;
    struct gf_worker *worker;
    struct gf_task *task;
    struct gf_worker_hello hello;
    uint64_t deaths, timeout_ms;
    int fd, peer;                           /* of the present process's socket: the front's end, the other */
    bool start_fails;                       /* the next one */
    uint32_t n_starts, n_kills;             /* of processes */
    uint32_t n_changes, n_deaths, n_stalls; /* calls of `changed`, `died` and `stalled` */
    uint32_t tasks_at_death;
    enum gf_device_state seen_at_change, seen_at_death;
    char line[512]; /* the last one of the log */
};

static struct fixture *g_fixture;

/* This stands in for log.c. */
void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...)
{
    va_list args;
    (void)site, (void)level;
    va_start(args, fmt);
    vsnprintf(g_fixture->line, sizeof g_fixture->line, fmt, args);
    va_end(args);
}

/* These stand in for worker_process.c. */
static struct gf_worker_process *process_new(gf_worker_exited *exited, void *data)
{
    struct gf_worker_process *p = calloc(1, sizeof *p);
    assert_non_null(p);
    *p = (struct gf_worker_process){.exited = exited, .data = data};
    return p;
}

static int socket_new(void)
{
    int pair[2];
    gf_closep(&g_fixture->peer);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
    g_fixture->fd = pair[0];
    g_fixture->peer = pair[1];
    return pair[0];
}

enum gf_status gf_worker_process_start(uv_loop_t *loop, struct gf_spawner *spawner,
                                       const struct gf_spawner_request *request, gf_worker_exited *exited, void *data,
                                       struct gf_worker_process **ret_process, int *ret_fd, struct gf_error *err)
{
    (void)loop, (void)spawner;
    assert_string_equal(request->device, ((const struct gf_worker *)data)->hello.device.name);
    g_fixture->n_starts++;
    if (g_fixture->start_fails) {
        g_fixture->start_fails = false;
        return gf_error_set(err, GF_E_START_FAILED, "no more processes");
    }
    *ret_process = process_new(exited, data);
    *ret_fd = socket_new();
    return GF_OK;
}

enum gf_status gf_worker_process_join(uv_loop_t *loop, pid_t pid, gf_worker_exited *exited, void *data,
                                      struct gf_worker_process **ret_process, struct gf_error *err)
{
    (void)loop, (void)pid, (void)err;
    *ret_process = process_new(exited, data);
    return GF_OK;
}

void gf_worker_process_kill(struct gf_worker_process *process)
{
    assert_non_null(process);
    g_fixture->n_kills++;
}

struct gf_worker_process *gf_worker_process_free(struct gf_worker_process *process)
{
    free(process);
    return NULL;
}

static void on_changed(void *data, struct gf_worker *worker)
{
    struct fixture *f = data;
    f->n_changes++;
    f->seen_at_change = gf_worker_device_state(worker);
}

static void on_died(void *data, struct gf_worker *worker)
{
    struct fixture *f = data;
    f->n_deaths++;
    f->seen_at_death = gf_worker_device_state(worker);
    f->tasks_at_death = worker->n_tasks;
    assert_null(worker->process);
    assert_null(worker->link);
    assert_int_equal(worker->dying_ns, 0);
    if (worker->n_tasks > 0) {
        gf_list_remove(&f->task->node);
        worker->n_tasks = 0;
    }
}

static void on_stalled(void *data, struct gf_worker *worker)
{
    struct fixture *f = data;
    (void)worker;
    f->n_stalls++;
}

static const struct gf_workers_ops g_ops = {.changed = on_changed, .died = on_died, .stalled = on_stalled};

static int setup(void **state)
{
    static const struct gf_program nothing;
    struct fixture *f = calloc(1, sizeof *f);
    struct gf_error err;
    g_fixture = f;
    f->peer = -1;
    f->deaths = MAX_DEATHS;
    f->timeout_ms = 30000;
    f->hello = (struct gf_worker_hello){.pid = 1, .slots = 2, .device.title = "a device"};
    assert_int_equal(uv_loop_init(&f->loop), 0);
    gf_memories_init(&f->memories);
    gf_workers_init(&f->workers, &f->loop, &f->memories, &g_ops, f);
    f->workers.deaths = &f->deaths;
    f->workers.timeout_ms = &f->timeout_ms;
    assert_int_equal(gf_workers_add(&f->workers, "cuda:0", &err), GF_OK);
    assert_int_equal(gf_workers_add(&f->workers, "cuda:1", &err), GF_OK); /* which each test leaves alone or sets */
    f->worker = f->workers.list[0];
    f->task = gf_task_new(&nothing);
    assert_non_null(f->task);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    if (f->worker->state != GF_WORKER_STOPPED && f->worker->state != GF_WORKER_STOPPING)
        gf_workers_stop(&f->workers);
    gf_workers_give_up(&f->workers);
    assert_int_equal(f->worker->state, GF_WORKER_STOPPED);
    assert_true(gf_workers_gone(&f->workers));
    gf_task_free(f->task);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    gf_workers_deinit(&f->workers);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    gf_closep(&f->peer);
    free(f);
    return 0;
}

static void post(struct fixture *f, enum gf_worker_event event)
{
    assert_true(gf_worker_post(f->worker, event, NULL));
}

static void say(struct fixture *f, enum gf_worker_event event, const char *text)
{
    assert_true(gf_worker_post(f->worker, event, &(struct gf_worker_about){.text = text}));
}

static void greet(struct fixture *f)
{
    assert_true(gf_worker_post(f->worker, GF_EVENT_HELLO, &(struct gf_worker_about){.hello = &f->hello}));
}

static void exit_with(struct fixture *f, int code, const char *how)
{
    f->worker->process->exited(f->worker->process->data, code, how);
}

/* Checks that the timer is due in `ms` milliseconds, and fires it. */
static void timer_fires(struct fixture *f, uint64_t ms)
{
    assert_true(uv_is_active((uv_handle_t *)&f->worker->timer));
    assert_int_equal(uv_timer_get_due_in(&f->worker->timer), ms);
    uv_timer_stop(&f->worker->timer);
    post(f, GF_EVENT_TIMER);
}

static void give_task(struct fixture *f)
{
    gf_list_push(&f->worker->tasks, &f->task->node);
    f->worker->n_tasks = 1;
}

/* Columns are events in the order of their enum. A letter is the next state; '.' means that the event cannot happen. */
static const struct {
    enum gf_worker_state state;
    enum gf_device_state device;
    char letter;
    const char *next;
} g_rows[GF_WORKER_N_STATES] = {
    /* START AWAIT TIMER WANTED JOINED SPAWN_FAILED | HELLO LAST_WORDS LOST KILL UNUSED | EXITED GIVEN_UP STOP |
       verdicts */
    {GF_WORKER_NEW, GF_DEVICE_STARTING, 'N', "SW..R. ..... ..Q X....."},
    {GF_WORKER_STARTING, GF_DEVICE_STARTING, 'S', ".....D RSFF. D.P ......"},
    {GF_WORKER_READY, GF_DEVICE_READY, 'R', "...... .EEEr D.P ......"},
    {GF_WORKER_RESTARTING, GF_DEVICE_RESTARTING, 'B', "..S... ..... ..Q ......"},
    {GF_WORKER_ASIDE, GF_DEVICE_ASIDE, 'A', "S.S... ..... ..Q ......"},
    {GF_WORKER_UNREADY, GF_DEVICE_ASIDE, 'U', "S.S... ..... ..Q ......"},
    {GF_WORKER_ABSENT, GF_DEVICE_ABSENT, 'X', "S.K.R. ..... ..Q X....."},
    {GF_WORKER_IDLE, GF_DEVICE_IDLE, 'I', "...S.. ..... ..Q ......"},
    {GF_WORKER_FAILING, GF_DEVICE_STARTING, 'F', "...... .FFF. DDP ......"},
    {GF_WORKER_ENDING, GF_DEVICE_READY, 'E', "...... .EEE. DDP ......"},
    {GF_WORKER_RESTING, GF_DEVICE_IDLE, 'r', "...w.. ..... IIP ......"},
    {GF_WORKER_WAKING, GF_DEVICE_IDLE, 'w', "...w.. ..... SSP ......"},
    {GF_WORKER_DEAD, GF_DEVICE_RESTARTING, 'D', "...... ..... ... XULVBA"},
    {GF_WORKER_SEEKING, GF_DEVICE_ABSENT, 'K', ".....D RKKK. DDP ......"},
    {GF_WORKER_AWAITED, GF_DEVICE_STARTING, 'W', "..X.R. ..... ..Q X....."},
    {GF_WORKER_LEFT, GF_DEVICE_RESTARTING, 'L', "..X.R. ..... ..Q X....."},
    {GF_WORKER_DISMISSED, GF_DEVICE_ABSENT, 'V', "..X.R. ..... ..Q X....."},
    {GF_WORKER_STOPPING, GF_DEVICE_ABSENT, 'P', "...... ..... QQP ......"},
    {GF_WORKER_STOPPED, GF_DEVICE_ABSENT, 'Q', "...... ..... ..Q ......"},
};

static char letter_of(enum gf_worker_state state)
{
    for (uint32_t i = 0; i < GF_WORKER_N_STATES; i++)
        if (g_rows[i].state == state)
            return g_rows[i].letter;
    return '.';
}

static void every_pair_has_its_next_state(void **state)
{
    struct fixture *f = *state;
    for (uint32_t s = 0; s < GF_WORKER_N_STATES; s++) {
        char next[32] = "";
        size_t n = 0;
        for (uint32_t e = 0; e < GF_WORKER_N_EVENTS; e++) {
            if (e == GF_EVENT_HELLO || e == GF_EVENT_EXITED || e == GF_EVENT_NO_DEVICE)
                next[n++] = ' ';
            next[n++] = letter_of(gf_worker_next(g_rows[s].state, e));
        }
        assert_string_equal(next, g_rows[s].next);
        f->worker->state = g_rows[s].state;
        assert_int_equal(gf_worker_device_state(f->worker), g_rows[s].device);
    }
    f->worker->state = GF_WORKER_NEW;
}

/* In a build with assertions such an event ends the program instead. */
static void what_cannot_happen_changes_nothing(void **state)
{
#ifdef NDEBUG
    struct fixture *f = *state;
    uint32_t n = 0;
    for (uint32_t s = 0; s < GF_WORKER_N_STATES; s++)
        for (uint32_t e = 0; e < GF_WORKER_N_EVENTS; e++) {
            if (gf_worker_next(s, e) != GF_WORKER_N_STATES)
                continue;
            f->worker->state = s;
            assert_false(gf_worker_post(f->worker, e, NULL));
            assert_int_equal(f->worker->state, s);
            n++;
        }
    assert_true(n > 0);
    assert_int_equal(f->n_starts + f->n_changes + f->n_deaths + f->n_kills, 0);
    f->worker->state = GF_WORKER_IDLE;
    assert_false(gf_worker_post(f->worker, GF_EVENT_LAST_WORDS, NULL));
    assert_string_equal(f->line, "worker of cuda:0: event LAST_WORDS cannot happen in state IDLE");
    f->worker->state = GF_WORKER_NEW;
#else
    (void)state;
    print_message("skipped: a build with assertions ends at such an event\n");
    skip();
#endif
}

static void one_that_dies_at_work_is_started_again(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_int_equal(f->n_starts, 1);
    assert_int_equal(f->n_changes, 0);
    greet(f);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    assert_int_equal(f->n_changes, 1);
    assert_int_equal(f->seen_at_change, GF_DEVICE_READY);
    give_task(f);
    say(f, GF_EVENT_LAST_WORDS, "an illegal address");
    assert_int_equal(f->worker->state, GF_WORKER_ENDING);
    assert_int_equal(gf_worker_device_state(f->worker), GF_DEVICE_READY);
    exit_with(f, 70, "exit code 70");
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    assert_string_equal(f->line, "worker of cuda:0 died: exit code 70: an illegal address; tasks=1 restart_ms=200");
    assert_string_equal(f->worker->reason, "its worker died: exit code 70: an illegal address");
    assert_int_equal(f->n_changes, 2);
    assert_int_equal(f->n_deaths, 1);
    assert_int_equal(f->tasks_at_death, 1);
    assert_int_equal(f->seen_at_death, GF_DEVICE_RESTARTING);
    timer_fires(f, 200);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_int_equal(f->n_starts, 2);
    greet(f);
    assert_string_equal(f->worker->reason, "");
    exit_with(f, GF_EXIT_UNKNOWN, "signal 9 (Killed)");
    assert_string_equal(f->line, "worker of cuda:0 died: signal 9 (Killed); tasks=0 restart_ms=500");
    timer_fires(f, 500);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
}

/* Device 1 is ready, or died and will be restarted. */
static void set_other(struct fixture *f, enum gf_worker_state state)
{
    f->workers.list[1]->state = state;
}

static void one_that_dies_while_it_starts_waits_longer_each_time(void **state)
{
    struct fixture *f = *state;
    set_other(f, GF_WORKER_READY);
    post(f, GF_EVENT_START);
    say(f, GF_EVENT_LAST_WORDS, "no memory"); /* its state stays until the socket ends */
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    post(f, GF_EVENT_LOST);
    assert_int_equal(f->worker->state, GF_WORKER_FAILING);
    assert_int_equal(gf_worker_device_state(f->worker), GF_DEVICE_STARTING);
    exit_with(f, 71, "exit code 71");
    assert_string_equal(f->line, "worker of cuda:0 died: exit code 71: no memory; tasks=0 restart_ms=200");
    f->start_fails = true;
    timer_fires(f, 200);
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    assert_string_equal(f->line, "worker of cuda:0 died: no more processes; tasks=0 restart_ms=500");
    assert_int_equal(f->n_deaths, 2);
    timer_fires(f, 500);
    say(f, GF_EVENT_KILL, "it did not become ready");
    assert_string_equal(f->line, "killing the worker of cuda:0: it did not become ready");
    exit_with(f, GF_EXIT_UNKNOWN, "signal 9 (Killed)");
    assert_int_equal(f->worker->state, GF_WORKER_ASIDE);
    assert_string_equal(f->line, "device cuda:0 set aside: 3 deaths in ten minutes, the last: signal 9 (Killed)");
    assert_int_equal(f->seen_at_death, GF_DEVICE_ASIDE);
    timer_fires(f, 600000);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_int_equal(f->n_starts, 4);
}

/* Where no other device is ready, a device that keeps dying is restarted, after 30 s at most. */
static void the_last_device_is_not_set_aside(void **state)
{
    static const uint64_t delays[] = {200, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000};
    struct fixture *f = *state;
    char text[100] = "";
    set_other(f, GF_WORKER_RESTARTING);
    post(f, GF_EVENT_START);
    for (unsigned i = 0; i < GF_ARRAY_LEN(delays); i++) {
        greet(f);
        exit_with(f, GF_EXIT_SIGNAL + 9, "signal 9 (Killed)");
        assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
        assert_int_equal(f->seen_at_death, GF_DEVICE_RESTARTING);
        if (i + 1 == GF_ARRAY_LEN(delays)) {
            gf_worker_tell_state(f->worker, text, sizeof text);
            assert_string_equal(text, "cuda:0 is restarting in 29 s");
        }
        timer_fires(f, delays[i]);
    }
    assert_true(f->worker->n_deaths > MAX_DEATHS);
    set_other(f, GF_WORKER_READY);
    greet(f);
    exit_with(f, GF_EXIT_SIGNAL + 9, "signal 9 (Killed)");
    assert_int_equal(f->worker->state, GF_WORKER_ASIDE);
    text[0] = '\0';
    gf_worker_tell_state(f->worker, text, sizeof text);
    assert_string_equal(text, "cuda:0 is set aside for another 599 s");
}

/* The device's worker crashes as often as is allowed, while the other device is in this state. */
static void die_often_beside(struct fixture *f, enum gf_worker_state other)
{
    post(f, GF_EVENT_START);
    set_other(f, other);
    for (uint64_t i = 0; i < MAX_DEATHS; i++) {
        greet(f);
        exit_with(f, GF_EXIT_SIGNAL + 11, "signal 11 (Segmentation fault)");
        if (i + 1 < MAX_DEATHS)
            timer_fires(f, i == 0 ? 200 : 500);
    }
}

static void expect_aside(struct fixture *f)
{
    assert_int_equal(f->worker->state, GF_WORKER_ASIDE);
    assert_int_equal(uv_timer_get_due_in(&f->worker->timer), 600000);
}

/* A device is set aside while another one serves; when that one no longer does, it is tried at once. */
static void one_set_aside_returns_when_it_is_needed(void **state)
{
    struct fixture *f = *state;
    struct gf_worker *other = f->workers.list[1];
    die_often_beside(f, GF_WORKER_READY);
    expect_aside(f);
    other->own = true;
    gf_worker_post(other, GF_EVENT_EXITED, &(struct gf_worker_about){.code = 70, .text = "exit code 70"});
    assert_int_equal(other->state, GF_WORKER_RESTARTING);
    timer_fires(f, 0);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
}

/* The other device was idle, and serves only when its next worker is ready. */
static void one_set_aside_returns_when_an_idle_one_starts(void **state)
{
    struct fixture *f = *state;
    struct gf_worker *other = f->workers.list[1];
    die_often_beside(f, GF_WORKER_IDLE);
    expect_aside(f);
    gf_workers_wake(&f->workers, other->index, true);
    assert_int_equal(other->state, GF_WORKER_STARTING);
    timer_fires(f, 0);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
}

/* The same while the idle device's last process still ends. */
static void one_set_aside_returns_when_a_resting_one_is_wanted(void **state)
{
    struct fixture *f = *state;
    struct gf_worker *other = f->workers.list[1];
    die_often_beside(f, GF_WORKER_RESTING);
    expect_aside(f);
    gf_workers_wake(&f->workers, other->index, true);
    assert_int_equal(other->state, GF_WORKER_WAKING);
    timer_fires(f, 0);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
}

/* The other device's worker is about to end: it takes no requests, although it is shown as ready until then. */
static void one_beside_an_ending_worker_is_not_set_aside(void **state)
{
    struct fixture *f = *state;
    die_often_beside(f, GF_WORKER_ENDING);
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    timer_fires(f, 1000);
    set_other(f, GF_WORKER_READY);
    greet(f);
    exit_with(f, GF_EXIT_SIGNAL + 11, "signal 11 (Segmentation fault)");
    expect_aside(f);
    gf_worker_post(f->workers.list[1], GF_EVENT_LOST, NULL);
    assert_int_equal(f->workers.list[1]->state, GF_WORKER_ENDING);
    timer_fires(f, 0);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
}

/* Without a count of its own, whether a request may have caused the death depends on how the process ended. */
static void only_a_fault_tells_against_requests(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int code;
        bool killed, spoke, fault;
    } ends[] = {
        {GF_EXIT_SIGNAL + SIGSEGV, false, false, true},
        {GF_EXIT_SIGNAL + SIGABRT, false, false, true},
        {GF_EXIT_SIGNAL + SIGSYS, false, false, true},
        {GF_EXIT_SIGNAL + SIGBUS, false, false, true},
        {GF_EXIT_SIGNAL + SIGILL, false, false, true},
        {GF_EXIT_SIGNAL + SIGFPE, false, false, true},
        {GF_EXIT_SIGNAL + SIGKILL, false, false, false}, /* from outside */
        {GF_EXIT_SIGNAL + SIGKILL, true, false, true},   /* it hung, and the front killed it */
        {GF_EXIT_SIGNAL + SIGTERM, false, false, false},
        {GF_EXIT_SIGNAL + SIGHUP, false, false, false},
        {GF_WORKER_EXIT_DEVICE_LOST, false, false, true},
        {GF_WORKER_EXIT_OK, false, false, false},
        {9, false, false, true},
        {GF_EXIT_UNKNOWN, false, false, false}, /* of a process that joined */
        {GF_EXIT_UNKNOWN, false, true, true},
        {GF_EXIT_UNKNOWN, true, false, true},
    };
    f->deaths = GF_ARRAY_LEN(ends) + 1;
    post(f, GF_EVENT_START);
    for (unsigned i = 0; i < GF_ARRAY_LEN(ends); i++) {
        greet(f);
        if (ends[i].spoke)
            say(f, GF_EVENT_LAST_WORDS, "an illegal address");
        if (ends[i].killed)
            say(f, GF_EVENT_KILL, "it does not answer");
        exit_with(f, ends[i].code, "ended");
        assert_int_equal(f->worker->death_is_fault, ends[i].fault);
        uv_timer_stop(&f->worker->timer);
        post(f, GF_EVENT_TIMER);
    }
}

/* A file in place of the kernel's count of the processes that it killed; see set_oom_kills. */
static void open_oom_kills(struct fixture *f)
{
    char path[] = "/tmp/gf-life-XXXXXX"; /* mkstemp's template */
    f->workers.oom_fd = mkstemp(path);
    assert_int_equal(unlink(path), 0);
}

static void a_kill_for_lack_of_memory_is_called_so(void **state)
{
    struct fixture *f = *state;
    open_oom_kills(f);
    post(f, GF_EVENT_START);
    for (int i = 0; i < 3; i++) {
        const char *text = i == 0 ? "low 0\noom 0\noom_kill 0\n" : "low 0\noom 7\noom_kill 1\noom_group_kill 0\n";
        assert_int_equal(pwrite(f->workers.oom_fd, text, strlen(text), 0), strlen(text));
        greet(f);
        exit_with(f, GF_EXIT_SIGNAL + SIGKILL, "signal 9 (Killed)");
        assert_int_equal(strstr(f->line, "signal 9 (Killed), out of memory; tasks=0") != NULL, i == 1);
        uv_timer_stop(&f->worker->timer);
        post(f, GF_EVENT_TIMER);
    }
}

/* The kernel has killed this many processes of the control group. */
static void set_oom_kills(struct fixture *f, unsigned n)
{
    char text[32];
    snprintf(text, sizeof text, "oom_kill %u\n", n);
    assert_int_equal(pwrite(f->workers.oom_fd, text, strlen(text), 0), strlen(text));
}

/* The worker has `n_tasks` tasks, and runs out of memory. */
static void run_out_of_memory(struct fixture *f, uint32_t n_tasks, unsigned n_kills)
{
    greet(f);
    give_task(f);
    f->worker->n_tasks = n_tasks;
    set_oom_kills(f, n_kills);
    exit_with(f, GF_EXIT_SIGNAL + SIGKILL, "signal 9 (Killed)");
}

/* If a request is alone, it is the one that takes the memory: two such deaths blame it, and the device, whose count
 * would otherwise reach its limit, stays in service. Beside others nobody knows who takes it. */
static void lack_of_memory_tells_against_a_request_that_is_alone(void **state)
{
    struct fixture *f = *state;
    open_oom_kills(f);
    set_other(f, GF_WORKER_READY);
    post(f, GF_EVENT_START);
    run_out_of_memory(f, 2, 1);
    assert_false(f->worker->death_is_fault);
    assert_false(f->task->blamed);
    timer_fires(f, 200);
    run_out_of_memory(f, 1, 2);
    assert_true(f->worker->death_is_fault);
    assert_false(f->task->blamed);
    assert_int_equal(f->worker->n_deaths, 2);
    timer_fires(f, 500);
    f->task->faults = 1; /* as the dispatcher counts */
    run_out_of_memory(f, 1, 3);
    assert_true(f->task->blamed);
    assert_int_equal(f->worker->n_deaths, 2);
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
}

/* The kernel killed a process of the group a minute ago, and now somebody else kills the worker. */
static void an_older_lack_of_memory_was_that_of_another_process(void **state)
{
    struct fixture *f = *state;
    open_oom_kills(f);
    post(f, GF_EVENT_START);
    set_oom_kills(f, 1);
    gf_workers_check(&f->workers, gf_now_ns() - 60 * GF_NS_PER_S);
    run_out_of_memory(f, 1, 1);
    assert_null(strstr(f->line, "out of memory"));
    assert_false(f->worker->death_is_fault);
}

/* A GPU's driver may take seconds to end the killed process, and the daemon sees the count before it sees the end. */
static void a_lack_of_memory_is_known_before_the_process_has_ended(void **state)
{
    struct fixture *f = *state;
    open_oom_kills(f);
    post(f, GF_EVENT_START);
    for (uint32_t i = 0; i < 2; i++) {
        set_oom_kills(f, 1);
        gf_workers_check(&f->workers, gf_now_ns());
        run_out_of_memory(f, 1, 1);
        assert_int_equal(strstr(f->line, "out of memory") != NULL, i == 0); /* one kill is one death */
        assert_int_equal(f->worker->death_is_fault, i == 0);
        timer_fires(f, i == 0 ? 200 : 500);
    }
}

/* sendmsg fails with ENOTSOCK, which stands for any failure of the front. */
static void make_sending_fail(struct fixture *f)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(dup2(null, f->fd) >= 0);
    close(null);
}

/* The front cannot send, and so must end the worker, which would keep the buffer for ever. */
static void a_failure_of_the_front_counts_against_nobody(void **state)
{
    struct fixture *f = *state;
    const uint64_t key = 7;
    set_other(f, GF_WORKER_READY);
    post(f, GF_EVENT_START);
    for (uint64_t i = 0; i < MAX_DEATHS; i++) {
        greet(f);
        give_task(f);
        f->task->faults = 1;
        make_sending_fail(f);
        gf_worker_free_buffers(f->worker, &key, 1);
        assert_int_equal(f->worker->state, GF_WORKER_ENDING);
        assert_string_equal(f->line, "killing the worker of cuda:0: the worker could not be told to free memory");
        exit_with(f, GF_EXIT_SIGNAL + SIGKILL, "signal 9 (Killed)");
        assert_int_equal(f->n_kills, i + 1);
        assert_false(f->worker->death_is_fault);
        assert_false(f->task->blamed);
        assert_int_equal(f->worker->n_deaths, 0);
        timer_fires(f, 200);
    }
    greet(f);
    say(f, GF_EVENT_KILL, "it does not answer"); /* the next process is judged as ever */
    exit_with(f, GF_EXIT_SIGNAL + SIGKILL, "signal 9 (Killed)");
    assert_true(f->worker->death_is_fault);
    assert_int_equal(f->worker->n_deaths, 1);
}

/* A worker does not hang because it does not answer what the front could not ask. */
static void a_question_that_was_not_sent_needs_no_answer(void **state)
{
    struct fixture *f = *state;
    const uint64_t timeout_ms = 1000, idle_ms = 0, now = gf_now_ns();
    f->workers.timeout_ms = &timeout_ms;
    f->workers.idle_ms = &idle_ms;
    post(f, GF_EVENT_START);
    greet(f);
    make_sending_fail(f);
    for (uint64_t s = 1; s < 10; s++)
        gf_worker_check(f->worker, now + s * GF_NS_PER_S); /* without a task */
    give_task(f);
    for (uint64_t s = 10; s < 20; s++)
        gf_worker_check(f->worker, now + s * GF_NS_PER_S);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    assert_int_equal(f->worker->asked_ns, 0);
    assert_int_equal(f->task->asked_ns, 0);
    assert_int_equal(f->worker->probe, 0);
    gf_list_remove(&f->task->node);
    f->worker->n_tasks = 0;
}

/* The watch fires when the worker has owed an answer for this long. */
static void watch_fires_after(struct fixture *f, uint64_t ms)
{
    f->worker->asked_ns = gf_now_ns() - ms * GF_NS_PER_MS;
    gf_workers_watch(&f->workers);
    f->workers.watch.timer_cb(&f->workers.watch);
}

/* It stalls until its process has ended: then its tasks are taken away, and not before may others go there. */
static void one_that_is_killed_because_it_stalls_does_not_go_on(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    greet(f);
    give_task(f);
    watch_fires_after(f, 2000);
    assert_true(f->worker->stalled);
    assert_int_equal(f->n_stalls, 1);
    watch_fires_after(f, f->timeout_ms + 1000);
    assert_int_equal(f->worker->state, GF_WORKER_ENDING);
    assert_string_equal(f->line, "killing the worker of cuda:0: it does not answer");
    assert_true(f->worker->stalled);
    assert_false(gf_worker_serves(f->worker));
    assert_int_equal(f->n_stalls, 1);
    exit_with(f, GF_EXIT_SIGNAL + SIGKILL, "signal 9 (Killed)");
    assert_false(f->worker->stalled);
    assert_int_equal(f->n_stalls, 1);
}

/* The worker's process sends its hello, which the front then reads. */
static void say_hello(struct fixture *f)
{
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_hello_encode(&w, &f->hello);
    assert_true(gf_writer_finish(&w, GF_FRAME_WORKER_HELLO, 0, 0, 0));
    assert_int_equal(send(f->peer, frame, w.size, 0), w.size);
    gf_worker_link_drain(f->worker->link);
}

/* It was slow, and said hello when it was being killed. */
static void one_that_was_killed_does_not_become_ready(void **state)
{
    struct fixture *f = *state;
    snprintf(f->hello.device.name, sizeof f->hello.device.name, "cuda:0");
    f->hello.device.state = GF_DEVICE_READY;
    for (int seeking = 0; seeking < 2; seeking++) {
        post(f, seeking ? GF_EVENT_TIMER : GF_EVENT_START);
        say(f, GF_EVENT_KILL, "it did not become ready");
        const enum gf_worker_state before = f->worker->state;
        assert_int_equal(before, seeking ? GF_WORKER_SEEKING : GF_WORKER_FAILING);
        say_hello(f);
        assert_int_equal(f->worker->state, before);
        assert_int_equal(f->worker->ready_ns, 0);
        exit_with(f, GF_WORKER_EXIT_NO_DEVICE, "exit code 69");
        assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
        uv_timer_stop(&f->worker->timer);
    }
    assert_int_equal(f->n_kills, 2);
    post(f, GF_EVENT_TIMER); /* the next process is greeted as ever */
    say_hello(f);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
}

/* A driver may be installed or upgraded meanwhile. Clients notice nothing of the attempts, and the log has the reason
 * once. */
static void one_without_a_device_is_looked_for_every_minute(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    for (uint32_t i = 0; i < 3; i++) {
        say(f, GF_EVENT_LAST_WORDS, i < 2 ? "no CUDA driver" : "the driver is too old");
        f->line[0] = '\0';
        exit_with(f, GF_WORKER_EXIT_NO_DEVICE, "exit code 69");
        assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
        assert_string_equal(f->worker->reason, i < 2 ? "no CUDA driver" : "the driver is too old");
        assert_string_equal(f->line, i == 1   ? ""
                                     : i == 0 ? "no device cuda:0: no CUDA driver"
                                              : "no device cuda:0: the driver is too old");
        assert_int_equal(f->seen_at_death, GF_DEVICE_ABSENT);
        timer_fires(f, 60000);
        assert_int_equal(f->worker->state, GF_WORKER_SEEKING);
        assert_int_equal(gf_worker_device_state(f->worker), GF_DEVICE_ABSENT);
        assert_false(gf_worker_usable(f->worker));
        assert_int_equal(f->n_starts, i + 2);
    }
    assert_int_equal(f->worker->n_deaths, 0);
    greet(f);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    assert_string_equal(f->worker->reason, "");
}

static void nobody_looks_again_for_what_cannot_change(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    exit_with(f, GF_WORKER_EXIT_USAGE, "exit code 64");
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    assert_false(uv_is_active((uv_handle_t *)&f->worker->timer));
    gf_workers_look_again(&f->workers);
    f->worker->is_twin = true; /* the same GPU has another name */
    exit_with(f, GF_WORKER_EXIT_NO_DEVICE, "exit code 69");
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    assert_false(uv_is_active((uv_handle_t *)&f->worker->timer));
}

static void an_absent_one_is_started_when_the_daemon_looks_again(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    say(f, GF_EVENT_LAST_WORDS, "no CUDA driver");
    exit_with(f, GF_WORKER_EXIT_NO_DEVICE, "exit code 69");
    gf_workers_look_again(&f->workers);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_int_equal(f->n_starts, 2);
    gf_workers_look_again(&f->workers); /* the start is under way */
    assert_int_equal(f->n_starts, 2);
    greet(f);
    assert_string_equal(f->worker->reason, "");
    gf_workers_look_again(&f->workers);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    assert_int_equal(f->n_starts, 2);
}

/* More starts than deaths are allowed, and none counts. */
static void one_whose_system_is_not_ready_is_started_until_it_is(void **state)
{
    static const uint64_t waits[] = {200, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000};
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    for (uint32_t i = 0; i < GF_ARRAY_LEN(waits); i++) {
        say(f, GF_EVENT_LAST_WORDS, "cuda:0: system not yet initialized");
        exit_with(f, GF_WORKER_EXIT_NOT_READY, "exit code 72");
        assert_int_equal(f->worker->state, GF_WORKER_UNREADY);
        assert_int_equal(f->seen_at_death, GF_DEVICE_ASIDE);
        assert_string_equal(f->worker->reason, "cuda:0: system not yet initialized");
        assert_true(gf_worker_may_come(f->worker) && !gf_worker_usable(f->worker));
        timer_fires(f, waits[i]);
        assert_int_equal(f->worker->state, GF_WORKER_STARTING);
        assert_int_equal(f->n_starts, i + 2);
    }
    assert_int_equal(f->worker->n_deaths, 0);
    exit_with(f, GF_WORKER_EXIT_NOT_READY, "exit code 72");
    assert_string_equal(f->line, "device cuda:0 is not ready: exit code 72; restart_ms=30000");
    gf_workers_look_again(&f->workers); /* does not wait for the timer */
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_false(uv_is_active((uv_handle_t *)&f->worker->timer));
    greet(f);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    exit_with(f, GF_WORKER_EXIT_NOT_READY, "exit code 72"); /* it was ready, so this is a death */
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    assert_int_equal(f->worker->n_deaths, 1);
}

/* The waits until the system was ready, and those after deaths, grow apart from each other. */
static void one_that_became_ready_is_restarted_at_once(void **state)
{
    static const uint64_t waits[] = {200, 500, 1000, 2000};
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    for (uint64_t n_deaths = 0; n_deaths < 2; n_deaths++) {
        for (uint32_t i = 0; i < GF_ARRAY_LEN(waits); i++) {
            exit_with(f, GF_WORKER_EXIT_NOT_READY, "exit code 72");
            assert_int_equal(f->worker->state, GF_WORKER_UNREADY);
            timer_fires(f, waits[i]);
        }
        greet(f);
        exit_with(f, GF_EXIT_SIGNAL + SIGSEGV, "signal 11 (Segmentation fault)");
        assert_int_equal(f->worker->n_deaths, n_deaths + 1);
        timer_fires(f, n_deaths == 0 ? 200 : 500);
    }
}

static void one_that_is_stopped_at_work_ends_for_good(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    greet(f);
    give_task(f);
    gf_workers_stop(&f->workers);
    assert_int_equal(f->worker->state, GF_WORKER_STOPPING);
    assert_int_equal(gf_worker_device_state(f->worker), GF_DEVICE_ABSENT);
    assert_null(f->worker->link);
    assert_false(gf_workers_gone(&f->workers));
    gf_workers_stop(&f->workers); /* a second signal */
    assert_int_equal(f->worker->state, GF_WORKER_STOPPING);
    assert_int_equal(f->n_deaths, 0);
    exit_with(f, 0, "exit code 0");
    assert_int_equal(f->worker->state, GF_WORKER_STOPPED);
    assert_true(gf_workers_gone(&f->workers));
    assert_int_equal(f->n_deaths, 1);
    assert_int_equal(f->tasks_at_death, 1);
    assert_int_equal(f->seen_at_death, GF_DEVICE_ABSENT);
    assert_int_equal(f->n_changes, 1); /* its hello */
    assert_int_equal(f->n_starts, 1);
}

/* The watchdog, the end of the socket and the end of the process all notice: the worker is killed once and dies once.
 */
static void a_death_that_is_noticed_twice_is_one(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    greet(f);
    say(f, GF_EVENT_KILL, "it does not answer");
    assert_int_equal(f->worker->state, GF_WORKER_ENDING);
    uint64_t dying_ns = f->worker->dying_ns;
    assert_true(dying_ns > 0);
    f->line[0] = '\0';
    say(f, GF_EVENT_KILL, "the worker sent a malformed answer");
    post(f, GF_EVENT_LOST);
    assert_string_equal(f->line, "");
    assert_int_equal(f->n_kills, 1);
    assert_int_equal(f->worker->dying_ns, dying_ns);
    gf_closep(&f->peer);
    exit_with(f, GF_EXIT_UNKNOWN, "signal 9 (Killed)"); /* the end of the socket is read here, a third time */
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    assert_int_equal(f->n_deaths, 1);
    assert_int_equal(f->worker->n_deaths, 1);
}

static void one_that_rests_is_started_when_it_is_wanted(void **state)
{
    struct fixture *f = *state;
    post(f, GF_EVENT_START);
    greet(f);
    post(f, GF_EVENT_UNUSED);
    assert_int_equal(f->worker->state, GF_WORKER_RESTING);
    assert_int_equal(f->seen_at_change, GF_DEVICE_IDLE);
    assert_null(f->worker->link);
    exit_with(f, 0, "exit code 0");
    assert_int_equal(f->worker->state, GF_WORKER_IDLE);
    assert_int_equal(f->n_starts, 1);
    gf_workers_wake(&f->workers, 0, false);
    assert_int_equal(f->worker->state, GF_WORKER_STARTING);
    assert_int_equal(f->n_starts, 2);
    greet(f);
    post(f, GF_EVENT_UNUSED);
    gf_workers_wake(&f->workers, 0, false); /* while the process still ends */
    gf_workers_wake(&f->workers, 0, false);
    assert_int_equal(f->worker->state, GF_WORKER_WAKING);
    assert_int_equal(gf_worker_device_state(f->worker), GF_DEVICE_IDLE);
    f->start_fails = true;
    exit_with(f, 0, "exit code 0");
    assert_int_equal(f->worker->state, GF_WORKER_RESTARTING);
    assert_int_equal(f->n_starts, 3);
    assert_int_equal(f->n_deaths, 3);
    assert_int_equal(f->worker->n_deaths, 1); /* an end that was asked for does not count */
}

static void join(struct fixture *f)
{
    struct gf_worker_link *link = gf_worker_link_new(&f->loop, socket_new(), &gf_worker_frames, f->worker);
    assert_non_null(link);
    gf_worker_adopt(f->worker, link, 1, &f->hello);
    assert_int_equal(f->worker->state, GF_WORKER_READY);
    assert_false(uv_is_active((uv_handle_t *)&f->worker->timer));
}

static uint32_t health(const struct fixture *f, char text[GF_ERROR_TEXT])
{
    struct gf_device_entry devices[GF_MAX_DEVICES];
    uint32_t n;
    return gf_workers_describe(&f->workers, devices, &n, text, GF_ERROR_TEXT);
}

static void one_that_joined_and_left_may_join_again(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 1; i <= 2; i++) {
        join(f);
        exit_with(f, GF_EXIT_UNKNOWN, "ended");
        assert_int_equal(f->worker->state, GF_WORKER_LEFT);
        assert_string_equal(f->line, "worker of cuda:0 left: tasks=0");
        assert_int_equal(f->seen_at_death, GF_DEVICE_RESTARTING);
        assert_true(gf_worker_usable(f->worker));
        assert_int_equal(f->n_deaths, i);
        if (i == 2) {
            timer_fires(f, 60000);
            assert_string_equal(f->line, "device cuda:0 is absent: its worker left");
        }
    }
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    assert_false(gf_worker_usable(f->worker));
    assert_true(gf_worker_may_come(f->worker));
    assert_int_equal(f->n_starts, 0);
    assert_int_equal(f->worker->n_deaths, 0);
    join(f);
}

/* Its unit restarts it at once, or it was stopped; requests that name the device wait for ten seconds. */
static void one_that_is_told_to_end_is_no_death(void **state)
{
    struct fixture *f = *state;
    char text[GF_ERROR_TEXT];
    set_other(f, GF_WORKER_READY);
    for (uint32_t i = 0; i < 2; i++) {
        join(f);
        f->worker->dismissed = true; /* it has said goodbye */
        post(f, GF_EVENT_LOST);
        assert_int_equal(f->worker->state, GF_WORKER_ENDING);
        exit_with(f, GF_EXIT_UNKNOWN, "ended");
        assert_int_equal(f->worker->state, GF_WORKER_DISMISSED);
        assert_string_equal(f->line, "worker of cuda:0 was stopped: tasks=0");
        assert_false(f->worker->death_is_fault);
        assert_int_equal(f->seen_at_death, GF_DEVICE_ABSENT);
        assert_true(gf_worker_usable(f->worker));
    }
    f->workers.list[1]->ran_ns = gf_now_ns();
    assert_int_equal(health(f, text), GF_HEALTH_READY); /* nobody means a device that was added and stopped by hand */
    assert_string_equal(text, "cuda:0 is absent (its worker was stopped), cuda:1 is ready");
    f->worker->listed = true;
    assert_int_equal(health(f, text), GF_HEALTH_DEGRADED);
    timer_fires(f, 10000);
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    assert_string_equal(f->line, "device cuda:0 is absent: its worker was stopped");
    assert_false(gf_worker_usable(f->worker));
    assert_int_equal(f->worker->n_deaths, 0);
}

static void one_that_should_join_is_awaited_for_a_minute(void **state)
{
    struct fixture *f = *state;
    char text[GF_ERROR_TEXT];
    set_other(f, GF_WORKER_READY);
    f->workers.list[1]->ran_ns = gf_now_ns();
    f->worker->listed = f->worker->elsewhere = true;
    gf_worker_start(f->worker);
    assert_int_equal(f->n_starts, 0);
    assert_int_equal(f->worker->state, GF_WORKER_AWAITED);
    assert_true(gf_worker_usable(f->worker));
    assert_int_equal(health(f, text), GF_HEALTH_DEGRADED);
    assert_string_equal(text, "cuda:0 is starting, cuda:1 is ready");
    timer_fires(f, 60000);
    assert_string_equal(f->line, "device cuda:0 is absent: its worker has not joined");
    assert_int_equal(f->seen_at_change, GF_DEVICE_ABSENT);
    assert_int_equal(health(f, text), GF_HEALTH_DEGRADED);
    assert_string_equal(text, "cuda:0 is absent (its worker has not joined), cuda:1 is ready");
    assert_false(uv_is_active((uv_handle_t *)&f->worker->timer));
    say(f, GF_EVENT_NO_DEVICE, "the driver is too old"); /* it tried */
    assert_int_equal(health(f, text), GF_HEALTH_DEGRADED);
    assert_string_equal(text, "cuda:0 is absent (the driver is too old), cuda:1 is ready");
    join(f);
    assert_int_equal(health(f, text), GF_HEALTH_READY);
}

/* Its driver assembles all kernels before it can say hello; the front must not call it absent meanwhile. */
static void one_that_assembles_kernels_is_awaited_for_longer(void **state)
{
    struct fixture *f = *state;
    const struct gf_device_entry device = {.name = "cuda:0", .detail = "sm_110", .state = GF_DEVICE_STARTING};
    f->worker->elsewhere = true;
    gf_worker_start(f->worker);
    gf_worker_assembles(f->worker, &device);
    assert_int_equal(f->worker->state, GF_WORKER_AWAITED);
    assert_non_null(strstr(f->worker->reason, "its driver assembles the kernels for sm_110"));
    timer_fires(f, 20 * 60 * 1000);
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    gf_worker_assembles(f->worker, &device); /* a later attempt */
    assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    join(f);
    assert_string_equal(f->worker->reason, "");
}

/* The same after its unit has restarted it, because it failed or was told to end. */
static void one_that_left_and_assembles_kernels_is_awaited_for_longer(void **state)
{
    struct fixture *f = *state;
    const struct gf_device_entry device = {.name = "cuda:0", .detail = "sm_110", .state = GF_DEVICE_STARTING};
    for (int told = 0; told < 2; told++) {
        join(f);
        f->worker->dismissed = told;
        exit_with(f, GF_EXIT_UNKNOWN, "ended");
        const enum gf_worker_state before = f->worker->state;
        assert_int_equal(before, told ? GF_WORKER_DISMISSED : GF_WORKER_LEFT);
        gf_worker_assembles(f->worker, &device);
        assert_int_equal(f->worker->state, before);
        assert_true(gf_worker_usable(f->worker));
        timer_fires(f, 20 * 60 * 1000);
        assert_int_equal(f->worker->state, GF_WORKER_ABSENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_pair_has_its_next_state, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_happen_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_dies_at_work_is_started_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_dies_while_it_starts_waits_longer_each_time, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_device_is_not_set_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(one_set_aside_returns_when_it_is_needed, setup, teardown),
        cmocka_unit_test_setup_teardown(one_set_aside_returns_when_an_idle_one_starts, setup, teardown),
        cmocka_unit_test_setup_teardown(one_set_aside_returns_when_a_resting_one_is_wanted, setup, teardown),
        cmocka_unit_test_setup_teardown(one_beside_an_ending_worker_is_not_set_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(only_a_fault_tells_against_requests, setup, teardown),
        cmocka_unit_test_setup_teardown(a_kill_for_lack_of_memory_is_called_so, setup, teardown),
        cmocka_unit_test_setup_teardown(lack_of_memory_tells_against_a_request_that_is_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(an_older_lack_of_memory_was_that_of_another_process, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lack_of_memory_is_known_before_the_process_has_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_of_the_front_counts_against_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(a_question_that_was_not_sent_needs_no_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_is_killed_because_it_stalls_does_not_go_on, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_was_killed_does_not_become_ready, setup, teardown),
        cmocka_unit_test_setup_teardown(one_without_a_device_is_looked_for_every_minute, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_looks_again_for_what_cannot_change, setup, teardown),
        cmocka_unit_test_setup_teardown(an_absent_one_is_started_when_the_daemon_looks_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_whose_system_is_not_ready_is_started_until_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_became_ready_is_restarted_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_is_stopped_at_work_ends_for_good, setup, teardown),
        cmocka_unit_test_setup_teardown(a_death_that_is_noticed_twice_is_one, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_rests_is_started_when_it_is_wanted, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_joined_and_left_may_join_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_is_told_to_end_is_no_death, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_should_join_is_awaited_for_a_minute, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_assembles_kernels_is_awaited_for_longer, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_left_and_assembles_kernels_is_awaited_for_longer, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
