/* SPDX-License-Identifier: MIT */
/* kernels/admission lock: jobs that share a device, jobs that have it alone, and jobs that give up waiting. */
#include "kernels/admission.h"

#include <sched.h>

#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

/* A thread with a job that enters, records the order of entries, and leaves. */
struct visitor {
    struct gf_admission *admission;
    struct gf_job job;
    bool alone, cancel;
    enum gf_status status;
    struct gf_error err;
    uint32_t *entries; /* counts the entries of all visitors; the admission lock protects it if alone */
    uint32_t entry;
    pthread_t thread;
};

static void *visit(void *arg)
{
    struct visitor *v = arg;
    v->status = gf_admission_enter(v->admission, v->alone, &v->job, &v->err);
    if (v->status != GF_OK)
        return NULL;
    v->entry = __atomic_add_fetch(v->entries, 1, __ATOMIC_SEQ_CST);
    gf_admission_leave(v->admission);
    return NULL;
}

/* Comes back once it waits as the last of `waiting`. */
static void visitor_start(struct visitor *v, struct gf_admission *admission, bool alone, uint32_t *entries,
                          uint32_t waiting)
{
    v->admission = admission;
    v->alone = alone;
    v->entries = entries;
    v->job.cancel = &v->cancel;
    assert_int_equal(pthread_create(&v->thread, NULL, visit, v), 0);
    while (gf_admission_waiting(admission) < waiting)
        (void)sched_yield();
}

static enum gf_status visitor_end(struct visitor *v)
{
    assert_int_equal(pthread_join(v->thread, NULL), 0);
    return v->status;
}

static void enter(struct gf_admission *admission, bool alone)
{
    struct gf_job job = {.n_steps = 0};
    assert_int_equal(gf_admission_enter(admission, alone, &job, NULL), GF_OK);
}

static void jobs_share_it(void **state)
{
    UNUSED(state);
    struct gf_admission admission;
    gf_admission_init(&admission);
    enter(&admission, false);
    enter(&admission, false);
    assert_int_equal(gf_admission_waiting(&admission), 0);
    gf_admission_leave(&admission);
    gf_admission_leave(&admission);
    enter(&admission, true);
    gf_admission_leave(&admission);
    gf_admission_deinit(&admission);
}

/* Shared and exclusive jobs enter in the order of their arrival. */
static void nobody_is_overtaken(void **state)
{
    UNUSED(state);
    struct gf_admission admission;
    struct visitor alone = {.entry = 0}, later = {.entry = 0}, last = {.entry = 0};
    uint32_t entries = 0;
    gf_admission_init(&admission);
    enter(&admission, false);
    visitor_start(&alone, &admission, true, &entries, 1);
    visitor_start(&later, &admission, false, &entries, 2);
    visitor_start(&last, &admission, true, &entries, 3);
    gf_admission_leave(&admission);
    assert_int_equal(visitor_end(&alone), GF_OK);
    assert_int_equal(visitor_end(&later), GF_OK);
    assert_int_equal(visitor_end(&last), GF_OK);
    assert_int_equal(alone.entry, 1);
    assert_int_equal(later.entry, 2);
    assert_int_equal(last.entry, 3);
    assert_int_equal(admission.inside, 0);
    gf_admission_deinit(&admission);
}

/* A job that is cancelled while it waits does not wait for the jobs inside, and others no longer wait for it. */
static void cancelled_while_waiting(void **state)
{
    UNUSED(state);
    struct gf_admission admission;
    struct visitor alone = {.entry = 0}, shared = {.entry = 0};
    uint32_t entries = 0;
    gf_admission_init(&admission);
    enter(&admission, false);
    visitor_start(&alone, &admission, true, &entries, 1);
    visitor_start(&shared, &admission, false, &entries, 2);
    __atomic_store_n(&alone.cancel, true, __ATOMIC_RELAXED);
    assert_int_equal(visitor_end(&alone), GF_E_CANCELLED);
    assert_string_equal(alone.err.text, "cancelled");
    assert_int_equal(visitor_end(&shared), GF_OK);
    assert_int_equal(gf_admission_waiting(&admission), 0);
    assert_int_equal(admission.inside, 1);
    gf_admission_leave(&admission);
    enter(&admission, true);
    gf_admission_leave(&admission);
    gf_admission_deinit(&admission);
}

static void late_while_waiting(void **state)
{
    UNUSED(state);
    struct gf_admission admission;
    struct gf_error err = {0};
    struct gf_job job = {.deadline_ns = gf_now_ns() + 3 * GF_NS_PER_MS};
    gf_admission_init(&admission);
    enter(&admission, true);
    assert_int_equal(gf_admission_enter(&admission, false, &job, &err), GF_E_DEADLINE);
    assert_int_equal(gf_admission_enter(&admission, true, &job, &err), GF_E_DEADLINE);
    assert_true(gf_now_ns() >= job.deadline_ns);
    gf_admission_leave(&admission);
    assert_int_equal(gf_admission_waiting(&admission), 0);
    gf_admission_deinit(&admission);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_share_it),
        cmocka_unit_test(nobody_is_overtaken),
        cmocka_unit_test(cancelled_while_waiting),
        cmocka_unit_test(late_while_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
