/* SPDX-License-Identifier: MIT */
/* Starting a daemon, with shell scripts in its place. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/lib/discovery/autostart.h"
#include "client/lib/transport/channel.h"
#include "tests/support/resources.h"

#define LONG_MS 120000

static char *g_dir, g_program[200];
static int g_dir_fd, g_fds;

static int setup(void **state)
{
    UNUSED(state);
    g_fds = gf_fd_count();
    g_dir = gf_temp_dir_new();
    g_dir_fd = g_dir != NULL ? open(g_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return g_dir_fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    close(g_dir_fd);
    assert_int_equal(gf_fd_count(), g_fds);
    g_dir = gf_temp_dir_free(g_dir);
    return 0;
}

static void write_script(const char *text)
{
    snprintf(g_program, sizeof(g_program), "%s/daemon", g_dir);
    FILE *f = fopen(g_program, "we");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(g_program, 0700), 0);
}

static enum gf_status start(const char *script, uint64_t ms, struct gf_error *err)
{
    write_script(script);
    return gf_start_daemon(g_program, g_dir_fd, "/some where/x.sock", gf_after_ms(ms), err);
}

static void ready_daemon_is_started(void **state)
{
    UNUSED(state);
    struct gf_error err;
    char path[240], line[200] = "";
    const int inherited = fcntl(g_dir_fd, F_DUPFD, 50); /* not close-on-exec, as a program may have them */
    assert_true(inherited >= 50);
    /* Says what it was given before it says READY. */
    snprintf(path, sizeof(path),
             "cd \"${0%%/*}\"; echo \"$1:$2:$3:$4:$5:$6:$(readlink /proc/$$/fd/0):$(readlink /proc/$$/fd/%d)\" >args; "
             "echo READY >&3",
             inherited);
    assert_int_equal(start(path, LONG_MS, &err), GF_OK);
    close(inherited);
    snprintf(path, sizeof(path), "%s/args", g_dir);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    fclose(f);
    assert_string_equal(line, "--socket:/some where/x.sock:--ready-fd:3:--idle-exit:300:/dev/null:\n");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the daemon is not a child of this process */
}

static void words_of_a_daemon_that_fails_are_handed_on(void **state)
{
    UNUSED(state);
    struct gf_error err;
    assert_int_equal(start("echo 'the socket is taken' >&3", LONG_MS, &err), GF_E_START_FAILED);
    assert_non_null(strstr(err.text, "did not start: the socket is taken"));
    assert_int_equal(start("echo one >&2; echo 'no memory' >&2; exit 1", LONG_MS, &err), GF_E_START_FAILED);
    assert_non_null(strstr(err.text, "did not start: no memory"));
    assert_int_equal(start("exit 1", LONG_MS, &err), GF_E_START_FAILED);
    assert_non_null(strstr(err.text, "it printed nothing"));
}

static void daemon_that_is_never_ready_is_given_up(void **state)
{
    UNUSED(state);
    struct gf_error err;
    /* The program waits on a fifo in the directory and ends when the fifo is removed, so it leaves nothing behind. */
    assert_int_equal(start("mkfifo \"$0.wait\"; read x <\"$0.wait\"", 30, &err), GF_E_START_FAILED);
    assert_non_null(strstr(err.text, "was not ready in time"));
    char path[240];
    snprintf(path, sizeof(path), "%s.wait", g_program);
    int fd = -1;
    while ((fd = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        ;
    close(fd);
}

static void lock_is_one_at_a_time(void **state)
{
    UNUSED(state);
    struct gf_error err;
    int first = -1, second = -1;
    assert_int_equal(gf_start_lock(g_dir_fd, gf_after_ms(LONG_MS), &first, &err), GF_OK);
    assert_int_equal(gf_start_lock(g_dir_fd, gf_after_ms(1), &second, &err), GF_E_TIMEOUT);
    close(first);
    assert_int_equal(gf_start_lock(g_dir_fd, gf_after_ms(LONG_MS), &second, &err), GF_OK);
    close(second);
}

static void program_is_looked_for_in_order(void **state)
{
    UNUSED(state);
    struct gf_error err;
    char path[400], in_path[240];
    write_script("true");
    unsetenv("GPUFILTER_DAEMON");
    assert_int_equal(gf_start_program(g_program, path, sizeof(path), &err), GF_OK);
    assert_string_equal(path, g_program);
    assert_int_equal(gf_start_program("/none", path, sizeof(path), &err), GF_E_START_FAILED);
    setenv("GPUFILTER_DAEMON", g_program, 1);
    assert_int_equal(gf_start_program(NULL, path, sizeof(path), &err), GF_OK);
    assert_string_equal(path, g_program);
    setenv("GPUFILTER_DAEMON", g_dir, 1);
    assert_int_equal(gf_start_program(NULL, path, sizeof(path), &err), GF_E_START_FAILED);
    unsetenv("GPUFILTER_DAEMON");
    snprintf(in_path, sizeof(in_path), "%s/gpufilterd", g_dir);
    setenv("PATH", g_dir, 1);
    if (gf_start_program(NULL, path, sizeof(path), &err) != GF_OK) /* where it is not installed */
        assert_non_null(strstr(err.text, "install the package gpufilterd, or set $GPUFILTER_DAEMON to the file"));
    assert_int_equal(rename(g_program, in_path), 0);
    assert_int_equal(gf_start_program(NULL, path, sizeof(path), &err), GF_OK); /* there, if not installed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ready_daemon_is_started, setup, teardown),
        cmocka_unit_test_setup_teardown(words_of_a_daemon_that_fails_are_handed_on, setup, teardown),
        cmocka_unit_test_setup_teardown(daemon_that_is_never_ready_is_given_up, setup, teardown),
        cmocka_unit_test_setup_teardown(lock_is_one_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(program_is_looked_for_in_order, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
