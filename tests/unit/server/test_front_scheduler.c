/* SPDX-License-Identifier: MIT */
/* Shares of a device by cost, in simulated time. The device runs its tasks one by one and has two of them queued ahead.
 */
#include "server/front/schedule/scheduler.h"

#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define MS UINT64_C(1000000)
#define DEVICES 2u
#define AHEAD 2u

/* A connection that always has `depth` tasks of one cost queued. */
struct flood {
    struct gf_source source;
    uint32_t device;
    uint64_t cost, estimate; /* in truth, and as it is guessed */
    uint64_t served;         /* in truth */
};

/* A task has the index of its flood in request_id and its device in `device`. */
struct sim {
    struct gf_scheduler s;
    struct flood floods[16];
    uint32_t n;
    struct gf_task *ahead[DEVICES][AHEAD];
    uint64_t clock[DEVICES]; /* until when it has worked */
};

static bool on_device(void *data, struct gf_task *task)
{
    return task->device == *(uint32_t *)data;
}

static struct gf_task *push(struct gf_source *source, uint64_t id, uint32_t device, bool again)
{
    static const struct gf_program nothing;
    struct gf_task *task = gf_task_new(&nothing);
    assert_non_null(task);
    task->request_id = id;
    task->device = device;
    gf_scheduler_push(source, task, again);
    return task;
}

static struct gf_task *next(struct gf_scheduler *s, uint32_t device)
{
    return gf_scheduler_next(s, device, on_device, &device);
}

/* Runs the next task of device 0 at a cost of `ns`. Returns its id. */
static uint64_t run(struct gf_scheduler *s, uint64_t ns)
{
    struct gf_task *task = next(s, 0);
    assert_non_null(task);
    uint64_t id = task->request_id;
    gf_scheduler_start(task, 0, ns);
    gf_scheduler_finish(task, 0, ns);
    gf_task_free(task);
    return id;
}

static void sim_add(struct sim *sim, uid_t uid, uint32_t device, uint64_t cost, uint64_t estimate)
{
    struct flood *f = &sim->floods[sim->n];
    *f = (struct flood){.device = device, .cost = cost, .estimate = estimate};
    assert_int_equal(gf_source_init(&f->source, &sim->s, uid, NULL), GF_OK);
    for (uint32_t i = 0; i < 4; i++)
        push(&f->source, sim->n, device, false);
    sim->n++;
}

/* Fills the device's queue to two tasks, then runs the oldest. */
static void sim_step(struct sim *sim, uint32_t device)
{
    struct gf_task **ahead = sim->ahead[device], *task;
    for (uint32_t i = 0; i < AHEAD; i++)
        if (!ahead[i] && (task = next(&sim->s, device))) {
            gf_scheduler_start(task, device, sim->floods[task->request_id].estimate);
            ahead[i] = task;
        }
    assert_non_null(ahead[0]); /* a task always waits */
    struct flood *f = &sim->floods[ahead[0]->request_id];
    sim->clock[device] += f->cost;
    f->served += f->cost;
    gf_scheduler_finish(ahead[0], device, f->cost);
    push(&f->source, ahead[0]->request_id, device, false);
    gf_task_free(ahead[0]);
    ahead[0] = ahead[1];
    ahead[1] = NULL;
}

/* All devices work until that time. */
static void sim_run(struct sim *sim, uint64_t until)
{
    for (;;) {
        uint32_t device = DEVICES;
        for (uint32_t i = 0; i < DEVICES; i++) {
            bool used = false;
            for (uint32_t k = 0; k < sim->n; k++)
                used |= sim->floods[k].device == i;
            if (used && sim->clock[i] < until && (device == DEVICES || sim->clock[i] < sim->clock[device]))
                device = i;
        }
        if (device == DEVICES)
            return;
        sim_step(sim, device);
    }
}

static void sim_end(struct sim *sim)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        for (uint32_t k = 0; k < AHEAD; k++)
            if (sim->ahead[i][k]) {
                gf_scheduler_finish(sim->ahead[i][k], i, 0);
                gf_task_free(sim->ahead[i][k]);
            }
    for (uint32_t i = 0; i < sim->n; i++) {
        gf_list_each(it, after, &sim->floods[i].source.tasks)
        {
            struct gf_task *task = gf_container(it, struct gf_task, node);
            gf_scheduler_remove(task);
            gf_task_free(task);
        }
        gf_source_deinit(&sim->floods[i].source);
    }
    assert_int_equal(sim->s.n_queued, 0);
    gf_scheduler_deinit(&sim->s);
    assert_true(gf_list_empty(&sim->s.users));
    assert_true(gf_list_empty(&sim->s.idle_flows));
}

