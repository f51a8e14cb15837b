/* SPDX-License-Identifier: MIT */
/* Slots of staging: aligned, disjoint, joined again, cleared between users, within the limit. */
#include "server/front/resource/staging.h"

#include <string.h>
#include <sys/resource.h>

#include "tests/support/prng.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define SEGMENT 65536u

struct fixture {
    struct gf_memories memories;
    struct gf_staging staging;
    unsigned gone;
    int fds;
};

static void on_gone(void *data, const struct gf_memory *memory)
{
    UNUSED(memory);
    ((struct fixture *)data)->gone++;
}

static int setup(void **state)
{
    static struct fixture f;
    f.gone = 0;
    f.fds = gf_fd_count();
    gf_memories_init(&f.memories);
    f.memories.gone = on_gone;
    f.memories.data = &f;
    gf_staging_init(&f.staging, &f.memories, SEGMENT, 4 * SEGMENT);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_staging_deinit(&f->staging);
    assert_true(gf_list_empty(&f->memories.list));
    assert_int_equal(gf_fd_count(), f->fds);
    return 0;
}

static struct gf_slot *take(struct fixture *f, uint64_t size, uid_t uid)
{
    struct gf_slot *slot = NULL;
    struct gf_error error = {0};
    assert_int_equal(gf_staging_take(&f->staging, size, uid, NULL, &slot, &error), GF_OK);
    assert_true(slot->size >= size);
    assert_int_equal(slot->offset % GF_STAGING_ALIGN, 0);
    return slot;
}

static void slots_are_joined_again(void **state)
{
    struct fixture *f = *state;
    struct gf_slot *slots[16];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 16; i++)
            slots[i] = take(f, 4000, 1);
        assert_int_equal(f->staging.total, SEGMENT);
        for (int i = 0; i < 16; i++)
            gf_staging_release(slots[(i * 7) % 16]);
        struct gf_slot *all = take(f, SEGMENT, 1); /* in one piece */
        assert_int_equal(all->offset, 0);
        gf_staging_release(all);
    }
    assert_int_equal(f->staging.total, SEGMENT);
}

static void slots_never_overlap(void **state)
{
    struct fixture *f = *state;
    struct gf_prng prng = {7};
    struct gf_slot *slots[20] = {NULL};
    for (int i = 0; i < 3000; i++) {
        uint32_t at = gf_prng_below(&prng, 20);
        if (slots[at]) {
            const uint8_t *data = gf_slot_data(slots[at]);
            for (uint64_t k = 0; k < slots[at]->size; k += 512)
                assert_int_equal(data[k], at + 1);
            gf_staging_release(slots[at]);
            slots[at] = NULL;
        } else if (gf_staging_take(&f->staging, 1 + gf_prng_below(&prng, 30000), 1, NULL, &slots[at], NULL) == GF_OK)
            memset(gf_slot_data(slots[at]), (int)at + 1, slots[at]->size);
        assert_true(f->staging.total <= f->staging.max);
    }
    for (int i = 0; i < 20; i++)
        gf_staging_release(slots[i]);
}

static void another_users_data_is_cleared(void **state)
{
    struct fixture *f = *state;
    struct gf_slot *a = take(f, 8192, 1), *b = take(f, 8192, 2);
    memset(gf_slot_data(a), 0xA5, a->size);
    memset(gf_slot_data(b), 0x5A, b->size);
    gf_staging_release(a);
    a = take(f, 8192, 1);
    assert_int_equal(gf_slot_data(a)[100], 0xA5); /* its own may stay */
    gf_staging_release(a);
    gf_staging_release(b); /* joined: two owners */
    a = take(f, SEGMENT, 2);
    for (uint64_t i = 0; i < a->size; i++)
        assert_int_equal(gf_slot_data(a)[i], 0);
    gf_staging_release(a);
}

static void large_slots_get_a_segment_and_full_staging_says_busy(void **state)
{
    struct fixture *f = *state;
    struct gf_slot *slot;
    struct gf_error error = {0};
    struct gf_slot *big = take(f, 3 * SEGMENT, 1), *small = take(f, 100, 1);
    assert_int_equal(f->staging.total, 4 * SEGMENT);
    assert_int_equal(gf_staging_take(&f->staging, SEGMENT, 1, NULL, &slot, &error), GF_E_BUSY);
    assert_int_equal(gf_staging_take(&f->staging, 4 * SEGMENT + 1, 1, NULL, &slot, &error), GF_E_TOO_LARGE);
    gf_staging_release(big);
    gf_staging_release(small);
    big = take(f, 4 * SEGMENT, 1); /* idle segments make room */
    assert_int_equal(f->gone, 2);
    assert_int_equal(f->staging.total, 4 * SEGMENT);
    gf_staging_release(big);
}

/* As much as an ordinary segment has is kept. */
static void small_segments_are_kept_together(void **state)
{
    struct fixture *f = *state;
    gf_staging_warm(&f->staging, SEGMENT / 4);
    gf_staging_release(take(f, SEGMENT / 2, 1000));
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2);
    struct gf_slot *slot = take(f, SEGMENT / 2, 1000);
    gf_staging_release(take(f, SEGMENT, 1000));
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2);
    gf_staging_release(slot);
}

