/* SPDX-License-Identifier: MIT */
/* Arenas and the blocks in them. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "client/lib/memory/memory.h"
#include "tests/support/resources.h"

#define MIB (1ull << 20)

static void *shared(struct gf_memory *m, uint64_t size)
{
    struct gf_block *b = NULL;
    struct gf_error err;
    assert_int_equal(gf_memory_shared(m, size, &b, &err), GF_OK);
    assert_int_equal(b->length, size);
    memset(b->data, 1, size);
    return b->data;
}

static void arena_is_sealed_and_whole(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    int fds = gf_fd_count();
    gf_memory_init(&m);
    shared(&m, 4 * MIB);
    struct stat st;
    assert_int_equal(fcntl(m.arenas->fd, F_GET_SEALS) & ~0x20, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    assert_int_equal(fcntl(m.arenas->fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fstat(m.arenas->fd, &st), 0);
    assert_int_equal(st.st_size, 16 * MIB);
    assert_true((uint64_t)st.st_blocks * 512 >= 16 * MIB);
    gf_memory_deinit(&m);
    assert_int_equal(gf_fd_count(), fds);
}

static void freed_blocks_are_used_again(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    gf_memory_init(&m);
    void *a = shared(&m, 5 * MIB), *b = shared(&m, 5 * MIB), *c = shared(&m, 5 * MIB);
    gf_memory_free(&m, b);
    assert_ptr_equal(shared(&m, 4096), b);
    gf_memory_free(&m, a);
    gf_memory_free(&m, b);
    assert_ptr_equal(shared(&m, 10 * MIB), a); /* joined */
    gf_memory_free(&m, c);
    gf_memory_free(&m, a);
    assert_ptr_equal(shared(&m, 16 * MIB), a);
    assert_int_equal(m.n_arenas, 1);
    gf_memory_deinit(&m);
}

/* Whole huge pages: room for four blocks, for fewer in 16 MiB, for the block alone, or as much as there was. */
static void arenas_have_room_and_grow(void **state)
{
    UNUSED(state);
    static const struct {
        uint64_t block, arena;
    } first[] = {{1, 2 * MIB},        {MIB / 2 + 1, 4 * MIB}, {3 * MIB, 12 * MIB},  {4 * MIB, 16 * MIB},
                 {6 * MIB, 12 * MIB}, {9 * MIB, 10 * MIB},    {16 * MIB, 16 * MIB}, {70 * MIB + 1, 72 * MIB}},
      later[] = {{16 * MIB, 16 * MIB}, {1, 16 * MIB}, {20 * MIB, 32 * MIB}, {70 * MIB + 1, 72 * MIB}};
    struct gf_memory m;
    for (size_t i = 0; i < GF_ARRAY_LEN(first); i++) {
        gf_memory_init(&m);
        shared(&m, first[i].block);
        assert_int_equal(m.arenas->size, first[i].arena);
        gf_memory_deinit(&m);
    }
    gf_memory_init(&m);
    for (size_t i = 0; i < GF_ARRAY_LEN(later); i++) {
        shared(&m, later[i].block);
        assert_int_equal(m.arenas->size, later[i].arena);
    }
    assert_int_equal(m.arena_bytes, 136 * MIB);
    gf_memory_deinit(&m);
}

static void limits_of_the_daemon_hold(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    struct gf_error err;
    struct gf_block *data = NULL;
    gf_memory_init(&m);
    m.max_arena_bytes = 20 * MIB;
    m.max_arenas = 2;
    shared(&m, 16 * MIB);
    assert_int_equal(gf_memory_shared(&m, 5 * MIB, &data, &err), GF_E_TOO_LARGE);
    shared(&m, MIB);
    assert_int_equal(m.arenas->size, 4 * MIB);
    m.max_arena_bytes = 100 * MIB;
    assert_int_equal(gf_memory_shared(&m, 5 * MIB, &data, &err), GF_E_TOO_LARGE);
    assert_int_equal(gf_memory_shared(&m, 0, &data, &err), GF_E_BAD_ARGUMENT);
    assert_int_equal(gf_memory_shared(&m, UINT64_MAX, &data, &err), GF_E_TOO_LARGE);
    assert_int_equal(gf_memory_plain(&m, UINT64_MAX, &data, &err), GF_E_TOO_LARGE);
    assert_null(data);
    gf_memory_deinit(&m);
}