/* Jain's index of what floods from..to got; 1 is equal. */
static double jain(const struct sim *sim, uint32_t from, uint32_t to)
{
    double sum = 0, squares = 0;
    for (uint32_t i = from; i < to; i++) {
        double x = (double)sim->floods[i].served;
        sum += x;
        squares += x * x;
    }
    return sum * sum / ((to - from) * squares);
}

static void equal_floods_share_by_cost(void **state)
{
    UNUSED(state);
    struct sim sim = {0};
    gf_scheduler_init(&sim.s);
    for (uint32_t i = 0; i < 8; i++)
        sim_add(&sim, 1000 + i, 0, (1 + 7 * i) * MS, (1 + 7 * i) * MS);
    sim_run(&sim, 10000 * MS);
    assert_true(jain(&sim, 0, 8) >= 0.99);
    sim_end(&sim);
}

static void wrong_estimates_are_made_good(void **state)
{
    UNUSED(state);
    static const double wrong[8] = {0.01, 0.1, 0.5, 1, 1, 2, 10, 100};
    struct sim sim = {0};
    gf_scheduler_init(&sim.s);
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t cost = (1 + 3 * (7 - i)) * MS;
        sim_add(&sim, 1000 + i, 0, cost, (uint64_t)((double)cost * wrong[i]));
    }
    sim_run(&sim, 10000 * MS);
    assert_true(jain(&sim, 0, 8) >= 0.95);
    sim_end(&sim);
}

static void connections_share_what_their_user_gets(void **state)
{
    UNUSED(state);
    struct sim sim = {0};
    gf_scheduler_init(&sim.s);
    sim_add(&sim, 1, 0, 5 * MS, 5 * MS);
    for (uint32_t i = 0; i < 7; i++)
        sim_add(&sim, 2, 0, (1 + i) * MS, (1 + i) * MS);
    sim_run(&sim, 7000 * MS);
    uint64_t others = 0;
    for (uint32_t i = 1; i < 8; i++)
        others += sim.floods[i].served;
    assert_in_range(sim.floods[0].served, 3400 * MS, 3600 * MS);
    assert_in_range(others, 3400 * MS, 3600 * MS);
    assert_true(jain(&sim, 1, 8) >= 0.99);
    sim_end(&sim);
}

/* A user that waits only for another device does not affect the shares of this one. */
static void devices_are_shared_one_by_one(void **state)
{
    UNUSED(state);
    struct sim sim = {0};
    gf_scheduler_init(&sim.s);
    sim_add(&sim, 1, 0, 20 * MS, 20 * MS);
    sim_add(&sim, 2, 1, 50 * MS, 50 * MS);
    sim_add(&sim, 3, 1, MS, MS);
    sim_run(&sim, 20000 * MS);
    assert_in_range(sim.floods[0].served, 20000 * MS, 20100 * MS);
    assert_true(jain(&sim, 1, 3) >= 0.99);
    /* A fourth user that comes late gets its share at once. */
    sim_add(&sim, 4, 1, MS, MS);
    sim_run(&sim, 21000 * MS);
    assert_in_range(sim.floods[3].served, 270 * MS, 400 * MS);
    sim_end(&sim);
}

static void who_comes_late_has_no_credit(void **state)
{
    UNUSED(state);
    struct sim sim = {0};
    gf_scheduler_init(&sim.s);
    sim_add(&sim, 1, 0, 2 * MS, 2 * MS);
    sim_run(&sim, 10000 * MS);
    uint64_t before = sim.floods[0].served;
    sim_add(&sim, 2, 0, 2 * MS, 2 * MS);
    sim_run(&sim, 10200 * MS);
    assert_in_range(sim.floods[0].served - before, 90 * MS, 110 * MS);
    assert_in_range(sim.floods[1].served, 90 * MS, 110 * MS);
    sim_end(&sim);
}