/* Segments start small. Each is twice the last one, or as large as one request needs. */
static void segments_double_up_to_the_ordinary(void **state)
{
    struct fixture *f = *state;
    struct gf_slot *slots[5];
    gf_staging_warm(&f->staging, SEGMENT / 4);
    assert_int_equal(f->staging.total, SEGMENT / 4);
    slots[0] = take(f, SEGMENT / 4, 1000);
    assert_int_equal(f->staging.total, SEGMENT / 4);
    slots[1] = take(f, GF_STAGING_ALIGN, 1000);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2);
    slots[2] = take(f, SEGMENT / 2, 1000);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2 + SEGMENT);
    slots[3] = take(f, SEGMENT, 1000);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2 + 2 * SEGMENT);
    slots[4] = take(f, SEGMENT / 2 + GF_STAGING_ALIGN, 1000);
    assert_int_equal(f->staging.total, SEGMENT / 4 + SEGMENT / 2 + 3 * SEGMENT);
    for (int i = 0; i < 5; i++)
        gf_staging_release(slots[i]);
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, SEGMENT / 4); /* any one more would make it too much */
}

static void idle_segments_are_given_back_but_one(void **state)
{
    struct fixture *f = *state;
    struct gf_slot *a = take(f, SEGMENT, 1), *b = take(f, SEGMENT, 1), *c = take(f, SEGMENT, 1);
    gf_staging_release(a);
    gf_staging_release(b);
    gf_staging_trim(&f->staging, 0);
    assert_int_equal(f->staging.total, 3 * SEGMENT);
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, 2 * SEGMENT); /* the first stays, and the one in use */
    gf_staging_release(c);
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, SEGMENT);
}

/* The segment of a large frame is released although small requests would fit into it, and although it is the first. */
static void a_large_segment_is_left_to_large_slots(void **state)
{
    struct fixture *f = *state;
    gf_staging_release(take(f, 2 * SEGMENT, 1));
    struct gf_slot *small = take(f, 100, 1);
    assert_int_equal(f->staging.total, 3 * SEGMENT);
    struct gf_slot *large = take(f, 2 * SEGMENT, 1);
    assert_int_equal(f->staging.total, 3 * SEGMENT);
    gf_staging_release(large);
    gf_staging_trim(&f->staging, UINT64_MAX);
    assert_int_equal(f->staging.total, SEGMENT);
    gf_staging_release(small);
}

static void full_staging_takes_from_large_segments_too(void **state)
{
    struct fixture *f = *state;
    gf_staging_release(take(f, 4 * SEGMENT, 1));
    struct gf_slot *large = take(f, 3 * SEGMENT, 1), *small = take(f, SEGMENT, 1);
    assert_ptr_equal(small->segment, large->segment);
    gf_staging_release(large);
    gf_staging_release(small);
}

/* Counts the callbacks that announce a prepared slot, and keeps the last status. */
struct client {
    uint32_t n_told;
    enum gf_status status;
};

static void on_prepared(void *data, void *waiter, const struct gf_error *error)
{
    struct client *c = waiter;
    UNUSED(data);
    c->n_told++;
    c->status = error ? error->status : GF_OK;
}

static void on_changed(void *data)
{
    ++*(uint32_t *)data;
}

#define LARGE ((uint64_t)4 << 20)

/* The same with a loop and its threads. */
struct threads {
    struct gf_memories memories;
    struct gf_staging staging;
    uv_loop_t loop;
    uint32_t n_changed;
};

static int setup_threads(void **state)
{
    static struct threads t;
    t = (struct threads){0};
    assert_int_equal(uv_loop_init(&t.loop), 0);
    gf_memories_init(&t.memories);
    gf_staging_init(&t.staging, &t.memories, LARGE, 4 * LARGE);
    t.staging.prepared = on_prepared;
    t.staging.changed = on_changed;
    t.staging.data = &t.n_changed;
    gf_staging_start(&t.staging, &t.loop);
    *state = &t;
    return 0;
}

static int teardown_threads(void **state)
{
    struct threads *t = *state;
    uv_run(&t->loop, UV_RUN_DEFAULT);
    gf_staging_deinit(&t->staging);
    assert_true(gf_list_empty(&t->memories.list));
    assert_int_equal(uv_loop_close(&t->loop), 0);
    return 0;
}

static struct gf_slot *ask(struct threads *t, uint64_t size, uid_t uid, struct client *c)
{
    struct gf_slot *slot = NULL;
    assert_int_equal(gf_staging_take(&t->staging, size, uid, c, &slot, NULL), GF_OK);
    return slot;
}

/* A slot of so many bytes of the user, ready. */
static struct gf_slot *get(struct threads *t, uint64_t size, uid_t uid)
{
    struct client c = {0};
    struct gf_slot *slot = ask(t, size, uid, &c);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_false(slot->pending);
    assert_int_equal(c.status, GF_OK);
    return slot;
}