static void addresses_are_found_in_their_block(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    gf_memory_init(&m);
    uint8_t *a = shared(&m, 5000), *b = shared(&m, 4096), local[16];
    struct gf_block *plain = NULL, *x = gf_memory_find(&m, a);
    assert_int_equal(gf_memory_plain(&m, 16, &plain, NULL), GF_OK);
    assert_ptr_equal(x->data, a);
    assert_ptr_equal(x->arena, m.arenas);
    assert_ptr_equal(gf_memory_find(&m, a + 8191), x);
    assert_ptr_equal(gf_memory_find(&m, a + 8192)->data, b);
    assert_ptr_equal(gf_memory_find(&m, plain->data + 15), plain);
    assert_null(plain->arena);
    assert_null(gf_memory_find(&m, local));
    assert_null(gf_memory_find(&m, NULL));
    /* What is no block may still lie in an arena. */
    assert_true(gf_memory_touches(&m, a, 1));
    assert_true(gf_memory_touches(&m, b + 4096, 1));
    assert_true(gf_memory_touches(&m, a - 1, 2));
    assert_false(gf_memory_touches(&m, a - 1, 1));
    assert_false(gf_memory_touches(&m, m.arenas->base + m.arenas->size, 1));
    assert_false(gf_memory_touches(&m, local, 16));
    assert_true(gf_memory_free(&m, b));
    assert_null(gf_memory_find(&m, b));
    assert_false(gf_memory_free(&m, b));
    assert_false(gf_memory_free(&m, local));
    assert_false(gf_memory_free(&m, a + 1));
    assert_false(gf_memory_free(&m, NULL));
    assert_true(gf_memory_free(&m, plain->data));
    gf_memory_deinit(&m);
}

static void a_block_in_use_is_freed_by_its_last_user(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    struct gf_block *plain = NULL;
    gf_memory_init(&m);
    void *a = shared(&m, 4096);
    struct gf_block *b = gf_memory_hold(gf_memory_find(&m, a));
    gf_memory_hold(b);
    assert_true(gf_memory_free(&m, a));
    assert_false(gf_memory_free(&m, a));
    assert_true(gf_memory_find(&m, a)->freed);
    gf_memory_release(&m, b);
    assert_ptr_not_equal(shared(&m, 4096), a);
    gf_memory_release(&m, b);
    assert_null(gf_memory_find(&m, a));
    assert_ptr_equal(shared(&m, 4096), a);
    b = gf_memory_hold(gf_memory_find(&m, a)); /* not freed: the last user leaves it */
    gf_memory_release(&m, b);
    gf_memory_release(&m, NULL);
    assert_ptr_equal(gf_memory_find(&m, a), b);
    assert_int_equal(gf_memory_plain(&m, 100, &plain, NULL), GF_OK);
    gf_memory_hold(plain);
    assert_true(gf_memory_free(&m, plain->data));
    memset(plain->data, 7, plain->length);
    a = plain->data;
    gf_memory_release(&m, plain);
    assert_null(gf_memory_find(&m, a));
    gf_memory_deinit(&m);
}

static void many_blocks_are_found(void **state)
{
    UNUSED(state);
    enum { N = 3000 };
    static struct gf_block *blocks[N];
    struct gf_memory m;
    gf_memory_init(&m);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal((i % 2 ? gf_memory_shared : gf_memory_plain)(&m, i + 1, &blocks[i], NULL), GF_OK);
    for (unsigned i = 0; i < N; i += 3)
        assert_true(gf_memory_free(&m, blocks[i]->data));
    for (unsigned i = 0; i < N; i++)
        if (i % 3 > 0)
            assert_ptr_equal(gf_memory_find(&m, blocks[i]->data + i), blocks[i]);
    gf_memory_deinit(&m);
}

static void tainted_blocks_are_never_given_out(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    gf_memory_init(&m);
    uint8_t *a = shared(&m, 4096), *b = shared(&m, 4096);
    gf_memory_taint(gf_memory_find(&m, a + 100));
    gf_memory_taint(NULL);
    assert_true(gf_memory_free(&m, a));
    assert_false(gf_memory_free(&m, a)); /* not his any more */
    assert_ptr_not_equal(shared(&m, 4096), a);
    assert_int_equal(m.n_arenas, 1);
    uint8_t *c = b + 4096;
    gf_memory_free(&m, c);
    gf_memory_free(&m, b);
    assert_int_equal(m.n_arenas, 0);
    assert_int_equal(m.arena_bytes, 0);
    shared(&m, 4096);
    assert_int_equal(m.arenas->id, 2);
    gf_memory_deinit(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_is_sealed_and_whole),
        cmocka_unit_test(freed_blocks_are_used_again),
        cmocka_unit_test(arenas_have_room_and_grow),
        cmocka_unit_test(limits_of_the_daemon_hold),
        cmocka_unit_test(addresses_are_found_in_their_block),
        cmocka_unit_test(a_block_in_use_is_freed_by_its_last_user),
        cmocka_unit_test(many_blocks_are_found),
        cmocka_unit_test(tainted_blocks_are_never_given_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