static void a_light_user_is_next(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source hog, light;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&hog, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&light, &s, 2, NULL), GF_OK);
    for (uint64_t i = 0; i < 100; i++)
        push(&hog, 1, 0, false);
    for (uint64_t i = 0; i < 20; i++) {
        assert_int_equal(run(&s, 50 * MS), 1);
        push(&light, 2, 0, false);
        assert_int_equal(run(&s, MS / 10), 2);
    }
    /* It is not first for ever: what it got counts too. */
    for (uint64_t i = 0; i < 100; i++)
        push(&light, 2, 0, false);
    assert_int_equal(run(&s, 500 * MS), 2);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(run(&s, 50 * MS), 1);
    assert_int_equal(run(&s, 50 * MS), 2);
    struct gf_task *task;
    while ((task = next(&s, 0)) != NULL) {
        gf_scheduler_remove(task);
        gf_task_free(task);
    }
    gf_source_deinit(&hog);
    gf_source_deinit(&light);
    gf_scheduler_deinit(&s);
}

static void who_had_much_more_may_not_pass(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source a, second, b;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&a, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&second, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&b, &s, 2, NULL), GF_OK);
    for (uint64_t i = 0; i < 3; i++)
        push(&a, 1, 0, false);
    struct gf_task *of_b = push(&b, 2, 0, false), *of_second = push(&second, 3, 0, false);
    push(&b, 2, 0, false);
    assert_int_equal(run(&s, 10 * MS), 1);
    struct gf_task *of_a = gf_container(a.tasks.next, struct gf_task, node);
    assert_true(gf_scheduler_may_pass(of_a, of_b, 0));
    assert_true(gf_scheduler_may_pass(of_b, of_a, 0));
    assert_true(gf_scheduler_may_pass(of_a, of_second, 0));
    gf_scheduler_start(of_a, 0, MS);
    gf_scheduler_finish(of_a, 0, MS);
    gf_task_free(of_a);
    of_a = gf_container(a.tasks.next, struct gf_task, node);
    assert_false(gf_scheduler_may_pass(of_a, of_b, 0));
    assert_false(gf_scheduler_may_pass(of_a, of_second, 0)); /* of the same user */
    assert_true(gf_scheduler_may_pass(of_a, of_b, 1));       /* another device */
    assert_int_equal(run(&s, 2 * MS), 2);
    of_b = gf_container(b.tasks.next, struct gf_task, node);
    assert_true(gf_scheduler_may_pass(of_a, of_b, 0));
    while ((of_a = next(&s, 0)) != NULL) {
        gf_scheduler_remove(of_a);
        gf_task_free(of_a);
    }
    gf_source_deinit(&a);
    gf_source_deinit(&second);
    gf_source_deinit(&b);
    gf_scheduler_deinit(&s);
}

static void equals_take_turns(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source hog, second, light;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&hog, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&second, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&light, &s, 2, NULL), GF_OK);
    for (uint64_t i = 0; i < 4; i++)
        push(&hog, 100 + i, 0, false);
    push(&second, 200, 0, false);
    push(&light, 300, 0, false);
    push(&light, 301, 0, false);
    static const uint64_t order[] = {100, 300, 200, 301, 101, 102, 103};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        assert_int_equal(run(&s, MS), order[i]);
    assert_null(next(&s, 0));
    assert_int_equal(s.n_queued, 0);
    gf_source_deinit(&hog);
    gf_source_deinit(&second);
    gf_source_deinit(&light);
    gf_scheduler_deinit(&s);
}

/* Work that is no task counts as service, for a user without a connection too. */
static void charges_count_as_service(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source charged, other, late;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&charged, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&other, &s, 2, NULL), GF_OK);
    for (uint64_t i = 0; i < 3; i++) {
        push(&charged, 1, 0, false);
        push(&other, 2, 0, false);
    }
    gf_scheduler_charge(&s, 1, 0, 2 * MS);
    gf_scheduler_charge(&s, 2, 1, 50 * MS); /* of another device */
    gf_scheduler_charge(&s, 3, 0, 50 * MS);
    assert_int_equal(gf_source_init(&late, &s, 3, NULL), GF_OK);
    push(&late, 3, 0, false);
    static const uint64_t order[] = {2, 2, 1, 2, 1, 1, 3};
    for (size_t i = 0; i < GF_ARRAY_LEN(order); i++)
        assert_int_equal(run(&s, MS), order[i]);
    gf_source_deinit(&charged);
    gf_source_deinit(&other);
    gf_source_deinit(&late);
    gf_scheduler_deinit(&s);
}

