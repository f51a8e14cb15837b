/* SPDX-License-Identifier: MIT */
/* Turns: users, then their connections; order within a connection, except past a task that has to wait. */
#include "server/front/scheduler.h"

#include "unit.h"

static bool any(void *data, struct gf_task *task)
{
    UNUSED(data);
    UNUSED(task);
    return true;
}

static bool on_device(void *data, struct gf_task *task)
{
    return task->device == *(uint32_t *)data;
}

static void push(struct gf_source *source, uint64_t id, uint32_t device, bool again)
{
    static const struct gf_program nothing;
    struct gf_task *task = gf_task_new(&nothing);
    assert_non_null(task);
    task->request_id = id;
    task->device = device;
    gf_scheduler_push(source, task, again);
}

static void expect(struct gf_scheduler *s, uint64_t id)
{
    struct gf_task *task = gf_scheduler_next(s, any, NULL);
    assert_non_null(task);
    assert_int_equal(task->request_id, id);
    gf_task_free(task);
}

static void users_take_turns_and_so_do_connections(void **state)
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
        expect(&s, order[i]);
    assert_null(gf_scheduler_next(&s, any, NULL));
    assert_int_equal(s.n_queued, 0);
    gf_source_deinit(&hog);
    gf_source_deinit(&second);
    gf_source_deinit(&light);
    assert_true(gf_list_empty(&s.users));
}

static void a_task_that_waits_lets_others_pass(void **state)
{
    UNUSED(state);
    struct gf_scheduler s;
    struct gf_source source;
    uint32_t device = 1;
    gf_scheduler_init(&s);
    assert_int_equal(gf_source_init(&source, &s, 1, NULL), GF_OK);
    push(&source, 1, 0, false);
    push(&source, 2, 1, false);
    push(&source, 3, 0, false);
    struct gf_task *task = gf_scheduler_next(&s, on_device, &device);
    assert_int_equal(task->request_id, 2);
    gf_task_free(task);
    assert_null(gf_scheduler_next(&s, on_device, &device));
    push(&source, 4, 0, true); /* again: before all others */
    expect(&s, 4);
    expect(&s, 1);
    expect(&s, 3);
    gf_source_deinit(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_take_turns_and_so_do_connections),
        cmocka_unit_test(a_task_that_waits_lets_others_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
