/* SPDX-License-Identifier: MIT */
/* The user that a client counts as: the owner of subordinate uids, the login uid, or a control group made by root. */
#include "server/front/base/identity.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static char *root;

static int setup(void **state)
{
    UNUSED(state);
    root = gf_temp_dir_new();
    return 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    gf_temp_dir_free(root);
    return 0;
}

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/etc", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/etc/%s", root, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static uid_t of(const struct gf_identities *identities, uid_t uid)
{
    return gf_identity_of(identities, -1, uid, 0);
}

static void subordinate_uids_count_with_their_owner(void **state)
{
    UNUSED(state);
    struct gf_identities ids = {0};
    put("passwd", "root:x:0:0::/root:/bin/sh\nanne:x:1000:1000::/home/anne:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n");
    put("subuid", "anne:100000:65536\n1001:165536:65536\nnobody-here:300000:10\nanne:400000:1\n");
    gf_identities_load(&ids, root);
    assert_int_equal(ids.n_subuids, 4);
    assert_int_equal(of(&ids, 1000), 1000);
    assert_int_equal(of(&ids, 99999), 99999);
    assert_int_equal(of(&ids, 100000), 1000);
    assert_int_equal(of(&ids, 165535), 1000);
    assert_int_equal(of(&ids, 165536), 1001);
    assert_int_equal(of(&ids, 231071), 1001);
    assert_int_equal(of(&ids, 231072), 231072);
    assert_int_equal(of(&ids, 300009), 300000); /* whose name is unknown is one user all the same */
    assert_int_equal(of(&ids, 400000), 1000);
    assert_int_equal(of(&ids, 0), 0);
    put("subuid", "bob:100000:1\n");
    gf_identities_load(&ids, root);
    assert_int_equal(of(&ids, 100000), 1001);
    assert_int_equal(of(&ids, 100001), 100001);
    gf_identities_deinit(&ids);
    assert_int_equal(of(&ids, 100000), 100000);
}

static void lines_that_are_none_are_left_out(void **state)
{
    UNUSED(state);
    struct gf_identities ids = {0};
    put("passwd", "anne:x:1000:1000::/home/anne:/bin/sh\n");
    put("subuid", "\n#x\nanne\nanne:1\nanne:-1:5\nanne:5:0\nanne:x:5\nanne:99999999999:5\nanne:4294967290:100\n::\n"
                  "anne:70000:10");
    gf_identities_load(&ids, root);
    assert_int_equal(ids.n_subuids, 2);
    assert_int_equal(of(&ids, 70009), 1000);
    assert_int_equal(of(&ids, 4294967294u), 1000); /* a range may reach over the end */
    assert_int_equal(of(&ids, 5), 5);
    gf_identities_deinit(&ids);
    gf_identities_load(&ids, "/nowhere");
    assert_int_equal(ids.n_subuids, 0);
}

