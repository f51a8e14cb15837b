/* SPDX-License-Identifier: MIT */
/* protocol/base/hash: members are found under their keys, and under no others, while the table grows and shrinks. */
#include "tests/unit/unit.h"

#include "protocol/base/hash.h"

#define N 5000u

struct member {
    uint64_t value;
    struct gf_hash_node node;
};

static struct member g_members[N];

static uint64_t value_of(const struct gf_hash *hash, uint64_t key)
{
    struct gf_hash_node *node = gf_hash_find(hash, key);
    return node != NULL ? gf_container(node, struct member, node)->value : UINT64_MAX;
}

/* Keys in a row, keys that differ in high bits alone, and keys at the end of the counter. */
static uint64_t key_of(uint64_t kind, uint64_t i)
{
    return kind == 0 ? i : kind == 1 ? i << 48 : UINT64_MAX - i;
}

static void members_are_found_under_their_keys(void **state)
{
    UNUSED(state);
    for (uint64_t kind = 0; kind < 3; kind++) {
        struct gf_hash hash = {0};
        assert_null(gf_hash_find(&hash, 0));
        for (uint64_t i = 0; i < N; i++) {
            assert_int_equal(value_of(&hash, key_of(kind, i)), UINT64_MAX);
            g_members[i].value = i;
            gf_hash_add(&hash, key_of(kind, i), &g_members[i].node);
        }
        assert_int_equal(hash.count, N);
        for (uint64_t i = 0; i < N; i += 2)
            gf_hash_remove(&hash, &g_members[i].node);
        for (uint64_t i = 0; i < N; i++)
            assert_int_equal(value_of(&hash, key_of(kind, i)), i % 2 == 0 ? UINT64_MAX : i);
        gf_hash_add(&hash, key_of(kind, 0), &g_members[0].node); /* the same key again */
        assert_int_equal(value_of(&hash, key_of(kind, 0)), 0);
        assert_int_equal(hash.count, N / 2 + 1);
        gf_hash_deinit(&hash);
    }
}

static void a_drained_table_is_empty(void **state)
{
    UNUSED(state);
    struct gf_hash hash = {0};
    for (uint64_t n = 3; n < N; n *= 37) { /* few chains and many */
        uint64_t sum = 0, count = 0;
        for (uint64_t i = 0; i < n; i++) {
            g_members[i].value = i;
            gf_hash_add(&hash, i, &g_members[i].node);
        }
        for (struct gf_hash_node *node = gf_hash_drain(&hash); node != NULL; node = node->next, count++)
            sum += gf_container(node, struct member, node)->value;
        assert_int_equal(count, n);
        assert_int_equal(sum, n * (n - 1) / 2);
        assert_int_equal(hash.count, 0);
        assert_null(gf_hash_find(&hash, 1));
    }
    gf_hash_deinit(&hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_under_their_keys),
        cmocka_unit_test(a_drained_table_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
