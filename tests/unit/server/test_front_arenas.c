/* SPDX-License-Identifier: MIT */
/* The table of arenas: numbers, limits, charges and how long they last. Bad descriptors are tested in tests/daemon. */
#include "server/front/resource/arenas.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static int memfd(size_t size)
{
    int fd = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(posix_fallocate(fd, 0, (off_t)size), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    return fd;
}

static void numbers_limits_and_charges(void **state)
{
    UNUSED(state);
    int before = gf_fd_count();
    struct gf_memories memories;
    struct gf_arenas arenas;
    struct gf_quota quota = {
        .per_user = {[GF_RES_ARENA_COUNT] = 3, [GF_RES_ARENAS] = 20000, [GF_RES_PINNED] = 20000},
        .per_connection = {[GF_RES_ARENA_COUNT] = 2, [GF_RES_ARENAS] = 16384, [GF_RES_PINNED] = 8192}};
    struct gf_account *account = gf_account_new(&quota, 1);
    struct gf_error error = {0};
    struct gf_arena *arena;
    gf_memories_init(&memories);
    gf_arenas_init(&arenas);
    int fd = memfd(8192), second = memfd(4096), third = memfd(4096);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 7, 8192, fd, &error), GF_OK);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 7, 4096, second, &error), GF_E_EXISTS);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 8, 4097, second, &error), GF_E_BAD_ARENA);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 8, 0, second, &error), GF_E_BAD_ARENA);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 8, 4096, second, &error), GF_OK);
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 9, 4096, third, &error), GF_E_QUOTA);
    assert_string_equal(error.text, "the connection holds 2 arenas; 1 more would exceed the limit of 2 (arenas)");
    assert_int_equal(account->used[GF_RES_ARENAS], 12288);
    /* The first arena may be pinned; the second would exceed the limit. */
    assert_int_equal(account->used[GF_RES_PINNED], 8192);
    assert_int_equal(gf_arenas_find(&arenas, 8, &arena, &error), GF_OK);
    assert_false(arena->memory->pin);

    assert_int_equal(gf_arenas_find(&arenas, 9, &arena, &error), GF_E_NO_SUCH_ARENA);
    assert_int_equal(gf_arenas_find(&arenas, 7, &arena, &error), GF_OK);
    assert_true(arena->memory->pin);
    struct gf_memory *used = gf_memory_ref(arena->memory);
    gf_arenas_remove(&arenas, arena);
    assert_int_equal(account->used[GF_RES_ARENAS], 12288); /* a request uses it still */
    assert_int_equal(gf_arenas_add(&arenas, &memories, account, 7, 4096, third, &error), GF_OK);
    gf_memory_unref(used);
    assert_int_equal(account->used[GF_RES_ARENAS], 8192);
    gf_arenas_deinit(&arenas);
    assert_int_equal(account->used[GF_RES_ARENAS], 0);
    assert_int_equal(account->used[GF_RES_PINNED], 0);
    gf_account_unref(account);
    assert_true(gf_list_empty(&memories.list));
    assert_int_equal(gf_fd_count(), before); /* they were taken and closed */
}

static void the_users_quota_counts_over_connections(void **state)
{
    UNUSED(state);
    struct gf_memories memories;
    struct gf_arenas a, b;
    struct gf_quota quota = {.per_user = {[GF_RES_ARENA_COUNT] = 2, [GF_RES_ARENAS] = 8192},
                             .per_connection = {[GF_RES_ARENA_COUNT] = 2, [GF_RES_ARENAS] = 8192}};
    struct gf_account *one = gf_account_new(&quota, 1), *two = gf_account_new(&quota, 1);
    struct gf_error error = {0};
    gf_memories_init(&memories);
    gf_arenas_init(&a);
    gf_arenas_init(&b);
    assert_int_equal(gf_arenas_add(&a, &memories, one, 1, 8192, memfd(8192), &error), GF_OK);
    gf_cleanup(gf_closep) int fd = memfd(4096);
    assert_int_equal(gf_arenas_add(&b, &memories, two, 1, 4096, fd, &error), GF_E_QUOTA);
    assert_int_equal(error.needed, 4096);
    assert_int_equal(two->used[GF_RES_ARENA_COUNT], 0);
    assert_int_equal(one->user->used[GF_RES_ARENA_COUNT], 1);
    gf_arenas_deinit(&a);
    gf_arenas_deinit(&b);
    gf_account_unref(one);
    gf_account_unref(two);
}

/* A counter of 32 bits would begin again, and another memory would get the key of the staging memory. */
static void keys_never_come_again(void **state)
{
    UNUSED(state);
    struct gf_memories memories;
    struct gf_arenas arenas;
    struct gf_quota quota = {.per_user = {[GF_RES_ARENA_COUNT] = 4, [GF_RES_ARENAS] = 16384},
                             .per_connection = {[GF_RES_ARENA_COUNT] = 4, [GF_RES_ARENAS] = 16384}};
    struct gf_account *account = gf_account_new(&quota, 1);
    struct gf_arena *arena;
    gf_memories_init(&memories);
    gf_arenas_init(&arenas);
    memories.last_key = UINT32_MAX - 2;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(gf_arenas_add(&arenas, &memories, account, i, 4096, memfd(4096), NULL), GF_OK);
        assert_int_equal(gf_arenas_find(&arenas, i, &arena, NULL), GF_OK);
        assert_true(arena->memory->key == UINT32_MAX - UINT64_C(1) + i);
    }
    gf_arenas_deinit(&arenas);
    gf_account_unref(account);
}

/* Whether the kernel has cachestat(2), which Linux has since 6.5. */
static bool knows_pages_of_a_range(int fd)
{
    uint64_t range[2] = {0, 4096}, found[5];
    return syscall(451, fd, range, found, 0) == 0;
}

/* Blocks behind the end of a file do not make up for holes inside. */
static void blocks_behind_the_end_do_not_count(void **state)
{
    UNUSED(state);
    enum { SIZE = 1 << 20 };
    struct gf_memories memories;
    struct gf_arenas arenas;
    struct gf_quota quota = {.per_user = {[GF_RES_ARENA_COUNT] = 4, [GF_RES_ARENAS] = 4 * SIZE},
                             .per_connection = {[GF_RES_ARENA_COUNT] = 4, [GF_RES_ARENAS] = 4 * SIZE}};
    struct gf_account *account = gf_account_new(&quota, 1);
    struct gf_error error = {0};
    gf_memories_init(&memories);
    gf_arenas_init(&arenas);
    for (int inside = 0; inside < 2; inside++) {
        int fd = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        assert_int_equal(ftruncate(fd, SIZE - 100), 0);
        assert_int_equal(fallocate(fd, FALLOC_FL_KEEP_SIZE, inside ? 0 : SIZE, 2 * SIZE), 0);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
        bool refused = !inside && knows_pages_of_a_range(fd);
        assert_int_equal(gf_arenas_add(&arenas, &memories, account, 1, SIZE - 100, fd, &error),
                         refused ? GF_E_BAD_ARENA : GF_OK);
        if (refused)
            assert_string_equal(error.text,
                                "only 0 of 1048476 bytes are allocated; call fallocate before sending the memfd");
        if (refused)
            close(fd);
        gf_arenas_deinit(&arenas);
        gf_arenas_init(&arenas);
    }
    gf_arenas_deinit(&arenas);
    gf_account_unref(account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_limits_and_charges),
        cmocka_unit_test(the_users_quota_counts_over_connections),
        cmocka_unit_test(keys_never_come_again),
        cmocka_unit_test(blocks_behind_the_end_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
