/* SPDX-License-Identifier: MIT */
/* server/worker/mappings.c and pins.c: which mappings are pinned and which are unpinned for others, and how often. No
 * thread waits for the driver while it holds the lock. */
#include "server/worker/mappings.h"

#include <string.h>

#include "kernels/registry.h"
#include "protocol/base/shared_memory.h"
#include "server/worker/pins.h"
#include "tests/unit/unit.h"

#define SIZE 8192u

static struct {
    struct gf_mappings mappings;
    struct gf_backend backend;
    struct gf_device *device;
    uint32_t n_pins, n_unpins, n_held; /* with the lock held */
    uint32_t during;                   /* a key that is used and removed while the driver unpins; 0: none */
    uint64_t now_ns;
} g;

static uint64_t now(void)
{
    return g.now_ns;
}

static enum gf_status pin(struct gf_device *device, void *data, size_t size, struct gf_error *err)
{
    UNUSED(device), UNUSED(data), UNUSED(size), UNUSED(err);
    g.n_pins++;
    return GF_OK;
}

/* The driver takes its time, in which others go on. */
static void unpin(struct gf_device *device, void *data)
{
    UNUSED(device), UNUSED(data);
    g.n_unpins++;
    if (pthread_mutex_trylock(&g.mappings.lock) != 0) {
        g.n_held++;
        return;
    }
    pthread_mutex_unlock(&g.mappings.lock);
    if (g.during == 0)
        return;
    struct gf_mapping *mapping;
    void *at;
    assert_int_equal(gf_mappings_use(&g.mappings, g.during, 0, SIZE, &mapping, &at, NULL), GF_OK);
    memset(at, 7, SIZE);
    gf_mappings_remove(&g.mappings, g.during);
    gf_mappings_unuse(&g.mappings, mapping);
    g.during = 0;
}

static int setup(void **state)
{
    UNUSED(state);
    struct gf_device_options options = {.device = "cpu", .threads = 1};
    memset(&g, 0, sizeof g);
    assert_int_equal(gf_cpu_backend.open(&options, &g.device, NULL), GF_OK);
    g.backend = gf_cpu_backend;
    g.backend.pin = pin;
    g.backend.unpin = unpin;
    gf_mappings_init(&g.mappings, &g.backend, g.device, 2 * SIZE);
    g.mappings.now_ns = now;
    for (uint32_t key = 1; key <= 3; key++) {
        const struct gf_worker_map map = {.key = key, .size = SIZE};
        gf_cleanup(gf_closep) int fd = gf_shared_memory_open("test", SIZE);
        assert_int_equal(gf_mappings_add(&g.mappings, &map, fd, NULL), GF_OK);
    }
    return 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    gf_mappings_deinit(&g.mappings);
    gf_cpu_backend.close(g.device);
    return 0;
}

/* Twice, since the second use pays for the pin. */
static void work_with(uint32_t key)
{
    for (int i = 0; i < 2; i++) {
        struct gf_mapping *mapping;
        void *at;
        assert_int_equal(gf_mappings_use(&g.mappings, key, 0, SIZE, &mapping, &at, NULL), GF_OK);
        gf_mappings_pin(&g.mappings, mapping);
        gf_mappings_unuse(&g.mappings, mapping);
    }
}

static void the_oldest_gives_way_without_the_lock(void **state)
{
    UNUSED(state);
    work_with(1);
    work_with(2);
    assert_int_equal(g.n_pins, 2);
    assert_int_equal(g.mappings.pinned, 2 * SIZE);
    work_with(3);
    assert_int_equal(g.n_pins, 3);
    assert_int_equal(g.n_unpins, 1);
    assert_int_equal(g.n_held, 0);
    assert_int_equal(g.mappings.pinned, 2 * SIZE);
    work_with(2); /* still pinned */
    assert_int_equal(g.n_pins, 3);
}

