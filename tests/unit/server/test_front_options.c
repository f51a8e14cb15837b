/* SPDX-License-Identifier: MIT */
/* The command line overrides the file, and the file overrides the defaults; messages about invalid values. */
#include "server/front/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static enum gf_status parse(struct gf_options *o, struct gf_error *error, char *const *argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    assert_int_equal(gf_options_init(o, NULL), GF_OK);
    return gf_options_parse(o, argc, argv, error);
}

#define ARGS(...) ((char *const[]){(char *)(uintptr_t) "gpufilterd", __VA_ARGS__, NULL})
#define A(text) ((char *)(uintptr_t)(text))

static void defaults_and_units(void **state)
{
    UNUSED(state);
    struct gf_options o;
    struct gf_error error = {0};
    assert_int_equal(parse(&o, &error,
                           ARGS(A("--max-inline=3M"), A("--idle-exit"), A("0.25"), A("--socket-mode"), A("660"),
                                A("--log-level=debug"))),
                     GF_OK);
    assert_int_equal(o.max_inline, 3u << 20);
    assert_int_equal(o.idle_exit_ms, 250);
    assert_int_equal(o.socket_mode, 0660);
    assert_int_equal(o.log_level, 7);
    assert_int_equal(o.staging_max, 2ull << 30);
    assert_int_equal(o.in_flight, 64);
    assert_int_equal(o.frame_timeout_ms, 10000);
    assert_string_equal(o.devices, "auto");
    assert_int_equal(o.action, GF_ACTION_SERVE);
    gf_options_deinit(&o);
}

static void devices_are_names_that_a_worker_may_know(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text;
        bool known;
    } cases[] = {
        {"auto", true},
        {"none", true},
        {"cpu", true},
        {"cpu,cuda:0", true},
        {"cuda:63,cpu", true},
        {"GPU-8f6d,MIG-1-2", true},
        {"", false},
        {"banana", false},
        {"cpu,banana", false},
        {"cpu, cuda:0", false},
        {"cpu,", false},
        {",cpu", false},
        {"cpu,,cuda:0", false},
        {"cuda", false},
        {"cuda:", false},
        {"cuda:0x1", false},
        {"cuda:all", false},
        {"auto,cpu", false},
        {"cuda0", false},
        {"GPU-", false},
        {"GPU-a b", false},
        {"CPU", false},
        {"cpu,auto", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gf_options o;
        struct gf_error error = {0};
        char arg[64], expected[256];
        snprintf(arg, sizeof arg, "--devices=%s", cases[i].text);
        assert_int_equal(parse(&o, &error, ARGS(arg)), cases[i].known ? GF_OK : GF_E_BAD_ARGUMENT);
        snprintf(expected, sizeof expected,
                 "devices=%s; allowed: auto, none, or names separated by commas: cpu, cuda:0, "
                 "cuda:1, ..., a GPU's UUID (GPU-... or MIG-...)",
                 cases[i].text);
        assert_string_equal(cases[i].known ? o.devices : error.text, cases[i].known ? cases[i].text : expected);
        gf_options_deinit(&o);
    }
}

