/* SPDX-License-Identifier: MIT */
/* Users by name: equal users, valid names, and more names than places. */
#include "server/front/base/users.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

static struct gf_users g_users;

static gf_user_id named(const char *name, gf_user_id *ret_forgotten)
{
    gf_user_id user, forgotten;
    struct gf_error err = {0};
    assert_int_equal(gf_user_named(&g_users, name, strlen(name), &user, &forgotten, &err), GF_OK);
    if (ret_forgotten)
        *ret_forgotten = forgotten;
    else
        assert_int_equal(forgotten, 0);
    return user;
}

static const char *text_of(gf_user_id user)
{
    static char text[GF_USER_TEXT];
    return gf_user_text(&g_users, user, text);
}

static int reset(void **state)
{
    UNUSED(state);
    memset(&g_users, 0, sizeof(g_users));
    return 0;
}

static void a_name_is_no_uid(void **state)
{
    UNUSED(state);
    gf_user_id a = named("1000", NULL), b = named("bob", NULL);
    assert_true(gf_user_is_named(a) && gf_user_is_named(b));
    assert_false(gf_user_is_named(1000) || gf_user_is_named(4294967295u));
    assert_true(a != 1000 && a != b);
    assert_true(named("1000", NULL) == a);
    assert_true(named("10", NULL) != a);
    assert_string_equal(text_of(a), "CN=1000");
    assert_string_equal(text_of(b), "CN=bob");
    assert_string_equal(text_of(1000), "1000");
    assert_string_equal(text_of(4294967295u), "4294967295");
    assert_string_equal(gf_user_text(NULL, a, (char[GF_USER_TEXT]){0}), "CN=?");
    gf_user_unref(&g_users, 1000); /* a uid has no references */
}

static void check_refused(const char *name, size_t size, const char *text)
{
    gf_user_id user = 7, forgotten;
    struct gf_error err = {0};
    assert_int_equal(gf_user_named(&g_users, name, size, &user, &forgotten, &err), GF_E_NOT_PERMITTED);
    assert_string_equal(err.text, text);
    assert_int_equal(user, 7);
    assert_int_equal(g_users.n, 0);
}

#define REFUSED(literal, text) check_refused(literal, sizeof(literal) - 1, text)
#define ODD(shown)                                                                                                     \
    "the certificate's common name '" shown "' must consist of ASCII letters, digits and the characters . _ - + @ : /"

static void what_a_name_may_be(void **state)
{
    UNUSED(state);
    char longest[GF_USER_NAME + 2];
    memset(longest, 'x', sizeof(longest));
    REFUSED("", "the certificate's common name has 0 bytes; allowed: 1..64");
    check_refused(longest, GF_USER_NAME + 1, "the certificate's common name has 65 bytes; allowed: 1..64");
    REFUSED("a\nb", ODD("a?b"));
    REFUSED("a\0b", ODD("a"));
    REFUSED("a\x7f", ODD("a?"));
    REFUSED("\xc2\x9b"
            "2J",
            ODD("?2J")); /* CSI in C1 */
    REFUSED("\xe2\x80\xae"
            "ecila",
            ODD("?ecila")); /* turns the direction */
    REFUSED("J\xfcrgen", ODD("J?rgen"));
    REFUSED("a\"b", ODD("a\"b"));
    REFUSED("a\\b", ODD("a\\b"));
    /* Labels and log lines that are cut at these would have another user in them. */
    REFUSED("a,uid=root", ODD("a,uid=root"));
    REFUSED("a pid=1", ODD("a pid=1"));
    REFUSED(" a", ODD(" a"));
    REFUSED("a'b", ODD("a'b"));
    REFUSED("a{b}", ODD("a{b}"));
    /* Letters that look like others, or have two codes. */
    REFUSED("al\xd1\x96"
            "ce",
            ODD("al\xd1\x96"
                "ce"));
    REFUSED("J\xc3\xbcrgen", ODD("J\xc3\xbcrgen"));
    longest[GF_USER_NAME] = '\0';
    assert_string_equal(text_of(named(longest, NULL)) + 3, longest);
    assert_string_equal(text_of(named("svc/j.muller_2+x@host:7-Z", NULL)), "CN=svc/j.muller_2+x@host:7-Z");
}

static const char *number_name(uint32_t i)
{
    static char name[16];
    snprintf(name, sizeof(name), "n%u", i);
    return name;
}

static void one_more_name_takes_the_place_of_who_was_away_longest(void **state)
{
    UNUSED(state);
    gf_user_id first = named("n0", NULL), second = named("n1", NULL), last = 0;
    for (uint32_t i = 2; i < GF_MAX_NAMES; i++)
        last = named(number_name(i), NULL);
    gf_user_id user = 7, forgotten;
    struct gf_error err = {0};
    assert_int_equal(gf_user_named(&g_users, "late", 4, &user, &forgotten, &err), GF_E_QUOTA);
    assert_string_equal(err.text, "the limit of 1024 certificate names with connections is reached");
    assert_true(named("n0", NULL) == first); /* who is known still comes in */
    gf_user_unref(&g_users, first);
    gf_user_unref(&g_users, second);
    assert_int_equal(gf_user_named(&g_users, "late", 4, &user, &forgotten, &err), GF_OK);
    assert_true(forgotten == second); /* n0 has one connection yet */
    assert_string_equal(text_of(second), "CN=?");
    assert_string_equal(text_of(user), "CN=late");
    assert_true(user > last); /* a number of its own */
    /* Of several, who was away for longest. */
    gf_user_unref(&g_users, first);
    gf_user_unref(&g_users, last);
    named(number_name(GF_MAX_NAMES - 1), NULL);
    gf_user_unref(&g_users, last);
    assert_true(named("n1", &forgotten) != second);
    assert_true(forgotten == first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_name_is_no_uid, reset),
        cmocka_unit_test_setup(what_a_name_may_be, reset),
        cmocka_unit_test_setup(one_more_name_takes_the_place_of_who_was_away_longest, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
