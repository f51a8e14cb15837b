/* SPDX-License-Identifier: MIT */
/* Arenas and the blocks in them. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "client/lib/memory/memory.h"
#include "tests/support/prng.h"
#include "tests/support/resources.h"

#define KIB (1ull << 10)
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
    assert_int_equal(st.st_size, 4 * MIB);
    assert_true((uint64_t)st.st_blocks * 512 >= 4 * MIB);
    gf_memory_deinit(&m);
    assert_int_equal(gf_fd_count(), fds);
}

/* As a request does that uses the block. */
static void use(struct gf_memory *m, const void *data)
{
    gf_memory_release(m, gf_memory_hold(m, gf_memory_find(m, data)));
}

static void freed_blocks_are_used_again(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    gf_memory_init(&m);
    uint8_t *all = shared(&m, 16 * MIB);
    use(&m, all);
    gf_memory_free(&m, all);
    uint8_t *a = shared(&m, 5 * MIB), *b = shared(&m, 5 * MIB), *c = shared(&m, 5 * MIB);
    assert_ptr_equal(a, all);
    gf_memory_free(&m, b);
    uint8_t *small = shared(&m, 4096);
    assert_ptr_equal(small, c + 5 * MIB); /* the smallest of the free blocks */
    assert_ptr_equal(shared(&m, 5 * MIB - 1), b);
    gf_memory_free(&m, a);
    gf_memory_free(&m, b);
    assert_ptr_equal(shared(&m, 10 * MIB), a); /* joined */
    gf_memory_free(&m, a);
    gf_memory_free(&m, small);
    gf_memory_free(&m, c);
    assert_ptr_equal(shared(&m, 16 * MIB), a);
    assert_int_equal(m.n_arenas, 1);
    gf_memory_deinit(&m);
}

/* 64 KiB, more if the daemon accepts few arenas; from 1 MiB on in huge pages. */
static void arenas_begin_small_and_double(void **state)
{
    UNUSED(state);
    static const struct {
        uint64_t arenas, bytes, block, arena;
    } first[] = {
        {16, 4096 * MIB, 1, 64 * KIB},      {1024, 4096 * MIB, 1, 64 * KIB},          {10, 4096 * MIB, 1, 4 * MIB},
        {1, 4096 * MIB, 1, 16 * MIB},       {16, 4096 * MIB, 68 * KIB, 68 * KIB},     {16, 4096 * MIB, MIB, MIB},
        {16, 4096 * MIB, MIB + 1, 2 * MIB}, {16, 4096 * MIB, 70 * MIB + 1, 72 * MIB}, {16, 40 * KIB, 1, 40 * KIB}};
    struct gf_memory m;
    for (size_t i = 0; i < GF_ARRAY_LEN(first); i++) {
        gf_memory_init(&m);
        m.max_arenas = first[i].arenas;
        m.max_arena_bytes = first[i].bytes;
        shared(&m, first[i].block);
        assert_int_equal(m.arenas->size, first[i].arena);
        gf_memory_deinit(&m);
    }
    /* All that the daemon accepts can be had in blocks of a page. */
    gf_memory_init(&m);
    m.max_arenas = 4;
    m.max_arena_bytes = 960 * KIB;
    for (unsigned i = 0; i < 240; i++)
        shared(&m, 4096);
    struct gf_block *b = NULL;
    struct gf_error err;
    assert_int_equal(m.n_arenas, 4);
    assert_int_equal(m.arenas->size, 512 * KIB);
    assert_int_equal(gf_memory_shared(&m, 1, &b, &err), GF_E_TOO_LARGE);
    gf_memory_deinit(&m);
}

static unsigned g_removed;

static void count_removed(void *user, const struct gf_arena *a)
{
    assert_true(a->id == *(unsigned *)user + ++g_removed);
}

static void empty_arenas_are_given_back(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    void *blocks[6];
    unsigned before = 0;
    int fds = gf_fd_count();
    gf_memory_init(&m);
    m.removed = count_removed;
    m.user = &before;
    g_removed = 0;
    for (unsigned i = 0; i < 6; i++)
        blocks[i] = shared(&m, 8 * MIB);
    assert_int_equal(m.arena_bytes, 48 * MIB);
    for (unsigned i = 0; i < 6; i++)
        gf_memory_free(&m, blocks[i]);
    assert_int_equal(g_removed, 6);
    assert_int_equal(m.arena_bytes, 0);
    assert_int_equal(m.n_arenas, 0);
    assert_int_equal(gf_fd_count(), fds);
    /* The addresses of the eight removed last are known. */
    for (unsigned i = 0; i < 6; i++) {
        assert_null(gf_memory_find(&m, blocks[i]));
        assert_true(gf_memory_touches(&m, (uint8_t *)blocks[i] + 8 * MIB - 1, 1));
    }
    for (unsigned i = 0; i < 3; i++)
        gf_memory_free(&m, shared(&m, 8 * MIB));
    assert_false(gf_memory_touches(&m, blocks[0], 8 * MIB));
    assert_true(gf_memory_touches(&m, blocks[1], 8 * MIB));
    /* Not where addresses are limited. */
    struct rlimit before_limit, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before_limit), 0);
    limit = before_limit;
    limit.rlim_cur = 1ull << 62;
    void *last = shared(&m, 8 * MIB);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    gf_memory_free(&m, last);
    assert_false(gf_memory_touches(&m, last, 8 * MIB));
    assert_int_equal(setrlimit(RLIMIT_AS, &before_limit), 0);
    gf_memory_deinit(&m);
}