static void lists_of_users_are_numbers_and_names(void **state)
{
    UNUSED(state);
    static const char *const bad[][2] = {
        {"anne,carol", "no user 'carol'; allowed: uids, and names of /etc/passwd"},
        {"anne, bob", "no user ' bob'; allowed: uids, and names of /etc/passwd"},
        {"anne,", "no user ''; allowed: uids, and names of /etc/passwd"},
        {",anne", "no user ''; allowed: uids, and names of /etc/passwd"},
        {"-1", "no user '-1'; allowed: uids, and names of /etc/passwd"},
        {"4294967295", "no user '4294967295'; allowed: uids, and names of /etc/passwd"},
        {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "more than 16 users"},
    };
    struct gf_uids uids = {.n = 0};
    put("passwd", "anne:x:1000:1000::/home/anne:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n");
    assert_int_equal(gf_uids_parse(&uids, "bob,7,anne,4294967294", root, NULL), GF_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gf_error error = {0};
        assert_int_equal(gf_uids_parse(&uids, bad[i][0], root, &error), GF_E_BAD_PARAM);
        assert_string_equal(error.text, bad[i][1]);
    }
    assert_int_equal(uids.n, 4); /* as it was before */
    assert_true(gf_uids_have(&uids, 1001) && gf_uids_have(&uids, 7) && gf_uids_have(&uids, 1000));
    assert_true(gf_uids_have(&uids, 4294967294u) && !gf_uids_have(&uids, 0));
    assert_int_equal(gf_uids_parse(&uids, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", root, NULL), GF_OK);
    assert_int_equal(uids.n, 16);
    assert_int_equal(gf_uids_parse(&uids, "", root, NULL), GF_OK);
    assert_false(gf_uids_have(&uids, 1));
}

static void many_lines_end_somewhere(void **state)
{
    UNUSED(state);
    struct gf_identities ids = {0};
    static char text[5000 * 16];
    size_t at = 0;
    for (unsigned i = 0; i < 5000; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "7:%u:1\n", 100000 + i);
    put("subuid", text);
    gf_identities_load(&ids, root);
    assert_int_equal(ids.n_subuids, 4096);
    assert_int_equal(of(&ids, 104095), 7);
    assert_int_equal(of(&ids, 104096), 104096);
    gf_identities_deinit(&ids);
}

/* A pair of sockets whose peer is this process. */
static void peers_are_looked_up_while_they_live(void **state)
{
    UNUSED(state);
    int pair[2];
    char text[32] = "";
    struct gf_identities ids = {.kind = GF_IDENTITY_LOGINUID};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    FILE *f = fopen("/proc/self/loginuid", "re");
    uid_t login = 4294967295u;
    if (f) {
        if (fgets(text, sizeof text, f))
            login = (uid_t)strtoul(text, NULL, 10);
        fclose(f);
    }
    assert_int_equal(gf_identity_of(&ids, pair[0], 1234, getpid()), login == 4294967295u ? 1234 : login);
    assert_int_equal(gf_identity_of(&ids, pair[0], 1234, 0), 1234); /* of another pid namespace */
    ids.kind = GF_IDENTITY_CGROUP;
    assert_int_equal(gf_identity_of(&ids, pair[0], 1234, 0), 1234);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(gf_identity_of(&ids, pair[0], 1234, child), 1234);
    close(pair[0]);
    close(pair[1]);
}

static void words_say_what_a_number_is(void **state)
{
    UNUSED(state);
    assert_string_equal(gf_identity_word(GF_IDENTITY_UID), "user");
    assert_string_equal(gf_identity_word(GF_IDENTITY_LOGINUID), "login user");
    assert_string_equal(gf_identity_word(GF_IDENTITY_CGROUP), "cgroup");
}

static void what_the_machine_does_not_tell_is_refused(void **state)
{
    UNUSED(state);
    struct gf_error error = {0};
    assert_int_equal(gf_identity_check(GF_IDENTITY_UID, root, &error), GF_OK);
    assert_int_equal(gf_identity_check(GF_IDENTITY_LOGINUID, root, &error), GF_E_BAD_PARAM);
    assert_string_equal(error.text, "user-identity=loginuid needs a kernel with audit (/proc/self/loginuid): No such "
                                    "file or directory");
    assert_int_equal(gf_identity_check(GF_IDENTITY_CGROUP, root, &error), GF_E_BAD_PARAM);
    assert_string_equal(error.text, "user-identity=cgroup needs control groups of version 2 at /sys/fs/cgroup: No such "
                                    "file or directory");
}

static void make_group(const char *path, uid_t uid)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", root, path);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_int_equal(chown(name, uid, (gid_t)-1), 0);
}

static void cut(const char *path, const char *wanted)
{
    char text[512];
    snprintf(text, sizeof text, "%s", path);
    gf_identity_cut_cgroup(root, text);
    assert_string_equal(text, wanted);
}

static void a_cgroup_counts_as_far_as_root_made_it(void **state)
{
    UNUSED(state);
    if (geteuid() != 0) {
        print_message("skipped: needs root to give directories away\n");
        skip();
    }
    make_group("/user.slice", 0);
    make_group("/user.slice/user-1000.slice", 0);
    make_group("/user.slice/user-1000.slice/session-3.scope", 0);
    make_group("/system.slice", 0);
    make_group("/system.slice/box.scope", 0);
    make_group("/system.slice/box.scope/inner", 0);
    make_group("/system.slice/job.service", 0);
    make_group("/system.slice/job.service/own", 65001);
    make_group("/system.slice/job.service/own/more", 0);
    cut("/user.slice/user-1000.slice/session-3.scope", "/user.slice/user-1000.slice");
    cut("/user.slice/user-1000.slice/user@1000.service/app.slice", "/user.slice/user-1000.slice");
    cut("/system.slice/box.scope/inner", "/system.slice/box.scope/inner");
    cut("/system.slice/job.service/own/more", "/system.slice/job.service");
    cut("/gone/below", "");
    cut("/", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(subordinate_uids_count_with_their_owner, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_of_users_are_numbers_and_names, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_that_are_none_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(many_lines_end_somewhere, setup, teardown),
        cmocka_unit_test_setup_teardown(peers_are_looked_up_while_they_live, setup, teardown),
        cmocka_unit_test(words_say_what_a_number_is),
        cmocka_unit_test_setup_teardown(what_the_machine_does_not_tell_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cgroup_counts_as_far_as_root_made_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