static void a_task_that_waits_lets_others_pass(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source source;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&source, &s, 1, NULL), GF_OK);
    push(&source, 1, 0, false);
    push(&source, 2, 1, false);
    push(&source, 3, 0, false);
    struct gf_task *task = next(&s, 1);
    assert_int_equal(task->request_id, 2);
    gf_scheduler_remove(task);
    gf_task_free(task);
    assert_null(next(&s, 1));
    push(&source, 4, 0, true); /* again: before all others */
    assert_int_equal(run(&s, MS), 4);
    assert_int_equal(run(&s, MS), 1);
    assert_int_equal(run(&s, MS), 3);
    gf_source_deinit(&source);
    gf_scheduler_deinit(&s);
}

/* The time that a user has used is not forgotten when it closes its connection and comes back. */
static void a_new_connection_is_no_new_user(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source runaway, other;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&runaway, &s, 1, NULL), GF_OK);
    assert_int_equal(gf_source_init(&other, &s, 2, NULL), GF_OK);
    struct gf_task *task = push(&runaway, 1, 0, false);
    for (uint64_t i = 0; i < 5; i++)
        push(&other, 2, 0, false);
    assert_ptr_equal(next(&s, 0), task);
    gf_scheduler_start(task, 0, MS);
    task->source = NULL;
    gf_source_deinit(&runaway);
    gf_scheduler_finish(task, 0, 50 * MS); /* much more than was thought */
    gf_task_free(task);
    assert_int_equal(gf_source_init(&runaway, &s, 1, NULL), GF_OK);
    push(&runaway, 1, 0, false);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(run(&s, 12 * MS), 2);
    assert_int_equal(run(&s, 12 * MS), 2);
    assert_int_equal(run(&s, 12 * MS), 1);
    gf_source_deinit(&runaway);
    gf_source_deinit(&other);
    gf_scheduler_deinit(&s);
}

/* Whatever comes and goes, every queued task runs in the end, and the tasks of a connection run in order. */
static void nothing_is_lost_or_left(void **state)
{
    UNUSED(state);
    struct gf_prng random = {.state = 7};
    struct gf_scheduler s;
    struct gf_source sources[6];
    uint64_t last[6] = {0}, number = 0, queued = 0, done = 0;
    gf_scheduler_init(&s);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(gf_source_init(&sources[i], &s, i / 2, NULL), GF_OK);
    for (uint32_t round = 0; round < 20000 || s.n_queued > 0; round++) {
        uint32_t what = gf_prng_below(&random, round < 20000 ? 3 : 1);
        uint32_t i = gf_prng_below(&random, 6);
        struct gf_source *source = &sources[i];
        if (what == 1) {
            push(source, ++number, i, false);
            queued++;
        } else if (what == 2 && !gf_list_empty(&source->tasks)) {
            struct gf_task *task = gf_container(source->tasks.prev, struct gf_task, node);
            gf_scheduler_remove(task); /* cancelled */
            gf_task_free(task);
            done++;
        } else if (what == 0) {
            uint32_t device = gf_prng_below(&random, 6);
            struct gf_task *task = next(&s, device);
            assert_int_equal(task == NULL, gf_list_empty(&sources[device].tasks));
            if (!task)
                continue;
            assert_true(task->request_id > last[device]);
            last[device] = task->request_id;
            gf_scheduler_start(task, device, gf_prng_below(&random, 100) * MS);
            gf_scheduler_finish(task, device, gf_prng_below(&random, 100) * MS);
            gf_task_free(task);
            done++;
        }
        assert_int_equal(s.n_queued, queued - done);
    }
    for (uint32_t i = 0; i < 6; i++)
        gf_source_deinit(&sources[i]);
    gf_scheduler_deinit(&s);
    assert_true(gf_list_empty(&s.idle_flows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_floods_share_by_cost),
        cmocka_unit_test(wrong_estimates_are_made_good),
        cmocka_unit_test(connections_share_what_their_user_gets),
        cmocka_unit_test(devices_are_shared_one_by_one),
        cmocka_unit_test(who_comes_late_has_no_credit),
        cmocka_unit_test(a_light_user_is_next),
        cmocka_unit_test(who_had_much_more_may_not_pass),
        cmocka_unit_test(charges_count_as_service),
        cmocka_unit_test(equals_take_turns),
        cmocka_unit_test(a_task_that_waits_lets_others_pass),
        cmocka_unit_test(a_new_connection_is_no_new_user),
        cmocka_unit_test(nothing_is_lost_or_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