static void bad_values_are_named(void **state)
{
    UNUSED(state);
    static const struct {
        const char *arg, *text;
    } cases[] = {
        {"--max-inline=12X", "max-inline=12X; allowed: 4K..64T"},
        {"--max-inline=1", "max-inline=1; allowed: 4K..64T"},
        {"--max-inline=99999999999999999999", "max-inline=99999999999999999999; allowed: 4K..64T"},
        {"--max-inline=18014398509481985K", "max-inline=18014398509481985K; allowed: 4K..64T"},
        {"--in-flight=-1", "in-flight=-1; allowed: 1..4096"},
        {"--frame-timeout=0.001", "frame-timeout=0.001; allowed: 0.010..604800 seconds"},
        {"--frame-timeout=18446744073709551.9", /* more than 64 bits of milliseconds */
         "frame-timeout=18446744073709551.9; allowed: 0.010..604800 seconds"},
        {"--socket=a\nb", "socket: the value contains the control character 0x0a"},
        {"--socket-mode=888", "socket-mode=888; allowed: 0..777, octal"},
        {"--log-level=loud", "log-level=loud; allowed: error, warning, notice, info and debug"},
        {"--log-requests=some", "log-requests=some; allowed: none, refused, slow and all"},
        {"--proxy-users=no-such-user",
         "proxy-users=no-such-user: no user 'no-such-user'; allowed: uids, and names of /etc/passwd"},
        {"--proxy-users=0,,1", "proxy-users=0,,1: no user ''; allowed: uids, and names of /etc/passwd"},
        {"--proxy-users=0\n", "proxy-users: the value contains the control character 0x0a"},
        {"--nonsense", "unknown option '--nonsense'; see gpufilterd --help"},
        {"--sockt=x", "unknown option '--sockt'; did you mean --socket?"},
        {"--verson", "unknown option '--verson'; did you mean --version?"},
        {"-x", "unknown option '-x'; see gpufilterd --help"},
        {"nonsense", "unexpected argument 'nonsense'; see gpufilterd --help"},
        {"--socket", "--socket needs a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gf_options o;
        struct gf_error error = {0};
        assert_int_equal(parse(&o, &error, ARGS(A(cases[i].arg))), GF_E_BAD_ARGUMENT);
        assert_int_equal(error.status, GF_E_BAD_ARGUMENT);
        assert_string_equal(error.text, cases[i].text);
        gf_options_deinit(&o);
    }
}

static void actions_have_the_words_of_the_client(void **state)
{
    UNUSED(state);
    static const struct {
        const char *arg;
        enum gf_action action;
    } cases[] = {
        {"-h", GF_ACTION_HELP},         {"help", GF_ACTION_HELP},         {"--help", GF_ACTION_HELP},
        {"version", GF_ACTION_VERSION}, {"--version", GF_ACTION_VERSION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gf_options o;
        struct gf_error error = {0};
        assert_int_equal(parse(&o, &error, ARGS(A(cases[i].arg))), GF_OK);
        assert_int_equal(o.action, cases[i].action);
        gf_options_deinit(&o);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void the_file_is_under_the_command_line(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    char path[128], expected[256];
    struct gf_options o;
    struct gf_error error = {0};
    snprintf(path, sizeof path, "%s/conf", dir);
    write_file(path, "# comment\n[gpufilterd]\narenas = 3\nmax-inline = 1M\nreply-timeout = 2.5\n");
    assert_int_equal(parse(&o, &error, ARGS(A("--config"), path, A("--arenas=9"))), GF_OK);
    assert_int_equal(o.arenas, 9);
    assert_int_equal(o.max_inline, 1 << 20);
    assert_int_equal(o.reply_timeout_ms, 2500);
    gf_options_deinit(&o);

    static const struct {
        const char *text, *rest;
    } bad[] = {
        {"arenas = 3\nmax-inline = lots\n", ":2: max-inline=lots; allowed: 4K..64T"},
        {"no-such = 3\n", ":1: unknown option 'no-such'; see gpufilterd --help"},
        {"\n\n[other]\narenas = 1\n", ":4: unknown section [other]; allowed: [gpufilterd]"},
        {"arenas\n", ":1: not of the form name = value"},
        {"max-inlin = 1M\n", ":1: unknown option 'max-inlin'; did you mean max-inline?"},
        {"config = x\n", ":1: unknown option 'config'; see gpufilterd --help"},
        {"arenas = 3\ndevices = banana\n",
         ":2: devices=banana; allowed: auto, none, or names separated by commas: cpu, "
         "cuda:0, cuda:1, ..., a GPU's UUID (GPU-... or MIG-...)"},
        {"socket = a,\n  b\n",
         ":2: begins with a blank; each option must be on one line and start in the first column"},
        {"arenas = 3\n\tmax-inline = 4M\n",
         ":2: begins with a blank; each option must be on one line and start in the first column"},
        {"socket = a\x01\n", ":1: contains the control character 0x01"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(path, bad[i].text);
        assert_int_equal(parse(&o, &error, ARGS(A("--config"), path)), GF_E_BAD_PARAM);
        snprintf(expected, sizeof expected, "%s%s", path, bad[i].rest);
        assert_string_equal(error.text, expected);
        gf_options_deinit(&o);
    }
    snprintf(path, sizeof path, "%s/none", dir);
    assert_int_equal(parse(&o, &error, ARGS(A("--config"), path)), GF_E_BAD_PARAM);
    gf_options_deinit(&o);
}

/* The rest of an overlong line must not be read as the next line. */
static void long_lines_are_refused_whole(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    char path[128], text[512], expected[256];
    struct gf_options o;
    struct gf_error error = {0};
    snprintf(path, sizeof path, "%s/conf", dir);
    for (int length = 190; length < 204; length++) {
        snprintf(text, sizeof text, "# %.*s", length - 2, "arenas = 8");
        memset(text + strlen(text), 'x', (size_t)length - strlen(text));
        snprintf(text + length, sizeof text - (size_t)length, "arenas = 7\n");
        write_file(path, text);
        enum gf_status status = parse(&o, &error, ARGS(A("--config"), path));
        assert_int_equal(o.arenas, 16);
        gf_options_deinit(&o);
        if (status == GF_OK) {
            assert_true((size_t)length + strlen("arenas = 7") <= 197);
            continue;
        }
        snprintf(expected, sizeof expected, "%s:1: longer than 197 bytes", path);
        assert_int_equal(status, GF_E_BAD_PARAM);
        assert_string_equal(error.text, expected);
    }
}

static void what_stands_behind_a_nul_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    char path[128];
    struct gf_options o;
    struct gf_error error = {0};
    snprintf(path, sizeof path, "%s/conf", dir);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite("arenas = 3\0 4\n", 1, 14, f), 14);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(parse(&o, &error, ARGS(A("--config"), path)), GF_E_BAD_PARAM);
    assert_non_null(strstr(error.text, ":1: contains the control character 0x00"));
    gf_options_deinit(&o);
}

static void reload_takes_only_what_may_change(void **state)
{
    UNUSED(state);
    struct gf_options o, next;
    assert_int_equal(gf_options_init(&o, NULL), GF_OK);
    assert_int_equal(gf_options_init(&next, NULL), GF_OK);
    char later[64];
    free(next.proxy_users);
    next.proxy_users = strdup("0,1000");
    next.user_requests = 5;
    gf_options_reload(&o, &next, later, sizeof later);
    assert_string_equal(later, "");
    assert_string_equal(o.proxy_users, "0,1000");
    assert_string_equal(next.proxy_users, "");
    next.user_requests = 6;
    next.max_inline = 5;
    next.ready_fd = 9; /* of the command line alone */
    free(next.devices);
    next.devices = strdup("none");
    gf_options_reload(&o, &next, later, sizeof later);
    assert_int_equal(o.user_requests, 6);
    assert_int_equal(o.max_inline, 256u << 20);
    assert_string_equal(o.devices, "auto");
    assert_string_equal(later, "devices, max-inline");
    gf_options_deinit(&o);
    gf_options_deinit(&next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_units),
        cmocka_unit_test(devices_are_names_that_a_worker_may_know),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(actions_have_the_words_of_the_client),
        cmocka_unit_test(the_file_is_under_the_command_line),
        cmocka_unit_test(long_lines_are_refused_whole),
        cmocka_unit_test(what_stands_behind_a_nul_is_refused),
        cmocka_unit_test(reload_takes_only_what_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