static void large_segments_are_made_by_threads(void **state)
{
    struct threads *t = *state;
    struct client c = {0};
    struct gf_slot *slot = ask(t, 100, 1, &c), *other = NULL;
    assert_true(slot->pending);
    assert_int_equal(c.n_told, 0);
    assert_int_equal(t->staging.total, LARGE);
    /* A user prepares one segment at a time; another user gets another segment. */
    assert_false(gf_staging_fits(&t->staging, 100, 1));
    assert_false(gf_staging_is_full(&t->staging, 100));
    assert_int_equal(gf_staging_take(&t->staging, 100, 1, &c, &other, NULL), GF_E_BUSY);
    assert_true(gf_staging_fits(&t->staging, 100, 2));
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_int_equal(c.n_told, 1);
    assert_int_equal(t->n_changed, 1);
    assert_false(slot->pending);
    memset(gf_slot_data(slot), 1, 100);
    other = ask(t, 100, 1, &c);
    assert_false(other->pending);
    assert_ptr_equal(other->segment, slot->segment);
    gf_staging_release(slot);
    gf_staging_release(other);
}

static void large_slots_are_cleared_by_threads(void **state)
{
    struct threads *t = *state;
    struct client c = {0};
    struct gf_slot *slot = get(t, LARGE, 1);
    memset(gf_slot_data(slot), 0xA5, LARGE);
    gf_staging_release(slot);
    slot = ask(t, LARGE, 1, &c); /* its own need not be */
    assert_false(slot->pending);
    assert_int_equal(gf_slot_data(slot)[5], 0xA5);
    gf_staging_release(slot);
    slot = ask(t, LARGE, 2, &c);
    assert_true(slot->pending);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_int_equal(c.n_told, 1);
    for (uint64_t i = 0; i < LARGE; i++)
        assert_int_equal(gf_slot_data(slot)[i], 0);
    gf_staging_release(slot);
    slot = ask(t, 4096, 3, &c); /* small ones are, at once */
    assert_false(slot->pending);
    gf_staging_release(slot);
}

/* A client that hangs up during the preparation leaves neither memory nor data behind. */
static void released_while_it_is_prepared(void **state)
{
    struct threads *t = *state;
    struct client c = {0};
    gf_staging_release(ask(t, LARGE, 1, &c));
    assert_int_equal(t->staging.used, LARGE); /* until the thread is done */
    uv_run(&t->loop, UV_RUN_DEFAULT);
    struct gf_slot *slot = get(t, LARGE, 1);
    memset(gf_slot_data(slot), 0xA5, LARGE);
    gf_staging_release(slot);
    gf_staging_release(ask(t, LARGE, 2, &c));
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_int_equal(c.n_told, 0);
    assert_int_equal(t->staging.used, 0);
    for (uid_t uid = 2; uid < 4; uid++) {
        slot = get(t, LARGE, uid);
        for (uint64_t i = 0; i < LARGE; i++)
            assert_int_equal(gf_slot_data(slot)[i], 0);
        gf_staging_release(slot);
    }
}

static void what_cannot_be_made_is_told(void **state)
{
    struct threads *t = *state;
    struct client c = {0}, d = {0};
    struct rlimit none = {0}, before;
    getrlimit(RLIMIT_NOFILE, &before);
    none.rlim_max = before.rlim_max;
    struct gf_slot *slot = ask(t, LARGE, 1, &c); /* which may still find a descriptor */
    setrlimit(RLIMIT_NOFILE, &none);
    struct gf_slot *late = ask(t, LARGE, 2, &d);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(c.n_told + d.n_told, 2);
    assert_int_equal(d.status, GF_E_RESOURCE_FDS);
    gf_staging_release(late);
    gf_staging_release(slot);
    assert_int_equal(t->staging.used, 0);
    gf_staging_release(get(t, LARGE, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slots_are_joined_again, setup, teardown),
        cmocka_unit_test_setup_teardown(slots_never_overlap, setup, teardown),
        cmocka_unit_test_setup_teardown(another_users_data_is_cleared, setup, teardown),
        cmocka_unit_test_setup_teardown(large_slots_get_a_segment_and_full_staging_says_busy, setup, teardown),
        cmocka_unit_test_setup_teardown(small_segments_are_kept_together, setup, teardown),
        cmocka_unit_test_setup_teardown(segments_double_up_to_the_ordinary, setup, teardown),
        cmocka_unit_test_setup_teardown(idle_segments_are_given_back_but_one, setup, teardown),
        cmocka_unit_test_setup_teardown(a_large_segment_is_left_to_large_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(full_staging_takes_from_large_segments_too, setup, teardown),
        cmocka_unit_test_setup_teardown(large_segments_are_made_by_threads, setup_threads, teardown_threads),
        cmocka_unit_test_setup_teardown(large_slots_are_cleared_by_threads, setup_threads, teardown_threads),
        cmocka_unit_test_setup_teardown(released_while_it_is_prepared, setup_threads, teardown_threads),
        cmocka_unit_test_setup_teardown(what_cannot_be_made_is_told, setup_threads, teardown_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