/* Three clients in turn, each of which finds that another one's arena took its place. */
static void arenas_in_turn_are_not_pinned_all_the_time(void **state)
{
    UNUSED(state);
    enum { SECONDS = 60, PER_SECOND = 100 };
    for (uint32_t i = 0; i < SECONDS * PER_SECOND; i++) {
        work_with(1 + i % 3);
        g.now_ns += 1000000000 / PER_SECOND;
    }
    /* An arena is pinned once in ten seconds, and the first three pins are at the start. */
    assert_in_range(g.n_pins, 3, 3 * (1 + SECONDS / 10));
    assert_in_range(g.n_unpins, 1, g.n_pins - 2);
}

static void a_pin_has_to_be_earned(void **state)
{
    UNUSED(state);
    struct gf_pins pins = {.uses = 1};
    assert_false(gf_pins_earned(&pins, 0));
    pins.uses = 2;
    assert_true(gf_pins_earned(&pins, 0));
    pins.locked_ns = 5;
    gf_pins_evicted(&pins, 5 + GF_PIN_REST_NS); /* it was worth its pin */
    assert_false(gf_pins_earned(&pins, 5 + GF_PIN_REST_NS));
    pins.uses = 2;
    assert_true(gf_pins_earned(&pins, 5 + GF_PIN_REST_NS));
    gf_pins_evicted(&pins, 4 + GF_PIN_REST_NS);
    pins.uses = 1000;
    assert_false(gf_pins_earned(&pins, 3 + 2 * GF_PIN_REST_NS));
    assert_true(gf_pins_earned(&pins, 4 + 2 * GF_PIN_REST_NS));
}

static void what_is_removed_meanwhile_goes_afterwards(void **state)
{
    UNUSED(state);
    struct gf_mapping *mapping;
    void *at;
    work_with(1);
    work_with(2);
    g.during = 1;
    work_with(3);
    assert_int_equal(g.mappings.pinned, 2 * SIZE);
    assert_int_equal(gf_mappings_use(&g.mappings, 1, 0, SIZE, &mapping, &at, NULL), GF_E_NO_SUCH_ARENA);
}

static void what_is_in_use_stays_pinned(void **state)
{
    UNUSED(state);
    struct gf_mapping *held[2];
    void *at;
    work_with(1);
    work_with(2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(gf_mappings_use(&g.mappings, i + 1, 0, SIZE, &held[i], &at, NULL), GF_OK);
    work_with(3);
    assert_int_equal(g.n_pins, 2);
    assert_int_equal(g.n_unpins, 0);
    for (uint32_t i = 0; i < 2; i++)
        gf_mappings_unuse(&g.mappings, held[i]);
}

/* A key's low 32 bits alone do not name it. */
static void a_key_is_used_once(void **state)
{
    UNUSED(state);
    const struct gf_worker_map map = {.key = (UINT64_C(1) << 32) + 1, .size = SIZE};
    struct gf_mapping *mapping;
    struct gf_error err;
    void *at;
    gf_cleanup(gf_closep) int fd = gf_shared_memory_open("test", SIZE);
    assert_int_equal(gf_mappings_add(&g.mappings, &map, fd, NULL), GF_OK);
    assert_int_equal(gf_mappings_add(&g.mappings, &map, fd, &err), GF_E_INTERNAL);
    assert_string_equal(err.text, "worker: shared memory with key 4294967297 exists already");
    gf_mappings_remove(&g.mappings, map.key);
    assert_int_equal(gf_mappings_use(&g.mappings, map.key, 0, SIZE, &mapping, &at, NULL), GF_E_NO_SUCH_ARENA);
    assert_int_equal(gf_mappings_use(&g.mappings, 1, 0, SIZE, &mapping, &at, NULL), GF_OK);
    gf_mappings_unuse(&g.mappings, mapping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_oldest_gives_way_without_the_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(arenas_in_turn_are_not_pinned_all_the_time, setup, teardown),
        cmocka_unit_test(a_pin_has_to_be_earned),
        cmocka_unit_test_setup_teardown(what_is_removed_meanwhile_goes_afterwards, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_in_use_stays_pinned, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_is_used_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