/* What requests needed at once is kept for the next 32 of them at least. */
static void what_requests_needed_is_kept_for_a_while(void **state)
{
    UNUSED(state);
    struct gf_memory m;
    gf_memory_init(&m);
    void *a = shared(&m, 8 * MIB), *b = shared(&m, 8 * MIB), *c = shared(&m, 8 * MIB);
    use(&m, a);
    use(&m, b);
    use(&m, c);
    gf_memory_free(&m, a);
    assert_int_equal(m.n_arenas, 3);
    gf_memory_free(&m, c);
    assert_int_equal(m.n_arenas, 2);
    gf_memory_free(&m, b);
    assert_int_equal(m.arena_bytes, 8 * MIB);
    assert_int_equal(m.arenas->id, 3); /* the last one used */
    gf_memory_free(&m, shared(&m, 16 * MIB));
    assert_int_equal(m.arenas->id, 3); /* one that no request has used does not take its place */
    for (unsigned i = 0; i < 63; i++)
        gf_memory_ended(&m);
    assert_int_equal(m.n_arenas, 1);
    gf_memory_ended(&m);
    assert_int_equal(m.n_arenas, 0);
    gf_memory_deinit(&m);
}

/* Requests that need the same memory again and again make no arenas after the first, in spite of the caller's blocks
 * in the same arenas. */
static void equal_requests_make_no_more_arenas(void **state)
{
    UNUSED(state);
    static const uint64_t sizes[] = {300 * KIB, 3 * MIB, 100 * KIB, 3 * MIB, 700 * KIB};
    struct gf_memory m;
    uint32_t next = 0;
    gf_memory_init(&m);
    for (unsigned i = 0; i < 5; i++)
        shared(&m, 40 * KIB);
    for (unsigned i = 0; i < 200; i++) {
        struct gf_block *blocks[GF_ARRAY_LEN(sizes)];
        for (size_t k = 0; k < GF_ARRAY_LEN(sizes); k++)
            blocks[k] = gf_memory_hold(&m, gf_memory_find(&m, shared(&m, sizes[k])));
        for (size_t k = 0; k < GF_ARRAY_LEN(sizes); k++) {
            gf_memory_free(&m, blocks[k]->data);
            gf_memory_release(&m, blocks[k]);
        }
        gf_memory_ended(&m);
        if (i == 0)
            next = m.next_id;
    }
    assert_int_equal(m.next_id, next);
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
    shared(&m, 4 * MIB);
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
    struct gf_block *b = gf_memory_hold(&m, gf_memory_find(&m, a));
    gf_memory_hold(&m, b);
    assert_true(gf_memory_free(&m, a));
    assert_false(gf_memory_free(&m, a));
    assert_true(gf_memory_find(&m, a)->freed);
    gf_memory_release(&m, b);
    assert_ptr_not_equal(shared(&m, 4096), a);
    gf_memory_release(&m, b);
    assert_null(gf_memory_find(&m, a));
    assert_ptr_equal(shared(&m, 4096), a);
    b = gf_memory_hold(&m, gf_memory_find(&m, a)); /* not freed: the last user leaves it */
    gf_memory_release(&m, b);
    gf_memory_release(&m, NULL);
    assert_ptr_equal(gf_memory_find(&m, a), b);
    assert_int_equal(gf_memory_plain(&m, 100, &plain, NULL), GF_OK);
    gf_memory_hold(&m, plain);
    assert_true(gf_memory_free(&m, plain->data));
    memset(plain->data, 7, plain->length);
    a = plain->data;
    gf_memory_release(&m, plain);
    assert_null(gf_memory_find(&m, a));
    gf_memory_deinit(&m);
}

/* Blocks of all sizes come and go: each keeps its bytes and is found. */
static void many_blocks_are_found(void **state)
{
    UNUSED(state);
    enum { N = 1500, ROUNDS = 40000 };
    static struct gf_block *blocks[N];
    struct gf_prng prng = {2026};
    struct gf_memory m;
    gf_memory_init(&m);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned k = (unsigned)(gf_prng_next(&prng) % N);
        struct gf_block *b = blocks[k];
        if (b != NULL) {
            assert_ptr_equal(gf_memory_find(&m, b->data + b->length - 1), b);
            assert_int_equal(b->data[0], k % 256);
            assert_int_equal(b->data[b->length - 1], k % 256);
            assert_true(gf_memory_free(&m, b->data));
            blocks[k] = NULL;
            continue;
        }
        const uint64_t size = 1 + gf_prng_next(&prng) % (k % 100 == 0 ? 200 * KIB : 20 * KIB);
        assert_int_equal((k % 8 ? gf_memory_shared : gf_memory_plain)(&m, size, &b, NULL), GF_OK);
        b->data[0] = b->data[size - 1] = (uint8_t)k;
        blocks[k] = b;
    }
    assert_true(m.n_arenas > 1);
    for (unsigned k = 0; k < N; k++)
        if (blocks[k] != NULL)
            assert_true(gf_memory_free(&m, blocks[k]->data));
    assert_int_equal(m.n_arenas, 0);
    assert_null(m.blocks);
    assert_null(m.spare);
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
        cmocka_unit_test(arenas_begin_small_and_double),
        cmocka_unit_test(empty_arenas_are_given_back),
        cmocka_unit_test(what_requests_needed_is_kept_for_a_while),
        cmocka_unit_test(equal_requests_make_no_more_arenas),
        cmocka_unit_test(limits_of_the_daemon_hold),
        cmocka_unit_test(addresses_are_found_in_their_block),
        cmocka_unit_test(a_block_in_use_is_freed_by_its_last_user),
        cmocka_unit_test(many_blocks_are_found),
        cmocka_unit_test(tainted_blocks_are_never_given_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
